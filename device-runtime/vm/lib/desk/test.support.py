"""Helpers of tests, after the documentation of test.support: streams, limits, skips and values that compare oddly."""
import contextlib
import functools
import gc
import io
import sys
import types
import unittest

verbose = False
use_resources = None
max_memuse = 0
failfast = False
has_subprocess_support = has_fork_support = has_socket_support = False
is_android = is_jython = is_emscripten = is_wasi = is_apple = False
MS_WINDOWS = False
Py_DEBUG = False
unix_shell = None
PGO = False
PIPE_MAX_SIZE = 4 * 1024 * 1024 + 1
SOCK_MAX_SIZE = 16 * 1024 * 1024 + 1
LOOPBACK_TIMEOUT = 10.0
INTERNET_TIMEOUT = 60.0
SHORT_TIMEOUT = 30.0
LONG_TIMEOUT = 300.0
MAX_Py_ssize_t = sys.maxsize
_1M, _1G, _2G, _4G = 1 << 20, 1 << 30, 1 << 31, 1 << 32


class Error(Exception):
    pass


class TestFailed(Error):
    pass


class ResourceDenied(unittest.SkipTest):
    pass


# Values for comparisons.
class _AlwaysEqual:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False


class _NeverEqual:
    def __eq__(self, other):
        return False

    def __ne__(self, other):
        return True

    def __hash__(self):
        return 1


@functools.total_ordering
class _Largest:
    def __eq__(self, other):
        return isinstance(other, _Largest)

    def __lt__(self, other):
        return False


@functools.total_ordering
class _Smallest:
    def __eq__(self, other):
        return isinstance(other, _Smallest)

    def __gt__(self, other):
        return False


ALWAYS_EQ, NEVER_EQ = _AlwaysEqual(), _NeverEqual()
LARGEST, SMALLEST = _Largest(), _Smallest()


# Streams.
@contextlib.contextmanager
def captured_output(stream_name):
    old = getattr(sys, stream_name)
    setattr(sys, stream_name, io.StringIO())
    try:
        yield getattr(sys, stream_name)
    finally:
        setattr(sys, stream_name, old)


def captured_stdout():
    return captured_output('stdout')


def captured_stderr():
    return captured_output('stderr')


def captured_stdin():
    return captured_output('stdin')


# Memory.
def gc_collect():
    for _ in range(3):
        gc.collect()


@contextlib.contextmanager
def disable_gc():
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def check_free_after_iterating(test, iter, cls, args=()):
    class Derived(cls):
        def __del__(self):
            nonlocal done
            done = True
            try:
                next(it)
            except StopIteration:
                pass
    done = False
    it = iter(Derived(*args))
    test.assertRaises(StopIteration, next, it)
    gc_collect()
    test.assertTrue(done)


# Skips.
def _keep(item):
    return item


def is_resource_enabled(resource):
    return use_resources is None or resource in use_resources


def requires(resource, msg=None):
    if not is_resource_enabled(resource):
        raise ResourceDenied(msg or f'Use of the {resource!r} resource not enabled')


def requires_resource(resource):
    return _keep if is_resource_enabled(resource) else \
        unittest.skip(f"resource {resource!r} is not enabled")


def check_impl_detail(**guards):
    default = not all(guards.values()) if guards else False
    return guards.get(sys.implementation.name, default)


def impl_detail(msg=None, **guards):
    if not guards:
        guards = {'cpython': True}
    if check_impl_detail(**guards):
        return _keep
    return unittest.skip(msg or f'implementation detail of {", ".join(sorted(guards))}')


def cpython_only(test):
    return impl_detail(cpython=True)(test)


def requires_IEEE_754(test):
    return test


def requires_docstrings(test):
    return unittest.skip('test requires docstrings')(test)


HAVE_DOCSTRINGS = False
requires_zlib = requires_gzip = requires_bz2 = requires_lzma = lambda reason=None: _keep


def _skipped(reason):
    return lambda *args: unittest.skip(reason) if not args or not callable(args[0]) else \
        unittest.skip(reason)(args[0])


requires_subprocess = _skipped('tasks start no processes')
requires_fork = _skipped('tasks start no processes')
requires_venv_with_pip = _skipped('tasks start no processes')
requires_working_socket = _skipped('tasks reach no network')
anticipate_failure = lambda condition: unittest.expectedFailure if condition else _keep
skip_if_buildbot = skip_if_broken_multiprocessing_synchronize = lambda reason=None: _keep


