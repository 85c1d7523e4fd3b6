#---- descriptors without get
class Set:
    def __set__(self, obj, value): pass
class A:
    x = Set()
a = A()
print(type(a.x).__name__)
a.x = 1
a.__dict__['x'] = 7
print(a.x, type(A.x).__name__)
#---- readonly
import types
for obj, name in ((5, 'real'), (True, 'imag'), (1.5, 'real'), (1j, 'real'), (memoryview(b'a'), 'nbytes'),
                  (ExceptionGroup('g', [KeyError()]), 'message'), ((i for i in ()), 'gi_running')):
    for act in (lambda: setattr(obj, name, 1), lambda: delattr(obj, name)):
        try:
            act()
        except AttributeError as e:
            print(e)
#---- cells
import types
c = types.CellType(5)
print(c.cell_contents)
c.cell_contents = 6
print(c.cell_contents)
del c.cell_contents
try:
    c.cell_contents
except ValueError as e:
    print(e)
def f():
    n = 1
    def g(): return n
    return g
g = f()
g.__closure__[0].cell_contents = 9
print(g(), type(g.__closure__[0]) is types.CellType)
#---- weak
import weakref, copy
class B: pass
b = B()
r = weakref.ref(b)
print(weakref.ref(b) is r, weakref.getweakrefcount(b), copy.copy(r) is r, str(r).split(' at ')[0], str(r).split(';')[1].split(' at')[0])
back = weakref.ref(b, lambda x: print('gone'))
print(back is r, back == r, weakref.getweakrefcount(b))
del b
print(r(), str(r).split(';')[1])
def named(): pass
print(str(weakref.ref(named)).split('(')[1])
#---- sizes
import sys
class S:
    def __sizeof__(self): return 100
class Bad:
    def __sizeof__(self): return -1
print(S().__sizeof__(), sys.getsizeof(S()) >= 100, (5).__sizeof__(), 'abc'.__sizeof__(), 'é'.__sizeof__(), b'ab'.__sizeof__(), ().__sizeof__(), (1.5).__sizeof__())
try:
    sys.getsizeof(Bad())
except ValueError as e:
    print(e)
#---- shapes
class P:
    def __init__(self, **kw):
        for k in kw:
            setattr(self, k, kw[k])
a = P(x=1, y=2, z=3)
b = P(y=1, x=2)
def total(p):
    return p.x * 10 + p.y
print(total(a), total(b), total(a), a.__dict__, b.__dict__)
del a.y
a.y = 9
print(a.__dict__, total(a), list(vars(b)))
b.__dict__["x"] = 77
print(b.x, total(b), total(a))
b.__dict__ = {"x": 1, "y": 2, "n": 3}
print(b.n, total(b), b.__dict__)
for i in range(100):
    setattr(b, "v%d" % i, i)
print(sum(getattr(b, "v%d" % i) for i in range(100)), len(b.__dict__))
c = P()
for i in range(100):
    setattr(c, "w%d" % i, i)
c.w5 = "five"
del c.w6
print(c.w5, hasattr(c, "w6"), len(c.__dict__), c.w99)
#---- shadowing
class A:
    n = 1
    def f(self):
        return "method"
    def get(self):
        return self.n
a = A()
def call(o):
    return o.f(), o.get()
print(call(a), call(a))
a.f = lambda: "own"
print(call(a))
del a.f
print(call(a))
A.n = 5
print(call(a))
a.n = 6
print(call(a), A.n)
del a.n
A.n += 1
print(call(a))
A.f = lambda self: "new method"
print(call(a))
del A.f
try:
    call(a)
except AttributeError as e:
    print(e)
class B(A):
    pass
b = B()
print(b.get())
A.n = 100
print(b.get())
B.n = 50
print(b.get())
del B.n
print(b.get(), a.get())
#---- data_descriptor_added_later
class A:
    def __init__(self):
        self.x = 1
a = A()
def get(o):
    return o.x
print(get(a), get(a))
A.x = property(lambda self: "prop")
print(get(a))
try:
    a.x = 5
except AttributeError as e:
    print(e)
del A.x
print(get(a))
a.x = 7
print(get(a))
#---- class_attributes
class C:
    count = 0
    items = []
    def __init__(self):
        C.count += 1
        self.items.append(C.count)
for _ in range(5):
    C()
print(C.count, C.items, C().count, "count" in C.__dict__)
setattr(C, "extra", [1])
print(C.extra, C().extra is C.extra, getattr(C, "nope", "default"), hasattr(C, "extra"))
delattr(C, "extra")
print(hasattr(C, "extra"))
try:
    del C.extra
except AttributeError as e:
    print(e)
try:
    C.nothing
except AttributeError as e:
    print(e)
#---- errors
class A:
    y = 1
    def f(self):
        pass
class S:
    __slots__ = ("a",)
