"""The collector. It needs no counts of references: most of this only answers."""
from _weakref import collect as _collect

callbacks = []
garbage = []
DEBUG_STATS, DEBUG_COLLECTABLE, DEBUG_UNCOLLECTABLE, DEBUG_SAVEALL, DEBUG_LEAK = 1, 2, 4, 32, 38
_enabled = True
_threshold = (700, 10, 10)
_debug = 0


def collect(generation=2):
    return _collect()


def enable():
    global _enabled
    _enabled = True


def disable():
    global _enabled
    _enabled = False


def isenabled():
    return _enabled


def get_threshold():
    return _threshold


def set_threshold(threshold0, threshold1=10, threshold2=10):
    global _threshold
    _threshold = (threshold0, threshold1, threshold2)


def get_count():
    return (0, 0, 0)


def get_stats():
    return [{'collections': 0, 'collected': 0, 'uncollectable': 0} for _ in range(3)]


def get_debug():
    return _debug


def set_debug(flags):
    global _debug
    _debug = flags


def freeze():
    pass


def unfreeze():
    pass


def get_freeze_count():
    return 0


def is_tracked(obj):
    return not isinstance(obj, (int, float, complex, str, bytes, type(None)))


def is_finalized(obj):
    return False
