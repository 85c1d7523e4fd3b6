"""Sizes: lines of files, columns, entries of folders, pages of READMEs."""
import pathlib
import statistics

from checks.tree import SOURCE_SUFFIXES

MAX_FILE_LINES = 900
MAX_MEDIAN_LINES = 200
MAX_README_LINES = 60
MAX_ENTRIES = 25
MAX_COLUMNS = 100
# Found by name: no list.inc.
LISTS = {"device-runtime/llm/arch/families", "device-runtime/vm/lib/py", "device-runtime/vm/lib/desk"}


def check_sizes(root, files):
    lengths, entries = [], {}
    lists = {str(pathlib.Path(n).parent) for n in files if n.endswith("list.inc")}
    for name in files:
        parts = pathlib.Path(name).parts
        for depth in range(1, len(parts)):
            entries.setdefault("/".join(parts[:depth]), set()).add(parts[depth])
        path = root / name
        if path.suffix in SOURCE_SUFFIXES:
            lines = path.read_text(errors="replace").splitlines()
            if path.suffix == ".cc":
                lengths.append(len(lines))
            if len(lines) > MAX_FILE_LINES:
                yield f"{name}: {len(lines)} lines, at most {MAX_FILE_LINES}"
            for number, line in enumerate(lines, 1):
                if len(line) > MAX_COLUMNS and path.suffix != ".inc":
                    yield f"{name}:{number}: {len(line)} columns, at most {MAX_COLUMNS}"
        if path.name == "README.md" and len(parts) > 1:
            count = len(path.read_text().splitlines())
            if count > MAX_README_LINES:
                yield f"{name}: {count} lines, at most {MAX_README_LINES}"
    if lengths and statistics.median(lengths) > MAX_MEDIAN_LINES:
        yield f"median .cc file has {statistics.median(lengths)} lines, at most {MAX_MEDIAN_LINES}"
    for folder, names in sorted(entries.items()):
        is_list = folder in lists or "cases" in folder.split("/") or folder in LISTS
        if len(names) > MAX_ENTRIES and not is_list:
            yield f"{folder}: {len(names)} entries, at most {MAX_ENTRIES}"
