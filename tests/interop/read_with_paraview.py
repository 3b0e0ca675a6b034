"""Opens sheet.pvd with ParaView and checks times, positions and velocities of every frame.

    pvpython read_with_paraview.py FOLDER
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from sheet import FRAME_RATE, FRAMES, SIDE, TRIANGLES, check, largest_difference, require, sheet

from paraview import servermanager, simple


def main(folder):
    reader = simple.PVDReader(FileName=str(folder / "sheet.pvd"))
    times = list(reader.TimestepValues)
    require("number of times", len(times), FRAMES)
    worst = {"times": 0.0, "positions": 0.0, "velocities": 0.0}
    for frame, time in enumerate(times, 1):
        reader.UpdatePipeline(time)
        data = servermanager.Fetch(reader)
        while data.IsA("vtkMultiBlockDataSet"):
            data = data.GetBlock(0)
        require("points", data.GetNumberOfPoints(), SIDE * SIDE)
        require("cells", data.GetNumberOfCells(), TRIANGLES)
        require("type of the first cell (5: triangle)", data.GetCellType(0), 5)
        require("corners of the first cell", data.GetCell(0).GetNumberOfPoints(), 3)
        velocity = data.GetPointData().GetArray("velocity")
        value = data.GetFieldData().GetArray("TimeValue").GetValue(0)
        positions, velocities = sheet(frame)
        found = [data.GetPoint(i) for i in range(SIDE * SIDE)]
        found_velocities = [velocity.GetTuple3(i) for i in range(SIDE * SIDE)]
        seconds = (frame - 1) / FRAME_RATE
        worst["times"] = max(worst["times"], abs(time - seconds), abs(value - seconds))
        worst["positions"] = max(worst["positions"], largest_difference(found, positions))
        worst["velocities"] = max(worst["velocities"],
                                  largest_difference(found_velocities, velocities))
    version = simple.GetParaViewVersion()
    for what, error in worst.items():
        check(f"paraview {version} {what}", error, 0.0 if what == "times" else 1.3e-7)


main(pathlib.Path(sys.argv[1]))
