"""Puts sheet.pc2 and sheet.mdd on a mesh in Blender and checks every frame; imports an OBJ frame.

    blender --background --factory-startup --python-exit-code 1 --python read_with_blender.py -- FOLDER
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from sheet import FRAME_RATE, FRAMES, SIDE, check, largest_difference, require, sheet

import bpy


def import_frame(file):
    """An OBJ frame as a Blender object: the importer turns the object, its points stay as filed."""
    bpy.ops.wm.obj_import(filepath=str(file))
    return bpy.context.selected_objects[0]


def points_at(thing, frame):
    bpy.context.scene.frame_set(frame)
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [tuple(vertex.co) for vertex in evaluated.to_mesh().vertices]


def check_cache(thing, file, kind):
    modifier = thing.modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format = kind
    modifier.filepath = str(file)
    modifier.frame_start = 1
    require(f"{kind}: default axes", (modifier.forward_axis, modifier.up_axis), ("POS_Y", "POS_Z"))
    worst = max(largest_difference(points_at(thing, frame), sheet(frame)[0])
                for frame in range(1, FRAMES + 1))
    moved = largest_difference(points_at(thing, FRAMES), points_at(thing, 1))
    thing.modifiers.remove(modifier)
    require(f"{kind}: moves", moved > 0.1, True)
    check(f"blender {bpy.app.version_string} {kind}", worst)


def main(folder):
    bpy.context.scene.render.fps = int(FRAME_RATE)
    thing = import_frame(folder / "sheet.0001.obj")
    require("vertices of the OBJ frame", len(thing.data.vertices), SIDE * SIDE)
    check("blender OBJ, frame 1", largest_difference(points_at(thing, 1), sheet(1)[0]))
    check_cache(thing, folder / "sheet.pc2", "PC2")
    check_cache(thing, folder / "sheet.mdd", "MDD")


main(pathlib.Path(sys.argv[sys.argv.index("--") + 1]))
