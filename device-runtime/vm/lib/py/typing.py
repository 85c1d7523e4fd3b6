import _ferry
import collections
import collections.abc
import contextlib
import functools
import types
from abc import ABCMeta, abstractmethod

__all__ = ['Annotated', 'Any', 'Callable', 'ClassVar', 'Concatenate', 'Final', 'ForwardRef',
           'Generic', 'Literal', 'Optional', 'ParamSpec', 'Protocol', 'Tuple', 'Type', 'TypeVar',
           'TypeVarTuple', 'Union', 'AbstractSet', 'ByteString', 'Container', 'ContextManager',
           'Hashable', 'ItemsView', 'Iterable', 'Iterator', 'KeysView', 'Mapping', 'MappingView',
           'MutableMapping', 'MutableSequence', 'MutableSet', 'Sequence', 'Sized', 'ValuesView',
           'Awaitable', 'AsyncIterator', 'AsyncIterable', 'Coroutine', 'Collection',
           'AsyncGenerator', 'AsyncContextManager', 'Reversible', 'SupportsAbs', 'SupportsBytes',
           'SupportsComplex', 'SupportsFloat', 'SupportsIndex', 'SupportsInt', 'SupportsRound',
           'ChainMap', 'Counter', 'Deque', 'Dict', 'DefaultDict', 'List', 'OrderedDict', 'Set',
           'FrozenSet', 'NamedTuple', 'TypedDict', 'Generator', 'BinaryIO', 'IO', 'Match',
           'Pattern', 'TextIO', 'AnyStr', 'assert_type', 'assert_never', 'cast',
           'clear_overloads', 'dataclass_transform', 'final', 'get_args', 'get_origin',
           'get_overloads', 'get_type_hints', 'is_typeddict', 'LiteralString', 'Never',
           'NewType', 'no_type_check', 'no_type_check_decorator', 'NoReturn', 'NotRequired',
           'overload', 'ParamSpecArgs', 'ParamSpecKwargs', 'Required', 'reveal_type',
           'runtime_checkable', 'Self', 'Text', 'TYPE_CHECKING', 'TypeAlias', 'TypeGuard',
           'Unpack']



class _SpecialForm:
    __slots__ = ('_name', '_make')

    def __init__(self, name, make=None):
        self._name = name
        self._make = make

    def __repr__(self):
        return 'typing.' + self._name

    def __mro_entries__(self, bases):
        raise TypeError(f'Cannot subclass {self!r}')

    def __call__(self, *args, **kwds):
        raise TypeError(f'Cannot instantiate {self!r}')

    def __instancecheck__(self, obj):
        raise TypeError(f'{self} cannot be used with isinstance()')

    def __subclasscheck__(self, cls):
        raise TypeError(f'{self} cannot be used with issubclass()')

    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]

    def __getitem__(self, parameters):
        if self._make is None:
            raise TypeError(f'{self} is not subscriptable')
        return self._make(self, parameters)

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return hash(self._name)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _type_repr(obj):
    if isinstance(obj, types.GenericAlias):
        return repr(obj)
    if isinstance(obj, type):
        if obj.__module__ == 'builtins':
            return obj.__qualname__
        return f'{obj.__module__}.{obj.__qualname__}'
    if obj is ...:
        return '...'
    if isinstance(obj, types.FunctionType):
        return obj.__name__
    if isinstance(obj, list):
        return '[' + ', '.join([_type_repr(o) for o in obj]) + ']'
    return repr(obj)


def _convert(arg, message='Parameters to generic types must be types.'):
    if arg is None:
        return type(None)
    if isinstance(arg, str):
        return ForwardRef(arg)
    if type(arg) is tuple:
        raise TypeError(f'{message} Got {arg!r:.100}.')
    return arg


def _parameters(args):
    found = []
    for arg in args:
        if isinstance(arg, (TypeVar, ParamSpec, TypeVarTuple)):
            if arg not in found:
                found.append(arg)
        elif isinstance(arg, (list, tuple)):
            found.extend([p for p in _parameters(arg) if p not in found])
        else:
            for p in getattr(arg, '__parameters__', ()) if not isinstance(arg, type) else ():
                if p not in found:
                    found.append(p)
    return tuple(found)


def _substitute(arg, mapping):
    if isinstance(arg, (TypeVar, ParamSpec)):
        return mapping.get(arg, arg)
    if isinstance(arg, (list, tuple)):
        return type(arg)([_substitute(a, mapping) for a in arg])
    params = getattr(arg, '__parameters__', ()) if not isinstance(arg, type) else ()
    if params:
        return arg[tuple([mapping.get(p, p) for p in params])]
    return arg


def _subscribed(alias, args):
    # list[T][int]: of the built-in classes and of those of the library.
    wanted = _parameters(alias.__args__)
    if not wanted:
        raise TypeError(f'{alias} is not a generic class')
    args = args if isinstance(args, tuple) else (args,)
    _check_count(alias, args, len(wanted))
    mapping = dict(zip(wanted, args))
    return types.GenericAlias(alias.__origin__,
                              tuple([_substitute(a, mapping) for a in alias.__args__]))


