import _ferry
from _functools import cmp_to_key, partial as _partial, reduce, _lru_cache_wrapper as _lru
from types import GenericAlias, MethodType

__all__ = ['update_wrapper', 'wraps', 'WRAPPER_ASSIGNMENTS', 'WRAPPER_UPDATES', 'total_ordering',
           'cache', 'cmp_to_key', 'lru_cache', 'reduce', 'partial', 'partialmethod',
           'singledispatch', 'singledispatchmethod', 'cached_property']

WRAPPER_ASSIGNMENTS = ('__module__', '__name__', '__qualname__', '__doc__', '__annotations__')
WRAPPER_UPDATES = ('__dict__',)


class partial(_partial):
    __class_getitem__ = classmethod(GenericAlias)

    def __reduce__(self):
        return _again, (type(self), self.func, self.args, self.keywords, self.__dict__ or None)


def _again(cls, function, args, keywords, attributes):
    made = cls(function, *args, **keywords)
    if attributes:
        made.__dict__.update(attributes)
    return made


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    for name in assigned:
        try:
            value = getattr(wrapped, name)
        except AttributeError:
            pass
        else:
            setattr(wrapper, name, value)
    for name in updated:
        getattr(wrapper, name).update(getattr(wrapped, name, {}))
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    return partial(update_wrapper, wrapped=wrapped, assigned=assigned, updated=updated)


def _derived(root, name, combine):
    # An ordering made of the method `root` that the class has.
    def method(self, other):
        answer = getattr(type(self), root)(self, other)
        if answer is NotImplemented:
            return answer
        return combine(self, other, answer)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = (f'Return a {_SIGNS[name]} b.  Computed by @total_ordering from '
                      f'{combine.__defaults__[0] % _SIGNS[root]}.')
    return method


_SIGNS = {'__lt__': '<', '__le__': '<=', '__gt__': '>', '__ge__': '>='}
_not = lambda s, o, r, how='(not a %s b)': not r
_not_and_ne = lambda s, o, r, how='(not a %s b) and (a != b)': not r and s != o
_or_eq = lambda s, o, r, how='(a %s b) or (a == b)': r or s == o
_and_ne = lambda s, o, r, how='(a %s b) and (a != b)': r and s != o
_not_or_eq = lambda s, o, r, how='(not a %s b) or (a == b)': not r or s == o
_ORDERINGS = {
    '__lt__': (('__gt__', _not_and_ne), ('__le__', _or_eq), ('__ge__', _not)),
    '__le__': (('__ge__', _not_or_eq), ('__lt__', _and_ne), ('__gt__', _not)),
    '__gt__': (('__lt__', _not_and_ne), ('__ge__', _or_eq), ('__le__', _not)),
    '__ge__': (('__le__', _not_or_eq), ('__gt__', _and_ne), ('__lt__', _not)),
}


def total_ordering(cls):
    roots = {name for name in _ORDERINGS
             if getattr(cls, name, None) is not getattr(object, name, None)}
    if not roots:
        raise ValueError('must define at least one ordering operation: < > <= >=')
    root = max(roots)
    for name, combine in _ORDERINGS[root]:
        if name not in roots:
            setattr(cls, name, _derived(root, name, combine))
    return cls


def lru_cache(maxsize=128, typed=False):
    if isinstance(maxsize, int):
        maxsize = max(maxsize, 0)
    elif callable(maxsize) and isinstance(typed, bool):
        function, maxsize = maxsize, 128
        return _cached(function, maxsize, typed)
    elif maxsize is not None:
        raise TypeError('Expected first argument to be an integer, a callable, or None')
    return lambda function: _cached(function, maxsize, typed)


_MISSING = object()


class _lru_cache_wrapper(_lru):
    __module__ = 'functools'

    def cache_info(self):
        return _cache_info()(*self._info())

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return self.__qualname__


def _miss(self, /, *args, **kwds):
    value = self._get(args, kwds, _MISSING)
    if value is _MISSING:
        if not kwds:
            return _missed(self, *args)
        value = self._put(args, self._function()(*args, **kwds), kwds)
    return value


def _missed(self, /, *args):
    function = self._function()
    # Calls without * nest deeper.
    count = len(args)
    if count == 1:
        value = function(args[0])
    elif count == 2:
        value = function(args[0], args[1])
    elif count == 3:
        value = function(args[0], args[1], args[2])
    else:
        value = function(*args)
    return self._put(args, value)


def _cached(function, maxsize, typed):
    wrapper = _lru_cache_wrapper(maxsize, bool(typed), function, _miss, _missed)
    wrapper.cache_parameters = lambda: {'maxsize': maxsize, 'typed': typed}
    return update_wrapper(wrapper, function)


_info_class = None


def _cache_info():
    global _info_class
    if _info_class is None:
        from collections import namedtuple
        _info_class = namedtuple('CacheInfo', ['hits', 'misses', 'maxsize', 'currsize'])
        _info_class.__module__ = 'functools'
    return _info_class


def cache(user_function, /):
    return lru_cache(maxsize=None)(user_function)


