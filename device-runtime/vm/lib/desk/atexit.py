"""Functions that are called when the program ends, the last one first."""
import sys

_registered = []


def register(func, /, *args, **kwargs):
    if not callable(func):
        raise TypeError('the first argument must be callable')
    _registered.append((func, args, kwargs))
    return func


def unregister(func, /):
    _registered[:] = [entry for entry in _registered if not entry[0] == func]


def _run_exitfuncs():
    while _registered:
        func, args, kwargs = _registered.pop()
        try:
            func(*args, **kwargs)
        except SystemExit:
            pass
        except BaseException as error:
            import traceback
            sys.stderr.write(f'Exception ignored in atexit callback: {func!r}\n')
            traceback.print_exception(error)


def _clear():
    _registered.clear()


def _ncallbacks():
    return len(_registered)
