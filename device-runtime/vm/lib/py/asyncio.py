"""Coroutines on the isolate's own loop: tasks, futures, timeouts, queues and locks."""
import collections
import heapq
import types

import _asyncio
import _ferry

ALL_COMPLETED = 'ALL_COMPLETED'
FIRST_COMPLETED = 'FIRST_COMPLETED'
FIRST_EXCEPTION = 'FIRST_EXCEPTION'


class CancelledError(BaseException):
    """The task or future was cancelled."""


class InvalidStateError(Exception):
    """The operation is not allowed in this state."""


class QueueEmpty(Exception):
    pass


class QueueFull(Exception):
    pass


class BrokenBarrierError(RuntimeError):
    pass


TimeoutError = TimeoutError
for _cls in (CancelledError, InvalidStateError):
    _cls.__module__ = 'asyncio.exceptions'
for _cls in (QueueEmpty, QueueFull):
    _cls.__module__ = 'asyncio.queues'


# Set while the module contextvars is there.
_copy_context = _ferry.lookup('contextvars', 'copy_context', None)


def _within(context, function):
    return lambda *args: context.run(function, *args)


class Handle:
    def __init__(self, callback, args, loop, context=None):
        if context is None and _copy_context is not None:
            context = _copy_context()
        if context is not None:
            callback = _within(context, callback)
        self._callback, self._args, self._loop, self._cancelled = callback, args, loop, False

    def cancel(self):
        self._cancelled = True
        self._callback = self._args = None

    def cancelled(self):
        return self._cancelled

    def _run(self):
        if self._cancelled:
            return
        try:
            self._callback(*self._args)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as e:
            self._loop.call_exception_handler(
                {'message': 'Exception in callback', 'exception': e, 'handle': self})


class TimerHandle(Handle):
    def __init__(self, when, callback, args, loop, context=None):
        super().__init__(callback, args, loop, context)
        self._when = when

    def when(self):
        return self._when

    def __lt__(self, other):
        return self._when < other._when


_running = None  # the loop that runs now
_policy_loop = None  # what set_event_loop was told


class AbstractEventLoop:
    pass


class BaseEventLoop(AbstractEventLoop):
    def __init__(self):
        self._ready = collections.deque()
        self._timers = []
        self._stopping = self._closed = False
        self._tasks = {}
        self._handler = None
        self._debug = False

    def time(self):
        return _asyncio.monotonic()

    def call_soon(self, callback, *args, context=None):
        self._check_closed()
        handle = Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_later(self, delay, callback, *args, context=None):
        if delay is None:
            raise TypeError('delay must not be None')
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(self, when, callback, *args, context=None):
        if when is None:
            raise TypeError('when cannot be None')
        self._check_closed()
        handle = TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._timers, handle)
        return handle

    def create_future(self):
        return Future(loop=self)

    def create_task(self, coro, *, name=None, context=None):
        self._check_closed()
        return Task(coro, loop=self, name=name, context=context)

    def set_exception_handler(self, handler):
        self._handler = handler

    def get_exception_handler(self):
        return self._handler

    def call_exception_handler(self, context):
        if self._handler is not None:
            self._handler(self, context)

    default_exception_handler = call_exception_handler

    def get_debug(self):
        return self._debug

    def set_debug(self, enabled):
        self._debug = enabled

    def _check_closed(self):
        if self._closed:
            raise RuntimeError('Event loop is closed')

    def _run_once(self):
        while self._timers and self._timers[0]._cancelled:
            heapq.heappop(self._timers)
        if not self._ready and not self._stopping:
            if not self._timers:
                raise RuntimeError('asyncio: everything waits and nothing can wake it')
            _asyncio.wait(max(0, self._timers[0]._when - self.time()))
        end = self.time() + 1e-9
        while self._timers and self._timers[0]._when <= end:
            self._ready.append(heapq.heappop(self._timers))
        for _ in range(len(self._ready)):
            self._ready.popleft()._run()

    def run_forever(self):
        global _running
        self._check_closed()
        if _running is not None:
            raise RuntimeError('This event loop is already running' if _running is self else
                               'Cannot run the event loop while another loop is running')
        _running = self
        try:
            while True:
                self._run_once()
                if self._stopping:
                    break
        finally:
            self._stopping = False
            _running = None

    def run_until_complete(self, future):
        self._check_closed()
        new = not isfuture(future)
        future = ensure_future(future, loop=self)

        def done(_):
            self.stop()
        future.add_done_callback(done)
        try:
            self.run_forever()
        finally:
            future.remove_done_callback(done)
        if not future.done():
            raise RuntimeError('Event loop stopped before Future completed.')
        return future.result()

    def stop(self):
        self._stopping = True

    def close(self):
        if _running is self:
            raise RuntimeError('Cannot close a running event loop')
        self._closed = True
        self._ready.clear()
        self._timers.clear()

    def is_running(self):
        return _running is self

    def is_closed(self):
        return self._closed

    async def shutdown_asyncgens(self):
        pass

    async def shutdown_default_executor(self):
        pass


