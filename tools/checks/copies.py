"""References of operators that repeat their kernels' code.

A reference is the truth of its operator's tests: lines that stand in the kernel too pass their mistakes.
"""
import pathlib
import re

MIN_LINES = 6
KERNELS = ("device-runtime/kernels/",)
REFERENCES = ("device-runtime/ops/defs/", "device-runtime/ops/shared/")
SUFFIXES = {".cc", ".h", ".inc"}
# Lines that say nothing of their own: without a letter or digit, comments, preprocessor lines, namespaces.
TRIVIAL = re.compile(r"\W*$|//|#|namespace\b|\W*// namespace\b|(public|private|protected):$")


def lines_of(path):
    """[(number, line)] of the lines that count, white space folded."""
    lines = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        line = " ".join(line.split())
        if not TRIVIAL.match(line):
            lines.append((number, line))
    return lines


def windows(lines):
    """The text of each run of MIN_LINES lines, in order."""
    return [tuple(text for _, text in lines[i:i + MIN_LINES]) for i in range(len(lines) - MIN_LINES + 1)]


def below(files, folders):
    return [n for n in files if n.startswith(folders) and pathlib.Path(n).suffix in SUFFIXES]


def check_copies(root, files):
    """Runs of MIN_LINES or more equal lines between kernels and references, each named once."""
    places = {}
    for name in below(files, KERNELS):
        lines = lines_of(root / name)
        for i, window in enumerate(windows(lines)):
            places.setdefault(window, f"{name}:{lines[i][0]}")
    for name in below(files, REFERENCES):
        lines = lines_of(root / name)
        first = None
        runs = windows(lines)
        for i, window in enumerate(runs + [None]):
            if window in places:
                first = i if first is None else first
            elif first is not None:
                count = i - first + MIN_LINES - 1
                yield f"{name}:{lines[first][0]}: {count} lines stand in {places[runs[first]]} too; write them anew"
                first = None
