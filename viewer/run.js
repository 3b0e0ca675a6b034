// A recorded run as the server tells it: manifest.json names the meshes, mesh/ID holds their faces,
// frame/N the positions of all meshes one after the other (float32, little-endian).

const cacheBytes = 600e6;

async function fetched(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

export class Run {
  static async open() {
    const run = new Run();
    run.manifest = await (await fetched("manifest.json")).json();
    run.cache = new Map();  // frame -> Float32Array or the promise of one, oldest first
    run.vertices = 0;
    run.meshes = [];
    for (const entry of run.manifest.meshes) {
      const faces = new Uint32Array(await (await fetched(`mesh/${entry.id}`)).arrayBuffer());
      run.meshes.push({ ...entry, faces, firstVertex: run.vertices });
      run.vertices += entry.vertices;
    }
    return run;
  }

  get frames() { return this.manifest.frames; }
  get frameRate() { return this.manifest.frame_rate; }
  time(frame) { return (frame - 1) / this.frameRate; }

  // All positions of a frame. Frames stay in memory as far as they fit.
  async frame(number) {
    let positions = this.cache.get(number);
    if (!positions) {
      positions = fetched(`frame/${number}`).then(async (response) => {
        const read = new Float32Array(await response.arrayBuffer());
        if (read.length !== 3 * this.vertices)
          throw new Error(`frame ${number} has ${read.length / 3} vertices instead of ${this.vertices}`);
        return read;
      });
      positions.catch(() => this.cache.delete(number));
    } else {
      this.cache.delete(number);
    }
    this.cache.set(number, positions);
    const most = Math.max(2, Math.floor(cacheBytes / (12 * Math.max(1, this.vertices))));
    for (const old of this.cache.keys()) {
      if (this.cache.size <= most) break;
      this.cache.delete(old);
    }
    return positions;
  }

  // One object a step; lines that are not whole (a run that still writes) are left out.
  async stats() {
    const text = await (await fetched("stats.jsonl")).text();
    const records = [];
    for (const line of text.split("\n")) {
      try {
        if (line) records.push(JSON.parse(line));
      } catch { break; }
    }
    return records;
  }
}

// Numeric values of a record by dotted path: {"solver.iterations": 12, ...}.
export function flattened(record, prefix = "", into = {}) {
  for (const [key, value] of Object.entries(record)) {
    if (typeof value === "number") into[prefix + key] = value;
    else if (value && typeof value === "object") flattened(value, `${prefix}${key}.`, into);
  }
  return into;
}
