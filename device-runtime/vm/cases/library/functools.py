#---- partial
from functools import partial


def f(a, b, c=3, *args, **kw):
    return (a, b, c, args, kw)


p = partial(f, 1)
print(p(2), p(2, 3, 4, x=5), partial(p, 9)(10), partial(f, b=2)(1), partial(f, 1, c=7)(5, c=8))
print(p.func is f, p.args, p.keywords, partial(p, 2).args, repr(partial(max, 1, key=2)))
print(partial(int, base=2)('101'), list(map(partial(pow, 2), range(4))))
for g in (lambda: partial(), lambda: partial(5), lambda: p()):
    try:
        g()
    except TypeError as e:
        print(e)
p.note = 'x'
print(p.note, p.__dict__)


class M:
    from functools import partialmethod

    def set(self, a, b):
        return (a, b)

    one = partialmethod(set, 1)
    two = partialmethod(set, b=2)


print(M().one(5), M().two(3))
#---- reduce_cmp
from functools import reduce, cmp_to_key
print(reduce(lambda a, b: a + b, [1, 2, 3]), reduce(lambda a, b: a * b, [], 7), reduce(max, [3, 9, 2]), reduce(lambda a, b: a + b, 'abc', '>'))
print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)), sorted(['bb', 'a'], key=cmp_to_key(lambda a, b: len(a) - len(b))))
k = cmp_to_key(lambda a, b: a - b)
print(k(1) < k(2), k(1) == k(1), k(3).obj, max([5, 2], key=k))
for g in (lambda: reduce(max, []), lambda: reduce(max, 5), lambda: reduce(max), lambda: cmp_to_key(), lambda: k(1) < 5):
    try:
        g()
    except TypeError as e:
        print(e)
#---- lru
from functools import lru_cache, cache

calls = []


@lru_cache(maxsize=2)
def sq(x):
    calls.append(x)
    return x * x


print([sq(v) for v in (1, 2, 1, 3, 2, 1)], calls, sq.cache_info(), sq.__name__, sq.__wrapped__(9))
sq.cache_clear()
print(sq.cache_info(), sq.cache_parameters())


@cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(80), fib.cache_info())


@lru_cache(maxsize=None, typed=True)
def t(*a, **k):
    return (a, k)


t(1)
t(1.0)
t(x=1)
t(x=1)
print(t.cache_info())


@lru_cache
def plain(a, b=2):
    return a + b


print(plain(1), plain(1, 2), plain(1, b=2), plain.cache_info().misses)


@lru_cache(maxsize=0)
def none(x):
    return x


none(1)
none(1)
print(none.cache_info())


class C:
    @lru_cache
    def m(self, x):
        return (x, 'm')


c = C()
print(c.m(1), c.m(1), C.m.cache_info().hits)
for g in (lambda: plain([1]), lambda: lru_cache('x')):
    try:
        g()
    except TypeError as e:
        print(e)
#---- wraps
from functools import wraps, update_wrapper, cached_property, total_ordering


def deco(f):
    @wraps(f)
    def inner(*a, **k):
        """inner doc"""
        return ('wrapped', f(*a, **k))
    return inner


@deco
def greet(name: str) -> str:
    """says hello"""
    return 'hello ' + name


greet.attr = 5
print(greet('bob'), greet.__name__, greet.__doc__, greet.__wrapped__('al'), greet.__qualname__, greet.__annotations__)


class P:
    def __init__(self):
        self.n = 0

    @cached_property
    def value(self):
        """doc of value"""
        self.n += 1
        return self.n


p = P()
print(p.value, p.value, p.n, p.__dict__, P.value.__doc__)
del p.value
print(p.value)


@total_ordering
class V:
    def __init__(self, n):
        self.n = n

    def __eq__(self, o):
        return self.n == o.n

    def __lt__(self, o):
        return self.n < o.n


a, b = V(1), V(2)
print(a < b, a <= b, a > b, a >= b, a >= V(1), a <= V(1))
try:
    @total_ordering
    class Bad:
        pass
except ValueError as e:
    print(e)
#---- singledispatch
from functools import singledispatch, singledispatchmethod


@singledispatch
def show(x):
    return 'object'


@show.register
def _(x: int):
    return 'int'


@show.register(list)
def _(x):
    return 'list'


@show.register(float)
@show.register(complex)
def _(x):
    return 'num'


print(show(1), show(True), show([]), show(1.5), show('s'), show(None), show.dispatch(bool) is show.dispatch(int))


class N:
    @singledispatchmethod
    def neg(self, arg):
        raise NotImplementedError('no')

    @neg.register
    def _(self, arg: int):
        return -arg

    @neg.register
    def _(self, arg: bool):
        return not arg


