#---- infinite
from itertools import count, cycle, repeat, islice
print(list(islice(count(), 5)), list(islice(count(10, -3), 4)), list(islice(count(0.5, 0.25), 3)))
print(count(3), count(3, 2), repeat(7), repeat('x', 3))
print(list(islice(cycle('ab'), 5)), list(cycle([])), list(repeat(1, 0)), list(repeat(None, 2)))
c = count(2 ** 62)
print(next(c), next(c), list(map(pow, range(5), repeat(2))))
print(next(count(True)), list(repeat('a', -5)))
for f in (lambda: count('x'), lambda: repeat(), lambda: cycle(5), lambda: repeat(1, 'x')):
    try:
        f()
    except TypeError as e:
        print(e)
#---- chain
from itertools import chain
print(list(chain('ab', [1, 2], (), {3: 4})), list(chain()), list(chain.from_iterable(['ab', 'c'])))
c = chain([1], iter([2, 3]))
print(next(c), list(c), list(c), iter(c) is c)
try:
    list(chain([1], 5))
except TypeError as e:
    print(e)
try:
    list(chain.from_iterable([[1], 2]))
except TypeError as e:
    print(e)


def gen():
    yield [1]
    raise ValueError('stop here')


it = chain.from_iterable(gen())
print(next(it))
try:
    next(it)
except ValueError as e:
    print(e)
print(list(it))
#---- filters
from itertools import compress, dropwhile, takewhile, filterfalse, starmap
print(list(compress('ABCDEF', [1, 0, 1, 0, 1, 1])), list(compress(data=[1, 2], selectors=[0, 1, 1])))
print(list(dropwhile(lambda x: x < 5, [1, 4, 6, 4, 1])), list(takewhile(lambda x: x < 5, [1, 4, 6, 4, 1])))
print(list(filterfalse(lambda x: x % 2, range(10))), list(filterfalse(None, [0, 1, '', 'a', None])))
print(list(starmap(pow, [(2, 5), (3, 2), [10, 3]])), list(starmap(lambda *a: a, ['ab', range(3)])))
t = takewhile(lambda x: x < 3, iter([1, 2, 3, 1]))
print(list(t), list(t))
for f in (lambda: list(starmap(pow, [1])), lambda: list(filterfalse(5, [1])), lambda: compress('a'),
          lambda: takewhile(1), lambda: list(dropwhile(lambda x: 1 / 0, [1]))):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
#---- accumulate
from itertools import accumulate
import operator
print(list(accumulate([1, 2, 3, 4])), list(accumulate([3, 1, 2], max)), list(accumulate('abc')))
print(list(accumulate([1, 2, 3], initial=100)), list(accumulate([], initial=5)), list(accumulate([])))
print(list(accumulate([2, 3, 4], lambda a, b: a * b, initial=10)), list(accumulate([1, 2], None)))
print(list(accumulate([1, 2, 3], func=lambda a, b: b)), list(accumulate(iterable=[1])))
try:
    list(accumulate([1, 'a']))
except TypeError as e:
    print(e)
try:
    accumulate()
except TypeError as e:
    print(e)
#---- islice
from itertools import islice
s = 'ABCDEFG'
for a in [(2,), (2, 4), (2, None), (0, None, 2), (None,), (1, 6, 2), (3, 1), (0,), (None, 3), (10, 20)]:
    print(a, list(islice(s, *a)))
it = iter(range(10))
print(list(islice(it, 3)), next(it), list(islice(it, 2, 4)), next(it))
for a in [(-1,), (1, -1), (1, 2, 0), ('x',), (1, 'y'), (), (1, 2, 3, 4), (1, 5, -1)]:
    try:
        islice(s, *a)
        print('ok')
    except Exception as e:
        print(type(e).__name__, e)
