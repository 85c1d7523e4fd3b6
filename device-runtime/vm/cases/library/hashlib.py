#---- json
import json
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__, e)
t(json.dumps, {'a': [1, 2.5, None, True, 'é\n"\\\x00\u2028😀'], 'b': {}})
t(json.dumps, {'b': 1, 'a': 2}, sort_keys=True, indent=2)
t(json.dumps, [1, [2, []], {}], indent=1)
t(json.dumps, [1, 2], indent='--')
t(json.dumps, [1, {'a': 2}], separators=(',', ':'))
t(json.dumps, [1, {'a': 2}], indent=0)
t(json.dumps, 'é', ensure_ascii=False)
t(json.dumps, float('nan'))
t(json.dumps, float('inf'), allow_nan=False)
t(json.dumps, {1: 2, None: 3, True: 4, 1.5: 6, 'x': 7})
t(json.dumps, {(1, 2): 3})
t(json.dumps, {(1, 2): 3, 'a': 1}, skipkeys=True)
t(json.dumps, {1, 2})
t(json.dumps, object)
t(json.dumps, 1j, default=lambda o: str(o))
t(json.dumps, {1, 2}, default=list)
t(json.dumps, [1], cls=json.JSONEncoder)
t(json.dumps, (1, (2,)))
t(json.dumps, 10 ** 30)
t(json.dumps, 1e+100)
t(json.dumps, -0.0)
t(json.dumps, b'x')
t(json.dumps, {'a': 1, 2: 3}, sort_keys=True)
a = []
a.append(a)
t(json.dumps, a)
t(json.dumps, a, check_circular=True)
d = {}
d['x'] = d
t(json.dumps, d)
class E(json.JSONEncoder):

    def default(self, o):
        if isinstance(o, complex):
            return [o.real, o.imag]
        return super().default(o)
t(json.dumps, {'z': 1j}, cls=E)
t(json.dumps, {'z': {1}}, cls=E)
print(list(E(indent=1).iterencode([1j, 2])))
print(E().encode('x'))
for s in ['', '{', '[1,]', '{"a":}', '{"a" 1}', '{a:1}', '[1 2]', '"abc', '"\\x"', '"\\u12"', '"\n"', '01', '1.', '-', '.5', '1e', 'nul', 'NaN', 'Infinity', '-Infinity', '[1]x', ' [1] ', '{"a":1,}', '{"a":1 "b":2}', '"\\ud83d\\ude00"', '"\\ud800"', '\ufeff[]', '{"a":1,"a":2}', '[', '[[[', 'true', 'tru', '1E400', '123456789012345678901234567890', '1.0e5', '"\\/"', '{,}', '[,]', '{"a"}', '"\x01"']:
    t(json.loads, s)
try:
    json.loads('[1,\n2,\n x]')
except json.JSONDecodeError as e:
    print(e.msg, e.doc, e.pos, e.lineno, e.colno, e.args, isinstance(e, ValueError))
t(json.loads, b'[1]')
t(json.loads, bytearray(b'{"a":1}'))
t(json.loads, 1)
t(json.loads, None)
t(json.loads, '[1.5,2]', parse_float=str)
t(json.loads, '[1.5,2]', parse_int=float)
t(json.loads, '[NaN,Infinity]', parse_constant=lambda x: 'C' + x)
t(json.loads, '{"a":{"b":1}}', object_hook=lambda d: list(d.items()))
t(json.loads, '{"a":{"b":1}}', object_pairs_hook=lambda p: p)
t(json.loads, '"\n"', strict=False)
t(json.loads, '[1]'.encode('utf-16'))
t(json.loads, '["é"]'.encode('utf-32-le'))
import io
f = io.StringIO()
json.dump({'a': [1]}, f, indent=1)
print(f.getvalue())
print(json.load(io.StringIO('{"x":[1,2]}')))
dec = json.JSONDecoder()
print(dec.raw_decode('[1] tail'), dec.raw_decode('  5', 2))
t(dec.raw_decode, ' 5')
class S(str):
    pass
class I(int):

    def __repr__(s):
        return 'I!'
class F(float):

    def __repr__(s):
        return 'F!'
t(json.dumps, [S('a'), I(3), F(1.5)])
t(json.dumps, {S('k'): 1, I(3): 2, F(1.5): 3})
import enum
class En(enum.IntEnum):
    A = 3
t(json.dumps, [En.A, {En.A: En.A}])
from collections import OrderedDict, namedtuple, defaultdict
t(json.dumps, OrderedDict(b=1, a=2))
t(json.dumps, namedtuple('P', 'x y')(1, 2))
t(json.dumps, defaultdict(int, a=1))
t(json.dumps, [[1, 2], [3, 4]], indent=4, separators=(', ', ': '))
#---- random
import random
r = random.Random(42)
print([r.random() for _ in range(3)], r.getrandbits(100), r.randint(1, 6), r.randrange(10, 100, 7), r.choice('abc'), r.choices('abc', k=4), r.choices([1, 2, 3], weights=[1, 2, 3], k=4), r.choices([1, 2, 3], cum_weights=[1, 2, 6], k=4), r.sample(range(100), 5), r.sample('abcdef', 3), r.uniform(1, 2), r.triangular(), r.triangular(1, 5, 2), r.gauss(0, 1), r.gauss(), r.normalvariate(0, 1), r.lognormvariate(0, 1), r.expovariate(2), r.betavariate(1, 2), r.gammavariate(2, 1), r.gammavariate(0.5, 1), r.gammavariate(1, 1), r.paretovariate(3), r.weibullvariate(1, 2), r.vonmisesvariate(0, 4), r.vonmisesvariate(0, 0), r.randbytes(7))
l = list(range(10))
r.shuffle(l)
print(l)
for s in (0, 1, -5, 2 ** 100, 'abc', b'abc', bytearray(b'x'), 1.5, True, 'é'):
    random.seed(s)
    print(s, random.random(), random.getrandbits(40), random.randint(0, 10 ** 20))
random.seed('a', version=1)
print(random.random())
random.seed(5, 2)
print(random.random())
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__, e)
t(random.seed, [])
t(random.seed, (1,))
t(random.randint, 5, 1)
t(random.randrange, 0)
t(random.randrange, 5, 5)
t(random.randrange, 1, 10, 0)
t(random.randrange, 1.5)
t(random.randrange, 'a')
t(random.choice, [])
t(random.choice, {})
t(random.choices, [], k=1)
t(random.choices, [1], weights=[0])
t(random.choices, [1], weights=[1, 2])
t(random.choices, [1], weights=[1], cum_weights=[1])
t(random.choices, [1], weights=[float('inf')])
t(random.sample, [1], 2)
t(random.sample, {1}, 1)
t(random.sample, [1, 2], -1)
t(random.sample, [1, 2], counts=[2, 1], k=3)
t(random.sample, [1, 2], counts=[2], k=3)
t(random.sample, 5, 1)
t(random.shuffle, (1, 2))
t(random.getrandbits, 0)
t(random.getrandbits, -1)
t(random.getrandbits, 1.5)
t(random.randbytes, 0)
t(random.shuffle, [1, 2], random.random)
t(random.expovariate, 0)
random.seed(1)
st = random.getstate()
print(st[0], len(st[1]), st[1][:3], st[1][-1], st[2])
a = random.random()
random.setstate(st)
print(a == random.random())
t(random.setstate, (1, 2))
class R(random.Random):

    def random(self):
        return 0.5
