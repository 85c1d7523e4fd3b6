#---- generators_in_enumerate
def gen(n, log):
    for i in range(n):
        log.append(i)
        yield i * i
    log.append('over')
log = []
for i, x in enumerate(gen(4, log)):
    print(i, x)
print(log)
for i, x in enumerate(gen(3, log), 2 ** 47 - 2):
    print(i, x)
for i, x in enumerate(gen(2, log), 2 ** 70):
    print(i, x)
done = gen(1, log)
print(list(done))
for i, x in enumerate(done):
    print('never')
else:
    print('nothing', log[-1])
#---- generators_in_zip
def gen(name, n):
    for i in range(n):
        print('from', name, i)
        yield name * (i + 1)
    print('end of', name)
for a, b in zip(gen('a', 2), gen('b', 3)):
    print(a, b)
for a, b, c in zip([1, 2, 3], gen('c', 2), 'xyz'):
    print(a, b, c)
for a, b in zip(gen('d', 3), [1]):
    print(a, b)
print(a, b)
g = gen('e', 6)
for a, b in zip(g, g):
    print(a, b)
try:
    for a, b in zip(gen('f', 2), gen('g', 1), strict=True):
        print(a, b)
except ValueError as e:
    print(e)
for pair in zip(gen('h', 1), gen('i', 1)):
    print(pair)
for a, (b, c) in enumerate(zip(gen('j', 2), gen('k', 2))):
    print(a, b, c)
#---- generators_that_fail_in_parts
def bad(n):
    for i in range(n):
        yield i
    raise KeyError('bad')
def stops():
    yield 1
    raise StopIteration('not here')
def run(make):
    try:
        for a, b in make():
            print(a, b)
    except Exception as e:
        print(type(e).__name__, e, type(e.__cause__).__name__)
run(lambda: enumerate(bad(2)))
run(lambda: zip(bad(1), bad(2)))
run(lambda: zip('abc', stops()))
run(lambda: zip(stops(), 'abc'))
def caught():
    try:
        yield 1
        yield 2
    finally:
        print('closed')
for a, b in zip([1, 2, 3], caught()):
    print(a, b)
def inner():
    for i, x in enumerate(caught()):
        yield i, x
for i, x in inner():
    print(i, x)
#---- parts_asked_again_inside
pairs = None
def nosy():
    yield 0
    try:
        print(next(pairs))
    except ValueError as e:
        print(e)
    yield 1
pairs = zip('ab', nosy())
for a, b in pairs:
    print(a, b)
count = None
def greedy():
    yield 'x'
    yield 'y'
    yield 'z'
source = greedy()
for i, v in enumerate(source):
    print(i, v, next(source, 'no more'))
def deep(n):
    if n:
        for i, x in enumerate(deep(n - 1)):
            yield i, x
    else:
        yield 'bottom', 0
print(list(deep(5)))
#---- loops_over_range
for args in ((3,), (0,), (-2,), (1, 4), (4, 1), (4, 1, -1), (0, 10, 3), (10, 0, -4), (5, 5), (2 ** 47 - 3, 2 ** 47), (-2 ** 47, -2 ** 47 + 2), (2 ** 62, 2 ** 62 + 2)):
    out = []
    for i in range(*args):
        out.append(i)
    print(args, out)
out = []
for i in range(2 ** 47 - 2, 2 ** 47 + 2):
    out.append(i)
for i in range(True):
    out.append(i)
for i in range(0, -6, -2):
    out.append(i)
print(out, [j for j in range(1, 4)], [j for j in range(3, -1, -1)], {j: k for j in range(2) for k in range(j, 3)})
for bad in ((1, 2, 0), ('a',), (1.5,), (1, 2, 3, 4), ()):
    try:
        for i in range(*bad):
            pass
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
try:
    for i in range(1, 5, 0):
        pass
except ValueError as e:
    print(e)
class N:
    def __index__(self):
        return 2
for i in range(N()):
    print(i)
