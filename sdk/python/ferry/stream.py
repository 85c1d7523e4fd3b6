"""ferry.stream: rules, streams, tables and classes of fields beside the functions that they lead to.

The decorators give the function back. Packing a task (`ferry pack`) collects what is declared by running the script's
top level; here the list `declared` has it.
"""
from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
declared: list[dict[str, Any]] = []  # {"kind", "spec", "function", "file", "line"}, in order


def _members(names: tuple[str, ...], values: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    if len(values) > len(names):
        raise TypeError(f"takes at most {len(names)} positional arguments, got {len(values)}")
    spec: dict[str, Any] = {}
    for name, value in [*zip(names, values), *((k.removesuffix("_"), v) for k, v in keywords.items())]:
        if name in spec:
            raise TypeError(f"{name} is given twice")
        if name in ("key", "per") and isinstance(value, str):
            value = [value]
        if name == "aggregates" and isinstance(value, dict):
            value = [{**({"op": v} if isinstance(v, str) else v), "as": k} for k, v in sorted(value.items())]
        if value is not None:
            spec[name] = value
    return spec


def _maker(op: str, *names: str) -> Callable[..., dict[str, Any]]:
    def make(*values: Any, **keywords: Any) -> dict[str, Any]:
        return {**_members(names, values, keywords), "op": op}
    make.__name__ = make.__qualname__ = op
    return make


dedupe = _maker("dedupe", "key", "within_ms")
filter = _maker("filter", "where")
flat_map = _maker("flat_map", "field", "as")
join = _maker("join", "with", "key")
lookup = _maker("lookup", "table", "key")
sample = _maker("sample", "one_in", "key")
window = _maker("window", "kind")
count = _maker("count")
distinct = _maker("distinct", "field")
first = _maker("first", "field")
last = _maker("last", "field")
max = _maker("max", "field")
mean = _maker("mean", "field")
min = _maker("min", "field")
quantile = _maker("quantile", "field", "q")
sum = _maker("sum", "field")
top_k = _maker("top_k", "field", "k")


def map(*values: Any, **keywords: Any) -> dict[str, Any]:
    if not values and keywords:
        return {"fields": keywords, "op": "map"}
    return {**_members(("fields",), values, keywords), "op": "map"}


def step(*values: Any, **keywords: Any) -> dict[str, Any]:
    return _members(("name",), values, keywords)


def _declare(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(spec)
    except TypeError as e:
        raise ValueError(f"what is declared must be JSON: {e}") from None
    frame = sys._getframe(2)
    one = {"kind": kind, "spec": spec, "function": "", "file": frame.f_code.co_filename, "line": frame.f_lineno}
    declared.append(one)
    return one


def _text(values: tuple[Any, ...], what: str) -> str:
    if not values:
        raise TypeError(f"{what} is missing")
    if not isinstance(values[0], str):
        raise TypeError(f"{what} must be a string, not {type(values[0]).__name__}")
    return values[0]


def _decorator(one: dict[str, Any]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        name = getattr(function, "__name__", "<")
        if not hasattr(function, "__code__") or name.startswith("<"):
            raise TypeError("ferry.stream decorates functions that a def has named")
        if one["function"]:
            raise ValueError(f"it leads to {one['function']} already")
        one["function"] = name
        return function
    return decorate


def rule(*values: Any, **keywords: Any) -> Callable[[F], F]:
    """rule("cart per user { .. }", app=True) or rule("cart", per="user", steps=[step(..), ..], within_ms=..)"""
    text = _text(values, "a rule's text or name")
    return _decorator(_declare("rule", _members(("text" if "{" in text else "name",), values, keywords)))


def stream(*values: Any, **keywords: Any) -> Callable[[F], F]:
    """stream("visits", source="view", operators=[filter(..), ..], upload=True); the source is its own name if left out"""
    _text(values, "a stream's name")
    spec = _members(("name", "source"), values, keywords)
    spec.setdefault("source", spec["name"])
    return _decorator(_declare("stream", spec))


def table(*values: Any, **keywords: Any) -> str:
    """table("items", key="item", columns={"item": "text"}); gives the name"""
    name = _text(values, "a table's name")
    _declare("table", _members(("name", "key", "columns"), values, keywords))
    return name


def field(*values: Any, **keywords: Any) -> str:
    """field("user.name", "local", k=20): where a field of the events may go; gives the name"""
    name = _text(values, "a field's name")
    spec = _members(("name", "class"), values, keywords)
    spec.setdefault("class", "local")
    _declare("field", spec)
    return name