def skip_if_sanitizer(reason=None, *, address=False, memory=False, ub=False, thread=False):
    return _keep


def check_sanitizer(*, address=False, memory=False, ub=False, thread=False):
    return False


def no_tracing(function):
    return function


def refcount_test(test):
    return cpython_only(test)


def bigmemtest(size, memuse, dry_run=True):
    def decorate(function):
        @functools.wraps(function)
        def run(self):
            return function(self, 5147)
        run.size, run.memuse = size, memuse
        return run
    return decorate


def bigaddrspacetest(function):
    return unittest.skip('needs more memory than tasks have')(function)


def run_with_locale(catstr, *locales):
    return _keep


def run_with_tz(tz):
    return _keep


# Limits.
@contextlib.contextmanager
def set_recursion_limit(limit):
    old = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(limit)
        yield
    finally:
        sys.setrecursionlimit(old)


def infinite_recursion(max_depth=75):
    return set_recursion_limit(max(max_depth, 75))


@contextlib.contextmanager
def adjust_int_max_str_digits(max_digits):
    old = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(max_digits)
        yield
    finally:
        sys.set_int_max_str_digits(old)


# Attributes and items for a while.
@contextlib.contextmanager
def swap_attr(obj, attr, new_val):
    there = hasattr(obj, attr)
    old = getattr(obj, attr, None)
    setattr(obj, attr, new_val)
    try:
        yield old
    finally:
        if there:
            setattr(obj, attr, old)
        elif hasattr(obj, attr):
            delattr(obj, attr)


@contextlib.contextmanager
def swap_item(obj, item, new_val):
    there = item in obj
    old = obj[item] if there else None
    obj[item] = new_val
    try:
        yield old
    finally:
        if there:
            obj[item] = old
        elif item in obj:
            del obj[item]


class catch_unraisable_exception:
    def __init__(self):
        self.unraisable = None

    def __enter__(self):
        self._old = sys.unraisablehook
        sys.unraisablehook = self._take
        return self

    def _take(self, unraisable):
        self.unraisable = unraisable

    def __exit__(self, *error):
        sys.unraisablehook = self._old
        self.unraisable = None


# Checks.
def sortdict(dict):
    return '{%s}' % ', '.join('%r: %r' % pair for pair in sorted(dict.items()))


def check__all__(test_case, module, name_of_module=None, extra=(), not_exported=()):
    names = (name_of_module or module.__name__,)
    names = names[0] if isinstance(names[0], tuple) else names
    expected = set(extra)
    for name in dir(module):
        if name.startswith('_') or name in not_exported:
            continue
        item = getattr(module, name)
        if getattr(item, '__module__', None) in names or (
                not hasattr(item, '__module__') and not isinstance(item, types.ModuleType)):
            expected.add(name)
    test_case.assertCountEqual(module.__all__, expected)


def check_sizeof(test, o, size):
    test.assertEqual(sys.getsizeof(o), size)


def detect_api_mismatch(ref_api, other_api, *, ignore=()):
    return {name for name in set(dir(ref_api)) - set(dir(other_api))
            if name not in ignore and (not name.startswith('_') or name.endswith('__'))}


def iter_builtin_types():
    import builtins
    for name in dir(builtins):
        if isinstance(getattr(builtins, name), type):
            yield getattr(builtins, name)


# Running.
def run_unittest(*classes):
    loader = unittest.TestLoader()
    suite = unittest.TestSuite()
    for cls in classes:
        if isinstance(cls, str):
            suite.addTest(loader.loadTestsFromModule(sys.modules[cls]))
        elif isinstance(cls, type):
            suite.addTest(loader.loadTestsFromTestCase(cls))
        else:
            suite.addTest(cls)
    result = unittest.TextTestRunner(verbosity=2 if verbose else 1).run(suite)
    if not result.wasSuccessful():
        raise TestFailed('errors and failures in tests')


def reap_children():
    pass


def print_warning(msg):
    print(f'Warning -- {msg}', file=sys.stderr)


def flush_std_streams():
    sys.stdout.flush()
    sys.stderr.flush()


def get_attribute(obj, name):
    try:
        return getattr(obj, name)
    except AttributeError:
        raise unittest.SkipTest(f'object {obj!r} has no attribute {name!r}')
