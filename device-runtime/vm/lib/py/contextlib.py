from abc import ABC, abstractmethod
from functools import wraps
from types import GenericAlias, MethodType

__all__ = ['asynccontextmanager', 'contextmanager', 'closing', 'nullcontext',
           'AbstractContextManager', 'AbstractAsyncContextManager', 'AsyncExitStack', 'ContextDecorator', 'ExitStack',
           'redirect_stdout', 'redirect_stderr', 'suppress', 'aclosing',
           'AsyncContextDecorator']


def _has(cls, *names):
    return all(any(name in base.__dict__ for base in cls.__mro__) for name in names)


class AbstractContextManager(ABC):
    __class_getitem__ = classmethod(GenericAlias)

    def __enter__(self):
        return self

    @abstractmethod
    def __exit__(self, exc_type, exc_value, traceback):
        return None

    @classmethod
    def __subclasshook__(cls, other):
        if cls is AbstractContextManager:
            return True if _has(other, '__enter__', '__exit__') else NotImplemented
        return NotImplemented


class AbstractAsyncContextManager(ABC):
    __class_getitem__ = classmethod(GenericAlias)

    async def __aenter__(self):
        return self

    @abstractmethod
    async def __aexit__(self, exc_type, exc_value, traceback):
        return None

    @classmethod
    def __subclasshook__(cls, other):
        if cls is AbstractAsyncContextManager:
            return True if _has(other, '__aenter__', '__aexit__') else NotImplemented
        return NotImplemented


class ContextDecorator:
    def _recreate_cm(self):
        return self

    def __call__(self, func):
        @wraps(func)
        def inner(*args, **kwds):
            with self._recreate_cm():
                return func(*args, **kwds)

        return inner


class AsyncContextDecorator:
    def _recreate_cm(self):
        return self

    def __call__(self, func):
        @wraps(func)
        async def inner(*args, **kwds):
            async with self._recreate_cm():
                return await func(*args, **kwds)

        return inner


class _GeneratorManagerBase:
    def __init__(self, func, args, kwds):
        self.gen = func(*args, **kwds)
        self.func, self.args, self.kwds = func, args, kwds
        doc = getattr(func, '__doc__', None)
        self.__doc__ = type(self).__doc__ if doc is None else doc

    def _recreate_cm(self):
        return self.__class__(self.func, self.args, self.kwds)

    def _begin(self):
        # Once only. Deleting these would cost the object its shape.
        if self.args is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'args'")
        self.args = self.kwds = self.func = None

    def _swallowed(self, error, value):
        # Whether the generator gave back what was thrown into it, so that the with statement goes
        # on raising it itself.
        if error is value:
            return True
        if isinstance(error, RuntimeError):
            kinds = (StopIteration, StopAsyncIteration)
            return isinstance(value, kinds) and error.__cause__ is value
        return False


class _GeneratorContextManager(_GeneratorManagerBase, AbstractContextManager, ContextDecorator):
    def __enter__(self):
        self._begin()
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, typ, value, traceback):
        if typ is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        if value is None:
            value = typ()
        try:
            self.gen.throw(value)
        except StopIteration as error:
            return error is not value
        except BaseException as error:
            if self._swallowed(error, value):
                return False
            raise
        raise RuntimeError("generator didn't stop after throw()")


class _AsyncGeneratorContextManager(_GeneratorManagerBase, AbstractAsyncContextManager,
                                    AsyncContextDecorator):
    async def __aenter__(self):
        self._begin()
        try:
            return await self.gen.__anext__()
        except StopAsyncIteration:
            raise RuntimeError("generator didn't yield") from None

    async def __aexit__(self, typ, value, traceback):
        if typ is None:
            try:
                await self.gen.__anext__()
            except StopAsyncIteration:
                return False
            raise RuntimeError("generator didn't stop")
        if value is None:
            value = typ()
        try:
            await self.gen.athrow(value)
        except StopAsyncIteration as error:
            return error is not value
        except BaseException as error:
            if self._swallowed(error, value):
                return False
            raise
        raise RuntimeError("generator didn't stop after athrow()")


def contextmanager(func):
    @wraps(func)
    def helper(*args, **kwds):
        return _GeneratorContextManager(func, args, kwds)

    return helper


def asynccontextmanager(func):
    @wraps(func)
    def helper(*args, **kwds):
        return _AsyncGeneratorContextManager(func, args, kwds)

    return helper


class closing(AbstractContextManager):
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *exc_info):
        self.thing.close()


class aclosing(AbstractAsyncContextManager):
    def __init__(self, thing):
        self.thing = thing

    async def __aenter__(self):
        return self.thing

    async def __aexit__(self, *exc_info):
        await self.thing.aclose()


