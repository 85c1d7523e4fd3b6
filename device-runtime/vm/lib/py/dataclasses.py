import _ferry
from keyword import iskeyword as _iskeyword
import types

__all__ = ['dataclass', 'field', 'Field', 'FrozenInstanceError', 'InitVar', 'KW_ONLY', 'MISSING',
           'fields', 'asdict', 'astuple', 'make_dataclass', 'replace', 'is_dataclass']


class FrozenInstanceError(AttributeError):
    pass


class _MISSING_TYPE:
    pass


class _HAS_DEFAULT_FACTORY_CLASS:
    def __repr__(self):
        return '<factory>'


class _KW_ONLY_TYPE:
    pass


MISSING = _MISSING_TYPE()
KW_ONLY = _KW_ONLY_TYPE()
_FACTORY = _HAS_DEFAULT_FACTORY_CLASS()
_FIELDS = '__dataclass_fields__'
_PARAMS = '__dataclass_params__'
_POST_INIT = '__post_init__'


class _Kind:
    __slots__ = ('name',)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


_FIELD = _Kind('_FIELD')
_FIELD_CLASSVAR = _Kind('_FIELD_CLASSVAR')
_FIELD_INITVAR = _Kind('_FIELD_INITVAR')


class InitVar:
    __slots__ = ('type',)

    def __init__(self, type):
        self.type = type

    def __repr__(self):
        if isinstance(self.type, type):
            name = self.type.__name__
        else:
            name = repr(self.type)
        return f'dataclasses.InitVar[{name}]'

    def __class_getitem__(cls, type):
        return InitVar(type)


class Field:
    __slots__ = ('name', 'type', 'default', 'default_factory', 'repr', 'hash', 'init', 'compare',
                 'metadata', 'kw_only', '_field_type')

    def __init__(self, default, default_factory, init, repr, hash, compare, metadata, kw_only):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.metadata = types.MappingProxyType({} if metadata is None else metadata)
        self.kw_only = kw_only
        self._field_type = None

    def __repr__(self):
        return ('Field('
                f'name={self.name!r},type={self.type!r},default={self.default!r},'
                f'default_factory={self.default_factory!r},init={self.init!r},repr={self.repr!r},'
                f'hash={self.hash!r},compare={self.compare!r},metadata={self.metadata!r},'
                f'kw_only={self.kw_only!r},_field_type={self._field_type})')

    def __set_name__(self, owner, name):
        hook = getattr(type(self.default), '__set_name__', None)
        if hook:
            hook(self.default, owner, name)

    def __class_getitem__(cls, item):
        return types.GenericAlias(cls, item)


class _DataclassParams:
    __slots__ = ('init', 'repr', 'eq', 'order', 'unsafe_hash', 'frozen')

    def __init__(self, init, repr, eq, order, unsafe_hash, frozen):
        self.init = init
        self.repr = repr
        self.eq = eq
        self.order = order
        self.unsafe_hash = unsafe_hash
        self.frozen = frozen

    def __repr__(self):
        return ('_DataclassParams('
                f'init={self.init!r},repr={self.repr!r},eq={self.eq!r},order={self.order!r},'
                f'unsafe_hash={self.unsafe_hash!r},frozen={self.frozen!r})')


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None,
          compare=True, metadata=None, kw_only=MISSING):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError('cannot specify both default and default_factory')
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)


def _names(annotation, module, what):
    # Whether a string annotation is NAME, NAME[...], MODULE.NAME or MODULE.NAME[...].
    head = annotation.strip().partition('[')[0].strip()
    return head == what or head == module + '.' + what


def _is_classvar(annotation):
    if isinstance(annotation, str):
        return _names(annotation, 'typing', 'ClassVar')
    marker = getattr(annotation, '__origin__', annotation)
    return getattr(marker, '_name', None) == 'ClassVar' and type(marker).__module__ == 'typing'