class _Alias:
    def __init__(self, origin, args, name=None, inst=True):
        self.__origin__ = origin
        self.__args__ = args if isinstance(args, tuple) else (args,)
        self.__parameters__ = _parameters(self.__args__)
        self._name = name
        self._inst = inst
        if name is None:
            self.__module__ = getattr(origin, '__module__', 'typing')

    def __call__(self, *args, **kwargs):
        if not self._inst:
            raise TypeError(f'Type {self._name} cannot be instantiated; use '
                            f'{self.__origin__.__name__}() instead')
        made = self.__origin__(*args, **kwargs)
        try:
            made.__orig_class__ = self
        except (AttributeError, TypeError):
            pass
        return made

    def __getattr__(self, name):
        origin = self.__dict__.get('__origin__')
        if origin is not None and not (name.startswith('__') and name.endswith('__')):
            return getattr(origin, name)
        raise AttributeError(name)

    def __mro_entries__(self, bases):
        if isinstance(self.__origin__, _SpecialForm):
            raise TypeError(f'Cannot subclass {self!r}')
        later = bases[bases.index(self) + 1:]
        if self.__origin__ is Generic and (Protocol in bases or
                                           any(isinstance(b, _Alias) for b in later)):
            return ()
        entries = [] if self.__origin__ in bases else [self.__origin__]
        if self._name and self.__origin__ is not Generic and Generic not in bases:
            if not any(isinstance(b, _Alias) or isinstance(b, type) and issubclass(b, Generic)
                       for b in later):
                entries.append(Generic)
        return tuple(entries)

    def __getitem__(self, args):
        if self.__origin__ in (Generic, Protocol):
            raise TypeError(f'Cannot subscript already-subscripted {self}')
        if not self.__parameters__:
            raise TypeError(f'{self} is not a generic class')
        args = args if isinstance(args, tuple) else (args,)
        args = tuple([a if isinstance(a, (list, tuple)) or a is ... else _convert(a)
                      for a in args])
        if len(self.__parameters__) == 1 and isinstance(self.__parameters__[0], ParamSpec):
            if len(args) != 1 or not isinstance(args[0], (list, tuple)) and args[0] is not ...:
                args = (args,)
        _check_count(self, args, len(self.__parameters__))
        mapping = dict(zip(self.__parameters__, args))
        flat = []
        for arg in self.__args__:
            new = _substitute(arg, mapping)
            if isinstance(arg, ParamSpec) and isinstance(new, (list, tuple)):
                flat.extend(new)
            else:
                flat.append(new)
        if self.__origin__ is Union:
            return Union[tuple(flat)]
        return type(self)(self.__origin__, tuple(flat), self._name, self._inst)

    def __repr__(self):
        origin = self.__origin__
        args = self.__args__
        if origin is Union:
            if len(args) == 2 and type(None) in args:
                rest = args[0] if args[1] is type(None) else args[1]
                return f'typing.Optional[{_type_repr(rest)}]'
        if origin is Unpack:
            return '*' + repr(args[0])
        if origin is collections.abc.Callable and not (len(args) == 2 and _is_parameters(args[0])):
            shown = ', '.join([_type_repr(a) for a in args[:-1]])
            return f'typing.Callable[[{shown}], {_type_repr(args[-1])}]'
        name = f'typing.{self._name}' if self._name else _type_repr(origin)
        shown = ', '.join([_type_repr(a) for a in args]) if args else '()'
        return f'{name}[{shown}]'

    def __eq__(self, other):
        if isinstance(other, types.UnionType) and self.__origin__ is Union:
            return set(self.__args__) == set(other.__args__)
        if not isinstance(other, _Alias):
            return NotImplemented
        if self.__origin__ is Union and other.__origin__ is Union:
            return set(self.__args__) == set(other.__args__)
        return self.__origin__ == other.__origin__ and self.__args__ == other.__args__

    def __hash__(self):
        if self.__origin__ is Union:
            return hash(frozenset(self.__args__))
        return hash((self.__origin__, self.__args__))

    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]

    def __instancecheck__(self, obj):
        if self.__origin__ is Union:
            return isinstance(obj, self.__args__)
        raise TypeError('Subscripted generics cannot be used with class and instance checks')

    def __subclasscheck__(self, cls):
        if self.__origin__ is Union:
            return issubclass(cls, self.__args__)
        raise TypeError('Subscripted generics cannot be used with class and instance checks')


def _is_parameters(arg):
    # What may stand in Callable[...] instead of a list.
    return (arg is ... or isinstance(arg, ParamSpec)
            or isinstance(arg, _Alias) and arg.__origin__ is Concatenate)


class _SpecialAlias:
    # typing.List and its kin before [].
    def __init__(self, origin, count, name=None):
        self.__origin__ = origin
        self._count = count
        self._name = name or origin.__name__

    def __repr__(self):
        return 'typing.' + self._name

    def __getitem__(self, params):
        params = params if isinstance(params, tuple) else (params,)
        params = tuple([_convert(p) for p in params])
        _check_count(self, params, self._count)
        return _Alias(self.__origin__, params, self._name, False)

    def __call__(self, *args, **kwargs):
        raise TypeError(f'Type {self._name} cannot be instantiated; use '
                        f'{self.__origin__.__name__}() instead')

    def __mro_entries__(self, bases):
        entries = [] if self.__origin__ in bases else [self.__origin__]
        if Generic not in bases:
            entries.append(Generic)
        return tuple(entries)

    def __instancecheck__(self, obj):
        return self.__subclasscheck__(type(obj))

    def __subclasscheck__(self, cls):
        if not isinstance(cls, type):
            return issubclass(cls, self.__origin__)
        return issubclass(cls, self.__origin__)

    def __getattr__(self, name):
        if not (name.startswith('__') and name.endswith('__')):
            return getattr(self.__dict__['__origin__'], name)
        raise AttributeError(name)

    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]


