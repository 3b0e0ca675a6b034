"""Calling the command."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from .recorded import Run, read_run


class TaffetaError(RuntimeError):
    """The command did not succeed: `status` is its exit status, the message what it printed.

    1: the numerics failed; 2: bad input; 3: input or output; 130: interrupted.
    """

    def __init__(self, status: int, message: str):
        super().__init__(message.strip() or f"taffeta ended with status {status}")
        self.status = status


def command() -> str:
    """Path of the command: $TAFFETA_COMMAND, or `taffeta` on PATH."""
    named = os.environ.get("TAFFETA_COMMAND")
    found = named or shutil.which("taffeta")
    if not found:
        raise FileNotFoundError("no command `taffeta` on PATH; set TAFFETA_COMMAND to where it is")
    return found


def _assignment(key: str, value) -> str:
    """`key=value` for --set; `solver__tolerance` stands for `solver.tolerance`."""
    return f"{key.replace('__', '.')}={json.dumps(value)}"


def run(scene, out, *, frames=None, threads=None, resume=False, overwrite=False, **overrides) -> Run:
    """Simulate a scene and return the recorded run.

    `scene`: a path, the name of a built-in scene, or a dict with the scene itself. `out`: the
    folder of the run. `overrides`: scene values by key path, with `__` for the point
    (`solver__tolerance=1e-8`, `time__substeps=4`). Raises `TaffetaError` where the command fails.
    """
    words = [command(), "run"]
    # The dict's file stays until the command has read it.
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(scene, dict):
            file = pathlib.Path(folder) / f"{scene.get('name') or 'scene'}.json"
            file.write_text(json.dumps(scene), encoding="utf-8")
            scene = file
        words += [os.fspath(scene), "--output", os.fspath(out), "--quiet"]
        if frames is not None:
            words += ["--frames", str(frames)]
        if threads is not None:
            words += ["--threads", str(threads)]
        if resume:
            words.append("--resume")
        if overwrite:
            words.append("--overwrite")
        for key, value in overrides.items():
            words += ["--set", _assignment(key, value)]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise TaffetaError(done.returncode, done.stderr)
    return read_run(out)
