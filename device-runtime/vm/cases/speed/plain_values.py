#---- formats of numbers and strings
specs = ['', '5', '05', '<5', '>5', '^7', '*^9', '+', '+5', '+.2f', '.2f', '8.3f', '08.3f', ',',
         '10,', ',.2f', 'x', 'X', 'o', 'b', '08b', '#x', 'd', '05d', '.0f', '.1f', '.15f', '%',
         '.3e', 'g', '.4g', 's', '10s', '=+8', '0=8', 'c', '_', '+08.2f', '<08.2f', ' d', 'z.1f',
         '-5', '15.10f', '101', '120d', '.16f']
values = [0, 1, -1, 42, -42, 987654321, 2**46, -2**46, 2**47, 10**20, True, 0.0, -0.0, 1.5, -1.5,
          0.5, 2.5, 0.125, 1e15, 1e16, 123456.789, 1e-5, -1e-9, 1e22, 1e300, float('inf'),
          float('nan'), 2.675, 1.005, 99.995, 999999.9999999, 5e-324, 'abc', '', 'ž']
for v in values:
    row = [str(v), repr(v), f'{v}', f'{v!r:>12}']
    for spec in specs:
        try:
            row.append(format(v, spec))
        except Exception as e:
            row.append(f'{type(e).__name__}: {e}')
    for form in ['%d', '%5d', '%05d', '%-5d|', '%+d', '%x', '%#x', '%s', '%10s', '%-10s|', '%.2s',
                 '%f', '%.2f', '%-8.2f|', '%08.2f', '%+.1f', '%.0f', '%g', '% d', '%.3d', '%120d']:
        try:
            row.append(form % (v,))
        except Exception as e:
            row.append(f'{type(e).__name__}: {e}')
    print(row)
#---- decimals round as the exact value says
import random
import zlib
random.seed(5)
seen = 0
for turn in range(900):
    x = random.choice([random.uniform(-1000, 1000), random.random(), random.uniform(-1e12, 1e12),
                       random.randrange(-10**6, 10**6) / 8, random.randrange(10**9) / 1000])
    text = f'{"%.*f" % (turn % 16, x)} {x:.{turn % 16}f} {x:12.2f} {x} {x:,.3f}'
    seen = zlib.crc32(text.encode(), seen)
    if turn % 100 == 0:
        print(text, seen)
