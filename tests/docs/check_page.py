#!/usr/bin/env python3
"""Check a page of documentation: its code is in the files it names, its commands print what it shows.

  check_page.py PAGE ROOT BIN

A fenced block after `<!-- lines of FILE -->` must be consecutive lines of ROOT/FILE, whatever their
common indentation. Commands are run by a program of the folder BIN in an empty folder that all of the
page share. Each line of a ```commands block must succeed. In a ```console block, what follows a line
`$ words` must be what it prints. Words must agree; numbers may differ by a fifth or two (another compiler
may need another iteration), sizes of residuals (with an exponent) by a factor of ten, and times (before
" s") and thread counts freely.
"""

import math
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap

BLOCK = re.compile(r"(?:<!-- lines of (\S+) -->\n)?```(\w+)\n(.*?)```", re.S)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
FREE = re.compile(NUMBER.pattern + r"(?= s\b| threads\b)")


def near(expected, found):
    a, b = float(expected), float(found)
    if "e" in expected + found:
        return a == b or (a > 0 and b > 0 and abs(math.log10(a / b)) <= 1)
    return abs(a - b) <= max(abs(a) / 5, 2 if "." not in expected else 0)


def differences(expected, found):
    """A sentence for each line of a command's output that is not as the page shows it."""
    shown, printed = expected.rstrip().splitlines(), found.rstrip().splitlines()
    if len(shown) != len(printed):
        yield f"{len(shown)} lines on the page, {len(printed)} printed:\n{found}"
        return
    for a, b in zip(shown, printed):
        fixed_a, fixed_b = FREE.sub("~", a), FREE.sub("~", b)
        words = [" ".join(NUMBER.sub("#", line).split()) for line in (fixed_a, fixed_b)]
        numbers = list(zip(NUMBER.findall(fixed_a), NUMBER.findall(fixed_b)))
        if words[0] != words[1] or not all(near(x, y) for x, y in numbers):
            yield f"page:    {a}\nprinted: {b}"


def check_lines(root, name, code):
    text = (root / name).read_text().splitlines()
    wanted = code.rstrip().splitlines()
    for start in range(len(text) - len(wanted) + 1):
        window = textwrap.dedent("\n".join(text[start : start + len(wanted)]))
        if window.splitlines() == textwrap.dedent("\n".join(wanted)).splitlines():
            return
    yield f"not lines of {name}:\n{code}"


def run_command(bin_folder, folder, command):
    program, *words = shlex.split(command)
    return subprocess.run([bin_folder / program, *words], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def check_commands(bin_folder, folder, text):
    for command in text.replace("\\\n", " ").splitlines():
        run = run_command(bin_folder, folder, command)
        if run.returncode != 0:
            yield f"{command}: exit status {run.returncode}\n{run.stdout}"


def check_console(bin_folder, folder, text):
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
        run = run_command(bin_folder, folder, command)
        if run.returncode != 0:
            yield f"{command}: exit status {run.returncode}\n{run.stdout}"
            continue
        for difference in differences(output, run.stdout):
            yield f"{command}:\n{difference}"


def main():
    page, root, bin_folder = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    found, files, commands = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, language, text in BLOCK.findall(page.read_text()):
            if name:
                files += 1
                found += check_lines(root, name, text)
            elif language == "console":
                commands += 1
                found += check_console(bin_folder, folder, text)
            elif language == "commands":
                commands += 1
                found += check_commands(bin_folder, folder, text)
            else:
                found.append(f"a block that no test looks at:\n{text}")
    if files + commands == 0:
        found.append("no blocks found: is this the page?")
    print("\n\n".join(found) if found else f"{page.name}: {files} pieces of code, {commands} commands")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
