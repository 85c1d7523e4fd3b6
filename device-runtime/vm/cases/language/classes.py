#---- type_three
A = type("A", (), {"x": 1, "f": lambda self: self.x})
print(A, A().f(), A.__name__, A.__bases__, A.__mro__)
B = type("B", (A, dict), {"__doc__": "bdoc"})
print(B.__doc__, B().f(), B(), issubclass(B, dict), [c.__name__ for c in B.mro()])
print(type(5), type("a"), type(None), type(print), type(type), type(A), type(A()))
for f in (lambda: type("X", (), 5), lambda: type(5, (), {}), lambda: type("X", [], {}), lambda: type("X"), lambda: type(), lambda: type(1, 2)):
    try:
        print(f())
    except TypeError as e:
        print(e)
#---- dunder_names
class A:
    """adoc"""
    class Inner:
        pass
    def f(self):
        """fdoc"""
class B(A):
    pass
print(A.__name__, A.__qualname__, A.__module__, A.__doc__, B.__doc__, A().__doc__, B().__doc__, A.f.__doc__)
print(A.Inner.__qualname__, A.Inner, A.__bases__, B.__bases__, B.__base__, object.__bases__, object.__base__)
print(sorted(k for k in A.__dict__ if k not in ("__weakref__", "__dict__")))
A.__name__ = "Renamed"
A.__doc__ = "other"
print(A.__name__, A.__qualname__, A.__doc__)
print(B.__subclasses__(), [c.__name__ for c in A.__subclasses__()], type(A.__dict__).__name__)
try:
    A.__dict__["x"] = 1
except TypeError as e:
    print(e)
try:
    A.__name__ = 5
except TypeError as e:
    print(e)
print(A.__class__, A().__class__ is A, type.__name__, type.__mro__)
#---- super_forms
class A:
    v = "A.v"
    def f(self):
        return "A.f"
    @classmethod
    def c(cls):
        return "A.c " + cls.__name__
    @staticmethod
    def s():
        return "A.s"
    @property
    def p(self):
        return "A.p"
class B(A):
    v = "B.v"
    def f(self):
        return "B>" + super().f()
    @classmethod
    def c(cls):
        return "B>" + super().c()
    @staticmethod
    def s():
        return "B.s"
    @property
    def p(self):
        return "B>" + super().p
    def others(self):
        return super().v, super(B, self).f(), super().s(), super().__init__, __class__.__name__
class C(B):
    def f(self):
        return "C>" + super().f()
c = C()
print(c.f(), c.c(), C.c(), c.p, c.others()[0], c.others()[1], c.others()[2], c.others()[4])
print(super(B, c).f(), super(C, C).c(), super(B, C).v)
try:
    super(B, 5)
except TypeError as e:
    print(e)
try:
    super(B, c).nothing
except AttributeError as e:
    print(e)
try:
    super()
except RuntimeError as e:
    print(e)
def deco(f):
    def w(self, *a):
        return "deco " + f(self, *a)
    return w
class D(B):
    @deco
    def f(self):
        return super().f()
    def gen(self):
        yield super().f()
        yield [x for x in (super().f(),)] if False else "x"
    def nested(self):
        def inner():
            return super(D, self).f()
        return inner()
print(D().f(), next(D().gen()), D().nested())
#---- diamond
log = []
class Base:
    def __init__(self):
        log.append("Base")
class L(Base):
    def __init__(self):
        log.append("L")
        super().__init__()
class R(Base):
    def __init__(self):
        log.append("R")
        super().__init__()
class J(L, R):
    def __init__(self):
        log.append("J")
        super().__init__()
J()
print(log, [c.__name__ for c in J.__mro__])
try:
    class X(Base, L):
        pass
except TypeError as e:
    print(e)
class M1:
    def __init__(self, a, **kw):
        super().__init__(**kw)
        self.a = a
class M2:
    def __init__(self, b, **kw):
        super().__init__(**kw)
        self.b = b
class M(M1, M2):
    pass
