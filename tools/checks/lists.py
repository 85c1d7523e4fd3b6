"""List files against the folders that they list."""
import pathlib
import re


def snake(name):
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return name.lower()


def check_lists(root, files):
    """A list.inc with "// tidy: <glob> [except names...]" has one row, sorted, for each file that the glob finds."""
    for name in files:
        if not name.endswith("list.inc"):
            continue
        path = root / name
        rows, directive = [], None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r"[A-Z][A-Z0-9_]*\(\s*\"?([\w./]+)", line)
            if match:
                rows.append((number, match.group(1)))
            match = re.match(r"// tidy: (\S+)(?: except (.*))?$", line)
            if match and match.group(1) != "-":
                directive = match
        keys = [snake(row) for _, row in rows]
        for (number, row), before, key in zip(rows[1:], keys, keys[1:]):
            if key <= before:
                yield f"{name}:{number}: row '{row}' is out of order"
        if directive:
            excepted = set((directive.group(2) or "").split())
            stems = {p.stem for p in path.parent.glob(directive.group(1)) if not p.stem.endswith("_test")} - excepted
            stems = {p for p in stems if not p.startswith(".")}
            for stem in sorted(stems - set(keys)):
                yield f"{name}: no row for '{stem}', which {directive.group(1)} finds"
            for key in sorted(set(keys) - stems):
                yield f"{name}: row '{key}' has no file like {directive.group(1)}"
        elif rows and "// tidy: -" not in path.read_text():
            yield f"{name}: says nothing of its files; add '// tidy: <glob>' or '// tidy: -'"