x = R(1)
print(x.random(), x.randint(1, 10), x.choice('abcd'), x.sample(range(10), 2), x.gauss(1, 2), x.uniform(0, 4))
print(random.Random(3).sample(['a', 'b'], k=2), random.Random(3).sample(range(10 ** 9), 3))
t(random.Random, [])
print(random.SystemRandom is not None)
#---- itertools
from itertools import *
import itertools, operator
def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: list(accumulate([1, 2, 3])))
t(lambda: list(accumulate([1, 2, 3], operator.mul, initial=5)))
t(lambda: list(accumulate([], initial=None)))
t(lambda: list(accumulate([1, 'a'])))
t(lambda: list(chain('ab', [1])))
t(lambda: list(chain.from_iterable(['ab', [1]])))
t(lambda: list(chain(5)))
t(lambda: list(combinations('abcd', 2)))
t(lambda: list(combinations('ab', 3)))
t(lambda: list(combinations('ab', -1)))
t(lambda: list(combinations_with_replacement('ab', 2)))
t(lambda: list(compress('abc', [1, 0, 1])))
t(lambda: list(islice(count(5, -2), 3)))
t(lambda: list(islice(count(1.5, 0.5), 3)))
t(lambda: count('a'))
t(lambda: [repr(count(1)), repr(count(1, 2)), repr(count(1.0)), repr(count(2 ** 70)), repr(repeat(1)), repr(repeat(1, 3))])
t(lambda: list(islice(cycle('ab'), 5)))
t(lambda: list(cycle('')))
t(lambda: list(dropwhile(lambda x: x < 2, [1, 2, 1])))
t(lambda: list(takewhile(lambda x: x < 2, [1, 2, 1])))
t(lambda: list(filterfalse(None, [0, 1])))
t(lambda: [(k, list(g)) for k, g in groupby('aabbb')])
t(lambda: [(k, list(g)) for k, g in groupby([1, 2, 4], key=lambda x: x % 2)])
t(lambda: list(islice('abcde', 1, None, 2)))
t(lambda: islice('a', -1))
t(lambda: islice('a', 1, 2, 0))
t(lambda: islice('a', 'b'))
t(lambda: islice('a', 1, 2, 3, 4))
t(lambda: islice('a'))
t(lambda: list(pairwise('abc')))
t(lambda: list(permutations('abc', 2)))
t(lambda: list(permutations('ab', -1)))
t(lambda: list(permutations('ab', 'x')))
t(lambda: len(list(permutations(range(4)))))
t(lambda: list(product('ab', [1, 2])))
t(lambda: list(product('ab', repeat=2)))
t(lambda: list(product()))
t(lambda: list(product('a', repeat=-1)))
t(lambda: list(product('a', foo=1)))
t(lambda: list(repeat('a', 2)))
t(lambda: repeat())
t(lambda: repeat(1, 'a'))
t(lambda: list(repeat(1, -1)))
t(lambda: list(starmap(pow, [(2, 3), (3, 2)])))
t(lambda: list(starmap(pow, [1])))
t(lambda: [list(x) for x in tee('abc', 3)])
t(lambda: tee('a', -1))
t(lambda: tee(5))
t(lambda: list(zip_longest('ab', 'c', fillvalue='-')))
t(lambda: list(zip_longest('ab', 'c', foo=1)))
t(lambda: list(zip_longest()))
t(lambda: list(pairwise(5)))
t(lambda: list(compress(5, 5)))
t(lambda: groupby())
t(lambda: groupby(5))
t(lambda: accumulate())
t(lambda: takewhile(1))
t(lambda: starmap(1, 2))
t(lambda: combinations('a'))
t(lambda: product(5))
a, b = tee(iter([1, 2, 3]))
print(next(a), list(b), list(a))
import copy
for it in (count(3), cycle('ab'), repeat(2, 3), chain('ab', 'c'), islice('abcd', 1, 3), combinations('abc', 2), permutations('abc', 2), product('ab', 'c'), zip_longest('ab', 'c'), accumulate([1, 2]), takewhile(bool, [1, 0]), starmap(pow, [(1, 2)]), compress('ab', [1, 1]), groupby('ab'), filterfalse(None, [0])):
    print(type(it), type(it).__name__, type(it).__module__)
g = groupby('aabb')
k, gg = next(g)
next(g)
print(list(gg))
print(operator.length_hint(repeat(1, 5)), operator.length_hint(iter([1, 2])), operator.length_hint(islice([1], 1)))
try:
    operator.length_hint(5, 'a')
except TypeError as e:
    print(e)
#---- functools
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
#---- collections
from collections import *
import collections
def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
P = namedtuple('P', 'x y z', defaults=[1, 2])
p = P(0)
print(p, p._fields, p._field_defaults, p._asdict(), p._replace(y=5), P._make([1, 2, 3]), p == (0, 1, 2), p[1:], P.__doc__, P.x.__doc__)
t(lambda: P())
t(lambda: P(1, 2, 3, 4))
t(lambda: P(1, q=2))
t(lambda: p._replace(q=1))
t(lambda: P._make([1]))
t(lambda: namedtuple('1a', 'x'))
t(lambda: namedtuple('A', 'x x'))
t(lambda: namedtuple('A', '_x'))
t(lambda: namedtuple('A', 'def'))
t(lambda: namedtuple('A', 'def x x _y', rename=True)._fields)
t(lambda: namedtuple('A', 'x', defaults=[1, 2]))
t(lambda: namedtuple('A', 5))
t(lambda: namedtuple('A', 'x, y')._fields)
t(lambda: setattr(p, 'x', 1))
t(lambda: setattr(p, 'q', 1))
t(lambda: P.__new__.__defaults__)
t(lambda: P.__match_args__)
t(lambda: P(*'abc')._asdict())
t(lambda: namedtuple('A', 'x', module='mm').__module__)
t(lambda: hash(p) == hash((0, 1, 2)))
t(lambda: p < (1,))
t(lambda: p + (1,))
t(lambda: P.__name__ + P.__qualname__)
c = Counter('abracadabra')
print(c, c.most_common(2), c.most_common(), c['zz'], c.total(), sorted(c.elements()), c - Counter('ab'), c & Counter('aab'), c | Counter('zzz'), c + Counter('a'), +Counter(a=-1, b=2), -Counter(a=-1, b=2))
c.subtract('aa')
print(c)
c.update({'z': 3})
print(c)
t(lambda: Counter(1))
t(lambda: Counter('a', 'b'))
t(lambda: Counter(a=1) == Counter(a=1, b=0))
t(lambda: Counter(a=1) <= Counter(a=2))
t(lambda: Counter(a=1) < Counter(a=1))
t(lambda: Counter.fromkeys('a'))
t(lambda: repr(Counter()))
t(lambda: Counter(a=1).copy())
t(lambda: Counter({'a': 1}, b=2))
t(lambda: repr(Counter({1: 'a', 2: 3})))
del c['nope']
t(lambda: Counter(a=3, b=0) | {'a': 1})
d = defaultdict(list)
d['a'].append(1)
print(d, d.default_factory, d['b'], d.copy(), d | {'c': 1}, {'c': 1} | d)
t(lambda: defaultdict(None)['x'])
t(lambda: defaultdict(5))
t(lambda: defaultdict(int, {'a': 1}, b=2))
t(lambda: defaultdict(int, 5))
d.default_factory = None
t(lambda: d['zz'])
t(lambda: defaultdict(lambda: 1 / 0)['x'])
t(lambda: repr(defaultdict(int)))
o = OrderedDict([('a', 1), ('b', 2), ('c', 3)])
o.move_to_end('a')
print(o, o.popitem(), o.popitem(last=False), o)
o.move_to_end('c', last=False)
t(lambda: o.move_to_end('zz'))
t(lambda: OrderedDict().popitem())
t(lambda: OrderedDict(a=1) == OrderedDict(a=1))
t(lambda: OrderedDict([('a', 1), ('b', 2)]) == OrderedDict([('b', 2), ('a', 1)]))
t(lambda: OrderedDict([('a', 1), ('b', 2)]) == dict([('b', 2), ('a', 1)]))
t(lambda: list(reversed(OrderedDict(a=1, b=2))))
t(lambda: OrderedDict.fromkeys('ab', 0))
t(lambda: OrderedDict(a=1) | {'b': 2})
t(lambda: o.pop('zz'))
t(lambda: o.pop('zz', 5))
t(lambda: o.setdefault('q', 7))
t(lambda: repr(OrderedDict()))
t(lambda: OrderedDict(5))
t(lambda: o.copy())
q = deque([1, 2, 3], maxlen=3)
q.append(4)
q.appendleft(0)
print(q, q.maxlen)
q.extend([7, 8])
q.extendleft([9])
q.rotate(1)
print(q, q.count(7), q.index(7) if 7 in q else None)
t(lambda: deque().pop())
t(lambda: deque().popleft())
t(lambda: deque([1]).remove(5))
t(lambda: deque([1]).index(5))
t(lambda: deque([1], maxlen=-1))
t(lambda: deque([1], maxlen='a'))
t(lambda: deque([1])[5])
t(lambda: deque([1, 2, 3])[1:2])
t(lambda: deque([1]) + deque([2]))
t(lambda: deque([1]) + [2])
t(lambda: deque([1, 2]) * 2)
t(lambda: deque([1]) == [1])
t(lambda: deque([1]) < deque([2]))
t(lambda: deque([1]).insert(0, 5))
t(lambda: deque([1], maxlen=1).insert(0, 5))
t(lambda: deque(5))
t(lambda: deque(1, 2, 3))
t(lambda: hash(deque()))
x = deque('abc')
x.reverse()
print(x, x.copy(), list(reversed(x)))
x[0] = 'z'
del x[1]
print(x)
x.clear()
print(x, bool(x))
t(lambda: setattr(x, 'maxlen', 4))
x = deque([1, 2, 3])
def mut():
    for i in x:
        x.append(1)
