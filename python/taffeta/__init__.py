"""Run the Taffeta cloth simulator and read what it recorded.

    import taffeta

    run = taffeta.run("sphere", "out/sphere", frames=24)
    for x in run.frames():          # one array (#V, 3) per frame, in m
        print(x[:, 1].min())
    print(run.stats[-1]["solver"]["iterations"])

The simulator itself is the command `taffeta`; this package calls it and reads files.
"""

from .command import TaffetaError, command, run
from .frames import read_pc2, read_ply
from .recorded import Run, read_run

__all__ = ["Run", "TaffetaError", "command", "read_pc2", "read_ply", "read_run", "run"]
__version__ = "0.1.0"
