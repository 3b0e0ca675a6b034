"""Opens sheet.usda with OpenUSD's own library (`pip install usd-core`) and checks every frame.

    python read_with_usd.py FOLDER
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from sheet import FRAME_RATE, FRAMES, SIDE, TRIANGLES, check, largest_difference, require, sheet, skip

try:
    from pxr import Usd, UsdGeom
except ImportError as error:
    skip(f"OpenUSD's Python modules are not there ({error}); pip install usd-core")


def main(folder):
    stage = Usd.Stage.Open(str(folder / "sheet.usda"))
    require("start", stage.GetStartTimeCode(), 1.0)
    require("end", stage.GetEndTimeCode(), float(FRAMES))
    require("time codes per second", stage.GetTimeCodesPerSecond(), FRAME_RATE)
    require("metres per unit", UsdGeom.GetStageMetersPerUnit(stage), 1.0)
    require("up axis", UsdGeom.GetStageUpAxis(stage), "Y")
    mesh = UsdGeom.Mesh(stage.GetDefaultPrim().GetChild("sheet"))
    require("subdivision scheme", mesh.GetSubdivisionSchemeAttr().Get(), "none")
    require("double-sided", mesh.GetDoubleSidedAttr().Get(), True)
    valid, reason = UsdGeom.Mesh.ValidateTopology(
        mesh.GetFaceVertexIndicesAttr().Get(), mesh.GetFaceVertexCountsAttr().Get(), SIDE * SIDE)
    require(f"topology ({reason})", valid, True)
    require("triangles", len(mesh.GetFaceVertexCountsAttr().Get()), TRIANGLES)
    require("time samples", mesh.GetPointsAttr().GetTimeSamples(),
            [float(frame) for frame in range(1, FRAMES + 1)])

    worst = {"positions": 0.0, "velocities": 0.0, "extent": 0.0, "box of the stage": 0.0}
    for frame in range(1, FRAMES + 1):
        positions, velocities = sheet(frame)
        box = [tuple(f(p[axis] for p in positions) for axis in range(3)) for f in (min, max)]
        bounds = UsdGeom.BBoxCache(Usd.TimeCode(frame), ["default"]).ComputeWorldBound(
            stage.GetPseudoRoot()).ComputeAlignedRange()
        for what, found, expected in (
                ("positions", mesh.GetPointsAttr().Get(frame), positions),
                ("velocities", mesh.GetVelocitiesAttr().Get(frame), velocities),
                ("extent", mesh.GetExtentAttr().Get(frame), box),
                ("box of the stage", [bounds.GetMin(), bounds.GetMax()], box)):
            worst[what] = max(worst[what], largest_difference(found, expected))
    for what, error in worst.items():
        check(f"usd {'.'.join(map(str, Usd.GetVersion()))} {what}", error)

    still = mesh.GetPointsAttr().Get(Usd.TimeCode.Default())
    check("points outside of time", largest_difference(still, sheet(1)[0]))
    check_texture(UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st"), mesh)


def check_texture(st, mesh):
    require("st interpolation", st.GetInterpolation(), "faceVarying")
    corners = mesh.GetFaceVertexIndicesAttr().Get()
    expected = [(v % SIDE / (SIDE - 1), v // SIDE / (SIDE - 1)) for v in corners]
    check("st at the corners", largest_difference(st.ComputeFlattened(), expected))


main(pathlib.Path(sys.argv[1]))
