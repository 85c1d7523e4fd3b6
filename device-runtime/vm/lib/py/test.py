"""What tests share: see test.support."""
import _ferry


def __getattr__(name):
    if name == 'support':
        return _ferry.load('test.support')
    raise AttributeError(f"module 'test' has no attribute {name!r}")