m = M(a=1, b=2)
print(m.a, m.b)
#---- binary_rules
class N:
    def __init__(self, name, answer):
        self.name, self.answer = name, answer
    def __add__(self, o):
        print(self.name, "add")
        return self.answer
    def __radd__(self, o):
        print(self.name, "radd")
        return self.answer
class Sub(N):
    def __radd__(self, o):
        print("sub radd")
        return self.answer
class SubSame(N):
    pass
NI = NotImplemented
print(N("a", 1) + N("b", 2))
print(N("a", 1) + Sub("s", 3))
print(N("a", 1) + SubSame("s", 3))
print(5 + N("x", 9), N("x", 9) + 5)
try:
    N("a", NI) + N("b", NI)
except TypeError as e:
    print(e)
try:
    N("a", NI) + 5
except TypeError as e:
    print(e)
try:
    5 + N("a", NI)
except TypeError as e:
    print(e)
class I:
    def __iadd__(self, o):
        return "iadd"
    def __imul__(self, o):
        return NI
    def __mul__(self, o):
        return "mul"
i = I()
i += 1
print(i)
i = I()
i *= 2
print(i)
print([1] + [2], "a" * 3, (1,) * 2)
for f in (lambda: [] + (), lambda: "a" + 1, lambda: 1 + "a", lambda: {} + {}, lambda: None + 1, lambda: [] * "a", lambda: [1] - [2], lambda: object() + 1, lambda: -"a", lambda: ~1.5):
    try:
        f()
    except TypeError as e:
        print(e)
class Idx:
    def __index__(self):
        return 3
print([0] * Idx(), "ab" * Idx(), [1, 2, 3, 4][Idx()], "abcd"[Idx()], range(10)[Idx()], hex(Idx()))
#---- compare_rules
class C:
    def __init__(self, n):
        self.n = n
    def __lt__(self, o):
        print("lt")
        return self.n < (o.n if isinstance(o, C) else o)
    def __eq__(self, o):
        print("eq")
        return NotImplemented
    __hash__ = None
print(C(1) < C(2), C(1) > C(2), C(1) == C(1), C(1) != C(1))
print(3 > C(1))
try:
    C(1) <= C(2)
except TypeError as e:
    print(e)
class D(C):
    def __gt__(self, o):
        print("D gt")
        return "dgt"
print(C(1) < D(2))
class E:
    def __eq__(self, o):
        return "eq!"
    def __ne__(self, o):
        return "ne!"
print(E() == 1, 1 == E(), E() != 1, 1 != E(), [E()] == [1], E() in [5], 5 in [E()])
class F:
    def __eq__(self, o):
        return "truthy"
print(F() != 1, F() == 2)
for f in (lambda: 1 < "a", lambda: [] < (), lambda: object() < object(), lambda: {} < {}, lambda: None < None, lambda: 1 < None):
    try:
        f()
    except TypeError as e:
        print(e)
#---- truth_len_bool
class T:
    def __bool__(self):
        return False
class L:
    def __len__(self):
        return 0
class BL:
    def __bool__(self):
        return True
    def __len__(self):
        return 0
class Bad:
    def __bool__(self):
        return 1
class Neg:
    def __len__(self):
        return -1
class Str:
    def __len__(self):
        return "x"
print(bool(T()), bool(L()), bool(BL()), not T(), "y" if L() else "n", bool(object()))
for x in (Bad(), Neg(), Str()):
    try:
        bool(x)
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
    try:
        len(x)
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
#---- containers
class Seq:
    def __init__(self, n):
        self.n = n
    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return i * i
    def __len__(self):
        return self.n
s = Seq(4)
print(list(s), 9 in s, 5 in s, [x for x in s], list(reversed(s)), sum(s), max(s), s[2], s[1:2] if False else "")
class It:
    def __init__(self):
        self.i = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.i += 1
        if self.i > 3:
            raise StopIteration
        return self.i
