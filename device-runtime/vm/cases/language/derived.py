#---- list_subclass
class Stack(list):
    def push(self, x):
        self.append(x)
    def peek(self):
        return self[-1]
s = Stack([1, 2])
s.push(3)
print(s, s.peek(), len(s), type(s).__name__, s == [1, 2, 3], s + [4], type(s + [4]).__name__)
print(s[0:2], type(s[0:2]).__name__, s * 2, 3 in s, list(reversed(s)), sorted(s, reverse=True))
s.extra = "x"
print(s.__dict__, s.extra, isinstance(s, list), issubclass(Stack, list))
s += [9]
print(type(s).__name__, s)
s[1:2] = [7, 8]
print(s, s.index(8), s.copy(), type(s.copy()).__name__)
del s[0]
print(s, repr(s), str(s), bool(Stack()), Stack() == [])
#---- list_overrides
class L(list):
    def __getitem__(self, i):
        return ("got", i)
    def __len__(self):
        return 42
    def __iter__(self):
        return iter("abc")
    def __contains__(self, x):
        return x == "magic"
    def __repr__(self):
        return "L!"
    def append(self, x):
        super().append(x * 2)
x = L([1, 2, 3])
x.append(5)
print(x[0], len(x), list(x), "magic" in x, 1 in x, x, str(x), f"{x}", "%s" % x)
print(list.__getitem__(x, 3), list.__len__(x), list.__repr__(x), [*x], tuple(x))
a, b, c = x
print(a, b, c, x[1:2], bool(x), sum(1 for _ in x))
for v in x:
    print(v, end=" ")
print()
#---- dict_subclass
class Default(dict):
    def __missing__(self, key):
        self[key] = value = len(self)
        return value
d = Default()
print(d["a"], d["b"], d["a"], d, d.get("zz"), "zz" in d, len(d))
class Low(dict):
    def __setitem__(self, k, v):
        super().__setitem__(k.lower(), v)
    def __getitem__(self, k):
        return super().__getitem__(k.lower())
    def __contains__(self, k):
        return super().__contains__(k.lower())
e = Low()
e["ABC"] = 1
print(e["aBc"], e, "Abc" in e, list(e.items()), e == {"abc": 1})
e.update(X=3)
print(e, dict(e), {**e}, type(e.copy()).__name__)
print(Low(a=1).get("A"), Default({"q": 5})["q"], Default.fromkeys([1, 2], 0), type(Default.fromkeys([1])).__name__)
try:
    {}["nope"]
except KeyError as err:
    print(repr(err))
#---- dict_init
class Attr(dict):
    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        self.__dict__ = self
a = Attr(x=1, y=2)
a.z = 3
print(a.x, a["z"], a, sorted(a))
class Only(dict):
    def __init__(self, n):
        self.n = n
