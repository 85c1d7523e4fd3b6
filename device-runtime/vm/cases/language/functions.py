#---- argument errors
def f(a, b, c=3): pass
def g(*, k): pass
def h(a, /, b): pass
def k(): pass
def m(a, b=2, *, c, d=4): pass
class A:
    def meth(self, x): pass
for call in (lambda: f(), lambda: f(1), lambda: f(1, 2, 3, 4), lambda: f(1, 2, z=3), lambda: f(1, a=2), lambda: g(), lambda: g(1), lambda: g(1, k=2),
             lambda: h(a=1, b=2), lambda: h(1), lambda: k(1), lambda: k(x=1), lambda: m(), lambda: m(1), lambda: m(1, 2, 3), lambda: m(1, 2, 3, c=1), lambda: A().meth(), lambda: A().meth(1, 2), lambda: A.meth(),
             lambda: f(*[1, 2, 3, 4]), lambda: f(**{'a': 1, 'q': 2}), lambda: f(1, **{'a': 1}), lambda: f(*3), lambda: f(**3), lambda: f(**{1: 2}), lambda: f(a=1, **{'a': 2}), lambda: (lambda x: x)(), lambda: 3(), lambda: None()):
    try: call()
    except TypeError as e: print(e)
#---- defaults evaluated once
def f(x, acc=[]):
    acc.append(x)
    return acc
print(f(1), f(2), f.__defaults__)
def g(*, k={}): return k
g()['a'] = 1
print(g(), g.__kwdefaults__)
#---- annotations
def f(a: int, /, b: 'str' = 'x', *args: float, k: list = None, **kw: dict) -> bool: pass
print(f.__annotations__)
x: int = 3
y: 'undefined thing'
print(__annotations__)
class A:
    p: int
    q: str = 'd'
    (r): int = 3
print(A.__annotations__, hasattr(A, 'p'), A.q)
def g():
    z: not_evaluated
    z2: also_not = 4
    return z2
print(g(), g.__annotations__)
#---- future annotations
from __future__ import annotations
def f(a: undefined, b: list[int | None]) -> 'x': pass
print(f.__annotations__)
class A:
    x: undefined.thing
print(A.__annotations__)
#---- decorators
log = []
def dec(name):
    log.append('make ' + name)
    def wrap(fn):
        log.append('apply ' + name)
        return fn
    return wrap
@dec('a')
@dec('b')
def f(): pass
@dec('c')
class C: pass
print(log)
ops = [lambda f: f]
@ops[0]
def g(): return 'g'
@(lambda f: lambda: f() + '!')
def h(): return 'h'
print(g(), h())
#---- closures
def counter():
    n = 0
    def inc(by=1):
        nonlocal n
        n += by
        return n
    return inc
a, b = counter(), counter()
print(a(), a(5), b())
fs = [lambda: i for i in range(3)]
print([f() for f in fs])
fs = [lambda i=i: i for i in range(3)]
print([f() for f in fs])
def deep():
    x = 1
    def a():
        def b():
            def c():
                nonlocal x
                x += 1
                return x
            return c()
        return b()
    return a(), x
print(deep())
#---- global
x = 1
def f():
    global x, y
    x += 1
    y = 'new'
f()
print(x, y)
class A:
    global z
    z = 5
    w = z
print(z, A.w, hasattr(A, 'z'))
#---- class scope
x = 'module'
class A:
    x = 'class'
    def f(self): return x
    y = [x for _ in range(1)]
    z = [q for q in x]
    w = (lambda: x)()
print(A().f(), A.y, A.z, A.w)
class B:
    x = x + '!'
    print(x)
    del x
    print(x)
def f():
    x = 'local'
    class C:
        y = x
        x = 'own' if False else 'c'
    return C.y
try: print(f())
except NameError as e: print(e)
def g():
    v = 'enclosing'
    class D: w = v
    return D.w
print(g())
#---- class cell
class A:
    def f(self): return __class__
    def g(self): return [__class__ for _ in range(1)], (lambda: __class__)()
    @staticmethod
    def s(): return __class__.__name__
