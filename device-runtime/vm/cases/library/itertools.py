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
