#---- namedtuple
from collections import namedtuple
P = namedtuple('P', 'x y')
p = P(1, y=2)
print(p, p.x, p[1], p == (1, 2), P._fields, p._asdict(), p._replace(x=5), P._make([7, 8]), len(p), tuple(p), isinstance(p, tuple))
x, y = p
print(x, y, p + (3,), hash(p) == hash((1, 2)), P.__doc__, P.x.__doc__, P.__name__, p.__class__.__name__, P.__module__)
D = namedtuple('D', ['a', 'b', 'c'], defaults=[2, 3])
print(D(1), D._field_defaults, D(1, c=9), namedtuple('R', 'def a a', rename=True)._fields)
for f in (lambda: P(1), lambda: P(1, 2, 3), lambda: P(1, 2, z=3), lambda: P(1, x=2), lambda: namedtuple('Q', 'a a'), lambda: namedtuple('Q', '1a'), lambda: namedtuple('Q', 'class'), lambda: namedtuple('Q', '_a'), lambda: p._replace(q=1), lambda: P._make([1]), lambda: setattr(p, 'x', 1), lambda: namedtuple('1Q', 'a'), lambda: namedtuple('Q', 'a', defaults=[1, 2]), lambda: p.zz):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)


class Sub(P):
    __slots__ = ()

    def total(self):
        return self.x + self.y


print(Sub(3, 4).total(), Sub(1, 2), Sub(1, 2)._replace(y=7))
match p:
    case P(x=1, y=b):
        print('m', b)
print(sorted([P(2, 1), P(1, 9)]), {P(1, 2): 'v'}[(1, 2)], max(P(1, 2), P(1, 3)))
#---- deque
from collections import deque
d = deque([1, 2, 3])
d.append(4)
d.appendleft(0)
print(d, len(d), d[0], d[-1], d.pop(), d.popleft(), list(d), 2 in d, d.index(2), d.count(3), bool(deque()))
d.extend('ab')
d.extendleft('xy')
print(d, d.maxlen)
d.rotate(2)
print(d)
d.rotate(-3)
print(d)
d.insert(2, 'I')
d.remove('a')
d.reverse()
print(d, list(reversed(d)), d.copy() == d, d + deque([9]), deque([1]) * 3)
d[1] = 'S'
del d[0]
print(d)
m = deque(range(5), maxlen=3)
m.append(9)
print(m, m.maxlen, repr(deque(maxlen=0)), deque([1, 2], 1))
m.appendleft(7)
print(m, deque([1, 2]) < deque([1, 3]), deque([1]) == [1], deque('abc') == deque('abc'))
for f in (lambda: deque().pop(), lambda: deque().popleft(), lambda: d[100], lambda: deque(5), lambda: d.remove('zz'), lambda: d.index('zz'), lambda: deque([1], maxlen=-1), lambda: hash(d), lambda: m.insert(0, 1), lambda: d['a'], lambda: d + [1], lambda: deque(maxlen='a'), lambda: setattr(m, 'maxlen', 3), lambda: d.append(), lambda: d.rotate('x'), lambda: deque([1]) < 5):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
try:
    for v in d:
        d.append(v)
except RuntimeError as e:
    print(e)
d.clear()
print(d, list(d))
q = deque()
for i in range(1000):
    q.append(i)
    if i % 3 == 0:
        q.popleft()
print(len(q), q[0], sum(q))


class MyD(deque):
    def first(self):
        return self[0]


s = MyD([4, 5])
s.tag = 't'
print(s, s.first(), s.tag, isinstance(s, deque))
#---- counter
from collections import Counter
c = Counter('mississippi')
print(c, c['s'], c['zz'], c.most_common(2), sorted(c.elements()), len(c), c.total())
c.update('mm')
c.subtract({'i': 1})
print(c, Counter(a=3, b=1) + Counter(a=1, c=2), Counter(a=3, b=1) - Counter(a=1, b=2), Counter(a=3, b=1) & Counter(a=1, b=5), Counter(a=3) | Counter(b=2))
print(+Counter(a=1, b=-1), -Counter(a=1, b=-1), Counter({'a': 2}) == Counter('aa'), Counter() == {}, Counter(a=1) <= Counter(a=2), Counter(a=1) == Counter(a=1, b=0))
del c['nothere']
c['new'] = 5
print(c.most_common()[0], Counter(), repr(Counter([1, 1, 2])), Counter({'x': 1}).copy(), dict(Counter('ab')), isinstance(c, dict))
d = Counter(a=1)
d += Counter(a=2, b=1)
d -= Counter(b=1)
print(d, Counter(['a', 'b', 'a']).most_common(1), Counter('abc') > Counter('ab'))
try:
    Counter.fromkeys('ab')