def _is_initvar(annotation):
    if isinstance(annotation, str):
        return _names(annotation, 'dataclasses', 'InitVar')
    return annotation is InitVar or type(annotation) is InitVar


def _is_kw_only(annotation):
    if isinstance(annotation, str):
        return _names(annotation, 'dataclasses', 'KW_ONLY')
    return annotation is KW_ONLY


def _make_field(cls, name, annotation, kw_only):
    default = getattr(cls, name, MISSING)
    if isinstance(default, Field):
        f = default
    else:
        if isinstance(default, types.MemberDescriptorType):
            default = MISSING
        f = field(default=default)
    f.name = name
    f.type = annotation
    f._field_type = _FIELD
    if _is_classvar(annotation):
        f._field_type = _FIELD_CLASSVAR
    elif _is_initvar(annotation):
        f._field_type = _FIELD_INITVAR
    if f._field_type is not _FIELD and f.default_factory is not MISSING:
        raise TypeError(f'field {f.name} cannot have a default factory')
    if f._field_type is _FIELD_CLASSVAR:
        if f.kw_only is not MISSING:
            raise TypeError(f'field {f.name} is a ClassVar but specifies kw_only')
    elif f.kw_only is MISSING:
        f.kw_only = kw_only
    if f._field_type is _FIELD and f.default.__class__.__hash__ is None:
        raise ValueError(f'mutable default {type(f.default)} for field {f.name} is not allowed: '
                         'use default_factory')
    return f


def _qualify(cls, function, name):
    function.__name__ = name
    function.__qualname__ = f'{cls.__qualname__}.{name}'
    return function


def _set_new(cls, name, function):
    if name in cls.__dict__:
        return True
    setattr(cls, name, _qualify(cls, function, name))
    return False


def _init_method(cls, init_fields, std, kw_only, has_post_init, frozen):
    seen_default = False
    for f in std:
        if f.default is not MISSING or f.default_factory is not MISSING:
            seen_default = True
        elif seen_default:
            raise TypeError(f'non-default argument {f.name!r} follows default argument')
    taken = {f.name for f in init_fields if f.init}
    self_name = '__dataclass_self__' if 'self' in taken else 'self'

    def preset(f):
        return _FACTORY if f.default_factory is not MISSING else f.default

    defaults = tuple([preset(f) for f in std if preset(f) is not MISSING])
    kw_defaults = {f.name: preset(f) for f in kw_only if preset(f) is not MISSING}
    order = {f.name: i for i, f in enumerate(std + kw_only)}
    # (name, place among the values or -1, factory or None): what to store
    stores = []
    init_vars = []
    for f in init_fields:
        if f._field_type is _FIELD_INITVAR:
            if f.init:
                init_vars.append(order[f.name])
            elif f.default is not MISSING:
                init_vars.append((f.default,))
            continue
        factory = None if f.default_factory is MISSING else f.default_factory
        if f.init:
            stores.append((f.name, order[f.name], factory))
        elif factory is not None:
            stores.append((f.name, -1, factory))
    put = object.__setattr__ if frozen else setattr

    def body(self, *values):
        for name, place, factory in stores:
            value = values[place] if place >= 0 else _FACTORY
            if value is _FACTORY and factory is not None:
                value = factory()
            put(self, name, value)
        if has_post_init:
            self.__post_init__(*[values[v] if type(v) is int else v[0] for v in init_vars])

    function = _ferry.function('__init__', f'{cls.__qualname__}.__init__',
                               (self_name, *[f.name for f in std]), defaults,
                               tuple([f.name for f in kw_only]), kw_defaults, body)
    annotations = {f.name: f.type for f in std + kw_only}
    annotations['return'] = None
    function.__annotations__ = annotations
    return function


_values = _ferry.attributes
_compare = _ferry.compare


