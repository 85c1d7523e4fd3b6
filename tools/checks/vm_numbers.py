"""The word `aux` of the task VM's objects holds kinds and flags: they have names, in exec/layout.h, and nothing else
compares or sets it as a number."""
import re

ROOM = "device-runtime/vm/"
LAYOUTS = "device-runtime/vm/exec/layout.h"
NUMBER = re.compile(r"\baux\s*(?:[=!<>]=|[=<>]|[|&^]=?)\s*(?:-?\d|'|true\b|false\b)")
MADE = re.compile(r"\bNew(?:View|Descriptor|Alias)\(\s*\d")


def check_vm_numbers(root, files):
    """Yields one line for each place outside of the layouts that compares aux with a number, sets it to one, or makes
    a view, descriptor or alias of a kind given as a number."""
    for name in files:
        if not name.startswith(ROOM) or not name.endswith((".cc", ".h", ".inc")):
            continue
        if name == LAYOUTS or name.endswith("_test.cc"):
            continue
        for number, line in enumerate((root / name).read_text(errors="replace").splitlines(), 1):
            code = line.split("//")[0]
            if NUMBER.search(code) or MADE.search(code):
                yield f"{name}:{number}: a number where {LAYOUTS} has a name: {code.strip()}"
