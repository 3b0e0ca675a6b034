#!/usr/bin/env python3
"""Run scenes with 1, 2, 4 and 8 threads, twice with one, and compare the hash of every frame.

    threads.py TAFFETA [SCENE ...]
"""

import pathlib
import subprocess
import sys
import tempfile

SCENES = {"drooping": 3, "sphere": 4, "table": 2, "flag": 1}


def main():
    taffeta, scenes = sys.argv[1], sys.argv[2:] or list(SCENES)
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            hashes = {}
            for label, threads in [("1", 1), ("1 again", 1), ("2", 2), ("4", 4), ("8", 8)]:
                directory = pathlib.Path(folder) / f"{scene}-{label.replace(' ', '-')}"
                subprocess.run([taffeta, "run", scene, "-o", str(directory), "--quiet", "--threads",
                                str(threads), "--frames", str(SCENES.get(scene, 3))], check=True)
                hashes[label] = (directory / "frames.jsonl").read_text()
            same = len(set(hashes.values())) == 1
            print(f"{scene}: {'the same bits' if same else 'DIFFERENT BITS'} for threads "
                  + ", ".join(hashes))
            status |= not same
    return status


if __name__ == "__main__":
    sys.exit(main())
