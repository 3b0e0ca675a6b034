#!/usr/bin/env python3
"""Fail when a source file is longer than the wall of 600 lines."""

import pathlib
import sys

WALL = 600
SUFFIXES = {".h", ".c", ".cpp", ".inc", ".py", ".js", ".sh", ".cmake"}


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    sizes = []
    for folder in ("src", "apps", "tests", "tools", "bench", "examples", "python", "viewer", "cmake"):
        for path in (root / folder).rglob("*"):
            if path.suffix in SUFFIXES and "node_modules" not in path.parts:
                sizes.append((len(path.read_text().splitlines()), path.relative_to(root).as_posix()))
    too_long = [f"{name}:{WALL}: {lines} lines, the wall is {WALL}" for lines, name in sizes if lines > WALL]
    print("\n".join(too_long) if too_long else f"sizes: {len(sizes)} files, longest {max(sizes)[0]} lines")
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
