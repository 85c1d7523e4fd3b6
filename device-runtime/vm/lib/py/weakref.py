"""Weak references. What only they refer to is gone after the next collection, gc.collect() or `del`."""
import _weakref
from _weakref import ReferenceType

__all__ = ['ref', 'proxy', 'getweakrefcount', 'getweakrefs', 'WeakKeyDictionary', 'ReferenceType',
           'ProxyType', 'CallableProxyType', 'ProxyTypes', 'WeakValueDictionary', 'WeakSet',
           'WeakMethod', 'finalize']
ref = ReferenceType


def getweakrefs(obj):
    return _weakref.references(obj)


def getweakrefcount(obj):
    return len(_weakref.references(obj))


def _target(p):
    obj = object.__getattribute__(p, '_ref')()
    if obj is None:
        raise ReferenceError('weakly-referenced object no longer exists')
    return obj


def _plain(v):
    return _target(v) if isinstance(v, ProxyTypes) else v


class ProxyType:
    __slots__ = ('_ref', '__weakref__')
    __hash__ = None

    def __getattribute__(self, name):
        return getattr(_target(self), name)

    def __setattr__(self, name, value):
        setattr(_target(self), name, value)

    def __delattr__(self, name):
        delattr(_target(self), name)

    def __repr__(self):
        obj = _target(self)
        return f'<weakproxy at {id(self):#x} to {type(obj).__name__} at {id(obj):#x}>'

    def __str__(self):
        return str(_target(self))

    def __bool__(self):
        return bool(_target(self))

    def __index__(self):
        return _target(self).__index__()

    def __format__(self, spec):
        return format(_target(self), spec)


def _forward(name):
    import operator
    plain = getattr(operator, name, None)

    def method(self, *args):
        args = [_plain(v) for v in args]
        if plain is not None:
            return plain(_target(self), *args)
        return getattr(_target(self), name)(*args)
    method.__name__ = name
    return method


for _name in ('lt le eq ne gt ge add sub mul truediv floordiv mod pow matmul lshift rshift and or '
              'xor neg pos abs invert iadd isub imul itruediv ifloordiv imod ipow ilshift irshift '
              'iand ior ixor contains getitem setitem delitem').split():
    setattr(ProxyType, f'__{_name}__', _forward(f'__{_name}__'))


def _reflected(name):
    import operator
    plain = getattr(operator, f'__{name}__')
    return lambda self, other: plain(_plain(other), _target(self))


for _name in 'add sub mul truediv floordiv mod pow matmul lshift rshift and or xor'.split():
    setattr(ProxyType, f'__r{_name}__', _reflected(_name))
ProxyType.__len__ = lambda self: len(_target(self))
ProxyType.__iter__ = lambda self: iter(_target(self))
ProxyType.__next__ = lambda self: next(_target(self))


class CallableProxyType(ProxyType):
    __slots__ = ()

    def __call__(self, *args, **kwargs):
        return _target(self)(*args, **kwargs)


ProxyTypes = (ProxyType, CallableProxyType)


def proxy(object_, callback=None, /):
    made = (CallableProxyType if callable(object_) else ProxyType)()
    hook = None if callback is None else lambda _: callback(made)
    object.__setattr__(made, '_ref', ref(object_, hook))
    return made


class WeakMethod(ref):
    def __new__(cls, method, callback=None):
        try:
            obj, function = method.__self__, method.__func__
        except AttributeError:
            raise TypeError(f'argument should be a bound method, not {type(method)}') from None
        self = ref.__new__(cls, obj, callback)
        self._function = function
        self._type = type(method)
        return self

    def __init__(self, method, callback=None):
        pass

    def __call__(self):
        obj = super().__call__()
        return None if obj is None else self._type(self._function, obj)

    def __eq__(self, other):
        if isinstance(other, WeakMethod):
            return super().__eq__(other) and self._function == other._function
        return NotImplemented

    __hash__ = ref.__hash__