class _TupleAlias(_SpecialAlias):
    def __getitem__(self, params):
        if not isinstance(params, tuple):
            params = (params,)
        if len(params) >= 2 and params[-1] is ...:
            return _Alias(tuple, (*[_convert(p) for p in params[:-1]], ...), 'Tuple', False)
        return _Alias(tuple, tuple([_convert(p) for p in params]), 'Tuple', False)


class _CallableForm(_SpecialAlias):
    def __getitem__(self, params):
        if not isinstance(params, tuple) or len(params) != 2:
            raise TypeError('Callable must be used as Callable[[arg, ...], result].')
        args, result = params
        if isinstance(args, list):
            flat = (*[_convert(a) for a in args], _convert(result))
        else:
            flat = (args, _convert(result))
        return _Alias(collections.abc.Callable, flat, 'Callable', False)


def _check_count(cls, args, count):
    if count >= 0 and len(args) != count:
        raise TypeError(f'Too {"many" if len(args) > count else "few"} arguments for {cls}; '
                        f'actual {len(args)}, expected {count}')


class ForwardRef:
    __slots__ = ('__forward_arg__', '__forward_module__')

    def __init__(self, arg, is_argument=True, module=None, *, is_class=False):
        if not isinstance(arg, str):
            raise TypeError(f'Forward reference must be a string -- got {arg!r}')
        self.__forward_arg__ = arg
        self.__forward_module__ = module

    def __eq__(self, other):
        if not isinstance(other, ForwardRef):
            return NotImplemented
        return self.__forward_arg__ == other.__forward_arg__

    def __hash__(self):
        return hash(self.__forward_arg__)

    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]

    def __repr__(self):
        return f'ForwardRef({self.__forward_arg__!r})'


class _Variable:
    def __repr__(self):
        mark = '+' if self.__covariant__ else '-' if self.__contravariant__ else '~'
        return mark + self.__name__

    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]

    def __mro_entries__(self, bases):
        raise TypeError(f'Cannot subclass an instance of {type(self).__name__}')

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class TypeVar(_Variable):
    def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False):
        if covariant and contravariant:
            raise ValueError('Bivariant types are not supported.')
        if constraints and bound is not None:
            raise TypeError('Constraints cannot be combined with bound=...')
        if constraints and len(constraints) == 1:
            raise TypeError('A single constraint is not allowed')
        self.__name__ = name
        self.__constraints__ = tuple([_convert(c) for c in constraints])
        self.__bound__ = None if bound is None else _convert(bound)
        self.__covariant__ = bool(covariant)
        self.__contravariant__ = bool(contravariant)
        self.__module__ = _ferry.caller(1)


class ParamSpec(_Variable):
    def __init__(self, name, *, bound=None, covariant=False, contravariant=False):
        self.__name__ = name
        self.__bound__ = bound
        self.__covariant__ = bool(covariant)
        self.__contravariant__ = bool(contravariant)
        self.__module__ = _ferry.caller(1)

    @property
    def args(self):
        return ParamSpecArgs(self)

    @property
    def kwargs(self):
        return ParamSpecKwargs(self)


class ParamSpecArgs:
    def __init__(self, origin):
        self.__origin__ = origin

    def __repr__(self):
        return f'{self.__origin__.__name__}.args'


class ParamSpecKwargs:
    def __init__(self, origin):
        self.__origin__ = origin

    def __repr__(self):
        return f'{self.__origin__.__name__}.kwargs'


class TypeVarTuple(_Variable):
    __covariant__ = __contravariant__ = False

    def __init__(self, name):
        self.__name__ = name
        self.__module__ = _ferry.caller(1)

    def __iter__(self):
        yield Unpack[self]

    def __repr__(self):
        return self.__name__


class NewType:
    def __init__(self, name, tp):
        self.__qualname__ = name
        self.__name__ = name.rpartition('.')[2]
        self.__supertype__ = tp
        self.__module__ = _ferry.caller(1)

    def __call__(self, x):
        return x

    def __repr__(self):
        return f'{self.__module__}.{self.__qualname__}'

    def __mro_entries__(self, bases):
        raise TypeError(f'Cannot subclass an instance of NewType. Perhaps you were looking for: '
                        f'`NewType({bases[0].__name__!r}, {self.__name__})`')

    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]


def _make_union(self, parameters):
    if parameters == ():
        raise TypeError('Cannot take a Union of no types.')
    if not isinstance(parameters, tuple):
        parameters = (parameters,)
    flat = []
    for p in [_convert(p, 'Union[arg, ...]: each arg must be a type.') for p in parameters]:
        inner = p.__args__ if (isinstance(p, _Alias) and p.__origin__ is Union
                               or isinstance(p, types.UnionType)) else (p,)
        flat.extend([q for q in inner if q not in flat])
    if len(flat) == 1:
        return flat[0]
    return _Alias(Union, tuple(flat), 'Union')