it = iter(range(10))
list(islice(it, 0, 5, 100))
print(next(it))
it = iter(range(10))
print(list(islice(it, 2, 2)), next(it))
#---- combinatorics
from itertools import product, permutations, combinations, combinations_with_replacement
print(list(product('ab', [1, 2])), list(product([0, 1], repeat=3)), list(product()), list(product([], 'a')))
print(list(product('ab', repeat=0)), list(product(range(2), 'x', repeat=2)))
print(list(permutations('abc')), list(permutations('abc', 2)), list(permutations([], 0)), list(permutations('ab', 3)))
print(list(combinations('abcd', 2)), list(combinations('abc', 0)), list(combinations('ab', 5)), list(combinations(range(4), 3)))
print(list(combinations_with_replacement('abc', 2)), list(combinations_with_replacement('', 1)), list(combinations_with_replacement('', 0)))
print(len(list(permutations(range(6)))), len(list(combinations(range(10), 5))), sum(1 for _ in product(range(10), repeat=4)))
for f in (lambda: combinations('abc', -1), lambda: permutations('abc', 'x'), lambda: combinations('abc'),
          lambda: product('a', repeat=-1), lambda: product('a', foo=1), lambda: combinations(5, 1),
          lambda: permutations('ab', -2)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
#---- groupby
from itertools import groupby
print([(k, list(g)) for k, g in groupby('AAAABBBCCDAA')])
print([(k, len(list(g))) for k, g in groupby([1, 3, 2, 4, 5], key=lambda x: x % 2)])
print([k for k, g in groupby('aabbc')], list(groupby([])))
g = groupby('aab')
k1, g1 = next(g)
print(k1, next(g1))
k2, g2 = next(g)
print(k2, list(g1), list(g2), list(g))
rows = [('x', 1), ('x', 2), ('y', 3)]
print({k: [v for _, v in rs] for k, rs in groupby(rows, lambda r: r[0])})
try:
    for k, g in groupby([1, 2], lambda x: 1 / (x - 2)):
        print(k, list(g))
except ZeroDivisionError as e:
    print(e)
#---- tee_zip
from itertools import tee, zip_longest, pairwise
a, b = tee([1, 2, 3])
print(next(a), next(a), list(b), list(a), list(b))
x, y, z = tee(iter('ab'), 3)
print(list(x), list(y), list(z), tee([], 0))
p, q = tee(range(4))
next(q)
print(list(zip(p, q)))
print(list(zip_longest('abc', [1], fillvalue='-')), list(zip_longest()), list(zip_longest('ab', 'xyz')))
print(list(pairwise('abcd')), list(pairwise([1])), list(pairwise([])))
for f in (lambda: tee([1], -1), lambda: zip_longest('a', bad=1), lambda: zip_longest(5), lambda: pairwise(3), lambda: tee(4)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
#---- names
import itertools
print(itertools.chain, itertools.count.__name__, type(itertools.cycle([])), itertools.groupby.__module__)
print(type(itertools.product()).__name__, isinstance(itertools.repeat(1), itertools.repeat))
try:
    next(itertools.chain())
except StopIteration as e:
    print('stop', e.args)
print(itertools.chain([1]).__next__(), [*itertools.islice([1, 2, 3], 1, None)])


class C(itertools.count):
    pass


#---- lazy
from itertools import accumulate, chain, count, filterfalse, islice, takewhile, zip_longest


def noisy(n):
    for i in range(n):
        print('get', i)
        yield i


for v in islice(filterfalse(lambda v: v % 2, noisy(10)), 2):
    print(v)
print(next(zip_longest(noisy(1), noisy(2))))
it = chain.from_iterable(map(range, count(1)))
print([next(it) for _ in range(8)])
total = 0
for v in takewhile(lambda v: v < 1000, accumulate(count(1))):
    total += v
print(total)
#---- recipes
from itertools import chain, combinations, count, cycle, islice, zip_longest
import operator
from collections import deque


def take(n, iterable):
    return list(islice(iterable, n))


def grouper(iterable, n, fillvalue=None):
    return zip_longest(*[iter(iterable)] * n, fillvalue=fillvalue)


def powerset(iterable):
    s = list(iterable)
    return chain.from_iterable(combinations(s, r) for r in range(len(s) + 1))


def roundrobin(*iterables):
    pending = len(iterables)
    nexts = cycle(iter(it).__next__ for it in iterables)
    while pending:
        try:
            for n in nexts:
                yield n()
        except StopIteration:
            pending -= 1
            nexts = cycle(islice(nexts, pending))


def sliding(iterable, n):
    it = iter(iterable)
    window = deque(islice(it, n), maxlen=n)
    if len(window) == n:
        yield tuple(window)
    for x in it:
        window.append(x)
        yield tuple(window)


print(take(3, count(5)), list(grouper('ABCDEFG', 3, 'x')), list(powerset([1, 2, 3])))
print(list(roundrobin('ABC', 'D', 'EF')), list(sliding('ABCDE', 3)))
print(sum(map(operator.mul, [1, 2, 3], [4, 5, 6])), list(zip(*[iter(range(6))] * 2)))
#---- itertools, modules
from itertools import *
import itertools, operator
def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
t(lambda: list(accumulate([1, 2, 3], operator.mul, initial=5)))
t(lambda: list(accumulate([], initial=None)))
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
t(lambda: [repr(count(1)), repr(count(1, 2)), repr(count(1.0)), repr(count(2 ** 70)), repr(repeat(1)), repr(repeat(1, 3))])
t(lambda: list(islice(cycle('ab'), 5)))
t(lambda: list(cycle('')))
t(lambda: list(dropwhile(lambda x: x < 2, [1, 2, 1])))
t(lambda: list(takewhile(lambda x: x < 2, [1, 2, 1])))
t(lambda: list(filterfalse(None, [0, 1])))
t(lambda: [(k, list(g)) for k, g in groupby('aabbb')])
t(lambda: [(k, list(g)) for k, g in groupby([1, 2, 4], key=lambda x: x % 2)])
t(lambda: list(islice('abcde', 1, None, 2)))
each(islice, ['a', -1], ['a', 1, 2, 0], ['a', 'b'], ['a', 1, 2, 3, 4], ['a'])
t(lambda: list(permutations('ab', -1)))
t(lambda: list(permutations('ab', 'x')))
t(lambda: len(list(permutations(range(4)))))
t(lambda: list(product('a', repeat=-1)))
t(lambda: list(product('a', foo=1)))
t(lambda: list(repeat('a', 2)))
t(lambda: list(repeat(1, -1)))
t(lambda: [list(x) for x in tee('abc', 3)])
t(lambda: list(zip_longest('ab', 'c', foo=1)))
t(lambda: list(pairwise(5)))
t(lambda: list(compress(5, 5)))
t(lambda: groupby())
t(lambda: takewhile(1))
t(lambda: starmap(1, 2))
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
#---- one call after another
import itertools, operator, copy
from itertools import *
from functools import *
class BadN:
    def __iter__(s): return s
    def __next__(s): raise ZeroDivisionError('n')
class G:
    def __init__(s,n): s.n=n
    def __getitem__(s,i):
        if i>=s.n: raise IndexError
        return i
def T(it,n=6): return list(islice(it,n))
gs=list(groupby('aab'))
t1,t2=tee(range(5)); next(t1)
class MyCount(count): pass
class MyChain(chain):
    def x(s): return 1
@lru_cache
def f1(x): return x*2
p=partial(int,base=2)

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))