print(N().neg(5), N().neg(True))
try:
    N().neg('x')
except NotImplementedError as e:
    print(e)
try:
    show()
except TypeError as e:
    print(e)


class A:
    pass


class B(A):
    pass


@show.register(A)
def _(x):
    return 'A'


print(show(B()), sorted(c.__name__ for c in show.registry))
#---- keys have no hash
from functools import cmp_to_key
k = cmp_to_key(lambda a, b: a - b)
try:
    hash(k(1))
except TypeError as e:
    print(e)
print(k(1) == k(1), k(1) < k(2), k(1).obj)
#---- functools, modules
import functools
from functools import *
@lru_cache(maxsize=2)
def f(x, *, y=0):
    """doc"""
    print('call', x)
    return x
print(f(1), f(1), f(2), f(3), f(1), f.cache_info(), f.cache_parameters(), f.__name__, f.__doc__, f.__wrapped__.__name__)
f.cache_clear()
print(f.cache_info())
@lru_cache
def g(x):
    return x
print(g(1), g(1.0), g.cache_info())
@lru_cache(typed=True)
def g(x):
    return x
print(g(1), g(1.0), g.cache_info())
@cache
def h(n):
    return n if n < 2 else h(n - 1) + h(n - 2)
print(h(80), h.cache_info())
try:
    lru_cache(maxsize='a')
except TypeError as e:
    print(e)
try:
    f([])
except TypeError as e:
    print(e)
p = partial(pow, 2)
print(p(3), p.func, p.args, p.keywords, repr(p))
p2 = partial(p, 5, mod=7)
print(p2.args, p2.keywords, p2())
print(repr(partial(print, 1, a=2))[:40])
p.x = 3
print(p.x, p.__dict__)
try:
    partial()
except TypeError as e:
    print(e)
try:
    partial(5)
except TypeError as e:
    print(e)
print(reduce(lambda a, b: a + b, [1, 2, 3]), reduce(lambda a, b: a, [], 5))
for a in ((lambda a, b: a, []), (1, [1, 2]), (1,), (lambda a: 1, 5)):
    try:
        print(reduce(*a))
    except TypeError as e:
        print(e)
@total_ordering
class T:

    def __init__(s, v):
        s.v = v

    def __eq__(s, o):
        return s.v == o.v

    def __lt__(s, o):
        return s.v < o.v
print(T(1) <= T(2), T(1) > T(2), T(1) >= T(1))
try:

    @total_ordering
    class U:
        pass
except ValueError as e:
    print(e)
@singledispatch
def sd(a):
    return 'base'
@sd.register
def _(a: int):
    return 'int'
@sd.register(str)
@sd.register(list)
def _(a):
    return 'str/list'
@sd.register
def _(a: float | complex):
    return 'fc'
import collections.abc
@sd.register(collections.abc.Mapping)
def _(a):
    return 'mapping'
print(sd(1), sd(True), sd('a'), sd([]), sd(1.5), sd(1j), sd({}), sd(None), sd.dispatch(bool).__name__, sorted(map(str, sd.registry)))
try:
    sd()
except TypeError as e:
    print(e)
class SM:

    @singledispatchmethod
    def m(self, a):
        return 'base'

    @m.register
    def _(self, a: int):
        return 'int'

    @singledispatchmethod
    @classmethod
    def c(cls, a):
        return 'cb'

    @c.register
    @classmethod
    def _(cls, a: str):
        return 'cs'
print(SM().m(1), SM().m('a'), SM.c('a'), SM().c(1))
class CP:

    @cached_property
    def x(self):
        """dx"""
        print('computing')
        return 5
c = CP()
print(c.x, c.x, c.__dict__)
del c.x
print(c.x, CP.x.__doc__, CP.x.attrname)
try:
    del c.y
except AttributeError as e:
    print(e)
class PM:

    def f(self, a, b=2):
        return (a, b)
    g = partialmethod(f, 5)
    h = partialmethod(f, b=7)
print(PM().g(), PM().h(1), repr(PM.__dict__['g'])[:30])
def w(f):

    @wraps(f)
    def inner(*a):
        """inner"""
        return f(*a)
    return inner
@w
def doc(a: int) -> str:
    """DOC"""
doc.q = 1
print(doc.__name__, doc.__doc__, doc.__wrapped__.__name__, doc.__annotations__, doc.__qualname__, doc.__module__, WRAPPER_ASSIGNMENTS, WRAPPER_UPDATES)
k = cmp_to_key(lambda a, b: b - a)
print(sorted([1, 3, 2], key=k), k(1) < k(2), k(1) == k(1))
try:
    k(1) < 5
except TypeError as e:
    print(e)
