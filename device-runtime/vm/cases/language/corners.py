#---- recursion_in_hooks
class A:
    def __getattr__(self, name):
        return getattr(self, name + "x")
try:
    A().y
except RecursionError:
    print("RecursionError")
class B:
    @property
    def p(self):
        return self.p
try:
    B().p
except RecursionError:
    print("RecursionError")
class C:
    def __repr__(self):
        return repr(self)
try:
    repr(C())
except RecursionError:
    print("RecursionError")
#---- eq_changes_the_container
class Evil:
    def __init__(self, box):
        self.box = box
    def __eq__(self, o):
        self.box.clear()
        return False
    def __hash__(self):
        return 1
l = []
l.extend([Evil(l), Evil(l), 3])
print(3 in l, l)
l = []
l.extend([Evil(l)] * 3)
try:
    l.remove(5)
except ValueError as e:
    print("ValueError", len(l))
d = {}
d[Evil(d)] = 1
try:
    d[Evil(d)] = 2
    print("fine", len(d))
except RuntimeError as e:
    print("RuntimeError")
#---- class_changes_while_running
class A:
    def f(self):
        return 1
    def g(self):
        del A.f
        A.g = lambda self: "second g"
        return "first g"
a = A()
out = []
for i in range(4):
    out.append(a.g())
    try:
        out.append(a.f())
    except AttributeError:
        out.append("gone")
        A.f = lambda self: 2
        try:
            del A.__dict__["zzz"]
        except TypeError:
            pass
print(out)
class P:
    v = 0
p = P()
seen = []
for i in range(6):
    if i == 2:
        P.v = property(lambda self: "prop")
    if i == 4:
        P.v = "plain"
    seen.append(p.v)
print(seen)
class Q:
    pass
q = Q()
seen = []
for i in range(6):
    if i == 1:
        q.m = 5
    if i == 2:
        Q.__getattribute__ = lambda self, n: "all"
    if i == 4:
        del Q.__getattribute__
    try:
        seen.append(q.m)
    except AttributeError:
        seen.append(None)
print(seen)
#---- many_shapes
class A:
    pass
objs = []
for i in range(700):
    a = A()
    setattr(a, "k%d" % i, i)
    a.common = i
    objs.append(a)
print(sum(o.common for o in objs), sum(len(o.__dict__) for o in objs), objs[650].k650)
for o in objs:
    o.common += 1
print(objs[3].common, objs[699].common)
#---- cycles
class Node:
    def __init__(self):
        self.next = self
        self.all = [self, {1: self}, (self,)]
for i in range(3000):
    n = Node()
    n.cls = type("T", (Node,), {"back": n})
    n.f = lambda: n
    n.m = n.__init__
print("ok", n.next is n, n.cls.back is n)
#---- instance_as_everything
class Num:
    def __init__(self, v):
        self.v = v
    def __int__(self):
        return int(self.v)
    def __float__(self):
        return float(self.v)
    def __index__(self):
        return int(self.v)
    def __complex__(self):
        return complex(self.v)
    def __bool__(self):
        return bool(self.v)
    def __abs__(self):
        return abs(self.v)
    def __neg__(self):
        return Num(-self.v)
    def __pos__(self):
        return self
    def __invert__(self):
        return ~self.v
    def __round__(self, n=None):
        return ("round", n)
    def __divmod__(self, o):
        return ("divmod", o)
    def __rdivmod__(self, o):
        return ("rdivmod", o)
    def __pow__(self, o, m=None):
        return ("pow", o, m)
    def __rpow__(self, o):
        return ("rpow", o)
    def __trunc__(self):
        return 3
    def __floor__(self):
        return 2
    def __ceil__(self):
        return 4
    def __hash__(self):
        return 3
    def __eq__(self, o):
        return self.v == getattr(o, "v", o)
    def __lt__(self, o):
        return self.v < getattr(o, "v", o)
    def __contains__(self, x):
        return x == self.v
    def __reversed__(self):
        return ["reversed"]
    def __len__(self):
        return self.v
    def __matmul__(self, o):
        return "matmul"
    def __rlshift__(self, o):
        return "rlshift"
    def __xor__(self, o):
        return "xor"