def _make_optional(self, parameters):
    if isinstance(parameters, tuple):
        raise TypeError(f'{self} requires a single type. Got {parameters!r:.100}.')
    return Union[parameters, type(None)]


def _make_literal(self, parameters):
    if not isinstance(parameters, tuple):
        parameters = (parameters,)
    flat = []
    for p in parameters:
        for v in p.__args__ if isinstance(p, _LiteralAlias) else (p,):
            if not any(type(v) is type(o) and v == o for o in flat):
                flat.append(v)
    return _LiteralAlias(Literal, tuple(flat), 'Literal')


class _LiteralAlias(_Alias):
    def __repr__(self):
        return f'typing.Literal[{", ".join(map(repr, self.__args__)) or "()"}]'

    def __eq__(self, other):
        if not isinstance(other, _LiteralAlias):
            return NotImplemented
        return ({(type(v), v) for v in self.__args__} == {(type(v), v) for v in other.__args__})

    def __hash__(self):
        return hash(frozenset([(type(v), v) for v in self.__args__]))


def _make_single(self, parameters):
    if isinstance(parameters, tuple):
        raise TypeError(f'{self} accepts only single type. Got {parameters!r:.100}.')
    return _Alias(self, (_convert(parameters),), self._name)


def _make_many(self, parameters):
    if not isinstance(parameters, tuple):
        parameters = (parameters,)
    return _Alias(self, tuple([_convert(p) for p in parameters]), self._name)


Any = None


class _AnyMeta(type):
    def __instancecheck__(self, obj):
        if self is Any:
            raise TypeError('typing.Any cannot be used with isinstance()')
        return super().__instancecheck__(obj)

    def __repr__(self):
        return 'typing.Any' if self is Any else super().__repr__()


class Any(metaclass=_AnyMeta):
    def __new__(cls, *args, **kwargs):
        if cls is Any:
            raise TypeError('Any cannot be instantiated')
        return super().__new__(cls)


Union = _SpecialForm('Union', _make_union)
Optional = _SpecialForm('Optional', _make_optional)
Literal = _SpecialForm('Literal', _make_literal)
ClassVar = _SpecialForm('ClassVar', _make_single)
Final = _SpecialForm('Final', _make_single)
TypeGuard = _SpecialForm('TypeGuard', _make_single)
Required = _SpecialForm('Required', _make_single)
NotRequired = _SpecialForm('NotRequired', _make_single)
Unpack = _SpecialForm('Unpack', _make_single)
Concatenate = _SpecialForm('Concatenate', _make_many)
NoReturn = _SpecialForm('NoReturn')
Never = _SpecialForm('Never')
Self = _SpecialForm('Self')
LiteralString = _SpecialForm('LiteralString')
TypeAlias = _SpecialForm('TypeAlias')


class Annotated:
    def __class_getitem__(cls, params):
        if not isinstance(params, tuple) or len(params) < 2:
            raise TypeError('Annotated[...] should be used with at least two arguments (a type '
                            'and an annotation).')
        origin = _convert(params[0])
        metadata = params[1:]
        if isinstance(origin, _AnnotatedAlias):
            metadata = origin.__metadata__ + metadata
            origin = origin.__origin__
        return _AnnotatedAlias(origin, metadata)

    def __init_subclass__(cls, *args, **kwargs):
        raise TypeError(f'Cannot subclass {cls.__module__}.Annotated')


class _AnnotatedAlias(_Alias):
    def __init__(self, origin, metadata):
        super().__init__(origin, (origin,), 'Annotated')
        self.__metadata__ = metadata

    def __getitem__(self, args):
        args = args if isinstance(args, tuple) else (args,)
        new = _substitute(self.__origin__, dict(zip(self.__parameters__, args)))
        return _AnnotatedAlias(new, self.__metadata__)

    def __repr__(self):
        shown = ', '.join([repr(m) for m in self.__metadata__])
        return f'typing.Annotated[{_type_repr(self.__origin__)}, {shown}]'

    def __eq__(self, other):
        if not isinstance(other, _AnnotatedAlias):
            return NotImplemented
        return self.__origin__ == other.__origin__ and self.__metadata__ == other.__metadata__

    def __hash__(self):
        return hash((self.__origin__, self.__metadata__))