def range(n):
    return 'mine'
for i in range(3):
    print(i)
#---- tuples_of_constants
def f(x):
    return x in (1, 'two', None, 3.0), (1, 2), ((1, 2), (3,))
def g():
    return (1, 'a', None, True, -1, 2.5, b'c')
a, b, c = f('two')
print(a, b, c, g(), g() == g(), f(4)[0])
def h(x):
    t = (1, 2, 3) if x else (4, 5)
    for i in (1, 2):
        t += (i, 0)
    t2 = t
    t += (9,)
    return t, t2
print(h(0), h(1), h(0))
print([(1, 2) for _ in range(2)], {(0, 0): (1, 1)}, (1,) + (2,), *(3, 4))
#---- results_moved
def one():
    return 1
def fails():
    raise ValueError('in the call')
x = 'old'
try:
    x = fails()
except ValueError as e:
    print(x, e)
def local():
    y = 'old'
    try:
        y = fails()
    except ValueError:
        y += '!'
    z = y = one()
    def cell():
        nonlocal z
        z = one() + one()
        return z
    w = cell()
    return y, z, w
print(local())
class C:
    def __init__(self, n):
        self.n = n
    def up(self):
        self.n += 1
        return self
    def __bool__(self):
        return self.n > 1
c = C(0)
c = c.up()
c = c.up() if c.n == 1 else None
print(c.n, bool(c))
def recursive(n):
    r = 0 if n == 0 else recursive(n - 1)
    r = r + n
    return r
print(recursive(50))
def gen():
    x = yield one()
    y = one()
    yield x, y
g = gen()
print(next(g), g.send('sent'))
import traceback
def outer():
    v = fails()
    return v
try:
    outer()
except ValueError as e:
    print([(f.name, f.lineno) for f in traceback.extract_tb(e.__traceback__)][1:])
#---- spread_calls
def f(*args, **kw):
    return args, kw
def g(a, b=2, *rest, c=3):
    return a, b, rest, c
def h(a, b):
    return a + b
t = (1, 2)
l = [3, 4, 5]
print(f(*t), f(*l), f(*()), f(*t, *l), f(*t, 9), f(0, *t), f(*t, k=1), f(*'ab'), f(*range(3)), f(*{1: 2}))
print(g(*t), g(*l), g(*t, c=9), g(*(1,)), g(*l, *t), h(*t))
for args in ((1,), (1, 2, 3), ()):
    try:
        print(h(*args))
    except TypeError as e:
        print(e)
try:
    h(*5)
except TypeError as e:
    print(e)
class M:
    def m(self, *a):
        return self.n(*a)
    def n(self, a, b):
        return a, b
    def __call__(self, *a):
        return a
print(M().m(1, 2), M()(*t), max(*t), print(*t), (lambda *a: a)(*l), dict(*[[(1, 2)]]), M.n(*(0, 1, 2)))
def change(*a):
    l.clear()
    return a
print(change(*l), l)
def fwd(*a, **k):
    return g(*a, **k)
print(fwd(1), fwd(1, 2, 3, 4), fwd(1, c=4), fwd(*(5, 6), **{'c': 7}))
def gen(*a):
    yield from a
print(list(gen(*t)), list(gen()))
#---- kinds_of_exceptions
class Plain(Exception):
    pass
class Own(Exception):
    def __init__(self, n):
        self.n = n
class Super(Own):
    def __init__(self, n, m):
        super().__init__(n)
        self.m = m
class New(Exception):
    def __new__(cls, *a):
        self = super().__new__(cls, *a)
        self.made = a
        return self
class Slots(Exception):
    __slots__ = ('a',)
class Missing(KeyError):
    pass
class Sys(OSError):
    pass
