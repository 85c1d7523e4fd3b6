"""ferry.llm: load(name) -> LanguageModel."""
from ferry import _backend


def load(name):
    return _backend.current().module("llm").load(name)
