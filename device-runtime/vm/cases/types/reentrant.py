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
#---- hostile
# Scripts that change things while built-ins look at them, and methods with a wrong self.
def error(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__


print(error(lambda: list.append(5, 1)), error(lambda: str.upper()), error(lambda: dict.get([], 1)))
print(error(lambda: Exception.__init__(5)), str.upper("a"), int.bit_length(True))


class Bad:
    def __index__(self):
        return "x"

    def __hash__(self):
        return self

    def __float__(self):
        return "x"


import math

print(error(lambda: [1][Bad()]), error(lambda: hash(Bad())), error(lambda: math.sqrt(Bad())))


class Clears:
    def __index__(self):
        items.clear()
        return 5


items = [1, 2, 3, 4, 5, 6, 7, 8]
print(items[0 : Clears()])
items = [1, 2, 3, 4, 5, 6, 7, 8]
items[Clears() : 7] = [1]
print(items)
items = [1, 2, 3, 4, 5, 6, 7, 8]
del items[:: Clears()]
print(items)


class Grows:
    def __repr__(self):
        grown.extend([0] * 1000)
        return "G"


grown = [Grows(), "abc"]
print(len(repr(grown)))


class Waste:
    def __init__(self, n):
        self.n = n

    def waste(self):
        return [[i] for i in range(20)]

    def __hash__(self):
        self.waste()
        return self.n % 4

    def __eq__(self, other):
        self.waste()
        return self.n == other.n

    def __add__(self, other):
        self.waste()
        return NotImplemented


class Adds:
    def __init__(self):
        self.data = [1, 2, 3]

    def __radd__(self, other):
        return len(self.data)


a = {Waste(i) for i in range(10)}
b = {Waste(i) for i in range(5, 15)}
print(sorted(w.n for w in a | b), sorted(w.n for w in a & b), len(a ^ b), len(a - b), a <= b)
print(len({Waste(1): [1, 2]} | {Waste(2): [3]}), sum((Adds() for i in range(1)), Waste(0)))
print(list(enumerate((i for i in range(3)), 2**50)))


class Empties:
    def __eq__(self, other):
        left.clear()
        [[i] for i in range(50)]
        return NotImplemented


left = []
left.append([Empties(), [1] * 20])
left.append([5])
print(left == [[Empties(), [1] * 20], [5]])

text = "a\u00e4\u20acb\U0001f600c"
print(text[::2], text[::-1], text[4:0:-3], text[1:5], text[-1])
print("aXbXXc".split("X"), "aXbXXc".rsplit("X", 1), "abcabc".rfind("bc"), "abcabc".count("bc"))
print("aaa".replace("aa", "b"), "abc".find(""), "abc".rfind(""), "x" in "abc", "" in "")
print(error(lambda: list(zip([1], [1, 2], strict=True))), list(zip([1], [2], strict=True)))
print(error(lambda: list(zip([1, 2], [1], strict=True))), error(lambda: int("1__0")))
print(error(lambda: sum(["a"], "")))
print({2**70: 1}.get(float(2**70)), {-(2.0**64): 1}.get(-(2**64)), {1e300: 2}[int(1e300)], len({float("inf"): 1}))