class _Weak:
    """A mapping over `self.data`; entries whose object is gone do not count."""

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __iter__(self):
        return self.keys()

    def __len__(self):
        return sum(1 for _ in self.items())

    def keys(self):
        for key, _ in self.items():
            yield key

    def values(self):
        for _, value in self.items():
            yield value

    def setdefault(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            self[key] = default
            return default

    def update(self, other=(), /, **kwargs):
        for key, value in dict(other, **kwargs).items():
            self[key] = value

    def popitem(self):
        for key, value in list(self.items()):
            del self[key]
            return key, value
        raise KeyError('dictionary is empty')

    def pop(self, key, *default):
        try:
            value = self[key]
        except KeyError:
            if default:
                return default[0]
            raise
        del self[key]
        return value

    def clear(self):
        self.data.clear()

    def copy(self):
        made = type(self)()
        made.update(self.items())
        return made

    __copy__ = copy

    def __eq__(self, other):
        return dict(self.items()) == dict(other.items()) if isinstance(
            other, (_Weak, dict)) else NotImplemented

    def __or__(self, other):
        made = self.copy()
        made.update(other)
        return made

    def __ior__(self, other):
        self.update(other)
        return self

    def __repr__(self):
        return f'<{type(self).__name__} at {id(self):#x}>'

    __hash__ = None


class WeakValueDictionary(_Weak):
    def __init__(self, other=(), /, **kwargs):
        self.data = {}
        self.update(other, **kwargs)

    def __getitem__(self, key):
        value = self.data[key]()
        if value is None:
            raise KeyError(key)
        return value

    def __setitem__(self, key, value):
        data = self.data

        def gone(reference):
            if data.get(key) is reference:
                del data[key]
        data[key] = ref(value, gone)

    def __delitem__(self, key):
        del self.data[key]

    def __contains__(self, key):
        return key in self.data and self.data[key]() is not None

    def items(self):
        for key, reference in list(self.data.items()):
            value = reference()
            if value is not None:
                yield key, value

    def valuerefs(self):
        return list(self.data.values())


class WeakKeyDictionary(_Weak):
    def __init__(self, other=None):
        self.data = {}
        if other is not None:
            self.update(other)

    def __getitem__(self, key):
        return self.data[ref(key)]

    def __setitem__(self, key, value):
        self.data[ref(key, lambda reference: self.data.pop(reference, None))] = value

    def __delitem__(self, key):
        del self.data[ref(key)]

    def __contains__(self, key):
        try:
            return ref(key) in self.data
        except TypeError:
            return False

    def items(self):
        for reference, value in list(self.data.items()):
            key = reference()
            if key is not None:
                yield key, value

    def keyrefs(self):
        return list(self.data)


from collections.abc import MutableMapping as _Mapping, MutableSet as _Set
_Mapping.register(_Weak)


class WeakSet(_Set):
    def __init__(self, data=None):
        self.data = set()
        for item in data or ():
            self.add(item)

    def __iter__(self):
        for reference in list(self.data):
            item = reference()
            if item is not None:
                yield item

    def __len__(self):
        return sum(1 for _ in self)

    def __contains__(self, item):
        try:
            return ref(item) in self.data
        except TypeError:
            return False

    def add(self, item):
        self.data.add(ref(item, self.data.discard))

    def discard(self, item):
        self.data.discard(ref(item))

    def remove(self, item):
        self.data.remove(ref(item))

    def clear(self):
        self.data.clear()

    def update(self, other):
        for item in other:
            self.add(item)

    def copy(self):
        return type(self)(self)

    __copy__ = copy

    def difference(self, other):
        made = self.copy()
        made.difference_update(other)
        return made

    __sub__ = difference

    def difference_update(self, other):
        if self is other:
            self.clear()
        for item in other:
            self.discard(item)

    def __isub__(self, other):
        self.difference_update(other)
        return self

    def intersection(self, other):
        return type(self)([item for item in other if item in self])

    __and__ = intersection

    def intersection_update(self, other):
        self.data &= {ref(item) for item in other}

    def __iand__(self, other):
        self.intersection_update(other)
        return self

    def issubset(self, other):
        return set(self).issubset(other)

    __le__ = issubset

    def issuperset(self, other):
        return set(self).issuperset(other)

    __ge__ = issuperset

    def __lt__(self, other):
        return set(self) < set(other)

    def __gt__(self, other):
        return set(self) > set(other)

    def __eq__(self, other):
        return set(self) == set(other) if isinstance(other, type(self)) else NotImplemented

    def symmetric_difference(self, other):
        made = self.copy()
        made.symmetric_difference_update(other)
        return made

    __xor__ = symmetric_difference

    def symmetric_difference_update(self, other):
        for item in list(other):
            (self.discard if item in self else self.add)(item)

    def __ixor__(self, other):
        self.symmetric_difference_update(other)
        return self

    def union(self, other):
        return type(self)([*self, *other])

    __or__ = union

    def __ior__(self, other):
        self.update(other)
        return self

    def isdisjoint(self, other):
        return not self.intersection(other)

    def __repr__(self):
        return repr({ref(item) for item in self}) if len(self) else 'set()'


class finalize:
    """Calls `func` once, when `obj` is gone or when called."""
    _living = []

    def __init__(self, obj, func, /, *args, **kwargs):
        self._call = (func, args, kwargs)
        self._ref = ref(obj, self._gone)
        self.atexit = True
        finalize._living.append(self)

    def _gone(self, _=None):
        self()

    def detach(self):
        call, obj = self._call, self._ref()
        self._forget()
        return None if call is None or obj is None else (obj, *call)

    def peek(self):
        obj = self._ref()
        return None if self._call is None or obj is None else (obj, *self._call)

    def _forget(self):
        self._call = None
        if self in finalize._living:
            finalize._living.remove(self)

    @property
    def alive(self):
        return self._call is not None

    def __call__(self, _=None):
        call = self._call
        if call is None:
            return None
        self._forget()
        function, args, kwargs = call
        return function(*args, **kwargs)