for cls, args in ((Plain, ()), (Plain, (1, 2)), (Own, (1,)), (Super, (1, 2)), (New, (3,)), (Slots, (4,)), (Missing, ('k',)), (Sys, (2, 'no')), (StopIteration, (5,)), (SystemExit, (1,)), (OSError, (2, 'x')), (ValueError, ())):
    try:
        raise cls(*args)
    except BaseException as e:
        print(type(e).__name__, e.args, e, repr(e), {k: v for k, v in vars(e).items()}, isinstance(e, cls))
for cls in (Plain, New, Slots, Missing, KeyError, StopIteration):
    try:
        raise cls
    except Exception as e:
        print(repr(e), e.args)
for bad in (lambda: Own(), lambda: Super(1), lambda: Plain(k=1), lambda: ValueError(a=2)):
    try:
        bad()
    except TypeError as e:
        print(e)
print(ImportError('m', name='n').name, Plain('x').with_traceback(None), type(Sys(2, 'no')) is Sys)
class Meta(type):
    def __call__(cls, *a):
        return super().__call__('meta', *a)
class Called(Exception, metaclass=Meta):
    pass
print(Called(1).args)
Plain.__init__ = lambda self, *a: setattr(self, 'late', a)
print(Plain(7).late, Plain(8).args)
def handled(e):
    try:
        raise e
    except (TypeError, KeyError):
        return 'first'
    except Exception:
        return 'other'
print(handled(KeyError()), handled(Missing()), handled(TypeError()), handled(ValueError()))
#---- attributes_by_name
class A:
    cls = 'class'
    def __init__(self):
        self.x = 1
    @property
    def p(self):
        return 'property'
    @p.setter
    def p(self, v):
        self.kept = v
    def m(self):
        return self.x
class G(A):
    def __getattr__(self, name):
        return 'hook ' + name
class S(A):
    def __setattr__(self, name, v):
        object.__setattr__(self, name, ('set', v))
class L:
    __slots__ = ('a', 'b')
a, g, s, l = A(), G(), S(), L()
print(getattr(a, 'x'), getattr(a, 'p'), getattr(a, 'm')(), getattr(a, 'cls'), getattr(g, 'zz'), getattr(s, 'x'))
for o, name in ((a, 'zz'), (l, 'a'), (l, 'zz'), (1, 'zz')):
    try:
        getattr(o, name)
    except AttributeError as e:
        print(e)
    print(getattr(o, name, 'default'), hasattr(o, name))
setattr(a, 'x', 5)
setattr(a, 'p', 6)
setattr(a, 'new', 7)
setattr(a, 'cls', 8)
setattr(s, 'x', 9)
setattr(l, 'a', 10)
print(a.x, a.kept, a.new, a.cls, A.cls, s.x, l.a, getattr(a, ''.join(['n', 'ew'])), vars(a))
del a.x
setattr(a, 'x', 11)
print(getattr(a, 'x'), list(vars(a)))
A.x = property(lambda self: 'shadow')
print(getattr(a, 'x'))
try:
    setattr(a, 'x', 1)
except AttributeError as e:
    print('refused')
print(type(a) is A, type(type(a)), type(1), type(None), type(print), type(A.m), type(a.m))
T = type('T', (A,), {'k': 1})
print(T.__name__, T().k)
#---- lists_and_tuples_contain
nan = float('nan')
class E:
    def __init__(self, v):
        self.v = v
    def __eq__(self, o):
        print('eq', self.v)
        return self.v == o
for box in ([1, 'a', None, nan, (1, 2)], (1, 'a', None, nan, (1, 2)), [], ()):
    print([x in box for x in (1, 1.0, True, 'a', 'b', None, nan, (1, 2), [1])], 2 not in box)
print(3 in [E(1), E(3), E(4)], E(5) in (4, 5, 6))
class B(list):
    def __contains__(self, x):
        return 'mine' == x
print('mine' in B(), 1 in B([1]))
for i in (1, 2, 3):
    for j in (4, 5):
        print(i, j, end=' ')
print()
it = iter((1, 2, 3))
for x in it:
    print(x, next(it, None))
for x in it:
    print('never')
