import _ferry
from types import MappingProxyType

__all__ = ['EnumType', 'EnumMeta', 'Enum', 'IntEnum', 'StrEnum', 'Flag', 'IntFlag', 'ReprEnum',
           'auto', 'unique', 'property', 'verify', 'member', 'nonmember', 'FlagBoundary', 'STRICT',
           'CONFORM', 'EJECT', 'KEEP', 'global_flag_repr', 'global_enum_repr', 'global_str',
           'global_enum', 'EnumCheck', 'CONTINUOUS', 'NAMED_FLAGS', 'UNIQUE']

_property = property
Enum = Flag = ReprEnum = EJECT = STRICT = CONFORM = KEEP = None


class nonmember:
    def __init__(self, value):
        self.value = value


class member:
    def __init__(self, value):
        self.value = value


class _Unset:
    def __repr__(self):
        return '_auto_null'


_unset = _Unset()


class auto:
    def __init__(self, value=_unset):
        self.value = value

    def __repr__(self):
        return f'auto({self.value!r})'


class property(property):
    name = clsname = member = None

    def __get__(self, instance, ownerclass=None):
        if instance is None:
            if self.name in ownerclass.__dict__.get('_member_map_', ()):
                return ownerclass._member_map_[self.name]
            raise AttributeError(f'{ownerclass!r} has no attribute {self.name!r}')
        if self.fget is None:
            if self.name in type(instance)._member_map_:
                return type(instance)._member_map_[self.name]
            raise AttributeError(f'{ownerclass!r} has no attribute {self.name!r}')
        return self.fget(instance)

    def __set__(self, instance, value):
        if self.fset is None:
            raise AttributeError(f"<enum {self.clsname!r}> cannot set attribute {self.name!r}")
        return self.fset(instance, value)

    def __delete__(self, instance):
        if self.fdel is None:
            raise AttributeError(f"<enum {self.clsname!r}> cannot delete attribute {self.name!r}")
        return self.fdel(instance)

    def __set_name__(self, ownerclass, name):
        self.name = name
        self.clsname = ownerclass.__name__


def _is_descriptor(v):
    return hasattr(v, '__get__') or hasattr(v, '__set__') or hasattr(v, '__delete__')


def _is_dunder(name):
    return (len(name) > 4 and name[:2] == name[-2:] == '__' and name[2] != '_' and name[-3] != '_')


def _is_sunder(name):
    return len(name) > 2 and name[0] == name[-1] == '_' and name[1] != '_' and name[-2] != '_'


def _is_private(cls_name, name):
    prefix = f'_{cls_name}__'
    return (len(name) > len(prefix) and name.startswith(prefix)
            and (name[-1] != '_' or name[-2] != '_'))


def _is_single_bit(num):
    return num > 0 and num & (num - 1) == 0


def _high_bit(value):
    return value.bit_length() - 1


def _bits(num):
    while num > 0:
        low = num & -num
        yield low
        num ^= low


_ALLOWED_SUNDERS = ('_order_', '_generate_next_value_', '_numeric_repr_', '_missing_', '_ignore_',
                    '_iter_member_', '_iter_member_by_value_', '_iter_member_by_def_',
                    '_boundary_')


