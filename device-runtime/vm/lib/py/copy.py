import _ferry
from copyreg import dispatch_table as _registered

__all__ = ['Error', 'copy', 'deepcopy']


class Error(Exception):
    pass


error = Error
_bytearray = _ferry.lookup('', 'bytearray', bytes)

# Values that are their own copies.
_complex = _ferry.lookup('', 'complex', int)
_ATOMIC = frozenset({type(None), int, float, bool, _complex, str, tuple, bytes, frozenset, type,
                     range, slice, property, type(Ellipsis), type(NotImplemented), type(len),
                     type(lambda: 0)})
_DEEP_ATOMIC = _ATOMIC - {tuple, frozenset, slice}


def copy(x):
    cls = type(x)
    if cls in _ATOMIC or isinstance(x, type):
        return x
    if cls.__name__ == 'ReferenceType' and cls.__module__ == 'weakref':
        return x
    if cls is list or cls is dict or cls is set or cls is _bytearray:
        return x.copy()
    method = getattr(cls, '__copy__', None)
    if method is not None:
        return method(x)
    return _rebuild(x, _reduced(x), None)


def _reduced(x):
    cls = type(x)
    other = _ferry.clone(x)
    if other is not None:
        return lambda: other, ()
    own = _registered.get(cls)
    if own is not None:
        return own(x)
    own = getattr(cls, '__reduce_ex__', None)
    if own is not None and own is not getattr(object, '__reduce_ex__', None):
        return own(x, 4)
    own = getattr(cls, '__reduce__', None)
    if own is not None and own is not getattr(object, '__reduce__', None):
        return own(x)
    return _parts(x)


def _parts(x):
    # What makes an object again: the class and arguments of __new__, its state, items and pairs.
    cls = type(x)
    if isinstance(x, BaseException):
        return cls, x.args, x.__dict__ or None
    args = ()
    if hasattr(cls, '__getnewargs_ex__'):
        args, kwargs = x.__getnewargs_ex__()
        make = lambda *a: cls.__new__(cls, *a, **kwargs)
    else:
        if hasattr(cls, '__getnewargs__'):
            args = x.__getnewargs__()
        else:
            plain = _ferry.plain(x)
            if plain is not None:
                args = (plain,)
        make = lambda *a: cls.__new__(cls, *a)
        if not _ferry.copyable(x):
            raise TypeError(f"cannot pickle {cls.__name__!r} object")
    if hasattr(cls, '__getstate__') and cls.__getstate__ is not getattr(object, '__getstate__',
                                                                        None):
        state = x.__getstate__()
    else:
        state = getattr(x, '__dict__', None) or None
        slots = {}
        for base in cls.__mro__:
            names = base.__dict__.get('__slots__', ())
            for name in (names,) if isinstance(names, str) else names:
                if name in ('__dict__', '__weakref__'):
                    continue
                if name.startswith('__') and not name.endswith('__'):
                    stripped = base.__name__.lstrip('_')
                    if stripped:
                        name = f'_{stripped}{name}'
                try:
                    slots[name] = getattr(x, name)
                except AttributeError:
                    pass
        if slots:
            state = (state, slots)
    if isinstance(x, (set, frozenset)):
        return cls, ([*x],), state
    if isinstance(x, _bytearray):
        return cls, (bytes(x),), state
    items = iter(x) if isinstance(x, list) else None
    pairs = iter(dict.items(x)) if isinstance(x, dict) else None
    return make, args, state, items, pairs


def _rebuild(x, parts, memo):
    if isinstance(parts, str):
        return x
    make, args, state, items, pairs = (*parts, None, None, None)[:5]
    deep = memo is not None
    if deep and args:
        args = [deepcopy(arg, memo) for arg in args]
    y = make(*args)
    if deep:
        memo[id(x)] = y
    if state is not None:
        if deep:
            state = deepcopy(state, memo)
        if hasattr(y, '__setstate__'):
            y.__setstate__(state)
        else:
            if isinstance(state, tuple) and len(state) == 2:
                state, slots = state
            else:
                slots = None
            if state is not None:
                y.__dict__.update(state)
            if slots is not None:
                for name, value in slots.items():
                    setattr(y, name, value)
    if items is not None:
        for item in items:
            y.append(deepcopy(item, memo) if deep else item)
    if pairs is not None:
        for key, value in pairs:
            if deep:
                key = deepcopy(key, memo)
                value = deepcopy(value, memo)
            y[key] = value
    return y


def deepcopy(x, memo=None, _nil=[]):
    cls = type(x)
    if cls in _DEEP_ATOMIC:
        return x
    if memo is None:
        memo = {}
    key = id(x)
    y = memo.get(key, _nil)
    if y is not _nil:
        return y
    if cls is list:
        y = []
        memo[key] = y
        for item in x:
            y.append(deepcopy(item, memo))
    elif cls is dict:
        y = {}
        memo[key] = y
        for k, v in x.items():
            y[deepcopy(k, memo)] = deepcopy(v, memo)
    elif cls is tuple:
        y = _deepcopy_tuple(x, memo)
    elif isinstance(x, type):
        return x
    else:
        method = getattr(x, '__deepcopy__', None)
        if method is not None:
            y = method(memo)
        elif cls is set or cls is frozenset or cls is _bytearray:
            y = cls([deepcopy(item, memo) for item in x])
        elif cls is _METHOD:
            y = cls(x.__func__, deepcopy(x.__self__, memo))
        else:
            y = _rebuild(x, _reduced(x), memo)
    if y is not x:
        memo[key] = y
        memo.setdefault(id(memo), []).append(x)
    return y


def _deepcopy_tuple(x, memo):
    made = [deepcopy(item, memo) for item in x]
    try:
        return memo[id(x)]
    except KeyError:
        pass
    for old, new in zip(x, made):
        if old is not new:
            return tuple(made)
    return x


class _Probe:
    def method(self):
        pass


_METHOD = type(_Probe().method)
