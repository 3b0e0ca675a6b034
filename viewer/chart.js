// A line chart of one quantity of stats.jsonl over time, with a mark at the current time.

import { flattened } from "./run.js";

const margin = { left: 44, right: 6, top: 6, bottom: 16 };

// A number in few characters.
function short(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

export class Chart {
  constructor(panel, records, onSeek) {
    this.panel = panel;
    this.canvas = panel.querySelector("canvas");
    this.select = panel.querySelector("select");
    this.value = panel.querySelector("#chart-value");
    this.rows = records.map((record) => flattened(record));
    this.panel.hidden = this.rows.length === 0;
    this.now = 0;
    if (this.panel.hidden) return;

    const first = this.rows[0];
    for (const key of Object.keys(first)) {
      if (["step", "t", "h"].includes(key)) continue;
      const option = document.createElement("option");
      option.textContent = key;
      this.select.append(option);
    }
    if ("solver.iterations" in first) this.select.value = "solver.iterations";
    this.select.addEventListener("change", () => this.draw());
    this.canvas.addEventListener("pointerdown", (event) => {
      const width = this.canvas.clientWidth - margin.left - margin.right;
      onSeek((event.offsetX - margin.left) / width * this.lastTime());
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  lastTime() { return this.rows[this.rows.length - 1].t || 1; }

  seek(time) {
    this.now = time;
    if (!this.panel.hidden) this.draw();
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);

    const key = this.select.value;
    const values = this.rows.map((row) => row[key] ?? 0);
    let low = Math.min(0, ...this.extremes(values)), high = Math.max(...this.extremes(values));
    if (high === low) high = low + 1;
    const x = (t) => margin.left + t / this.lastTime() * (width - margin.left - margin.right);
    const y = (v) => height - margin.bottom - (v - low) / (high - low) * (height - margin.top - margin.bottom);

    context.fillStyle = "#6b7078";
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "right";
    context.fillText(short(high), margin.left - 4, margin.top + 8);
    context.fillText(short(low), margin.left - 4, height - margin.bottom);
    context.fillText(`${short(this.lastTime())} s`, width - margin.right, height - 4);
    context.strokeStyle = "#c5c8cd";
    context.strokeRect(margin.left, margin.top, width - margin.left - margin.right,
      height - margin.top - margin.bottom);

    context.strokeStyle = "#2f6f78";
    context.lineWidth = 1.2;
    context.beginPath();
    this.rows.forEach((row, i) => context.lineTo(x(row.t), y(values[i])));
    context.stroke();

    context.strokeStyle = "#b5482f";
    context.beginPath();
    context.moveTo(x(this.now), margin.top);
    context.lineTo(x(this.now), height - margin.bottom);
    context.stroke();
    this.value.textContent = `${short(this.valueAt(values))} at ${this.now.toFixed(3)} s`;
  }

  // Spread into Math.min these would overflow the stack for long runs.
  extremes(values) {
    return values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
  }

  // Of the last step that ended by now.
  valueAt(values) {
    let index = 0;
    while (index + 1 < this.rows.length && this.rows[index + 1].t <= this.now + 1e-9) ++index;
    return values[index];
  }
}
