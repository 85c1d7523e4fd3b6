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
#---- missing format index length_hint reversed
class DD(dict):

    def __missing__(self, k):
        print('miss', k)
        return k * 2
d = DD(a=1)
print(d['a'], d['b'], d.get('c'), 'c' in d)
class I:

    def __index__(self):
        return 3

    def __format__(self, s):
        return 'F<%s>' % s

    def __length_hint__(self):
        print('lh')
        return 10

    def __iter__(self):
        return iter((1, 2))

    def __reversed__(self):
        return iter('rev')
i = I()
print([0, 1, 2, 3, 4][i], 'abcdef'[i:], bytes(i), hex(i), bin(i), oct(i), range(i), [1] * i, format(i, 'xx'), f'{i:>{i}}', '{:abc}'.format(i), list(reversed(i)))
import operator
print(operator.length_hint(i), operator.index(i))
class BadI:

    def __index__(self):
        return 'x'
for f in (lambda: [1][BadI()], lambda: operator.index(BadI()), lambda: int(BadI()), lambda: range(BadI()), lambda: 'a' * BadI(), lambda: hex(BadI()), lambda: round(1.5, BadI())):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
#---- inplace reflected
class X:

    def __init__(s, n):
        s.n = n

    def __repr__(s):
        return 'X%s' % s.n
for op in 'add sub mul matmul truediv floordiv mod pow lshift rshift and xor or divmod'.split():

    def mk(kind, op=op):

        def f(self, o, *m):
            return (kind + op, self, o) + m
        return f
    setattr(X, '__%s__' % op, mk(''))
    setattr(X, '__r%s__' % op, mk('r'))
    if op != 'divmod':
        setattr(X, '__i%s__' % op, mk('i'))
