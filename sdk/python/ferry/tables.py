"""ferry.tables: get, put, delete and range of the tables that the task declares; here in memory.

`folder` is the task's; tables begin with the rows that it brings ("rows")."""
from __future__ import annotations

import csv
import json
import math
import os
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

folder: pathlib.Path | str | None = None  # of the task, when `python3 -m ferry` has set it
MAX_ROW_BYTES = 64 << 10
MAX_KEY_BYTES = 1024
MAX_RANGE_ROWS = 10_000

_TYPES = {
    "int": lambda v: isinstance(v, int) and not isinstance(v, bool) and -(1 << 63) <= v < 1 << 63,
    "float": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v),
    "text": lambda v: isinstance(v, str),
    "bool": lambda v: isinstance(v, bool),
    "json": lambda v: True,
}


class _Table:
    def __init__(self, definition):
        self.name = definition["name"]
        self.columns = definition["columns"]
        self.key = definition["key"]
        self.rows = {}  # JSON texts by key
        self.before = {}

    def encode(self, values):
        """The key's values in an order that is the device's."""
        if len(values) > len(self.key):
            raise ValueError(f"table {self.name}: {len(values)} values for a key of {len(self.key)}")
        out = []
        for name, value in zip(self.key, values):
            self.check(name, value)
            out.append(value.encode() if self.columns[name] == "text" else value)
        if sum(len(part) + 2 if isinstance(part, bytes) else 8 for part in out) > MAX_KEY_BYTES:
            raise RuntimeError(f"table {self.name}: a key above {MAX_KEY_BYTES} bytes")
        return tuple(out)

    def whole_key(self, values):
        if len(values) != len(self.key):
            raise ValueError(f"table {self.name}: {len(values)} values for a key of {len(self.key)}")
        return self.encode(values)

    def check(self, name, value):
        kind = self.columns[name]
        if not _TYPES[kind](value) and (value is not None or name in self.key):
            raise ValueError(f"table {self.name}, column {name}: {kind} is expected, not {type(value).__name__}")

    def put(self, row):
        row = _plain(row)
        if not isinstance(row, dict):
            raise ValueError(f"table {self.name}: a row is a JSON object")
        for name, value in row.items():
            if name not in self.columns:
                raise ValueError(f"table {self.name} has no column {name}")
            self.check(name, value)
        for name in self.key:
            if name not in row:
                raise ValueError(f"table {self.name}, column {name}: of the key, but missing")
        whole = {}
        for name, kind in sorted(self.columns.items()):
            value = row.get(name)
            whole[name] = float(value) if kind == "float" and value is not None else value
        key = self.whole_key([row[name] for name in self.key])
        text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
        if len(text.encode()) > MAX_ROW_BYTES:
            raise RuntimeError(f"table {self.name}: a row of {len(text.encode())} bytes, the limit is {MAX_ROW_BYTES}")
        self.rows[key] = text


_tables = None


def _plain(value):
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except TypeError as error:
        raise ValueError(str(error)) from None


def _all():
    global _tables
    if _tables is None:
        top = pathlib.Path(folder or os.environ.get("FERRY_TASK") or pathlib.Path(sys.argv[0]).parent)
        path = top / "task.json"
        definitions = json.loads(path.read_text()).get("tables", []) if path.exists() else []
        declare(definitions, top)
    return _tables


def declare(definitions, top):
    """Begins anew with these tables, in the form of task.json; their files of rows lie under `top`."""
    global _tables
    _tables = {}
    for definition in definitions:
        table = _tables[definition["name"]] = _Table(definition)
        if "rows" in definition:
            for row in _rows_of(table, pathlib.Path(top) / definition["rows"]):
                table.put(row)
    keep()


def _rows_of(table, path):
    """JSON lines, or CSV with the columns' names in its first line; an empty field is None."""
    with open(path, encoding="utf-8", newline="") as file:
        if path.suffix != ".csv":
            yield from (json.loads(line) for line in file if line.strip())
            return
        for row in csv.DictReader(file):
            yield {name: _field(table.columns[name], text) for name, text in row.items()}


def _field(kind, text):
    if text == "":
        return None
    return text if kind == "text" else json.loads(text)


def keep():
    """A run ended well: its changes stay."""
    for table in _all().values():
        table.before = dict(table.rows)


def forget():
    """A run failed: its changes go."""
    for table in _all().values():
        table.rows = dict(table.before)


def _find(name):
    if not isinstance(name, str):
        raise TypeError(f"the name of a table must be a string, not {type(name).__name__}")
    if name not in _all():
        raise LookupError(f"no table {name}")
    return _all()[name]


def _key(values):
    if not values:
        raise TypeError("a table and the values of a key are expected")
    return [_plain(value) for value in values]


def get(table: str, *key: Any) -> Any:
    key = _key(key)
    found = _find(table)
    text = found.rows.get(found.whole_key(key))
    return None if text is None else json.loads(text)


def put(table: str, row: dict[str, Any]) -> None:
    _find(table).put(row)


def delete(table: str, *key: Any) -> None:
    key = _key(key)
    found = _find(table)
    found.rows.pop(found.whole_key(key), None)


def range(table: str, prefix: Sequence[Any] = (), limit: int = MAX_RANGE_ROWS, descending: bool = False) -> list[Any]:
    if not isinstance(prefix, (list, tuple)):
        raise TypeError(f"the prefix of a key must be a list or tuple, not {type(prefix).__name__}")
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise TypeError(f"the limit must be an int, not {type(limit).__name__}")
    if limit < 0:
        raise ValueError("the limit is a number from 0")
    found = _find(table)
    start = found.encode([_plain(value) for value in prefix])
    keys = sorted((key for key in found.rows if key[:len(start)] == start), reverse=bool(descending))
    return [json.loads(found.rows[key]) for key in keys[:min(limit, MAX_RANGE_ROWS)]]
