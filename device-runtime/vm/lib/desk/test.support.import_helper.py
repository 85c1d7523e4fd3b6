"""Imports of tests, after the documentation of test.support.import_helper."""
import _ferry
import contextlib
import unittest


def import_module(name, deprecated=False, *, required_on=()):
    try:
        return _ferry.load(name)
    except ImportError as error:
        raise unittest.SkipTest(str(error))


def import_fresh_module(name, fresh=(), blocked=(), deprecated=False):
    # Every module exists once; without the blocked ones there is no other form of it.
    if blocked:
        try:
            _ferry.load(blocked[0])
        except ImportError:
            pass
        else:
            return None
    try:
        for one in fresh:
            _ferry.load(one)
        return _ferry.load(name)
    except ImportError:
        return None


def unload(name):
    pass


forget = unload


@contextlib.contextmanager
def isolated_modules():
    yield