def _repr_method(names):
    names = tuple(names)
    running = set()

    def __repr__(self):
        key = id(self)
        if key in running:
            return '...'
        running.add(key)
        try:
            parts = [f'{name}={value!r}' for name, value in zip(names, _values(self, names))]
            return f'{self.__class__.__qualname__}({", ".join(parts)})'
        finally:
            running.discard(key)

    return __repr__


def _compare_methods(cls, names, eq, order):
    names = tuple(names)

    def __eq__(self, other):
        return _compare(4, self, other, names)

    def __lt__(self, other):
        return _compare(0, self, other, names)

    def __le__(self, other):
        return _compare(1, self, other, names)

    def __gt__(self, other):
        return _compare(2, self, other, names)

    def __ge__(self, other):
        return _compare(3, self, other, names)

    if eq:
        _set_new(cls, '__eq__', __eq__)
    if order:
        for name, function in (('__lt__', __lt__), ('__le__', __le__), ('__gt__', __gt__),
                               ('__ge__', __ge__)):
            if _set_new(cls, name, function):
                raise TypeError(f'Cannot overwrite attribute {name} in class {cls.__name__}. '
                                'Consider using functools.total_ordering')


def _hash_method(cls, field_list):
    names = tuple([f.name for f in field_list if (f.compare if f.hash is None else f.hash)])

    def __hash__(self):
        return hash(_values(self, names))

    return _qualify(cls, __hash__, '__hash__')




def _freeze(cls, names):
    guarded = frozenset(names)

    def __setattr__(self, name, value):
        if type(self) is cls or name in guarded:
            raise FrozenInstanceError(f'cannot assign to field {name!r}')
        super(cls, self).__setattr__(name, value)

    def __delattr__(self, name):
        if type(self) is cls or name in guarded:
            raise FrozenInstanceError(f'cannot delete field {name!r}')
        super(cls, self).__delattr__(name)

    for name, function in (('__setattr__', __setattr__), ('__delattr__', __delattr__)):
        if _set_new(cls, name, function):
            raise TypeError(f'Cannot overwrite attribute {name} in class {cls.__name__}')


def _collect(cls, kw_only):
    found = {}
    any_frozen_base = has_bases = False
    for base in cls.__mro__[-1:0:-1]:
        base_fields = getattr(base, _FIELDS, None)
        if base_fields is not None:
            has_bases = True
            found.update(base_fields)
            if getattr(base, _PARAMS).frozen:
                any_frozen_base = True
    annotations = cls.__dict__.get('__annotations__', {})
    own = []
    seen_marker = False
    for name, annotation in annotations.items():
        if _is_kw_only(annotation):
            if seen_marker:
                raise TypeError(f'{name!r} is KW_ONLY, but KW_ONLY has already been specified')
            seen_marker = kw_only = True
        else:
            own.append(_make_field(cls, name, annotation, kw_only))
    for f in own:
        found[f.name] = f
        if isinstance(cls.__dict__.get(f.name, None), Field):
            if f.default is MISSING:
                delattr(cls, f.name)
            else:
                setattr(cls, f.name, f.default)
    for name, value in cls.__dict__.items():
        if isinstance(value, Field) and name not in annotations:
            raise TypeError(f'{name!r} is a field but has no type annotation')
    return found, has_bases, any_frozen_base


