"""Models on tensors."""
import os
from collections import namedtuple

from ferry._native import native

Tensor = native.Tensor
tensor = native.tensor

_PRECISIONS = {"default": 0, "exact": 1, "fast": 2}


class Io(namedtuple("Io", "name type shape kind scale zero_point")):
    """An input or output as a model declares it."""
    __slots__ = ()


def _parsed(text):
    import json  # which would double the time of the package's first use
    return json.loads(text)


def _io(name, type_, shape, symbols, kind, scale, zero_point):
    if shape is not None:
        shape = tuple(symbol or extent for extent, symbol in zip(shape, symbols))
    return Io(name, type_, shape, kind, scale, zero_point)


def isas():
    """The instruction sets that this machine runs, the slowest first."""
    return _parsed(native.engine_isas())


def _open(source, verify):
    if isinstance(source, (str, os.PathLike)):
        return native.engine_open(os.fsencode(source), verify)
    return native.engine_open_memory(source, verify)


class Model:
    """A model and one runner of it, for one thread at a time; `session()` makes more runners of the same weights."""

    def __init__(self, source, *, verify=False, **options):
        self._start(_open(source, verify), options)

    def _start(self, engine, options):
        self._engine, self._options = engine, options
        self._session = _session(engine, **options)
        self._call = self._session.call

    @classmethod
    def from_descriptor(cls, descriptor, offset=0, length=0, *, verify=False, **options):
        return cls._of(native.engine_open_descriptor(descriptor, offset, length, verify), options)

    @classmethod
    def _of(cls, engine, options):
        self = cls.__new__(cls)
        self._start(engine, options)
        return self

    def session(self, **options):
        """Another runner, for another thread: with these options in place of the first one's."""
        return self._of(self._engine, {**self._options, **options})

    def __call__(self, /, *inputs, **named):
        return self._call(*inputs, **named)

    def run(self, inputs):
        return self._session.run(inputs)

    async def run_async(self, inputs):
        """The same on another thread; a task that is cancelled ends the run before its next node."""
        import asyncio
        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def settle(results, error):
            if error is None:
                future.set_result(results)
            else:
                future.set_exception(error)

        def done(results, error):
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, results, error)

        self._session.run_async(inputs, done)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self._session.cancel()
            await asyncio.wait([future])
            future.exception()
            raise

    def resize(self, shapes):
        self._session.resize(shapes)

    def cancel(self):
        self._session.cancel()

    @property
    def inputs(self):
        return [_io(*one) for one in native.engine_io(self._engine)[0]]

    @property
    def outputs(self):
        return [_io(*one) for one in native.engine_io(self._engine)[1]]

    @property
    def info(self):
        return _parsed(native.engine_info(self._engine))

    @property
    def plan(self):
        return _parsed(self._session.info())

    @property
    def profile(self):
        return _parsed(self._session.profile())

    def close(self):
        """Ends this runner; the weights go with the last one."""
        self._session.close()

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.close()

    def __repr__(self):
        return f"<ferry.Model {self.info['name']}>"


def _session(engine, *, threads=0, precision="default", isa=None, backends=None, memory_bytes=0, profile=False,
             tune_file=None, tune=False, seed=0, arrays=True):
    if precision not in _PRECISIONS:
        raise ValueError(f"precision is one of {', '.join(_PRECISIONS)}, not {precision!r}")
    tune_file = None if tune_file is None else os.fspath(tune_file)
    return native.session_create(engine, threads, _PRECISIONS[precision], isa, backends, memory_bytes, profile,
                                 tune_file, tune, seed, arrays)