class _EnumDict(dict):
    def __init__(self, cls_name):
        super().__init__()
        self._member_names = {}
        self._last_values = []
        self._ignore = []
        self._cls_name = cls_name
        self._generate_next_value = None
        self._auto_called = False

    def __setitem__(self, key, value):
        if _is_private(self._cls_name, key):
            pass
        elif _is_sunder(key):
            if key not in _ALLOWED_SUNDERS:
                raise ValueError(f'_sunder_ names, such as {key!r}, are reserved for future '
                                 'Enum use')
            if key == '_generate_next_value_':
                if self._auto_called:
                    raise TypeError('_generate_next_value_ must be defined before members')
                self._generate_next_value = (value.__func__ if isinstance(value, staticmethod)
                                             else value)
            elif key == '_ignore_':
                value = value.replace(',', ' ').split() if isinstance(value, str) else list(value)
                self._ignore = value
                already = set(value) & set(self._member_names)
                if already:
                    raise ValueError(f'_ignore_ cannot specify already set names: {already!r}')
        elif _is_dunder(key):
            if key == '__order__':
                key = '_order_'
        elif key in self._member_names:
            raise TypeError(f'{key!r} already defined as {self[key]!r}')
        elif key in self._ignore:
            pass
        elif isinstance(value, nonmember):
            value = value.value
        elif _is_descriptor(value) and not isinstance(value, member):
            pass
        else:
            if key in self:
                raise TypeError(f'{key!r} already defined as {self[key]!r}')
            if isinstance(value, member):
                value = value.value
            value = self._resolve(key, value)
            self._member_names[key] = None
            self._last_values.append(value)
        super().__setitem__(key, value)

    def _resolve(self, key, value):
        if isinstance(value, auto):
            if value.value is _unset:
                value.value = self._generate_next_value(key, 1, len(self._member_names),
                                                        self._last_values[:])
            self._auto_called = True
            return value.value
        if type(value) is tuple and any(isinstance(v, auto) for v in value):
            return tuple([self._resolve(key, v) if isinstance(v, auto) else v for v in value])
        return value

    def update(self, members=(), **more):
        try:
            for name in members.keys():
                self[name] = members[name]
        except AttributeError:
            for name, value in members:
                self[name] = value
        for name, value in more.items():
            self[name] = value


def _check_for_existing_members(class_name, bases):
    for chain in bases:
        for base in chain.__mro__:
            if isinstance(base, EnumType) and base._member_names_:
                raise TypeError(f'<enum {class_name!r}> cannot extend {base!r}')


def _find_data_repr(bases):
    for chain in bases:
        for base in chain.__mro__:
            if base is object:
                continue
            if isinstance(base, EnumType):
                return base._value_repr_
            if '__repr__' in base.__dict__:
                return base.__dict__['__repr__']
    return None


def _makes(base):
    # Whether a class has a way of its own to make objects.
    return '__new__' in base.__dict__ or base.__module__ == 'builtins'


def _find_data_type(class_name, bases):
    found = {}
    for chain in bases:
        candidate = None
        for base in chain.__mro__:
            if base is object:
                continue
            if isinstance(base, EnumType):
                if base._member_type_ is not object:
                    found[base._member_type_] = None
                    break
            elif _makes(base) or '__dataclass_fields__' in base.__dict__:
                found[candidate or base] = None
                break
            else:
                candidate = candidate or base
    if len(found) > 1:
        raise TypeError(f'too many data types for {class_name!r}: {set(found)!r}')
    return next(iter(found), None)


def _mixins(class_name, bases):
    if not bases:
        return object, Enum
    first = bases[-1]
    if not isinstance(first, EnumType):
        raise TypeError('new enumerations should be created as `EnumName([mixin_type, ...] '
                        '[data_type,] enum_type)`')
    return _find_data_type(class_name, bases) or object, first


def _find_new(namespace, member_type, first_enum):
    # What makes members: the namespace's own __new__, that of an enum base, that of the data type.
    own = namespace.get('__new__', None)
    save_new = first_enum is not None and own is not None
    if own is None:
        own = getattr(member_type, '__new_member__', None)
        if own is None:
            own = getattr(first_enum, '__new_member__', None)
        if own is None and any(_makes(base) for base in member_type.__mro__[:-1]):
            own = member_type.__new__
        if own is None:
            return object.__new__, save_new, False
    return own, save_new, True


