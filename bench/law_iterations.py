#!/usr/bin/env python3
"""Iterations of multigrid and of block Jacobi for every law of sheets and of tets, on systems of `taffeta bench solvers`.

    python3 bench/law_iterations.py --csv law_iterations.csv
    python3 bench/law_iterations.py --arcsim denim.json --kinds sheets

Sheets: `drooping` and `pinned`, systems 11 and 12. Laws of an isotropic film have E t and nu such that their stretch at
rest is the 3000 N/m of the benchmark cotton; `baraff_witkin, isotropic` has their coupling and shear too, `--arcsim` adds
the law `measured` of a fabric's file and Baraff-Witkin's with its tangent. All have the cotton's mass and hinges.
Tets: the built-in beam with linear elements, 202,500 tets at 15 cells across, systems 2 to 4 of its steps of 1/480 s,
where it is hardly bent, and systems 13 to 15 of steps of 1/120 s, where its tip is down by its own width. Counted are the
most iterations of one system to 1e-5 in the norm of the preconditioner. About ten minutes.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

FILM = {"young": 9.1e6, "poisson": 0.3, "thickness": 3e-4}  # E t / (1 - nu^2) = 3000 N/m
STRETCH = {"stretch_warp": 3000, "stretch_weft": 3000}
SHEETS = {
    "baraff_witkin": {"type": "baraff_witkin", **STRETCH, "shear": 300},
    "baraff_witkin, isotropic": {"type": "baraff_witkin", **STRETCH, "stretch_coupling": 900, "shear": 1050},
    "stvk": {"type": "stvk", **FILM},
    "neo_hookean": {"type": "neo_hookean", **FILM},
}
TETS = ["linear", "corotational", "arap", "stvk", "neo_hookean", "neo_hookean_plain", "springs"]
SKIN = {"density": 0.15, "bending": {"type": "hinge", "stiffness": 1e-5}}


def sheets(arcsim):
    found = {name: {**SKIN, "membrane": membrane} for name, membrane in SHEETS.items()}
    for file in arcsim:
        name = pathlib.Path(file).stem
        found[f"measured, {name}"] = {"arcsim": file}
        found[f"baraff_witkin, {name}"] = {"arcsim": file, "membrane": "baraff_witkin"}
    return found


def solid(law):
    moduli = {"young": 1e7} if law == "springs" else {"young": 1e7, "poisson": 0.3}
    return {"density": 1000, "solid": {"type": law, **moduli}}


def count(taffeta, scene, vertices, skip, steps, overrides):
    """Rows of (solver, vertices, iterations); an exit with a message where a run fails."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "rows.csv"
        command = [taffeta, "bench", "solvers", "--scenes", scene, "--vertices", str(vertices), "--solvers", "sa,diag"]
        command += ["--peers", "none", "--repeats", "1", "--skip", str(skip), "--steps", str(steps)]
        for override in overrides:
            command += ["--set", override]
        run = subprocess.run(command + ["--csv", str(table)], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"{' '.join(command)}: {run.stderr.strip()}")
        with table.open(newline="", encoding="utf-8") as stream:
            return [(row["solver"], int(row["vertices"]), int(row["iterations"])) for row in csv.DictReader(stream)]


def systems(arguments):
    if "sheets" in arguments.kinds:
        for scene in ("drooping", "pinned"):
            for law, material in sheets(arguments.arcsim).items():
                cloth = ["bodies[0].material=cloth", f"materials.cloth={json.dumps(material)}"]
                yield scene, scene, law, arguments.vertices, 10, 2, cloth
    if "tets" in arguments.kinds:
        k = arguments.cells
        size = (20 * k + 1) * (2 * k + 1) ** 2  # the scene counts quadratic elements
        for name, substeps, skip in (("beam, straight", 20, 1), ("beam, bent", 5, 12)):
            for law in TETS:
                rubber = ["bodies[0].elements=linear", "integrator=linearised_backward_euler"]
                rubber += [f"time.substeps={substeps}", f"materials.rubber={json.dumps(solid(law))}"]
                yield name, "beam", law, size, skip, 3, rubber


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--taffeta", default="build/release/bin/taffeta")
    parser.add_argument("--kinds", nargs="+", choices=["sheets", "tets"], default=["sheets", "tets"])
    parser.add_argument("--vertices", type=int, default=10201, help="of the sheets")
    parser.add_argument("--cells", type=int, default=15, help="across the beam")
    parser.add_argument("--arcsim", nargs="*", default=[], help="fabrics in ARCSim's format")
    parser.add_argument("--csv", type=pathlib.Path)
    arguments = parser.parse_args()

    lines = ["scene,law,vertices,solver,iterations"]
    for name, scene, law, size, skip, steps, overrides in systems(arguments):
        for solver, vertices, iterations in count(arguments.taffeta, scene, size, skip, steps, overrides):
            lines.append(f'"{name}","{law}",{vertices},{solver},{iterations}')
            print(lines[-1], flush=True)
            if arguments.csv:  # after every row: an interrupt loses one
                arguments.csv.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