except NotImplementedError as e:
    print(e)
try:
    Counter(5)
except TypeError as e:
    print(e)
print(sorted(Counter([3, 1, 3]).items()), max(Counter('hello'), key=Counter('hello').get), list(Counter('zza')))
#---- defaultdict
from collections import defaultdict
d = defaultdict(list)
d['a'].append(1)
d['b']
print(d, d['a'], 'c' in d, d.get('c'), len(d), d.default_factory)
n = defaultdict(int)
for ch in 'hello':
    n[ch] += 1
print(n, dict(n), sorted(n.items()), n == {'h': 1, 'e': 1, 'l': 2, 'o': 1})
t = defaultdict(lambda: defaultdict(int))
t['x']['y'] += 5
print(t['x']['y'], list(t), repr(defaultdict(None, {'a': 1})), defaultdict(int, a=1), defaultdict(list, [('k', [1])]))
for f in (lambda: defaultdict(None)['q'], lambda: defaultdict(5), lambda: defaultdict(int)[[]], lambda: defaultdict(lambda: 1 / 0)['x']):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
c = n.copy()
c['z'] += 1
print('z' in n, type(c).__name__, c.default_factory, (n | {'q': 1})['q'], type(n | {'q': 1}).__name__)
print(isinstance(d, dict), n.pop('h'), n.setdefault('w', 4), n)
#---- ordereddict
from collections import OrderedDict
o = OrderedDict([('a', 1), ('b', 2), ('c', 3)])
o.move_to_end('a')
print(o, list(o), o.popitem(), o.popitem(last=False), o, len(o))
o = OrderedDict(a=1, b=2, c=3)
o.move_to_end('c', last=False)
print(list(o.items()), o == {'a': 1, 'b': 2, 'c': 3}, o == OrderedDict(a=1, b=2, c=3), list(reversed(o)), OrderedDict())
o['a'] = 10
del o['b']
print(o, o.copy(), OrderedDict.fromkeys('xy', 0), list(o.keys()), list(o.values()), 'a' in o, o.pop('a'), o.get('zz', 5))
for f in (lambda: o.move_to_end('q'), lambda: OrderedDict().popitem(), lambda: OrderedDict(1, 2), lambda: o['zz']):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
#---- chainmap
from collections import ChainMap
c = ChainMap({'a': 1}, {'a': 2, 'b': 3})
print(c, c['a'], c['b'], len(c), sorted(c), 'b' in c, c.get('q'), c.parents, c.maps, dict(c))
c['n'] = 5
k = c.new_child({'a': 0})
print(c.maps[0], k['a'], k.parents['a'], c == {'a': 1, 'b': 3, 'n': 5}, bool(ChainMap()))
for f in (lambda: c['zz'], lambda: c.__delitem__('b'), lambda: c.pop('b'), lambda: ChainMap().popitem()):
    try:
        f()
    except KeyError as e:
        print(e)
#---- user
from collections import UserDict, UserList, UserString


class D(UserDict):
    def __setitem__(self, k, v):
        super().__setitem__(k.upper(), v)


d = D(a=1)
d['b'] = 2
d.update(c=3)
print(d, d['A'], len(d), 'B' in d, list(d.items()), d.pop('A'), d.setdefault('q', 4), d.data)
l = UserList([3, 1])
l.append(2)
l.sort()
print(l, l + [9], l[0], l[1:], len(l), 2 in l, l == [1, 2, 3], list(reversed(l)), l * 2, l.index(2))
s = UserString('hello')
print(s, s.upper(), s + ' x', s[1], len(s), 'ell' in s, s == 'hello', s.replace('l', 'L'), isinstance(s, str), s.split('e'), s.count('l'))
#---- abc
from collections.abc import (Iterable, Iterator, Mapping, MutableMapping, Sequence, Callable, Hashable, Sized,
                             Container, Set, MutableSequence, Generator, Collection, Reversible)
print(isinstance([], Iterable), isinstance(5, Iterable), isinstance(iter([]), Iterator), isinstance({}, Mapping), isinstance((), Sequence),
      isinstance(len, Callable), isinstance([], Hashable), isinstance((), Hashable), isinstance('', Sized), issubclass(list, MutableSequence),
      isinstance({1}, Set), isinstance({}.keys(), Set), isinstance((x for x in ''), Generator), isinstance(range(3), Sequence), isinstance(3, Container),
      issubclass(dict, MutableMapping), isinstance([], Collection), isinstance({}, Reversible), issubclass(str, Sequence), isinstance('', MutableSequence))


