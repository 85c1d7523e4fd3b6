"""ferry.events: emit(stream, row) hands a dict to the task's streams (here: to the list `rows`); now_ms()."""
from __future__ import annotations

import json
import time
from typing import Any

rows: list[list[Any]] = []
sources: set[str] | None = None  # of the task's streams, when they are known


def emit(stream: str, row: dict[str, Any]) -> None:
    if not isinstance(stream, str):
        raise TypeError(f"the name of a stream must be a string, not {type(stream).__name__}")
    row = json.loads(json.dumps(row, allow_nan=False))
    if sources is not None and stream not in sources:
        raise LookupError(f'no stream of the task has the source "{stream}"')
    if not isinstance(row, dict):
        raise ValueError(f"a row is a dict, not {type(row).__name__}")
    rows.append([stream, row])


def now_ms() -> int:
    return time.time_ns() // 1_000_000
