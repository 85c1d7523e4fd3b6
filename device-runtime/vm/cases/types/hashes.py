#---- copy
import copy


class P:
    def __init__(self, x, y):
        self.x, self.y = x, y


p = P([1], {'a': (2, [3])})
q = copy.copy(p)
d = copy.deepcopy(p)
print(q.x is p.x, d.x is p.x, d.x, d.y, d.y['a'][1] is p.y['a'][1], type(d).__name__)
l = [1, [2]]
l.append(l)
m = copy.deepcopy(l)
print(m[2] is m, m[1] is l[1], copy.copy([1, 2]), copy.copy({'a': 1}), copy.copy((1, 2)), copy.copy({1}), copy.deepcopy({1, (2, 3)}))


class C:
    def __copy__(self):
        return 'copied'

    def __deepcopy__(self, memo):
        return 'deep'


print(copy.copy(C()), copy.deepcopy(C()), copy.deepcopy([C()]), copy.copy(5), copy.deepcopy('x'), copy.copy(None), copy.copy(len) is len)


class S:
    __slots__ = ('a', 'b')


s = S()
s.a = [1]
t = copy.deepcopy(s)
print(t.a, t.a is s.a, hasattr(t, 'b'))


class L(list):
    pass


x = L([1, [2]])
x.tag = ['t']
y = copy.copy(x)
z = copy.deepcopy(x)
print(y, type(y).__name__, y.tag is x.tag, z, z.tag, z.tag is x.tag, z[1] is x[1])


class T:
    def __getstate__(self):
        return {'s': 1}

    def __setstate__(self, st):
        self.got = st


print(copy.copy(T()).got)
shared = [0]
a, b = copy.deepcopy([shared, shared])
print(a is b, copy.deepcopy((1, 'a')) == (1, 'a'))
try:
    copy.copy(x for x in [])
except TypeError as e:
    print(e)
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
#---- types
import types
print(types.FunctionType is type(lambda: 0), types.NoneType, isinstance(len, types.BuiltinFunctionType), types.GeneratorType.__name__, types.MethodType.__name__)
n = types.SimpleNamespace(a=1, b='x')
n.c = [n.a]
print(n, n == types.SimpleNamespace(a=1, b='x', c=[1]), n.b, types.SimpleNamespace())
m = types.MappingProxyType({'k': 1})
print(m, m['k'], len(m), 'k' in m, dict(m))
try:
    m['z'] = 1
except TypeError as e:
    print(e)
C = types.new_class('C', (), {}, lambda ns: ns.update(x=5))
print(C.x, C.__name__, types.new_class('D', (C,)).x)


def gen():
    yield


print(isinstance(gen(), types.GeneratorType), types.MethodType(lambda self: self, 5)())
#---- hashes
print(hash(0), hash(-1), hash(2 ** 61 - 1), hash(2 ** 61), hash(10 ** 30), hash(-10 ** 30), hash(True))
print(hash(0.5), hash(1.0), hash(-2.0), hash(1e300), hash(float('inf')), hash(float('-inf')), hash(3.14159), hash(5e-324))
print(hash(()), hash((1,)), hash((1, 2, 3)), hash((1, (2.5, 3))), hash(frozenset()), hash(frozenset([1, 2, 3])), hash(range(5)), hash(range(0)) == hash(range(5, 5)))
print(hash('a') == hash('a'), hash(b'x') == hash(b'x'), hash(1) == hash(1.0), hash((1, 2)) == hash((1.0, 2)))


class H:
    def __hash__(self):
        return -1


class Big:
    def __hash__(self):
        return 2 ** 70


print(hash(H()), hash(Big()), isinstance(hash(object()), int), hash(None) == hash(None))
#---- setorder
print({3, 1, 2}, {100, 5, 50, 7, 20}, set([100, 5, 50, 7, 20]), {8, 0, 16, 24}, {-1, -2, -3}, {1.5, 2, 0.5})
s = {0, 8, 16}
s.discard(0)
s.discard(8)
s.add(24)
s.add(8)
print(s, set(range(20, 0, -3)), {i * 7 % 31 for i in range(20)}, set(range(10)) - {3, 4}, {1, 2, 30} | {15, 40, 3}, {5, 9, 33} & {33, 5}, {1, 9, 17} ^ {9, 25})
t = set()
for i in range(50):
    t.add(i * i % 97)
for i in range(0, 97, 3):
    t.discard(i)
print(t, t.copy(), frozenset(t), [t.pop() for _ in range(5)], t)
u = {10, 20, 30}
u.update([5, 15, 25, 35, 45])
u -= {20}
u |= {64, 128, 256}
print(u, sorted(u), list(u)[:3], {(1, 2), (0, 1), (5, 5)}, {True, 5, 9}, set({7: 1, 3: 2, 99: 0}), {1, 2, 3}.union({9, 8}, [17]))
print(set(range(100, 0, -9)).difference(range(0, 50)), set([2 ** 40, 3, 2 ** 33, 17]), {0.1, 0.25, 1e10})