def _process_class(cls, init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only, slots,
                   weakref_slot):
    params = _DataclassParams(init, repr, eq, order, unsafe_hash, frozen)
    setattr(cls, _PARAMS, params)
    found, has_bases, any_frozen_base = _collect(cls, kw_only)
    if has_bases:
        if any_frozen_base and not frozen:
            raise TypeError('cannot inherit non-frozen dataclass from a frozen one')
        if not any_frozen_base and frozen:
            raise TypeError('cannot inherit frozen dataclass from a non-frozen one')
    setattr(cls, _FIELDS, found)
    own_hash = cls.__dict__.get('__hash__', MISSING)
    explicit_hash = not (own_hash is MISSING or (own_hash is None and '__eq__' in cls.__dict__))
    if order and not eq:
        raise ValueError('eq must be true if order is true')
    all_init = [f for f in found.values() if f._field_type is not _FIELD_CLASSVAR]
    std = [f for f in all_init if f.init and not f.kw_only]
    keyword = [f for f in all_init if f.init and f.kw_only]
    if init:
        function = _init_method(cls, all_init, std, keyword, hasattr(cls, _POST_INIT), frozen)
        if '__init__' not in cls.__dict__:
            cls.__init__ = function
    real = [f for f in found.values() if f._field_type is _FIELD]
    if repr:
        _set_new(cls, '__repr__', _repr_method([f.name for f in real if f.repr]))
    _compare_methods(cls, [f.name for f in real if f.compare], eq, order)
    if frozen:
        _freeze(cls, [f.name for f in real])
    if unsafe_hash:
        if explicit_hash:
            raise TypeError(f'Cannot overwrite attribute __hash__ in class {cls.__name__}')
        cls.__hash__ = _hash_method(cls, real)
    elif eq and frozen:
        if not explicit_hash:
            cls.__hash__ = _hash_method(cls, real)
    elif eq and not explicit_hash:
        cls.__hash__ = None
    if cls.__doc__ is None:
        parts = [_parameter_text(f) for f in std]
        if keyword:
            parts += ['*', *[_parameter_text(f) for f in keyword]]
        cls.__doc__ = f'{cls.__name__}({", ".join(parts)})' if init else cls.__name__ + '()'
    if match_args:
        if '__match_args__' not in cls.__dict__:
            cls.__match_args__ = tuple([f.name for f in std])
    if slots:
        cls = _with_slots(cls, frozen, weakref_slot, [f.name for f in real])
    elif weakref_slot:
        raise TypeError('weakref_slot is True but slots is False')
    return cls


def _annotation_text(annotation):
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        if annotation.__module__ == 'builtins':
            return annotation.__qualname__
        return annotation.__module__ + '.' + annotation.__qualname__
    return repr(annotation)


def _parameter_text(f):
    text = f'{f.name}: {_annotation_text(f.type)}'
    if f.default_factory is not MISSING:
        return text + ' = <factory>'
    return text if f.default is MISSING else f'{text} = {f.default!r}'


def _with_slots(cls, frozen, weakref_slot, names):
    if '__slots__' in cls.__dict__:
        raise TypeError(f'{cls.__name__} already specifies __slots__')
    namespace = dict(cls.__dict__)
    inherited = set()
    for base in cls.__mro__[1:-1]:
        slots = base.__dict__.get('__slots__', ())
        inherited.update((slots,) if isinstance(slots, str) else slots)
    slots = [name for name in names if name not in inherited]
    if weakref_slot and '__weakref__' not in inherited:
        slots.append('__weakref__')
    namespace['__slots__'] = tuple(slots)
    for name in names:
        namespace.pop(name, None)
    namespace.pop('__dict__', None)
    namespace.pop('__weakref__', None)
    qualname = getattr(cls, '__qualname__', None)
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    if qualname is not None:
        made.__qualname__ = qualname
    if frozen:
        _freeze_again(made, names)
        # For copies.
        if '__getstate__' not in namespace:
            made.__getstate__ = _state
        if '__setstate__' not in namespace:
            made.__setstate__ = _set_state
    return made


def _state(self):
    return [getattr(self, f.name) for f in fields(self)]


def _set_state(self, state):
    for f, value in zip(fields(self), state):
        object.__setattr__(self, f.name, value)


def _freeze_again(cls, names):
    del cls.__setattr__
    del cls.__delattr__
    _freeze(cls, names)


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False,
              frozen=False, match_args=True, kw_only=False, slots=False, weakref_slot=False):
    def wrap(cls):
        return _process_class(cls, init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only,
                              slots, weakref_slot)

    return wrap if cls is None else wrap(cls)