class Future:
    _state = 'PENDING'
    _asyncio_future_blocking = False

    def __init__(self, *, loop=None):
        self._loop = get_event_loop() if loop is None else loop
        self._callbacks = []
        self._result = self._exception = None
        self._cancel_message = None

    def __repr__(self):
        info = [self._state.lower()]
        if self._state == 'FINISHED':
            info.append(f'exception={self._exception!r}' if self._exception is not None else
                        f'result={self._result!r}')
        return f'<{type(self).__name__} {" ".join(info)}>'

    def get_loop(self):
        return self._loop

    def _cancelled_error(self):
        return CancelledError() if self._cancel_message is None else CancelledError(
            self._cancel_message)

    def cancel(self, msg=None):
        if self._state != 'PENDING':
            return False
        self._state = 'CANCELLED'
        self._cancel_message = msg
        self._schedule()
        return True

    def _schedule(self):
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            self._loop.call_soon(callback, self)

    def cancelled(self):
        return self._state == 'CANCELLED'

    def done(self):
        return self._state != 'PENDING'

    def result(self):
        if self._state == 'CANCELLED':
            raise self._cancelled_error()
        if self._state != 'FINISHED':
            raise InvalidStateError('Result is not ready.' if type(self) is not Future else
                                    'Result is not set.')
        if self._exception is not None:
            raise self._exception
        return self._result

    def exception(self):
        if self._state == 'CANCELLED':
            raise self._cancelled_error()
        if self._state != 'FINISHED':
            raise InvalidStateError('Exception is not set.')
        return self._exception

    def add_done_callback(self, fn, *, context=None):
        if self._state != 'PENDING':
            self._loop.call_soon(fn, self)
        else:
            self._callbacks.append(fn)

    def remove_done_callback(self, fn):
        kept = [f for f in self._callbacks if f != fn]
        removed = len(self._callbacks) - len(kept)
        self._callbacks = kept
        return removed

    def set_result(self, result):
        if self._state != 'PENDING':
            raise InvalidStateError('invalid state')
        self._result = result
        self._state = 'FINISHED'
        self._schedule()

    def set_exception(self, exception):
        if self._state != 'PENDING':
            raise InvalidStateError('invalid state')
        if isinstance(exception, type):
            exception = exception()
        if isinstance(exception, StopIteration):
            raise TypeError('StopIteration interacts badly with generators and cannot be raised '
                            'into a Future')
        self._exception = exception
        self._state = 'FINISHED'
        self._schedule()

    def __await__(self):
        if not self.done():
            self._asyncio_future_blocking = True
            yield self
        if not self.done():
            raise RuntimeError("await wasn't used with future")
        return self.result()

    __iter__ = __await__


_task_count = 0
_current = {}