t(mut)
y = deque()
y.append(y)
print(y)
m = ChainMap({'a': 1}, {'a': 2, 'b': 3})
print(m, m['b'], m.maps, m.parents, m.new_child({'z': 1}), dict(m), list(m), len(m), 'b' in m)
m['b'] = 9
print(m)
t(lambda: m['zz'])
t(lambda: m.pop('zz'))
t(lambda: ChainMap().popitem())
del m['b']
t(lambda: m.__delitem__('b'))
t(lambda: m.get('q', 3))
t(lambda: m | {'x': 1})
t(lambda: {'x': 1} | m)
t(lambda: repr(ChainMap()))
class UD(UserDict):

    def __missing__(s, k):
        return 'm' + k
u = UD(a=1)
print(u, u['z'], u.data, 'z' in u, u | {'b': 2})
t(lambda: UserDict({'a': 1})['b'])
l = UserList([3, 1])
l.sort()
print(l, l + [1], [1] + l, l * 2, l[0:1], l == [1, 3], type(l[0:1]).__name__)
s = UserString('abc')
print(s.upper(), s + 'd', 'x' + s, s[1], type(s.upper()).__name__, s == 'abc', hash(s) == hash('abc'), repr(s), s % () if 0 else '')
#---- heapq bisect
import heapq, bisect
def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
h = [5, 3, 8, 1]
heapq.heapify(h)
print(h)
heapq.heappush(h, 2)
print(h, heapq.heappop(h), heapq.heapreplace(h, 9), heapq.heappushpop(h, 0), h, heapq.nlargest(2, h), heapq.nsmallest(2, h, key=lambda x: -x), heapq.nlargest(0, h), heapq.nlargest(10, h), list(heapq.merge([1, 4], [2, 3])), list(heapq.merge([4, 1], [3, 2], reverse=True)), list(heapq.merge(['a', 'ccc'], ['bb'], key=len)))
t(lambda: heapq.heappop([]))
t(lambda: heapq.heapreplace([], 1))
t(lambda: heapq.heapify((1,)))
t(lambda: heapq.heappush((), 1))
t(lambda: heapq.heapify([1, 'a']))
t(lambda: heapq.nlargest(2, 5))
t(lambda: heapq.nsmallest('a', [1]))
a = [1, 2, 2, 3]
print(bisect.bisect(a, 2), bisect.bisect_left(a, 2), bisect.bisect_right(a, 2, 0, 2), bisect.bisect_left([(1, 'a'), (2, 'b')], 2, key=lambda x: x[0]))
bisect.insort(a, 2.5)
bisect.insort_left(a, 0)
print(a)
bisect.insort(a, 5, key=lambda x: x)
print(a)
t(lambda: bisect.bisect(a, 'x'))
t(lambda: bisect.bisect(a, 1, -1))
t(lambda: bisect.bisect(5, 1))
t(lambda: bisect.bisect(a, 1, 0, 100))
t(lambda: bisect.bisect())
t(lambda: bisect.bisect(a, 1, lo='a'))
t(lambda: bisect.bisect(a, 1, hi=None))
#---- statistics
from statistics import *
import statistics
from fractions import Fraction
from decimal import Decimal
def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
d = [1, 2, 2, 3, 4.5]
for f in (mean, fmean, geometric_mean, harmonic_mean, median, median_low, median_high, median_grouped, mode, multimode, pstdev, pvariance, stdev, variance, quantiles):
    t(lambda: (f.__name__, f(d)))
    t(lambda: (f.__name__, f([])))
    t(lambda: (f.__name__, f([1])))
    t(lambda: (f.__name__, f([Fraction(1, 3), Fraction(2, 3)])))
    t(lambda: (f.__name__, f([Decimal('1.5'), Decimal('2')])))
    t(lambda: (f.__name__, f(['a', 'b'])))
    t(lambda: (f.__name__, f([-1, 0, 1])))
t(lambda: quantiles(range(10), n=10))
t(lambda: quantiles(range(10), method='inclusive'))
t(lambda: quantiles([1, 2], n=0))
t(lambda: quantiles([1, 2], method='x'))
t(lambda: fmean([1, 2], weights=[1, 3]))
t(lambda: fmean([1, 2], weights=[1]))
t(lambda: harmonic_mean([1, 2], weights=[1, 3]))
t(lambda: covariance([1, 2, 3], [1, 2, 4]))
t(lambda: correlation([1, 2, 3], [1, 2, 4]))
t(lambda: linear_regression([1, 2, 3], [1, 2, 4]))
t(lambda: linear_regression([1, 2, 3], [2, 4, 6], proportional=True))
t(lambda: correlation([1], [2]))
t(lambda: correlation([1, 1], [2, 3]))
t(lambda: covariance([1, 2], [1]))
n = NormalDist(100, 15)
print(n, n.mean, n.stdev, n.variance, n.median, n.mode, n.pdf(100), n.cdf(110), n.inv_cdf(0.9), n.zscore(130), n.quantiles(4), n + 5, n * 2, n - NormalDist(1, 1), -n, n / 2, 5 + n, n == NormalDist(100, 15), n.overlap(NormalDist(90, 10)), hash(n) == hash(NormalDist(100, 15)))
t(lambda: NormalDist(1, -1))
t(lambda: NormalDist.from_samples([1, 2, 3]))
t(lambda: n.samples(3, seed=1))
t(lambda: n.inv_cdf(0))
t(lambda: NormalDist(0, 0).pdf(1))
t(lambda: pvariance([1, 2, 3], mu=2))
t(lambda: variance([1, 2, 3], 2))
t(lambda: mean(5))
t(lambda: mode('aabbb'))
t(lambda: multimode('aabb'))
t(lambda: median_grouped([1, 2, 2, 3], interval=2))
#---- hashlib zlib
import hashlib, zlib
def t(f, *a, **k):
    try:
        print(getattr(f, '__name__', '?'), repr(f(*a, **k)))
    except Exception as e:
        print(getattr(f, '__name__', '?'), type(e).__name__, e)
for n in sorted(hashlib.algorithms_guaranteed):
    h = hashlib.new(n, b'abc')
    h.update(b'def')
    print(n, h.name, h.digest_size, h.block_size, h.hexdigest(8) if 'shake' in n else h.hexdigest(), repr(h)[:40].split(' at')[0] if 0 else '')
    g = h.copy()
    g.update(b'x')
    print(g.digest(3) if 'shake' in n else g.digest())
