#---- descriptor_full
class Typed:
    def __init__(self, kind):
        self.kind = kind
    def __set_name__(self, owner, name):
        self.name = "_" + name
        print("set_name", owner.__name__, name)
    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        return getattr(obj, self.name, "unset")
    def __set__(self, obj, value):
        if not isinstance(value, self.kind):
            raise TypeError(f"{self.name[1:]} must be {self.kind.__name__}")
        setattr(obj, self.name, value)
    def __delete__(self, obj):
        print("delete")
        delattr(obj, self.name)
class P:
    x = Typed(int)
    s = Typed(str)
p = P()
print(p.x)
p.x = 5
p.s = "a"
print(p.x, p.s, P.x is P.__dict__["x"], p.__dict__)
try:
    p.x = "no"
except TypeError as e:
    print(e)
del p.x
print(p.x)
p.__dict__["x"] = "ignored"
print(p.x)
#---- non_data
class Lazy:
    def __init__(self, f):
        self.f = f
    def __set_name__(self, owner, name):
        self.name = name
    def __get__(self, obj, owner):
        if obj is None:
            return self
        value = obj.__dict__[self.name] = self.f(obj)
        return value
class A:
    @Lazy
    def big(self):
        print("computed")
        return 42
a = A()
print(a.big, a.big, a.__dict__)
def get(o):
    return o.big
b = A()
print(get(b), get(b), get(a))
#---- property
class T:
    def __init__(self):
        self._v = 0
    @property
    def v(self):
        "the v"
        return self._v
    @v.setter
    def v(self, value):
        self._v = value
    @v.deleter
    def v(self):
        self._v = None
    ro = property(lambda self: "ro")
    wo = property(None, lambda self, v: print("set", v))
t = T()
t.v = 5
print(t.v, T.v.__doc__, type(T.v).__name__)
t.v += 2
print(t.v)
del t.v
print(t.v)
for f in (lambda: setattr(t, "ro", 1), lambda: delattr(t, "ro"), lambda: t.wo):
    try:
        f()
    except AttributeError as e:
        print(e)
t.wo = 3
class U(T):
    @T.v.getter
    def v(self):
        return "U" + str(self._v)
u = U()
u.v = 1
print(u.v, T.v.fget(u), T.v.fset is not None, T.ro.fset, property().fget)
class Prop(property):
    tag = "mine"
class W:
    @Prop
    def z(self):
        return 9
print(W().z, W.z.tag, isinstance(W.z, property))
#---- class_static
class A:
    n = 0
    @classmethod
    def make(cls, *a):
        cls.n += 1
        return cls.__name__, a
    @staticmethod
    def add(a, b):
        return a + b
class B(A):
    pass
print(A.make(1), B.make(2), A().make(), B().make(3), A.n, B.n)
print(A.add(1, 2), A().add(3, 4), A.make.__self__ is A, A.make.__func__ is A.__dict__["make"].__func__)
sm = staticmethod(lambda: "callable")
print(sm(), A.__dict__["add"].__func__(1, 1), type(A.__dict__["make"]).__name__, type(A.__dict__["add"]).__name__)
class C:
    @classmethod
    @property
    def p(cls):
        return cls.__name__
print(C.p, C().p)
#---- bind_functions
def f(self, *a):
    return self, a
class A:
    pass
a = A()
bound = f.__get__(5)
print(bound(1), f.__get__(None, A) is f, bound.__self__)
A.g = f
print(a.g(1)[1], A.g(1, 2))
A.l = len
try:
    print(a.l([1, 2]))
except TypeError as e:
    print(e)
class K:
    def __call__(self, *x):
        return "called", x
A.k = K()
print(a.k(1))
print(str.upper.__get__("abc")(), [].append.__self__)
#---- slots
class P:
    __slots__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y
    def s(self):
        return self.x + self.y