class Task(Future):
    def __init__(self, coro, *, loop=None, name=None, context=None):
        global _task_count
        super().__init__(loop=loop)
        if not iscoroutine(coro):
            raise TypeError(f'a coroutine was expected, got {coro!r}')
        if name is None:
            _task_count += 1
            name = f'Task-{_task_count}'
        self._name = str(name)
        self._coro = coro
        self._waiter = None
        self._must_cancel = False
        self._cancels = 0
        self._loop._tasks[id(self)] = self
        if context is None and _copy_context is not None:
            context = _copy_context()
        if context is not None:
            self._step = _within(context, self._step)
        self._loop.call_soon(self._step)

    def get_coro(self):
        return self._coro

    def get_name(self):
        return self._name

    def set_name(self, value):
        self._name = str(value)

    def set_result(self, result):
        raise RuntimeError('Task does not support set_result operation')

    def set_exception(self, exception):
        raise RuntimeError('Task does not support set_exception operation')

    def cancelling(self):
        return self._cancels

    def uncancel(self):
        if self._cancels > 0:
            self._cancels -= 1
        return self._cancels

    def cancel(self, msg=None):
        if self.done():
            return False
        self._cancels += 1
        if self._waiter is not None and self._waiter.cancel(msg=msg):
            return True
        self._must_cancel = True
        self._cancel_message = msg
        return True

    def _step(self, error=None):
        if self._must_cancel:
            if not isinstance(error, CancelledError):
                error = self._cancelled_error()
            self._must_cancel = False
        self._waiter = None
        previous = _current.get(self._loop)
        _current[self._loop] = self
        try:
            got = self._coro.send(None) if error is None else self._coro.throw(error)
        except StopIteration as e:
            if self._must_cancel:
                self._must_cancel = False
                self._finish_cancelled(self._cancel_message)
            else:
                super().set_result(e.value)
                self._forget()
        except CancelledError as e:
            self._finish_cancelled(e.args[0] if e.args else None)
        except (KeyboardInterrupt, SystemExit) as e:
            super().set_exception(e)
            self._forget()
            raise
        except BaseException as e:
            super().set_exception(e)
            self._forget()
        else:
            self._wait_for(got)
        finally:
            _current[self._loop] = previous

    def _finish_cancelled(self, message):
        super().cancel(msg=message)
        self._forget()

    def _forget(self):
        self._loop._tasks.pop(id(self), None)

    def _wait_for(self, got):
        if getattr(got, '_asyncio_future_blocking', None):
            got._asyncio_future_blocking = False
            if got is self:
                self._loop.call_soon(self._step,
                                     RuntimeError(f'Task cannot await on itself: {self!r}'))
                return
            got.add_done_callback(self._wakeup)
            self._waiter = got
            if self._must_cancel and got.cancel(msg=self._cancel_message):
                self._must_cancel = False
        elif got is None:
            self._loop.call_soon(self._step)
        else:
            self._loop.call_soon(self._step, RuntimeError(f'Task got bad yield: {got!r}'))

    def _wakeup(self, future):
        try:
            future.result()
        except BaseException as e:
            self._step(e)
        else:
            self._step()


def iscoroutine(obj):
    return isinstance(obj, types.CoroutineType)


def iscoroutinefunction(func):
    return _asyncio.is_coroutine_function(func)


def isfuture(obj):
    return hasattr(type(obj), '_asyncio_future_blocking') and obj._asyncio_future_blocking is not None


def get_running_loop():
    if _running is None:
        raise RuntimeError('no running event loop')
    return _running


def _get_running_loop():
    return _running


def get_event_loop():
    global _policy_loop
    if _running is not None:
        return _running
    if _policy_loop is None:
        _policy_loop = BaseEventLoop()
    return _policy_loop


def set_event_loop(loop):
    global _policy_loop
    _policy_loop = loop


def new_event_loop():
    return BaseEventLoop()


def current_task(loop=None):
    return _current.get(get_running_loop() if loop is None else loop)


def all_tasks(loop=None):
    loop = get_running_loop() if loop is None else loop
    return {t for t in loop._tasks.values() if not t.done()}


def create_task(coro, *, name=None, context=None):
    return get_running_loop().create_task(coro, name=name, context=context)


async def _wrap(awaitable):
    return await awaitable


def ensure_future(obj, *, loop=None):
    if isfuture(obj):
        if loop is not None and obj._loop is not loop:
            raise ValueError('The future belongs to a different loop than the one specified as '
                             'the loop argument')
        return obj
    if not iscoroutine(obj):
        if not hasattr(type(obj), '__await__'):
            raise TypeError('An asyncio.Future, a coroutine or an awaitable is required')
        obj = _wrap(obj)
    return (get_event_loop() if loop is None else loop).create_task(obj)


