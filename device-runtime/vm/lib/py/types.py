import _ferry


def _f():
    pass


def _g():
    yield


class _C:
    __slots__ = ('slot',)

    def _m(self):
        pass


FunctionType = LambdaType = type(_f)
CodeType = type(_f.__code__)
CellType = type((lambda v: lambda: v)(0).__closure__[0])
MappingProxyType = type(type.__dict__)
GeneratorType = type(_g())
MethodType = type(_C()._m)
BuiltinFunctionType = BuiltinMethodType = type(len)
WrapperDescriptorType = type(object.__init__)
MethodWrapperType = type(object().__str__)
MethodDescriptorType = type(str.join)
MemberDescriptorType = type(_C.slot)
ClassMethodDescriptorType = type(type.__dict__['__prepare__'])
GetSetDescriptorType = type(type.__dict__.get('__dict__', _C.slot))
ModuleType = type(_ferry)
NoneType = type(None)
NotImplementedType = type(NotImplemented)
EllipsisType = type(...)
GenericAlias = type(list[int])
UnionType = type(int | str)


async def _coroutine():
    pass


async def _async_generator():
    yield


_made = _coroutine()
CoroutineType = type(_made)
_made.close()
AsyncGeneratorType = type(_async_generator())
del _made


def _traceback():
    try:
        raise TypeError
    except TypeError as error:
        return error.__traceback__


TracebackType = type(_traceback())
FrameType = type(_traceback().tb_frame)


class SimpleNamespace:
    def __init__(self, /, *args, **kwargs):
        if args:
            raise TypeError('no positional arguments expected')
        self.__dict__.update(kwargs)

    def __reduce__(self):
        return type(self), (), self.__dict__

    def __repr__(self):
        name = 'namespace' if type(self) is SimpleNamespace else type(self).__name__
        if _ferry.enter_repr(self):
            return f'{name}(...)'
        try:
            parts = [f'{k}={v!r}' for k, v in self.__dict__.items()]
        finally:
            _ferry.leave_repr()
        return f'{name}({", ".join(parts)})'

    def __eq__(self, other):
        if isinstance(self, SimpleNamespace) and isinstance(other, SimpleNamespace):
            return self.__dict__ == other.__dict__
        return NotImplemented

    __hash__ = None


class DynamicClassAttribute:
    def __init__(self, fget=None, fset=None, fdel=None, doc=None):
        self.fget = fget
        self.fset = fset
        self.fdel = fdel
        self.__doc__ = doc or (fget.__doc__ if fget else None)
        self.overwrite_doc = doc is None

    def __get__(self, instance, ownerclass=None):
        if instance is None:
            raise AttributeError()
        if self.fget is None:
            raise AttributeError('unreadable attribute')
        return self.fget(instance)

    def __set__(self, instance, value):
        if self.fset is None:
            raise AttributeError("can't set attribute")
        self.fset(instance, value)

    def __delete__(self, instance):
        if self.fdel is None:
            raise AttributeError("can't delete attribute")
        self.fdel(instance)

    def getter(self, fget):
        return type(self)(fget, self.fset, self.fdel, self.__doc__)

    def setter(self, fset):
        return type(self)(self.fget, fset, self.fdel, self.__doc__)

    def deleter(self, fdel):
        return type(self)(self.fget, self.fset, fdel, self.__doc__)


def resolve_bases(bases):
    made = []
    for base in bases:
        if not isinstance(base, type) and hasattr(base, '__mro_entries__'):
            entries = base.__mro_entries__(bases)
            if not isinstance(entries, tuple):
                raise TypeError('__mro_entries__ must return a tuple')
            made.extend(entries)
        else:
            made.append(base)
    made = tuple(made)
    return bases if made == tuple(bases) else made


def prepare_class(name, bases=(), kwds=None):
    kwds = {} if kwds is None else dict(kwds)
    meta = kwds.pop('metaclass', type(bases[0]) if bases else type)
    if isinstance(meta, type):
        meta = _winner(meta, bases)
    namespace = meta.__prepare__(name, bases, **kwds) if hasattr(meta, '__prepare__') else {}
    return meta, namespace, kwds


def _winner(meta, bases):
    for base in bases:
        other = type(base)
        if issubclass(meta, other):
            continue
        if not issubclass(other, meta):
            raise TypeError('metaclass conflict: the metaclass of a derived class must be a '
                            '(non-strict) subclass of the metaclasses of all its bases')
        meta = other
    return meta


def new_class(name, bases=(), kwds=None, exec_body=None):
    resolved = resolve_bases(bases)
    meta, namespace, kwds = prepare_class(name, resolved, kwds)
    if exec_body is not None:
        exec_body(namespace)
    if resolved is not bases:
        namespace['__orig_bases__'] = bases
    return meta(name, resolved, namespace, **kwds)


def get_original_bases(cls):
    return cls.__dict__.get('__orig_bases__', cls.__bases__)


def coroutine(function):
    if not callable(function):
        raise TypeError('types.coroutine() expects a callable')
    return function