class EnumType(type):
    @classmethod
    def __prepare__(metacls, cls, bases, **kwds):
        _check_for_existing_members(cls, bases)
        namespace = _EnumDict(cls)
        member_type, first_enum = _mixins(cls, bases) if Enum is not None else (object, None)
        if first_enum is not None:
            generate = getattr(first_enum, '_generate_next_value_', None)
            namespace._generate_next_value = getattr(generate, '__func__', generate)
            dict.__setitem__(namespace, '_generate_next_value_', generate)
        return namespace

    def __new__(metacls, cls, bases, classdict, *, boundary=None, _simple=False, **kwds):
        if Enum is None:
            return super().__new__(metacls, cls, bases, dict(classdict), **kwds)
        names = classdict._member_names
        ignore = classdict._ignore
        namespace = {k: v for k, v in classdict.items()
                     if k not in names and k not in ignore and k != '_ignore_'}
        values = [(name, classdict[name]) for name in names]
        order = namespace.pop('_order_', None)
        member_type, first_enum = _mixins(cls, bases)
        new, save_new, use_args = _find_new(classdict, member_type, first_enum)
        invalid = {name for name in names if name in ('mro', '')}
        if invalid:
            raise ValueError('invalid enum member name(s) %s'
                             % ','.join([repr(n) for n in invalid]))
        if not isinstance(namespace.get('_generate_next_value_'), (staticmethod, type(None))):
            namespace['_generate_next_value_'] = staticmethod(namespace['_generate_next_value_'])
        namespace['_new_member_'] = new
        namespace['_use_args_'] = use_args
        namespace['_member_names_'] = []
        namespace['_member_map_'] = {}
        namespace['_value2member_map_'] = {}
        namespace['_unhashable_values_'] = []
        namespace['_member_type_'] = member_type
        namespace['_value_repr_'] = _find_data_repr(bases)
        is_flag = Flag is not None and any(issubclass(b, Flag) for b in bases)
        namespace['_boundary_'] = boundary or getattr(first_enum, '_boundary_', None)
        namespace['_flag_mask_'] = 0
        namespace['_all_bits_'] = 0
        namespace['_singles_mask_'] = 0
        namespace['_inverted_'] = None
        if save_new:
            del namespace['__new__']
            namespace['__new_member__'] = new
        namespace.update(_special_methods(namespace, member_type, first_enum, bases))
        made = super().__new__(metacls, cls, bases, namespace, **kwds)
        for name, value in values:
            _add_member(made, name, value, is_flag)
        if is_flag:
            _finish_flag(made, boundary)
        made.__new__ = Enum.__new__
        if order is not None:
            if isinstance(order, str):
                order = order.replace(',', ' ').split()
            known = [n for n in order if n not in made._member_map_ or n in made._member_names_]
            if known != made._member_names_:
                raise TypeError('member order does not match _order_:\n  %r\n  %r'
                                % (made._member_names_, order))
        return made

    def __init__(cls, *args, **kwds):
        pass

    def __bool__(cls):
        return True

    def __call__(cls, value, names=None, *, module=None, qualname=None, type=None, start=1,
                 boundary=None):
        if names is None and type is None:
            return cls.__new__(cls, value)
        return cls._create_(value, names, module=module, qualname=qualname, type=type, start=start,
                            boundary=boundary)

    def _create_(cls, class_name, names, *, module=None, qualname=None, type=None, start=1,
                 boundary=None):
        metacls = cls.__class__
        bases = (cls,) if type is None else (type, cls)
        classdict = metacls.__prepare__(class_name, bases)
        if isinstance(names, str):
            names = names.replace(',', ' ').split()
        if isinstance(names, (tuple, list)) and names and isinstance(names[0], str):
            original, names, last = names, [], []
            for count, name in enumerate(original):
                generate = cls._generate_next_value_
                value = generate(name, start, count, last[:])
                last.append(value)
                names.append((name, value))
        if names is None:
            names = ()
        for item in names:
            if isinstance(item, str):
                classdict[item] = names[item]
            else:
                name, value = item
                classdict[name] = value
        if module is None:
            module = _ferry.caller(2)
        classdict['__module__'] = module
        if qualname is not None:
            classdict['__qualname__'] = qualname
        return metacls.__new__(metacls, class_name, bases, classdict, boundary=boundary)

    def __contains__(cls, member):
        if not isinstance(member, Enum):
            raise TypeError("unsupported operand type(s) for 'in': '%s' and '%s'"
                            % (type(member).__qualname__, cls.__class__.__qualname__))
        return isinstance(member, cls) and member._name_ in cls._member_map_

    def __setattr__(cls, name, value):
        if name in cls.__dict__.get('_member_map_', {}):
            raise AttributeError(f'cannot reassign member {name!r}')
        super().__setattr__(name, value)

    def __delattr__(cls, attr):
        if attr in cls._member_map_:
            raise AttributeError(f'{cls.__name__!r} cannot delete member {attr!r}.')
        super().__delattr__(attr)

    def __dir__(cls):
        names = {'__class__', '__contains__', '__doc__', '__getitem__', '__init_subclass__',
                 '__iter__', '__len__', '__members__', '__module__', '__name__', '__qualname__', *cls._member_names_}
        if cls._member_type_ is object:
            return sorted(names)
        return sorted(names | set(dir(cls._member_type_)))

    def __getattr__(cls, name):
        if not _is_dunder(name) and name in cls.__dict__.get('_member_map_', ()):
            return cls._member_map_[name]
        raise AttributeError(name) from None

    def __getitem__(cls, name):
        return cls._member_map_[name]

    def __iter__(cls):
        return (cls._member_map_[name] for name in cls._member_names_)

    def __reversed__(cls):
        return (cls._member_map_[name] for name in reversed(cls._member_names_))

    def __len__(cls):
        return len(cls._member_names_)

    @_property
    def __members__(cls):
        return MappingProxyType(cls._member_map_)

    def __repr__(cls):
        if Flag is not None and issubclass(cls, Flag):
            return "<flag %r>" % cls.__name__
        return "<enum %r>" % cls.__name__


