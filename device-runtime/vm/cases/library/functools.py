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
#---- one call after another
import functools, operator
from functools import *
@lru_cache
def f1(x): return x*2
@lru_cache(maxsize=2)
def f2(x,y=1): return (x,y)
@lru_cache(maxsize=None,typed=True)
def f3(x): return x
@cache
def f4(n): return n if n<2 else f4(n-1)+f4(n-2)
class LC:
    n=0
    @lru_cache(maxsize=None)
    def m(s,x): LC.n+=1; return x
    @cached_property
    def cp(s): 
        "doc"
        LC.n+=1; return LC.n
@total_ordering
class TO:
    def __init__(s,v): s.v=v
    def __lt__(s,o): return s.v<o.v if isinstance(o,TO) else NotImplemented
    def __eq__(s,o): return s.v==o.v if isinstance(o,TO) else NotImplemented
@singledispatch
def sd(x,*a): return 'obj'
@sd.register
def _(x:int,*a): return 'int'
@sd.register(str)
def _(x,*a): return 'str'
@sd.register
def sdl(x:list): return 'list'
class SDM:
    @singledispatchmethod
    def m(s,x): return 'o'
    @m.register
    def _(s,x:int): return 'i'
    @m.register(str)
    @classmethod
    def _(cls,x): return cls.__name__
class PMc:
    def f(s,a,b=2,**k): return (a,b,k)
    g=partialmethod(f,1)
    h=partialmethod(f,b=5)
    st=partialmethod(print)
def deco(f):
    @wraps(f)
    def w(*a): "wdoc"; return f(*a)
    return w
@deco
def wf(a:int)->str: "docs"; return a
o=LC(); o2=LC()
class Sl:
    __slots__=()
    cp=cached_property(lambda s:1)
def badcp():
    class A:
        a=b=cached_property(lambda s:1)
p=partial(int,base=2)
def setpf():
    p.foo=5; return p.__dict__, p.foo
def setpf2():
    p.func=5
class SP(partial): pass
@lru_cache(maxsize=3)
def lc(x):
    if x==0: raise ValueError('z')
    return x
def many():
    r=[]
    for x in [1,2,3,1,4,2,5,1,3]:
        lc(x); r.append(tuple(lc.cache_info()))
    return r
def many2():
    try: lc(0)
    except ValueError: pass
    try: lc(0)
    except ValueError: pass
    return lc.cache_info()
@lru_cache
def rec(n): return rec(n-1)+1 if n else 0
class Hs:
    def __init__(s,v): s.v=v
    def __hash__(s): return 1
    def __eq__(s,o): return s.v==o.v
    def __repr__(s): return 'Hs%d'%s.v
