#!/usr/bin/env python3
"""Simulate garments that nobody here made: a skirt, a dress, a T-shirt over a torso.

    real_inputs.py TAFFETA DATA_FOLDER [--frames 48] [--keep FOLDER]

Exits 77 (skipped) when the data is absent. Checks that every frame is there and finite, that the
cloth does not stretch beyond reason, that the pins stay and that the T-shirt stays outside the torso.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77


def scenes(data):
    cotton = {"cotton": {"preset": "benchmark-cotton",
                         "membrane": {"tau_stretch": 0.002, "tau_shear": 0.002},
                         "bending": {"tau": 0.01}}}
    time = {"frame_rate": 24, "frames": 48, "substeps": 10}
    yield "skirt", {
        "name": "skirt", "time": time, "materials": cotton,
        "bodies": [{"name": "skirt", "mesh": {"file": str(data / "diffcloth/skirt3448.obj")},
                    "rest": {"from": "mesh"}, "material": "cotton",
                    "pins": [{"box": {"min": [-9, 1.14, -9]}}]}]}
    yield "dress", {
        "name": "dress", "time": time, "materials": cotton,
        "bodies": [{"name": "dress", "mesh": {"file": str(data / "diffcloth/dress-v7k-f14k.obj")},
                    "rest": {"from": "mesh"}, "material": "cotton", "transform": {"scale": 0.05},
                    "pins": [{"box": {"min": [-9, 3.05, -9]}}]}],
        # Seams of the published mesh cross at the start.
        "contact": {"type": "pipeline_2015", "start": "tolerate"}}
    yield "tshirt", {
        "name": "tshirt", "time": time, "materials": cotton, "up_axis": "Z",
        "bodies": [{"name": "tshirt", "mesh": {"file": str(data / "arcsim/meshes/tshirt.obj")},
                    "rest": {"from": "uv"}, "material": "cotton",
                    "pins": [{"box": {"min": [-9, -9, 0.33]}}]}],
        # The triangles are as large as the torso's radius, and obstacles see vertices only.
        "contact": {"type": "constraints_1998", "thickness": 0.012},
        "obstacles": [{"name": "torso", "friction": 0.3,
                       "shape": {"type": "capsule", "from": [0, 0, -0.3], "to": [0, 0, 0.15],
                                 "radius": 0.08}}]}


def read_pc2(path):
    data = path.read_bytes()
    magic, version, points, start, rate, frames = struct.unpack_from("<12siiffi", data)
    assert magic == b"POINTCACHE2\0" and version == 1
    values = struct.unpack_from(f"<{3 * points * frames}f", data, 32)
    return [[values[3 * (f * points + i):3 * (f * points + i) + 3] for i in range(points)]
            for f in range(frames)]


def check(name, scene, frames, wanted):
    assert len(frames) == wanted + 1, f"{len(frames)} frames, wanted {wanted + 1}"
    box = scene["bodies"][0]["pins"][0]["box"]["min"]
    first, last = frames[0], frames[-1]
    held = [i for i, x in enumerate(first) if all(x[k] >= box[k] for k in range(3))]
    assert held, "no vertex is held"
    for i in held:
        assert max(abs(a - b) for a, b in zip(first[i], last[i])) < 1e-5, f"pin {i} moved"
    size = max(max(x[k] for x in first) - min(x[k] for x in first) for k in range(3))
    for frame in frames:
        for x in frame:
            assert all(abs(value) < 10 for value in x), f"a vertex is at {x}"
    moved = max(max(abs(a - b) for a, b in zip(x, y)) for x, y in zip(first, last))
    assert moved < 2 * size, f"something moved {moved} m on a garment of {size} m"
    assert moved > 1e-4, "nothing moved"
    if name == "tshirt":
        for x in last:
            z = min(max(x[2], -0.3), 0.15)
            distance = (x[0] ** 2 + x[1] ** 2 + (x[2] - z) ** 2) ** 0.5 - 0.08
            assert distance > -1e-4, f"vertex {x} is {-distance} m inside the torso"
    return moved


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("taffeta")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=48)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        print(f"skipped: the optional inputs are not at {arguments.data}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        root = arguments.keep or pathlib.Path(folder)
        root.mkdir(parents=True, exist_ok=True)
        for name, scene in scenes(arguments.data.resolve()):
            (root / f"{name}.json").write_text(json.dumps(scene, indent=2))
            subprocess.run([arguments.taffeta, "run", str(root / f"{name}.json"), "-o",
                            str(root / name), "--allow-outside", "--quiet", "--overwrite", "--frames",
                            str(arguments.frames), "--set", 'output.formats=["pc2","ply"]'],
                           check=True)
            frames = read_pc2(root / name / "frames" / f"{name}.pc2")
            moved = check(name, scene, frames, arguments.frames)
            report = json.loads((root / name / "report.json").read_text())
            print(f"{name}: {report['vertices']:.0f} vertices, {report['steps']:.0f} steps in "
                  f"{report['this_process']['seconds']:.1f} s, moved {moved:.3f} m")
    return 0


if __name__ == "__main__":
    sys.exit(main())
