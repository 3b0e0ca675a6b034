// Draws the meshes of a frame: key light with a shadow map, sky, rim light, floor that only shows
// shadows. Normals are computed here, from the positions that a frame consists of.

import { add, cross, lookAt, multiply, normalized, orthographic } from "./camera.js";
import * as shaders from "./shaders.js";

const shadowSize = 2048;

function compile(gl, vertexSource, fragmentSource) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertexSource], [gl.FRAGMENT_SHADER, fragmentSource]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  return program;
}

// Every edge once, as pairs of vertices.
function edgesOf(faces, vertices) {
  const seen = new Set();
  for (let f = 0; f < faces.length; f += 3)
    for (let k = 0; k < 3; ++k) {
      const a = faces[f + k], b = faces[f + (k + 1) % 3];
      seen.add(Math.min(a, b) * vertices + Math.max(a, b));
    }
  const edges = new Uint32Array(2 * seen.size);
  let next = 0;
  for (const edge of seen) {
    edges[next++] = Math.floor(edge / vertices);
    edges[next++] = edge % vertices;
  }
  return edges;
}

export class Stage {
  constructor(canvas, run) {
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser has no WebGL 2");
    this.canvas = canvas;
    this.gl = gl;
    this.run = run;
    this.wireframe = false;
    this.programs = {
      depth: compile(gl, shaders.depthVertex, shaders.depthFragment),
      mesh: compile(gl, shaders.vertex, shaders.fragment),
      floor: compile(gl, shaders.vertex, shaders.floorFragment),
      line: compile(gl, shaders.vertex, shaders.lineFragment),
      backdrop: compile(gl, shaders.backdropVertex, shaders.backdropFragment),
    };
    this.uniforms = new Map();
    this.empty = gl.createVertexArray();
    this.meshes = run.meshes.map((mesh) => this.makeMesh(mesh));
    this.floor = this.makeBuffers(new Uint32Array([0, 1, 2, 0, 2, 3]), 4);
    this.makeShadowMap();
    this.setBounds([-1, -1, -1], [1, 1, 1]);
  }

  makeBuffers(faces, vertices) {
    const gl = this.gl;
    const buffers = { array: gl.createVertexArray(), position: gl.createBuffer(), normal: gl.createBuffer(),
      index: gl.createBuffer(), count: faces.length, vertices };
    gl.bindVertexArray(buffers.array);
    for (const [location, buffer] of [[0, buffers.position], [1, buffers.normal]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 0, 0);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers.index);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return buffers;
  }

  makeMesh(mesh) {
    return { ...mesh, ...this.makeBuffers(mesh.faces, mesh.vertices), normals: new Float32Array(3 * mesh.vertices) };
  }

