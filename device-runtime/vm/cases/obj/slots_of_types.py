#---- what classes derived from built-in ones make of their arguments
def tell(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def with_init(base):
    class C(base):
        def __init__(self, *a, **k):
            super().__init__(*a[:1])
    return C


def with_new(base):
    class C(base):
        def __new__(cls, *a, **k):
            return super().__new__(cls, *a[:1])
    return C


class Silent(tuple):
    def __init__(self, *a, **k):
        print('init', a, k)


tell(lambda: Silent([1], k=1))
for base in (int, str, float, bytes, tuple, frozenset, list, set, dict, bytearray, complex):
    for make in (with_init, with_new, lambda base: type('C', (base,), {})):
        C = make(base)
        tell(lambda: C())
        tell(lambda: C('1'))
        tell(lambda: C(k=1))
        tell(lambda: C('1', 2, 3, 4))
for made in (lambda: bytes('a', errors='strict'), lambda: bytes(errors='strict'),
             lambda: bytearray(5, 'a'), lambda: bytes(5, errors='a'), lambda: bytes(1, 2),
             lambda: bytearray('a', None), lambda: dict(1, 2), lambda: list(1, 2),
             lambda: object.__init__([], 1), lambda: object.__init__(1)):
    tell(made)
#---- slots of classes derived from built-in ones
for base in (int, str, float, bytes, tuple, frozenset, list, set, dict, bytearray, complex,
             Exception):
    try:
        class C(base):
            __slots__ = ('x', 'y')
        c = C()
        c.x = 1
        print(base.__name__, c.x, hasattr(c, 'y'), c, C.x.__get__(c))
        try:
            c.z = 1
            print(c.z)
        except AttributeError as e:
            print(e)
    except TypeError as e:
        print(e)


class I(int):
    pass


try:
    class J(I):
        __slots__ = ('x',)
except TypeError as e:
    print(e)
#---- operators in place: what the built-in class does comes first, but for *=
import array
from collections import Counter, deque


class Plus:
    def __add__(self, o): return 'add'
    def __or__(self, o): return 'or'
    def __and__(self, o): return 'and'
    def __sub__(self, o): return 'sub'
    def __mul__(self, o): return 'mul'


def derived(base):
    return type('D', (Plus, base), {})


v = derived(list)([1])
v += (2,)
print(v, type(v).__name__)
v *= 2
print(v)
v = derived(bytearray)(b'a')
v += b'b'
print(v)
v = derived(set)([1])
v |= {2}
v &= {2, 3}
v -= {3}
print(v)
v |= [1]
print(v)
v = derived(dict)()
v |= [(1, 2)]
print(v)
v = derived(int)(5)
v += 1
print(v)
v = derived(tuple)()
v += (1,)
print(v)
v = derived(deque)([1])
v += [2]
print(v)
v = derived(Counter)('a')
v += Counter('a')
print(v)
try:
    v = derived(list)()
    v += 5
except TypeError as e:
    print(e)


class Times:
    def __rmul__(self, o): return 'rmul'
    def __radd__(self, o): return 'radd'


for base in (str, list, tuple, bytes, bytearray, int, float):
    v = type('D', (Times, base), {})()
    print(base.__name__, 2 * v, 2.5 * v, end=' ')
    for other in ([1], 'a', (1,)):
        try:
            print(other * v, other + v, end=' ')
        except TypeError as e:
            print(e, end=' ')
    print()
#---- special methods that are None, and one of a pair
def tell(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


class H:
    __len__ = __bool__ = __getitem__ = __add__ = __eq__ = __index__ = __setitem__ = None
    __neg__ = __lt__ = __iadd__ = __str__ = __iter__ = __contains__ = __reversed__ = None


h = H()
for use in (lambda: len(h), lambda: bool(h), lambda: h[0], lambda: h + 1, lambda: h == 1,
            lambda: [1][h], lambda: -h, lambda: h < 1, lambda: str(h), lambda: 1 in h,
            lambda: list(h), lambda: ''.join(h), lambda: b''.join(h), lambda: reversed(h),
            lambda: hash(h), lambda: [*h], lambda: dict(h), lambda: max(h)):
    tell(use)


def store(o):
    o[0] = 1


def remove(o):
    del o[0]


def more(o):
    o += 1


class S:
    def __setitem__(self, i, v): pass


class D(int):
    def __delitem__(self, i): pass


class N(int):
    pass


for o in (h, S(), D(), N(), 5, 'a', 2.5, None, len):
    tell(lambda: store(o))
    tell(lambda: remove(o))
tell(lambda: more(h))
#---- texts and conversions of derived objects
import copy


class B(bytes):
    def __repr__(self): return 'R'


class A(bytearray):
    pass


class T(bytes):
    def __trunc__(self): return 7


class W(str):
    def __int__(self): return 8


class Bad:
    def __trunc__(self): return 'x'


class Text:
    def __int__(self): raise TypeError('mine')


print(str(B(b'a')), f'{B(b"a")}', '%s' % B(b'a'), repr(B(b'a')), str(A(b'x')), f'{A(b"x")}')
print(int(T(b'12')), int(W('12')), int(B(b'12')), int(bytes(b'12')), int('12'))
for use in (lambda: int(Bad()), lambda: '%d' % Text(), lambda: ~type('F', (float,), {})(),
            lambda: type('L', (list,), {})()['a'], lambda: type('L', (list,), {})().__add__(1),
            lambda: type('L', (tuple,), {})()['a'], lambda: type('S', (str,), {})().__add__(1)):
    try:
        print(use())
    except Exception as e:
        print(type(e).__name__, e)


class Set(set):
    def __iter__(self): return iter('no')


class Frozen(frozenset):
    pass


s = Set([1, 2])
s.extra = 5
print(s | {3}, {3} | s, s & {1}, s == {1, 2}, s <= {1, 2, 3}, set(s), frozenset(s), {9}.union(s))
for v in (Frozen([1]), A(b'ab'), B(b'b')):
    v.extra = [1]
    c, d = copy.copy(v), copy.deepcopy(v)
    print(type(c).__name__, c == v, c.extra is v.extra, d == v, d.extra is v.extra)


class Frame:
    def __init__(self): self.__dict__.update(a=1)
    def __getattribute__(self, n): return object.__getattribute__(self, n)
    def __iter__(self): return iter([(1, 2)])


print(dict(Frame()))


class Reach(Exception):
    def __getitem__(self, i): return 1


class Back:
    def __len__(self): return 3
    def __getitem__(self, i):
        if i < 2:
            raise IndexError
        return i


try:
    reversed(Reach())
except TypeError as e:
    print(e)
print(list(reversed(Back())))
print({}.pop([], 'none'), dict.__lt__({}, {}), dict.__lt__ is object.__lt__)
#---- iteration asks no method that indexing has
for base in (list, tuple, str, bytes, bytearray, dict):
    class C(base):
        def __getitem__(self, i):
            print('getitem', end=' ')
            return 9

    class D(base):
        def __length_hint__(self): return 'x'

    class I(base):
        __iter__ = None

    v = {1: 2} if base is dict else '12' if base is str else b'12' if 'b' in base.__name__ else [1]
    o = C(v)
    print(base.__name__, list(o), [*o], list(enumerate(o)), next(iter(o)), dict(C()), max(o))
    print(tuple(reversed(o)), [x for x in o], list(D(v)), list(reversed(I(v))))


class N(int):
    def __index__(self):
        print('index', end=' ')
        return 2


class F(float):
    def __index__(self):
        print('index', end=' ')
        return 2


print(int(N(0)), N(0) + 1, '%d' % N(5), range(5)[N(1)], [1, 2, 3][N(0)], hex(N(7)), float(N(1)))
print(int(F(0)), hex(F(2)), '%d' % F(5))


class R:
    def __repr__(self): return 5


for f in (str, repr, '{}'.format, '{!r}'.format, lambda x: '%s' % x, lambda x: '%r' % x,
          lambda x: f'{x}', lambda x: f'{x!r}', lambda x: print(x), ascii):
    try:
        f(R())
    except TypeError as e:
        print(e)
#---- numbers of classes derived from int and float
class C(int):
    def __divmod__(self, o): return 'D'
    def __init__(self, *a): super().__init__()
class E(int):
    def __divmod__(self, o): return 'D'
    def __rdivmod__(self, o): return 'RD'
    def __pow__(self, o, m=None): return 'P'
    def __rpow__(self, o): return 'RP'
class C3(C):
    pass
print(divmod(C(), 2), divmod(E(5),2), divmod(7, E(2)), pow(E(2),3), pow(E(2),3,5), 2**E(2),
      E(2)**2, divmod(E(1),E(1)), divmod(C(1), C(2)), divmod(C(4), C3(2)), divmod(2.5, E(1)),
      2.5**E(2), divmod(C3(3), C(3)), divmod(C3(3),3))
class F(float):
    def __divmod__(self, o): return 'D'
    def __abs__(self): return 'A'
    def __round__(self, n=None): return 'R'
    def __trunc__(self): return 5
    def __floor__(self): return 'fl'
    def __ceil__(self): return 'ce'
    def __float__(self): return 7.5
    def __int__(self): return 9
    def __bool__(self): return False
import math
print(divmod(F(1),2), abs(F(1)), round(F(1)), round(F(1), 2), math.trunc(F(2)),
      math.floor(F(1)), math.ceil(F(1)), float(F(1)), int(F(1)), bool(F(1)), math.sqrt(F(4)),
      '%f' % F(3), f'{F(3):.1f}', complex(F(1)))
class I(int):
    def __abs__(self): return 'A'
    def __round__(self, n=None): return 'R'
    def __int__(self): return 9
    def __float__(self): return 1.5
    def __index__(self): return 3
    def __str__(self): return 'S'
    def __repr__(self): return 'RR'
    def __format__(self, s): return 'F'
    def __hash__(self): return 5
    def __eq__(self, o): return True
    def __lt__(self, o): return True
print(abs(I(1)), round(I(1)), int(I(1)), float(I(1)), range(5)[I(1)], '%d' % I(4),
      '%s' % I(4), '%x' % I(4), f'{I(4)}', f'{I(4):d}', str(I(4)), [I(4)], {I(4): 1}.get(5),
      I(1) == 'x', sorted([I(2), I(1)]), max(I(1), I(9)), sum([I(1), I(2)]), bin(I(6)),
      math.sqrt(I(4)), chr(I(65)), bytes(I(2)), 'ab' * I(2), [1] * I(1), math.gcd(I(4), 6),
      complex(I(1)), round(2.55, I(1)), 'abc'[I(0):], 'abcdef'[I(1)], (1).__add__(I(2)),
      I(2).real, I(5) // 2)
