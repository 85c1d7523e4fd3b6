from _deque import deque
import _dict
import _ferry


class defaultdict(dict):
    __init__ = _dict.__init__
    __missing__ = _dict.__missing__

    def __repr__(self):
        if _ferry.enter_repr(self):
            factory = '...'
        else:
            try:
                factory = repr(self.default_factory)
            finally:
                _ferry.leave_repr()
        return f'{type(self).__name__}({factory}, {dict.__repr__(self)})'

    def copy(self):
        return type(self)(self.default_factory, self)

    __copy__ = copy

    def __reduce__(self):
        args = () if self.default_factory is None else (self.default_factory,)
        return type(self), args, None, None, iter(self.items())

    def __or__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        made = type(self)(self.default_factory, other)
        made.update(self)
        return made


defaultdict.__module__ = 'collections'


class OrderedDict(dict):
    def __init__(self, /, *args, **kwds):
        if len(args) > 1:
            raise TypeError(f'expected at most 1 arguments, got {len(args)}')
        self.update(*args, **kwds)

    def popitem(self, last=True):
        if not self:
            raise KeyError('dictionary is empty')
        if last:
            return dict.popitem(self)
        return _ferry.popfirst(self)

    move_to_end = _dict.move_to_end

    def copy(self):
        return self.__class__(self)

    __copy__ = copy

    def __reduce__(self):
        return self.__class__, (), self.__dict__ or None, None, iter(self.items())

    @classmethod
    def fromkeys(cls, iterable, value=None):
        made = cls()
        for key in iterable:
            made[key] = value
        return made

    def __repr__(self):
        if not self:
            return f'{self.__class__.__name__}()'
        if _ferry.enter_repr(self):
            return '...'
        try:
            return f'{self.__class__.__name__}({list(self.items())!r})'
        finally:
            _ferry.leave_repr()

    def __eq__(self, other):
        if isinstance(other, OrderedDict):
            return dict.__eq__(self, other) and list(self) == list(other)
        return dict.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    __hash__ = None

    def __ior__(self, other):
        self.update(other)
        return self

    def __or__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        made = self.__class__(self)
        made.update(other)
        return made

    def __ror__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        made = self.__class__(other)
        made.update(self)
        return made


OrderedDict.__module__ = 'collections'