print(A().f() is A, A().g() == ([A], A), A.s())
class P:
    def who(self): return 'P'
class Q(P):
    def who(self):
        def inner(): return super(Q, self).who()
        return 'Q' + super().who() + inner()
print(Q().who())
def deco(f):
    def w(*a): return f(*a)
    return w
class R(P):
    @deco
    def who(self): return 'R' + super().who()
print(R().who())
#---- comprehensions
x = 'outer'
print([x for x in range(3)], x)
print({x: y for x, y in zip('ab', range(2))}, {x % 2 for x in range(5)})
print([(i, j) for i in range(3) if i for j in range(i) if j != 1])
print([[j for j in range(i)] for i in range(3)])
print([y := 5, y ** 2], [last := i for i in range(3)], last)
def f(n): return [f2 for f2 in [g(n) for g in (abs, str)]]
print(f(-3))
fs = [lambda: x for x in range(3)]
print([g() for g in fs])
try: [1 for _ in 3]
except TypeError as e: print(e)
#---- walrus
if (n := len('abc')) > 2: print(n)
while (k := n) > 1: n -= 1
print(k, n)
def f(x): return x
print(f(z := 3), z, [w := 1, w + 1])
print(any((hit := x) > 2 for x in [1, 3, 5]), hit)
#---- star assignment
a, *b, c = range(5)
print(a, b, c)
*a, = 'xyz'
print(a)
[a, [b, *c], d] = 1, (2, 3, 4), 5
print(a, b, c, d)
(a, b), c = [1, 2], 3
print(a, b, c)
for i, (j, *k) in [(1, (2, 3, 4)), (5, [6])]: print(i, j, k)
a = b = [1]
a.append(2); print(b)
i = 0
l = [5, 6]
i, l[i] = 1, 'x'
print(i, l)
for bad in ('a, b = 1', ):
    pass
def t(f):
    try: f()
    except (TypeError, ValueError) as e: print(type(e).__name__, e)
def u1(): a, b = 1
def u2(): a, b = 1, 2, 3
def u3(): a, b = [1]
def u4(): a, *b, c = [1]
def u5(): a, b = {1, 2, 3}
def u6(): a, b = iter([1])
def u7(): a, b, *c = 'x'
for u in (u1, u2, u3, u4, u5, u6, u7): t(u)
#---- star displays
print([*range(3), *'ab'], (*[1], 2), {*[1, 1], 2}, {**{'a': 1}, 'b': 2, **{'a': 3}})
def f(*a, **k): return a, k
print(f(*[1], 2, *[3], x=1, **{'y': 2}, z=3))
print(f(*'ab', **dict(c=1)))
def r(): return 1, *[2, 3]
print(r())
#---- del
a = [1, 2, 3, 4]
del a[0], a[1:2]
print(a)
class O: pass
o = O(); o.x = o.y = 1
del o.x, (o.y)
print(o.__dict__)
x, y = 1, 2
del (x, [y])
try: x
except NameError as e: print(e)
def f():
    v = 1
    def g():
        nonlocal v
        del v
    g()
    try: return v
    except NameError as e: return str(e)
print(f())
#---- name mangling
class A:
    __x = 1
    def __m(self): return self.__x
    def f(self): return self.__m()
    def g(self, __p=2): return __p
    class __In: pass
a = A()
print(a.f(), a._A__x, a.g(), sorted(n for n in dir(A) if n.startswith('_A')))
class _B:
    __y = 5
    __z__ = 6
print(_B._B__y, _B.__z__)
#---- augmented
class V:
    def __init__(self, v): self.v = v
    def __iadd__(self, o):
        self.v += o
        return self
    def __add__(self, o): return 'added'
v = w = V(1)
v += 5
print(v is w, v.v, v + 1)
d = {'k': [1]}
def key():
    print('key')
    return 'k'
