// An orbit camera about a target, and the few matrices that it needs (column-major, as WebGL wants).

export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const add = (a, b, scale = 1) => [a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const normalized = (a) => {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
};

export function multiply(a, b) {
  const product = new Float32Array(16);
  for (let column = 0; column < 4; ++column)
    for (let row = 0; row < 4; ++row)
      for (let k = 0; k < 4; ++k)
        product[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return product;
}

export function lookAt(eye, target, up) {
  const back = normalized(subtract(eye, target));
  const right = normalized(cross(up, back));
  const top = cross(back, right);
  return new Float32Array([right[0], top[0], back[0], 0, right[1], top[1], back[1], 0,
    right[2], top[2], back[2], 0, -dot(right, eye), -dot(top, eye), -dot(back, eye), 1]);
}

export function perspective(fov, aspect, near, far) {
  const f = 1 / Math.tan(fov / 2);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0,
    0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
}

export function orthographic(half, near, far) {
  return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0,
    0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1]);
}

export class OrbitCamera {
  // `zUp`: the vertical axis is Z, and the front -Y; otherwise Y, and the front +Z.
  constructor(canvas, zUp, onChange) {
    this.up = zUp ? [0, 0, 1] : [0, 1, 0];
    this.front = zUp ? [0, -1, 0] : [0, 0, 1];
    this.side = cross(this.up, this.front);
    this.fov = 0.49;
    this.onChange = onChange;
    this.fit([0, 0, 0], 1);
    this.listen(canvas);
  }

  // Shows a ball.
  fit(center, radius) {
    this.target = center;
    this.radius = radius;
    this.azimuth = 0.56;
    this.elevation = 0.35;
    this.distance = 1.05 * radius / Math.sin(this.fov / 2);
  }

  eye() {
    const level = Math.cos(this.elevation);
    let direction = add([0, 0, 0], this.front, level * Math.cos(this.azimuth));
    direction = add(direction, this.side, level * Math.sin(this.azimuth));
    direction = add(direction, this.up, Math.sin(this.elevation));
    return add(this.target, direction, this.distance);
  }

  matrix(aspect) {
    const far = this.distance + 40 * this.radius;
    const near = Math.max(this.distance / 200, this.distance - 3 * this.radius);
    return multiply(perspective(this.fov, aspect, near, far), lookAt(this.eye(), this.target, this.up));
  }

  orbit(dx, dy) {
    this.azimuth -= dx * 0.006;
    this.elevation = Math.min(1.5, Math.max(-1.5, this.elevation + dy * 0.006));
  }

  pan(dx, dy, height) {
    const back = normalized(subtract(this.eye(), this.target));
    const right = normalized(cross(this.up, back));
    const scale = 2 * this.distance * Math.tan(this.fov / 2) / height;
    this.target = add(add(this.target, right, -dx * scale), cross(back, right), dy * scale);
  }

  listen(canvas) {
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      if (event.buttons & 2 || event.shiftKey)
        this.pan(event.movementX, event.movementY, canvas.clientHeight);
      else
        this.orbit(event.movementX, event.movementY);
      this.onChange();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.distance *= Math.exp(0.001 * event.deltaY);
      this.onChange();
    }, { passive: false });
  }
}
