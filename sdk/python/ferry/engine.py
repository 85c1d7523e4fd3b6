"""ferry.engine: load(name) -> Model, tensor(values, shape=None, dtype="f32") -> Tensor."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ferry import _task
from ferry._model import Io, Tensor
from ferry._model import tensor as _tensor


class Model:
    """A model of the task, as its script has it on the device: tensors in, tensors out."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a model must be a string, not {type(name).__name__}")
        self._model = _task.open_model(name, arrays=False)

    def run(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        for name, value in inputs.items():
            if not isinstance(value, Tensor):
                raise TypeError(f"input {name} is no tensor; engine.tensor makes one")
        return self._model.run(inputs)

    @property
    def inputs(self) -> list[dict[str, Any]]:
        return [_described(one) for one in self._model.inputs]

    @property
    def outputs(self) -> list[dict[str, Any]]:
        return [_described(one) for one in self._model.outputs]

    def __repr__(self) -> str:
        return f"Model({self._model.info['name']})"


def _described(io: Io) -> dict[str, Any]:
    shape = None if io.shape is None else [-1 if isinstance(extent, str) else extent for extent in io.shape]
    return {"name": io.name, "dtype": io.type, "shape": shape}


def tensor(values: Any, shape: int | Sequence[int] | None = None, dtype: str = "f32") -> Tensor:
    return _tensor(values, shape, dtype)


def load(name: str) -> Model:
    return Model(name)
