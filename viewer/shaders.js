// GLSL of the two passes: depth as the key light sees it, then the picture.

export const depthVertex = `#version 300 es
layout(location = 0) in vec3 position;
uniform mat4 lightMatrix;
void main() { gl_Position = lightMatrix * vec4(position, 1.0); }`;

export const depthFragment = `#version 300 es
precision highp float;
void main() {}`;

export const vertex = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
uniform mat4 viewMatrix, lightMatrix;
out vec3 worldPosition, worldNormal;
out vec4 lightPosition;
void main() {
  worldPosition = position;
  worldNormal = normal;
  lightPosition = lightMatrix * vec4(position, 1.0);
  gl_Position = viewMatrix * vec4(position, 1.0);
}`;

const shadow = `
uniform highp sampler2DShadow shadowMap;
// Part of the key light that arrives: sixteen taps around the point.
float arriving(vec4 lightPosition, float bias) {
  vec3 at = 0.5 * lightPosition.xyz / lightPosition.w + 0.5;
  if (any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0)))) return 1.0;
  float texel = 1.6 / float(textureSize(shadowMap, 0).x);
  float sum = 0.0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      sum += texture(shadowMap, vec3(at.xy + texel * (vec2(i, j) - 1.5), at.z - bias));
  return sum / 16.0;
}`;

export const fragment = `#version 300 es
precision highp float;
in vec3 worldPosition, worldNormal;
in vec4 lightPosition;
uniform vec3 eye, color, keyDirection, rimDirection, up;
uniform float sheen;
out vec4 pixel;
${shadow}
vec3 toLinear(vec3 c) { return pow(c, vec3(2.2)); }
vec3 toDisplay(vec3 c) { return pow(c, vec3(1.0 / 2.2)); }
void main() {
  vec3 towardsEye = normalize(eye - worldPosition);
  vec3 n = normalize(worldNormal);
  float facing = dot(n, towardsEye);
  vec3 albedo = toLinear(color);
  if (facing < 0.0) { n = -n; albedo *= 0.8; }
  float key = max(0.0, dot(n, keyDirection));
  float rim = max(0.0, dot(n, rimDirection));
  float lit = key > 0.0 ? arriving(lightPosition, 0.0015 + 0.003 * (1.0 - key)) : 0.0;
  vec3 sky = mix(vec3(0.24, 0.24, 0.25), vec3(0.50, 0.53, 0.60), 0.5 + 0.5 * dot(n, up));
  vec3 light = lit * key * vec3(1.20, 1.11, 0.99) + 0.45 * rim * vec3(0.66, 0.68, 0.74) + sky;
  float edge = pow(1.0 - abs(facing), 3.0);
  vec3 seen = albedo * light + sheen * edge * (0.25 + 0.5 * lit * key) * mix(vec3(0.5), albedo, 0.5);
  pixel = vec4(toDisplay(min(seen, vec3(1.0))), 1.0);
}`;

export const floorFragment = `#version 300 es
precision highp float;
in vec3 worldPosition, worldNormal;
in vec4 lightPosition;
uniform vec3 center;
uniform float radius;
out vec4 pixel;
${shadow}
void main() {
  float far = length(worldPosition - center) / radius;
  float dark = (1.0 - arriving(lightPosition, 0.001)) * (1.0 - smoothstep(2.0, 5.0, far));
  pixel = vec4(0.16, 0.17, 0.19, 0.62 * dark);
}`;

export const lineFragment = `#version 300 es
precision highp float;
in vec3 worldPosition, worldNormal;
in vec4 lightPosition;
out vec4 pixel;
void main() { pixel = vec4(0.05, 0.06, 0.07, 0.55); }`;

export const backdropVertex = `#version 300 es
out vec2 film;
void main() {
  film = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(film, 0.0, 1.0);
}`;

export const backdropFragment = `#version 300 es
precision highp float;
in vec2 film;
out vec4 pixel;
void main() {
  float r = 0.55 * film.x * film.x + 0.75 * (film.y - 0.15) * (film.y - 0.15);
  pixel = vec4(pow(vec3(0.80, 0.80, 0.795) / pow(1.0 + 0.40 * r, 2.0), vec3(1.0 / 2.2)), 1.0);
}`;