x = X(1)
print(x + 1, 1 + x, x @ 2, 2 @ x, x ** 3, 3 ** x, pow(x, 2, 3), divmod(x, 1), divmod(1, x), x // 2, x % 2, 2 % x, x << 1, x >> 1, 1 << x, x & 1, x ^ 1, x | 1)
for op in ['+', '-', '*', '@', '/', '//', '%', '**', '<<', '>>', '&', '^', '|']:
    ns = X(5)
    y = x
    if op == '+':
        y += 1
    elif op == '-':
        y -= 1
    elif op == '@':
        y @= 1
    elif op == '**':
        y **= 1
    elif op == '|':
        y |= 1
    elif op == '/':
        y /= 1
    print(op, y)
class Sub(X):

    def __radd__(s, o):
        return ('subradd', s, o)
print(X(1) + Sub(2), Sub(2) + X(1), X(1) - Sub(3))
class N:

    def __add__(s, o):
        return NotImplemented
    __radd__ = __add__

    def __lt__(s, o):
        return NotImplemented

    def __eq__(s, o):
        return NotImplemented
try:
    N() + N()
except TypeError as e:
    print(e)
try:
    N() + 1
except TypeError as e:
    print(e)
try:
    N() < N()
except TypeError as e:
    print(e)
print(N() == N(), N() != N())
try:
    n = N()
    n += 1
except TypeError as e:
    print(e)
try:
    n @= 2
except TypeError as e:
    print(e)
#---- hash eq
class P:

    def __eq__(s, o):
        return True
try:
    hash(P())
except TypeError as e:
    print(e)
print(P.__hash__, P() != 1)
class Q:
    __hash__ = None
try:
    {Q()}
except TypeError as e:
    print(e)
class R:

    def __hash__(s):
        return 'x'
try:
    hash(R())
except TypeError as e:
    print(e)
class S:

    def __hash__(s):
        return 2 ** 70
print(hash(S()) == hash(2 ** 70))
class T1:

    def __hash__(s):
        return -1
print(hash(T1()))
class BoolBad:

    def __bool__(s):
        return 2
try:
    bool(BoolBad())
except TypeError as e:
    print(e)
class LenBad:

    def __init__(s, v):
        s.v = v

    def __len__(s):
        return s.v
for v in (-1, 'a', 2 ** 100, 1.5, True):
    try:
        print(len(LenBad(v)))
    except Exception as e:
        print(type(e).__name__, e)
    try:
        print(bool(LenBad(v)))
    except Exception as e:
        print(type(e).__name__, e)
class RB:

    def __repr__(s):
        return 5

    def __str__(s):
        return 6

    def __format__(s, f):
        return 7

    def __bytes__(s):
        return 'x'

    def __int__(s):
        return 'x'

    def __float__(s):
        return 'x'

    def __complex__(s):
        return 'x'

    def __iter__(s):
        return 5

    def __reversed__(s):
        return 5

    def __round__(s, *a):
        return ('round', a)

    def __trunc__(s):
        return 't'

    def __floor__(s):
        return 'fl'

    def __ceil__(s):
        return 'ce'

    def __dir__(s):
        return 5

    def __contains__(s, x):
        return 'yes'
import math
r = RB()
for f in (repr, str, format, bytes, int, float, complex, iter, reversed, round, math.trunc, math.floor, math.ceil, dir, lambda r: 1 in r, lambda r: round(r, 2), lambda r: f'{r}', lambda r: '%s' % r, lambda r: '%r' % r, lambda r: list(r)):
    try:
        print(f(r))
    except Exception as e:
        print(type(e).__name__, e)
#---- getattr protocol
class A:

    def __getattribute__(s, n):
        if n == 'boom':
            raise AttributeError('ga ' + n)
        return object.__getattribute__(s, n)

    def __getattr__(s, n):
        return 'fallback ' + n

    def __setattr__(s, n, v):
        print('set', n, v)
        object.__setattr__(s, n, v)

    def __delattr__(s, n):
        print('del', n)
        object.__delattr__(s, n)
a = A()
a.x = 1
print(a.x, a.boom, a.nothing, getattr(a, 'q', 3), hasattr(a, 'zz'))
del a.x
try:
    del a.x
except AttributeError as e:
    print(e, e.name, e.obj is a)
class B:
    __slots__ = ('p', 'q')
b = B()
b.p = 1
for f in (lambda: b.q, lambda: setattr(b, 'r', 1), lambda: b.__dict__, lambda: delattr(b, 'q')):
    try:
        print(f())
    except AttributeError as e:
        print(e)
print(B.p, B.__slots__, type(B.p))
class C(B):
    pass
c = C()
c.z = 3
print(c.__dict__)
class E(B):
    __slots__ = {'doc': 'help'}
print(E.__slots__)
for bad in [dict(__slots__='1a'), dict(__slots__=('a', 'a'), a=3), dict(__slots__=(3,))]:
    try:
        type('Z', (), bad)
        print('ok')
    except Exception as e:
        print(type(e).__name__, e)
try:
    type('Z', (int,), dict(__slots__=('a',)))
    print('ok')
except Exception as e:
    print(type(e).__name__, e)
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
#---- calls mixes
def f(*a, **k):
    return (a, k)
class O:
    pass
o = O()
o.f = f
o.d = {'f': f}
o.o = o
o.l = [1, 2]
print(o.f(o.l[0], *o.l, o.o.l[1], x=o.d['f'](1), **{'y': o.o.o.f()}))
print(f(*[1], 2, *(3,), *'ab', k=1, **{'a': 2}, b=3, **{'c': 4}))
print(o.d['f'](o.l[0] if o.l else o.l[1], not o.l, -o.l[0], o.l[0] < o.l[1] < 3, *(x for x in o.l)))
print((lambda *a, k=o.l[0], **kw: (a, k, kw))(*o.l, z=o.l[1]))
x = [o.l[0], *o.l, {**{'a': o.l}, 'b': o.l[0]}, {*o.l, o.l[0]}, (o.l[0], *o.l), f"{o.l[0]!r:>{o.l[1]}}{o.d['f'](1)}"]
print(x)
print(o.l[o.l[0]:], o.l[-o.l[0]], o.l[::o.l[0]], o.l[(lambda: 0)()])
o.l[o.l[0] - 1], o.l[1] = (o.l[1], o.l[0])
print(o.l)
o.l[0] += o.l[1]
o.z = o.y = o.l[0]
o.z += 1
print(o.z, o.y, o.l)
a, (b, *c), d = (1, (2, 3, 4), [5])
print(a, b, c, d)
[a, [b, c]] = (1, (2, 3))
(a, b), c = ('xy', 'z')
print(a, b, c)
for i, (j, *k) in enumerate(['abc', 'de']):
    print(i, j, k)
for o.q in range(2):
    pass
for o.l[0] in range(3):
    pass
print(o.q, o.l)
with (lambda: type('C', (), {'__enter__': lambda s: (1, (2, 3)), '__exit__': lambda *a: print('exit', a[1:])})())() as (a, (b, c)):
    print(a, b, c)
print(*[i * j for i in range(3) for j in range(i) if i + j], sep='-', end='!\n')
print({k: v for k, v in zip('ab', (1, 2))}, {i // 2 for i in range(5)}, list(((i, j) for i in 'ab' for j in range(2))))
print([[x for x in range(y)] for y in range(3)], [lambda: i for i in range(3)][0](), [(lambda i=i: i)() for i in range(3)])
print([(y := 1), y ** 2, (z := 5) + z], y, z, [(last := i) for i in range(3)], last)
if (n := len('abc')) > 2 and (m := (n * 2)):
    print(n, m)
print(1 if 0 else 2 if 0 else 3, (1, 2)[True], not 1 == 2, 1 < 2 > 1 != 0, 1 in [1] in [[1]], None is None is not True)
print(1000, 255, 2, 15, 0.001, 10.01, 1j, 0.5, 5.0, 3735928559, 100000.0, 0, f'abc{1}d', b'ab', '\\n', '\\x', b'\\n', u'x')
print(-2 ** 2, 2 ** (-1), 2 ** 3 ** 2, (-2) ** 2, ~1, -~1, not not 1, 7 // -2, -7 % 3, 7 % -3, -7.5 // 2, 5 ^ 3 | 2 & 6 << 1, 1 or (2 and 3), 1 << 2 + 1)
#---- try forms
def g(x):
    try:
        if x == 0:
            return 'ret'
        if x == 1:
            raise ValueError('v')
        if x == 2:
            raise KeyError('k')
        if x == 3:
            1 / 0
        print('body')
    except ValueError as e:
        print('VE', e)
        return 've'
    except (KeyError, IndexError) as e:
        print('KE', repr(e))
        raise RuntimeError('from') from e
    else:
        print('else')
        return 'else'
    finally:
        print('finally', x)
    return 'end'
for i in range(5):
    try:
        print(g(i))
    except Exception as e:
        print(type(e).__name__, e, repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
def h():
    for i in range(3):
        try:
            if i == 1:
                continue
            if i == 2:
                break
            print('i', i)
        finally:
            print('f', i)
    else:
        print('no')
    try:
        return 1
    finally:
        return 2
print(h())
def k():
    try:
        try:
            raise ValueError(1)
        finally:
            raise KeyError(2)
    except KeyError as e:
        return repr(e.__context__)
print(k())
def m():
    while True:
        try:
            return 'a'
        finally:
            break
    return 'b'
print(m())
def n():
    e = 'outer'
    try:
        raise ValueError
    except ValueError as e:
        pass
    try:
        return e
    except UnboundLocalError as x:
        return str(x)
print(n())
try:
    try:
        raise A
    except NameError:
        raise
except NameError as e:
    print(e)
try:
    raise
except RuntimeError as e:
    print(e)
try:
    raise ValueError from None
except ValueError as e:
    print(e.__cause__, e.__suppress_context__)
class E(Exception):

    def __init__(self, a, b=1):
        super().__init__(a)
        self.b = b

    def __str__(self):
        return f'E({self.args}, {self.b})'
try:
    raise E(5, b=2)
except E as e:
    print(e, repr(e), e.args)
try:
    raise E
except TypeError as e:
    print(e)
print(repr(ValueError('a', 1)), str(ValueError()), str(ValueError('a', 'b')), repr(KeyError('k')), str(KeyError('k')), str(OSError(2, 'x')), repr(OSError(2, 'x', 'f')), str(OSError(2, 'x', 'f')), OSError(2, 'x').errno, type(OSError(2, 'x')), str(UnicodeDecodeError('utf8', b'\xff', 0, 1, 'r')), SystemExit(3).code, StopIteration(5).value, repr(StopIteration()), ImportError('m', name='n', path='p').name, AttributeError('a', name='n', obj=1).obj)
e = ValueError('x')
e.add_note('n1')
e.add_note('n2')
print(e.__notes__)
try:
    e.add_note(5)
except TypeError as x:
    print(x)
#---- exception groups
def show(e, ind=0):
    print(' ' * ind + repr(e), e.args)
    if isinstance(e, BaseExceptionGroup):
        for x in e.exceptions:
            show(x, ind + 2)
try:
    try:
        raise ExceptionGroup('g', [ValueError(1), TypeError(2), ExceptionGroup('h', [ValueError(3), OSError(4)])])
    except* ValueError as e:
        print('VE')
        show(e)
    except* TypeError as e:
        print('TE')
        show(e)
        raise KeyError('new')
    else:
        print('else')
    finally:
        print('fin')
except BaseException as e:
    show(e)
    print(repr(e.__context__), repr(e.__cause__))
try:
    try:
        raise ValueError('naked')
    except* ValueError as e:
        show(e)
        raise
except BaseException as e:
    show(e)
eg = ExceptionGroup('m', [ValueError(1), KeyError(2), ExceptionGroup('n', [ValueError(3)])])
show(eg.subgroup(ValueError))
print(eg.split(KeyError))
print(eg.subgroup(lambda e: isinstance(e, KeyError)))
print(eg.derive([OSError()]), eg.message, eg.exceptions, str(eg))
for a in [('m',), ('m', []), ('m', [1]), (1, [ValueError()]), ('m', ValueError()), ('m', [BaseException()])]:
    try:
        print(ExceptionGroup(*a))
    except Exception as e:
        print(type(e).__name__, e)
print(repr(BaseExceptionGroup('m', [ValueError()])), repr(BaseExceptionGroup('m', [KeyboardInterrupt()])))
class MyG(ExceptionGroup):

    def derive(self, excs):
        return MyG(self.message + '!', excs)
show(MyG('q', [ValueError(1), KeyError(2)]).split(ValueError)[0])
try:
    try:
        raise ExceptionGroup('g', [ValueError(1), TypeError(2)])
    except* (ValueError, TypeError) as e:
        print(len(e.exceptions))
except Exception as e:
    print('left', e)
try:
    try:
        pass
    except* ExceptionGroup:
        pass
except TypeError as e:
    print(e)
try:
    try:
        raise ExceptionGroup('g', [ValueError()])
    except* ExceptionGroup:
        pass
except TypeError as e:
    print(e)
def f():
    try:
        raise ExceptionGroup('a', [ValueError(), OSError()])
    except* ValueError:
        print('v')
try:
    f()
except ExceptionGroup as e:
    print(repr(e))
#---- match
class Pt:
    __match_args__ = ('x', 'y')

    def __init__(s, x, y):
        s.x, s.y = (x, y)
class Bad:
    __match_args__ = 5
class Bad2:
    __match_args__ = (1,)
import enum
class Co(enum.Enum):
    R = 1
    G = 2
def m(v):
    match v:
        case 0 | 1 | -1:
            return 'small'
        case 1.5 | 2j | 1 + 2j:
            return 'num'
        case 'a' | b'b':
            return 'str'
        case None | True:
            return 'const'
        case Co.R:
            return 'enum'
        case []:
            return 'empty'
        case [x]:
            return ('one', x)
        case [1, *rest]:
            return ('1..', rest)
        case [x, y, *_, z] if x == y:
            return ('guard', x, z)
        case [a, [b, [c, *d]]]:
            return ('nest', a, b, c, d)
        case {'k': kk, **rest} if kk:
            return ('map', kk, rest)
        case {'x': 1, 'y': {'z': z}}:
            return ('deep', z)
        case {}:
            return 'anymap'
        case Pt(x=0, y=yy):
            return ('pt0', yy)
        case Pt(xx, Pt(a, b)):
            return ('ptpt', xx, a, b)
        case Pt(1 | 2 as q, y):
            return ('pt12', q, y)
        case int(n) if n > 100:
            return ('bigint', n)
        case str() as s:
            return ('s', s)
        case int() | float() as n:
            return ('n', n)
        case set() | frozenset():
            return 'set'
        case bytes():
            return 'bytes'
        case _:
            return 'other'
for v in [0, -1, 1.5, 2j, 1 + 2j, 'a', b'b', None, True, False, Co.R, Co.G, [], (), [5], (1, 2, 3), [7, 7, 8, 9], (1.5, [2, (3, 4, 5)]), {'k': 1, 'z': 2}, {'k': 0}, {'x': 1, 'y': {'z': 9}}, {}, Pt(0, 5), Pt(3, Pt(4, 5)), Pt(2, 0), Pt(9, 9), 1000, 50, 'zz', 3.5, {1}, b'zz', object, range(1), range(5), bytearray(b'ab'), 'ab', memoryview(b'a')]:
    print(repr(v) if not isinstance(v, Pt) and ' at 0x' not in repr(v) else 'Pt', m(v))
for C, n in ((Bad, 1), (Bad2, 1), (Pt, 3), (int, 2)):
    try:
        match C.__new__(C) if C is not int else 5:
            case C(a):
                print('ok')
            case _:
                print('no')
    except TypeError as e:
        print(e)
try:
    match Pt(1, 2):
        case Pt(1, 2, 3):
            pass
except TypeError as e:
    print(e)
try:
    match Pt(1, 2):
        case Pt(1, x=3):
            pass
except TypeError as e:
    print(e)
try:
    match 5:
        case Pt.__init__():
            pass
except TypeError as e:
    print(e)
match = 5
case = 6
_ = 7
type = 8
print(match, case, _, type)
match[0:1] if 0 else None
match (1, 2):
    case [a, b]:
        print(a, b)
match (1, 2):
    case [1, x] | [x, 1]:
        print(x)
match {'a': 1}:
    case {'a': int() as z}:
        print(z)
import collections
match collections.OrderedDict(a=1):
    case {'a': 1, **r}:
        print(r, r.__class__)
match collections.deque([1, 2]):
    case [1, 2]:
        print('deque')
match collections.defaultdict(int):
    case {'q': _}:
        print('bad')
    case _:
        print('nodefault')
#---- generators
def g():
    try:
        x = (yield 1)
        print('got', x)
        y = (yield from sub())
        print('sub ret', y)
        yield 3
    except GeneratorExit:
        print('GE')
        raise
    finally:
        print('fin')
def sub():
    try:
        z = (yield 2)
        print('z', z)
    except ValueError as e:
        print('VE', e)
        yield 'handled'
    return 'R'
i = g()
print(next(i), i.send('a'), i.throw(ValueError('t')), next(i))
i.close()
i = g()
next(i)
next(i)
i.close()
i = g()
try:
    i.send(1)
except TypeError as e:
    print(e)
try:
    i.throw(KeyError('k'))
except KeyError as e:
    print(repr(e))
print(list(i), i.gi_frame, i.gi_running, i.gi_yieldfrom)
def bad():
    try:
        yield 1
    except GeneratorExit:
        yield 2
b = bad()
next(b)
try:
    b.close()
except RuntimeError as e:
    print(e)
def si():
    raise StopIteration(5)
    yield
try:
    next(si())
except RuntimeError as e:
    print(e, repr(e.__cause__))
def rec():
    yield from i2
i2 = rec()
try:
    next(i2)
except ValueError as e:
    print(e)
def ret():
    return 5
    yield
try:
    next(ret())
except StopIteration as e:
    print(e.value)
print([*(x for x in range(3))])
def yf():
    r = (yield from [1, 2])
    print(r)
    yield from 5
try:
    list(yf())
except TypeError as e:
    print(e)
gen = (print('lazy', x) or x for x in [1, 2])
print('made')
print(next(gen), next(gen), next(gen, 'done'))
def outer():

    def inner():
        nonlocal v
        v += 1
        yield v
    v = 10
    yield from inner()
    yield v
print(list(outer()))
try:
    i.throw(5)
except TypeError as e:
    print(e)
try:
    g().throw(ValueError, 'msg')
except ValueError as e:
    print(repr(e))
print(type(g), type(g()), g.__name__, g().__name__, g().__qualname__)
