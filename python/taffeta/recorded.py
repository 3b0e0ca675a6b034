"""A recorded run: the folder that `taffeta run` leaves."""

from __future__ import annotations

import json
import pathlib
from typing import Iterator, List, Optional

import numpy

from .frames import ply_sequence, read_pc2, read_ply


class Run:
    """What a run recorded. Files are read when they are asked for."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        if not (self.path / "scene.json").is_file():
            raise FileNotFoundError(f"{self.path}: no run (it has no scene.json)")

    def __repr__(self) -> str:
        return f"taffeta.Run({str(self.path)!r})"

    @property
    def scene(self) -> dict:
        """The scene, all defaults written out."""
        return json.loads((self.path / "scene.json").read_text(encoding="utf-8"))

    @property
    def report(self) -> dict:
        """The summary written at the end of the run; empty before."""
        file = self.path / "report.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}

    @property
    def stats(self) -> List[dict]:
        """One dict per step: times by phase, iterations, contacts, energies."""
        file = self.path / "stats.jsonl"
        if not file.is_file():
            return []
        records = []
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError:
                break  # a run that is still going writes its last line
        return records

    @property
    def bodies(self) -> List[str]:
        """Names of the pieces of cloth."""
        return [body["name"] for body in self.scene["bodies"]]

    def frames(self, body: Optional[str] = None) -> Iterator[numpy.ndarray]:
        """Positions frame by frame, shape (#V, 3), in m; the first is the initial state.

        `body` may be left out where there is one. Reads the PC2 cache when there is one, otherwise
        the PLY sequence.
        """
        if body is None:
            body, *others = self.bodies
            if others:
                raise ValueError(f"which body? {', '.join(self.bodies)}")
        folder = self.path / "frames"
        cache = folder / f"{body}.pc2"
        if cache.is_file():
            return iter(read_pc2(cache))
        paths = list(ply_sequence(folder, body))
        if not paths:
            raise FileNotFoundError(f"{folder}: no pc2 or ply frames of body {body!r}")
        return (read_ply(path) for path in paths)


def read_run(path) -> Run:
    """The run recorded in a folder."""
    return Run(path)
