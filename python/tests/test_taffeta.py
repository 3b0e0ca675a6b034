"""Files are written here by hand, byte for byte, so that the readers are checked on their own."""

import json
import os
import struct
import sys

import pytest

numpy = pytest.importorskip("numpy")

import taffeta

POSITIONS = [[0.0, 0.5, -1.0], [1.0, 2.0, 3.0], [4.0, -5.5, 6.25]]


def write_pc2(path, frames):
    with open(path, "wb") as file:
        file.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, len(frames[0]), 1.0, 1.0, len(frames)))
        for frame in frames:
            for vertex in frame:
                file.write(struct.pack("<3f", *vertex))


def write_ply(path, positions, order="<", extra=True):
    name = {"<": "binary_little_endian", ">": "binary_big_endian"}[order]
    lines = ["ply", f"format {name} 1.0", "comment by hand", f"element vertex {len(positions)}",
             "property double x", "property double y", "property double z"]
    lines += ["property uchar tag"] if extra else []
    lines += ["element face 1", "property list uchar int vertex_indices", "end_header"]
    with open(path, "wb") as file:
        file.write(("\n".join(lines) + "\n").encode())
        for vertex in positions:
            file.write(struct.pack(order + "3d", *vertex) + (b"\7" if extra else b""))
        file.write(struct.pack(order + "B3i", 3, 0, 1, 2))


@pytest.fixture
def run_folder(tmp_path):
    (tmp_path / "frames").mkdir()
    scene = {"name": "by hand", "bodies": [{"name": "cloth"}]}
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    (tmp_path / "stats.jsonl").write_text('{"step": 1, "t": 0.1}\n{"step": 2, "t": 0.2}\n{"step": 3, "t"')
    return tmp_path


def test_pc2_is_read_frame_by_frame(tmp_path):
    moved = [[x + 1, y, z] for x, y, z in POSITIONS]
    write_pc2(tmp_path / "a.pc2", [POSITIONS, moved])

    frames = taffeta.read_pc2(tmp_path / "a.pc2")

    assert frames.shape == (2, 3, 3)
    assert frames[0].tolist() == POSITIONS
    assert frames[1].tolist() == moved


def test_pc2_that_promises_more_than_it_holds_is_refused(tmp_path):
    write_pc2(tmp_path / "a.pc2", [POSITIONS, POSITIONS])
    data = (tmp_path / "a.pc2").read_bytes()
    (tmp_path / "cut.pc2").write_bytes(data[:-1])
    (tmp_path / "other.pc2").write_bytes(b"OTHERCACHE\0\0" + data[12:])

    with pytest.raises(ValueError, match="do not fit"):
        taffeta.read_pc2(tmp_path / "cut.pc2")
    with pytest.raises(ValueError, match="no PC2"):
        taffeta.read_pc2(tmp_path / "other.pc2")


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("extra", [False, True])
def test_ply_positions_are_exact(tmp_path, order, extra):
    write_ply(tmp_path / "a.ply", POSITIONS, order, extra)

    assert taffeta.read_ply(tmp_path / "a.ply").tolist() == POSITIONS


def test_text_ply_is_read(tmp_path):
    text = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float z\nproperty float x\n" \
           "property float y\nend_header\n3 1 2\n6 4 5\n"
    (tmp_path / "a.ply").write_text(text)

    assert taffeta.read_ply(tmp_path / "a.ply").tolist() == [[1, 2, 3], [4, 5, 6]]


def test_cut_ply_is_refused(tmp_path):
    write_ply(tmp_path / "a.ply", POSITIONS)
    data = (tmp_path / "a.ply").read_bytes()
    (tmp_path / "a.ply").write_bytes(data[:data.index(b"end_header") + 40])

    with pytest.raises(ValueError):
        taffeta.read_ply(tmp_path / "a.ply")


def test_run_gives_scene_stats_and_frames(run_folder):
    for number in (1, 2):
        write_ply(run_folder / "frames" / f"cloth.{number:04d}.ply",
                  [[x * number, y, z] for x, y, z in POSITIONS])

    run = taffeta.read_run(run_folder)

    assert run.scene["name"] == "by hand"
    assert run.bodies == ["cloth"]
    assert [record["step"] for record in run.stats] == [1, 2]
    assert run.report == {}
    assert [frame[1].tolist() for frame in run.frames()] == [[1, 2, 3], [2, 2, 3]]


def test_run_prefers_the_cache(run_folder):
    write_ply(run_folder / "frames" / "cloth.0001.ply", POSITIONS)
    write_pc2(run_folder / "frames" / "cloth.pc2", [POSITIONS] * 5)

    assert len(list(taffeta.read_run(run_folder).frames("cloth"))) == 5


def test_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="scene.json"):
        taffeta.read_run(tmp_path)


@pytest.fixture
def recorded_words(tmp_path, monkeypatch):
    """A command that writes down its words and ends with the status in $STATUS."""
    script = tmp_path / "fake"
    script.write_text(f"#!{sys.executable}\nimport json, os, sys\n"
                      f"json.dump(sys.argv[1:], open({str(tmp_path / 'words')!r}, 'w'))\n"
                      "print('bad scene', file=sys.stderr)\n"
                      "sys.exit(int(os.environ.get('STATUS', '0')))\n")
    script.chmod(0o755)
    monkeypatch.setenv("TAFFETA_COMMAND", str(script))
    return lambda: json.loads((tmp_path / "words").read_text())


def test_run_passes_overrides_as_json(run_folder, recorded_words):
    taffeta.run("sphere", run_folder, frames=3, solver__tolerance=1e-8, output__formats=["pc2"])

    words = recorded_words()
    assert words[:2] == ["run", "sphere"]
    assert words[words.index("--frames") + 1] == "3"
    assert "solver.tolerance=1e-08" in words
    assert 'output.formats=["pc2"]' in words


def test_failure_carries_status_and_message(run_folder, recorded_words, monkeypatch):
    monkeypatch.setenv("STATUS", "2")

    with pytest.raises(taffeta.TaffetaError, match="bad scene") as caught:
        taffeta.run("sphere", run_folder)

    assert caught.value.status == 2


@pytest.mark.skipif("TAFFETA_COMMAND" not in os.environ, reason="TAFFETA_COMMAND is not set")
def test_the_real_command_runs_a_scene(tmp_path):
    run = taffeta.run("sphere", tmp_path / "run", frames=2, output__formats=["pc2", "ply"])

    from_cache = list(run.frames())
    assert len(from_cache) == 3
    assert all(numpy.isfinite(frame).all() for frame in from_cache)
    (tmp_path / "run" / "frames" / f"{run.bodies[0]}.pc2").unlink()
    for cached, exact in zip(from_cache, run.frames()):
        assert numpy.abs(cached - exact).max() < 1e-6
    assert run.stats
