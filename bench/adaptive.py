#!/usr/bin/env python3
"""Adaptive against fixed steps of the same method on a scene: error, force evaluations and seconds.

    bench/adaptive.py build/release/bin/taffeta --vertices 961 --csv adaptive.csv

Every run has the same scene, Newton's tolerance and solver; only the steps differ. The error is the
largest over the frames of the root mean square distance of the vertices from a run with `--reference`
fixed steps a frame. Seconds are those of the steps, without frames and start, the median of --repeats
runs, which are interleaved. Nothing but the Python library is needed.
"""

import argparse
import array
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("taffeta", help="the command")
    parser.add_argument("--scene", default="flag", help="a built-in scene")
    parser.add_argument("--vertices", type=int, default=961)
    parser.add_argument("--frames", type=int, default=12)
    parser.add_argument("--integrator", default="bdf2")
    parser.add_argument("--fixed", default="5,10,20,40,80", help="steps a frame")
    parser.add_argument("--tolerances", default="1e-2,3e-3,1e-3,3e-4,1e-4",
                        help="absolute, of places in m")
    parser.add_argument("--velocity", type=float, default=1e6,
                        help="tolerance of velocities over that of places, 1/s")
    parser.add_argument("--reference", type=int, default=320, help="steps a frame")
    parser.add_argument("--newton", default="1e-6", help="tolerance of Newton's method")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--out", default="out/adaptive", help="folder of the runs")
    parser.add_argument("--csv", help="file for the rows")
    return parser.parse_args()


def write_scene(options):
    """Writes the scene to `options.file`; the folder of the runs."""
    folder = pathlib.Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    options.file = folder / "scene.json"
    options.file.write_text(subprocess.run(
        [options.taffeta, "scene", options.scene, "--vertices", str(options.vertices)],
        check=True, capture_output=True, text=True).stdout)
    return folder


def run(options, folder, settings):
    """Runs the scene; its report and the positions of each frame."""
    command = [options.taffeta, "run", str(options.file), "-o", str(folder), "--overwrite",
               "--quiet", "--threads", str(options.threads), "--frames", str(options.frames)]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    report = json.loads((folder / "report.json").read_text())
    return report, frames_of(next(folder.rglob("*.pc2")))


def frames_of(file):
    """The frames of a PC2 file, each an array of coordinates."""
    data = file.read_bytes()
    header = array.array("i", data[16:20]), array.array("i", data[28:32])
    points, count = header[0][0], header[1][0]
    size = 12 * points
    return [array.array("f", data[32 + k * size: 32 + (k + 1) * size]) for k in range(count)]


def distance(a, b):
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)) / (len(a) / 3))


def main():
    options = arguments()
    folder = write_scene(options)
    common = {"integrator": options.integrator, "newton.tolerance": options.newton,
              "contact": "none", "output.formats": '["pc2"]', "output.energies": "false",
              "output.checkpoint_every": 100000}
    _, exact = run(options, folder / "reference",
                   common | {"time.substeps": options.reference})

    trials = [("fixed", n, {"time.substeps": n}) for n in options.fixed.split(",")]
    for tolerance in options.tolerances.split(","):
        trials.append(("adaptive", tolerance,
                       {"time.adaptive.relative_tolerance": 0,
                        "time.adaptive.absolute_position": tolerance,
                        "time.adaptive.absolute_velocity": options.velocity * float(tolerance)}))
    trials.append(("newton", "", {"time.adaptive.control": "newton"}))
    results = {k: [] for k in range(len(trials))}
    for _ in range(options.repeats):
        for k, (kind, value, settings) in enumerate(trials):
            results[k].append(run(options, folder / f"{kind}{value}", common | settings))

    rows = []
    for k, (kind, value, _) in enumerate(trials):
        report, frames = results[k][0]
        work = report["this_process"]
        rows.append({
            "scene": options.scene, "vertices": report["vertices"], "frames": options.frames,
            "integrator": options.integrator, "control": kind, "parameter": value,
            "error_m": max(distance(a, b) for a, b in zip(frames, exact)),
            "steps": work["steps"], "rejected": work.get("rejected_steps", 0),
            "failed": work.get("failed_steps", work["retried_steps"]),
            "force_evaluations": work["force_evaluations"],
            "newton_iterations": work["newton_iterations"],
            "linear_iterations": round(work["iterations_per_step"] * work["steps"]),
            "seconds": statistics.median(sum(r["this_process"]["seconds_by_phase"].values())
                                         for r, _ in results[k]),
            "threads": report["threads"]})
        print("  ".join(f"{key}={v:.4g}" if isinstance(v, float) else f"{key}={v}"
                        for key, v in rows[-1].items() if key not in ("scene", "integrator")))
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