class Seq(Sequence):
    def __getitem__(self, i):
        return [10, 20, 30][i]

    def __len__(self):
        return 3


s = Seq()
print(list(s), 20 in s, s.index(30), s.count(10), list(reversed(s)), isinstance(s, Sequence))


class Map(Mapping):
    def __init__(self, d):
        self.d = d

    def __getitem__(self, k):
        return self.d[k]

    def __iter__(self):
        return iter(self.d)

    def __len__(self):
        return len(self.d)


m = Map({'a': 1, 'b': 2})
print(dict(m), m.get('z', 0), 'a' in m, list(m.items()), m == {'a': 1, 'b': 2}, list(m.keys()), list(m.values()), m.keys() & {'a'})
try:
    Sequence()
except TypeError as e:
    print(e)


class Duck:
    def __len__(self):
        return 1

    def __iter__(self):
        return iter([])

    def __contains__(self, x):
        return True


print(isinstance(Duck(), Collection), isinstance(Duck(), Sized), issubclass(Duck, Iterable))
#---- collections, modules
from collections import *
import collections
def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
P = namedtuple('P', 'x y z', defaults=[1, 2])
p = P(0)
print(p, p._fields, p._field_defaults, p._asdict(), p._replace(y=5), P._make([1, 2, 3]), p == (0, 1, 2), p[1:], P.__doc__, P.x.__doc__)
t(lambda: P())
t(lambda: P(1, 2, 3, 4))
t(lambda: P(1, q=2))
t(lambda: p._replace(q=1))
t(lambda: P._make([1]))
each(namedtuple, ['1a', 'x'], ['A', 'x x'], ['A', '_x'], ['A', 'def'])
t(lambda: namedtuple('A', 'def x x _y', rename=True)._fields)
t(lambda: namedtuple('A', 'x', defaults=[1, 2]))
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
t(lambda: Counter('a', 'b'))
t(lambda: Counter(a=1) <= Counter(a=2))
t(lambda: Counter(a=1) < Counter(a=1))
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
t(lambda: OrderedDict(a=1) == OrderedDict(a=1))
t(lambda: OrderedDict([('a', 1), ('b', 2)]) == OrderedDict([('b', 2), ('a', 1)]))
t(lambda: OrderedDict([('a', 1), ('b', 2)]) == dict([('b', 2), ('a', 1)]))
t(lambda: list(reversed(OrderedDict(a=1, b=2))))
t(lambda: OrderedDict.fromkeys('ab', 0))
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
t(lambda: deque([1], maxlen=-1))
t(lambda: deque([1], maxlen='a'))
t(lambda: deque([1])[5])
t(lambda: deque([1, 2, 3])[1:2])
t(lambda: deque([1, 2]) * 2)
t(lambda: deque([1]).insert(0, 5))
t(lambda: deque([1], maxlen=1).insert(0, 5))
t(lambda: deque(5))
t(lambda: deque(1, 2, 3))
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
#---- one call after another
import collections, copy
from collections import *
P=namedtuple('P','x y')
Q=namedtuple('Q',['a','b','c'],defaults=[2,3])
class PP(P):
    __slots__=()
    def norm(s): return s.x+s.y
class DD(defaultdict): pass
class C2(Counter): pass
class OD(OrderedDict): pass
class Dq(deque): pass
class UD(UserDict):
    def __missing__(s,k): return 'miss'
class UL(UserList): pass
def upd(o,*a,**k):
    o.update(*a,**k); return o
def do(f,o):
    r=f(o); return r,o
def setp():
    P(1,2).x=5
def setp2():
    PP(1,2).z=5
rd=defaultdict(list); rd['self']=rd
def dqmod():
    q=deque('abc')
    for x in q: q.append(1)
def dqmod2():
    q=deque('abc')
    it=iter(q); q.rotate(1); return next(it)
def cmod():
    m=ChainMap({'a':1},{'b':2}); m['b']=5; m['c']=6; del m['a']; return m
ro=OrderedDict(); ro['x']=ro
dr=deque(); dr.append(dr)
def setm():
    deque().maxlen=5
def seti():
    q=deque('abc'); q[1]='x'; del q[0]; return q
def seti2():
    deque('abc')[5]=1
def delb():
    del deque('abc')[5]

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))