class Generic:
    __slots__ = ()
    _is_protocol = False

    def __class_getitem__(cls, params):
        if not isinstance(params, tuple):
            params = (params,)
        if cls in (Generic, Protocol):
            if not params:
                raise TypeError(f'Parameter list to {cls.__qualname__}[...] cannot be empty')
            if not all(isinstance(p, (TypeVar, ParamSpec, TypeVarTuple)) or
                       getattr(p, '__origin__', None) is Unpack for p in params):
                raise TypeError(f'Parameters to {cls.__name__}[...] must all be type variables or '
                                'parameter specification variables.')
            if len(set(params)) != len(params):
                raise TypeError(f'Parameters to {cls.__name__}[...] must all be unique')
            return _Alias(cls, params, None if cls is not Generic else 'Generic')
        params = tuple([p if isinstance(p, (list, tuple)) or p is ... else _convert(p)
                        for p in params])
        wanted = getattr(cls, '__parameters__', ())
        if not wanted:
            raise TypeError(f'{cls} is not a generic class')
        if not any(isinstance(p, TypeVarTuple) for p in wanted):
            _check_count(cls, params, len(wanted))
        return _Alias(cls, params)

    def __init_subclass__(cls, *args, **kwargs):
        super().__init_subclass__(*args, **kwargs)
        found = []
        generic = None
        for base in cls.__dict__.get('__orig_bases__', ()):
            if isinstance(base, _Alias):
                if base.__origin__ in (Generic, Protocol):
                    if generic is not None:
                        raise TypeError('Cannot inherit from Generic[...] multiple types.')
                    generic = base.__parameters__
                found.extend([p for p in base.__parameters__ if p not in found])
            elif not isinstance(base, type) or isinstance(base, types.GenericAlias):
                found.extend([p for p in getattr(base, '__parameters__', ()) if p not in found])
        if generic is not None:
            extra = [p for p in found if p not in generic]
            if extra:
                raise TypeError(f'Some type variables ({", ".join(map(str, extra))}) are not '
                                f'listed in Generic[{", ".join(map(str, generic))}]')
            found = generic
        cls.__parameters__ = tuple(found)


_PROTOCOL_OWN = frozenset({'__abstractmethods__', '__annotations__', '__dict__', '__doc__',
                           '__init__', '__module__', '__new__', '__slots__', '__subclasshook__',
                           '__weakref__', '__class_getitem__', '_is_protocol', '__parameters__',
                           '__orig_bases__', '_is_runtime_protocol', '_abc_registry',
                           '__init_subclass__', '__qualname__', '_abc_impl', '__match_args__'})


def _protocol_members(cls):
    names = set()
    for base in cls.__mro__[:-1]:
        if base in (Protocol, Generic):
            continue
        names.update(base.__dict__)
        names.update(base.__dict__.get('__annotations__', {}))
    return names - _PROTOCOL_OWN


def _only_methods(cls):
    return all(callable(getattr(cls, name, None)) for name in _protocol_members(cls))


_PROTOCOL_BASES = {'collections.abc': ('Callable', 'Awaitable', 'Iterable', 'Iterator',
                                       'AsyncIterable', 'Hashable', 'Sized', 'Container',
                                       'Collection', 'Reversible'),
                   'contextlib': ('AbstractContextManager', 'AbstractAsyncContextManager')}


class _ProtocolMeta(ABCMeta):
    def __instancecheck__(cls, instance):
        if getattr(cls, '_is_protocol', False):
            if not getattr(cls, '_is_runtime_protocol', False):
                raise TypeError('Instance and class checks can only be used with '
                                '@runtime_checkable protocols')
            if _only_methods(cls):
                if super().__instancecheck__(instance):
                    return True
            elif cls in type(instance).__mro__:
                return True
            return all(hasattr(instance, name) and
                       (not callable(getattr(cls, name, None)) or
                        getattr(instance, name) is not None)
                       for name in _protocol_members(cls))
        return super().__instancecheck__(instance)


def _no_init(self, *args, **kwargs):
    if type(self)._is_protocol:
        raise TypeError('Protocols cannot be instantiated')


class Protocol(Generic, metaclass=_ProtocolMeta):
    __slots__ = ()
    _is_protocol = True
    _is_runtime_protocol = False

    def __init_subclass__(cls, *args, **kwargs):
        super().__init_subclass__(*args, **kwargs)
        if '_is_protocol' not in cls.__dict__:
            cls._is_protocol = any(b is Protocol for b in cls.__bases__)
        if '__subclasshook__' not in cls.__dict__:
            cls.__subclasshook__ = classmethod(_protocol_hook)
        if not cls._is_protocol:
            return
        for base in cls.__bases__:
            if not (base in (object, Generic)
                    or base.__name__ in _PROTOCOL_BASES.get(base.__module__, ())
                    or issubclass(base, Generic) and getattr(base, '_is_protocol', False)):
                raise TypeError(f'Protocols can only inherit from other protocols, got {base!r}')
        if '__init__' not in cls.__dict__:
            cls.__init__ = _no_init


def _protocol_hook(cls, other):
    if not cls.__dict__.get('_is_protocol', False):
        return NotImplemented
    if not getattr(cls, '_is_runtime_protocol', False):
        raise TypeError('Instance and class checks can only be used with @runtime_checkable '
                        'protocols')
    if not _only_methods(cls):
        raise TypeError("Protocols with non-method members don't support issubclass()")
    if not isinstance(other, type):
        raise TypeError('issubclass() arg 1 must be a class')
    for name in _protocol_members(cls):
        for base in other.__mro__:
            if name in base.__dict__:
                if base.__dict__[name] is None:
                    return NotImplemented
                break
            if name in base.__dict__.get('__annotations__', {}) and getattr(other, '_is_protocol',
                                                                            False):
                break
        else:
            return NotImplemented
    return True


def runtime_checkable(cls):
    if not (isinstance(cls, type) and issubclass(cls, Generic)) or not cls._is_protocol:
        raise TypeError('@runtime_checkable can be only applied to protocol classes, got %r' % cls)
    cls._is_runtime_protocol = True
    return cls


