#!/usr/bin/env python3
"""Writes the .out file beside each case named: what python3 prints for each of its programs.

usage: make.py CASE.py...

A case holds one program, or several divided by lines `#---- name`. A program that ends with an
exception gets its headline as a last line "raised: ...".
"""
import pathlib
import subprocess
import sys
import tempfile

DIVIDER = "#---- "


def sections(text):
    """[divider line or "", program] of each program."""
    found = []
    for line in text.splitlines(keepends=True):
        if line.startswith(DIVIDER):
            found.append([line, ""])
            continue
        if not found:
            found.append(["", ""])
        found[-1][1] += line
    return found


def output(program):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        path.write_bytes(program.encode())
        done = subprocess.run([sys.executable, "-E", "-s", path], capture_output=True)
    text = done.stdout.decode("utf-8", "surrogateescape")
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").rstrip("\n").split("\n")
        text += "raised: " + lines[-1] + "\n"
    if text and not text.endswith("\n"):
        sys.exit(f"an output must end with a line end:\n{text}")
    return text


def main():
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        parts = sections(path.read_bytes().decode())
        text = "".join(divider + output(program) for divider, program in parts)
        path.with_suffix(".out").write_bytes(text.encode("utf-8", "surrogateescape"))
        print(f"{path}: {len(parts)} programs")


if __name__ == "__main__":
    main()
