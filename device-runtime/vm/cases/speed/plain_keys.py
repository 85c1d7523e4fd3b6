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
