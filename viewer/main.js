// Wires the page: loads the run, plays it, listens to buttons and keys.

import { OrbitCamera } from "./camera.js";
import { Chart } from "./chart.js";
import { Run } from "./run.js";
import { Stage } from "./stage.js";

const element = (id) => document.getElementById(id);

// textContent only: names come from files that strangers may have written.
function say(error) { element("message").textContent = error ? String(error.message || error) : ""; }

class Player {
  constructor(run, stage, camera, chart) {
    Object.assign(this, { run, stage, camera, chart });
    this.frame = 1;
    this.playing = false;
    this.loading = false;
    this.dirty = true;
    element("scrub").max = run.frames;
  }

  async show(frame) {
    this.frame = Math.min(this.run.frames, Math.max(1, Math.round(frame)));
    element("scrub").value = this.frame;
    element("time").textContent =
      `${this.run.time(this.frame).toFixed(3)} s · frame ${this.frame} of ${this.run.frames}`;
    this.chart.seek(this.run.time(this.frame));
    const wanted = this.frame;
    this.loading = true;
    try {
      const positions = await this.run.frame(wanted);
      // Scrubbing may have moved on meanwhile.
      if (wanted !== this.frame) return;
      this.stage.setFrame(positions);
      this.dirty = true;
      say();
    } catch (error) {
      this.pause();
      say(error);
    } finally {
      if (wanted === this.frame) this.loading = false;
    }
    // The next ones come while this one is looked at.
    for (let ahead = 1; ahead <= 3; ++ahead)
      if (wanted + ahead <= this.run.frames) this.run.frame(wanted + ahead).catch(() => {});
  }

  play() {
    if (this.frame === this.run.frames) this.show(1);
    this.playing = true;
    this.due = performance.now() + 1000 / this.run.frameRate;
    element("play").textContent = "Pause";
  }

  pause() {
    this.playing = false;
    element("play").textContent = "Play";
  }

  toggle() { this.playing ? this.pause() : this.play(); }

  step(frames) {
    this.pause();
    this.show(this.frame + frames);
  }

  toggleWireframe() {
    this.stage.wireframe = !this.stage.wireframe;
    element("wireframe").checked = this.stage.wireframe;
    this.dirty = true;
  }

  fit() {
    const ball = this.stage.ballOfFrame();
    this.camera.fit(ball.center, ball.radius);
    this.dirty = true;
  }

  // Called before every repaint of the page: advances when it is time, draws when needed.
  tick(now) {
    if (this.playing && !this.loading && now >= this.due) {
      // Late frames are shown late, not left out: every frame of the run is seen.
      this.due = Math.max(this.due, now - 100) + 1000 / this.run.frameRate;
      if (this.frame < this.run.frames) this.show(this.frame + 1);
      else if (element("loop").checked) this.show(1);
      else this.pause();
    }
    if (this.dirty) {
      this.dirty = false;
      this.stage.draw(this.camera);
    }
    requestAnimationFrame((next) => this.tick(next));
  }
}

function listen(player) {
  element("play").addEventListener("click", () => player.toggle());
  element("scrub").addEventListener("input", (event) => {
    player.pause();
    player.show(Number(event.target.value));
  });
  element("wireframe").addEventListener("change", () => player.toggleWireframe());
  element("reset").addEventListener("click", () => player.fit());
  const keys = {
    " ": () => player.toggle(),
    ArrowRight: () => player.step(1),
    ArrowLeft: () => player.step(-1),
    Home: () => player.step(-player.run.frames),
    End: () => player.step(player.run.frames),
    w: () => player.toggleWireframe(),
    f: () => player.fit(),
  };
  window.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.target.tagName === "SELECT") return;
    event.preventDefault();
    keys[event.key]();
  });
  new ResizeObserver(() => { player.dirty = true; }).observe(element("stage"));
}

async function start() {
  const run = await Run.open();
  const manifest = run.manifest;
  document.title = `${manifest.name} · Taffeta`;
  element("title").textContent = manifest.name;
  const cloth = run.meshes.filter((mesh) => mesh.cloth);
  const vertices = cloth.reduce((sum, mesh) => sum + mesh.vertices, 0);
  element("about").textContent =
    `${vertices.toLocaleString("en")} vertices · ${run.frames} frames at ${run.frameRate} per second`;

  let player;
  const camera = new OrbitCamera(element("stage"), manifest.up_axis === "Z", () => { player.dirty = true; });
  const stage = new Stage(element("stage"), run);
  stage.setBounds(manifest.low, manifest.high);
  const chart = new Chart(element("chart-panel"), await run.stats(),
    (time) => player.step(1 + Math.round(time * run.frameRate) - player.frame));
  player = new Player(run, stage, camera, chart);
  listen(player);
  // #frame=12 opens at a frame, #play plays.
  const asked = new URLSearchParams(location.hash.slice(1));
  await player.show(Number(asked.get("frame")) || 1);
  player.fit();
  requestAnimationFrame((now) => player.tick(now));
  if (asked.has("play")) player.play();
}

start().catch(say);
