#---- defaults
def f(a, b=2, c=3): return a, b, c
print(f(1), f(1, 5), f(1, 5, 6), f(1, c=9), f(c=1, a=2), f(*[1, 2]), f(1, **{"c": 4}))
for args, kw in (((), {}), ((1, 2, 3, 4), {}), ((1,), {"a": 2}), ((1,), {"z": 2}), ((), {"b": 1})):
    try:
        print(f(*args, **kw))
    except TypeError as e:
        print(e)
#---- default_is_shared
def f(x, seen=[]):
    seen.append(x)
    return seen
print(f(1), f(2), f(3, []), f(4))
#---- rest_and_keywords
def f(a, /, b, *rest, c, d=4, **more): return a, b, rest, c, d, more
print(f(1, 2, c=3), f(1, 2, 3, 4, c=5, e=6), f(1, b=2, c=3, d=0, a=9))
for g in (lambda: f(1, 2), lambda: f(a=1, b=2, c=3), lambda: f(1, c=3), lambda: f(1, 2, c=3, b=4)):
    try:
        print(g())
    except TypeError as e:
        print(e)
#---- many_arguments
def f(*args): return len(args), args[:2], args[-1]
print(f(*range(300)))
def g(a, b, c, d, e, f, g, h, i, j=10, *, k, l=12): return a + b + c + d + e + f + g + h + i + j + k + l
print(g(1, 2, 3, 4, 5, 6, 7, 8, 9, k=11), g(l=0, k=0, j=0, i=0, h=0, g=0, f=0, e=0, d=0, c=0, b=0, a=1))
#---- recursion
def depth(n): return 0 if n == 0 else 1 + depth(n - 1)
print(depth(900))
def even(n): return True if n == 0 else odd(n - 1)
def odd(n): return False if n == 0 else even(n - 1)
print(even(300), odd(301))
#---- construct
class A:
    def __init__(self, x, y=2): self.x, self.y = x, y
class B(A):
    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        self.z = 3
class C: pass
print(vars(A(1)), vars(A(1, 5)), vars(B(1, y=4)), vars(C()))
for g in (lambda: A(), lambda: A(1, 2, 3), lambda: A(1, z=1), lambda: C(1), lambda: C(x=1)):
    try:
        g()
    except TypeError as e:
        print(e)
#---- init_returns
class A:
    def __init__(self): return 5
class B:
    def __init__(self, x):
        if x: return None
        return "text"
for g in (A, lambda: B(1), lambda: B(0)):
    try:
        print(type(g()).__name__)
    except TypeError as e:
        print(e)
#---- init_is_changed
class A:
    def __init__(self, x): self.x = ("old", x)
made = [A(1).x]
A.__init__ = lambda self, x: setattr(self, "x", ("new", x))
made.append(A(2).x)
class B(A): pass
made.append(B(3).x)
del A.__init__
try:
    A(4)
except TypeError as e:
    made.append(str(e))
print(made)
#---- new_and_init
class A:
    made = 0
    def __new__(cls, *args):
        A.made += 1
        return super().__new__(cls) if args else 7
    def __init__(self, x): self.x = x
print(A(1).x, A(), A.made)
#---- construct_in_loop
class Node:
    def __init__(self, value, link=None):
        self.value = value
        self.link = link
def chain(n):
    node = None
    for i in range(n): node = Node(i, node)
    return node
node, total = chain(2000), 0
while node is not None:
    total += node.value
    node = node.link
print(total)
#---- properties
class A:
    def __init__(self): self._x = 1
    @property
    def x(self): return self._x
    @x.setter
    def x(self, v): self._x = v * 2
    @property
    def bad(self): raise ValueError("bad")
    @property
    def missing(self): return self.nothing
a = A()
for i in range(3):
    a.x = a.x + i
    print(a.x)
for name in ("bad", "missing"):
    try:
        getattr(a, name)
    except (ValueError, AttributeError) as e:
        print(type(e).__name__, e)
try:
    a.bad
except ValueError as e:
    print(e)
try:
    a.bad = 1
except AttributeError as e:
    print(e)
#---- property_is_replaced
class A:
    @property
    def x(self): return "property"
def get(a): return a.x
a = A()
out = [get(a), get(a)]
A.x = property(lambda self: "other")
out.append(get(a))
del A.x
a.x = "own"
out.append(get(a))
A.x = 5
out.append(get(a))
print(out)
#---- many_shapes_at_one_place
class Base:
    def name(self): return type(self).__name__
classes = []
for i in range(12):
    def make(i):
        class K(Base):
            def __init__(self):
                for k in range(i % 4): setattr(self, "a%d" % k, k)
                self.x = i
            def size(self): return self.x * 10
        return K
    classes.append(make(i))
objects = [k() for k in classes] * 3
total = 0
for o in objects:
    total += o.x + o.size()
    o.x += 1
    o.y = total
print(total, [o.x for o in objects[:12]], [o.y for o in objects[-3:]], {o.name() for o in objects})
classes[3].size = lambda self: 1
del objects[0].x
for o in objects[:4]:
    try:
        print(o.x, o.size())
    except AttributeError as e:
        print(e)
#---- bound_methods
class A:
    def m(self, x=1): return self, x
    @classmethod
    def c(cls, x): return cls.__name__, x
    @staticmethod
    def s(x): return x
a = A()
m, append = a.m, [].append
print(m(2)[1], m()[0] is a, A.m(a, 5)[1], a.c(1), A.c(2), a.s(3), A.s(4), append(1))
a.m = lambda x: ("own", x)
print(a.m(3))
#---- intrinsics_with_others
class L:
    def __len__(self): return 3
    def __abs__(self): return "abs"
class Len(list):
    def append(self, v): super().append(v * 2)
    def __len__(self): return 100
x = Len()
x.append(1)
x.append(2)
print(len(L()), abs(L()), len(x), list(x), abs(-3), abs(-2.5), abs(True), abs(-2 ** 47), min(3, 2.5), max(1, True), min("b", "a"), max([1], [2]))
for g in (lambda: len(5), lambda: ord("ab"), lambda: chr(-1), lambda: abs("x"), lambda: min(1), lambda: [].pop(), lambda: {}.get(), lambda: [].append(), lambda: min(1, "a"), lambda: len(), lambda: isinstance(1, 2)):
    try:
        g()
    except (TypeError, ValueError, IndexError) as e:
        print(type(e).__name__, e)
print(chr(65), chr(0x20AC), ord("A"), ord("€"), {}.get("a"), {"a": 1}.get("a"), {"a": 1}.get("b", 2), {1: 2}.get(1.0), {True: 3}.get(1))
#---- shadowed_builtins
def len(x): return "mine"
print(len([1, 2]))
del len
print(len([1, 2]))
def f():
    isinstance = lambda a, b: "local"
    return isinstance(1, int)
print(f())
#---- closures
def counter(start):
    n = start
    def up(by=1):
        nonlocal n
        n += by
        return n
    def get(): return n
    return up, get
up, get = counter(10)
print(up(), up(5), get(), [f() for f in [lambda i=i: i * i for i in range(4)]], [f() for f in [lambda: i for i in range(3)]])
#---- call_dunder
class A:
    def __call__(self, *args, **kw): return args, kw
class B:
    def __call__(self, x): return x + 1
a, b = A(), B()
print(a(), a(1, k=2), b(1), [b(i) for i in range(3)], callable(a))
try:
    b()
except TypeError as e:
    print(e)
try:
    5()
except TypeError as e:
    print(e)