class Runner:
    def __init__(self, *, debug=None, loop_factory=None):
        self._factory = loop_factory
        self._loop = None

    def __enter__(self):
        self.get_loop()
        return self

    def __exit__(self, *_):
        self.close()

    def get_loop(self):
        if self._loop is None:
            self._loop = (self._factory or new_event_loop)()
            set_event_loop(self._loop)
        return self._loop

    def run(self, coro, *, context=None):
        if not iscoroutine(coro):
            raise ValueError(f'a coroutine was expected, got {coro!r}')
        if _running is not None:
            raise RuntimeError('Runner.run() cannot be called from a running event loop')
        loop = self.get_loop()
        return loop.run_until_complete(loop.create_task(coro, context=context))

    def close(self):
        loop, self._loop = self._loop, None
        if loop is None:
            return
        left = all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(gather(*left, return_exceptions=True))
        set_event_loop(None)
        loop.close()


def run(main, *, debug=None):
    if _running is not None:
        raise RuntimeError('asyncio.run() cannot be called from a running event loop')
    with Runner(debug=debug) as runner:
        return runner.run(main)


class _Yield:
    def __await__(self):
        yield


async def sleep(delay, result=None):
    if delay <= 0:
        await _Yield()
        return result
    loop = get_running_loop()
    future = loop.create_future()
    handle = loop.call_later(delay, _set_unless_done, future, result)
    try:
        return await future
    finally:
        handle.cancel()


def _set_unless_done(future, result):
    if not future.done():
        future.set_result(result)


class _Gathering(Future):
    def __init__(self, children, *, loop):
        super().__init__(loop=loop)
        self._children = children
        self._asked = False

    def cancel(self, msg=None):
        if self.done():
            return False
        any_cancelled = False
        for child in self._children:
            any_cancelled = child.cancel(msg=msg) or any_cancelled
        self._asked = self._asked or any_cancelled
        return any_cancelled


def gather(*aws, return_exceptions=False):
    if not aws:
        loop = get_event_loop()
        outer = loop.create_future()
        outer.set_result([])
        return outer
    children, known, loop = [], {}, None
    for aw in aws:
        if id(aw) not in known:
            known[id(aw)] = ensure_future(aw, loop=loop)
            loop = loop or known[id(aw)]._loop
        children.append(known[id(aw)])
    outer = _Gathering(children, loop=loop)
    left = len(known)

    def done(child):
        nonlocal left
        left -= 1
        if outer.done():
            return
        if not return_exceptions:
            if child.cancelled():
                outer.set_exception(child._cancelled_error())
                return
            if child.exception() is not None:
                outer.set_exception(child.exception())
                return
        if left == 0:
            results = []
            for c in children:
                if c.cancelled():
                    results.append(CancelledError(
                        '' if c._cancel_message is None else c._cancel_message))
                else:
                    results.append(c.exception() if c.exception() is not None else c.result())
            if outer._asked:
                outer.set_exception(child._cancelled_error() if child.cancelled() else
                                    CancelledError())
            else:
                outer.set_result(results)
    for child in known.values():
        child.add_done_callback(done)
    return outer


def shield(arg):
    inner = ensure_future(arg)
    if inner.done():
        return inner
    outer = inner._loop.create_future()

    def inner_done(_):
        if outer.cancelled():
            return
        if inner.cancelled():
            outer.cancel()
        elif inner.exception() is not None:
            outer.set_exception(inner.exception())
        else:
            outer.set_result(inner.result())

    def outer_done(_):
        if not inner.done():
            inner.remove_done_callback(inner_done)
    inner.add_done_callback(inner_done)
    outer.add_done_callback(outer_done)
    return outer


