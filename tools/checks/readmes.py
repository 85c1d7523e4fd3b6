"""Each room, or the folder above it, explains itself, in Markdown that no formatter of code has been at."""
import re

# What a formatter of C++ makes of Markdown: it joins a heading to its hashes and pushes lines far to the right.
JOINED = re.compile(r"#+[^\s#!]")
PUSHED = re.compile(r"\s{8,}(#+\s*\S|[*-] |\d+\. )")


def check_text(name, text):
    """Findings in one Markdown file; what stands between fences is not looked at."""
    lines = text.splitlines()
    if lines and not re.match(r"# \S", lines[0]):
        yield f"{name}:1: does not begin with a heading, '# name'"
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and number > 1 and JOINED.match(line):
            yield f"{name}:{number}: a heading needs a space behind its '#'"
        elif not fenced and PUSHED.match(line):
            yield f"{name}:{number}: a heading or an item far to the right, as formatters of code leave them"


def check_readmes(root, files, layers):
    known = set(files)
    for room in layers:
        if not (root / room).is_dir():
            continue
        parts = room.split("/")
        if not any("/".join(parts[:n]) + "/README.md" in known for n in range(len(parts), 0, -1)):
            yield f"{room}: neither it nor the folder above it has a README.md"
    for name in files:
        if name.endswith("/README.md") or name == "README.md":
            yield from check_text(name, (root / name).read_text(errors="replace"))
