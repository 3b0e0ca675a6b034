"""The motion that write_samples.cpp records, and the comparison every reader ends with."""

import math
import sys

SIDE = 9
FRAMES = 12
FRAME_RATE = 24.0
TRIANGLES = 2 * (SIDE - 1) ** 2
# A float32 has 24 bits: values up to 1.3 (the speeds reach 4 pi / 10 + 0.1) are rounded by at most
# 6e-8; twice that for a reader that computes with them once more.
TOLERANCE = 1.3e-7
SKIP = 77


def sheet(frame):
    """Positions and velocities of frame 1, 2, ... as lists of triples."""
    time = (frame - 1) / FRAME_RATE
    positions, velocities = [], []
    for vertex in range(SIDE * SIDE):
        u, w = vertex % SIDE / (SIDE - 1), vertex // SIDE / (SIDE - 1)
        phase = 2 * math.pi * (u + time)
        positions.append((u, w, 0.2 * math.sin(phase) + 0.1 * w * time))
        velocities.append((0.0, 0.0, 0.4 * math.pi * math.cos(phase) + 0.1 * w))
    return positions, velocities


def largest_difference(found, expected):
    if len(found) != len(expected):
        fail(f"{len(found)} vertices, expected {len(expected)}")
    return max(abs(a - b) for p, q in zip(found, expected) for a, b in zip(p, q))


def check(what, error, tolerance=TOLERANCE):
    """Prints the measured error; ends the program when it is too large."""
    print(f"{what}: largest error {error:.3g} (allowed {tolerance:.3g})")
    if not error <= tolerance:
        fail(f"{what}: {error:.3g} is more than single precision explains")


def require(what, found, expected):
    if found != expected:
        fail(f"{what}: found {found!r}, expected {expected!r}")


def fail(message):
    print(f"FAILED: {message}")
    sys.stdout.flush()
    sys.exit(1)


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.stdout.flush()
    sys.exit(SKIP)
