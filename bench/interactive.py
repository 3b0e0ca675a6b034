#!/usr/bin/env python3
"""Frames per second of the methods on springs, and how far they are from backward Euler.

    bench/interactive.py build/release/bin/taffeta --vertices 10201 --threads 2 --csv interactive.csv

Every run has the same springs and the same frames; only method and steps differ. Errors are root mean square
distances of the vertices in the last frame from converged backward Euler on these springs, each step solved to
--tolerance times the weight: with --reference steps a frame, and with as many steps as the run, which is
what projective dynamics converges to. Frames per second are those of the steps, without files and
start, by the median of --repeats runs in turns. Nothing but the Python library is needed.
"""

import argparse
import csv
import statistics
import sys

from adaptive import distance, run, write_scene

METHODS = [  # key, steps a frame, options
    ("xpbd", 1, {"substeps": 5}),
    ("xpbd", 1, {"substeps": 10}),
    ("xpbd", 1, {"substeps": 20}),
    ("xpbd", 1, {"substeps": 40}),
    ("pbd", 1, {"iterations": 10}),
    ("projective_dynamics", 1, {"iterations": 5}),
    ("projective_dynamics", 1, {"iterations": 10}),
    ("projective_dynamics", 1, {"iterations": 20}),
    ("projective_dynamics", 2, {"iterations": 10}),
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("taffeta", help="the command")
    parser.add_argument("--scene", default="springs", help="a built-in scene of springs")
    parser.add_argument("--vertices", type=int, default=10201)
    parser.add_argument("--frames", type=int, default=12)
    parser.add_argument("--reference", type=int, default=32, help="steps a frame")
    parser.add_argument("--tolerance", default="1e-6", help="of backward Euler")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", default="out/interactive", help="folder of the runs")
    parser.add_argument("--csv", help="file for the rows")
    return parser.parse_args()


def settings(key, steps, options):
    made = {"integrator.type": key, "time.step": 0, "time.substeps": steps, "contact": "none",
            "output.formats": '["pc2"]', "output.energies": "false",
            "output.checkpoint_every": 100000}
    return made | {f"integrator.{name}": value for name, value in options.items()}


def main():
    options = arguments()
    folder = write_scene(options)
    newton = {"newton.tolerance": options.tolerance, "newton.max_iterations": 100}
    exact = {steps: run(options, folder / f"reference{steps}",
                        settings("backward_euler", steps, {}) | newton)[1][-1]
             for steps in {options.reference} | {steps for _, steps, _ in METHODS}}

    results = {k: [] for k in range(len(METHODS))}
    for _ in range(options.repeats):
        for k, method in enumerate(METHODS):
            results[k].append(run(options, folder / f"run{k}", settings(*method)))
    rows = []
    for k, (key, steps, chosen) in enumerate(METHODS):
        report, frames = results[k][0]
        seconds = statistics.median(sum(r["this_process"]["seconds_by_phase"].values())
                                    for r, _ in results[k])
        rows.append({
            "scene": options.scene, "vertices": report["vertices"], "frames": options.frames,
            "threads": report["threads"], "method": key, "steps_per_frame": steps,
            "options": " ".join(f"{name}={value}" for name, value in chosen.items()),
            "frames_per_second": options.frames / seconds,
            "error_m": distance(frames[-1], exact[options.reference]),
            "error_same_steps_m": distance(frames[-1], exact[steps])})
        print("  ".join(f"{name}={v:.4g}" if isinstance(v, float) else f"{name}={v}"
                        for name, v in rows[-1].items() if name not in ("scene", "frames")))
        sys.stdout.flush()
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
