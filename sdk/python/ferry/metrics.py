"""ferry.metrics: count(name, by=1), gauge(name, value), observe(name, value); here snapshot() reads them."""
from __future__ import annotations

import math
from typing import Any

MAX_METRICS, MAX_NAME = 256, 128
_metrics: dict[str, dict[str, Any]] = {}


def _record(kind: str, name: str, value: float) -> None:
    if not isinstance(name, str):
        raise TypeError(f"the name of a metric must be a string, not {type(name).__name__}")
    if not isinstance(value, (int, float)):
        raise TypeError(f"the value of a metric must be a number, not {type(value).__name__}")
    value = float(value)
    if not 1 <= len(name.encode()) <= MAX_NAME:
        raise ValueError(f"a metric's name has 1 to {MAX_NAME} bytes, not {len(name.encode())}")
    if not math.isfinite(value):
        raise ValueError(f"metric {name}: {value} is no finite number")
    if name not in _metrics and len(_metrics) >= MAX_METRICS:
        raise RuntimeError(f"limit_exceeded: {MAX_METRICS} metrics are the limit")
    metric = _metrics.setdefault(name, {"kind": kind, "count": 0, "sum": 0.0, "min": value, "max": value})
    if metric["kind"] != kind:
        raise ValueError(f"metric {name} is of another kind")
    metric["min"], metric["max"] = min(metric["min"], value), max(metric["max"], value)
    metric["sum"] = value if kind == "gauge" else metric["sum"] + value
    metric["count"] += 1


def count(name: str, by: float = 1) -> None:
    _record("count", name, by)


def gauge(name: str, value: float) -> None:
    _record("gauge", name, value)


def observe(name: str, value: float) -> None:
    _record("observe", name, value)


def snapshot() -> dict[str, Any]:
    return {name: {k: m[k] for k in ("count", "sum", "min", "max")} if m["kind"] == "observe" else m["sum"]
            for name, m in sorted(_metrics.items())}
