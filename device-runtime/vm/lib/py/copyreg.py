"""How objects are taken apart and made again: what __reduce_ex__ of object knows, and what scripts register."""
import _ferry

__all__ = ['pickle', 'constructor', 'add_extension', 'remove_extension', 'clear_extension_cache']
dispatch_table = {}
_extension_registry = {}
_inverted_registry = {}
_extension_cache = {}
_bytearray = _ferry.lookup('', 'bytearray', bytes)


def pickle(ob_type, pickle_function, constructor_ob=None):
    if not callable(pickle_function):
        raise TypeError('reduction functions must be callable')
    dispatch_table[ob_type] = pickle_function
    if constructor_ob is not None:
        constructor(constructor_ob)


def constructor(object):
    if not callable(object):
        raise TypeError('constructors must be callable')


def __newobj__(cls, *args):
    return cls.__new__(cls, *args)


def __newobj_ex__(cls, args, kwargs):
    return cls.__new__(cls, *args, **kwargs)


def _reconstructor(cls, base, state):
    if base is object:
        return object.__new__(cls)
    obj = base.__new__(cls, state)
    if base.__init__ != object.__init__:
        base.__init__(obj, state)
    return obj


def _slotnames(cls):
    names = cls.__dict__.get('__slotnames__')
    if names is not None:
        return names
    names = []
    for base in cls.__mro__:
        slots = base.__dict__.get('__slots__', ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name in ('__dict__', '__weakref__'):
                continue
            if name.startswith('__') and not name.endswith('__'):
                stripped = base.__name__.lstrip('_')
                name = f'_{stripped}{name}' if stripped else name
            names.append(name)
    return names


def _state(obj):
    state = getattr(obj, '__dict__', None) or None
    if state is not None:
        state = dict(state)
    slots = {}
    for name in _slotnames(type(obj)):
        try:
            slots[name] = getattr(obj, name)
        except AttributeError:
            pass
    return (state, slots) if slots else state


def _refuse(obj):
    if type(obj).__name__ == 'memoryview':
        raise TypeError('cannot pickle memoryview objects')
    raise TypeError(f'cannot pickle {type(obj).__name__!r} object')


def _of_exception(obj, protocol):
    args, state = obj.args, dict(obj.__dict__)
    if isinstance(obj, ImportError):
        for name in ('name', 'path'):
            if getattr(obj, name, None) is not None:
                state[name] = getattr(obj, name)
    elif isinstance(obj, OSError) and len(args) == 2 and obj.filename is not None:
        args = (*args, obj.filename)
        if obj.filename2 is not None:
            args = (*args, None, obj.filename2)
    return (type(obj), args, state) if state else (type(obj), args)


def _of_set(obj, protocol):
    return type(obj), (list(obj),), obj.__getstate__()


def _of_bytearray(obj, protocol):
    plain = bytes(obj)
    state = obj.__getstate__()
    if protocol < 3:
        return type(obj), ((plain.decode('latin-1'), 'latin-1') if plain else ()), state
    return type(obj), ((plain,) if plain else ()), state


def _of_method(obj, protocol):
    return getattr, (obj.__self__, obj.__func__.__name__)


def _of_builtin(obj, protocol):
    owner = getattr(obj, '__self__', None)
    if owner is None or type(owner).__name__ == 'module':
        return obj.__qualname__
    return getattr, (owner, obj.__name__)


class _Probe:
    def method(self):
        pass


_BUILTIN = {BaseException: _of_exception, set: _of_set, frozenset: _of_set,
            _bytearray: _of_bytearray,
            range: lambda obj, protocol: (range, (obj.start, obj.stop, obj.step)),
            slice: lambda obj, protocol: (slice, (obj.start, obj.stop, obj.step)),
            type(Ellipsis): lambda obj, protocol: 'Ellipsis',
            type(NotImplemented): lambda obj, protocol: 'NotImplemented',
            type(_Probe().method): _of_method, type(len): _of_builtin,
            type([].append): _of_builtin}
_ALIAS, _UNION = type(list[int]), type(int | str)


def _either(args):
    made = args[0]
    for one in args[1:]:
        made = made | one
    return made


def _of_library(obj, cls):
    # Classes of the library that keep their items out of sight.
    for base in cls.__mro__:
        kind = (base.__module__, base.__name__)
        if kind == ('collections', 'deque'):
            args = () if obj.maxlen is None else ((), obj.maxlen)
            return cls, args, obj.__getstate__(), iter(obj)
        if kind == ('array', 'array'):
            return cls, (obj.typecode, obj.tolist()), getattr(obj, '__dict__', None) or None
    return None


def _reduce(obj, protocol):
    cls = type(obj)
    if cls is _ALIAS:
        return _ALIAS, (obj.__origin__, obj.__args__)
    for base in cls.__mro__:
        known = _BUILTIN.get(base)
        if known is not None:
            return known(obj, protocol)
    made = _of_library(obj, cls)
    if made is not None:
        return made
    return _reduce_ex(obj, protocol) if protocol < 2 else _new(obj, cls)


_REFUSED = frozenset({'function', 'generator', 'coroutine', 'async_generator', 'module', 'cell',
                      'property', 'staticmethod', 'classmethod', 'memoryview', 'mappingproxy',
                      'dict_keys', 'dict_values', 'dict_items', 'super', 'frame', 'traceback',
                      'code', 'method_descriptor', 'wrapper_descriptor', 'member_descriptor'})


def _reduce_ex(self, proto):
    cls = type(self)
    for base in cls.__mro__:
        if base.__module__ == 'builtins':
            break
    if base is object:
        state = None
        if not _ferry.copyable(self):
            _refuse(self)
    elif base is cls and cls.__name__ in _REFUSED:
        _refuse(self)
    elif base is cls:
        raise TypeError(f'cannot pickle {cls.__name__!r} object')
    else:
        state = base(self)
    args = (cls, base, state)
    getstate = cls.__getstate__
    if getstate is object.__getstate__:
        if _slotnames(cls):
            raise TypeError('a class that defines __slots__ without defining __getstate__ '
                            'cannot be pickled')
        state = getattr(self, '__dict__', None)
    else:
        state = self.__getstate__()
    return (_reconstructor, args, state) if state else (_reconstructor, args)


def _new(obj, cls):
    if cls.__module__ == 'builtins' and cls.__name__ in _REFUSED:
        _refuse(obj)
    make = __newobj__
    if hasattr(cls, '__getnewargs_ex__'):
        given = obj.__getnewargs_ex__()
        if not isinstance(given, tuple):
            raise TypeError('__getnewargs_ex__ should return a tuple, '
                            f'not {type(given).__name__!r}')
        if len(given) != 2:
            raise ValueError('__getnewargs_ex__ should return a tuple of length 2, '
                             f'not {len(given)}')
        args, kwargs = given
        if not isinstance(args, tuple):
            raise TypeError('first item of the tuple returned by __getnewargs_ex__ must be a '
                            f'tuple, not {type(args).__name__!r}')
        if not isinstance(kwargs, dict):
            raise TypeError('second item of the tuple returned by __getnewargs_ex__ must be a '
                            f'dict, not {type(kwargs).__name__!r}')
        if kwargs:
            make, args = __newobj_ex__, (cls, args, kwargs)
        else:
            args = (cls, *args)
    elif hasattr(cls, '__getnewargs__'):
        given = obj.__getnewargs__()
        if not isinstance(given, tuple):
            raise TypeError(f'__getnewargs__ should return a tuple, not {type(given).__name__!r}')
        args = (cls, *given)
    else:
        if not isinstance(obj, (list, dict)) and not _ferry.copyable(obj):
            _refuse(obj)
        args = (cls,)
    items = iter(obj) if isinstance(obj, list) else None
    pairs = iter(obj.items()) if isinstance(obj, dict) else None
    return make, args, obj.__getstate__(), items, pairs


pickle(_ferry.lookup('', 'complex', int),
       lambda c: (type(c), (c.real, c.imag)))
pickle(_UNION, lambda obj: (_either, (obj.__args__,)))


def add_extension(module, name, code):
    code = int(code)
    if not 1 <= code <= 0x7fffffff:
        raise ValueError('code out of range')
    key = (module, name)
    if _extension_registry.get(key) == code and _inverted_registry.get(code) == key:
        return
    if key in _extension_registry:
        raise ValueError(f'key {key} is already registered with code {_extension_registry[key]}')
    if code in _inverted_registry:
        raise ValueError(f'code {code} is already in use for key {_inverted_registry[code]}')
    _extension_registry[key] = code
    _inverted_registry[code] = key


def remove_extension(module, name, code):
    key = (module, name)
    if _extension_registry.get(key) != code or _inverted_registry.get(code) != key:
        raise ValueError(f'key {key} is not registered with code {code}')
    del _extension_registry[key]
    del _inverted_registry[code]
    _extension_cache.pop(code, None)


def clear_extension_cache():
    _extension_cache.clear()
