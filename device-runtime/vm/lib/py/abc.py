def abstractmethod(function):
    function.__isabstractmethod__ = True
    return function


class abstractclassmethod(classmethod):
    __isabstractmethod__ = True

    def __init__(self, function):
        function.__isabstractmethod__ = True
        super().__init__(function)


class abstractstaticmethod(staticmethod):
    __isabstractmethod__ = True

    def __init__(self, function):
        function.__isabstractmethod__ = True
        super().__init__(function)


class abstractproperty(property):
    __isabstractmethod__ = True


def _is_abstract(v):
    if isinstance(v, property):
        return any(_is_abstract(f) for f in (v.fget, v.fset, v.fdel) if f is not None)
    if isinstance(v, (classmethod, staticmethod)):
        return _is_abstract(v.__func__)
    return bool(getattr(v, '__isabstractmethod__', False))


def _lookup(cls, name):
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def _abstract_names(cls, namespace):
    names = {n for n, v in namespace.items() if _is_abstract(v)}
    for base in cls.__bases__:
        for name in getattr(base, '__abstractmethods__', ()):
            if _is_abstract(_lookup(cls, name)):
                names.add(name)
    return frozenset(names)


class ABCMeta(type):
    def __new__(mcls, name, bases, namespace, /, **kwargs):
        cls = super().__new__(mcls, name, bases, namespace, **kwargs)
        cls.__abstractmethods__ = _abstract_names(cls, namespace)
        cls._abc_registry = []
        return cls

    def register(cls, subclass):
        if not isinstance(subclass, type):
            raise TypeError('Can only register classes')
        if issubclass(subclass, cls):
            return subclass
        if issubclass(cls, subclass):
            raise RuntimeError('Refusing to create an inheritance cycle')
        cls._abc_registry.append(subclass)
        return subclass

    def __instancecheck__(cls, instance):
        subclass = instance.__class__
        if cls.__subclasscheck__(subclass):
            return True
        real = type(instance)
        return real is not subclass and cls.__subclasscheck__(real)

    def __subclasscheck__(cls, subclass):
        if not isinstance(subclass, type):
            raise TypeError('issubclass() arg 1 must be a class')
        answer = cls.__subclasshook__(subclass)
        if answer is not NotImplemented:
            return answer
        if cls in subclass.__mro__:
            return True
        for other in cls._abc_registry:
            if issubclass(subclass, other):
                return True
        for other in cls.__subclasses__():
            if issubclass(subclass, other):
                return True
        return False


def update_abstractmethods(cls):
    if hasattr(cls, '__abstractmethods__'):
        cls.__abstractmethods__ = _abstract_names(cls, cls.__dict__)
    return cls


def get_cache_token():
    return 0


class ABC(metaclass=ABCMeta):
    __slots__ = ()
