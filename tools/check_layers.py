#!/usr/bin/env python3
"""Fail with file:line when a layer includes something that lies above it."""

import pathlib
import re
import sys

# layer: the layers it may include (itself always)
LAYERS = {
    "base": [],
    "sparse": ["base"],
    "solve": ["base", "sparse"],
    "ode": ["base"],
    "mesh": ["base"],
    "io": ["base", "mesh"],
    "energy": ["base", "sparse", "mesh"],
    "contact": ["base", "sparse", "mesh", "energy"],
    "sim": ["base", "sparse", "solve", "ode", "mesh", "energy", "contact"],
    "scene": ["base", "sparse", "solve", "ode", "mesh", "io", "energy", "contact", "sim"],
}
# Headers that only these places may see: of the JSON reader, the command line, and so on.
HEAVY = {
    r"<rapidjson/": "src/taffeta/scene/",
    r"<CLI/": "apps/taffeta/",
    r"<lzma\.h>": "apps/taffeta/ccd_queries.cpp",
    r"<embree3/": "apps/taffeta/render/",
    r"<png\.h>": "apps/taffeta/render/",
    r"<metis\.h>": "src/taffeta/solve/direct/",
    r"<cholmod\.h>": "src/taffeta/solve/",
}
PRINTS = re.compile(r"\b(std::cout|std::cerr|printf\s*\(|fmt::print)")


def problems(root):
    for path in sorted((root / "src/taffeta").rglob("*")):
        if path.suffix not in {".h", ".cpp", ".inc"}:
            continue
        name = path.relative_to(root).as_posix()
        layer = path.relative_to(root / "src/taffeta").parts[0]
        if layer not in LAYERS:
            yield f"{name}:1: '{layer}' is no layer"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            include = re.match(r'\s*#include\s+["<]taffeta/(\w+)/', line)
            if include and include[1] != layer and include[1] not in LAYERS[layer]:
                yield f"{name}:{number}: layer '{layer}' may not include '{include[1]}'"
            if PRINTS.search(line.split("//")[0]):
                yield f"{name}:{number}: the library never prints"
    for folder in ("src", "apps"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".h", ".cpp"}:
                continue
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for pattern, home in HEAVY.items():
                    if re.search(r"#include\s*" + pattern, line) and not name.startswith(home):
                        yield f"{name}:{number}: {pattern} belongs into {home} only"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    found = list(problems(root))
    print("\n".join(found) if found else f"layers: {len(LAYERS)} layers, all includes point down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