class _RedirectStream(AbstractContextManager):
    _stream = None

    def __init__(self, new_target):
        self._new_target = new_target
        self._old_targets = []

    def __enter__(self):
        import sys
        self._old_targets.append(getattr(sys, self._stream))
        setattr(sys, self._stream, self._new_target)
        return self._new_target

    def __exit__(self, exctype, excinst, exctb):
        import sys
        setattr(sys, self._stream, self._old_targets.pop())


class redirect_stdout(_RedirectStream):
    _stream = 'stdout'


class redirect_stderr(_RedirectStream):
    _stream = 'stderr'


class suppress(AbstractContextManager):
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        pass

    def __exit__(self, exctype, excinst, exctb):
        return exctype is not None and issubclass(exctype, self._exceptions)


class _ExitStackBase:
    def __init__(self):
        self._exit_callbacks = []

    def pop_all(self):
        made = type(self)()
        made._exit_callbacks, self._exit_callbacks = self._exit_callbacks, []
        return made

    def push(self, exit):
        method = getattr(type(exit), '__exit__', None)
        if method is None:
            self._push(exit, True)
        else:
            self._push(MethodType(method, exit), True)
        return exit

    def enter_context(self, cm):
        cls = type(cm)
        try:
            enter = cls.__enter__
            leave = cls.__exit__
        except AttributeError:
            raise TypeError(f"'{cls.__module__}.{cls.__qualname__}' object does not support the "
                            'context manager protocol') from None
        result = enter(cm)
        self._push(MethodType(leave, cm), True)
        return result

    def callback(self, callback, /, *args, **kwds):
        def wrapper(exc_type, exc, tb):
            callback(*args, **kwds)

        wrapper.__wrapped__ = callback
        self._push(wrapper, True)
        return callback

    def _push(self, callback, is_sync):
        self._exit_callbacks.append((is_sync, callback))


def _fix_context(new, old, outer):
    # The chain of `new` ends where the exception that was being handled outside began.
    while True:
        context = new.__context__
        if context is None or context is old:
            return
        if context is outer:
            break
        new = context
    new.__context__ = old


class ExitStack(_ExitStackBase, AbstractContextManager):
    def __enter__(self):
        return self

    def __exit__(self, *details):
        received = details[0] is not None
        outer = _current()
        suppressed = pending = False
        while self._exit_callbacks:
            is_sync, callback = self._exit_callbacks.pop()
            try:
                if callback(*details):
                    suppressed = True
                    pending = False
                    details = (None, None, None)
            except BaseException as error:
                _fix_context(error, details[1], outer)
                pending = True
                details = (type(error), error, error.__traceback__)
        if pending:
            fixed = details[1].__context__
            try:
                raise details[1]
            except BaseException:
                details[1].__context__ = fixed
                raise
        return received and suppressed

    def close(self):
        self.__exit__(None, None, None)


class AsyncExitStack(_ExitStackBase, AbstractAsyncContextManager):
    async def enter_async_context(self, cm):
        cls = type(cm)
        try:
            enter = cls.__aenter__
            leave = cls.__aexit__
        except AttributeError:
            raise TypeError(f"'{cls.__module__}.{cls.__qualname__}' object does not support the "
                            'asynchronous context manager protocol') from None
        result = await enter(cm)
        self._push(MethodType(leave, cm), False)
        return result

    def push_async_exit(self, exit):
        method = getattr(type(exit), '__aexit__', None)
        self._push(exit if method is None else MethodType(method, exit), False)
        return exit

    def push_async_callback(self, callback, /, *args, **kwds):
        async def wrapper(exc_type, exc, tb):
            await callback(*args, **kwds)

        wrapper.__wrapped__ = callback
        self._push(wrapper, False)
        return callback

    async def aclose(self):
        await self.__aexit__(None, None, None)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *details):
        received = details[0] is not None
        outer = _current()
        suppressed = pending = False
        while self._exit_callbacks:
            is_sync, callback = self._exit_callbacks.pop()
            try:
                answer = callback(*details)
                if not is_sync:
                    answer = await answer
                if answer:
                    suppressed = True
                    pending = False
                    details = (None, None, None)
            except BaseException as error:
                _fix_context(error, details[1], outer)
                pending = True
                details = (type(error), error, error.__traceback__)
        if pending:
            fixed = details[1].__context__
            try:
                raise details[1]
            except BaseException:
                details[1].__context__ = fixed
                raise
        return received and suppressed


def _current():
    import sys
    return sys.exc_info()[1]


class nullcontext(AbstractContextManager, AbstractAsyncContextManager):
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *excinfo):
        pass

    async def __aenter__(self):
        return self.enter_result

    async def __aexit__(self, *excinfo):
        pass
