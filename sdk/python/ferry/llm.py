"""ferry.llm: load(name) -> LanguageModel.

All of it is the library's, in this process.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferry import _task
from ferry._chat import Chat

MAX_STOPS, MAX_STOP_BYTES = 16, 1024
MAX_SESSION_TOKENS = 512  # of a session that asks for no other number


class LanguageModel:
    """A language model of the task, as its script has it on the device."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a model must be a string, not {type(name).__name__}")
        self._name = name
        self._model = _task.open_language_model(name)

    def generate(self, prompt: str | Sequence[int], *, max_new: int = 128, temperature: float = 0, seed: int = 0,
                 top_k: int = 0, top_p: float = 1, repetition_penalty: float = 1,
                 stop: Sequence[str] | None = ()) -> str:
        watch = _Watch(_checked(stop or ()))
        _check_sampling(max_new, seed, top_p, repetition_penalty)
        chat = Chat(self._model, max_new=max(max_new, 1), temperature=temperature, seed=seed & (1 << 64) - 1, top_k=top_k,
                    top_p=top_p, repetition_penalty=repetition_penalty)
        reply = chat.complete(prompt)
        for piece in reply if max_new else ():
            if not watch.take(piece):
                break
        reply.cancel()
        reply.wait()
        return watch.shown

    def encode(self, text: str, specials: bool = True) -> list[int]:
        return self._model.encode(text, specials=specials)  # type: ignore[no-any-return]

    def decode(self, ids: Sequence[int], skip_specials: bool = False) -> str:
        return self._model.decode(ids, skip_specials=skip_specials)  # type: ignore[no-any-return]

    def session(self, context: int | None = None) -> LanguageSession:
        return LanguageSession(self, min(MAX_SESSION_TOKENS, self.context) if context is None else context)

    @property
    def vocabulary(self) -> int:
        return self._model.info["vocabulary"]  # type: ignore[no-any-return]

    @property
    def context(self) -> int:
        return self._model.info["context"]  # type: ignore[no-any-return]

    @property
    def end_tokens(self) -> list[int]:
        return self._model.info["end_tokens"]  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"LanguageModel({self._name})"


class LanguageSession:
    """One sequence that is kept between calls, as a script has it on the device."""

    def __init__(self, model: LanguageModel, context: int) -> None:
        self._model, self.context = model, context
        self._sequence = model._model.sequence(context)

    def append(self, prompt: str | Sequence[int]) -> None:
        self._sequence.append(self._model.encode(prompt) if isinstance(prompt, str) else prompt)

    def generate(self, *, max_new: int = 128, temperature: float = 0, seed: int = 0, top_k: int = 0, top_p: float = 1,
                 repetition_penalty: float = 1, stop: Sequence[str] | None = ()) -> str:
        watch = _Watch(_checked(stop or ()))
        _check_sampling(max_new, seed, top_p, repetition_penalty)
        if not len(self):
            raise ValueError("the session holds no tokens; append a prompt first")
        if max_new:
            text, _ = self._sequence.generate(
                max_new=max_new, temperature=temperature, seed=seed & (1 << 64) - 1, top_k=top_k, top_p=top_p,
                repetition_penalty=repetition_penalty, on_tokens=lambda piece, _: watch.take(piece))
            watch.take(text[len(watch.text):])
        return watch.shown

    def argmax(self) -> int:
        if not len(self):
            raise ValueError("the session holds no tokens; append a prompt first")
        logits = self._sequence.logits
        return max(range(len(logits)), key=logits.__getitem__)

    def truncate(self, length: int) -> None:
        self._sequence.truncate(length)

    @property
    def tokens(self) -> list[int]:
        return self._sequence.tokens  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self._sequence)

    def __repr__(self) -> str:
        return f"LanguageSession({len(self)} of {self.context} tokens)"


class _Watch:
    """Text as it comes, until one of `stops` is in it."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops, self.text, self._end = stops, "", -1

    def take(self, piece: str) -> bool:
        before, self.text = len(self.text), self.text + piece
        if self._end < 0:
            found = (self.text.find(one, max(before - len(one), 0)) for one in self._stops)
            self._end = min((at for at in found if at >= 0), default=-1)
        return self._end < 0

    @property
    def shown(self) -> str:
        return self.text if self._end < 0 else self.text[:self._end]


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
