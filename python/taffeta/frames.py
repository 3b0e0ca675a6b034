"""Frames as numpy arrays: PC2 caches and binary PLY meshes. Positions in m, shape (#V, 3)."""

from __future__ import annotations

import os
from typing import Iterator, Tuple

import numpy

_PLY_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}


def read_pc2(path) -> numpy.ndarray:
    """All frames of a PC2 cache as one read-only map of the file, shape (frames, #V, 3), float32."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        header = file.read(32)
    if len(header) < 32 or header[:12] != b"POINTCACHE2\0":
        raise ValueError(f"{path}: no PC2 file")
    vertices, = numpy.frombuffer(header, "<i4", 1, 16)
    frames, = numpy.frombuffer(header, "<i4", 1, 28)
    if vertices < 0 or frames < 0 or 32 + 12 * int(vertices) * int(frames) > size:
        raise ValueError(f"{path}: {frames} frames of {vertices} vertices do not fit into {size} bytes")
    if vertices == 0 or frames == 0:
        return numpy.empty((int(frames), int(vertices), 3), "<f4")
    shape = (int(frames), int(vertices), 3)
    return numpy.memmap(path, "<f4", mode="r", offset=32, shape=shape)


def _ply_header(file, path) -> Tuple[str, list]:
    """Byte order ('<', '>' or '' for text) and elements as (name, count, properties)."""
    if file.readline(16).strip() != b"ply":
        raise ValueError(f"{path}: no PLY file")
    order, elements = None, []
    for _ in range(1000):
        words = file.readline(4096).decode("ascii", "replace").split()
        if not words or words[0] in ("comment", "obj_info"):
            continue
        if words[0] == "format":
            order = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}.get(words[1])
        elif words[0] == "element":
            elements.append((words[1], int(words[2]), []))
        elif words[0] == "property" and elements:
            elements[-1][2].append(words[1:])
        elif words[0] == "end_header" and order is not None:
            return order, elements
    raise ValueError(f"{path}: its PLY header has no end")


def read_ply(path) -> numpy.ndarray:
    """Vertex positions of a PLY mesh, shape (#V, 3), float64. The vertices must be its first element."""
    with open(path, "rb") as file:
        order, elements = _ply_header(file, path)
        if not elements or elements[0][0] != "vertex":
            raise ValueError(f"{path}: the first element is not the vertices")
        _, count, properties = elements[0]
        names = [prop[-1] for prop in properties]
        if not {"x", "y", "z"} <= set(names) or any(prop[0] not in _PLY_TYPES for prop in properties):
            raise ValueError(f"{path}: the vertices have no x, y, z that can be read")
        if order:
            layout = numpy.dtype([(name, order + _PLY_TYPES[prop[0]])
                                  for name, prop in zip(names, properties)])
            rows = numpy.frombuffer(file.read(count * layout.itemsize), layout)
            columns = [rows[axis] for axis in "xyz"]
        else:
            rows = numpy.array([file.readline().split()[:len(names)] for _ in range(count)], float)
            rows = rows.reshape(count, len(names))
            columns = [rows[:, names.index(axis)] for axis in "xyz"]
    if len(rows) != count:
        raise ValueError(f"{path}: {count} vertices announced, {len(rows)} found")
    return numpy.stack([numpy.asarray(column, float) for column in columns], axis=1)


def ply_sequence(folder, body: str) -> Iterator[str]:
    """Paths of `<body>.0001.ply`, `<body>.0002.ply`, ... as far as they go."""
    number = 1
    while os.path.exists(path := os.path.join(folder, f"{body}.{number:04d}.ply")):
        yield path
        number += 1