def _one_method(name, method):
    def body(self):
        pass

    body.__name__ = method
    namespace = {'__slots__': (), method: abstractmethod(body), '__module__': 'typing'}
    made = _ProtocolMeta(name, (Protocol,), {**namespace, '_is_protocol': True})
    return runtime_checkable(made)


SupportsInt = _one_method('SupportsInt', '__int__')
SupportsFloat = _one_method('SupportsFloat', '__float__')
SupportsComplex = _one_method('SupportsComplex', '__complex__')
SupportsBytes = _one_method('SupportsBytes', '__bytes__')
SupportsIndex = _one_method('SupportsIndex', '__index__')
SupportsAbs = _one_method('SupportsAbs', '__abs__')
SupportsRound = _one_method('SupportsRound', '__round__')

T = TypeVar('T')
KT = TypeVar('KT')
VT = TypeVar('VT')
T_co = TypeVar('T_co', covariant=True)
V_co = TypeVar('V_co', covariant=True)
VT_co = TypeVar('VT_co', covariant=True)
T_contra = TypeVar('T_contra', contravariant=True)
AnyStr = TypeVar('AnyStr', bytes, str)
Text = str
TYPE_CHECKING = False

_abc = collections.abc
Hashable = _SpecialAlias(_abc.Hashable, 0)
Sized = _SpecialAlias(_abc.Sized, 0)
Awaitable = _SpecialAlias(_abc.Awaitable, 1)
Coroutine = _SpecialAlias(_abc.Coroutine, 3)
AsyncIterable = _SpecialAlias(_abc.AsyncIterable, 1)
AsyncIterator = _SpecialAlias(_abc.AsyncIterator, 1)
AsyncGenerator = _SpecialAlias(_abc.AsyncGenerator, 2)
Iterable = _SpecialAlias(_abc.Iterable, 1)
Iterator = _SpecialAlias(_abc.Iterator, 1)
Reversible = _SpecialAlias(_abc.Reversible, 1)
Container = _SpecialAlias(_abc.Container, 1)
Collection = _SpecialAlias(_abc.Collection, 1)
Callable = _CallableForm(_abc.Callable, 2)
AbstractSet = _SpecialAlias(_abc.Set, 1, 'AbstractSet')
MutableSet = _SpecialAlias(_abc.MutableSet, 1)
Mapping = _SpecialAlias(_abc.Mapping, 2)
MutableMapping = _SpecialAlias(_abc.MutableMapping, 2)
Sequence = _SpecialAlias(_abc.Sequence, 1)
MutableSequence = _SpecialAlias(_abc.MutableSequence, 1)
ByteString = _SpecialAlias(_abc.ByteString, 0)
MappingView = _SpecialAlias(_abc.MappingView, 1)
KeysView = _SpecialAlias(_abc.KeysView, 1)
ItemsView = _SpecialAlias(_abc.ItemsView, 2)
ValuesView = _SpecialAlias(_abc.ValuesView, 1)
Generator = _SpecialAlias(_abc.Generator, 3)
ContextManager = _SpecialAlias(contextlib.AbstractContextManager, 1, 'ContextManager')
AsyncContextManager = _SpecialAlias(contextlib.AbstractAsyncContextManager, 1,
                                    'AsyncContextManager')
List = _SpecialAlias(list, 1, 'List')
Dict = _SpecialAlias(dict, 2, 'Dict')
Set = _SpecialAlias(set, 1, 'Set')
FrozenSet = _SpecialAlias(frozenset, 1, 'FrozenSet')
Tuple = _TupleAlias(tuple, -1, 'Tuple')
Type = _SpecialAlias(type, 1, 'Type')
Deque = _SpecialAlias(collections.deque, 1, 'Deque')
DefaultDict = _SpecialAlias(collections.defaultdict, 2, 'DefaultDict')
OrderedDict = _SpecialAlias(collections.OrderedDict, 2)
Counter = _SpecialAlias(collections.Counter, 1)
ChainMap = _SpecialAlias(collections.ChainMap, 2)


class IO(Generic[AnyStr]):
    __slots__ = ()


class TextIO(IO[str]):
    __slots__ = ()


class BinaryIO(IO[bytes]):
    __slots__ = ()


class _NamedTupleMeta(type):
    def __new__(cls, typename, bases, ns):
        annotations = ns.get('__annotations__', {})
        defaults = []
        for name in annotations:
            if name in ns:
                defaults.append(name)
            elif defaults:
                raise TypeError(f'Non-default namedtuple field {name} cannot follow default field'
                                f'{"s" if len(defaults) > 1 else ""} {", ".join(defaults)}')
        made = _make_named(typename, annotations.items(), [ns[n] for n in defaults],
                           ns['__module__'])
        extra_bases = tuple([b for b in bases if b is not _NamedTuple])
        if extra_bases:
            made = type(typename, (made, *extra_bases), {'__slots__': (),
                                                         '__module__': ns['__module__']})
        for key, value in ns.items():
            if key in _NAMED_PROHIBITED:
                raise AttributeError('Cannot overwrite NamedTuple attribute ' + key)
            if (key not in ('__module__', '__name__', '__annotations__', '__classcell__')
                    and key not in annotations):
                setattr(made, key, value)
        return made


