"""Language models: generations as iterators, blocking and of asyncio."""
import collections
import json
import os
import threading

from ferry._errors import make
from ferry._native import native
from ferry._runtime import Runtime, _json, _milliseconds
from ferry._sequence import TokenSequence

_MODES = ("device-only", "split", "cloud-only")
_SOURCES = ("verified", "cloud", "device")
_CANCELLED = 15


def _mode(name):
    if name not in _MODES:
        raise ValueError(f"mode is one of {', '.join(_MODES)}, not {name!r}")
    return _MODES.index(name)


class LanguageModel:
    """A folder, a .flm file, or "package:model"; chats with it share its weights."""

    def __init__(self, name, *, runtime=None):
        self._runtime = runtime or Runtime()
        self._handle = native.model_open(self._runtime._handle, os.fspath(name))

    @property
    def info(self):
        return json.loads(native.model_info(self._handle))

    def adapter(self, name):
        return Adapter(self, name)

    def encode(self, text, *, specials=True):
        """The ids of a text's tokens; without `specials` names of special tokens are text like any other."""
        return native.model_encode(self._handle, text, not specials)

    def decode(self, ids, *, skip_specials=False):
        return native.model_decode(self._handle, ids, skip_specials)

    def sequence(self, context=0):
        """Tokens with what the model keeps of them, at most `context` (0: the model's)."""
        return TokenSequence(self, context)

    def close(self):
        """Chats with it live on."""
        self._handle.close()


class Adapter:
    """A LoRA adapter of a language model: a folder, a .fla file, or "package:adapter"."""

    def __init__(self, model, name):
        self._handle = native.adapter_open(model._runtime._handle, model._handle, os.fspath(name))

    @property
    def info(self):
        return json.loads(native.adapter_info(self._handle))

    def close(self):
        self._handle.close()


class Piece(str):
    """New text, with the ids of its tokens and who chose them: "verified", "cloud" or "device"."""

    ids: list
    source: str

    def __new__(cls, text, ids, source):
        self = super().__new__(cls, text)
        self.ids, self.source = ids, source
        return self


class Reply:
    """A generation: iterate over its pieces, with `for` or `async for`, or take the whole by text()."""

    def __init__(self, chat, keep):
        self._chat, self._keep = chat, keep
        self._pieces, self._parts, self._waiters = collections.deque(), [], []
        self._ready = threading.Condition()
        self._end = None
        self._cancelled = False

    def _push(self, piece):
        with self._ready:
            self._pieces.append(piece)
            self._parts.append(piece)
            self._wake()

    def _finish(self, code, stats):
        with self._ready:
            if self._end is None:
                self._end = code, stats
                if code == 0 and self._keep is not None:
                    self._keep("".join(self._parts))
            self._wake()

    def _wake(self):
        self._ready.notify_all()
        for loop, future in self._waiters:
            if not loop.is_closed():
                loop.call_soon_threadsafe(lambda future=future: future.done() or future.set_result(None))
        self._waiters.clear()

    def _next(self, stop):
        """With a piece waiting, or at the end."""
        if self._pieces:
            return self._pieces.popleft()
        self._check()
        raise stop

    def _check(self):
        code, stats = self._end
        if code and not (self._cancelled and code == _CANCELLED):
            raise make(code, native.code_name(code), stats.get("error", "the generation failed"))

    def __iter__(self):
        return self

    def __next__(self):
        with self._ready:
            while not self._pieces and self._end is None:
                self._ready.wait()
            return self._next(StopIteration)

    def __aiter__(self):
        return self

    async def __anext__(self):
        import asyncio
        loop = asyncio.get_running_loop()
        while True:
            with self._ready:
                if self._pieces or self._end is not None:
                    return self._next(StopAsyncIteration)
                future = loop.create_future()
                self._waiters.append((loop, future))
            try:
                await future
            except asyncio.CancelledError:
                self.cancel()
                raise

    def text(self, timeout=None):
        """Waits for the end; the whole text, of pieces that were iterated over, too."""
        self.wait(timeout)
        self._check()
        return "".join(self._parts)

    def wait(self, timeout=None):
        with self._ready:
            if not self._ready.wait_for(lambda: self._end is not None, timeout):
                raise TimeoutError(f"the generation goes on after {timeout} s")

    def cancel(self):
        """Ends it with the pieces so far."""
        self._cancelled = True
        if self._end is None:
            native.chat_cancel(self._chat._handle)

    @property
    def ids(self):
        return [id_ for piece in list(self._parts) for id_ in piece.ids]

    @property
    def stats(self):
        """Figures of the generation; at its end they are final."""
        return self._end[1] if self._end is not None else self._chat.stats


