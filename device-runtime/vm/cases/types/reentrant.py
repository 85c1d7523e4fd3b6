#---- deque
from collections import deque
d = deque()


class F:
    def __eq__(self, other):
        d.clear()
        return False

    def __repr__(self):
        d.clear()
        return 'F'


for f in (lambda: d.index(1), lambda: d.count(1), lambda: d.remove(1), lambda: repr(d), lambda: 1 in d):
    d.clear()
    d.extend([F() for _ in range(5)])
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__)
d = deque()
d.append(d)
print(d)


class D(deque):
    def __init__(self, a, b):
        super().__init__([a, b], 5)
        self.c = 1


x = D(1, 2)
print(x, x.c, x.maxlen)
#---- sets
s = set()


class G:
    def __hash__(self):
        return 7

    def __eq__(self, other):
        s.clear()
        return False


for i in range(3):
    s.add(G())
print(len(s))
try:
    for v in {1, 2, 3} | s:
        pass
    t = {1, 2, 3}
    for v in t:
        t.add(v + 10)
except RuntimeError as e:
    print(e)
#---- deep
import functools


@functools.lru_cache(None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(100) % 1000)
#---- lists
l = []


class E:
    def __lt__(self, other):
        l.clear()
        return True

    def __eq__(self, other):
        l.clear()
        return False


import bisect
for f in (lambda: l.remove(3), lambda: l.index(3), lambda: l.count(3), lambda: 3 in l, lambda: len(sorted(l)), lambda: type(max(l)).__name__ if 0 else 1):
    l[:] = [E() for _ in range(20)]
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
l[:] = [3, 2, 1]
try:
    l.sort(key=lambda v: l.append(v) or v)
except ValueError as e:
    print(e, l)
#---- generators
from itertools import chain, cycle, groupby, islice, tee


def gen():
    yield from chain([1], it)


it = iter([2, 3])
print(list(islice(cycle(gen()), 7)))
a, b = tee(gen())
print(list(zip(a, b)), list(a))
print([(k, list(g)) for k, g in groupby(x // 2 for x in range(5))])
try:
    next(cycle(x for x in []))
except StopIteration:
    print('over')