def fields(class_or_instance):
    try:
        found = getattr(class_or_instance, _FIELDS)
    except AttributeError:
        raise TypeError('must be called with a dataclass type or instance') from None
    return tuple([f for f in found.values() if f._field_type is _FIELD])


def _is_instance(obj):
    return hasattr(type(obj), _FIELDS)


def is_dataclass(obj):
    cls = obj if isinstance(obj, type) else type(obj)
    return hasattr(cls, _FIELDS)


def asdict(obj, *, dict_factory=dict):
    if not _is_instance(obj):
        raise TypeError('asdict() should be called on dataclass instances')
    return _convert(obj, lambda pairs: dict_factory(pairs), True)


def astuple(obj, *, tuple_factory=tuple):
    if not _is_instance(obj):
        raise TypeError('astuple() should be called on dataclass instances')
    return _convert(obj, tuple_factory, False)


def _convert(obj, factory, named):
    import copy
    if _is_instance(obj):
        values = [(f.name, _convert(getattr(obj, f.name), factory, named)) for f in fields(obj)]
        return factory(values if named else [v for _, v in values])
    kind = type(obj)
    if isinstance(obj, tuple) and hasattr(obj, '_fields'):
        return kind(*[_convert(v, factory, named) for v in obj])
    if isinstance(obj, (list, tuple)):
        return kind([_convert(v, factory, named) for v in obj])
    if isinstance(obj, dict):
        pairs = [(_convert(k, factory, named), _convert(v, factory, named))
                 for k, v in obj.items()]
        if hasattr(kind, 'default_factory'):
            result = kind(obj.default_factory)
            for k, v in pairs:
                result[k] = v
            return result
        return kind(pairs)
    return copy.deepcopy(obj)


def make_dataclass(cls_name, fields, *, bases=(), namespace=None, init=True, repr=True, eq=True,
                   order=False, unsafe_hash=False, frozen=False, match_args=True, kw_only=False,
                   slots=False, weakref_slot=False):
    body = {} if namespace is None else dict(namespace)
    annotations = {}
    defaults = {}
    for item in fields:
        if isinstance(item, str):
            name, annotation = item, 'typing.Any'
        elif len(item) == 2:
            name, annotation = item
        elif len(item) == 3:
            name, annotation, defaults[name] = item
        else:
            raise TypeError(f'Invalid field: {item!r}')
        if not isinstance(name, str) or not name.isidentifier():
            raise TypeError(f'Field names must be valid identifiers: {name!r}')
        if _iskeyword(name):
            raise TypeError(f'Field names must not be keywords: {name!r}')
        if name in annotations:
            raise TypeError(f'Field name duplicated: {name!r}')
        annotations[name] = annotation
    body.update(defaults)
    body['__annotations__'] = annotations
    cls = types.new_class(cls_name, bases, {}, lambda ns: ns.update(body))
    return dataclass(cls, init=init, repr=repr, eq=eq, order=order, unsafe_hash=unsafe_hash,
                     frozen=frozen, match_args=match_args, kw_only=kw_only, slots=slots,
                     weakref_slot=weakref_slot)


def replace(obj, /, **changes):
    if not _is_instance(obj):
        raise TypeError('replace() should be called on dataclass instances')
    for f in getattr(obj, _FIELDS).values():
        if f._field_type is _FIELD_CLASSVAR:
            continue
        if not f.init:
            if f.name in changes:
                raise ValueError(f'field {f.name} is declared with init=False, it cannot be '
                                 'specified with replace()')
            continue
        if f.name not in changes:
            if f._field_type is _FIELD_INITVAR and f.default is MISSING:
                raise ValueError(f'InitVar {f.name!r} must be specified with replace()')
            changes[f.name] = getattr(obj, f.name)
    return obj.__class__(**changes)
