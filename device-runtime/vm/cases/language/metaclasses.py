#---- metaclass_basics
class Meta(type):
    def __new__(mcs, name, bases, ns, **kw):
        print("new", name, [k for k in ns if not k.startswith("__")], kw)
        return super().__new__(mcs, name, bases, ns)
    def __init__(cls, name, bases, ns, **kw):
        print("init", name)
        super().__init__(name, bases, ns)
    def __call__(cls, *a):
        print("call", cls.__name__, a)
        return super().__call__(*a)
    def hello(cls):
        return "hello " + cls.__name__
    @property
    def size(cls):
        return len(cls.__name__)
class A(metaclass=Meta, tag=1):
    x = 1
    def __init__(self, *a):
        self.a = a
class B(A):
    y = 2
print(type(A), type(B), A.hello(), B.hello(), B.size, A(1).a, isinstance(A, Meta), isinstance(B(), A))
try:
    A().hello
except AttributeError as e:
    print(e)
#---- metaclass_protocols
class Coll(type):
    def __iter__(cls):
        return iter(cls.items)
    def __len__(cls):
        return len(cls.items)
    def __getitem__(cls, k):
        return cls.items[k]
    def __contains__(cls, k):
        return k in cls.items
    def __repr__(cls):
        return "<Coll %s>" % cls.__name__
    def __bool__(cls):
        return True
    def __eq__(cls, o):
        return cls is o or o == "C"
    def __hash__(cls):
        return 5
    def __getattr__(cls, name):
        return "meta " + name
    def __setattr__(cls, name, v):
        print("set", name)
        super().__setattr__(name, v)
    def __instancecheck__(cls, obj):
        return obj == 42
    def __subclasscheck__(cls, c):
        return c is int
    def __add__(cls, o):
        return ("add", o)
    def __or__(cls, o):
        return "or"
    def __lt__(cls, o):
        return True
class C(metaclass=Coll):
    items = [1, 2, 3]
print(list(C), len(C), C[0], 2 in C, C, repr(C), str(C), f"{C}", C == "C", hash(C), C.nothing, C + 1, C | int, C < 3)
C.z = 5
print(C.z, isinstance(42, C), isinstance(C(), C), issubclass(int, C), issubclass(str, C), {C: 1}[C], bool(C))
a, b, c = C
print(a, b, c, [*C], max(C), sorted(C, reverse=True))
#---- prepare
class Order(dict):
    def __init__(self):
        self.order = []
    def __setitem__(self, k, v):
        if not k.startswith("__"):
            self.order.append(k)
        super().__setitem__(k, v)
class M(type):
    @classmethod
    def __prepare__(mcs, name, bases, **kw):
        print("prepare", name, bases, kw)
        return Order()
    def __new__(mcs, name, bases, ns, **kw):
        cls = super().__new__(mcs, name, bases, dict(ns))
        cls.order = ns.order
        return cls
    def __init__(cls, *a, **kw):
        pass
class A(metaclass=M, flag=True):
    b = 1
    a = 2
    b = 3
    def f(self):
        return __class__
print(A.order, A.b, A().f() is A)
#---- conflict
class M1(type):
    pass
class M2(type):
    pass
class A(metaclass=M1):
    pass
class B(metaclass=M2):
    pass
try:
    class C(A, B):
        pass
except TypeError as e:
    print(e)
class M3(M1, M2):
    pass
class D(A, B, metaclass=M3):
    pass
print(type(D), [c.__name__ for c in M3.__mro__])
def factory(name, bases, ns):
    print("factory", name, bases)
    return 5
class F(metaclass=factory):
    pass
print(F)
#---- init_subclass_keywords
class Plugin:
    found = {}
    def __init_subclass__(cls, /, name=None, **kw):
        super().__init_subclass__(**kw)
        cls.found[name] = cls
class A(Plugin, name="a"):
    pass
class B(A, name="b"):
    pass
print(Plugin.found)
try:
    class C(Plugin, bad=1):
        pass
except TypeError as e:
    print(e)
try:
    class D(object, x=1):
        pass
except TypeError as e:
    print(e)
class E(*[A], **{"name": "e"}):
    pass
print(sorted(Plugin.found))
#---- mro_entries
class Alias:
    def __init__(self, cls):
        self.cls = cls
    def __mro_entries__(self, bases):
        return (self.cls,)
class A(Alias(dict)):
    pass
print(A.__mro__, A(x=1))
class B(list[int], dict[str, int].__origin__ if False else object):
    pass
print(B.__bases__, B.__orig_bases__)
#---- set_name_error
class Bad:
    def __set_name__(self, owner, name):
        raise ValueError("no")
try:
    class A:
        x = Bad()
except RuntimeError as e:
    print(e, repr(e.__cause__))
#---- class_cell_and_decorators
def deco(cls):
    cls.tag = "deco"
    return cls
@deco
@deco
class A:
    def me(self):
        return __class__
    def up(self):
        return super().__repr__().startswith("<__main__.A object")
    x = [i for i in range(3)]
    y = {k: v for k, v in zip("ab", x)}
print(A.tag, A().me() is A, A().up(), A.x, A.y)
n = 10
class B:
    n = n + 1
    m = n
    def get(self):
        return n
print(B.n, B.m, B().get())
class C:
    if True:
        z = 1
    for i in range(2):
        pass
    try:
        w = undefined
    except NameError as e:
        w = str(e)
print(C.z, C.i, C.w)
#---- singleton_registry
class Singleton(type):
    _all = {}
    def __call__(cls, *a, **k):
        if cls not in cls._all:
            cls._all[cls] = super().__call__(*a, **k)
        return cls._all[cls]
class Conf(metaclass=Singleton):
    def __init__(self, v):
        self.v = v
print(Conf(1) is Conf(2), Conf(3).v)