async def wait(fs, *, timeout=None, return_when=ALL_COMPLETED):
    if isfuture(fs) or iscoroutine(fs):
        raise TypeError(f'expect a list of futures, not {type(fs).__name__}')
    fs = set(fs)
    if not fs:
        raise ValueError('Set of Tasks/Futures is empty.')
    if return_when not in (FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED):
        raise ValueError(f'Invalid return_when value: {return_when}')
    if any(iscoroutine(f) for f in fs):
        raise TypeError('Passing coroutines is forbidden, use tasks explicitly.')
    loop = get_running_loop()
    waiter = loop.create_future()
    handle = None if timeout is None else loop.call_later(timeout, _set_unless_done, waiter, None)
    left = sum(not f.done() for f in fs)

    def done(f):
        nonlocal left
        left -= 1
        if (left <= 0 or return_when == FIRST_COMPLETED or
                (return_when == FIRST_EXCEPTION and not f.cancelled() and
                 f.exception() is not None)):
            _set_unless_done(waiter, None)
    ready = (left == 0 or (return_when == FIRST_COMPLETED and left < len(fs)) or
             (return_when == FIRST_EXCEPTION and
              any(f.done() and not f.cancelled() and f.exception() is not None for f in fs)))
    if not ready:
        for f in fs:
            f.add_done_callback(done)
        try:
            await waiter
        finally:
            if handle is not None:
                handle.cancel()
            for f in fs:
                f.remove_done_callback(done)
    elif handle is not None:
        handle.cancel()
    return {f for f in fs if f.done()}, {f for f in fs if not f.done()}


async def wait_for(fut, timeout):
    if timeout is None:
        return await fut
    loop = get_running_loop()
    fut = ensure_future(fut, loop=loop)
    if timeout <= 0:
        if fut.done():
            return fut.result()
        await _cancel_and_wait(fut)
        try:
            return fut.result()
        except CancelledError as exc:
            raise TimeoutError() from exc
    waiter = loop.create_future()
    handle = loop.call_later(timeout, _set_unless_done, waiter, None)

    def done(_):
        _set_unless_done(waiter, None)
    fut.add_done_callback(done)
    try:
        try:
            await waiter
        except CancelledError:
            if fut.done():
                return fut.result()
            fut.remove_done_callback(done)
            await _cancel_and_wait(fut)
            raise
        if fut.done():
            return fut.result()
        fut.remove_done_callback(done)
        await _cancel_and_wait(fut)
        try:
            return fut.result()
        except CancelledError as exc:
            raise TimeoutError() from exc
    finally:
        handle.cancel()


async def _cancel_and_wait(fut):
    waiter = get_running_loop().create_future()

    def done(_):
        _set_unless_done(waiter, None)
    fut.add_done_callback(done)
    try:
        fut.cancel()
        await waiter
    finally:
        fut.remove_done_callback(done)


def as_completed(fs, *, timeout=None):
    done = Queue()
    loop = get_event_loop()
    todo = {ensure_future(f, loop=loop) for f in set(fs)}
    handle = None

    def on_timeout():
        for f in todo:
            f.remove_done_callback(on_done)
            done.put_nowait(None)
        todo.clear()

    def on_done(f):
        if not todo:
            return
        todo.remove(f)
        done.put_nowait(f)
        if not todo and handle is not None:
            handle.cancel()

    async def one():
        f = await done.get()
        if f is None:
            raise TimeoutError
        return f.result()
    for f in todo:
        f.add_done_callback(on_done)
    if todo and timeout is not None:
        handle = loop.call_later(timeout, on_timeout)
    for _ in range(len(todo)):
        yield one()


class Timeout:
    def __init__(self, when):
        self._when, self._handle, self._task, self._state = when, None, None, 'created'

    def when(self):
        return self._when

    def expired(self):
        return self._state in ('expiring', 'expired')

    def reschedule(self, when):
        if self._state != 'active':
            raise RuntimeError(f'Cannot change state of {self._state} Timeout')
        self._when = when
        if self._handle is not None:
            self._handle.cancel()
        loop = get_running_loop()
        if when is None:
            self._handle = None
        elif when <= loop.time():
            self._handle = loop.call_soon(self._on_timeout)
        else:
            self._handle = loop.call_at(when, self._on_timeout)

    async def __aenter__(self):
        self._task = current_task()
        if self._task is None:
            raise RuntimeError('Timeout should be used inside a task')
        self._state = 'active'
        self._cancelling = self._task.cancelling()
        self.reschedule(self._when)
        return self

    async def __aexit__(self, exc_type, exc, tb):
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        if self._state == 'expiring':
            self._state = 'expired'
            if self._task.uncancel() <= self._cancelling and exc_type is CancelledError:
                raise TimeoutError from exc
        elif self._state == 'active':
            self._state = 'exited'
        return None

    def _on_timeout(self):
        self._task.cancel()
        self._state = 'expiring'
        self._handle = None


