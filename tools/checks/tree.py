"""The tree that the checks look at: its files, and its rooms."""
import re
import subprocess

SOURCE_SUFFIXES = {".cc", ".h", ".hpp", ".c", ".inc"}


def read_layers(root):
    """({room: rooms it may include} of tools/layers.txt, in file order; the rooms with "*", every room above)."""
    layers, stars = {}, set()
    for line in (root / "tools/layers.txt").read_text().splitlines():
        match = re.match(r"([a-z][\w/-]*):(.*)$", line)
        if match:
            deps = match.group(2).split()
            if deps == ["*"]:
                stars.add(match.group(1))
                deps = list(layers)
            layers[match.group(1)] = deps
    return layers, stars


# Headers of released versions stay as they went out.
AS_RELEASED = "tests/sdk/released/"


def tracked_files(root):
    if (root / ".git").exists():
        out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root,
                             capture_output=True, text=True, check=True).stdout
        names = out.splitlines()
    else:
        names = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()]
    return sorted(n for n in names if (root / n).is_file() and not n.startswith(AS_RELEASED))


def room_of(name, rooms):
    """The innermost room that holds the file, or None."""
    at = name.rfind("/")
    while at > 0:
        if name[:at] in rooms:
            return name[:at]
        at = name.rfind("/", 0, at)
    return None