def attempt(f):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda: A().x)
attempt(lambda: delattr(A(), "x"))
attempt(lambda: delattr(A(), "y"))
attempt(lambda: S().a)
attempt(lambda: setattr(S(), "b", 1))
attempt(lambda: delattr(S(), "a"))
attempt(lambda: S().__dict__)
attempt(lambda: setattr(int, "x", 1))
attempt(lambda: setattr(5, "x", 1))
attempt(lambda: setattr([], "append", 1))
attempt(lambda: setattr(object(), "x", 1))
attempt(lambda: None.foo)
attempt(lambda: (1).foo)
attempt(lambda: A.f.nothing)
attempt(lambda: A().f.nothing)
attempt(lambda: setattr(A().f, "x", 1))
attempt(lambda: len.foo)
attempt(lambda: setattr(len, "x", 1))
attempt(lambda: A()())
attempt(lambda: A(1))
attempt(lambda: object(1))
attempt(lambda: A().f(1))
attempt(lambda: A.f())
#---- getattr_hooks
class G:
    def __init__(self):
        self.real = 1
    def __getattr__(self, name):
        if name.startswith("bad"):
            raise AttributeError(f"no {name}!")
        return name.upper()
g = G()
print(g.real, g.foo, hasattr(g, "bad1"), getattr(g, "bad2", "dflt"))
try:
    g.bad3
except AttributeError as e:
    print(e)
class H:
    def __getattribute__(self, name):
        if name == "secret":
            return 42
        return "<" + str(object.__getattribute__(self, name)) + ">"
    def __init__(self):
        self.a = 5
h = H()
print(h.secret, h.a)
try:
    h.none
except AttributeError as e:
    print(e)
class Both:
    def __getattribute__(self, name):
        if name == "x":
            raise AttributeError(name)
        return super().__getattribute__(name)
    def __getattr__(self, name):
        return "fallback " + name
    def m(self):
        return "m"
b = Both()
print(b.x, b.m(), b.y)
#---- setattr_hooks
class V:
    def __setattr__(self, name, value):
        if value is None:
            raise ValueError(name)
        object.__setattr__(self, name, value * 2)
    def __delattr__(self, name):
        print("del", name)
        super().__delattr__(name)
v = V()
v.a = 5
print(v.a, v.__dict__)
try:
    v.b = None
except ValueError as e:
    print("ValueError", e)
del v.a
print(v.__dict__)
class Frozen:
    def __init__(self, x):
        object.__setattr__(self, "x", x)
    def __setattr__(self, *a):
        raise TypeError("frozen")
f = Frozen(3)
print(f.x)
try:
    f.x = 4
except TypeError as e:
    print(e)
#---- class_assignment
class A:
    def who(self):
        return "A"
class B:
    def who(self):
        return "B"
a = A()
a.x = 1
print(a.who(), a.__class__.__name__)
a.__class__ = B
print(a.who(), a.x, type(a).__name__, isinstance(a, B), a.__dict__)
a.y = 2
print(a.y, a.__dict__)
try:
    a.__class__ = 5
except TypeError as e:
    print(e)
try:
    a.__class__ = int
except TypeError as e:
    print(e)
class C:
    __slots__ = ("q",)
try:
    a.__class__ = C
except TypeError as e:
    print(e)
#---- function_attributes
def f(a, b=2, *, c=3):
    "the doc"
    return a
f.tag = [1]
print(f.tag, f.__dict__, f.__name__, f.__qualname__, f.__doc__, f.__defaults__, f.__kwdefaults__, f.__module__)
f.__name__ = "g"
f.__doc__ = "new"
f.__defaults__ = (9, 8)
print(f.__name__, f.__doc__, f(), f.__defaults__)
f.__qualname__ = "Q.g"
print(f.__qualname__)
try:
    f.__name__ = 5
except TypeError as e:
    print(e)
try:
    f(1, 2, 3)
except TypeError as e:
    print(e)
del f.tag
print(hasattr(f, "tag"))
class A:
    def m(self):
        "mdoc"
m = A().m
print(m.__name__, m.__doc__, m.__func__ is A.m, m.__self__.__class__ is A, m == m, A.m.__qualname__, m.__qualname__)
A.m.cached = 5
print(m.cached)
def outer():
    def inner():
        pass
    class K:
        def z(self):
            pass
    return inner, K
i, K = outer()
print(i.__qualname__, K.__qualname__, K.z.__qualname__, K.__name__, (lambda: 0).__name__, (lambda: 0).__qualname__)
print(len.__name__, [].append.__name__, str.upper.__name__, int.__name__, int.__module__, len.__qualname__, [].append.__qualname__)
#---- mangling
class A:
    def __init__(self):
        self.__x = 1
        self.__y__ = 2
    def get(self):
        return self.__x
    def __hidden(self):
        return "h"
    def call(self):
        return self.__hidden()
class B(A):
    def __init__(self):
        super().__init__()
        self.__x = 10
    def getb(self):
        return self.__x
