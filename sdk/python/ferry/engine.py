"""ferry.engine: load(name) -> Model, tensor(values, shape=None, dtype="f32") -> Tensor."""
from ferry import _backend


def load(name):
    return _backend.current().module("engine").load(name)


def tensor(values, shape=None, dtype="f32"):
    return _backend.current().module("engine").tensor(values, shape, dtype)