_NAMED_PROHIBITED = frozenset({'__new__', '__init__', '__slots__', '__getnewargs__', '_fields',
                               '_field_defaults', '_field_types', '_make', '_replace', '_asdict',
                               '_source'})


def _make_named(name, fields, defaults, module):
    fields = [(n, _convert(t)) for n, t in fields]
    made = collections.namedtuple(name, [n for n, _ in fields], defaults=defaults, module=module)
    made.__annotations__ = made.__new__.__annotations__ = dict(fields)
    return made


_NamedTuple = type.__new__(_NamedTupleMeta, 'NamedTuple', (), {})


def NamedTuple(typename, fields=None, /, **kwargs):
    if fields is None:
        fields = kwargs.items()
    elif kwargs:
        raise TypeError('Either list of fields or keywords can be provided to NamedTuple, not '
                        'both')
    made = _make_named(typename, fields, (), _ferry.caller(1))
    made.__orig_bases__ = (NamedTuple,)
    return made


def _named_tuple_bases(bases):
    for base in bases:
        if base is not NamedTuple and getattr(base, '__origin__', base) is not Generic:
            raise TypeError('can only inherit from a NamedTuple type and Generic')
    return (_NamedTuple,)


NamedTuple.__mro_entries__ = _named_tuple_bases


class _TypedDictMeta(type):
    def __new__(cls, name, bases, ns, total=True):
        for base in bases:
            if type(base) is not _TypedDictMeta and base is not Generic:
                raise TypeError('cannot inherit from both a TypedDict type and a non-TypedDict '
                                'base class')
        generic = (Generic,) if any([issubclass(base, Generic) for base in bases]) else ()
        made = type.__new__(_TypedDictMeta, name, (*generic, dict), dict(ns))
        annotations = {}
        required = set()
        optional = set()
        for base in bases:
            annotations.update(base.__dict__.get('__annotations__', {}))
            required |= base.__dict__.get('__required_keys__', set())
            optional |= base.__dict__.get('__optional_keys__', set())
        own = {n: _convert(t) for n, t in ns.get('__annotations__', {}).items()}
        annotations.update(own)
        for key, annotation in own.items():
            origin = getattr(annotation, '__origin__', None)
            if origin is Required or total and origin is not NotRequired:
                required.add(key)
            else:
                optional.add(key)
        made.__annotations__ = annotations
        made.__required_keys__ = frozenset(required)
        made.__optional_keys__ = frozenset(optional)
        made.__total__ = total
        return made

    def __init__(cls, *args, **kwargs):
        pass

    def __call__(cls, /, *args, **kwargs):
        return dict(*args, **kwargs)

    def __instancecheck__(cls, other):
        raise TypeError('TypedDict does not support instance and class checks')

    __subclasscheck__ = __instancecheck__


_TypedDict = type.__new__(_TypedDictMeta, 'TypedDict', (), {})


def TypedDict(typename, fields=None, /, *, total=True, **kwargs):
    if fields is None:
        fields = kwargs
    elif kwargs:
        raise TypeError('TypedDict takes either a dict or keyword arguments, but not both')
    ns = {'__annotations__': dict(fields), '__module__': _ferry.caller(1)}
    made = _TypedDictMeta(typename, (), ns, total=total)
    made.__orig_bases__ = (TypedDict,)
    return made


TypedDict.__mro_entries__ = lambda bases: (_TypedDict,)


def cast(typ, val):
    return val


def assert_type(val, typ, /):
    return val


def assert_never(arg, /):
    value = repr(arg)
    if len(value) > 100:
        value = value[:100] + '...'
    raise AssertionError(f'Expected code to be unreachable, but got: {value}')


def reveal_type(obj, /):
    return obj


def no_type_check(arg):
    try:
        arg.__no_type_check__ = True
    except (AttributeError, TypeError):
        pass
    return arg


def no_type_check_decorator(decorator):
    return decorator


_overloads = {}


def overload(func):
    key = (getattr(func, '__module__', None), getattr(func, '__qualname__', None))
    _overloads.setdefault(key, []).append(func)
    return _overload_dummy


def _overload_dummy(*args, **kwds):
    raise NotImplementedError('You should not call an overloaded function. A series of '
                              '@overload-decorated functions outside a stub module should always '
                              'be followed by an implementation that is not @overload-ed.')


def get_overloads(func):
    return list(_overloads.get((func.__module__, func.__qualname__), ()))


def clear_overloads():
    _overloads.clear()


def final(f):
    try:
        f.__final__ = True
    except (AttributeError, TypeError):
        pass
    return f


def dataclass_transform(**kwargs):
    def decorate(cls_or_fn):
        cls_or_fn.__dataclass_transform__ = kwargs
        return cls_or_fn

    return decorate


def get_origin(tp):
    if isinstance(tp, _AnnotatedAlias):
        return Annotated
    if isinstance(tp, (_Alias, _SpecialAlias, types.GenericAlias, ParamSpecArgs,
                       ParamSpecKwargs)):
        return tp.__origin__
    if tp is Generic:
        return Generic
    if isinstance(tp, types.UnionType):
        return types.UnionType
    return None


