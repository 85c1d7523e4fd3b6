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