print(list(It()), 2 in It(), tuple(It()), [*It()], dict.fromkeys(It()))
class NoIter:
    __iter__ = None
class NotIt:
    def __iter__(self):
        return 5
for f in (lambda: list(NoIter()), lambda: list(NotIt()), lambda: iter(5), lambda: next(5), lambda: 1 in 5, lambda: NoIter() in NoIter()):
    try:
        f()
    except TypeError as e:
        print(e)
class Key:
    def __getitem__(self, k):
        return k
k = Key()
print(k[1], k[1, 2], k[1:2], k[::], k[1:2, 3], k["a"], k[...])
class Del:
    def __delitem__(self, k):
        print("del", k)
    def __setitem__(self, k, v):
        print("set", k, v)
d = Del()
d[1] = 2
del d[1:3]
d[1, 2] = 3
#---- callables
class C:
    def __call__(self, *a, **k):
        return a, k
c = C()
print(c(1, x=2), callable(c), callable(5), callable(C), callable(len), c(*[1], **{"y": 2}))
c.__call__ = lambda: "instance"
print(c())
class Partial:
    def __init__(self, f, *a):
        self.f, self.a = f, a
    def __call__(self, *b):
        return self.f(*self.a, *b)
print(Partial(max, 1, 5)(3), list(map(Partial(pow, 2), [1, 2, 3])))
#---- isinstance_rules
class A:
    pass
class B(A):
    pass
print(isinstance(B(), A), isinstance(B(), (int, A)), isinstance(5, (str, (int, float))), issubclass(B, A), issubclass(B, (int, object)))
print(isinstance(True, int), isinstance(A, type), isinstance(type, object), issubclass(bool, int), isinstance(1.0, int))
for f in (lambda: isinstance(1, 5), lambda: issubclass(1, int), lambda: issubclass(int, 5), lambda: isinstance(1, [int])):
    try:
        f()
    except TypeError as e:
        print(e)
class Fake:
    @property
    def __class__(self):
        return int
print(isinstance(Fake(), int), type(Fake()).__name__)
#---- special_as_attributes
print((5).__add__(3), int.__add__(5, 3), (5).__add__("a"), "a".__len__(), [1, 2].__getitem__(1), [1].__contains__(1), {}.__len__())
print((5).__eq__(5), (5).__eq__("5"), (5).__lt__(6), "a".__eq__("a"), "b".__gt__("a"), [1].__eq__([1]), {1: 2}.__eq__({1: 2}), (1).__hash__() == hash(1))
print((5).__radd__(3), (7).__divmod__(2), (7).__rdivmod__(2), (-5).__abs__(), (5).__neg__(), (5).__bool__(), (2).__pow__(3), (2.5).__int__(), (3).__float__(), (6).__truediv__(4))
print("abc".__iter__().__next__(), list(range(3).__iter__()), [1, 2].__repr__(), "a".__repr__(), (5).__str__(), "x".__str__(), "a".__format__(">3"), object().__eq__(1))
l = [3, 4]
l.__setitem__(0, 9)
l.__delitem__(1)
l.__iadd__([5])
print(l, l.__mul__(2), "ab".__mod__(()), "%s".__mod__(5), {1}.__or__({2}), {1, 2}.__and__({2}), len.__call__([1]), str.__call__(5) if False else "")
class A:
    def __init__(self):
        self.z = 1
a = A()
print(a.__getattribute__("z"), a.__setattr__("q", 5), a.q, object.__getattribute__(a, "q"), a.__delattr__("q"), hasattr(a, "q"), a.__ne__(a), a.__eq__(5), a.__init__.__name__, A.__call__().z)
for f in (lambda: int.__add__(5), lambda: int.__add__("a", 1), lambda: [].__len__(1), lambda: list.append(5, 1), lambda: str.upper(5), lambda: "".__add__(1), lambda: list.append()):
    try:
        print(f())
    except TypeError as e:
        print(e)
#---- repr_default
class A:
    pass
class B(A):
    pass