t(hashlib.md5().update, 'x')
print(hashlib.blake2b(b'a', digest_size=5, key=b'k', salt=b's', person=b'p').hexdigest(), hashlib.blake2s(b'a', digest_size=3).hexdigest())
t(hashlib.blake2b, key=b'x' * 65)
print(hashlib.pbkdf2_hmac('sha256', b'p', b's', 10).hex())
t(hashlib.pbkdf2_hmac, 'sha1', b'p', b's', 0)
c = zlib.compress(b'hello' * 100)
print(zlib.decompress(c)[:10], len(zlib.decompress(c)), zlib.crc32(b'a'), zlib.adler32(b'a'), zlib.crc32(b'b', 5), zlib.adler32(b'x', 7), zlib.MAX_WBITS, zlib.DEFLATED, zlib.Z_BEST_COMPRESSION)
t(zlib.decompress, b'junk')
t(zlib.decompress, c[:-3])
t(zlib.decompress, b'')
t(zlib.compress, 'a')
t(zlib.compress, b'a', level=10)
t(zlib.compress, b'a', level=-2)
t(zlib.decompress, c, wbits=-15)
t(zlib.decompress, c, bufsize=0)
t(zlib.crc32, 'a')
o = zlib.compressobj(level=9, wbits=-15)
b = o.compress(b'abc') + o.flush()
print(b, zlib.decompress(b, -15))
o = zlib.decompressobj()
print(o.decompress(c + b'tail', 5), o.unconsumed_tail != b'', o.eof)
print(len(o.decompress(o.unconsumed_tail)), o.unused_data, o.eof, o.flush())
o = zlib.compressobj(wbits=31)
g = o.compress(b'x') + o.flush()
print(zlib.decompress(g, 31), zlib.decompress(g, 47))
t(o.compress, b'a') if 0 else 0
print(zlib.error)
o = zlib.decompressobj(zdict=b'hello')
k = zlib.compressobj(zdict=b'hello')
print(o.decompress(k.compress(b'hello hello') + k.flush()))
#---- string
import string
print(string.ascii_letters, string.digits, string.hexdigits, string.octdigits, string.punctuation, repr(string.whitespace), repr(string.printable), string.capwords('a bc  d'), string.capwords('a-b', '-'))
from string import Template, Formatter
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__, e)
T = Template('$a ${b}c $$ $d')
t(T.substitute, a=1, b=2, d=3)
t(T.substitute, {'a': 1}, b=2)
t(T.safe_substitute, a=1)
t(T.substitute, {'a': 1}, a=5, b=2, d=1)
t(T.get_identifiers)
t(T.is_valid)
t(Template('$').substitute)
t(Template('a\n $1').substitute)
t(Template('$').safe_substitute)
t(Template('$').is_valid)
print(T.template, repr(T)[:20])
class T2(Template):
    delimiter = '%'
    idpattern = '[a-z]+_[a-z]+'
t(T2('%a_b %% %x').safe_substitute, a_b=5)
t(T.substitute, 5)
t(T.substitute)
class T3(Template):
    flags = 0
    braceidpattern = '[0-9]+'
t(T3('${12} $a').safe_substitute, {'12': 'x', 'a': 'y'})
F = Formatter()
t(F.format, '{0} {a} {b[1]} {c.real}', 1, a=2, b=[3, 4], c=5)
t(F.format, '{}{}', 1, 2)
t(F.format, '{}{0}', 1)
t(F.format, '{0}{}', 1)
t(F.format, '{z}')
t(F.format, '{5}')
t(F.vformat, '{0}{x}', [1], {'x': 2})
t(lambda: list(F.parse('a{b!r:>{c}}d{{')))
t(F.get_field, 'a[0].b', (), {'a': [1]})
t(F.format)
t(F.format, '{0!x}', 1)
t(F.format, '{0!s:>5}|{0!r}|{0!a}', 'é')
t(F.format, '{a:{b}.{c}f}', a=3.14159, b=8, c=2)
class F2(Formatter):

    def get_value(s, k, a, kw):
        return kw.get(k, '<%s>' % k) if isinstance(k, str) else a[k]

    def format_field(s, v, spec):
        return 'ff(%r,%r)' % (v, spec)

    def convert_field(s, v, c):
        return 'cf(%r,%r)' % (v, c)

    def check_unused_args(s, used, a, k):
        print('used', sorted(map(str, used)), a, k)
t(F2().format, '{0} {x!r:3} {y}', 1, 2, y=3)
#---- re
import re
def t(f, *a, **k):
    try:
        r = f(*a, **k)
        if isinstance(r, re.Match):
            r = (r.span(), r.groups(), r.groupdict(), r.lastindex, r.lastgroup)
        print(repr(r))
    except re.error as e:
        print('re.error', e, e.msg, e.pos, e.lineno, e.colno)
    except Exception as e:
        print(type(e).__name__, e)
for p, s in [('a|b', 'b'), ('(?P<x>a)(?P<y>b)?', 'a'), ('(?i)ABC', 'abc'), ('(?x) a  b # c', 'ab'), ('(?s).', '\n'), ('(?m)^b', 'a\nb'), ('a(?=b)', 'ab'), ('a(?!b)', 'ac'), ('(?<=a)b', 'ab'), ('(?<!a)b', 'cb'), ('(a)?(?(1)b|c)', 'ab'), ('(a)?(?(1)b|c)', 'c'), ('(?P<n>a)(?(n)b|c)', 'ab'), ('a{2,3}', 'aaaa'), ('a{2,3}?', 'aaaa'), ('a{,2}', 'aaa'), ('a{2}', 'aaa'), ('a{', 'a{'), ('a{x}', 'a{x}'), ('\\d+\\D\\w\\W\\s\\S', '12a_ -' + ' x'), ('\\bfoo\\b', 'a foo b'), ('\\Boo', 'foo'), ('\\Aab\\Z', 'ab'), ('[^a-c]+', 'abcd'), ('[]]', 'a]'), ('[a\\]]+', 'a]'), ('[\\w-]+', 'a-b'), ('(a)(b)\\2\\1', 'abba'), ('(?P<q>.)(?P=q)', 'xx'), ('(?:ab)+', 'abab'), ('(?>a+)b', 'aab'), ('a++b', 'aab'), ('a*+a', 'aaa'), ('(?i:A)b', 'ab'), ('(?-i:A)b', 'ab'), ('(?a)\\w', 'é'), ('\\u00e9', 'é'), ('\\x41', 'A'), ('\\101', 'A'), ('\\0', '\x00'), ('[\\b]', '\x08'), ('(?#c)a', 'a'), ('\\\n', '\n'), ('(|a)+', 'aa'), ('(a|ab)(c|bcd)(d*)', 'abcd'), ('.*?x', 'aax'), ('$', 'a\n'), ('(?m)$', 'a\n'), ('(?u)\\w', 'é')]:
    t(re.search, p, s)
for p in ['(', 'a)', '[', 'a**', '*a', '+', 'a{3,2}', '(?P<1>a)', '(?P<a>x)(?P<a>y)', '(?P=z)', '(?P<a', '(?Pz)', '(?z)', '\\', '\\1', '(a)\\2', '[z-a]', '[\\d-z]', '[a-\\d]', '(?<=a+)b', '(?<=a|bc)x', '\\q', '\\x4', '\\u12', '\\400', '(?(1)a)', '(?(z)a)', '(?(1)a|b|c)(x)', '(?i', '(?i-', '(?-', '(?i-i:a)', 'a(?i)b', '(?L)a', '(?au)a', '(?-u:a)', 'a{99999999999}', '(?P<a>', '(?P<>a)', '(?P<a b>x)', 'x{2}{3}', '(?', '(?:', '(?=', '(?<', '(?<a', '(?#', '[a', '[^', '[]', 'a|*', '(*a)', '^*', '$*', '\\b*', '(?:a*)*', '(a', '((a)', 'a???', 'a{1}?+', '(?(0)a)', '(?(-1)a)', '(?P<é>a)', '\\k']:
    t(re.compile, p)