@lru_cache(maxsize=2)
def hf(a): return a
class KM:
    @lru_cache()
    def a(self): return 1
    @staticmethod
    @cache
    def b(x): return x
    @classmethod
    @cache
    def c(cls,x): return cls,x
    @property
    @cache
    def d(self): return 5

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
t(lambda: f1(2))
t(lambda: f1(2))
t(lambda: f1.cache_info())
t(lambda: f1.cache_parameters())
t(lambda: f1.__name__)
t(lambda: f1.__wrapped__(3))
t(lambda: repr(f1.cache_info()))
t(lambda: f1.cache_info().hits)
t(lambda: f1.cache_info()._fields if hasattr(f1.cache_info(),'_fields') else 0)
t(lambda: f1.cache_clear())
t(lambda: f1.cache_info())
each(f2, [1], [2], [3], [1], [1, 1])
t(lambda: f2(x=1))
t(lambda: f2.cache_info())
t(lambda: f2.cache_parameters())
each(f3, [1], [1.0], [True])
t(lambda: f3.cache_info())
t(lambda: f4(50))
t(lambda: f4.cache_info())
t(lambda: f4.cache_parameters())
each(f1, [[1]], [], [1, 2])
t(lambda: lru_cache(maxsize='a'))
t(lambda: lru_cache(5)(len)('abc'))
t(lambda: lru_cache(maxsize=-5)(len).cache_info())
t(lambda: lru_cache(0)(len).cache_info())
t(lambda: lru_cache(maxsize=-1)(lambda x:x).cache_parameters())
t(lambda: type(f1))
t(lambda: isinstance(f1, type(f4)))
t(lambda: callable(f1))
t(lambda: f1.__doc__)
t(lambda: f1.__module__)
t(lambda: f1.__qualname__)
t(lambda: o.m(1))
t(lambda: o.m(1))
t(lambda: o2.m(1))
t(lambda: LC.n)
t(lambda: o.cp)
t(lambda: o.cp)
t(lambda: o.__dict__)
t(lambda: LC.cp.__doc__)
t(lambda: LC.m.cache_info())
t(lambda: LC.cp.attrname)
t(lambda: type(LC.cp))
t(lambda: cached_property(lambda s:1).__get__(o,LC))
t(lambda: Sl().cp)
t(lambda: badcp())
t(lambda: reduce(operator.add,[1,2,3]))
t(lambda: reduce(operator.add,[],5))
t(lambda: reduce(lambda a,b:a*b,[1,2],10))
t(lambda: reduce(operator.add,'abc'))
t(lambda: reduce(5,[1]))
t(lambda: reduce(operator.add,iter([4])))
t(lambda: reduce(operator.add,[]))
t(lambda: reduce(operator.add,5))
t(lambda: reduce(5,[1,2]))
t(lambda: reduce(operator.add))
t(lambda: reduce(function=operator.add,iterable=[1]))
t(lambda: p('101'))
t(lambda: p.func)
t(lambda: p.args)
t(lambda: p.keywords)
t(lambda: repr(p))
t(lambda: partial(print,1,2,sep='-'))
t(lambda: partial(partial(pow,2),3)())
t(lambda: partial(partial(pow,2),3).args)
t(lambda: partial(max)(1,2))
t(lambda: p('12',base=3))
t(lambda: type(p))
t(lambda: partial.__name__)
t(lambda: partial.__module__)
t(lambda: partial())
t(lambda: partial(5))
t(lambda: partial(func=int))
t(lambda: partial(int)(1,2,3))
t(lambda: p.foo)
t(lambda: setpf())
t(lambda: setpf2())
t(lambda: SP(int,'5')())
t(lambda: repr(SP(int,'5')))
t(lambda: partial[int])
t(lambda: TO(1)<=TO(2))
t(lambda: TO(1)>TO(2))
t(lambda: TO(1)>=TO(1))
t(lambda: TO(1)!=TO(2))
t(lambda: sorted([TO(2),TO(1)])[0].v)
t(lambda: max(TO(1),TO(3)).v)
t(lambda: TO.__ge__.__name__)
t(lambda: TO.__ge__.__doc__)
t(lambda: TO(1)<=5)
t(lambda: TO(1)>5)
t(lambda: total_ordering(type('X',(),{})))
each(sd, [1], ['a'], [[]], [1.5], [True], [None])
t(lambda: sd.dispatch(int)(1))
t(lambda: sorted(c.__name__ for c in sd.registry))
t(lambda: sd.registry[str]('q'))
t(lambda: sd.__name__)
t(lambda: type(sd.registry))
t(lambda: sd.dispatch(dict)({}))
t(lambda: sdl([1]))
t(lambda: sd())
t(lambda: sd.register('a'))
t(lambda: sd.register(5,lambda x:1))
t(lambda: SDM().m(1))
t(lambda: SDM().m('a'))
t(lambda: SDM().m(1.5))
t(lambda: SDM.m('a') if 0 else 0)
t(lambda: singledispatchmethod(5))
t(lambda: PMc().g())
t(lambda: PMc().g(3))
t(lambda: PMc().g(b=9,z=1))
t(lambda: PMc().h(7))
t(lambda: partialmethod(5))
t(lambda: wf.__name__)
t(lambda: wf.__doc__)
t(lambda: wf.__wrapped__.__name__)
t(lambda: wf.__annotations__)
t(lambda: wf.__module__)
t(lambda: wf.__qualname__)
t(lambda: WRAPPER_ASSIGNMENTS)
t(lambda: WRAPPER_UPDATES)
t(lambda: update_wrapper(lambda:1,len).__name__)
t(lambda: update_wrapper(lambda:1,5) is not None)
t(lambda: update_wrapper(partial(int),f1).__name__)
t(lambda: sorted([3,1,2],key=cmp_to_key(lambda a,b:b-a)))
t(lambda: cmp_to_key(lambda a,b:0)(1)==cmp_to_key(lambda a,b:0)(2))
t(lambda: repr(type(cmp_to_key(lambda a,b:0)(1))))
t(lambda: K if 0 else cmp_to_key(lambda a,b:a-b)(1)<cmp_to_key(lambda a,b:a-b)(2))
t(lambda: cmp_to_key(mycmp=lambda a,b:1)(5).obj)
t(lambda: cmp_to_key())
t(lambda: cmp_to_key(lambda a,b:0)(1)<5)
t(lambda: cmp_to_key(lambda a,b:1/0)(1)<cmp_to_key(lambda a,b:1/0)(1))
t(lambda: functools.__all__)
t(lambda: lru_cache(maxsize=3)(lambda **k:k)(a=1,b=2))
t(lambda: many())
t(lambda: many2())
t(lambda: rec(200))
t(lambda: rec.cache_info())
t(lambda: hf(Hs(1)))
t(lambda: hf(Hs(2)))
t(lambda: hf(Hs(1)))
t(lambda: hf(Hs(3)))
t(lambda: hf.cache_info())
t(lambda: KM().a())
t(lambda: KM.b(1))
t(lambda: KM().b(1))
t(lambda: KM.c(1))
t(lambda: KM().d)
t(lambda: KM.b.cache_info())
t(lambda: KM.c.__func__.cache_info() if hasattr(KM.c,'__func__') else 0)
t(lambda: KM.a.__name__)
t(lambda: type(KM().a).__name__)