r = repr(B())
print(r.startswith("<__main__.B object at 0x"), r.endswith(">"), repr(A), str(B))
def f(): pass
print(repr(f).startswith("<function f at 0x"), repr(len), repr([].append).startswith("<built-in method append of list object at 0x"), repr(print), repr(str.upper), repr(int.__add__))
class C:
    def m(self): pass
    class D: pass
print(repr(C().m).startswith("<bound method C.m of <__main__.C object at 0x"), repr(C.D), repr(type), repr(object), repr(None), repr(...), repr(NotImplemented))
print(repr(ValueError), repr(property()).startswith("<property object at 0x"), repr(C.m).startswith("<function C.m at 0x"), repr(type(C.m)), repr(type(C().m)), repr(type(len)))
#---- format_protocol
class F:
    def __format__(self, spec):
        return f"<{spec}>"
print(f"{F():abc}", "{:x}".format(F()), format(F()), format(F(), "q"), f"{F()}", "{0!s:>3}".format(5))
class P:
    pass
try:
    f"{P():5}"
except TypeError as e:
    print(e)
class S:
    def __str__(self):
        return "str"
print(f"{S()}", f"{S()!s:>5}", "%s|%5s" % (S(), S()), str(S()), format(S()))
class R:
    def __repr__(self):
        return "rep"
print(R(), str(R()), f"{R()}", f"{R()!r:>5}", [R()], {"k": R()}, (R(),), "%r" % R())
class Bad:
    def __str__(self):
        return 5
    def __repr__(self):
        return None
for f in (lambda: str(Bad()), lambda: repr(Bad()), lambda: f"{Bad()}", lambda: print(Bad())):
    try:
        f()
    except TypeError as e:
        print(e)
#---- special methods order
class L:

    def __getattr__(self, n):
        print('getattr', n)
        raise AttributeError(n)
log = []
class M(type):

    @classmethod
    def __prepare__(mcs, name, bases, **kw):
        print('prepare', name, bases, kw)
        return {}

    def __new__(mcs, name, bases, ns, **kw):
        print('new', name, sorted((k for k in ns if not k.startswith('__'))), kw)
        return super().__new__(mcs, name, bases, ns)

    def __init__(cls, name, bases, ns, **kw):
        print('init', name, kw)
        super().__init__(name, bases, ns)

    def __call__(cls, *a, **k):
        print('call', cls.__name__, a, k)
        return super().__call__(*a, **k)

    def __instancecheck__(cls, o):
        print('ic')
        return False

    def __subclasscheck__(cls, o):
        print('sc')
        return True

    def __len__(cls):
        return 7

    def __iter__(cls):
        return iter('ab')

    def __getitem__(cls, k):
        return ('gi', k)

    def __contains__(cls, k):
        return k == 3

    def __add__(cls, o):
        return 'add'

    def __bool__(cls):
        return False

    def __eq__(cls, o):
        return True

    def __hash__(cls):
        return 5

    def __repr__(cls):
        return '<M %s>' % cls.__name__

    def __dir__(cls):
        return ['z', 'a']

    def __setattr__(cls, n, v):
        print('set', n)
        type.__setattr__(cls, n, v)
class A(metaclass=M, flag=3):
    x = 1

    def __init_subclass__(cls, /, q=None, **kw):
        print('isub', cls.__name__, q, kw)
        super().__init_subclass__()

    def __init__(self, *a):
        print('A.init', a)
class B(A, q=9):
    y = 2
print(isinstance(1, A), issubclass(int, A), len(A), list(A), A[1:2], 3 in A, A + 1, bool(A), A == 3, hash(A), repr(A), dir(A))
A.foo = 3
a = A(1)
print(isinstance(a, A))
print(B.__mro__, type(B), B.__class__)
#---- set_name
class D:

    def __set_name__(self, owner, name):
        print('sn', owner.__name__, name)

    def __get__(self, i, o=None):
        return ('get', i is None, o.__name__)

    def __set__(self, i, v):
        print('set', v)

    def __delete__(self, i):
        print('del')
