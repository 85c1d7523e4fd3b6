#---- keys that change while they are read
def walk(d, change, make=iter):
    seen = []
    try:
        for item in make(d):
            seen.append(item)
            change(d, item)
            if len(seen) > 9: break
    except RuntimeError as e:
        seen.append(str(e))
    return seen
def swap(d, k):
    del d[0]
    d[0] = 0
def move(d, k):
    d.pop(k)
    d[k + 100] = 1
print(walk({0: 0}, swap), walk({0: 0, 1: 1}, move))
print(walk({0: 0, 1: 1}, lambda d, k: d.update({k: 5})), walk({0: 0}, lambda d, k: d.update({k + 1: 5})))
print(walk({0: 0}, lambda d, v: swap(d, 0), lambda d: d.values()), walk({0: 0}, lambda d, v: swap(d, 0), lambda d: d.items()))
def pairs(d):
    out = []
    try:
        for k, v in d.items():
            out.append((k, v))
            swap(d, k)
    except RuntimeError as e:
        out.append(str(e))
    return out
print(pairs({0: 0}))
it = iter({1: 1, 2: 2})
next(it)
d = {1: 1}
it = iter(d)
d[2] = 2
for _ in range(2):
    try:
        next(it)
    except RuntimeError as e:
        print(e)
