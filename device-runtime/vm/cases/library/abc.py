#---- abc
from abc import ABC, abstractmethod, ABCMeta


class Shape(ABC):
    @abstractmethod
    def area(self):
        ...

    @property
    @abstractmethod
    def name(self):
        ...

    @classmethod
    @abstractmethod
    def make(cls):
        ...

    def describe(self):
        return self.name + ' %d' % self.area()


try:
    Shape()
except TypeError as e:
    print(e)


class Half(Shape):
    def area(self):
        return 1


try:
    Half()
except TypeError as e:
    print(e)


class Sq(Half):
    name = 'sq'

    @classmethod
    def make(cls):
        return cls()


print(Sq().describe(), sorted(Shape.__abstractmethods__), Sq.__abstractmethods__, isinstance(Sq.make(), Shape), type(Shape))


class M(metaclass=ABCMeta):
    @abstractmethod
    def f(self):
        pass


@M.register
class Other:
    pass


print(issubclass(Other, M), isinstance(Other(), M), issubclass(int, M))
M.register(int)
print(isinstance(5, M), issubclass(bool, M))


class Hook(ABC):
    @classmethod
    def __subclasshook__(cls, c):
        return hasattr(c, 'quack') or NotImplemented


class Duck:
    quack = 1


print(issubclass(Duck, Hook), isinstance(5, Hook))
try:
    M()
except TypeError as e:
    print(e)
#---- one call after another
import abc
class Ab(abc.ABC):
    @abc.abstractmethod
    def f(self): pass
    @property
    @abc.abstractmethod
    def q(self): pass
class Ab2(Ab):
    def f(self): return super().f()

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: Ab())
t(lambda: Ab2())
t(lambda: issubclass(Ab2,Ab))
t(lambda: abc.get_cache_token() is not None)
t(lambda: Ab.register(int))
t(lambda: issubclass(int,Ab))
t(lambda: isinstance(5,Ab))
t(lambda: abc.update_abstractmethods(Ab) is Ab)