def timeout(delay):
    return Timeout(None if delay is None else get_running_loop().time() + delay)


def timeout_at(when):
    return Timeout(when)


class TaskGroup:
    def __init__(self):
        self._entered = self._exiting = self._aborting = self._parent_cancelled = False
        self._tasks, self._errors = set(), []
        self._base_error = self._waiter = self._parent = self._loop = None

    async def __aenter__(self):
        if self._entered:
            raise RuntimeError(f'TaskGroup {self!r} has been already entered')
        self._entered = True
        self._loop = get_running_loop()
        self._parent = current_task()
        return self

    async def __aexit__(self, exc_type, exc, tb):
        self._exiting = True
        propagate = exc if exc_type is not None and issubclass(exc_type, CancelledError) else None
        if exc is not None and isinstance(exc, (KeyboardInterrupt, SystemExit)):
            self._base_error = exc
        if self._parent_cancelled and self._parent.uncancel() == 0:
            propagate = None
        if exc_type is not None and not self._aborting:
            self._abort()
        while self._tasks:
            if self._waiter is None:
                self._waiter = self._loop.create_future()
            try:
                await self._waiter
            except CancelledError as e:
                if not self._aborting:
                    propagate = e
                    self._abort()
            self._waiter = None
        if self._base_error is not None:
            raise self._base_error
        if propagate is not None and not self._errors:
            raise propagate
        if exc_type is not None and exc_type is not CancelledError:
            self._errors.append(exc)
        if self._errors:
            errors, self._errors = self._errors, None
            raise BaseExceptionGroup('unhandled errors in a TaskGroup', errors)

    def create_task(self, coro, *, name=None, context=None):
        if not self._entered:
            raise RuntimeError(f'TaskGroup {self!r} has not been entered')
        if self._exiting and not self._tasks:
            raise RuntimeError(f'TaskGroup {self!r} is finished')
        if self._aborting:
            raise RuntimeError(f'TaskGroup {self!r} is shutting down')
        task = self._loop.create_task(coro, name=name, context=context)
        task.add_done_callback(self._done)
        self._tasks.add(task)
        return task

    def _abort(self):
        self._aborting = True
        for task in self._tasks:
            if not task.done():
                task.cancel()

    def _done(self, task):
        self._tasks.discard(task)
        if self._waiter is not None and not self._tasks and not self._waiter.done():
            self._waiter.set_result(True)
        if task.cancelled() or task.exception() is None:
            return
        error = task.exception()
        self._errors.append(error)
        if isinstance(error, (KeyboardInterrupt, SystemExit)) and self._base_error is None:
            self._base_error = error
        if self._parent.done():
            return
        if not self._aborting and not self._parent_cancelled:
            self._abort()
            self._parent_cancelled = True
            self._parent.cancel()


class _Waiting:
    """A line of futures, woken in order."""

    def __init__(self):
        self._waiters = collections.deque()

    def _future(self):
        future = get_running_loop().create_future()
        self._waiters.append(future)
        return future

    def _shown(self, state):
        if self._waiters:
            state += f', waiters:{len(self._waiters)}'
        return f'{object.__repr__(self)[:-1]} [{state}]>'

    def _wake(self, count=1):
        for future in self._waiters:
            if count <= 0:
                break
            if not future.done():
                future.set_result(True)
                count -= 1


class Event(_Waiting):
    def __init__(self):
        super().__init__()
        self._value = False

    def __repr__(self):
        return self._shown('set' if self._value else 'unset')

    def is_set(self):
        return self._value

    def set(self):
        if not self._value:
            self._value = True
            self._wake(len(self._waiters))

    def clear(self):
        self._value = False

    async def wait(self):
        if self._value:
            return True
        future = self._future()
        try:
            await future
            return True
        finally:
            self._waiters.remove(future)