class C:
    a = D()
    b = D()
c = C()
print(c.a, C.b)
c.a = 3
del c.b
class Bad:

    def __set_name__(self, o, n):
        raise ValueError('no')
try:

    class E:
        z = Bad()
except Exception as e:
    print(type(e), e, repr(e.__cause__))
#---- class_getitem
class G:

    def __class_getitem__(cls, k):
        return (cls.__name__, k)
class H(G):
    pass
print(G[int], H[1, 2], G['x'])
try:
    G()[1]
except TypeError as e:
    print(e)
try:
    int[3]
except TypeError as e:
    print(e)
class K:
    pass
try:
    K[int]
except TypeError as e:
    print(e)
print(list[int], dict[str, int], tuple[int, ...], type[int], set[int] | None, list[int].__origin__, list[int].__args__, list[int] == list[int], hash(list[int]) == hash(list[int]))
print(isinstance([], list), list[int]([1, 2]))
try:
    isinstance([], list[int])
except TypeError as e:
    print(e)
#---- type() forms
print(type('X', (), {}), type('X', (int,), {'a': 1}).a)
for args in [(1, 2), (1, (), {}), ('a', [], {}), ('a', (), []), ('a', (1,), {}), ('a', (int, str), {}), ('a', (bool,), {}), ('a\x00', (), {}), ('a', (type(None),), {}), ('a', (object, object), {})]:
    try:
        print(type(*args))
    except Exception as e:
        print(type(e).__name__, e)
class A:
    pass
class B(A):
    pass
try:

    class C(A, B):
        pass
except TypeError as e:
    print(e)
class M1(type):
    pass
class M2(type):
    pass
class X(metaclass=M1):
    pass
class Y(metaclass=M2):
    pass
try:

    class Z(X, Y):
        pass
except TypeError as e:
    print(e)
try:

    class Z(A, foo=1):
        pass
except TypeError as e:
    print(e)
try:
    object(1)
except TypeError as e:
    print(e)
try:
    A(1)
except TypeError as e:
    print(e)
try:
    A(x=1)
except TypeError as e:
    print(e)
class N1:

    def __new__(cls, x):
        return object.__new__(cls)
print(N1(3).__class__)
try:
    object.__new__(int)
except TypeError as e:
    print(e)
try:
    object.__new__(5)
except TypeError as e:
    print(e)
try:
    object.__init__(5, 4)
except TypeError as e:
    print(e)
class N2:

    def __init__(self):
        return 5
try:
    N2()
except TypeError as e:
    print(e)
a = A()
try:
    a.__class__ = int
except TypeError as e:
    print(e)
a.__class__ = B
print(type(a))
try:
    A.__name__ = 3
except TypeError as e:
    print(e)
A.__name__ = 'AAA'
print(A, A.__qualname__, A.__module__)
A.__qualname__ = 'Q.A'
print(A)
try:
    int.x = 3
except TypeError as e:
    print(e)
try:
    del int.real
except TypeError as e:
    print(e)
try:
    A.__dict__['x'] = 3
except TypeError as e:
    print(e)
print(A.__doc__, A.__bases__, A.__base__, B.mro())
#---- bases assign
class A:

    def f(self):
        return 'A'
class B:

    def f(self):
        return 'B'
class C(A):
    pass
c = C()
print(c.f())
C.__bases__ = (B,)
print(c.f(), C.__mro__, A.__subclasses__(), B.__subclasses__())
try:
    C.__bases__ = ()
except TypeError as e:
    print(e)
try:
    C.__bases__ = 5
except TypeError as e:
    print(e)
try:
    C.__bases__ = (int,)
except TypeError as e:
    print(e)
try:
    C.__bases__ = (C,)
except TypeError as e:
    print(e)
try:
    C.__bases__ = (B, B)
except TypeError as e:
    print(e)
try:
    object.__bases__ = (C,)
except TypeError as e:
    print(e)