o = Only(5)
print(o, o.n, len(o))
class B(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
b = B()
b.k = 5
print(b, b.k)
#---- int_subclass
class Money(int):
    def __new__(cls, value, unit="EUR"):
        self = super().__new__(cls, value)
        self.unit = unit
        return self
    def __repr__(self):
        return f"{int(self)} {self.unit}"
    def __add__(self, other):
        return Money(int(self) + int(other), self.unit)
m = Money(5, "USD")
print(m, m + 3, m * 2, type(m * 2).__name__, m == 5, m < 6, 7 - m, -m, abs(Money(-3)), int(m), float(m))
print(hash(m) == hash(5), {m: 1}[5], [10, 20, 30, 40, 50, 60][m], "ab" * Money(2), bin(m), hex(m), m.bit_length())
print(Money(2**70) + 1, Money(0) or "zero", bool(Money(0)), divmod(m, 2), m ** 2, 2 ** m, m & 4, m << 2, ~m)
print(isinstance(m, int), type(m + 0).__name__, type(+m).__name__, sum([m, m]), max(m, 3), sorted([Money(3), 1, Money(2)]))
print("%d" % m, "{:>5d}".format(m), f"{m:03d}", range(m), round(Money(7)), int.__add__(m, 1), int.__repr__(m), m.unit)
print(Money("12"), str(m), repr(m), [m], m.real, m.numerator if hasattr(m, "numerator") else "")
#---- float_subclass
class Deg(float):
    def __str__(self):
        return f"{float(self)} deg"
d = Deg(1.5)
print(d, repr(d), d + 1, type(d + 1).__name__, d * 2, d == 1.5, d < 2, -d, abs(Deg(-2.0)), int(Deg(3.9)), round(d), bool(Deg(0.0)))
print(hash(d) == hash(1.5), {1.5: "x"}[d], f"{d:.2f}", "%.1f" % d, d.is_integer(), 2 / d, d // 1, d % 1, 1.0 + d, divmod(d, 1), float(d))
print(isinstance(d, float), sum([d, d]), max(d, 1.0), sorted([Deg(2.0), 1.0]), Deg("2.5") + 0, Deg() + 0)
#---- str_subclass
class Name(str):
    def __new__(cls, s, tag=None):
        self = str.__new__(cls, s.title())
        self.tag = tag
        return self
    def greet(self):
        return "Hi " + self
n = Name("ann lee", 5)
print(n, n.greet(), n.tag, len(n), n[0], n[1:3], type(n[1:3]).__name__, n.upper(), type(n.upper()).__name__)
print(n == "Ann Lee", hash(n) == hash("Ann Lee"), {n: 1}["Ann Lee"], n + "!", type(n + "!").__name__, "x" + n, n * 2, "nn" in n)
print(n.split(), "-".join([n, n]), f"{n:>10}", "%s" % n, repr(n), str(n), type(str(n)).__name__, n < "B", sorted([n, "A"]))
class Q(str):
    def __eq__(self, other):
        return "always"
    def __hash__(self):
        return 7
    def __str__(self):
        return "<Q>"
q = Q("a")
print(q == 1, q != 1, hash(q), str(q), q, f"{q}", "%s" % q, q + "b", repr(q))
#---- tuple_subclass
class P(tuple):
    __slots__ = ()
    def __new__(cls, x, y):
        return tuple.__new__(cls, (x, y))
    @property
    def x(self):
        return self[0]
    def __add__(self, other):
        return P(self[0] + other[0], self[1] + other[1])
p = P(1, 2)
print(p, p.x, p + P(3, 4), type(p + p).__name__, p == (1, 2), hash(p) == hash((1, 2)), len(p), list(p), p[::-1], type(p[:]).__name__)
a, b = p
print(a, b, {p: "v"}[(1, 2)], p < (1, 3), (0,) + p, isinstance(p, tuple), p.count(1), p.index(2))
try:
    p.z = 1
except AttributeError as e:
    print(e)
#---- set_subclass
class Bag(set):
    def add(self, x):
        super().add(x)
        return self
b = Bag([1, 2])
print(b.add(3), len(b), 2 in b, b | {9}, type(b | {9}).__name__, b == {1, 2, 3}, b - {1}, sorted(b & {1, 2}), b.issubset({1, 2, 3, 4}))
class FS(frozenset):
    pass
f = FS("ab")
print(len(f), hash(f) == hash(frozenset("ab")), f == {"a", "b"}, {f: 1}[frozenset("ba")], type(f).__name__, sorted(f))
print(Bag(), FS(), repr(Bag([1])), repr(FS([1])))
#---- bytes_subclass
class B(bytes):
    def first(self):
        return self[0]
b = B(b"abc")
print(b, b.first(), len(b), b + b"d", type(b + b"d").__name__, b == b"abc", hash(b) == hash(b"abc"), b[1:], list(b), b.decode(), 97 in b)
#---- exception_subclass
class AppError(Exception):
    def __init__(self, code, *args):
        super().__init__(*args)
        self.code = code
    def __str__(self):
        return f"[{self.code}] {super().__str__()}"
try:
    raise AppError(404, "not", "found")
except AppError as e:
    print(e, e.code, e.args, repr(e), isinstance(e, Exception))
class Multi(KeyError, AttributeError):
    pass
try:
    raise Multi("k")
except AttributeError as e:
    print(type(e).__name__, e, e.args, [c.__name__ for c in Multi.__mro__])
class NoInit(ValueError):
    pass
print(repr(NoInit()), repr(NoInit(1)), repr(NoInit(1, 2)), str(NoInit()), str(NoInit(1, 2)), NoInit("a") == NoInit("a"))
e = ValueError("x")
e.note = 5
print(e.note, e.__dict__, e.args)
e.args = (1, 2)
print(e, repr(e))
class New(Exception):
    def __new__(cls, *a):
        self = super().__new__(cls, *a)
        self.seen = a
        return self
print(New(1, 2).seen, New(3).args)
try:
    ValueError(x=1)
except TypeError as e:
    print(e)
#---- bad_bases
for base in (bool, type(None), range, slice, type(lambda: 0), type(...), type(NotImplemented)):
    try:
        class X(base):
            pass
    except TypeError as e:
        print(e)
try:
    class Y(int, str):
        pass
except TypeError as e:
    print(e)
try:
    class Z(object, int):
        pass
except TypeError as e:
    print(e)
try:
    class W(int, int):
        pass
except TypeError as e:
    print(e)
try:
    class V(5):
        pass
except TypeError as e:
    print(e)
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