EnumMeta = EnumType


def _special_methods(namespace, member_type, first_enum, bases):
    # A data type's own __repr__, __str__ and __format__ would win over the enum's.
    given = {}
    if Enum is None or first_enum is None:
        return given
    for name in ('__repr__', '__str__', '__format__', '__reduce_ex__'):
        if name in namespace:
            continue
        enum_method = getattr(first_enum, name)
        if name == '__format__' and '__str__' in namespace and ReprEnum not in bases:
            continue
        if member_type is not object and getattr(enum_method, '__objclass__', None) is None:
            found = None
            for chain in bases:
                for base in chain.__mro__:
                    if name in base.__dict__:
                        found = base
                        break
                if found is not None:
                    break
            if found is not None and found is not object and not isinstance(found, EnumType):
                if found is member_type or issubclass(member_type, found):
                    given[name] = enum_method
    if ReprEnum is not None and ReprEnum in bases:
        given['__format__'] = member_type.__format__
        method = member_type.__str__
        if method is object.__str__:
            method = member_type.__repr__
        given['__str__'] = method
        for name in ('__format__', '__str__'):
            if name in namespace:
                given.pop(name, None)
    if Flag is not None and issubclass(first_enum, Flag):
        for name in ('__or__', '__and__', '__xor__', '__ror__', '__rand__', '__rxor__',
                     '__invert__'):
            if name not in namespace and member_type is not object:
                given[name] = getattr(first_enum, name)
    return given


def _add_member(cls, name, value, is_flag):
    member_type = cls._member_type_
    args = value if isinstance(value, tuple) else (value,)
    if member_type is tuple:
        args = (args,)
    new = cls._new_member_
    if not cls._use_args_:
        made = new(cls)
    else:
        made = new(cls, *args)
    if not hasattr(made, '_value_'):
        if member_type is object:
            made._value_ = value
        else:
            try:
                made._value_ = member_type(*args)
            except Exception as error:
                failed = TypeError('_value_ not set in __new__, unable to create it')
                raise failed from error
    value = made._value_
    made._name_ = name
    made.__objclass__ = cls
    made._sort_order_ = len(cls._member_names_)
    made.__init__(*args)
    known = None
    try:
        known = cls._value2member_map_.get(value)
    except TypeError:
        for other in cls._member_map_.values():
            if other._value_ == value:
                known = other
                break
    if known is not None:
        made = known
    elif not is_flag or (isinstance(value, int) and _is_single_bit(value)):
        cls._member_names_.append(name)
    if is_flag and isinstance(value, int) and known is None:
        cls._flag_mask_ |= value
        if _is_single_bit(value):
            cls._singles_mask_ |= value
        cls._all_bits_ = 2 ** cls._flag_mask_.bit_length() - 1
    # A property of that name in a base (name, value, or the script's own) shows the member on the
    # class and the property on members.
    blocked = None
    for base in cls.__mro__[1:]:
        found = base.__dict__.get(name)
        if found is not None:
            blocked = found
            break
    if isinstance(blocked, (property, _property)):
        redirect = property(blocked.fget, blocked.fset, blocked.fdel)
        redirect.__set_name__(cls, name)
        type.__setattr__(cls, name, redirect)
    else:
        type.__setattr__(cls, name, made)
    cls._member_map_[name] = made
    try:
        cls._value2member_map_.setdefault(value, made)
    except TypeError:
        cls._unhashable_values_.append(value)


