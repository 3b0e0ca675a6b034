#!/usr/bin/env python3
"""Run scenes from starts that differ by luck, and count intersections in every frame.

    jitter.py TAFFETA [SCENE ...] [--runs 20] [--vertices 2000] [--frames N] [--amplitude 1e-5]

Each run displaces every vertex at random; the audit (`taffeta check --intersections`) then tests all
stored frames. One intersection, or one run that does not end, fails all.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SCENES = ["drop-horizontal", "drop-vertical", "sphere", "table", "spin", "slope", "pinch", "curtain", "stack",
          "funnel", "reef-knot", "twist", "figure"]


def run_once(taffeta, scene_file, bodies, directory, seed, options):
    command = [taffeta, "run", str(scene_file), "-o", str(directory), "--quiet"]
    if options.frames:
        command += ["--frames", str(options.frames)]
    for body in range(bodies):
        jitter = json.dumps({"amplitude": options.amplitude, "seed": seed * 1000 + body})
        command += ["--set", f"bodies[{body}].initial.jitter={jitter}"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return f"did not end: {(run.stderr or run.stdout).strip().splitlines()[-1]}"
    audit_file = directory / "audit.json"
    subprocess.run([taffeta, "check", str(directory), "--intersections", "--json", str(audit_file)],
                   capture_output=True, text=True)
    audit = json.loads(audit_file.read_text())
    found = len(audit["intersections"])
    return f"{found} intersections" if found else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("taffeta")
    parser.add_argument("scenes", nargs="*", default=SCENES)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--vertices", type=int, default=2000)
    parser.add_argument("--frames", type=int, default=0)
    parser.add_argument("--amplitude", type=float, default=1e-5)
    options = parser.parse_args()
    failures = 0
    for scene in options.scenes or SCENES:
        with tempfile.TemporaryDirectory() as folder:
            scene_file = pathlib.Path(folder) / "scene.json"
            text = subprocess.run([options.taffeta, "scene", scene, "--vertices",
                                   str(options.vertices)], capture_output=True, text=True,
                                  check=True).stdout
            scene_file.write_text(text)
            bodies = sum(body.get("type", "cloth") == "cloth"
                         for body in json.loads(text)["bodies"])
            problems = []
            for seed in range(1, options.runs + 1):
                problem = run_once(options.taffeta, scene_file, bodies,
                                   pathlib.Path(folder) / str(seed), seed, options)
                if problem:
                    problems.append(f"  seed {seed}: {problem}")
            print(f"{scene}: {options.runs - len(problems)} of {options.runs} runs without an "
                  "intersection", flush=True)
            for problem in problems:
                print(problem)
            failures += len(problems)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
