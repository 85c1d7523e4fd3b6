"""ferry.files: read(name) -> bytes, names() -> list, exists(name); here of the task's folder."""
from __future__ import annotations

import os
import pathlib
import sys

folder: pathlib.Path | str | None = None  # of the task, when `python3 -m ferry` has set it


def _folder() -> pathlib.Path:
    return pathlib.Path(folder or os.environ.get("FERRY_TASK") or pathlib.Path(sys.argv[0]).parent)


def names() -> list[str]:
    top = _folder()
    found = (path.relative_to(top) for path in top.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in found if not any(part.startswith(".") for part in path.parts))


def exists(name: str) -> bool:
    if not isinstance(name, str):
        raise TypeError(f"the name of a file must be a string, not {type(name).__name__}")
    return name in names()


def read(name: str) -> bytes:
    if not exists(name):
        raise LookupError(f'the task has no file "{name}"')
    return (_folder() / name).read_bytes()
