"""ferry.llm: load(name) -> LanguageModel."""
from typing import Any

from ferry import _backend


def load(name: str) -> Any:
    return _backend.current().module("llm").load(name)