b = B()
print(b.get(), b.getb(), sorted(b.__dict__), b.call(), b._A__x, hasattr(b, "__x"))
#---- vars_dir
class A:
    k = 1
    def f(self):
        pass
a = A()
a.z = 1
a.b = 2
print(vars(a), [n for n in dir(a) if not n.startswith("__")], [n for n in dir(A) if not n.startswith("__")])
print("append" in dir([]), "__len__" in dir([]), "__add__" in dir(int), "upper" in dir(str), "__class__" in dir(a))
class D:
    def __dir__(self):
        return ["q", "a"]
print(dir(D()))
try:
    vars(5)
except TypeError as e:
    print(e)
#---- classes that are descriptors
class Meta(type):
    def __get__(self, instance, owner=None): return self.__name__, instance is None
class Inner(metaclass=Meta): pass
class Holder: x = Inner
print(Holder.x, Holder().x)
class Meta2(type):
    def __get__(self, instance, owner=None): return 'got'
    def __set__(self, instance, value): print('set', value)
class Inner2(metaclass=Meta2): pass
class Holder2: x = Inner2
h = Holder2()
h.x = 5
print(h.x, h.__dict__)
#---- slots named twice
def made(*bases, **names):
    try:
        return sorted(n for n in type('X', bases, names).__dict__ if n in ('a', '_X__b'))
    except TypeError as e:
        return str(e)
class Plain: pass
print(made(__slots__=('__dict__', '__dict__')), made(__slots__=('__weakref__', '__weakref__')))
print(made(Plain, __slots__=('__dict__',)), made(Plain, __slots__=('__weakref__',)), made(__slots__=('a', 'a', '__b', '__b')))
#---- names that dir() gives
class A:
    x = 1
    def m(self): pass
class S: __slots__ = ('y',)
print([n for n in dir(A()) if n in ('__dict__', '__weakref__', 'x', 'm')], [n for n in dir(S()) if n in ('__dict__', '__weakref__', 'y')])
print([n for n in dir(A().m) if n in ('__func__', '__self__')], [n for n in dir(A.m) if n in ('__code__', '__name__', '__defaults__', '__globals__')])
print([n for n in dir(ValueError()) if n in ('args', '__cause__', '__context__', '__traceback__', 'with_traceback', 'add_note')])
print([n for n in dir(len) if n in ('__name__', '__self__')], [n for n in dir(type) if n in ('__mro__', '__bases__', 'mro')])
print([n for n in dir(slice(1)) if n[0] != '_'], [n for n in dir(range(1)) if n[0] != '_'], [n for n in dir(property()) if n[0] != '_'])
#---- type() asks the metaclass of the bases
class M(type):
    def __new__(meta, name, bases, space, **more):
        print('new', name, sorted(more))
        return super().__new__(meta, name, bases, space)
    def __init__(cls, name, bases, space, **more): print('init', name)
class B(metaclass=M): pass
C = type('C', (B,), {'x': 1}, k=2)
print(type(C) is M, C.x)
class X: pass
class Y: pass
class XY(X, Y): pass
class YX(Y, X): pass
try:
    class Z(XY, YX): pass
except TypeError as e:
    print(e)
#---- what __getattribute__ says
class A:
    def __getattribute__(self, name): raise AttributeError('own ' + name)
class B(A):
    def __getattr__(self, name): return 'got ' + name
try:
    A().x
except AttributeError as e:
    print(e)
print(hasattr(A(), 'x'), getattr(A(), 'x', 5), B().x)
#---- corners of built-in objects
import sys
print(type(...)(), type(NotImplemented)())
for cls in (type(...), type(NotImplemented)):
    try:
        cls(5)
    except TypeError as e:
        print(e)
class S:
    __slots__ = ('a',)
    class T: __slots__ = ('b',)
print(S.a.__qualname__, S.T.b.__qualname__, S.a.__name__, S.a.__objclass__)
class M:
    def m(self): pass
    n = m
    def __eq__(self, other): return True
i = M()
print(i.m.__eq__(i.n), i.m.__ne__(i.n), i.m.__eq__(M().m), i.m.__eq__(5), len.__self__, int.from_bytes.__qualname__, dict.fromkeys.__qualname__)
for limit in ('a', 0):
    try:
        sys.setrecursionlimit(limit)
    except (ValueError, TypeError) as e:
        print(e)
def f(): pass
print(str(f.__code__).split(' at ')[0], str(f.__code__).split(', ')[1].startswith('file "'))
try:
    type.__init__(M)
except TypeError as e:
    print(e)
#---- another metaclass
class Meta(type):
    def __repr__(cls): return 'made by Meta'
    def __len__(cls): return 3
class Other(type):
    def __repr__(cls): return 'made by Other'
class C(metaclass=Other): pass
print(C)
C.__class__ = Meta
print(C, len(C), type(C) is Meta, type(C()) is C)
class D: pass
for cls, what in ((C, 5), (C, int), (C, type), (D, Meta)):
    try:
        cls.__class__ = what
    except TypeError as e:
        print(e)
