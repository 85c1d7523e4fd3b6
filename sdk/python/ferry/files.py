"""ferry.files: read(name) -> bytes, names() -> list, exists(name); here of the task's folder."""
import os
import pathlib
import sys

folder = None  # of the task, when it is known


def _folder():
    return pathlib.Path(folder or os.environ.get("FERRY_TASK") or pathlib.Path(sys.argv[0]).parent)


def names():
    top = _folder()
    found = (path.relative_to(top) for path in top.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in found if not any(part.startswith(".") for part in path.parts))


def exists(name):
    if not isinstance(name, str):
        raise TypeError(f"the name of a file must be a string, not {type(name).__name__}")
    return name in names()


def read(name):
    if not exists(name):
        raise LookupError(f'the task has no file "{name}"')
    return (_folder() / name).read_bytes()
