"""Ferry: models on tensors, tasks, language models, streams and policies, on this machine.

`ferry.Model("model.onnx")(x)` runs a model; README.md has the rest. Scripts of tasks import their modules from here, too
(`from ferry import engine, events`). What needs the library loads it when it is first used.
"""
import importlib

_HOMES = {
    "Error": "_errors",
    "Io": "_model", "Model": "_model", "Tensor": "_model", "tensor": "_model", "isas": "_model",
    "Runtime": "_runtime", "Table": "_runtime", "Match": "_runtime", "Policy": "_runtime",
    "version": "_runtime", "code_name": "_runtime",
    "Adapter": "_chat", "Chat": "_chat", "LanguageModel": "_chat", "Piece": "_chat", "Reply": "_chat",
    "TokenSequence": "_sequence",
    "Stream": "_stream",
}
__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name):
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ferry' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"ferry.{home}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOMES})