class _Locking(_Waiting):
    async def __aenter__(self):
        await self.acquire()

    async def __aexit__(self, *_):
        self.release()


class Lock(_Locking):
    def __init__(self):
        super().__init__()
        self._locked = False

    def __repr__(self):
        return self._shown('locked' if self._locked else 'unlocked')

    def locked(self):
        return self._locked

    async def acquire(self):
        if not self._locked and all(w.cancelled() for w in self._waiters):
            self._locked = True
            return True
        future = self._future()
        try:
            try:
                await future
            finally:
                self._waiters.remove(future)
        except CancelledError:
            if not self._locked:
                self._wake_first()
            raise
        self._locked = True
        return True

    def release(self):
        if not self._locked:
            raise RuntimeError('Lock is not acquired.')
        self._locked = False
        self._wake_first()

    def _wake_first(self):
        if self._waiters and not self._waiters[0].done():
            self._waiters[0].set_result(True)


class Condition(_Waiting):
    def __init__(self, lock=None):
        super().__init__()
        self._lock = Lock() if lock is None else lock
        self.locked, self.acquire, self.release = (self._lock.locked, self._lock.acquire,
                                                   self._lock.release)

    async def __aenter__(self):
        await self.acquire()

    async def __aexit__(self, *_):
        self.release()

    async def wait(self):
        if not self.locked():
            raise RuntimeError('cannot wait on un-acquired lock')
        self.release()
        try:
            future = self._future()
            try:
                await future
                return True
            finally:
                self._waiters.remove(future)
        finally:
            cancelled = False
            while True:
                try:
                    await self.acquire()
                    break
                except CancelledError:
                    cancelled = True
            if cancelled:
                raise CancelledError

    async def wait_for(self, predicate):
        result = predicate()
        while not result:
            await self.wait()
            result = predicate()
        return result

    def notify(self, n=1):
        if not self.locked():
            raise RuntimeError('cannot notify on un-acquired lock')
        self._wake(n)

    def notify_all(self):
        self.notify(len(self._waiters))


class Semaphore(_Locking):
    def __init__(self, value=1):
        super().__init__()
        if value < 0:
            raise ValueError('Semaphore initial value must be >= 0')
        self._value = value

    def __repr__(self):
        return self._shown('locked' if self.locked() else f'unlocked, value:{self._value}')

    def locked(self):
        return self._value == 0 or any(not w.cancelled() for w in self._waiters)

    async def acquire(self):
        if not self.locked():
            self._value -= 1
            return True
        future = self._future()
        try:
            try:
                await future
            finally:
                self._waiters.remove(future)
        except CancelledError:
            if not future.cancelled():
                self._value += 1
                self._wake_next()
            raise
        if self._value > 0:
            self._wake_next()
        return True

    def release(self):
        self._value += 1
        self._wake_next()

    def _wake_next(self):
        for future in self._waiters:
            if not future.done():
                self._value -= 1
                future.set_result(True)
                return


class BoundedSemaphore(Semaphore):
    def __init__(self, value=1):
        self._bound = value
        super().__init__(value)

    def release(self):
        if self._value >= self._bound:
            raise ValueError('BoundedSemaphore released too many times')
        super().release()