#---- mro override
class M(type):

    def mro(cls):
        print('mro of', cls.__name__)
        return type.mro(cls)[::-1] if cls.__name__ == 'R' else type.mro(cls)
class A(metaclass=M):
    x = 'A'
class B(A):
    x = 'B'
print(A.__mro__, B.x)
class M3(type):

    def mro(cls):
        return [cls, object]
class P(metaclass=M3):
    x = 1
class Q(P):
    pass
print(Q.__mro__, hasattr(Q, 'x'))
#---- super forms
class A:

    def f(self):
        return 'A.f'

    @classmethod
    def g(cls):
        return 'A.g ' + cls.__name__

    @property
    def p(self):
        return 'A.p'
class B(A):

    def f(self):
        return 'B>' + super().f()

    @classmethod
    def g(cls):
        return 'B>' + super().g()

    @property
    def p(self):
        return 'B>' + super().p

    def h(self):
        return super(B, self).f()

    def k(self):
        s = super()
        return (s.__thisclass__, s.__self__ is self, s.__self_class__, repr(s)[:20])
    x = lambda self: __class__

    def gen(self):
        yield super().f()

    def nested(self):

        def inner():
            return __class__
        return inner()
b = B()
print(b.f(), b.g(), B.g(), b.p, b.h(), b.k(), b.x(), list(b.gen()), b.nested())
for f in (lambda: super(), lambda: super(A, 5).f, lambda: super(5, b), lambda: super(B, b).zz, lambda: super(B).f, lambda: super(1, 2, 3)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
def out(self):
    return super().x
try:
    out(b)
except Exception as e:
    print(type(e).__name__, e)
#---- descriptors
class P:

    def __init__(s):
        s._x = 0

    @property
    def x(s):
        """doc x"""
        return s._x

    @x.setter
    def x(s, v):
        s._x = v

    @x.deleter
    def x(s):
        print('deleting')
    ro = property(lambda s: 1)
    wo = property(None, lambda s, v: print('w', v))
p = P()
p.x = 4
print(p.x)
del p.x
for f in (lambda: setattr(p, 'ro', 1), lambda: delattr(p, 'ro'), lambda: p.wo):
    try:
        f()
    except AttributeError as e:
        print(e)
print(P.x.__doc__, P.x.fget.__name__, P.x.fset, P.ro.fset) if 0 else print(P.x.__doc__, P.ro.fset)
class F:

    @staticmethod
    def s(a):
        return a

    @classmethod
    def c(cls):
        return cls
    sm = staticmethod(len)
print(F.s(1), F().s(2), F.c(), F().c(), F.sm('abc'), F.__dict__['s'](5), F.__dict__['s'].__wrapped__, F.__dict__['s'].__func__) if 0 else print(F.s(1), F().s(2), F.__dict__['s'](5))
try:
    F.__dict__['c'](5)
except TypeError as e:
    print(e)
m = F().c
print(m.__self__, m.__func__.__name__, m.__name__)
#---- decorators registers
class R:

    def reg(self, *a, **k):

        def d(f):
            print('d', a, k, getattr(f, '__name__', type(f)))
            return f
        return d

    def plain(self, f):
        print('plain')
        return f
    x = [lambda f: (print('x0'), f)[1]]
    d = {'k': lambda f: (print('dk'), f)[1]}
r = R()
ns = {'r': r}
@r.reg(1, k=2)
@r.plain
@r.x[0]
@r.d['k']
@ns['r'].reg(*[1, 2], **{'z': 3})
@lambda f: f
@(y := r.plain)
def f(a=r.x[0], *, b=r.d['k'], **kw):
    return 1
@r.reg(1)
@r.plain
class K(r.__class__, metaclass=type):
    pass
print(f(), K.__mro__[1].__name__)
class P:

    @property
    @r.plain
    def v(self):
        return 5

    @v.setter
    @r.plain
    def v(self, x):
        print('set', x)
p = P()
p.v = 3
print(p.v)
