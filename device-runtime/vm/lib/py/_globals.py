"""What built-in functions ask of Python: the dict that globals() gives, anext() with a default."""
import _ferry

_made = {}


class _Globals(dict):
    __slots__ = ('module',)

    def _all(self):
        return _ferry.variables(self.module)

    def __getitem__(self, name):
        try:
            return self._all()[name]
        except KeyError:
            raise KeyError(name) from None

    def __setitem__(self, name, value):
        if not isinstance(name, str):
            raise TypeError('names of variables must be strings')
        setattr(self.module, name, value)

    def __delitem__(self, name):
        try:
            delattr(self.module, name)
        except AttributeError:
            raise KeyError(name) from None

    def __contains__(self, name):
        return name in self._all()

    def __iter__(self):
        return iter(self._all())

    def __len__(self):
        return len(self._all())

    def __repr__(self):
        return repr(self._all())

    def __eq__(self, other):
        return self._all() == (other._all() if isinstance(other, _Globals) else other)

    def __or__(self, other):
        return self._all() | other

    def get(self, name, default=None):
        return self._all().get(name, default)

    def keys(self):
        return self._all().keys()

    def values(self):
        return self._all().values()

    def items(self):
        return self._all().items()

    def popitem(self):
        if not self:
            raise KeyError('popitem(): dictionary is empty')
        name = list(self)[-1]
        return name, self.pop(name)

    def clear(self):
        for name in list(self):
            del self[name]

    def __reversed__(self):
        return reversed(self._all())

    def __ior__(self, other):
        self.update(other)
        return self

    def __ror__(self, other):
        return other | self._all()

    def copy(self):
        return self._all()

    def pop(self, name, *default):
        value = self._all().pop(name, *default)
        if name in self:
            del self[name]
        return value

    def setdefault(self, name, default=None):
        if name not in self:
            self[name] = default
        return self[name]

    def update(self, other=(), /, **kwargs):
        for name, value in dict(other, **kwargs).items():
            self[name] = value


_Globals.__name__ = _Globals.__qualname__ = 'dict'
_Globals.__module__ = 'builtins'


def of(module):
    key = id(module)
    made = _made.get(key)
    if made is None:
        made = _made[key] = _Globals()
        made.module = module
    return made


async def next_or(item, default):
    try:
        return await item
    except StopAsyncIteration:
        return default