def _finish_flag(cls, boundary):
    single = multi = 0
    for value in cls._value2member_map_:
        if _is_single_bit(value):
            single |= value
        else:
            multi |= value
    cls._flag_mask_ = single
    kind = boundary or cls.__dict__['_boundary_']
    if kind is not KEEP:
        missed = list(_bits(multi & ~single))
        if missed:
            listed = ', '.join([str(v) for v in missed])
            raise TypeError('invalid Flag %r: missing value%s %s'
                            % (cls.__name__, 's' if len(missed) > 1 else '', listed))
    cls._flag_mask_ = single | multi
    names = [m._value_ for m in cls]
    if names != sorted(names):
        cls._iter_member_ = cls._iter_member_by_def_


class Enum(metaclass=EnumType):
    def __new__(cls, value):
        if type(value) is cls:
            return value
        try:
            return cls._value2member_map_[value]
        except KeyError:
            pass
        except TypeError:
            for found in cls._member_map_.values():
                if found._value_ == value:
                    return found
        error = None
        try:
            result = cls._missing_(value)
        except Exception as e:
            error = e
            result = None
        if isinstance(result, cls):
            return result
        if Flag is not None and issubclass(cls, Flag) and cls._boundary_ is EJECT and isinstance(
                result, int):
            return result
        invalid = ValueError('%r is not a valid %s' % (value, cls.__qualname__))
        if result is None and error is None:
            raise invalid
        if error is None:
            error = TypeError('error in %s._missing_: returned %r instead of None or a valid '
                              'member' % (cls.__name__, result))
        if not isinstance(error, ValueError):
            error.__context__ = invalid
        raise error

    def __init__(self, *args, **kwds):
        pass

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        if not last_values:
            return start
        try:
            return sorted(last_values)[-1] + 1
        except TypeError:
            for last in reversed(last_values):
                try:
                    return last + 1
                except TypeError:
                    pass
            return start

    @classmethod
    def _missing_(cls, value):
        return None

    def __repr__(self):
        show = self.__class__._value_repr_ or repr
        return '<%s.%s: %s>' % (self.__class__.__name__, self._name_, show(self._value_))

    def __str__(self):
        return '%s.%s' % (self.__class__.__name__, self._name_)

    def __dir__(self):
        kind = type(self)
        if kind._member_type_ is object:
            names = {'__class__', '__doc__', '__eq__', '__hash__', '__module__', 'name', 'value'}
        else:
            names = set(object.__dir__(self))
        names.update([n for n in getattr(self, '__dict__', ()) if n[0] != '_'])
        for cls in kind.mro():
            names.update([n for n in cls.__dict__ if n[0] != '_' and n not in kind._member_map_])
        return sorted(names)

    def __format__(self, format_spec):
        return str.__format__(str(self), format_spec)

    def __hash__(self):
        return hash(self._name_)

    def __reduce_ex__(self, proto):
        return self.__class__, (self._value_,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def name(self):
        return self._name_

    @property
    def value(self):
        return self._value_


for _key, _value in (('_member_names_', []), ('_member_map_', {}), ('_value2member_map_', {}),
                     ('_member_type_', object), ('_value_repr_', None), ('_boundary_', None)):
    type.__setattr__(Enum, _key, _value)


class ReprEnum(Enum):
    pass


class IntEnum(int, ReprEnum):
    pass


class StrEnum(str, ReprEnum):
    def __new__(cls, *values):
        if len(values) > 3:
            raise TypeError('too many arguments for str(): %r' % (values,))
        if len(values) == 1 and not isinstance(values[0], str):
            raise TypeError('%r is not a string' % (values[0],))
        if len(values) >= 2 and not isinstance(values[1], str):
            raise TypeError('encoding must be a string, not %r' % (values[1],))
        if len(values) == 3 and not isinstance(values[2], str):
            raise TypeError('errors must be a string, not %r' % (values[2]))
        value = str(*values)
        made = str.__new__(cls, value)
        made._value_ = value
        return made

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()


class FlagBoundary(StrEnum):
    STRICT = auto()
    CONFORM = auto()
    EJECT = auto()
    KEEP = auto()


STRICT, CONFORM, EJECT, KEEP = FlagBoundary


class Flag(Enum, boundary=STRICT):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        if not last_values:
            return start if start is not None else 1
        last = max(last_values)
        try:
            return 2 ** last.bit_length()
        except Exception:
            raise TypeError('invalid flag value %r' % last) from None

    @classmethod
    def _iter_member_by_value_(cls, value):
        for bit in _bits(value & cls._flag_mask_):
            yield cls._value2member_map_.get(bit)

    _iter_member_ = _iter_member_by_value_

    @classmethod
    def _iter_member_by_def_(cls, value):
        yield from sorted(cls._iter_member_by_value_(value), key=lambda m: m._sort_order_)

    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int):
            raise ValueError('%r is not a valid %s' % (value, cls.__qualname__))
        flag_mask = cls._flag_mask_
        all_bits = cls._all_bits_
        neg_value = None
        if not ~all_bits <= value <= all_bits or value & (all_bits ^ flag_mask):
            if cls._boundary_ is STRICT:
                width = max(value.bit_length(), flag_mask.bit_length())
                raise ValueError('%r invalid value %r\n    given %s\n  allowed %s' % (
                    cls, value, _bin(value, width), _bin(flag_mask, width)))
            if cls._boundary_ is CONFORM:
                value = value & flag_mask
            elif cls._boundary_ is EJECT:
                return value
            elif value < 0:
                value = max(all_bits + 1, 2 ** value.bit_length()) + value
        if value < 0:
            neg_value = value
            value = all_bits + 1 + value
        unknown = value & ~flag_mask
        if unknown and cls._boundary_ is not KEEP:
            raise ValueError('%s(%r) -->  unknown values %r [%s]'
                             % (cls.__name__, value, unknown, bin(unknown)))
        if cls._member_type_ is object:
            made = object.__new__(cls)
        else:
            made = cls._member_type_.__new__(cls, value)
        if not hasattr(made, '_value_'):
            made._value_ = value
        members = list(cls._iter_member_(value))
        if members:
            made._name_ = '|'.join([m._name_ for m in members])
            if unknown:
                made._name_ += '|%s' % _numeric(cls, unknown)
        else:
            made._name_ = None
        made = cls._value2member_map_.setdefault(value, made)
        if neg_value is not None:
            cls._value2member_map_[neg_value] = made
        return made

    def __contains__(self, other):
        if not isinstance(other, self.__class__):
            raise TypeError("unsupported operand type(s) for 'in': %r and %r"
                            % (type(other).__qualname__, self.__class__.__qualname__))
        return other._value_ & self._value_ == other._value_

    def __iter__(self):
        yield from self._iter_member_(self._value_)

    def __len__(self):
        return bin(self._value_).count('1')

    def __repr__(self):
        show = self.__class__._value_repr_ or repr
        if self._name_ is None:
            return '<%s: %s>' % (self.__class__.__name__, show(self._value_))
        return '<%s.%s: %s>' % (self.__class__.__name__, self._name_, show(self._value_))

    def __str__(self):
        if self._name_ is None:
            return '%s(%r)' % (self.__class__.__name__, self._value_)
        return '%s.%s' % (self.__class__.__name__, self._name_)

    def __bool__(self):
        return bool(self._value_)

    def _other_value(self, other):
        if isinstance(other, self.__class__):
            return other._value_
        if self._member_type_ is not object and isinstance(other, self._member_type_):
            return other
        return None

    def __or__(self, other):
        value = self._other_value(other)
        return NotImplemented if value is None else self.__class__(self._value_ | value)

    def __and__(self, other):
        value = self._other_value(other)
        return NotImplemented if value is None else self.__class__(self._value_ & value)

    def __xor__(self, other):
        value = self._other_value(other)
        return NotImplemented if value is None else self.__class__(self._value_ ^ value)

    def __invert__(self):
        if self._inverted_ is None:
            if self._boundary_ in (EJECT, KEEP):
                self._inverted_ = self.__class__(~self._value_)
            else:
                self._inverted_ = self.__class__(self._singles_mask_ & ~self._value_)
            if isinstance(self._inverted_, self.__class__):
                self._inverted_._inverted_ = self
        return self._inverted_

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__


