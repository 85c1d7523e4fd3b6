"""Variables whose values belong to a context: every task of asyncio has one of its own."""
import sys
from types import GenericAlias

__all__ = ['Context', 'ContextVar', 'Token', 'copy_context']


class _Missing:
    def __repr__(self):
        return '<Token.MISSING>'


_missing = _Missing()


class ContextVar:
    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, name, *, default=_missing):
        if not isinstance(name, str):
            raise TypeError('context variable name must be a str')
        self._name, self._default = name, default

    name = property(lambda self: self._name)

    def get(self, default=_missing, /):
        value = _now[0]._values.get(self, _missing)
        if value is not _missing:
            return value
        value = self._default if default is _missing else default
        if value is _missing:
            raise LookupError(self)
        return value

    def set(self, value, /):
        values = _now[0]._values
        token = Token(self, values.get(self, _missing), _now[0])
        values[self] = value
        return token

    def reset(self, token, /):
        if not isinstance(token, Token):
            raise TypeError(f'expected an instance of Token, got {token!r}')
        if token._used:
            raise RuntimeError(f'{token!r} has already been used once')
        if token._var is not self:
            raise ValueError(f'{token!r} was created by a different ContextVar')
        if token._context is not _now[0]:
            raise ValueError(f'{token!r} was created in a different Context')
        token._used = True
        if token._old is _missing:
            del _now[0]._values[self]
        else:
            _now[0]._values[self] = token._old

    def __repr__(self):
        default = '' if self._default is _missing else f' default={self._default!r}'
        return f'<ContextVar name={self._name!r}{default} at {id(self):#x}>'


class Token:
    MISSING = _missing
    __hash__ = None
    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, var, old, context):
        self._var, self._old, self._context, self._used = var, old, context, False

    var = property(lambda self: self._var)
    old_value = property(lambda self: self._old)

    def __repr__(self):
        used = ' used' if self._used else ''
        return f'<Token{used} var={self._var!r} at {id(self):#x}>'


class Context:
    def __init__(self):
        self._values, self._entered = {}, False

    def run(self, callable, /, *args, **kwargs):
        if self._entered:
            raise RuntimeError(f'cannot enter context: {self!r} is already entered')
        before, _now[0], self._entered = _now[0], self, True
        try:
            return callable(*args, **kwargs)
        finally:
            _now[0], self._entered = before, False

    def copy(self):
        made = Context()
        made._values = dict(self._values)
        return made

    def _key(self, var):
        if not isinstance(var, ContextVar):
            raise TypeError(f'a ContextVar key was expected, got {var!r}')
        return var

    def __getitem__(self, var):
        return self._values[self._key(var)]

    def __contains__(self, var):
        return self._key(var) in self._values

    def get(self, var, default=None, /):
        return self._values.get(self._key(var), default)

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __eq__(self, other):
        return self._values == other._values if isinstance(other, Context) else NotImplemented

    __hash__ = None

    def keys(self):
        return self._values.keys()

    def values(self):
        return self._values.values()

    def items(self):
        return self._values.items()


_now = [Context()]


def copy_context():
    return _now[0].copy()


if 'asyncio' in sys.modules:
    sys.modules['asyncio']._copy_context = copy_context