class partialmethod:
    def __init__(self, func, /, *args, **keywords):
        if not callable(func) and not hasattr(func, '__get__'):
            raise TypeError(f'{func!r} is not callable or a descriptor')
        if isinstance(func, partialmethod):
            self.func = func.func
            self.args = func.args + args
            self.keywords = {**func.keywords, **keywords}
        else:
            self.func = func
            self.args = args
            self.keywords = keywords

    def __repr__(self):
        parts = [repr(self.func), *map(repr, self.args),
                 *[f'{k}={v!r}' for k, v in self.keywords.items()]]
        return f'functools.partialmethod({", ".join(parts)})'

    def _make_unbound_method(self):
        def _method(cls_or_self, /, *args, **keywords):
            return self.func(cls_or_self, *self.args, *args, **{**self.keywords, **keywords})

        _method.__isabstractmethod__ = self.__isabstractmethod__
        _method._partialmethod = self
        return _method

    def __get__(self, obj, cls=None):
        get = getattr(self.func, '__get__', None)
        if get is not None:
            new_func = get(obj, cls)
            if new_func is not self.func:
                result = partial(new_func, *self.args, **self.keywords)
                try:
                    result.__self__ = new_func.__self__
                except AttributeError:
                    pass
                return result
        return self._make_unbound_method().__get__(obj, cls)

    @property
    def __isabstractmethod__(self):
        return getattr(self.func, '__isabstractmethod__', False)

    __class_getitem__ = classmethod(GenericAlias)


_NOT_FOUND = object()


class cached_property:
    def __init__(self, func):
        self.func = func
        self.attrname = None
        self.__doc__ = func.__doc__

    def __set_name__(self, owner, name):
        if self.attrname is None:
            self.attrname = name
        elif name != self.attrname:
            raise TypeError('Cannot assign the same cached_property to two different names '
                            f'({self.attrname!r} and {name!r}).')

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        if self.attrname is None:
            raise TypeError('Cannot use cached_property instance without calling __set_name__ on '
                            'it.')
        try:
            values = instance.__dict__
        except AttributeError:
            raise TypeError(f"No '__dict__' attribute on {type(instance).__name__!r} instance to "
                            f'cache {self.attrname!r} property.') from None
        value = values.get(self.attrname, _NOT_FOUND)
        if value is _NOT_FOUND:
            value = self.func(instance)
            try:
                values[self.attrname] = value
            except TypeError:
                raise TypeError("The '__dict__' attribute on "
                                f'{type(instance).__name__!r} instance does not support item '
                                f'assignment for caching {self.attrname!r} property.') from None
        return value

    __class_getitem__ = classmethod(GenericAlias)


def _best_match(cls, registry):
    # The nearest class of the mro; among classes that only claim cls (abstract base classes), the
    # most derived one, which must be the only one.
    mro = cls.__mro__
    virtual = [t for t in registry if t not in mro and issubclass(cls, t)]
    for place, base in enumerate(mro):
        mine = [t for t in virtual
                if issubclass(base, t) and not (place + 1 < len(mro) and
                                                issubclass(mro[place + 1], t))]
        if base in registry:
            nearer = [t for t in mine if issubclass(t, base) and t is not base]
            if not nearer:
                return base
            mine = nearer
        if mine:
            best = [t for t in mine
                    if not any(o is not t and issubclass(o, t) for o in mine)]
            if len(best) > 1:
                raise RuntimeError(f'Ambiguous dispatch: {best[0]} or {best[1]}')
            return best[0]
    return None


def _union_of(cls):
    args = getattr(cls, '__args__', None)
    origin = getattr(cls, '__origin__', None)
    if type(cls) is type(int | str) or getattr(origin, '_name', None) == 'Union':
        if args and all(isinstance(a, type) for a in args):
            return args
    return None


def singledispatch(func):
    registry = {}
    cached = {}

    def dispatch(cls):
        try:
            return cached[cls]
        except KeyError:
            pass
        found = registry.get(cls)
        if found is None:
            found = registry.get(_best_match(cls, registry))
        cached[cls] = found
        return found

    def register(cls, func=None):
        if isinstance(cls, type) and not isinstance(cls, GenericAlias) or _union_of(cls):
            if func is None:
                return lambda f: register(cls, f)
        else:
            if func is not None:
                raise TypeError(f'Invalid first argument to `register()`. {cls!r} is not a class '
                                'or union type.')
            annotations = getattr(cls, '__annotations__', {})
            if not annotations:
                raise TypeError(f'Invalid first argument to `register()`: {cls!r}. Use either '
                                '`@register(some_class)` or plain `@register` on an annotated '
                                'function.')
            func = cls
            name, cls = next(iter(annotations.items()))
            if not isinstance(cls, type) and not _union_of(cls):
                raise TypeError(f'Invalid annotation for {name!r}. {cls!r} is not a class.')
        for one in _union_of(cls) or (cls,):
            registry[one] = func
        cached.clear()
        return func

    def wrapper(*args, **kw):
        if not args:
            raise TypeError(f'{name} requires at least 1 positional argument')
        return dispatch(args[0].__class__)(*args, **kw)

    name = getattr(func, '__name__', 'singledispatch function')
    registry[object] = func
    wrapper.register = register
    wrapper.dispatch = dispatch
    import types
    wrapper.registry = types.MappingProxyType(registry)
    wrapper._clear_cache = cached.clear
    update_wrapper(wrapper, func)
    return wrapper


class singledispatchmethod:
    def __init__(self, func):
        if not callable(func) and not hasattr(func, '__get__'):
            raise TypeError(f'{func!r} is not callable or a descriptor')
        self.dispatcher = singledispatch(func)
        self.func = func

    def register(self, cls, method=None):
        return self.dispatcher.register(cls, func=method)

    def __get__(self, obj, cls=None):
        def _method(*args, **kwargs):
            method = self.dispatcher.dispatch(args[0].__class__)
            return method.__get__(obj, cls)(*args, **kwargs)

        _method.__isabstractmethod__ = self.__isabstractmethod__
        _method.register = self.register
        update_wrapper(_method, self.func)
        return _method

    @property
    def __isabstractmethod__(self):
        return getattr(self.func, '__isabstractmethod__', False)
