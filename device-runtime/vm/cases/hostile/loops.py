#---- while: instructions
while True:
    pass
#---- while that catches everything: instructions
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
#---- finally that goes on: instructions
def f():
    while True:
        try:
            return
        finally:
            continue
f()
#---- for over a huge range: instructions
for i in range(10**15):
    pass
#---- comprehension without results: instructions
[i for i in range(10**12) if i < 0]
#---- generator for ever: instructions
def g():
    while True:
        yield 1
sum(g())
#---- iter with a sentinel that never comes: instructions
for x in iter(int, 1):
    pass
#---- any over nothing true: instructions
any(map(lambda x: 0, range(10**12)))
#---- all over nothing false: instructions
all(x >= 0 for x in range(10**12))
#---- sum of a huge range: instructions
sum(range(10**13))
#---- max of a huge range: instructions
max(range(10**13), key=lambda x: -x)
#---- min of a huge range: instructions
min(range(10**13))
#---- in a generator that never ends: instructions
def g():
    while True:
        yield 0
1 in g()
#---- zip of endless things: instructions
def g():
    while True:
        yield 0
for a, b in zip(g(), g()):
    pass
#---- filter that lets nothing through: instructions
next(filter(None, iter(int, 1)))
#---- unpack of an endless generator: raised
def g():
    while True:
        yield 0
a, b = g()
#---- recursion that doubles, all caught: instructions|recursion
def f():
    try:
        f()
    except BaseException:
        f()
    f()
f()
#---- next that never ends: instructions
class It:
    def __iter__(self):
        return self
    def __next__(self):
        return 1
for x in It():
    pass
#---- getitem that never ends: instructions
class Seq:
    def __getitem__(self, i):
        return i
for x in Seq():
    pass
#---- list from getitem that never ends: memory|instructions
class Seq:
    def __getitem__(self, i):
        return i
list(Seq())
#---- contains over getitem that never ends: instructions
class Seq:
    def __getitem__(self, i):
        return i
-1 in Seq()
#---- bool that loops: instructions
class B:
    def __bool__(self):
        while True:
            pass
if B():
    pass
#---- hash that loops: instructions
class H:
    def __hash__(self):
        while True:
            pass
{H(): 1}
#---- exit of a with that loops: instructions
class M:
    def __enter__(self):
        return self
    def __exit__(self, *a):
        while True:
            pass
with M():
    raise ValueError
#---- sort key that loops: instructions
def key(x):
    while True:
        pass
sorted([3, 1, 2], key=key)
#---- comparison that loops in sort: instructions
class C:
    def __lt__(self, other):
        while True:
            pass
sorted([C(), C()])
#---- module level recursion through imports: raised
import no_such_module_anywhere
#---- list that grows while it is walked: memory|instructions
x = [1]
for i in x:
    x.append(i)
#---- extend by itself: memory|instructions
x = [1, 2]
while True:
    x.extend(x)
#---- dict that grows while it is walked: raised
d = {1: 1}
for k in d:
    d[len(d) + 1] = 1
#---- set that grows while it is walked: raised
s = {1}
for k in s:
    s.add(len(s) + 1)
#---- exponential calls: instructions
def f(n):
    if n:
        f(n - 1)
        f(n - 1)
f(60)
#---- ackermann: recursion|instructions
def a(m, n):
    return n + 1 if m == 0 else a(m - 1, 1) if n == 0 else a(m - 1, a(m, n - 1))
a(4, 2)
#---- while over a big set that pops: instructions
s = set(range(50000))
while s:
    s.pop()
while True:
    pass
#---- delete from the front for ever: instructions
l = [0] * 300000
while True:
    del l[0]
    l.append(0)
#---- insert at the front for ever: instructions|memory
l = []
while True:
    l.insert(0, 0)
#---- count in a long list: instructions
l = [0] * 300000
while True:
    l.count(1)
#---- index in a long list: instructions
l = [0] * 300000
while True:
    try:
        l.index(1)
    except ValueError:
        pass
#---- reverse for ever: instructions
l = [0] * 300000
while True:
    l.reverse()
#---- copy for ever: instructions
l = [0] * 300000
while True:
    l[:]
#---- slice assignment for ever: instructions
l = [0] * 300000
while True:
    l[1:2] = [0]
#---- equality of long lists: instructions
a = [0] * 200000
b = [0] * 200000
while True:
    a == b
#---- tuple of a list for ever: instructions
a = [0] * 200000
while True:
    tuple(a)
#---- dict copies: instructions
d = {i: i for i in range(20000)}
while True:
    d.copy()
#---- set algebra: instructions|memory
a = set(range(20000))
while True:
    a | a
#---- set from a list: instructions
a = list(range(20000))
while True:
    set(a)
#---- frozenset hash: instructions
a = frozenset(range(20000))
while True:
    hash(a)
#---- bytes of a list: instructions
a = [1] * 100000
while True:
    bytes(a)
#---- sort for ever: instructions
l = list(range(100000))
while True:
    l.sort(reverse=True)
#---- sorted copies: instructions
l = [str(i) for i in range(30000)]
while True:
    sorted(l)
#---- keys of a big dict for ever: instructions
d = {i: i for i in range(30000)}
while True:
    list(d.items())
#---- kwargs for ever: instructions
d = {'a' + str(i): i for i in range(3000)}
def f(**k):
    pass
while True:
    f(**d)
#---- star args for ever: instructions
l = list(range(3000))
def f(*k):
    pass
while True:
    f(*l)