t(lambda: P(1,2))
t(lambda: P(x=1,y=2))
t(lambda: P._fields)
t(lambda: P._field_defaults)
t(lambda: Q._field_defaults)
t(lambda: P(1,2)._asdict())
t(lambda: P(1,2)._replace(x=5))
t(lambda: P._make([3,4]))
t(lambda: P(1,2).x)
t(lambda: P(1,2)[1])
t(lambda: tuple(P(1,2)))
t(lambda: P(1,2)==(1,2))
t(lambda: repr(P))
t(lambda: str(P(1,'a')))
t(lambda: P.__doc__)
t(lambda: P.x.__doc__)
t(lambda: Q(1))
t(lambda: P.__name__)
t(lambda: P.__module__)
t(lambda: P.__slots__)
t(lambda: P.__match_args__)
t(lambda: len(P(1,2)))
t(lambda: hash(P(1,2))==hash((1,2)))
each(P, [1], [], [1, 2, 3])
t(lambda: P(1,z=2))
t(lambda: P(1,x=2))
t(lambda: P(1,2)._replace(z=1))
t(lambda: P(1,2)._replace(z=1,w=2))
t(lambda: P._make([1]))
t(lambda: P._make(1))
t(lambda: P(1,2).z)
each(namedtuple, ['A', 'a a'], ['A', '_a'], ['A', '1a'], ['A', 'class'], ['1', 'a'],
     ['class', 'a'])