p = P(1, 2)
q = P(5, 6)
print(p.s(), q.s(), p.x, hasattr(p, "__dict__"))
p.x = 10
print(p.s())
del p.y
try:
    p.s()
except AttributeError as e:
    print(e)
class Q(P):
    __slots__ = ("z",)
r = Q(1, 2)
r.z = 3
print(r.x, r.z, r.s(), Q.__slots__, type(P.x).__name__)
class R(P):
    pass
w = R(1, 2)
w.extra = 5
print(w.extra, w.__dict__, w.x)
class D:
    __slots__ = ("a", "__dict__")
d = D()
d.a = 1
d.b = 2
print(d.a, d.b, d.__dict__)
class One:
    __slots__ = "single"
o = One()
o.single = 1
print(o.single)
try:
    class Bad:
        __slots__ = ("a",)
        a = 1
except ValueError as e:
    print(e)
try:
    class Bad2:
        __slots__ = (1,)
except TypeError as e:
    print(e)
try:
    class Bad3(int):
        __slots__ = ("a",)
except TypeError as e:
    print(e)
#---- init_subclass_hook
class Base:
    registry = []
    def __init_subclass__(cls):
        super().__init_subclass__()
        cls.registry.append(cls.__name__)
class A(Base):
    pass
class B(A):
    pass
print(Base.registry)
#---- class_getitem
class Box:
    def __class_getitem__(cls, item):
        return f"{cls.__name__}[{item}]"
print(Box[int], Box["a", 1])
print(list[int], dict[str, int], tuple[int, ...], list[list[int]], set[str], type[int])
print(list[int]([1, 2]), list[int].__origin__, list[int].__args__, list[int] == list[int], hash(list[int]) == hash(list[int]))
try:
    int[str]
except TypeError as e:
    print(e)
try:
    5[0]
except TypeError as e:
    print(e)
class N(list[int]):
    pass
print(N.__mro__, N([1]), N.__orig_bases__)
print(int | str, int | None, isinstance(5, int | str), isinstance("a", int | None), isinstance(None, int | None), (int | str).__args__)
print(int | str == str | int, list[int] | None)
#---- eq_hash
class E:
    def __init__(self, v):
        self.v = v
    def __eq__(self, o):
        return isinstance(o, E) and self.v == o.v
print(E(1) == E(1), E(1) != E(1), E(1) == 1, E.__hash__)
try:
    hash(E(1))
except TypeError as e:
    print(e)
try:
    {E(1)}
except TypeError as e:
    print(e)
class H(E):
    def __hash__(self):
        return hash(self.v)
print(len({H(1), H(1), H(2)}), {H(3): "x"}[H(3)], H(1) in [H(1)])
class Sub(H):
    pass
print(hash(Sub(5)) == hash(5))
class Sub2(H):
    def __eq__(self, o):
        return True
print(Sub2.__hash__)
class Plain:
    pass
p = Plain()
print(hash(p) == hash(p), p == p, p != p, p == Plain(), p in {p})
#---- new
class Single:
    inst = None
    def __new__(cls, *a):
        if cls.inst is None:
            cls.inst = super().__new__(cls)
        return cls.inst
    def __init__(self, *a):
        print("init", a)
print(Single(1) is Single(2))
class Other:
    def __new__(cls):
        return 5
    def __init__(self):
        print("never")
print(Other())
class Arg:
    def __new__(cls, x):
        self = object.__new__(cls)
        self.x = x
        return self
print(Arg(3).x)
class NoInit:
    def __new__(cls, *a, **k):
        return object.__new__(cls)
print(type(NoInit(1, 2, z=3)).__name__)
class BadInit:
    def __init__(self):
        return 5
try:
    BadInit()
except TypeError as e:
    print(e)
for f in (lambda: object.__new__(), lambda: object.__new__(5), lambda: object.__new__(NoInit, 1)):
    try:
        print(type(f()).__name__)
    except TypeError as e:
        print(e)