t(lambda: T(count()))
t(lambda: T(count(5)))
t(lambda: T(count(1,2)))
t(lambda: T(count(1.5,.5)))
t(lambda: T(count(step=-1)))
t(lambda: T(count(start=10,step=10)))
t(lambda: repr(count(5)))
t(lambda: repr(count(1,2)))
t(lambda: repr(count(1.5)))
t(lambda: T(count(2**62,2**62)))
t(lambda: repr(count(0,1)))
t(lambda: repr(count(5,-1)))
t(lambda: T(count(True)))
t(lambda: repr(count(1,1.0)))
each(count, ['a'], [1, 'a'], [1, 2, 3], [None])
t(lambda: T(cycle('ab')))
t(lambda: T(cycle([])))
t(lambda: T(cycle(G(2))))
t(lambda: cycle(5))
t(lambda: cycle())
t(lambda: T(repeat(5)))
t(lambda: list(repeat(5,3)))
t(lambda: list(repeat('a',0)))
t(lambda: list(repeat('a',-3)))
t(lambda: repr(repeat(5)))
t(lambda: repr(repeat(5,3)))
t(lambda: list(repeat(object=1,times=2)))
t(lambda: repeat(1,3).__length_hint__())
t(lambda: operator.length_hint(repeat(1,5)))
each(repeat, [], [1, 'a'], [1, 2.0])
t(lambda: repeat(1).__length_hint__())
t(lambda: list(accumulate([1,2,3])))
t(lambda: list(accumulate([1,2,3],operator.mul)))
t(lambda: list(accumulate([1,2],initial=10)))
t(lambda: list(accumulate([])))
t(lambda: list(accumulate([],initial=5)))
t(lambda: list(accumulate('abc')))
t(lambda: list(accumulate([3,1,2],max)))
t(lambda: list(accumulate([1,2],func=None)))
t(lambda: list(accumulate(iterable=[1,2],func=min,initial=None)))
t(lambda: accumulate(5))
t(lambda: list(accumulate([1,'a'])))
t(lambda: accumulate())
t(lambda: accumulate([1],foo=2))
t(lambda: list(chain([1],'ab',(2,))))
t(lambda: list(chain()))
t(lambda: list(chain.from_iterable(['ab','c'])))
t(lambda: list(chain.from_iterable(x*2 for x in 'ab')))
t(lambda: list(chain(1)))
t(lambda: list(chain([1],2)))
t(lambda: chain.from_iterable(5))
t(lambda: list(compress('abcd',[1,0,1,0])))
t(lambda: list(compress('abc',[1])))
t(lambda: list(compress(data='ab',selectors=[0,1])))
t(lambda: compress('a'))
t(lambda: list(dropwhile(lambda x:x<3,[1,2,3,1])))
t(lambda: list(takewhile(lambda x:x<3,[1,2,3,1])))
t(lambda: list(filterfalse(None,[0,1,2])))
t(lambda: list(filterfalse(lambda x:x%2,range(5))))
t(lambda: list(dropwhile(bool,[])))
t(lambda: list(starmap(pow,[(2,3),(3,2)])))
t(lambda: list(starmap(lambda *a:a,['ab',(1,)])))
t(lambda: list(dropwhile(5,[1])))
t(lambda: list(takewhile(None,[1])))
t(lambda: takewhile(bool))
t(lambda: list(starmap(pow,[1])))
t(lambda: list(starmap(5,[(1,)])))
t(lambda: list(islice(range(10),3)))
t(lambda: list(islice(range(10),2,5)))
t(lambda: list(islice(range(10),2,None)))
t(lambda: list(islice(range(10),1,9,3)))
t(lambda: list(islice('ab',0)))
t(lambda: list(islice('abc',None)))
t(lambda: list(islice(count(),2,8,2)))
t(lambda: list(islice('abc',None,None,2)))
each(islice, [[1], -1], [[1], 1, 2, 0], [[1], 1, 2, -1], [[1], 'a'], [[1], 'a', 2], [[1]],
     [[1], 1, 2, 3, 4], [5, 1], [[1], 1.0])
