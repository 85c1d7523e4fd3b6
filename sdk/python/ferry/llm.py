"""ferry.llm: load(name) -> LanguageModel.

Generations are the library's, in this process. Tokens of a text and sessions, which it has no calls for, are asked of
`ferry task backend`.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferry import _backend, _task
from ferry._chat import Chat

MAX_STOPS, MAX_STOP_BYTES = 16, 1024


class LanguageModel:
    """A language model of the task, as its script has it on the device."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a model must be a string, not {type(name).__name__}")
        self._name = name
        self._model = _task.open_language_model(name)
        self._backed: Any = None

    def generate(self, prompt: str | Sequence[int], *, max_new: int = 128, temperature: float = 0, seed: int = 0,
                 top_k: int = 0, top_p: float = 1, repetition_penalty: float = 1,
                 stop: Sequence[str] | None = ()) -> str:
        stops = _checked(stop or ())
        _check_sampling(max_new, seed, top_p, repetition_penalty)
        chat = Chat(self._model, max_new=max(max_new, 1), temperature=temperature, seed=seed & (1 << 64) - 1, top_k=top_k,
                    top_p=top_p, repetition_penalty=repetition_penalty)
        reply = chat.complete(prompt)
        text, end = "", -1
        for piece in reply if max_new else ():
            before, text = len(text), text + piece
            end = min((at for at in (text.find(one, max(before - len(one), 0)) for one in stops) if at >= 0), default=-1)
            if end >= 0:
                break
        reply.cancel()
        reply.wait()
        return text if end < 0 else text[:end]

    @property
    def _tokens(self) -> Any:
        if self._backed is None:
            self._backed = _backend.current().module("llm").load(self._name)
        return self._backed

    def encode(self, text: str, specials: bool = True) -> list[int]:
        return self._tokens.encode(text, specials=specials)  # type: ignore[no-any-return]

    def decode(self, ids: Sequence[int], skip_specials: bool = False) -> str:
        return self._tokens.decode(ids, skip_specials=skip_specials)  # type: ignore[no-any-return]

    def session(self, **options: int) -> Any:
        return self._tokens.session(**options)

    @property
    def vocabulary(self) -> int:
        return self._model.info["vocabulary"]  # type: ignore[no-any-return]

    @property
    def context(self) -> int:
        return self._model.info["context"]  # type: ignore[no-any-return]

    @property
    def end_tokens(self) -> list[int]:
        return self._tokens.end_tokens  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"LanguageModel({self._name})"


def _checked(stops: Sequence[str]) -> Sequence[str]:
    if len(stops) > MAX_STOPS:
        raise ValueError(f"{len(stops)} stop texts, the limit is {MAX_STOPS}")
    for one in stops:
        if not isinstance(one, str):
            raise TypeError(f"stop must be a string, not {type(one).__name__}")
        if not 1 <= len(one.encode()) <= MAX_STOP_BYTES:
            raise ValueError(f"a stop text of {len(one.encode())} bytes, 1 to {MAX_STOP_BYTES} are allowed")
    return stops


def _check_sampling(max_new: int, seed: int, top_p: float, repetition_penalty: float) -> None:
    """What the library would take for the default."""
    if max_new < 0:
        raise ValueError(f"max_new {max_new} is negative")
    if not isinstance(seed, int):
        raise TypeError(f"seed must be an integer, not {type(seed).__name__}")
    for name, value in (("top_p", top_p), ("repetition_penalty", repetition_penalty)):
        if value == 0:
            raise ValueError(f"{name} 0 must be above 0")


def load(name: str) -> LanguageModel:
    return LanguageModel(name)
