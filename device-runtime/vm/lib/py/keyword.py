__all__ = ['iskeyword', 'issoftkeyword', 'kwlist', 'softkwlist']

kwlist = ['False', 'None', 'True', 'and', 'as', 'assert', 'async', 'await', 'break', 'class',
          'continue', 'def', 'del', 'elif', 'else', 'except', 'finally', 'for', 'from', 'global',
          'if', 'import', 'in', 'is', 'lambda', 'nonlocal', 'not', 'or', 'pass', 'raise', 'return',
          'try', 'while', 'with', 'yield']
softkwlist = ['_', 'case', 'match']

_hard = frozenset(kwlist)
_soft = frozenset(softkwlist)


def iskeyword(name):
    return name in _hard


def issoftkeyword(name):
    return name in _soft