import math
n = Num(3)
print(int(n), float(n), bool(n), abs(n), (-n).v, (+n).v, ~n, round(n), round(n, 2), divmod(n, 2), divmod(2, n), n ** 2, pow(n, 2), pow(n, 2, 5), 2 ** n)
print(math.trunc(n), math.floor(n), math.ceil(n), hash(n), n == 3, 3 == n, n < 4, 4 > n, 3 in n, reversed(n), len(n), n @ 1, 1 << n, n ^ 1)
print([10, 20, 30, 40][n], "abcdef"[n], list(range(n)), bin(n), hex(n), oct(n), chr(Num(65)), "x" * n, [0] * n, b"abcd"[n], (1, 2, 3, 4)[:n], max(n, Num(5)).v, sorted([Num(2), Num(1)])[0].v)
#---- context_and_call_on_type
class Ctx:
    def __enter__(self):
        return "entered"
    def __exit__(self, *a):
        print("exit", a[0])
        return True
c = Ctx()
c.__enter__ = lambda: "instance"
with c as x:
    print(x)
    raise ValueError
class NoCtx:
    pass
try:
    with NoCtx():
        pass
except (AttributeError, TypeError) as e:
    print(type(e).__name__, e)
#---- equality_of_methods
class A:
    def f(self):
        pass
    def __eq__(self, o):
        return True
    __hash__ = object.__hash__
a, b = A(), A()
print(a.f == a.f, a.f == b.f, A.f == A.f, a.f is a.f, hash(a.f) == hash(a.f), len({a.f, a.f}), [].append == [].append)
#---- class_iteration_order
class A:
    z = 1
    y = 2
    def m(self):
        pass
    x = 3
print([k for k in vars(A) if not k.startswith("__")])
class B:
    def __init__(self):
        self.c = 1
        self.a = 2
        self.b = 3
b = B()
b.a = 9
print(list(vars(b).items()))
del b.c
b.c = 0
print(list(b.__dict__))
#---- overriding_in_base_after
class A:
    def f(self):
        return "A"
class B(A):
    pass
class C(B):
    pass
c = C()
def call():
    return c.f()
print(call(), call())
B.f = lambda self: "B"
print(call())
A.f = lambda self: "A2"
print(call())
del B.f
print(call())
C.f = A.f
A.f = None
print(call())
#---- slice_step_before_value
values = [1, 2, 3]
for step in (0, 2, 1):
    try:
        values[::step] = 5
    except (TypeError, ValueError) as e:
        print(step, type(e).__name__, e)
for text in ('a\tb', b'a\tb', bytearray(b'a\tb')):
    for size in (1 << 40, -1 << 31, 0, 3):
        try:
            print(text.expandtabs(size))
        except OverflowError as e:
            print(e)
for text in ("ab", b"ab"):
    try:
        print(text * (1 << 62))
    except (OverflowError, MemoryError) as e:
        print(type(e).__name__, e)
#---- format_without_a_spec_is_str
for base, value in ((int, 3), (float, 2.5), (complex, 1j), (str, 'ab'), (list, [1]), (dict, {}),
                    (tuple, (1,)), (bytes, b'a'), (set, {1}), (object, None), (bytearray, b'a')):
    class C(base):
        def __str__(self): return 'str'
        def __format__(self, spec):
            return 'F' + super().__format__(spec)
    class D(base):
        def __repr__(self): return 'repr'
    o = C() if base is object else C(value)
    p = D() if base is object else D(value)
    print(f'{o}', f'{p}', '{}'.format(o), format(p), base.__format__(o, ''), end=' ')
    for v in o, p:
        try:
            print(f'{v:5}')
        except TypeError as e:
            print(e)
#---- percent_of_what_gives_keys
class Keys:
    def __getitem__(self, key):
        return 1
for v in ([0.5], {}, range(3), 'a', b'a', bytearray(b'a'), memoryview(b'a'), 5, (1,), None, Keys(), set()):
    for form in ('abc', b'abc', bytearray(b'abc')):
        try:
            print(form % v, end=' ')
        except TypeError as e:
            print(type(v).__name__, e, end=' ')
    print()
print(b'%(a)d' % Keys(), '%(a)d' % Keys())
#---- equal_complex_numbers
c, d = complex('nan'), 2j
print(c == c, c != c, [c] == [c], {c: 1}.get(c), c in [c], (lambda a: a == a)(c))
print(d == d, d == 2j, d != d, complex(2, 0) == 2, [d] == [2j])
