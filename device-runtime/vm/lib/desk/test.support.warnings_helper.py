"""Warnings of tests, after the documentation of test.support.warnings_helper."""
import contextlib
import functools
import re
import warnings


class WarningsRecorder:
    def __init__(self, warnings_list):
        self._warnings = warnings_list
        self._last = 0

    def __getattr__(self, attr):
        if len(self._warnings) > self._last:
            return getattr(self._warnings[-1], attr)
        if attr in ('message', 'category', 'filename', 'lineno', 'file', 'line'):
            return None
        raise AttributeError(f'{self!r} has no attribute {attr!r}')

    @property
    def warnings(self):
        return self._warnings[self._last:]

    def reset(self):
        self._last = len(self._warnings)


@contextlib.contextmanager
def _filtered(filters, quiet):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        yield WarningsRecorder(seen)
    left = list(seen)
    missing = []
    for message, category in filters:
        matching = [one for one in left if issubclass(one.category, category)
                    and re.match(message, str(one.message), re.I)]
        if not matching and not quiet:
            missing.append((message, category.__name__))
        left = [one for one in left if one not in matching]
    if left:
        raise AssertionError(f'unhandled warning {left[0]}')
    if missing:
        raise AssertionError(f'filter {missing[0]} did not catch any warning')


def check_warnings(*filters, quiet=None):
    if not filters:
        filters = (('', Warning),)
        quiet = True if quiet is None else quiet
    return _filtered(filters, bool(quiet))


@contextlib.contextmanager
def check_no_warnings(testcase, message='', category=Warning, force_gc=False):
    with warnings.catch_warnings(record=True) as seen:
        warnings.filterwarnings('always', message=message, category=category)
        yield
    testcase.assertEqual(seen, [])


def check_no_resource_warning(testcase):
    return check_no_warnings(testcase, category=ResourceWarning)


def ignore_warnings(*, category):
    def decorate(test):
        @functools.wraps(test)
        def run(self, *args, **kwargs):
            with warnings.catch_warnings():
                warnings.simplefilter('ignore', category=category)
                return test(self, *args, **kwargs)
        return run
    return decorate


@contextlib.contextmanager
def save_restore_warnings_filters():
    with warnings.catch_warnings():
        yield
