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