class _Sink:
    """What the library calls; it keeps a chat alive only while that generates."""

    def __init__(self, on_mode):
        self.on_mode, self.reply, self.starting = on_mode, None, threading.Lock()

    def tokens(self, text, ids, source):
        reply = self.reply
        if reply is not None:
            reply._push(Piece(text, ids, _SOURCES[source]))

    def mode(self, mode, why):
        if self.on_mode is not None:
            self.on_mode(_MODES[mode], why)

    def end(self, code, stats):
        reply, self.reply = self.reply, None
        if reply is not None:
            reply._finish(code, json.loads(stats))


class Chat:
    """One generation after another with a language model, given as such or by its file's name."""

    def __init__(self, model, *, mode="device-only", pipelined=False, fallback=True, ignore_end=False, seed=0,
                 temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, max_new=128, draft_tokens=0,
                 memory_bytes=0, target=None, adapters=(), on_mode=None):
        self.model = model if isinstance(model, LanguageModel) else LanguageModel(model)
        self.messages = []
        self._sink = _Sink(on_mode)
        pairs = [one if isinstance(one, tuple) else (one, 1.0) for one in adapters]
        self._handle = native.chat_create(
            self.model._handle,
            (_mode(mode), pipelined, not fallback, ignore_end, seed, temperature, top_k, top_p, repetition_penalty,
             max_new, draft_tokens, memory_bytes, target),
            [(adapter._handle, scale) for adapter, scale in pairs],
            (self._sink.tokens, self._sink.mode, self._sink.end))

    def _begin(self, start, prompt, keep=None):
        reply = Reply(self, keep)
        with self._sink.starting:
            if self._sink.reply is not None:
                raise make(6, "failed_precondition", "the chat generates: wait for its reply, or cancel it")
            self._sink.reply = reply
            try:
                start(self._handle, prompt)
            except BaseException:
                self._sink.reply = None
                raise
        return reply

    def complete(self, prompt):
        """Goes on behind a text or token ids."""
        if isinstance(prompt, str):
            return self._begin(native.chat_start_text, prompt)
        return self._begin(native.chat_start_ids, prompt)

    def reply(self, messages):
        """Answers a conversation, [{"role", "content"}, ..], by the model's chat template."""
        return self._begin(native.chat_start_chat, _json(list(messages)))

    def ask(self, text):
        """Answers a text behind what was asked and answered before, `messages`, where the answer is kept at its end."""
        messages = [*self.messages, {"role": "user", "content": text}]

        def keep(answer):
            self.messages = [*messages, {"role": "assistant", "content": answer}]
        return self._begin(native.chat_start_chat, _json(messages), keep)

    def set_mode(self, mode):
        native.chat_set_mode(self._handle, _mode(mode))

    def cancel(self):
        native.chat_cancel(self._handle)

    def wait(self, timeout=None):
        native.chat_wait(self._handle, _milliseconds(timeout))

    @property
    def stats(self):
        return json.loads(native.chat_stats(self._handle))

    def close(self):
        """Ends what runs."""
        self._handle.close()
        self._sink.end(_CANCELLED, '{"error": "the chat was closed"}')

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.close()