t(re.compile, b'(?u)a')
t(re.compile, 'a', re.L)
t(re.compile, 'a', re.A | re.U)
t(re.compile, 5)
t(re.compile, re.compile('a'), re.I)
t(re.match, 'a', b'a')
t(re.match, b'a', 'a')
t(re.match, 'a', 5)
t(re.sub, 'a', '\\1', 'a')
t(re.sub, 'a', '\\g<1>', 'a')
t(re.sub, 'a', '\\g<x>', 'a')
t(re.sub, 'a', '\\g<', 'a')
t(re.sub, 'a', '\\g', 'a')
t(re.sub, 'a', '\\q', 'a')
t(re.sub, '(a)', '[\\1\\g<1>\\g<0>\\n\\\\]', 'ba')
t(re.sub, '(?P<z>a)', '\\g<z>!', 'ba')
t(re.sub, 'a', lambda m: m[0].upper(), 'aba', 1)
t(re.sub, 'x*', '-', 'abxd')
t(re.subn, 'a', 'b', 'aaa', count=2)
t(re.sub, '', '-', 'ab')
t(re.sub, '(a)|b', '[\\1]', 'ab')
t(re.split, '(,)', 'a,b,c')
t(re.split, ',', 'a,b,c', 1)
t(re.split, 'x*', 'axbc')
t(re.split, '', 'ab')
t(re.findall, 'a(b)?', 'aab')
t(re.findall, '(a)(b)', 'abab')
t(re.findall, '', 'ab')
t(lambda: [m.span() for m in re.finditer('a*', 'baac')])
t(re.fullmatch, 'a|ab', 'ab')
t(re.escape, 'a.b*c é\n-_')
t(re.escape, b'a.b')
t(re.template, 'a') if 0 else 0
re.purge()
p = re.compile('(?P<a>\\d+)(?:x)(?P<b>y)?', re.I | re.M)
print(p, p.pattern, p.flags, p.groups, p.groupindex, p == re.compile(p.pattern, re.I | re.M), hash(p) == hash(re.compile(p.pattern, re.I | re.M)))
m = p.search('zz12X!')
print(m, m.re is p, m.string, m.pos, m.endpos, m.start(), m.end('a'), m.span('b'), m.group(0, 'a', 2), m.groups('-'), m.groupdict('-'), m['a'], m.expand('\\g<a>-\\1'), m.lastindex, m.lastgroup, m.regs, bool(m))
t(m.group, 5)
t(m.group, 'z')
t(lambda: m['z'])
t(m.start, 9)
t(m.group, 1.5)
t(p.search, '12x', 1, 2)
t(p.match, 'a12x', 1)
t(p.fullmatch, '12xyz', 0, 4)
t(p.search, 'a', -5, 100)
print(re.compile('a'), re.compile(b'a', re.S), re.compile('a' * 300), repr(re.compile('a', re.X | re.A | re.DEBUG & 0)))
print(re.I, repr(re.I | re.M), re.RegexFlag(0), re.RegexFlag.IGNORECASE, int(re.I), re.NOFLAG, ~re.I if 0 else '')
import copy
print(copy.copy(p) is p)
t(re.findall, '\\b\\w', ' ab cd')
t(re.findall, '[\\u0400-\\u04ff]+', 'привет мир')
t(re.search, 'ß', 'ẞ', re.I)
t(re.search, 'K', 'K', re.I)
t(re.search, '[a-z]', 'İ', re.I)
t(re.search, '(?i)straße', 'STRASSE')
t(re.findall, '(?m)^.*$', 'a\nb\n')
t(re.findall, '\\w+', 'a_1 é ٣')
t(re.findall, b'\\w+', b'a_1 \xe9')
t(re.sub, '(?<=\\d)(?=(\\d{3})+$)', ',', '1234567')
t(re.match, '(?:(a)|b)*', 'ab')
t(re.match, '(a*)*', 'aa')
t(re.match, '(a*)+', 'aa')
t(re.match, '(?:a?)*?b', 'aab')
t(re.scanner, 'a') if 0 else 0
class W:
    pass
print(re.Pattern, re.Match, type(p), re.Pattern.__module__, 1)
print([x for x in re.__all__])
#---- enum
from enum import *
import enum
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
class C(Enum):
    RED = 1
    GREEN = 2
    ALIAS = 1

    def m(self):
        return self.name

    @property
    def p(self):
        return self.value * 10

    @classmethod
    def k(cls):
        return cls.RED
print(C.RED, repr(C.RED), C(1), C['RED'], C.ALIAS, list(C), C.__members__, len(C), C.RED in C, C.RED.name, C.RED.value, C.RED.m(), C.GREEN.p, C.k(), C.RED is C.ALIAS, C.RED == 1, C.RED != C.GREEN, hash(C.RED) == hash('RED'), type(C.RED), isinstance(C.RED, C), C, repr(C), bool(C.RED), f'{C.RED}', f'{C.RED!r:>20}', '%s' % C.RED, list(reversed(C)), C.RED.__class__)
t(lambda: C(5))
t(lambda: C['X'])
t(lambda: C.X)
t(lambda: setattr(C, 'RED', 5))
t(lambda: setattr(C.RED, 'value', 5))
t(lambda: delattr(C, 'RED'))
t(lambda: C.RED < C.GREEN)
t(lambda: 5 in C)
t(lambda: C('RED'))
t(lambda: C())
t(lambda: C.RED.RED)
t(lambda: C.RED + 1)
class I(IntEnum):
    A = 1
    B = 2
print(I.A, repr(I.A), I.A + 1, I.A < I.B, I.A == 1, f'{I.A}', '%d' % I.B, str(I.B), int(I.B), I(2), [1, 2, 3][I.A], type(I.A + 1), I.A | I.B, format(I.A, '03d'), sorted([I.B, I.A]), {1: 'x'}[I.A], json_dumps if 0 else '')
class S(StrEnum):
    A = auto()
    B = 'bee'