def _numeric(cls, value):
    return repr(value)


def _bin(num, width):
    ceiling = 2 ** num.bit_length()
    if num >= 0:
        text = bin(num + ceiling).replace('1', '0', 1)
    else:
        text = bin(~num ^ (ceiling - 1) + ceiling)
    sign = text[:3]
    digits = text[3:]
    if len(digits) < width:
        digits = (sign[-1] * width + digits)[-width:]
    return '%s %s' % (sign, digits)


class IntFlag(int, ReprEnum, Flag, boundary=KEEP):
    pass


def unique(enumeration):
    duplicates = [(name, m.name) for name, m in enumeration.__members__.items() if name != m.name]
    if duplicates:
        listed = ', '.join(['%s -> %s' % pair for pair in duplicates])
        raise ValueError('duplicate values found in %r: %s' % (enumeration, listed))
    return enumeration


class EnumCheck(StrEnum):
    CONTINUOUS = 'no skipped integer values'
    NAMED_FLAGS = 'multi-flag aliases may not contain unnamed flags'
    UNIQUE = 'one name per value'


CONTINUOUS, NAMED_FLAGS, UNIQUE = EnumCheck


class verify:
    def __init__(self, *checks):
        self.checks = checks

    def __call__(self, enumeration):
        name = enumeration.__name__
        is_flag = issubclass(enumeration, Flag)
        if not is_flag and not issubclass(enumeration, Enum):
            raise TypeError("the 'verify' decorator only works with Enum and Flag")
        for check in self.checks:
            if check is UNIQUE:
                pairs = [(alias, m.name) for alias, m in enumeration.__members__.items()
                         if alias != m.name]
                if pairs:
                    raise ValueError('aliases found in %r: %s' % (
                        enumeration, ', '.join(['%s -> %s' % pair for pair in pairs])))
            elif check is CONTINUOUS:
                self._continuous(enumeration, name, is_flag)
            elif check is NAMED_FLAGS:
                self._named(enumeration, name)
        return enumeration

    def _continuous(self, enumeration, name, is_flag):
        values = {m.value for m in enumeration}
        if len(values) < 2:
            return
        low, high = min(values), max(values)
        if is_flag:
            wanted = [2 ** i for i in range(low.bit_length(), high.bit_length())]
        else:
            wanted = list(range(low + 1, high))
        missing = [v for v in wanted if v not in values]
        if missing:
            raise ValueError(('invalid %s %r: missing values %s' % (
                'flag' if is_flag else 'enum', name, ', '.join([str(m) for m in missing])))[:256])

    def _named(self, enumeration, name):
        singles = {m._value_ for m in enumeration if _is_single_bit(m._value_)}
        missing_names = []
        missing_value = 0
        for alias, m in enumeration._member_map_.items():
            if alias in enumeration._member_names_ or m.value < 0:
                continue
            missed = [v for v in _bits(m.value) if v not in singles]
            if missed:
                missing_names.append(alias)
                for v in missed:
                    missing_value |= v
        if missing_names:
            if len(missing_names) == 1:
                alias = 'alias %s is missing' % missing_names[0]
            else:
                alias = 'aliases %s and %s are missing' % (', '.join(missing_names[:-1]),
                                                           missing_names[-1])
            if _is_single_bit(missing_value):
                value = 'value 0x%x' % missing_value
            else:
                value = 'combined values of 0x%x' % missing_value
            raise ValueError('invalid Flag %r: %s %s [use enum.show_flag_values(value) for '
                             'details]' % (name, alias, value))


def show_flag_values(value):
    return list(_bits(value))


def global_enum_repr(self):
    module = self.__class__.__module__.split('.')[-1]
    return '%s.%s' % (module, self._name_)


def global_flag_repr(self):
    module = self.__class__.__module__.split('.')[-1]
    cls = self.__class__.__name__
    if self._name_ is None:
        return '%s.%s(%r)' % (module, cls, self._value_)
    if _is_single_bit(self._value_):
        return '%s.%s' % (module, self._name_)
    return '|'.join(['%s.%s' % (module, n) for n in self._name_.split('|')])


def global_str(self):
    if self._name_ is None:
        return '%s(%r)' % (self.__class__.__name__, self._value_)
    return self._name_


def global_enum(cls, update_str=False):
    cls.__repr__ = global_flag_repr if issubclass(cls, Flag) else global_enum_repr
    if not issubclass(cls, ReprEnum) or update_str:
        cls.__str__ = global_str
    _ferry.export(cls.__module__, dict(cls.__members__))
    return cls
