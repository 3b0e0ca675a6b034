#!/usr/bin/env python3
"""Kill a run at random moments, resume it, and compare every byte with an unbroken run.

    kill_and_resume.py TAFFETA [--trials 50] [--seed 1] [--scene drooping] [--signal KILL|INT|mixed]

Each trial kills (or interrupts) the run several times before it lets it finish. Compared are all
frames and the hashes of the states in frames.jsonl; statistics are compared without the seconds.
"""

import argparse
import filecmp
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def command(arguments, directory, resume):
    flags = ["--resume"] if resume else []
    return [arguments.taffeta, "run", arguments.scene, "-o", str(directory), "--quiet",
            "--frames", str(arguments.frames), "--set", "output.checkpoint_every=1",
            "--set", 'output.formats=["ply","obj","pc2","mdd","usda","vtu"]',
            *(word for setting in arguments.set for word in ("--set", setting)), *flags]


def statistics(directory):
    lines = []
    for line in (directory / "stats.jsonl").read_text().splitlines():
        record = json.loads(line)
        del record["seconds"]
        lines.append(record)
    return lines


def differences(directory, reference):
    names = sorted(p.relative_to(reference) for p in (reference / "frames").rglob("*") if p.is_file())
    found = sorted(p.relative_to(directory) for p in (directory / "frames").rglob("*") if p.is_file())
    if names != found:
        yield f"files differ: {set(names) ^ set(found)}"
        return
    for name in names + [pathlib.Path("frames.jsonl")]:
        if not filecmp.cmp(directory / name, reference / name, shallow=False):
            yield f"{name} differs"
    if statistics(directory) != statistics(reference):
        yield "stats.jsonl differs"


def run_until_killed(arguments, directory, resume, seconds, how):
    process = subprocess.Popen(command(arguments, directory, resume), stderr=subprocess.PIPE)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(how)
    error = process.communicate()[1].decode()
    # Interrupted before it listens, it dies as any program does.
    if process.returncode not in (0, 130, -signal.SIGKILL, -signal.SIGINT):
        raise SystemExit(f"exit status {process.returncode}: {error}")
    return process.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("taffeta")
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scene", default="drooping")
    parser.add_argument("--set", action="append", default=[], help="key=value, as for the run")
    parser.add_argument("--frames", type=int, default=6)
    parser.add_argument("--signal", choices=["KILL", "INT", "mixed"], default="mixed")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)

    with tempfile.TemporaryDirectory() as folder:
        reference = pathlib.Path(folder) / "reference"
        start = time.monotonic()
        subprocess.run(command(arguments, reference, False), check=True)
        whole = time.monotonic() - start
        kills = 0
        for trial in range(arguments.trials):
            directory = pathlib.Path(folder) / "trial"
            shutil.rmtree(directory, ignore_errors=True)
            done, resume = False, False
            for _ in range(chance.randint(1, 3)):
                how = {"KILL": signal.SIGKILL, "INT": signal.SIGINT}.get(
                    arguments.signal, chance.choice([signal.SIGKILL, signal.SIGINT]))
                done = run_until_killed(arguments, directory, resume,
                                        chance.uniform(0.02, 0.9) * whole, how)
                kills += not done
                resume = (directory / "scene.json").exists()
                if done:
                    break
            if not done:
                if not resume:
                    shutil.rmtree(directory, ignore_errors=True)
                subprocess.run(command(arguments, directory, resume), check=True,
                               stderr=subprocess.DEVNULL)
            problems = list(differences(directory, reference))
            if problems:
                print(f"trial {trial} (seed {arguments.seed}): " + "; ".join(problems))
                return 1
        print(f"{arguments.trials} trials, {kills} kills: every byte as in the unbroken run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