print(S.A, repr(S.A), S.A == 'a', S.B.upper(), f'{S.B:>5}', S('a'), isinstance(S.A, str), 'x' + S.A)
class F(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W
print(F.R | F.W, repr(F.R | F.X), F.RW, F(5), F(0), repr(F(0)), ~F.R, F.R & F.RW, F.R ^ F.RW, bool(F(0)), F.R in F.RW, list(F.RW), list(F), len(F.RW), F.RW.name, (F.R | F.X).name, F.R.value, F['RW'], repr(F.RW), F(7), -1 if 0 else '')
t(lambda: F.R | 1)
t(lambda: F(-1))
t(lambda: 1 in F.R)
t(lambda: F.R < F.W)
class IF(IntFlag):
    A = 1
    B = 2
    C = 4
print(IF.A | IF.B, repr(IF.A | IF.B), IF(8), repr(IF(9)), ~IF.A, repr(~IF.A), IF.A + 1, IF.A | 8, IF.A & 3, IF.A == 1, IF(0), repr(IF(0)), list(IF.A | IF.C), str(IF.B), f'{IF.B}', repr(IF(-1)))
class CF(Flag, boundary=CONFORM):
    A = 1
    B = 2
print(CF(5), CF.__boundary__ if hasattr(CF, '__boundary__') else '')
class KF(Flag, boundary=KEEP):
    A = 1
print(repr(KF(9)))
class EF(Flag, boundary=EJECT):
    A = 1
print(repr(EF(9)))
class A(Enum):

    def _generate_next_value_(name, start, count, last):
        return (name.lower(), start, count, list(last))
    X = auto()
    Y = auto()
print([x.value for x in A])
t(lambda: unique(C))
@unique
class U(Enum):
    A = 1
    B = 2
print(U)
class P(Enum):
    M = (1, 2.5)
    V = (3, 4)

    def __init__(self, a, b):
        self.a = a
        self.b = b

    @property
    def s(self):
        return self.a + self.b
print(P.M.s, P.M.value, P((1, 2.5)), P.V.a)
class N(Enum):

    def __new__(cls, v, label):
        o = object.__new__(cls)
        o._value_ = v
        o.label = label
        return o
    A = (1, 'one')
    B = (2, 'two')
print(N(1), N.A.label, N.B.value)
class Mi(Enum):
    A = 1

    @classmethod
    def _missing_(cls, v):
        return cls.A if v == 'a' else None
print(Mi('a'))
t(lambda: Mi('b'))
Fn = Enum('Fn', 'A B C')
print(list(Fn), Fn.A.value, Enum('Q', ['x', 'y'], start=5).y.value, Enum('D', {'a': 3}).a, Enum('T', [('p', 1)]).p, IntEnum('IE', 'A B').B, Fn.__module__, Fn.__qualname__)
t(lambda: Enum('Z', 5))
class Ig(Enum):
    _ignore_ = ['tmp']
    tmp = 5
    A = 1
print(list(Ig))
class O(Enum):
    A = 1

    def __str__(s):
        return 'str' + s.name

    def __repr__(s):
        return 'R'
print(O.A, repr(O.A), f'{O.A}', [O.A])
import copy
print(copy.copy(C.RED) is C.RED, copy.deepcopy(C.RED) is C.RED)
class Nm(Enum):

    @nonmember
    class X:
        pass

    @member
    def f():
        pass
print(Nm.X, Nm.f)
class Au(Enum):
    A = auto()
    B = 5
    Cc = auto()
print([x.value for x in Au])
class Mix(str, Enum):
    A = 'x'
print(Mix.A, repr(Mix.A), f'{Mix.A}', Mix.A == 'x', '%s' % Mix.A, Mix.A.upper(), format(Mix.A))
class HasT(int, Enum):
    A = 1
print(HasT.A)
print(C.__doc__, C.RED.__doc__, Enum.__module__)
print(verify, UNIQUE, CONTINUOUS, NAMED_FLAGS)
t(lambda: verify(CONTINUOUS)(Enum('V', {'a': 1, 'b': 3})))
print(EnumType is EnumMeta, EnumCheck, FlagBoundary, repr(STRICT))
#---- typing
import typing
from typing import *
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
T = TypeVar('T')
K = TypeVar('K', int, str)
B = TypeVar('B', bound=int, covariant=True)
P = ParamSpec('P')
Ts = TypeVarTuple('Ts')
for x in (List[int], Dict[str, List[int]], Optional[int], Union[int, str, None], Union[int, int], Union[int], Callable[[int], str], Callable[..., int], Callable, Tuple[int, ...], Tuple[()], Tuple, Type[int], Any, NoReturn, Never, ClassVar[int], Final[int], Literal['a', 1, None], Annotated[int, 'x'], T, K, B, P, Ts, Generator[int, None, str], Iterable[T], Mapping[str, Any], Set[int], FrozenSet, Deque[int], DefaultDict[str, int], OrderedDict[int, str], Counter[str], ChainMap[int, int], Awaitable[int], Coroutine[int, int, int], AsyncIterator[int], ContextManager[int], AnyStr, Text, IO[str], Hashable, Sized, SupportsInt, Self, LiteralString, Concatenate[int, P], Required[int], NotRequired[int], TypeGuard[int], TypeAlias, Unpack[Ts], ForwardRef('X'), Optional['X'], List['X'], list[T], Union[list[int], None], Optional[Union[int, str]], Literal[Literal[1], 2], Callable[[], None], Callable[P, T], Generic, Protocol, Generic[T], List[T][int], Dict[K, T][str, int], Union[T, int][str], Callable[[T], T][int]):
    print(repr(x))
t(lambda: List[int, str])
t(lambda: Optional[int, str])
t(lambda: Union[()])
t(lambda: Literal[[]])
t(lambda: Callable[int, str])
t(lambda: ClassVar[int, str])
t(lambda: List())
t(lambda: Any())
t(lambda: Union[int, str]())
t(lambda: isinstance([], List[int]))
t(lambda: isinstance([], List))
t(lambda: isinstance(1, Union[int, str]))
t(lambda: isinstance(1, Optional[int]))
t(lambda: isinstance(1, Any))
t(lambda: TypeVar('X', int))
t(lambda: TypeVar('X', bound=int, covariant=True, contravariant=True))
t(lambda: Generic[int])
t(lambda: Generic[T, T])
t(lambda: Annotated[int])
t(lambda: Type[int]())
t(lambda: issubclass(list, List))
t(lambda: List[int]([1]))
t(lambda: Dict[int])
t(lambda: Tuple[int, str][0])
class G(Generic[T, K]):
    x: T

    def __init__(self, x):
        self.x = x
print(G[int, str], G[int, str](1).x, G.__parameters__, G[int, str].__origin__, G[int, str].__args__, G[T, str].__parameters__, G.__orig_bases__, G[int, str](1).__orig_class__)
t(lambda: G[int])
class H(G[int, T]):
    pass
print(H[str], H.__parameters__, get_origin(List[int]), get_args(Dict[int, str]), get_args(Callable[[int], str]), get_origin(Union[int, str]), get_origin(int), get_args(Literal[1, 2]), get_origin(Annotated[int, 1]), get_args(Annotated[int, 1]))
class NT(NamedTuple):
    a: int
    b: str = 'x'

    def m(self):
        return self.a
print(NT(1), NT(1, 'y').m(), NT._fields, NT._field_defaults, NT.__annotations__, NT(1) == (1, 'x'), NamedTuple('Q', [('a', int)])(3))
t(lambda: NT())
class TD(TypedDict, total=False):
    a: Required[int]
    b: str
print(TD(a=1), TD.__required_keys__, TD.__optional_keys__, TD.__total__, TD.__annotations__, TypedDict('X', {'a': int})(a=1), TD)
t(lambda: isinstance({}, TD))
@runtime_checkable
class Pr(Protocol):
    x: int

    def f(self) -> int:
        ...
class Im:
    x = 1

    def f(self):
        return 1
print(isinstance(Im(), Pr), isinstance(1, Pr))
t(lambda: Pr())
class Np(Protocol):

    def g(self):
        ...
t(lambda: isinstance(1, Np))
t(lambda: issubclass(int, Np))
def fn(a: int, b: 'str'='x', *c: float, d: Optional[int]=None, **e: Any) -> 'List[int]':
    ...
print(get_type_hints(fn))
class Hn:
    a: int
    b: 'Hn'
    c: ClassVar[int] = 3
    d: 'Optional[int]'
    e: Annotated[int, 'm']
print(get_type_hints(Hn), get_type_hints(Hn, include_extras=True)['e'])
t(lambda: get_type_hints(type('Z', (), {'__annotations__': {'a': 'nope'}})))
@overload
def ov(a: int) -> int:
    ...
@overload
def ov(a: str) -> str:
    ...
def ov(a):
    return a
print(ov(1), len(get_overloads(ov)), cast(int, 'a'), NewType('UID', int)(5), NewType('UID', int), NewType('UID', int).__supertype__, TYPE_CHECKING, final(Im) is Im, Im.__final__, no_type_check(fn) is fn, assert_type(1, int), reveal_type if 0 else '')
t(lambda: assert_never(1))
t(lambda: dataclass_transform()(Im) is Im)
print(is_typeddict(TD), is_typeddict(int), List[int] == List[int], hash(List[int]) == hash(List[int]), Union[int, str] == Union[str, int], int | None, int | str == Union[int, str], Optional[int] == int | None, Literal[1] == Literal[True], T.__name__, T.__bound__, K.__constraints__, B.__covariant__, P.args, P.kwargs, T | int, List[int] | None, 'X' | T if 0 else '')
class Ch(Generic[T]):

    @classmethod
    def mk(cls):
        return cls
print(Ch[int].mk(), Ch[int].__class__, type(Ch[int]), Ch.__class_getitem__, get_protocol_members if 0 else '') if 0 else print(Ch[int].mk())
#---- dataclasses
from dataclasses import *
import dataclasses
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
@dataclass
class A:
    """doc"""
    a: int
    b: str = 'x'
    c: list = field(default_factory=list, repr=False, compare=False)
    d: InitVar[int] = 3
    e: int = field(init=False, default=9)

    def __post_init__(self, d):
        self.post = d
a = A(1)
print(a, a.post, a == A(1), a == 1, fields(A)[0].name, [f.name for f in fields(a)], asdict(a), astuple(a), replace(a, a=5), A.__match_args__, A.__doc__, A.__eq__ is not object.__eq__, A.__hash__, is_dataclass(A), is_dataclass(a), is_dataclass(int))
t(lambda: A())
t(lambda: A(1, z=2))
t(lambda: replace(a, e=1))
t(lambda: hash(a))
t(lambda: a < a)
t(lambda: fields(int))
t(lambda: asdict(A))
t(lambda: astuple(5))
t(lambda: replace(5))
@dataclass(order=True, frozen=True)
class O:
    x: int
    y: int = field(compare=False, default=0)
print(O(1) < O(2), O(1) == O(1, 5), hash(O(1)) == hash(O(1, 9)), sorted([O(3), O(1)]), max(O(1), O(2)))
t(lambda: setattr(O(1), 'x', 2))
t(lambda: setattr(O(1), 'q', 2))
t(lambda: delattr(O(1), 'x'))
t(lambda: O(1) < 5)
for kw in (dict(eq=False, order=True), dict(unsafe_hash=True), dict(eq=True, frozen=True), dict(repr=False), dict(init=False), dict(match_args=False), dict(kw_only=True), dict(slots=True), dict(weakref_slot=True), dict(slots=True, weakref_slot=True)):

    def mk():

        @dataclass(**kw)
        class Z:
            p: int = 1
        return (Z(), Z.__hash__ is not None, getattr(Z, '__slots__', None), getattr(Z, '__match_args__', None)) if kw.get('repr', True) else 'norepr'
    print(kw, end=' ')
    t(mk)
@dataclass
class B1:
    x: int
    y: int = 2
@dataclass
class B2(B1):
    z: int = 3
    x: int = 9
print(B2(), B2.__init__.__annotations__, [f.name for f in fields(B2)])
t(lambda: dataclass(type('Q', (), {'__annotations__': {'a': int, 'b': int}, 'a': 1})))
t(lambda: dataclass(type('Q', (), {'__annotations__': {'a': list}, 'a': []})))
t(lambda: dataclass(type('Q', (), {'__annotations__': {'a': dict}, 'a': {}})))
t(lambda: field(default=1, default_factory=int))
t(lambda: dataclass(type('Q', (), {'a': field()})))
t(lambda: dataclass(type('Q', (), {'__annotations__': {'a': int}, '__lt__': lambda s, o: 1}), order=True) if 0 else 1)
@dataclass
class KW:
    a: int
    _: KW_ONLY
    b: int
    c: int = 5
print(KW(1, b=2), KW.__match_args__)
t(lambda: KW(1, 2))
t(lambda: KW(1))
@dataclass
class KF:
    a: int = field(kw_only=True, default=1)
    b: int = field(metadata={'k': 1}, default=2, hash=False)
print(KF(5), fields(KF)[1].metadata, fields(KF)[0].kw_only)
M = make_dataclass('M', ['a', ('b', int), ('c', int, field(default=3))], bases=(), namespace={'q': 1}, frozen=True)
print(M(1, 2), M.q, M.__annotations__)
@dataclass
class Rec:
    n: object = None
r = Rec()
r.n = r
print(r)
@dataclass
class N2:
    l: list
    d: dict
    t: tuple
print(asdict(N2([B1(1)], {'k': B1(2)}, (B1(3),))), astuple(N2([B1(1)], {}, ())), asdict(B1(1), dict_factory=lambda p: sorted(p)))
from collections import namedtuple
print(asdict(N2(namedtuple('P', 'a b')(B1(1), 2), {}, ())))
@dataclass
class Fz:
    x: int

    def __eq__(s, o):
        return 'custom'

    def __repr__(s):
        return 'myrepr'
print(Fz(1) == 2, Fz(1))
@dataclass(frozen=True)
class FA:
    x: int
t(lambda: type('x', (), {}) and dataclass(type('FB', (FA,), {'__annotations__': {'y': int}})))
@dataclass
class Meth:
    x: int = 0

    def inc(self):
        self.x += 1
        return self
print(Meth().inc().inc(), Meth.__init__.__qualname__, Meth.__repr__.__qualname__, Meth.__eq__.__name__)
import inspect
print(inspect.signature(A), inspect.signature(KW))
@dataclass
class Gen:
    x: int
print(Gen(1), FrozenInstanceError.__mro__[1])
#---- io
import io
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
s = io.StringIO('line1\nline2\r\nlast')
t(s.readline)
t(s.tell)
t(lambda: s.read(3))
t(s.readlines)
t(s.read)
t(lambda: s.seek(0))
t(lambda: list(s))
t(lambda: s.seek(2, 0))
t(lambda: s.seek(1, 1))
t(lambda: s.seek(0, 2))
t(lambda: s.seek(-1))
t(lambda: s.seek(0, 5))
t(lambda: s.write('abc'))
t(s.getvalue)
t(lambda: s.write(b'x'))
t(lambda: s.truncate(4))
t(s.getvalue)
t(lambda: s.truncate(-1))
t(s.readable)
t(s.writable)
t(s.seekable)
t(s.isatty)
t(s.fileno)
t(lambda: s.closed)
t(lambda: s.line_buffering)
t(lambda: s.newlines)
t(lambda: s.encoding)
t(lambda: s.errors)
t(lambda: s.writelines(['x', 'y']))
t(lambda: s.writelines([1]))
t(lambda: s.writelines(5))
t(s.flush)
t(s.close)
t(s.read)
t(lambda: s.write('x'))
t(s.getvalue)
t(lambda: s.closed)
t(s.close)
t(lambda: next(s))
t(lambda: io.StringIO(5))
t(lambda: io.StringIO(None).read())
t(lambda: io.StringIO('a\r\nb\rc', newline=None).read())
t(lambda: io.StringIO('a\r\nb', newline='').readlines())
t(lambda: io.StringIO('a\r\nb', newline='\r').readlines())
t(lambda: io.StringIO('a\nb', newline='\r\n').getvalue())
t(lambda: io.StringIO(newline='x'))
t(lambda: io.StringIO('abc').read(-1))
t(lambda: io.StringIO('abc').read(None))
t(lambda: io.StringIO('abc').read('a'))
t(lambda: io.StringIO('abc\ndef').readline(2))
t(lambda: io.StringIO('a\nb\nc').readlines(2))
with io.StringIO() as f:
    print('x', 1, file=f, sep='-', end='!')
    print(f.getvalue())
print(f.closed)
s = io.StringIO()
s.write('hello')
s.seek(10)
s.write('x')
t(s.getvalue)
print(isinstance(s, io.TextIOBase), isinstance(s, io.IOBase), io.StringIO.__mro__[1].__name__, s) if 0 else print(isinstance(s, io.TextIOBase))
b = io.BytesIO(b'line1\nline2\nx')
t(b.readline)
t(lambda: b.read(2))
t(lambda: b.read1(2))
t(b.readlines)
t(lambda: b.seek(-3, 2))
t(b.read)
t(lambda: b.seek(0))
ba = bytearray(4)
t(lambda: b.readinto(ba))
print(ba)
t(lambda: b.write(b'zz'))
t(lambda: b.write('x'))
t(lambda: b.write(bytearray(b'q')))
t(b.getvalue)
t(lambda: bytes(b.getbuffer()[1:3]))
t(lambda: b.truncate(3))
t(b.getvalue)
t(lambda: b.seek(-5))
t(lambda: b.seek(-5, 1))
t(lambda: b.tell())
t(lambda: io.BytesIO('x'))
t(lambda: io.BytesIO(5))
t(lambda: io.BytesIO(bytearray(b'ab')).read())
b.close()
t(b.read)
t(lambda: io.BytesIO(b'abc').readinto(bytearray(10)))
t(lambda: list(io.BytesIO(b'a\nb')))
t(lambda: io.SEEK_SET)
t(lambda: io.UnsupportedOperation.__mro__[1:3])
t(lambda: io.DEFAULT_BUFFER_SIZE)
#---- copy operator
import copy, operator
class A:

    def __init__(s):
        s.l = [1, [2]]

    def __eq__(s, o):
        return s.l == o.l
a = A()
b = copy.copy(a)
c = copy.deepcopy(a)
print(b.l is a.l, c.l is a.l, c.l[1] is a.l[1], c == a)
class B:

    def __copy__(s):
        return 'copied'

    def __deepcopy__(s, m):
        return ('deep', type(m))
print(copy.copy(B()), copy.deepcopy(B()))
l = [1]
l.append(l)
d = copy.deepcopy(l)
print(d[1] is d, d)
t = ([1], 2)
print(copy.copy(t) is t, copy.deepcopy(t) is t, copy.deepcopy({'a': [1]}), copy.deepcopy({1, 2}), copy.copy(range(3)), copy.deepcopy(len) is len)
class S:
    __slots__ = ('x', 'y')
s = S()
s.x = [1]
q = copy.deepcopy(s)
print(q.x, q.x is s.x, hasattr(q, 'y'))
class R:

    def __init__(s, v):
        s.v = v

    def __reduce__(s):
        return (R, (s.v + 1,))
print(copy.copy(R(1)).v)
class G:

    def __getstate__(s):
        return {'z': 5}

    def __setstate__(s, st):
        s.w = st
print(copy.copy(G()).w)
class N:

    def __new__(cls, a):
        o = object.__new__(cls)
        o.a = a
        return o

    def __getnewargs__(s):
        return (s.a,)
print(copy.copy(N(7)).a)
class L(list):
    pass
x = L([1, [2]])
x.k = [3]
y = copy.deepcopy(x)
print(y, y.k, type(y), y.k is x.k, copy.copy(x).k is x.k)
class E(Exception):
    pass
e = copy.copy(E(1, 2))
print(repr(e), type(e))
try:
    copy.copy((i for i in ()))
except TypeError as e:
    print(e)
memo = {}
copy.deepcopy(a, memo)
print(len(memo) > 0, copy.Error, copy.error)
import copy as cp
print(cp.deepcopy(A.__init__) is A.__init__, cp.copy(A) is A)
g = operator.itemgetter(1)
print(g('abc'), operator.itemgetter(0, 2)('abc'), operator.itemgetter(slice(1, 3))('abcd'), repr(operator.itemgetter(1, 2)), repr(operator.attrgetter('a.b', 'c')), repr(operator.methodcaller('f', 1, x=2)), operator.attrgetter('real', 'imag')(1j), operator.methodcaller('upper')('a'), operator.attrgetter('__class__.__name__')(5))
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: operator.itemgetter())
t(lambda: operator.itemgetter(5)('a'))
t(lambda: operator.attrgetter(5))
t(lambda: operator.attrgetter('x')(1))
t(lambda: operator.methodcaller())
t(lambda: operator.methodcaller(5))
t(lambda: operator.methodcaller('zz')(1))
t(lambda: operator.add(1))
t(lambda: operator.add(1, 2, 3))
t(lambda: operator.countOf([1, 1, 2], 1))
t(lambda: operator.indexOf([1, 2], 2))
t(lambda: operator.indexOf([1], 5))
t(lambda: operator.contains('abc', 'b'))
t(lambda: operator.concat([1], [2]))
t(lambda: operator.concat(1, 2))
t(lambda: operator.setitem([1], 5, 1))
t(lambda: operator.delitem({}, 1))
t(lambda: operator.is_(1, 1))
t(lambda: operator.not_([]))
t(lambda: operator.call(len, 'ab'))
t(lambda: operator.matmul(1, 2))
t(lambda: operator.iconcat([1], [2]))
t(lambda: operator.__add__(1, 2))
t(lambda: operator.truth([0]))
t(lambda: operator.length_hint([1, 2]))
t(lambda: operator.pow(2, 3))
t(lambda: operator.xor(5, 3))
#---- array
from array import array
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
a = array('i', [1, 2, 3])
print(a, a.typecode, a.itemsize, len(a), a[0], a[-1], a[1:], a[::-1], a + array('i', [4]), a * 2, 3 in a, a == array('i', [1, 2, 3]), a < array('i', [2]), a == array('f', [1, 2, 3]), list(a), a.tolist(), a.tobytes(), a.count(2), a.index(3), bytes(a), memoryview(a).format)
t(lambda: array('z'))
t(lambda: array('i', 'abc'))
t(lambda: array('i', [1.5]))
t(lambda: array('b', [200]))
t(lambda: array('B', [-1]))
t(lambda: array('u', 'héllo'))
t(lambda: array('u', [1]))
t(lambda: array('i', b'abcd'))
t(lambda: array('i', b'abc'))
t(lambda: array())
t(lambda: array('ii'))
t(lambda: array(5))
t(lambda: array('d', [1, 2.5]))
t(lambda: array('f', [0.1]))
t(lambda: array('q', [2 ** 63]))
t(lambda: array('Q', [2 ** 64 - 1]))
t(lambda: array('i', array('d', [1])))
t(lambda: array('d', array('i', [1])))
t(lambda: a.append('x'))
t(lambda: a.append(2 ** 40))
t(lambda: a.extend([4, 5]))
t(lambda: a.extend(array('d')))
t(lambda: a.extend(5))
t(lambda: a.insert(0, 9))
t(lambda: a.pop())
t(lambda: a.pop(0))
t(lambda: a.pop(99))
t(lambda: a.remove(99))
t(lambda: a.index(99))
t(lambda: a.reverse())
print(a)
t(lambda: a.byteswap())
print(a)
a.byteswap()
t(lambda: a.frombytes(b'\x01\x00\x00\x00'))
t(lambda: a.frombytes(b'1'))
t(lambda: a.fromlist([7, 'x']))
t(lambda: a.fromlist((1,)))
print(a)
a[0:2] = array('i', [8, 8, 8])
print(a)
t(lambda: a.__setitem__(slice(0, 1), [1]))
t(lambda: a.__setitem__(99, 1))
t(lambda: a['x'])
t(lambda: a[99])
del a[0]
del a[::2]
print(a)
t(lambda: a + [1])
t(lambda: a.buffer_info()[1])
t(lambda: hash(a))
a += array('i', [1])
a *= 2
print(a)
t(lambda: array('u', 'ab').tounicode())
t(lambda: a.tounicode())
t(lambda: array('i').typecode)
t(lambda: repr(array('u', 'x\n')))
t(lambda: array('i', range(3)))
t(lambda: array('l').itemsize)
import array as am
print(am.typecodes, am.ArrayType is array)
m = memoryview(bytearray(b'abcdefgh'))
print(m.nbytes, m.shape, m.strides, m.ndim, m.readonly, m.format, m.itemsize, m.contiguous, m.obj, m[2], m[1:3].tobytes(), m[::2].tolist(), m[::-1].tobytes(), m.cast('H').tolist(), m.cast('i')[0], m == b'abcdefgh', m.hex('-'), len(m), b'c'[0] in m)
m[0] = 65
m[1:3] = b'ZZ'
print(m.tobytes())
t(lambda: m.__setitem__(slice(0, 2), b'abc'))
t(lambda: m.__setitem__(0, 300))
t(lambda: m.__setitem__(0, 'a'))
t(lambda: m[99])
t(lambda: m['a'])
t(lambda: memoryview('a'))
t(lambda: memoryview(b'a').__setitem__(0, 1))
t(lambda: hash(m))
t(lambda: hash(memoryview(b'ab')) == hash(b'ab'))
t(lambda: m.cast('x'))
t(lambda: m.cast('i', [2]).tolist())
t(lambda: m[:7].cast('H'))
t(lambda: m[::2].cast('H'))
t(lambda: m.release())
t(lambda: m[0])
t(lambda: m.tobytes())
t(lambda: len(m))
with memoryview(b'x') as mv:
    print(mv[0])
t(lambda: mv[0])
t(lambda: memoryview(b'abc').toreadonly().readonly)
t(lambda: memoryview(array('d', [1.5])).tolist())
t(lambda: memoryview(b'ab') < memoryview(b'b'))
t(lambda: list(reversed(memoryview(b'ab'))))
t(lambda: memoryview(b'ab') + b'c')
t(lambda: b''.join([memoryview(b'ab'), b'c']))
t(lambda: bytes(memoryview(b'abc')[1:]))
t(lambda: int.from_bytes(memoryview(b'\x01\x02'), 'big'))
t(lambda: memoryview(b'a') == 5)
t(lambda: memoryview(bytearray(4)).cast('f').tolist())