holes = {i: i for i in range(20)}
for i in range(0, 20, 3): del holes[i]
print(list(holes), [k for k in holes.items()][:2], list(holes.values())[-1])
#---- slice
s = slice(1, 10, 2)
print(s, s.start, s.stop, s.step, slice(5), slice(None), s == slice(1, 10, 2), s.indices(6), slice(None, None, -1).indices(4))
print([1, 2, 3, 4][slice(1, 3)], 'abc'[slice(None, None, -1)])
for f in (lambda: slice(), lambda: slice(1, 2, 3, 4), lambda: hash(s), lambda: s.indices(-1), lambda: s.indices('a'), lambda: slice(0, 5, 0).indices(3), lambda: slice(x=1)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
print(slice('a', 'b'))
#---- sortkeys
print(sorted(['b', 'A', 'c'], key=str.lower), sorted([(1, 'z'), (1, 'a'), (0, 'q')], key=lambda t: t[0]))
l = [5, 3, 1]
l.sort(key=lambda v: v)
print(l)
l.sort(reverse=True)
print(l, sorted([1, 2, 3, 1, 2], reverse=True))
data = [(i % 3, i) for i in range(9)]
print(sorted(data, key=lambda t: t[0]), sorted(data, key=lambda t: t[0], reverse=True))
try:
    sorted([1, 2], key=lambda v: 1 / 0)
except ZeroDivisionError as e:
    print(e)
l = [3, 2, 1]
try:
    l.sort(key=lambda v: l.append(v) or v)
except ValueError as e:
    print(e, l)


class W:
    def __init__(self, v):
        self.v = v

    def __lt__(self, o):
        return self.v < o.v

    def __repr__(self):
        return 'W%d' % self.v


print(sorted([W(3), W(1), W(2)]), max([W(1), W(5)]), min(W(4), W(2)))
try:
    sorted([1, None])
except TypeError as e:
    print(e)
try:
    [].sort(lambda x: x)
except TypeError as e:
    print(e)
#---- sets
s = {1, 2, 3}
print(s | {4}, s & {2, 9}, s - {1}, s ^ {3, 4}, s.union([5], (6,)), s.intersection([1, 2], {2}), s.difference([1], [2]), s.symmetric_difference([3, 7]))
print(s.isdisjoint([9]), s.issubset(range(5)), s.issuperset([1]), s <= {1, 2, 3}, s < {1, 2, 3}, s >= {1}, s > {1})
s.update([7], {8})
s.discard(100)
s.remove(7)
print(s, s.pop() in (1, 2, 3, 8), len(s))
s = {1, 2, 3, 4}
s &= {1, 2, 3}
s |= {9}
s -= {1}
s ^= {2, 10}
print(s)
s.intersection_update([9, 10])
s.difference_update([10])
s.symmetric_difference_update([1])
print(s, frozenset([1, 2]) == {1, 2}, hash(frozenset([1, 2])) == hash(frozenset([2, 1])), len(frozenset('ab') | {'c'}))
print(type({1} | frozenset([2])), type(frozenset([2]) | {1}), {frozenset([1])} == {frozenset([1])}, frozenset([1]) in {frozenset([1])}, {1} in {frozenset([1])})
for f in (lambda: {1} | [2], lambda: {1}.remove(5), lambda: set().pop(), lambda: {[]}, lambda: {1} < 5, lambda: set(5), lambda: {1}.add(), lambda: {1}.union(5), lambda: hash(set()), lambda: {1}.add([]), lambda: frozenset().add(1), lambda: set(1, 2), lambda: set(x=1), lambda: {1}.discard([])):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
c = s.copy()
c.add(55)
print(s == c, s != c, set(), frozenset(), repr(frozenset([1])), {1, 2}.__contains__(1), set('a').__len__())
s.clear()
print(s, bool(s))
#---- slices_assign
l = list(range(10))
l[2:5] = 'ab'
print(l)
l[::2] = [0] * 5 if len(l[::2]) == 5 else [0] * len(l[::2])
print(l)
l[1:1] = [7, 8]
del l[::3]
print(l)
l[5:2] = ['x']
print(l)
l[:] = l
l[2:] = iter([1, 2])
print(l, l[-100:100], l[::-1], l[3:0:-2])
l *= 2
l += (5,)
print(l)
for f in (lambda: l.__setitem__(slice(0, 6, 2), [1]), lambda: l.__setitem__(slice(0, 2), 5), lambda: l.__setitem__('a', 1), lambda: l.__setitem__(99, 1), lambda: l[1.0], lambda: l[::0], lambda: l.__delitem__(50), lambda: [1] + (2,), lambda: [1] * 'a', lambda: [1] * 1.5, lambda: l.index(1000), lambda: l.remove(1000), lambda: [].pop(), lambda: [1].pop(5), lambda: l.insert('a', 1), lambda: l.insert(1), lambda: l.append(), lambda: l.extend(5), lambda: l.pop('a'), lambda: l.count(), lambda: l.copy(1), lambda: l.reverse(1), lambda: (1,).index(5), lambda: (1, 2)['a'], lambda: (1,) + [2], lambda: l.index(1, 5, 6), lambda: list(1, 2), lambda: list(x=1), lambda: tuple(5), lambda: l < 5, lambda: [1] < ['a']):
    try:
        f()
        print('ok')
    except Exception as e:
        print(type(e).__name__, e)
#---- setorder
print({3, 1, 2}, {100, 5, 50, 7, 20}, set([100, 5, 50, 7, 20]), {8, 0, 16, 24}, {-1, -2, -3}, {1.5, 2, 0.5})
s = {0, 8, 16}
s.discard(0)
s.discard(8)
s.add(24)
s.add(8)
print(s, set(range(20, 0, -3)), {i * 7 % 31 for i in range(20)}, set(range(10)) - {3, 4}, {1, 2, 30} | {15, 40, 3}, {5, 9, 33} & {33, 5}, {1, 9, 17} ^ {9, 25})
t = set()
for i in range(50):
    t.add(i * i % 97)
for i in range(0, 97, 3):
    t.discard(i)
print(t, t.copy(), frozenset(t), [t.pop() for _ in range(5)], t)
u = {10, 20, 30}
u.update([5, 15, 25, 35, 45])
u -= {20}
u |= {64, 128, 256}
print(u, sorted(u), list(u)[:3], {(1, 2), (0, 1), (5, 5)}, {True, 5, 9}, set({7: 1, 3: 2, 99: 0}), {1, 2, 3}.union({9, 8}, [17]))
print(set(range(100, 0, -9)).difference(range(0, 50)), set([2 ** 40, 3, 2 ** 33, 17]), {0.1, 0.25, 1e10})
#---- keys_of_tuples
class K(str):
    def __hash__(self): return hash(str(self))
    def __eq__(self, o): return str(self) == str(o)
d = {}
for i in range(40): d[i % 7, 'a' * (i % 3)] = i
print(d, d.get((3, 'a')), d.get((3, 'zz')), (1, '') in d, d.pop((0, ''), None))
d[1, 2.0] = 'f'; d[1, 2] = 'i'; d[True, 2] = 't'; d[(1, (2, 3))] = 'n'
print(d[1, 2], d[1.0, 2.0], d[1, (2, 3)], len(d), d.setdefault((9, 9), 5), d.setdefault((9, 9), 6))
k = K('q'); d[k, 1] = 'k'
print(d['q', 1], d[(k, 1)], ('q', 1) in d, (K('q'), 1) in {('q', 1)})
s = set()
for i in range(50): s.add((i % 5, str(i % 3)))
print(len(s), (1, '1') in s, (9, '1') in s, sorted(s)[:3], s.discard((0, '0')), s.remove((1, '1')), len(s))
try: s.remove((1, '1'))
except KeyError as e: print(e)
print({(-1, -2): 1}[-1, -2], hash((1, 2, 3)) == hash((1, 2, 3.0)), {(): 1}[()], {-1, -2} == {-2, -1})
print(set([3, 1, 2, 1, -1, 10**30, 'a', (1, 2), 2.5]) == {1, 2, 3, -1, 10**30, 'a', (1, 2), 2.5}, set([]), frozenset([1, 1]))
class L(list): pass
print(set(L([1, 2])), {1}.union([2, 3], (4,), 'a') == {1, 2, 3, 4, 'a'})
l = [0]
class E:
    def __hash__(self): l.clear(); return 1
l.append(E()); l.append(5); print(len(set(l)))