class Queue:
    def __init__(self, maxsize=0):
        self._maxsize = maxsize
        self._getters, self._putters = collections.deque(), collections.deque()
        self._unfinished = 0
        self._finished = Event()
        self._finished.set()
        self._init(maxsize)

    def __repr__(self):
        return f'<{type(self).__name__} at {id(self):#x} {self._state()}>'

    def __str__(self):
        return f'<{type(self).__name__} {self._state()}>'

    def _state(self):
        parts = [f'maxsize={self._maxsize!r}']
        if self._queue:
            parts.append(f'_queue={list(self._queue)!r}')
        if self._getters:
            parts.append(f'_getters[{len(self._getters)}]')
        if self._putters:
            parts.append(f'_putters[{len(self._putters)}]')
        if self._unfinished:
            parts.append(f'tasks={self._unfinished}')
        return ' '.join(parts)

    def _init(self, maxsize):
        self._queue = collections.deque()

    def _get(self):
        return self._queue.popleft()

    def _put(self, item):
        self._queue.append(item)

    @staticmethod
    def _wake(waiters):
        while waiters:
            waiter = waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                break

    @property
    def maxsize(self):
        return self._maxsize

    def qsize(self):
        return len(self._queue)

    def empty(self):
        return not self._queue

    def full(self):
        return 0 < self._maxsize <= self.qsize()

    async def _wait(self, waiters, still):
        while still():
            future = get_running_loop().create_future()
            waiters.append(future)
            try:
                await future
            except BaseException:
                future.cancel()
                try:
                    waiters.remove(future)
                except ValueError:
                    pass
                if not still() and not future.cancelled():
                    self._wake(waiters)
                raise

    async def put(self, item):
        await self._wait(self._putters, self.full)
        return self.put_nowait(item)

    def put_nowait(self, item):
        if self.full():
            raise QueueFull
        self._put(item)
        self._unfinished += 1
        self._finished.clear()
        self._wake(self._getters)

    async def get(self):
        await self._wait(self._getters, self.empty)
        return self.get_nowait()

    def get_nowait(self):
        if self.empty():
            raise QueueEmpty
        item = self._get()
        self._wake(self._putters)
        return item

    def task_done(self):
        if self._unfinished <= 0:
            raise ValueError('task_done() called too many times')
        self._unfinished -= 1
        if self._unfinished == 0:
            self._finished.set()

    async def join(self):
        if self._unfinished > 0:
            await self._finished.wait()


class PriorityQueue(Queue):
    def _init(self, maxsize):
        self._queue = []

    def _put(self, item):
        heapq.heappush(self._queue, item)

    def _get(self):
        return heapq.heappop(self._queue)


class LifoQueue(Queue):
    def _init(self, maxsize):
        self._queue = []

    def _get(self):
        return self._queue.pop()


async def to_thread(func, /, *args, **kwargs):
    return func(*args, **kwargs)


class Barrier(_Waiting):
    def __init__(self, parties):
        if parties < 1:
            raise ValueError('parties must be > 0')
        super().__init__()
        self._parties, self._count, self._state = parties, 0, 'filling'

    async def __aenter__(self):
        return await self.wait()

    async def __aexit__(self, *_):
        pass

    def __repr__(self):
        line = f', waiters:{self.n_waiting}/{self.parties}' if not self.broken else ''
        return f'{object.__repr__(self)[:-1]} [{self._state}{line}]>'

    async def _turn(self, wanted):
        while self._state not in wanted:
            future = self._future()
            try:
                await future
            finally:
                self._waiters.remove(future)

    async def wait(self):
        await self._turn(('filling', 'broken', 'resetting'))
        if self._state == 'resetting':
            await self._turn(('filling', 'broken'))
        if self.broken:
            raise BrokenBarrierError('Barrier aborted')
        at, self._count = self._count, self._count + 1
        try:
            if self._count == self._parties:
                self._state = 'draining'
                self._wake(len(self._waiters))
            else:
                await self._turn(('draining', 'resetting', 'broken'))
                if self._state != 'draining':
                    raise BrokenBarrierError('Abort or reset of barrier')
            return at
        finally:
            self._count -= 1
            if not self._count:
                if self._state in ('draining', 'resetting'):
                    self._state = 'filling'
                self._wake(len(self._waiters))

    async def reset(self):
        if self._count:
            self._state = 'resetting'
        else:
            self._state = 'filling'
        self._wake(len(self._waiters))

    async def abort(self):
        self._state = 'broken'
        self._wake(len(self._waiters))

    parties = property(lambda self: self._parties)
    n_waiting = property(lambda self: self._count if self._state == 'filling' else 0)
    broken = property(lambda self: self._state == 'broken')


for _name, _classes in (('locks', (Lock, Event, Condition, Semaphore, BoundedSemaphore, Barrier)),
                        ('queues', (Queue, PriorityQueue, LifoQueue)), ('taskgroups', (TaskGroup,)),
                        ('timeouts', (Timeout,)), ('runners', (Runner,))):
    for _cls in _classes:
        _cls.__module__ = 'asyncio.' + _name
BrokenBarrierError.__module__ = 'asyncio.exceptions'