def get_args(tp):
    if isinstance(tp, _AnnotatedAlias):
        return (tp.__origin__, *tp.__metadata__)
    if isinstance(tp, (_Alias, types.GenericAlias)):
        args = tp.__args__
        if tp.__origin__ is collections.abc.Callable and not (len(args) == 2 and args[0] is ...):
            args = (list(args[:-1]), args[-1])
        return args
    if isinstance(tp, types.UnionType):
        return tp.__args__
    return ()


def is_typeddict(tp):
    return isinstance(tp, _TypedDictMeta)


def get_type_hints(obj, globalns=None, localns=None, include_extras=False):
    if isinstance(obj, type):
        hints = {}
        for base in reversed(obj.__mro__):
            for name, value in base.__dict__.get('__annotations__', {}).items():
                hints[name] = _resolve(value, base.__module__, globalns, localns)
    else:
        while hasattr(obj, '__wrapped__'):
            obj = obj.__wrapped__
        hints = {name: _resolve(value, getattr(obj, '__module__', None), globalns, localns)
                 for name, value in getattr(obj, '__annotations__', {}).items()}
    if include_extras:
        return hints
    return {name: _strip(value) for name, value in hints.items()}


def _strip(t):
    if isinstance(t, _AnnotatedAlias):
        return _strip(t.__origin__)
    if getattr(t, '__origin__', None) in (Required, NotRequired) and isinstance(t, _Alias):
        return _strip(t.__args__[0])
    return t


def _resolve(value, module, globalns, localns):
    def lookup(name):
        mark = object()
        for names in (localns, globalns):
            if names is not None and name in names:
                return names[name]
        found = _ferry.lookup(module or '__main__', name, mark)
        if found is mark:
            raise NameError(f'name {name!r} is not defined')
        return found

    return type(None) if value is None else _evaluate(value, lookup)


def _evaluate(value, lookup):
    """An annotation whose texts, at any depth, are replaced by what they say."""
    if isinstance(value, ForwardRef):
        value = value.__forward_arg__
    if isinstance(value, str):
        found = _Reader(value, lookup).whole()
        return type(None) if found is None else _evaluate(found, lookup)
    if isinstance(value, (_Alias, types.GenericAlias, types.UnionType)):
        if getattr(value, '__origin__', None) is Literal:
            return value
        args = tuple([a if a is None else _evaluate(a, lookup) for a in value.__args__])
        if args == value.__args__:
            return value
        if isinstance(value, types.GenericAlias):
            return types.GenericAlias(value.__origin__, args)
        if isinstance(value, types.UnionType) or value.__origin__ is Union:
            return Union[args]
        if isinstance(value, _AnnotatedAlias):
            return Annotated[(args[0], *value.__metadata__)]
        return type(value)(value.__origin__, args, value._name, value._inst)
    return value


class _Reader:
    """The expressions that types are written in: names, attributes, subscripts, |, literals."""

    def __init__(self, text, lookup):
        self.text = text.strip()
        self.at = 0
        self.lookup = lookup

    def fail(self):
        raise SyntaxError(f'Forward reference must be an expression -- got {self.text!r}')

    def peek(self):
        while self.text[self.at:self.at + 1].isspace():
            self.at += 1
        return self.text[self.at:self.at + 1]

    def accept(self, token):
        self.peek()
        if not self.text.startswith(token, self.at):
            return False
        self.at += len(token)
        return True

    def whole(self):
        value = self.union()
        if self.peek():
            self.fail()
        return value

    def union(self):
        value = self.primary()
        while self.accept('|'):
            value = Union[value, self.primary()]
        return value

    def items(self, end):
        values = []
        comma = False
        while not self.accept(end):
            values.append(self.union())
            comma = self.accept(',')
            if not comma:
                if not self.accept(end):
                    self.fail()
                break
        return values, comma

    def primary(self):
        value = self.atom()
        while True:
            if self.accept('['):
                values, comma = self.items(']')
                if not values:
                    self.fail()
                value = value[tuple(values) if comma or len(values) > 1 else values[0]]
            elif self.accept('.'):
                value = getattr(value, self.name())
            else:
                return value

    def name(self):
        self.peek()
        start = self.at
        while self.at < len(self.text) and (self.text[self.at] == '_' or self.text[self.at].isalnum()):
            self.at += 1
        name = self.text[start:self.at]
        if not name.isidentifier():
            self.fail()
        return name

    def number(self):
        sign = -1 if self.accept('-') else 1
        self.peek()
        start = self.at
        while self.text[self.at:self.at + 1].isdigit():
            self.at += 1
        if start == self.at:
            self.fail()
        return sign * int(self.text[start:self.at])

    def atom(self):
        if self.accept('...'):
            return ...
        if self.accept('['):
            return self.items(']')[0]
        if self.accept('('):
            values, comma = self.items(')')
            return values[0] if len(values) == 1 and not comma else tuple(values)
        first = self.peek()
        if first == '-' or first.isdigit():
            return self.number()
        if first in ('"', "'"):
            end = self.text.find(first, self.at + 1)
            if end < 0:
                self.fail()
            start, self.at = self.at + 1, end + 1
            return self.text[start:end]
        name = self.name()
        return {'None': None, 'True': True, 'False': False}[name] if name in ('None', 'True', 'False') \
            else self.lookup(name)


def __getattr__(name):
    if name not in ('Pattern', 'Match'):
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    import re  # only for who asks
    return _SpecialAlias(getattr(re, name), 1, name)
