#---- basics
def add(a, b=2, *rest, key=None, **more):
    return a, b, rest, key, more

print(add(1), add(1, 3, 4, 5, key="k", z=9), add(*[1, 2], **{"key": 7}))
total = 0
for i in range(10):
    if i % 2:
        continue
    if i == 8:
        break
    total += i
else:
    print("never")
print(total, 7 // 2, -7 // 2, -7 % 3, 7 % -3, 2 ** 10, 2 ** -1, 7 / 2)
print(1 < 2 < 3, 1 < 3 < 2, not 1, 1 and 0, 0 or "x", None is None, 3 in [1, 2, 3])
a, *b, c = range(6)
print(a, b, c)
(x, y), z = (1, 2), 3
x, y = y, x
print(x, y, z)
print([i * i for i in range(5) if i], {k: v for k, v in zip("abc", range(3))}, sorted({3, 1, 2}))
print(sum(i for i in range(101)), (n := 5) + n)
def outer():
    count = 0
    def inner():
        nonlocal count
        count += 1
        return count
    inner()
    return inner
f = outer()
print(f(), f())
print([g() for g in [lambda i=i: i * 2 for i in range(3)]], [g() for g in [lambda: i for i in range(3)]])
print("a" if total > 5 else "b", [1, 2, 3][::-1], "hello"[1:-1], (1,) + (2, 3), [0] * 3)
w = 3
while w:
    w -= 1
else:
    print("done", w)
del w
try:
    w
except NameError as e:
    print(e)
print(0xff, 0o17, 0b101, 1_000, 1e3, .5, 1e-7, 1e16, 123456789.123, 0.1 + 0.2, -0.0, float("inf"))
d = {"a": 1}
d["b"] = d.get("c", 2)
d |= {"z": 26}
print(d, len(d), "a" in d, list(d), d.items() == 3, d.pop("a"), d)
print(max([3, 1, 2]), min(4, 2), max("ab", "abc", key=len), sorted([3, 1, 2], reverse=True), list(reversed([1, 2])))
print(round(2.5), round(3.567, 2), abs(-3), divmod(7, 3), pow(3, 4, 5), any([0, 1]), all([]), list(enumerate("ab", 1)))
print(int("42"), int("-0x1f", 16), float("2.5"), str(1.0), bool([]), chr(233), ord("é"), list(map(str, [1, 2])), list(filter(None, [0, 1])))
print(isinstance(True, int), isinstance("a", (int, str)), type(1).__name__, type([]) is list, callable(len))
print(2 ** 100, -(2 ** 64) // 3, 12345678901234567890 % 97, 1 << 70, (1 << 70) >> 68, 2 ** 64 - 2 ** 64, int("9" * 30) + 1)
print(5 & 3, 5 | 3, 5 ^ 3, ~5, -5 & 0xff, 10 ** 20 == 1e20, 3 == 3.0, 2 ** 53 + 1 > 2.0 ** 53)
#---- positional_only
def f(a, b, /, c, *, d=4):
    return a, b, c, d
print(f(1, 2, 3), f(1, 2, c=5, d=6))
try:
    f(a=1, b=2, c=3)
except TypeError as e:
    print(e)
#---- dict_unpack
a, b = {"x": 1, "y": 2}, {"y": 3, "z": 4}
print({**a, **b}, {**b, "x": 0, **a})
print(a | b)
a |= b
print(a)
#---- diamond_mro
class A:
    def who(self):
        return ["A"]
class B(A):
    def who(self):
        return ["B"] + super().who()
class C(A):
    def who(self):
        return ["C"] + super().who()
class D(B, C):
    def who(self):
        return ["D"] + super().who()
print(D().who(), [c.__name__ for c in D.__mro__])
try:
    class E(A, B):
        pass
except TypeError as e:
    print(str(e).splitlines()[0])
#---- cause
try:
    try:
        {}["k"]
    except KeyError as e:
        raise ValueError("outer") from e
except ValueError as e:
    print(repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise RuntimeError("while handling") from None
except RuntimeError as e:
    print(e.__cause__, repr(e.__context__), e.__suppress_context__)
#---- format_comma
print(f"{1234567:,} {1234567.891:,.2f} {-1234:_} {255:#x} {5:08b} {'x':*^9} {3.14159:>10.2f}|{42:<6}|{0.25:.0%}")
print("{:,} {!r:>6} {0[1]}".format(10**9, "a") if False else "{0:,} {1!r:>6}".format(10**9, "a"))
#---- str_step
s = "abcdefghij"
print(s[::-1], s[1::3], s[-2:2:-2], s[8:100], s[::-4], s[5:2])
#---- slice_assign_step
x = list(range(10))
x[::2] = "abcde"
print(x)
x[1:4] = []
print(x)
del x[::3]
print(x)
try:
    x[::2] = [1]
except ValueError as e:
    print(e)
#---- slots
class P:
    __slots__ = ("x", "y")
    def __init__(self):
        self.x = 1
p = P()
try:
    p.z = 1
except AttributeError as e:
    print(e)
try:
    p.y
except AttributeError as e:
    print(e)
print(p.x, hasattr(p, "__dict__"))
#---- bool_is_int
print(isinstance(True, int), True + True, True == 1, {1: "a", True: "b"}, int(True), str(True), sum([True, False, True]))
print(type(True).__mro__)
#---- match_values
def f(v):
    match v:
        case 0 | 1:
            return "bit"
        case "a" | b"a":
            return "letter"
        case None:
            return "none"
        case True:
            return "true"
        case int(n) if n < 0:
            return f"negative {n}"
        case float():
            return "float"
        case _:
            return "other"
print([f(v) for v in (0, 1, "a", b"a", None, -5, 2.5, 7, "zz")])
#---- match_sequences
def f(v):
    match v:
        case []:
            return "empty"
        case [x]:
            return f"one {x}"
        case [1, *rest]:
            return f"from one {rest}"
        case (a, b, *_, z):
            return f"{a} {b} .. {z}"
        case [*all]:
            return f"all {all}"
        case str():
            return "text"
print([f(v) for v in ([], [9], [1, 2, 3], (2, 3, 4, 5), [7, 8], "ab")])
#---- match_mappings
def f(v):
    match v:
        case {"kind": "circle", "r": r}:
            return 3 * r * r
        case {"kind": "rect", "w": w, "h": h, **rest}:
            return w * h, rest
        case {}:
            return "some dict"
print(f({"kind": "circle", "r": 2}), f({"kind": "rect", "w": 2, "h": 3, "c": 1}), f({}), f([]))
#---- match_classes
class Point:
    __match_args__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y
def f(p):
    match p:
        case Point(0, 0):
            return "origin"
        case Point(x=0, y=y):
            return f"y axis {y}"
        case Point(x, y) as q if x == y:
            return f"diagonal {q.x}"
        case [Point(x=a), Point(y=b)]:
            return f"pair {a} {b}"
        case Point():
            return "point"
print([f(v) for v in (Point(0, 0), Point(0, 2), Point(3, 3), Point(1, 2), [Point(5, 6), Point(7, 8)])])
#---- zfill
print("42".zfill(5), "-42".zfill(5), "+1".zfill(4), "abc".center(9, "-"), "x".ljust(3) + "|", "x".rjust(3))
print("a,b,,c".split(","), " a  b ".split(), "a-b-c".rsplit("-", 1), "a=b=c".partition("="), "a=b=c".rpartition("="))
print("Hello World".swapcase(), "hello world".title(), "abc".isalpha(), "12".isdigit(), "x\ny\r\nz".splitlines())
#---- bit_length
print([n.bit_length() for n in (0, 1, 255, 256, -1, 2**100)], (10).to_bytes(2, "big"), int.from_bytes(b"\x01\x00", "little"), (255).bit_count())
#---- nonlocal
def counter():
    n = 0
    def up(by=1):
        nonlocal n
        n += by
        return n
    return up
c, d = counter(), counter()
print(c(), c(5), d(), c())
#---- deep_closures
def a(x):
    def b(y):
        def c(z):
            def d():
                return x, y, z
            return d
        return c
    return b
print(a(1)(2)(3)())
print([f() for f in [lambda i=i: i * i for i in range(4)]], [f() for f in [lambda: i for i in range(3)]])
#---- decorator_arguments
def repeat(n):
    def wrap(f):
        def inner(*a, **k):
            return [f(*a, **k) for _ in range(n)]
        inner.__name__ = f.__name__
        return inner
    return wrap
@repeat(3)
def hi(name, mark="!"):
    return "hi " + name + mark
print(hi("x"), hi("y", mark="?"), hi.__name__)
#---- keyword_only
def f(*, a, b=2, **rest):
    return a, b, rest
print(f(a=1), f(b=3, a=4, z=5))
for bad in (lambda: f(), lambda: f(1, a=2)):
    try:
        bad()
    except TypeError as e:
        print(e)
#---- multiple_inheritance
class Base:
    def __init__(self, **k):
        self.log = ["Base"]
class Left(Base):
    def __init__(self, left=1, **k):
        super().__init__(**k)
        self.log.append(f"Left {left}")
class Right(Base):
    def __init__(self, right=2, **k):
        super().__init__(**k)
        self.log.append(f"Right {right}")
class Both(Left, Right):
    pass
print(Both(left=5, right=6).log)
#---- try_else_finally
def f(n):
    out = []
    try:
        out.append("try")
        if n == 1:
            raise ValueError
        if n == 2:
            return out
    except ValueError:
        out.append("except")
    else:
        out.append("else")
    finally:
        out.append("finally")
    return out
print(f(0), f(1), f(2))
def g():
    for i in range(3):
        try:
            continue
        finally:
            print("loop", i)
    while True:
        try:
            break
        finally:
            return "from finally"
print(g())
#---- exception_attributes
class Custom(Exception):
    def __init__(self, message, code):
        super().__init__(message)
        self.code = code
    def __str__(self):
        return f"{self.args[0]} ({self.code})"
try:
    raise Custom("broken", 7)
except Exception as e:
    print(e, e.code, e.args, repr(e), isinstance(e, Custom))
#---- generator_send_throw
def g():
    got = []
    while True:
        try:
            v = yield got
            got.append(v)
        except ValueError as e:
            got.append(f"caught {e}")
        except GeneratorExit:
            print("closing")
            return
it = g()
print(next(it), it.send(1), it.send("x"), it.throw(ValueError("v")))
it.close()
try:
    next(it)
except StopIteration:
    print("over")
#---- yield_from
def inner():
    x = yield 1
    y = yield 2
    return x + y
def outer():
    r = yield from inner()
    yield ("result", r)
g = outer()
print(next(g), g.send(10), g.send(20))
def flat(x):
    if isinstance(x, list):
        for i in x:
            yield from flat(i)
    else:
        yield x
print(list(flat([1, [2, [3, []], 4], [[5]]])))
#---- generator_expression
print(sum(x * x for x in range(10) if x % 2), list(zip("abc", (i for i in range(3)))), max((len(w), w) for w in "aa bbb c".split()))
g = (print("late", i) or i for i in range(2))
print("made")
print(list(g))
#---- async_await
import asyncio
async def double(x):
    await asyncio.sleep(0)
    return 2 * x
async def main():
    return await asyncio.gather(double(1), double(2), double(3))
print(asyncio.run(main()))
#---- async_generator
import asyncio
class Manager:
    async def __aenter__(self):
        print("enter")
        return self
    async def __aexit__(self, *a):
        print("exit", a[0])
async def count(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)
async def main():
    async with Manager():
        out = [i async for i in count(4) if i != 2]
        async for i in count(2):
            out.append(-i)
    return out
print(asyncio.run(main()))
#---- fstring_nesting
w, p, v, name = 10, 3, 3.14159, "n"
print(f"{v:{w}.{p}}|{name!r:>{w}}|{'nested ' + f'{1 + 1}'}|{{}}|{v = :.2f}|{name=}|{1+2 = }")
print(f"{'a' if v > 3 else 'b'} {[i for i in range(3)]} {(lambda x: x * 2)(4)} {dict(a=1)['a']}")
#---- percent_width
print("%5d|%-5d|%05d|%+d|%x|%X|%o|%#x|%8.3f|%e|%g|%s|%r|%c|%%" % (42, 42, 42, 42, 255, 255, 8, 255, 3.14159, 12345.678, 0.0001, "s", "r", 65))
print("%(a)s %(b)05.1f" % {"a": 1, "b": 2.345}, "%*d" % (6, 3), "%.3s" % "abcdef")
#---- star_unpack
a, *b, c = range(6)
print(a, b, c)
(a, (b, *c)), d = (1, (2, 3, 4)), 5
print(a, b, c, d)
print([*range(3), *"ab"], {*[1, 2], 2}, (*[1], 2), max(*[3, 9, 4]))
for x, *y in [(1, 2, 3), "ab"]:
    print(x, y)
try:
    a, b = 1, 2, 3
except ValueError as e:
    print(e)
#---- multi_with
class M:
    def __init__(self, n):
        self.n = n
    def __enter__(self):
        print("in", self.n)
        return self.n
    def __exit__(self, t, v, tb):
        print("out", self.n, t.__name__ if t else None)
        return self.n == 1
with M(1) as a, M(2) as b:
    print(a, b)
    raise KeyError("swallowed")
with (M(3) as a, M(4)):
    print("body")
#---- iadd
class Acc:
    def __init__(self):
        self.v = []
    def __iadd__(self, x):
        self.v.append(x)
        return self
    def __add__(self, x):
        return "plain"
a = b = Acc()
a += 1
a += 2
print(a is b, a.v, a + 1)
x = y = [1]
x += [2]
print(x is y, y)
x = x + [3]
print(x is y)
t = ([],)
try:
    t[0] += [1]
except TypeError as e:
    print(e, t)
#---- descriptors
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name, 0)
    def __set__(self, obj, value):
        if value < 0:
            raise ValueError(f"{self.name[1:]} must not be negative")
        setattr(obj, self.name, value)
class T:
    size = Positive()
    weight = Positive()
t = T()
t.size = 5
print(t.size, t.weight, type(T.size).__name__)
try:
    t.weight = -1
except ValueError as e:
    print(e)
#---- properties
class C:
    def __init__(self):
        self._x = 1
    @property
    def x(self):
        "doc of x"
        return self._x
    @x.setter
    def x(self, v):
        self._x = v * 2
    @x.deleter
    def x(self):
        self._x = None
    @classmethod
    def make(cls):
        return cls.__name__
    @staticmethod
    def plain(a):
        return a
c = C()
c.x = 4
print(c.x, C.x.__doc__, C.make(), c.plain(3))
del c.x
print(c.x)
#---- big_ints
print(2**200, -(3**100) // 7, (10**40) % 12345678901, 1 << 130, (1 << 130) >> 127, ~(2**70), 2**70 & 2**69 - 1, pow(3, 1000, 10**15 + 37))
print(int("f" * 30, 16), hex(2**80), divmod(-10**30, 10**9 + 7), 10**30 == float(10**30), int(1e30), -7 // 2, -7 % 3, 7 // -2)
#---- bytearray
b = bytearray(b"hello")
b[0] = 72
b += b" world"
b.extend([33])
del b[1]
print(b, bytes(b[::-1]), b.find(b"w"), b.hex(), bytes(3), bytes([1, 255]), b"a\x00\xff", b"%d-%s" % (5, b"x"))
#---- memoryview
import struct
b = bytearray(range(8))
m = memoryview(b)
m[2:4] = b"\xff\xfe"
print(bytes(m[1:5]), m.nbytes, len(m), m.cast("H").tolist(), struct.unpack("<2H", m[:4]))
m.release()
print(struct.pack(">hIq", -2, 7, 2**40), struct.calcsize("bhl"))
#---- frozenset
f = frozenset([3, 1, 2])
print(f == {1, 2, 3}, {f: "key"}[frozenset((1, 2, 3))], f | {4} == {1, 2, 3, 4}, type(f & {1}).__name__, f.isdisjoint([9]), sorted(f ^ {3, 4}))
try:
    f.add(1)
except AttributeError as e:
    print(e)
#---- comprehensions
print({k: v for k, v in zip("abc", range(3))}, {x % 3 for x in range(10)}, [(i, j) for i in range(3) for j in range(i)], [[j for j in range(i)] for i in range(3)])
x = "outer"
print([x for x in range(2)], x)
#---- walrus
data = [1, 5, 2, 8]
print([y for x in data if (y := x * 2) > 3], y)
while (n := data.pop()) != 5:
    print(n)
#---- lambda_default
f = lambda a, *b, c=3, **d: (a, b, c, d)
print(f(1), f(1, 2, 3, c=4, e=5), (lambda: (yield))().__class__.__name__)
#---- conditional_chain
x = 5
print(1 < x < 10, 1 < x > 3 != 4, x if x > 9 else -x, not x, x and "y" or "z", None or 0 or "last", 3 in (1, 3) in [True])
#---- global
n = 0
def f():
    global n, fresh
    n += 1
    fresh = n * 10
f(); f()
print(n, fresh)
#---- dunder_arith
class V:
    def __init__(self, *v):
        self.v = v
    def __add__(self, o):
        return V(*(a + b for a, b in zip(self.v, o.v)))
    def __mul__(self, k):
        return V(*(a * k for a in self.v)) if isinstance(k, int) else NotImplemented
    __rmul__ = __mul__
    def __matmul__(self, o):
        return sum(a * b for a, b in zip(self.v, o.v))
    def __neg__(self):
        return V(*(-a for a in self.v))
    def __eq__(self, o):
        return self.v == o.v
    def __hash__(self):
        return hash(self.v)
    def __repr__(self):
        return f"V{self.v}"
    def __bool__(self):
        return any(self.v)
    def __getitem__(self, i):
        return self.v[i]
    def __len__(self):
        return len(self.v)
    def __contains__(self, x):
        return x in self.v
    def __call__(self, i):
        return self.v[i]
    def __iter__(self):
        return iter(self.v)
a, b = V(1, 2), V(3, 4)
print(a + b, a * 2, 3 * a, a @ b, -a, a == V(1, 2), {a: 1}[V(1, 2)], bool(V(0, 0)), a[1], len(a), 2 in a, a(0), list(a), [*a])
try:
    a * "x"
except TypeError as e:
    print(e)
#---- comparison_dunder
class N:
    def __init__(self, n):
        self.n = n
    def __lt__(self, o):
        return self.n < o.n
    def __repr__(self):
        return f"N{self.n}"
print(sorted([N(3), N(1), N(2)]), max(N(1), N(5)), N(1) > N(0))
try:
    N(1) <= N(2)
except TypeError as e:
    print(e)
#---- getattr_hooks
class Proxy:
    def __init__(self):
        self.__dict__["seen"] = []
    def __getattr__(self, name):
        self.seen.append(name)
        return name.upper()
    def __setattr__(self, name, value):
        self.seen.append((name, value))
    def __delattr__(self, name):
        self.seen.append("del " + name)
p = Proxy()
print(p.abc)
p.x = 1
del p.y
print(p.seen)
#---- iterator_protocol
class Count:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        return self
    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n
print(list(Count(3)), sum(Count(4)), [x for x in Count(2)], next(Count(0), "default"), dict(enumerate(Count(2))))
it = iter([1, 2, 3].pop, 1)
print(list(it))
#---- subclass_builtin
class D(dict):
    def __missing__(self, key):
        return key * 2
class L(list):
    def total(self):
        return sum(self)
class S(str):
    def shout(self):
        return self.upper() + "!"
class I(int):
    def __add__(self, o):
        return I(int(self) + o + 100)
d = D(a="x")
print(d["a"], d["zz"], len(d), L([1, 2]).total(), S("hi").shout(), I(1) + 2, isinstance(L(), list), I(5) * 2, L([3, 1]) == [3, 1])
#---- init_subclass
class Plugin:
    found = []
    def __init_subclass__(cls, /, name=None, **k):
        super().__init_subclass__(**k)
        cls.found.append(name or cls.__name__)
class A(Plugin):
    pass
class B(Plugin, name="bee"):
    pass
print(Plugin.found)
#---- class_getitem
class Box:
    def __class_getitem__(cls, item):
        return f"{cls.__name__}[{item.__name__}]"
print(Box[int], list[int], dict[str, list[int]], isinstance(3, int | str))
#---- exception_groups
try:
    raise ExceptionGroup("many", [ValueError("a"), TypeError("b"), ValueError("c")])
except* ValueError as g:
    print([str(e) for e in g.exceptions])
except* TypeError as g:
    print([str(e) for e in g.exceptions])
#---- exception_notes
try:
    try:
        raise ValueError("x")
    except ValueError as e:
        e.add_note("a note")
        raise
except ValueError as e:
    print(e.__notes__)
#---- sort_stable
rows = [("b", 2), ("a", 2), ("c", 1), ("a", 1)]
print(sorted(rows, key=lambda r: r[1]), sorted(rows, reverse=True), sorted("bca", key=str.upper, reverse=True))
rows.sort(key=lambda r: (-r[1], r[0]))
print(rows)
#---- dict_order_views
d = {"a": 1, "b": 2}
k, v, i = d.keys(), d.values(), d.items()
d["c"] = 3
del d["a"]
d["a"] = 9
print(list(k), list(v), list(i), k & {"a", "z"}, list(reversed(d)), d.setdefault("q", []), d.pop("nope", None), d.popitem())
print(k, dict.fromkeys("xy", 0))
#---- set_operations
a, b = {1, 2, 3}, {2, 3, 4}
print(a | b, a & b, a - b, a ^ b, a <= {1, 2, 3, 4}, a < a, {1} | {2} == {1, 2})
a |= {9}
a.discard(100)
print(sorted(a), a.issuperset({9}), len(a))
#---- string_escapes
print("tab\there \x41 \u00e9 \U0001F600 \101", r"raw\n", b"\x00\t", "a" "b" 'c', """multi
line""")
#---- complex
z = 3 + 4j
print(z, abs(z), z.conjugate(), z * 2j, z.real, z.imag, z ** 2, complex("1-2j"), z == 3 + 4j, -z, 1j * 1j)
#---- float_text
print(0.1 + 0.2, 1e16, 1e-5, 123456789012345678.0, 1.0, float("inf"), -0.0, 2.5e-310, round(2.675, 2), round(5, -1), round(0.5), round(1.5), 1e22, 7.0 // 2, -7.5 % 2)
#---- assert_del
try:
    assert 1 == 2, "message"
except AssertionError as e:
    print("assertion", e)
x = [1, 2]
del x[0], x[0]
print(x)
def f():
    y = 1
    del y
    return y
try:
    f()
except UnboundLocalError as e:
    print(e)
#---- annotations
def f(a: int, b: "str" = "x", *c: float) -> bool:
    v: int = 3
    return True
class C:
    x: int
    y: str = "d"
print(f.__annotations__, C.__annotations__, hasattr(C, "x"), C.y)
#---- recursion
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
print(depth(900))
def forever():
    return forever()
try:
    forever()
except RecursionError as e:
    print(str(e)[:32])
#---- star_star_call
def f(*a, **k):
    return a, k
args, kw = [1, 2], {"x": 3}
print(f(*args, 9, *"ab", y=4, **kw, **{"z": 5}))
try:
    f(**kw, **kw)
except TypeError as e:
    print(str(e)[-44:])
#---- super_property
class A:
    @property
    def v(self):
        return 1
    @classmethod
    def name(cls):
        return "A of " + cls.__name__
class B(A):
    @property
    def v(self):
        return super().v + 10
    @classmethod
    def name(cls):
        return "B, " + super().name()
print(B().v, B.name())
#---- while_else
for n in range(2, 8):
    for d in range(2, n):
        if n % d == 0:
            break
    else:
        print(n, "prime")
k = 3
while k:
    k -= 1
else:
    print("done")