d[key()] += [2]
print(d)
t = ([1],)
try: t[0] += [2]
except TypeError as e: print(e, t)
x = 5
x <<= 2; x |= 1; x %= 8; x **= 2; x //= 2; x ^= 3; x -= 1; x >>= 1; x &= 6
print(x)
#---- conditional chains
def f(a, b, c): return a < b < c, a == b != c, a in b if isinstance(b, list) else None
print(f(1, 2, 3), f(1, 1, 2), not 1 < 2 > 1)
def side(x):
    print('side', x)
    return x
print(side(1) < side(3) < side(2) < side(9))
print(1 and 0 or 2, None or [] or 'x', 1 and 2 and 3, not None, 0 or None)
print('a' if 0 else 'b' if 1 else 'c')
#---- loops with else
for i in range(3):
    if i == 5: break
else: print('no break')
while True: break
else: print('never')
for i in []: pass
else: print('empty')
n = 3
while n: n -= 1
else: print('done', n)
#---- docstrings
"""not a docstring, an expression"""
def f():
    'doc f'
    return f.__doc__
class A:
    """doc A"""
    def m(self): "doc m"
print(f(), A.__doc__, A.m.__doc__, (lambda: 0).__doc__)
def g():
    f'not {1}'
print(g.__doc__)
#---- long expressions
x = (1 +
     2
     + 3)
y = 1 + \
    2
s = 'a' "b" \
    'c'
print(x, y, s, [1,
  2,
], {'a':
   1})
if x: y = 2; z = 3
print(y, z)
#---- numbers
print(0x_ff, 0b1_0, 0o17, 1_000_000, 1e3, 1_0.5e-1_0, .5, 5., 0xFFFFFFFFFFFFFFFFFF, 00, 1if 1else 2)
#---- strings
print('\x41\u00e9\U0001F600\101\n'.encode(), r'\n', b'\x00\xff', 'a\
b', """x
y""", u'u', Rb'\d', '\q' if False else 'q')
#---- lambda forms
print((lambda: 1)(), (lambda *a, **k: (a, k))(1, x=2), (lambda a, /, b=2, *, c: (a, b, c))(1, c=3), (lambda x: (yield))(1).__class__.__name__)
#---- unicode names
é = 1
变量 = 2
print(é + 变量)
def ñ(ß): return ß
print(ñ(3))
#---- code of another function
def f(a, b=2):
    "doc of f"
    return a + b
def g(a, b=3): return a * b
def h(*rest, **more): return rest, more
print(f(5), f.__code__ is f.__code__, f.__code__ == g.__code__)
f.__code__ = g.__code__
print(f(5), f.__name__, f.__qualname__, f.__doc__, f.__defaults__, f.__code__ is g.__code__, f.__code__.co_name)
def k(*rest, **more): return more, rest
h.__code__ = k.__code__
print(h(1, 2, z=3))
def outer():
    n = 1
    def inner(): return n
    return inner
for code in (5, outer().__code__):
    try:
        f.__code__ = code
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
class C:
    def __init__(self, a): self.a = a
print(C(1).a)
def other(self, b): self.a = b, 7
C.__init__.__code__ = other.__code__
print(C(1).a, C(b=2).a)
#---- made by types.FunctionType
import types
def f(a, b=2): return a + b
g = types.FunctionType(f.__code__, globals(), 'g', (10,))
print(g(1), g.__name__, g.__defaults__, f(1))
def outer(n):
    def middle():
        m = 5
        def inner(): return n, m
        return inner
    return middle()
h = outer(1)
k = types.FunctionType(h.__code__, globals(), None, None, h.__closure__)
print(k(), k.__name__)
for rest in ((5, {}), (f.__code__, 5), (f.__code__, globals(), 5), (f.__code__, globals(), None, 5), (h.__code__, globals()),
             (h.__code__, globals(), None, None, ()), (h.__code__, globals(), None, None, (1, 2)), (f.__code__, globals(), None, None, (types.CellType(1),))):
    try:
        types.FunctionType(*rest)
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