#---- sorting by kinds of keys
import random
import zlib
random.seed(7)
for n in list(range(12)) + [20, 43, 63, 64, 65, 300]:
    rows = [[random.randrange(n * 2 + 1) for _ in range(n)],
            [random.random() for _ in range(n)],
            [str(random.randrange(n * 3 + 1)) for _ in range(n)],
            [(random.randrange(5), str(i)) for i in range(n)],
            list(range(n)), list(range(n, 0, -1)),
            [random.choice([1, 1.5, 2**60, -3, 0.25, True]) for _ in range(n)],
            ['common-' + random.choice('abc') * random.randrange(5) + 'ž' * random.randrange(2)
             for _ in range(n)],
            [(random.choice('abc') * 3, random.random(), i) for i in range(n)],
            [i // 7 for i in range(n)] + [random.randrange(n + 1)]]
    for row in rows:
        places = list(range(len(row)))
        again = row[:]
        again.sort(key=str)
        shown = str([sorted(row), sorted(row, reverse=True), sorted(places, key=lambda i: row[i]),
                     sorted(places, key=row.__getitem__, reverse=True), again])
        print(n, zlib.crc32(shown.encode()), shown[:60])
#---- what sort asks, in which order
class Asked:
    log = []

    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        Asked.log.append((self.x, other.x))
        return self.x < other.x


for n in (2, 3, 5, 17, 40, 63):
    Asked.log = []
    items = [Asked((i * 7919) % 13) for i in range(n)]
    items.sort()
    print(n, Asked.log, [a.x for a in items])
nan = float('nan')
print(sorted([3.0, nan, 1.0, 2.0, nan, 0.5]), sorted([3, nan, 1]), sorted([-0.0, 0.0, -1.0]))
print(max(1.0, nan), max(nan, 1.0), min([nan, 2.0, 1.0]), max([1, True]), min([True, 1]))


def grow(x):
    items.append(1)
    return x


items = [3, 2, 1]
try:
    items.sort(key=grow)
except ValueError as e:
    print(e, items)
for bad in ([1, 'a'], ['a', 1, 2], [(1, 2), (1, 'a')], [None, 1], [(1,), 2], [1j, 2j]):
    try:
        print(sorted(bad))
    except TypeError as e:
        print(e)
#---- dicts and sets through many changes
import random
import zlib
from collections import Counter, OrderedDict


def key():
    return random.choice([lambda: random.randrange(20), lambda: random.random() * 3,
                          lambda: str(random.randrange(30)), lambda: random.randrange(20) * 1.0,
                          lambda: (random.randrange(4), random.randrange(4)),
                          lambda: 'ab' * random.randrange(8) + str(random.randrange(9))])()


for seed in range(4):
    random.seed(seed)
    d, log = {}, []
    for step in range(300):
        op, k = random.randrange(8), key()
        if op < 3:
            d[k] = step
        elif op == 3:
            log.append(d.pop(k, None))
        elif op == 4 and d:
            log.append(d.popitem())
        elif op == 5:
            log.append((k in d, d.get(k), d.setdefault(k, 1)))
        elif op == 6:
            try:
                del d[k]
            except KeyError as e:
                log.append(f'KeyError {e}')
        else:
            other = dict(d)
            other.update({k: 1})
            log.append((len(other), other == d, list(other)[-3:]))
    log.append((list(d.items()), d == {**d}, d.copy() == d, list(reversed(d))))
    ordered = OrderedDict()
    for step in range(200):
        op, k = random.randrange(6), random.randrange(12)
        if op < 3:
            ordered[k] = step
        elif op == 3 and ordered:
            log.append(ordered.popitem(last=False))
        elif op == 4 and ordered:
            log.append(ordered.popitem())
        elif op == 5 and k in ordered:
            ordered.move_to_end(k, last=bool(step & 1))
    s, t = set(), set()
    for step in range(200):
        op = random.randrange(9)
        k = random.choice([random.randrange(50), random.randrange(1000), random.random(), -1, -2,
                           (random.randrange(5), random.randrange(5)), True, 2**61 - 1])
        if op < 3:
            s.add(k)
        elif op == 3:
            s.discard(k)
        elif op == 4:
            t.add(k)
        elif op == 5:
            log.append(k in s)
        elif op == 6:
            s |= {k}
        elif op == 7:
            log.append((s - t, s & t, s ^ t, s <= t, s.isdisjoint(t)))
        else:
            try:
                s.remove(k)
            except KeyError as e:
                log.append(f'KeyError {e}')
    log.append((list(ordered.items()), s, t, s | t))
    print(seed, zlib.crc32(str(log).encode()), len(d), len(s))
print(Counter('abracadabra'), Counter([1, 1.0, True, 2]), Counter([(1, 2), (1, 2)]))
counted = Counter(a=2)
counted.update('aab')
counted.update({'z': 2**60})
counted.update('z')
print(counted)
#---- keys whose comparison changes the container
class Sly:
    def __init__(self, n, act):
        self.n, self.act = n, act

    def __hash__(self):
        return self.n

    def __eq__(self, other):
        self.act()
        return isinstance(other, Sly) and self.n == other.n


d = {}
sly = Sly(1, lambda: d.clear())
d.update({sly: 1, 2: 2, 'a': 3})
print(d.get(Sly(1, lambda: None)), len(d))
d = {i: i for i in range(10)}
sly = Sly(3, lambda: d.update({i: 0 for i in range(100)}))
print(sly in d, len(d))
s = set(range(10))
sly = Sly(3, lambda: s.clear())
print(sly in s, len(s), s.isdisjoint({sly}))
items = [1, 2, 3]
lazy = Sly(9, lambda: items.clear())
print(lazy in items, items, [lazy] == [1], (1, lazy) < (1, 2) if False else None)
#---- keywords that are none
def f(**kwargs):
    return kwargs


for bad in ({1: 2}, {'a': 1, None: 2}, {(1,): 1, 'b': 2}):
    try:
        print(f(**bad))
    except TypeError as e:
        print(e)
    try:
        print(f(**{}, **bad))
    except TypeError as e:
        print(e)
print(f(**{'a': 1}, **{'b': 2}), {**{1: 2}, **{3: 4}})
try:
    f(**{'a': 1}, **{'a': 2})
except TypeError as e:
    print(e)