t(lambda: namedtuple('A','a b',defaults=[1,2,3]))
t(lambda: namedtuple('A','a a _b class 1',rename=True)._fields)
t(lambda: namedtuple('A','a,b, c')._fields)
t(lambda: namedtuple('A',())())
t(lambda: namedtuple('A','')._fields)
t(lambda: namedtuple('A',{'x':1})._fields)
t(lambda: namedtuple('A',iter('ab'))._fields)
t(lambda: namedtuple('A','a',module='mm').__module__)
each(namedtuple, ['A', [1]], ['A', 5], ['A', 'a', True])
t(lambda: namedtuple('A','a',defaults=5))
t(lambda: PP(1,2))
t(lambda: PP(1,2).norm())
t(lambda: PP(1,2)._replace(x=3))
t(lambda: type(PP(1,2)._replace(x=3)).__name__)
t(lambda: copy.copy(PP(1,2)))
t(lambda: copy.deepcopy(P([1],2)))
t(lambda: P(1,2).__getnewargs__())
t(lambda: setp())
t(lambda: setp2())
t(lambda: P(1,2)<P(1,3))
t(lambda: P(1,2)+P(3,4))
t(lambda: P(1,2)*2)
t(lambda: P(1,2).count(1))
t(lambda: P(1,2).index(2))
t(lambda: 1 in P(1,2))
t(lambda: sorted([P(2,1),P(1,2)]))
t(lambda: P.__new__.__defaults__)
t(lambda: Q.__new__.__defaults__)
t(lambda: P.__new__.__doc__)
t(lambda: P.__annotations__ if hasattr(P,'__annotations__') else 'none')
t(lambda: P.__orig_bases__ if hasattr(P,'__orig_bases__') else 'none')
t(lambda: Counter('abca'))
t(lambda: Counter({'a':1}))
t(lambda: Counter(a=1,b=2))
t(lambda: Counter(['a'],b=2))
t(lambda: Counter())
t(lambda: Counter(None))
t(lambda: repr(Counter('abbccc')))
t(lambda: str(Counter(a=-1,b=0)))
t(lambda: Counter([('a',1)]))
t(lambda: Counter('abca')['z'])
t(lambda: Counter('abca').most_common())
t(lambda: Counter('abca').most_common(1))
t(lambda: Counter('abca').most_common(0))
t(lambda: Counter('abca').most_common(-1))
t(lambda: Counter('aabbc').most_common(2))
t(lambda: Counter('abc').most_common(None))
t(lambda: sorted(Counter('abca').elements()))
t(lambda: Counter(a=-1,b=2).elements().__class__)
t(lambda: list(Counter(a=2,b=-1,c=0).elements()))
t(lambda: Counter('abca').total())
t(lambda: Counter().total())
t(lambda: Counter(1))
t(lambda: Counter(1,2))
t(lambda: Counter(self=1))
t(lambda: Counter(iterable=1))
t(lambda: Counter('ab').update('bc'))
t(lambda: upd(Counter('ab'),'bc'))
t(lambda: upd(Counter('ab'),{'a':5}))
t(lambda: upd(Counter('ab'),a=3))
t(lambda: upd(Counter(),None))
t(lambda: upd(Counter('a'),[1,1],b=2))
t(lambda: do(lambda c:c.subtract('bc'),Counter('ab')))
t(lambda: do(lambda c:c.subtract({'a':5}),Counter('ab')))
t(lambda: do(lambda c:c.subtract(a=2),Counter('ab')))
t(lambda: do(lambda c:c.subtract(),Counter('ab')))
t(lambda: Counter('aab')+Counter('abc'))
t(lambda: Counter('aab')-Counter('abc'))
t(lambda: Counter('aab')&Counter('abc'))
t(lambda: Counter('aab')|Counter('abc'))
t(lambda: +Counter(a=-1,b=2))
t(lambda: -Counter(a=-1,b=2))
t(lambda: Counter(a=1)==Counter(a=1,b=0))
t(lambda: Counter(a=1)!=Counter(a=2))
t(lambda: Counter('a')<=Counter('ab'))
t(lambda: Counter('ab')<Counter('ab'))
t(lambda: Counter('ab')>Counter('a'))
t(lambda: Counter('ab')>=Counter('b'))
t(lambda: Counter(a=1)=={'a':1})
t(lambda: Counter(a=1)==5)
t(lambda: Counter('a')+{'a':1})
t(lambda: Counter('a')<{'a':1})
t(lambda: Counter('a')|5)
t(lambda: Counter('a')+5)
t(lambda: do(lambda c:c.__iadd__(Counter('ab')),Counter('a')))
t(lambda: do(lambda c:c.__isub__(Counter('ab')),Counter('aa')))
t(lambda: do(lambda c:c.__iand__(Counter('ab')),Counter('aac')))
t(lambda: do(lambda c:c.__ior__(Counter('ab')),Counter('aac')))
t(lambda: Counter.fromkeys('a'))
t(lambda: Counter('a').copy())
t(lambda: type(C2('a').copy()).__name__)
t(lambda: C2('aab'))
t(lambda: C2('a')+C2('b'))
t(lambda: type(C2('a')+C2('b')).__name__)
t(lambda: copy.copy(Counter('ab')))
t(lambda: copy.deepcopy(Counter('ab')))
t(lambda: do(lambda c:c.__delitem__('z'),Counter('a')))
t(lambda: do(lambda c:c.pop('a'),Counter('a')))
t(lambda: do(lambda c:c.popitem(),Counter('ab')))
t(lambda: do(lambda c:c.setdefault('q',5),Counter('a')))
t(lambda: do(lambda c:c.clear(),Counter('a')))
t(lambda: Counter('a').pop('z'))
t(lambda: Counter({'a':'x','b':1}).most_common())
t(lambda: repr(Counter({1:'x',2:'y'})))
t(lambda: repr(Counter({1:'x',2:5})))
t(lambda: Counter(a=1.5))
t(lambda: Counter(a=None))
t(lambda: isinstance(Counter(),dict))
t(lambda: Counter.__mro__)
t(lambda: len(Counter('aab')))
t(lambda: 'z' in Counter())
t(lambda: Counter('ab').items())
t(lambda: Counter('ab').keys())
t(lambda: list(Counter('ab')))
t(lambda: {1}|Counter('a').keys() if 0 else 0)
t(lambda: defaultdict(list))
t(lambda: defaultdict(int,{'a':1}))
t(lambda: defaultdict(None,a=1))
t(lambda: defaultdict())
t(lambda: defaultdict(lambda:5)['x'])
t(lambda: defaultdict(int,[('a',1)],b=2))
t(lambda: repr(defaultdict(None)))
t(lambda: defaultdict(int).default_factory)
t(lambda: defaultdict(5))
t(lambda: defaultdict()['a'])
t(lambda: defaultdict(int).get('a'))
t(lambda: do(lambda d:d['a'],defaultdict(list)))
t(lambda: do(lambda d:d.__missing__('q'),defaultdict(list)))
t(lambda: do(lambda d:d.setdefault('q'),defaultdict(list)))
t(lambda: 'a' in defaultdict(int))
t(lambda: defaultdict().__missing__('a'))
t(lambda: defaultdict(int,a=1).copy())
t(lambda: type(DD(int).copy()).__name__)
t(lambda: copy.copy(defaultdict(list,a=[1])))
t(lambda: copy.deepcopy(defaultdict(list,a=[1])))
t(lambda: DD(int,x=1))
t(lambda: repr(DD(int)))
t(lambda: defaultdict(int,a=1)|{'b':2})
t(lambda: {'b':2}|defaultdict(int,a=1))
t(lambda: do(lambda d:d.__ior__({'z':1}),defaultdict(int)))
t(lambda: defaultdict(int)=={})
t(lambda: defaultdict.fromkeys('ab',1))
t(lambda: defaultdict(int)|5)
t(lambda: defaultdict(lambda:1/0)['a'])
t(lambda: repr(rd))
t(lambda: defaultdict(list,1))
t(lambda: defaultdict(default_factory=int))
t(lambda: OrderedDict([('a',1),('b',2)]))
t(lambda: OrderedDict(a=1))
t(lambda: OrderedDict({'a':1},b=2))
t(lambda: OrderedDict())
t(lambda: repr(OrderedDict([(1,OrderedDict())])))
t(lambda: OrderedDict.fromkeys('ab'))
t(lambda: OrderedDict.fromkeys('ab',5))
t(lambda: OrderedDict(1))
t(lambda: OrderedDict({},{}))
t(lambda: do(lambda o:o.move_to_end('a'),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.move_to_end('c',last=False),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.popitem(),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.popitem(last=False),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.popitem(False),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.pop('b'),OrderedDict.fromkeys('abc')))
t(lambda: do(lambda o:o.pop('z',9),OrderedDict.fromkeys('abc')))
t(lambda: list(reversed(OrderedDict.fromkeys('abc'))))
t(lambda: list(reversed(OrderedDict.fromkeys('abc').items())))
t(lambda: list(reversed(OrderedDict.fromkeys('abc',1).values())))
t(lambda: do(lambda o:o.setdefault('z',1),OrderedDict(a=1)))
t(lambda: do(lambda o:o.update(b=2),OrderedDict(a=1)))
t(lambda: OrderedDict(a=1).move_to_end('z'))
t(lambda: OrderedDict().popitem())
t(lambda: OrderedDict(a=1).pop('z'))
t(lambda: OrderedDict(a=1,b=2)==OrderedDict(b=2,a=1))
t(lambda: OrderedDict(a=1,b=2)=={'b':2,'a':1})
t(lambda: OrderedDict(a=1)!=OrderedDict(a=1))
t(lambda: OrderedDict(a=1)|{'b':2})
t(lambda: {'b':2}|OrderedDict(a=1))
t(lambda: type({'b':2}|OrderedDict(a=1)).__name__)
t(lambda: OrderedDict(a=1).copy())
t(lambda: type(OD(a=1).copy()).__name__)
t(lambda: OD(a=1))
t(lambda: copy.copy(OrderedDict(a=1)))
t(lambda: copy.deepcopy(OrderedDict(a=[1])))
t(lambda: OrderedDict(a=1).keys())
t(lambda: OrderedDict(a=1).values())
t(lambda: OrderedDict(a=1).items())
t(lambda: dqmod())
t(lambda: dqmod2())
t(lambda: cmod())
t(lambda: repr(ro))
each(deque, [], ['abc'], [[1,2,3], 2])
t(lambda: deque(maxlen=3))
t(lambda: deque([1],maxlen=None))
t(lambda: repr(deque([1],5)))
t(lambda: deque('abc').maxlen)
t(lambda: deque([],0))
t(lambda: deque(range(5),3))
t(lambda: deque(iterable=[1],maxlen=1))
each(deque, [1], [[], -1], [[], 'a'], [[], 1.0], [[], 1, 2])
t(lambda: deque(foo=1))
t(lambda: do(lambda q:q.append(9),deque([1,2],2)))
t(lambda: do(lambda q:q.appendleft(9),deque([1,2],2)))
t(lambda: do(lambda q:q.extend([7,8,9]),deque([1,2],2)))
t(lambda: do(lambda q:q.extendleft([7,8]),deque([1])))
t(lambda: do(lambda q:q.pop(),deque([1,2])))
t(lambda: do(lambda q:q.popleft(),deque([1,2])))
t(lambda: do(lambda q:q.rotate(1),deque([1,2,3])))
t(lambda: do(lambda q:q.rotate(-4),deque([1,2,3])))
t(lambda: do(lambda q:q.rotate(),deque([1,2,3])))
t(lambda: do(lambda q:q.rotate(10**6),deque([1,2,3])))
t(lambda: do(lambda q:q.reverse(),deque([1,2,3])))
t(lambda: do(lambda q:q.remove(2),deque([1,2,3])))
t(lambda: do(lambda q:q.insert(1,9),deque([1,2,3])))
t(lambda: do(lambda q:q.insert(-1,9),deque([1,2,3])))
t(lambda: do(lambda q:q.insert(99,9),deque([1,2,3])))
t(lambda: do(lambda q:q.insert(-99,9),deque([1,2,3])))
t(lambda: do(lambda q:q.clear(),deque([1])))
t(lambda: do(lambda q:q.extend(q),deque([1,2])))
t(lambda: do(lambda q:q.extendleft(q),deque([1,2])))
t(lambda: deque().pop())
t(lambda: deque().popleft())
t(lambda: deque([1]).remove(5))
t(lambda: deque([1]).index(5))
t(lambda: deque([1,2],2).insert(0,1))
t(lambda: deque().rotate('a'))
t(lambda: deque().rotate(1.5))
t(lambda: deque([1]).append())
t(lambda: deque('abcabc').index('c'))
t(lambda: deque('abcabc').index('c',3))
t(lambda: deque('abc').index('c',-1))
t(lambda: deque('abcabc').count('a'))
t(lambda: deque('abc')[0])
t(lambda: deque('abc')[-1])
t(lambda: 'a' in deque('abc'))
t(lambda: len(deque('abc')))
t(lambda: list(reversed(deque('abc'))))
t(lambda: deque('abc').copy())
t(lambda: deque([1,2],2).copy())
t(lambda: copy.copy(deque([1,2],2)))
t(lambda: copy.deepcopy(deque([[1]],3)))
t(lambda: type(Dq('ab').copy()).__name__)
t(lambda: Dq('ab'))
t(lambda: Dq([1],3))
t(lambda: deque('abc').index('a',1,2))
t(lambda: deque('abc')[3])
t(lambda: deque('abc')[-4])
t(lambda: deque('abc')['a'])
t(lambda: deque('abc')[0:1])
t(lambda: deque([1])+deque([2]))
t(lambda: deque([1])*3)
t(lambda: 2*deque([1]))
t(lambda: deque([1,2],2)*2)
t(lambda: deque([1,2,3],2)+deque([4]))
t(lambda: do(lambda q:q.__iadd__('xy'),deque('a')))
t(lambda: do(lambda q:q.__imul__(3),deque('ab',3)))
t(lambda: deque([1])==deque([1]))
t(lambda: deque([1])==[1])
t(lambda: deque([1],5)==deque([1]))
t(lambda: deque([1])<deque([2]))
t(lambda: deque([1,2])>=deque([1]))
t(lambda: bool(deque()))
t(lambda: deque([1])+[2])
t(lambda: deque([1])*1.5)
t(lambda: deque([1])<[2])
t(lambda: hash(deque()))
t(lambda: deque()*-1)
t(lambda: deque([1])*0)
t(lambda: repr(dr))
t(lambda: setm())
t(lambda: seti())
t(lambda: seti2())
t(lambda: delb())
t(lambda: deque[int])
t(lambda: defaultdict[str,int])
t(lambda: OrderedDict[int,str])
t(lambda: Counter[str])
t(lambda: ChainMap[int,int])
t(lambda: UserDict[int,int])
t(lambda: type(deque[int]))
t(lambda: ChainMap())
t(lambda: ChainMap({'a':1},{'b':2}))
t(lambda: ChainMap({'a':1},{'a':2})['a'])
t(lambda: list(ChainMap({'a':1},{'b':2})))
t(lambda: len(ChainMap({'a':1},{'a':2})))
t(lambda: ChainMap({'a':1}).new_child())
t(lambda: ChainMap({'a':1}).new_child({'b':2}))
t(lambda: ChainMap({'a':1}).new_child(x=1))
t(lambda: ChainMap({'a':1},{'b':2}).parents)
t(lambda: ChainMap({'a':1}).maps)
t(lambda: dict(ChainMap({'a':1},{'b':2})))
t(lambda: ChainMap({'a':1})|{'c':3})
t(lambda: {'c':3}|ChainMap({'a':1}))
t(lambda: ChainMap({'a':1})=={'a':1})
t(lambda: bool(ChainMap({})))
t(lambda: ChainMap({'a':1}).get('z',5))
t(lambda: 'a' in ChainMap({'a':1}))
t(lambda: ChainMap.fromkeys('ab',1))
t(lambda: ChainMap({'a':1}).copy())
t(lambda: ChainMap({'a':1},{'b':1}).items())
t(lambda: copy.copy(ChainMap({'a':1})))
t(lambda: ChainMap({'a':1})['z'])
t(lambda: ChainMap({},{'b':1}).pop('b'))
t(lambda: ChainMap({},{'b':1}).__delitem__('b'))
t(lambda: ChainMap().popitem())
t(lambda: do(lambda m:m.popitem(),ChainMap({'a':1})))
t(lambda: do(lambda m:m.pop('a'),ChainMap({'a':1})))
t(lambda: do(lambda m:m.clear(),ChainMap({'a':1},{'b':1})))
t(lambda: do(lambda m:m.__ior__({'q':1}),ChainMap({'a':1})))
t(lambda: UserDict(a=1))
t(lambda: UserDict({'a':1}))
t(lambda: UserDict([('a',1)],b=2))
t(lambda: UD()['x'])
t(lambda: UD(a=1)['a'])
t(lambda: UD().get('x'))
t(lambda: 'x' in UD())
t(lambda: UserDict(a=1)|{'b':2})
t(lambda: {'b':2}|UserDict(a=1))
t(lambda: UserDict(a=1).data)
t(lambda: UserDict(a=1).copy())
t(lambda: type(UD().copy()).__name__)
t(lambda: UserDict.fromkeys('ab'))
t(lambda: UserDict(a=1)=={'a':1})
t(lambda: len(UserDict()))
t(lambda: list(UserDict(a=1)))
t(lambda: UserDict(a=1).items())
t(lambda: UserDict(dict=5))
t(lambda: copy.copy(UserDict(a=[1])))
t(lambda: repr(UD(a=1)))
t(lambda: UserDict()['a'])
t(lambda: UserDict(1))
t(lambda: UserDict().pop('a'))
t(lambda: UserList([1,2]))
t(lambda: UserList('ab'))
t(lambda: UserList(UserList([1])))
t(lambda: UserList([1])+[2])
t(lambda: [2]+UserList([1]))
t(lambda: UserList([1])*2)
t(lambda: 2*UserList([1]))
t(lambda: UserList([1,2])[0])
t(lambda: UserList([1,2])[0:1])
t(lambda: type(UL([1,2])[0:1]).__name__)
t(lambda: UserList([1])==[1])
t(lambda: UserList([1])<[2])
t(lambda: do(lambda u:u.append(1),UserList()))
t(lambda: do(lambda u:u.sort(reverse=True),UserList([1,2])))
t(lambda: do(lambda u:u.extend('ab'),UserList()))
t(lambda: do(lambda u:u.insert(0,1),UserList([2])))
t(lambda: do(lambda u:u.pop(),UserList([2])))
t(lambda: UserList([1]).index(1))
t(lambda: UserList([1]).count(1))
t(lambda: UserList([1]).copy())
t(lambda: type(UL([1]).copy()).__name__)
t(lambda: copy.copy(UserList([1])))
t(lambda: 1 in UserList([1]))
t(lambda: UserList([3]).data)
t(lambda: do(lambda u:u.__iadd__([5]),UserList([1])))
t(lambda: UserList((1,2)))
t(lambda: UserString('ab'))
t(lambda: str(UserString('ab')))
t(lambda: repr(UserString('ab')))
t(lambda: UserString(5))
t(lambda: UserString('ab')+'c')
t(lambda: 'c'+UserString('ab'))
t(lambda: UserString('ab')*2)
t(lambda: UserString('ab')[0])
t(lambda: type(UserString('ab')[0]).__name__)
t(lambda: UserString('ab').upper())
t(lambda: UserString('a%s')%'b')
t(lambda: '%s'%UserString('x'))
t(lambda: UserString('ab')=='ab')
t(lambda: UserString('ab')<'b')
t(lambda: hash(UserString('a'))==hash('a'))
t(lambda: int(UserString('5')))
t(lambda: float(UserString('1.5')))
t(lambda: UserString('a b').split())
t(lambda: UserString('ab').find('b'))
t(lambda: 'a' in UserString('ab'))
t(lambda: UserString('ab') in UserString('abc'))
t(lambda: UserString('a').join(['x','y']))
t(lambda: UserString('{}').format(1))
t(lambda: UserString('ab').replace('a','b'))
t(lambda: UserString('a').encode())
t(lambda: UserString('ab').startswith('a'))
t(lambda: UserString('x').center(5,'*'))
t(lambda: len(UserString('ab')))
t(lambda: UserString('a').isalpha())
t(lambda: UserString('ab').data)
t(lambda: UserString('a,b').partition(','))
t(lambda: UserString('aXb').swapcase())
t(lambda: complex(UserString('1j')))
t(lambda: UserString('ab').removeprefix('a'))
t(lambda: UserString('5').zfill(3))
t(lambda: UserString('ab').translate({97:'x'}))
t(lambda: UserString('ab').maketrans('a','b'))
t(lambda: collections.__all__)
t(lambda: collections.Mapping)
t(lambda: collections.Foo)