t(lambda: [(k,list(g)) for k,g in groupby('aabca')])
t(lambda: [(k,list(g)) for k,g in groupby([1,3,2,4],key=lambda x:x%2)])
t(lambda: [k for k,g in groupby('aab')])
t(lambda: list(groupby([])))
t(lambda: [(k,len(list(g))) for k,g in groupby(iterable='aab',key=None)])
t(lambda: groupby(5))
t(lambda: [(k,list(g)) for k,g in groupby([1,'a'],key=lambda x:x+1)])
t(lambda: [list(g) for k,g in gs])
t(lambda: list(pairwise('abc')))
t(lambda: list(pairwise('a')))
t(lambda: list(pairwise([])))
t(lambda: pairwise(5))
t(lambda: pairwise('a','b'))
t(lambda: list(zip_longest('ab','c')))
t(lambda: list(zip_longest('ab','c',fillvalue='-')))
t(lambda: list(zip_longest()))
t(lambda: list(zip_longest([1],[2,3],[4,5,6],fillvalue=0)))
t(lambda: zip_longest('a',foo=1))
t(lambda: zip_longest(5))
t(lambda: list(product('ab',[1,2])))
t(lambda: list(product()))
t(lambda: list(product('ab',repeat=2)))
t(lambda: list(product('ab',[])))
t(lambda: list(product('a',repeat=0)))
t(lambda: len(list(product(range(3),repeat=3))))
t(lambda: list(product((x for x in 'ab'),repeat=1)))
t(lambda: product('a',repeat=-1))
t(lambda: product(5))
t(lambda: product('a',foo=1))
t(lambda: product('a',repeat='x'))
t(lambda: list(permutations('abc')))
t(lambda: list(permutations('abc',2)))
t(lambda: list(permutations('ab',0)))
t(lambda: list(permutations('ab',3)))
t(lambda: list(permutations('aa')))
t(lambda: list(permutations(range(3),None)))
t(lambda: list(permutations(iterable='ab',r=1)))
each(permutations, ['a', -1], ['a', 1.0], ['a', 'b'], [5], [])
t(lambda: list(combinations('abc',2)))
t(lambda: list(combinations('abc',0)))
t(lambda: list(combinations('abc',4)))
t(lambda: list(combinations_with_replacement('ab',2)))
t(lambda: list(combinations_with_replacement('',2)))
t(lambda: list(combinations_with_replacement('ab',0)))
t(lambda: list(combinations(iterable='ab',r=1)))
each(combinations, ['a', -1], ['a'], ['a', None])
t(lambda: combinations_with_replacement('a',-1))
t(lambda: [list(x) for x in tee('ab')])
t(lambda: [list(x) for x in tee('ab',3)])
t(lambda: tee('ab',0))
t(lambda: len(tee(iter('a'),1)))
each(tee, ['a', -1], [5], ['a', 'b'])
t(lambda: list(t1))
t(lambda: list(copy.copy(t2)))
t(lambda: list(t2))
t(lambda: type(t1).__name__)
t(lambda: list(batched('abc',2)) if 'batched' in dir(itertools) else 'no')
t(lambda: type(chain()))
t(lambda: chain.__name__)
t(lambda: chain.__module__)
t(lambda: type(groupby('a')))
t(lambda: groupby.__name__)
t(lambda: iter(chain('a')) is iter(chain('a')))
t(lambda: hasattr(count(),'__iter__'))
t(lambda: hasattr(count(),'__next__'))
t(lambda: next(chain('ab')))
t(lambda: next(iter(cycle('x'))))
t(lambda: next(chain()))
t(lambda: list(chain(BadN())))
t(lambda: list(zip_longest(BadN(),[1])))
t(lambda: list(map(None,[1])))
t(lambda: copy.copy(count(5)))
t(lambda: list(copy.copy(iter([1,2]))))
t(lambda: T(copy.copy(cycle('ab'))))
t(lambda: list(copy.copy(chain('ab'))))
t(lambda: list(copy.copy(permutations('ab'))))
t(lambda: isinstance(chain(),chain))
t(lambda: chain[int])
t(lambda: issubclass(chain,object))
t(lambda: T(MyCount(3)))
t(lambda: list(MyChain('a','b')))
t(lambda: MyChain().x())
t(lambda: copy.copy(f1) is f1)
t(lambda: copy.copy(p)('11'))
t(lambda: copy.deepcopy(partial(int,'7'))())