  makeShadowMap() {
    const gl = this.gl;
    this.shadowTexture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowTexture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, shadowSize, shadowSize);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
      gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
    this.shadowBuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowBuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowTexture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  // The box that everything happens in: it sets the lights' reach and the floor's size.
  setBounds(low, high) {
    this.center = low.map((value, axis) => (value + high[axis]) / 2);
    this.radius = Math.max(1e-6, 0.5 * Math.hypot(...low.map((value, axis) => high[axis] - value)));
    const zUp = this.run.manifest.up_axis === "Z";
    this.up = zUp ? [0, 0, 1] : [0, 1, 0];
    const right = [1, 0, 0], ahead = normalized(cross(this.up, right));
    const reach = 12 * this.radius, height = this.run.manifest.floor;
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([s, t]) => {
      const corner = add(add(this.center, right, s * reach), ahead, t * reach);
      corner[zUp ? 2 : 1] = height;
      return corner;
    });
    this.fill(this.floor, new Float32Array(corners.flat()), new Float32Array([...this.up, ...this.up, ...this.up, ...this.up]));
  }

  fill(buffers, positions, normals) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers.position);
    gl.bufferData(gl.ARRAY_BUFFER, positions, gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers.normal);
    gl.bufferData(gl.ARRAY_BUFFER, normals, gl.DYNAMIC_DRAW);
  }

  // Takes the positions of a frame.
  setFrame(positions) {
    this.positions = positions;
    for (const mesh of this.meshes) {
      const own = positions.subarray(3 * mesh.firstVertex, 3 * (mesh.firstVertex + mesh.vertices));
      this.computeNormals(mesh, own);
      this.fill(mesh, own, mesh.normals);
    }
  }

  // The ball around the cloth of the frame that is shown.
  ballOfFrame() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const mesh of this.meshes) {
      if (!mesh.cloth) continue;
      for (let i = 3 * mesh.firstVertex; i < 3 * (mesh.firstVertex + mesh.vertices); ++i) {
        low[i % 3] = Math.min(low[i % 3], this.positions[i]);
        high[i % 3] = Math.max(high[i % 3], this.positions[i]);
      }
    }
    const center = low.map((value, axis) => (value + high[axis]) / 2);
    const radius = 0.5 * Math.hypot(...low.map((value, axis) => high[axis] - value));
    return radius > 0 && Number.isFinite(radius) ? { center, radius } : this;
  }

  // Area-weighted sum of the faces' normals; the shader makes them unit.
  computeNormals(mesh, p) {
    const n = mesh.normals, faces = mesh.faces;
    n.fill(0);
    for (let f = 0; f < faces.length; f += 3) {
      const a = 3 * faces[f], b = 3 * faces[f + 1], c = 3 * faces[f + 2];
      const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
      const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
      const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
      n[a] += x; n[a + 1] += y; n[a + 2] += z;
      n[b] += x; n[b + 1] += y; n[b + 2] += z;
      n[c] += x; n[c + 1] += y; n[c + 2] += z;
    }
  }

  uniform(program, name) {
    const key = `${Object.values(this.programs).indexOf(program)}.${name}`;
    if (!this.uniforms.has(key)) this.uniforms.set(key, this.gl.getUniformLocation(program, name));
    return this.uniforms.get(key);
  }

  // Selects a program and sets what all programs of a pass share.
  use(program, matrices, vectors = {}) {
    const gl = this.gl;
    gl.useProgram(program);
    for (const [name, value] of Object.entries(matrices))
      gl.uniformMatrix4fv(this.uniform(program, name), false, value);
    for (const [name, value] of Object.entries(vectors)) gl.uniform3fv(this.uniform(program, name), value);
  }

  drawTriangles(buffers) {
    this.gl.bindVertexArray(buffers.array);
    this.gl.drawElements(this.gl.TRIANGLES, buffers.count, this.gl.UNSIGNED_INT, 0);
  }

  drawEdges(mesh) {
    const gl = this.gl;
    gl.bindVertexArray(mesh.array);
    if (!mesh.edges) {
      const edges = edgesOf(mesh.faces, mesh.vertices);
      mesh.edges = gl.createBuffer();
      mesh.edgeCount = edges.length;
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.edges);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, edges, gl.STATIC_DRAW);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.edges);
    gl.drawElements(gl.LINES, mesh.edgeCount, gl.UNSIGNED_INT, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.index);
  }

  draw(camera) {
    const gl = this.gl;
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }

    // The lights stand as in `taffeta render`, for a camera at the front.
    const right = camera.side, up = this.up, ahead = camera.front.map((value) => -value);
    const direction = (r, u, a) => normalized(add(add(right.map((v) => r * v), up, u), ahead, a));
    const key = direction(-0.75, 1.05, -0.75), rim = direction(0.75, 0.62, 0.85);
    const reach = 1.6 * this.radius;
    const lightMatrix = multiply(orthographic(reach, 0.1 * this.radius, 8 * this.radius),
      lookAt(add(this.center, key, 4 * this.radius), this.center, up));
    const viewMatrix = camera.matrix(width / height);

    gl.enable(gl.DEPTH_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowBuffer);
    gl.viewport(0, 0, shadowSize, shadowSize);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.use(this.programs.depth, { lightMatrix });
    for (const mesh of this.meshes) this.drawTriangles(mesh);

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.DEPTH_TEST);
    gl.useProgram(this.programs.backdrop);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.enable(gl.DEPTH_TEST);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowTexture);

    const mesh = this.programs.mesh;
    this.use(mesh, { viewMatrix, lightMatrix },
      { eye: camera.eye(), keyDirection: key, rimDirection: rim, up });
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    for (const drawn of this.meshes) {
      gl.uniform3fv(this.uniform(mesh, "color"), drawn.color);
      gl.uniform1f(this.uniform(mesh, "sheen"), drawn.cloth ? 1 : 0);
      this.drawTriangles(drawn);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);

    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    if (this.wireframe) {
      this.use(this.programs.line, { viewMatrix, lightMatrix });
      for (const drawn of this.meshes) if (drawn.cloth) this.drawEdges(drawn);
    }
    gl.depthMask(false);
    this.use(this.programs.floor, { viewMatrix, lightMatrix }, { center: this.center });
    gl.uniform1f(this.uniform(this.programs.floor, "radius"), this.radius);
    if (camera.eye()[up[2] ? 2 : 1] > this.run.manifest.floor) this.drawTriangles(this.floor);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }
}
