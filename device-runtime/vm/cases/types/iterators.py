#---- argcounts
def t(f, *a, **k):
    try:
        r = f(*a, **k)
        print('ok', r)
    except Exception as e:
        print(type(e).__name__, e)


t(len)
t(len, 1, 2)
t(len, 5)
t(len, x=1)
t(abs)
t(abs, 'a')
t(ord, 'ab')
t(ord, 5)
t(ord, b'a')
t(ord, b'ab')
t(chr, -1)
t(chr, 0x110000)
t(chr, 'a')
t(chr, 1.5)
t(hash, [])
t(hash)
t(divmod, 1)
t(divmod, 1, 0)
t(divmod, 'a', 1)
t(divmod, 7.5, 2)
t(pow, 2)
t(pow, 2, 3, 5)
t(pow, 2, -1, 5)
t(pow, 2, 3, 0)
t(pow, 2.0, 3, 5)
t(pow, 'a', 2)
t(pow, base=2, exp=5)
t(pow, 2, -2)
t(hex, 1.5)
t(bin, 'a')
t(oct, 64)
t(isinstance, 1)
t(isinstance, 1, 5)
t(isinstance, 1, (int, 5))
t(isinstance, 'a', (int, 5))
t(issubclass, 1, int)
t(issubclass, int, 5)
t(issubclass, bool, int)
t(callable)
t(callable, len)
t(getattr, 1)
t(getattr, 1, 2)
t(getattr, 1, 'foo')
t(getattr, 1, 'foo', 3)
t(hasattr, 1)
t(hasattr, 1, 1)
t(setattr, 1, 'a', 1)
t(setattr, 1, 'a')
t(delattr, 1, 'a')
t(id)
t(repr)
t(repr, 1, 2)
t(ascii, 'é\n')
t(format, 1, 'd', 3)
t(format, 1, 2)
t(format, 3.14159, '.2f')
#---- iteration
def t(f, *a, **k):
    try:
        r = f(*a, **k)
        print('ok', r)
    except Exception as e:
        print(type(e).__name__, e)


t(iter, 5)
t(iter)
t(iter, 5, 6)
t(next, [])
t(next, iter([]))
t(next, iter([]), 'd')
t(next)
t(enumerate)
t(enumerate, 5)
t(enumerate, [1], 'a')
t(enumerate, [1], 0, 1)
t(list, enumerate('ab', 5))
t(list, enumerate('ab', start=2 ** 70))
t(enumerate, [1], foo=1)
t(zip, 5)
t(zip, [1], 5)
t(zip, foo=1)
t(list, zip([1, 2], [3], strict=True))
t(list, zip([1], [3, 4], strict=True))
t(list, zip([1], [3], [4, 5], strict=True))
t(list, zip([1, 2], [3, 4], [5], strict=True))
t(list, zip())
t(map)
t(map, len)
t(map, len, 5)
t(list, map(5, [1]))
t(map, len, x=1)
t(filter, 1)
t(filter, None, 5)
t(list, filter(5, [1]))
t(list, filter(None, [0, 1, 2]))
t(list, filter(lambda x: x > 1, [0, 1, 2]))
t(reversed)
t(reversed, 5)
t(reversed, {1, 2})
t(reversed, (x for x in 'a'))
t(list, reversed({1: 2, 3: 4}))
t(list, reversed('abc'))
t(list, reversed(range(5)))
t(sorted)
t(sorted, 5)
t(sorted, [1], lambda x: x)
t(sorted, [1, 'a'])
t(sorted, [3, 1, 2], reverse=True, key=lambda x: -x)
t(sorted, [1], foo=1)
t(sorted, [1], key=5)
t(sorted, [2, 1], reverse='x')
t(sum)
t(sum, 5)
t(sum, ['a'])
t(sum, ['a'], 'b')
t(sum, [[1]], [])
t(sum, [b'a'], b'')
t(sum, [1, 2], start=10)
t(sum, [0.1] * 10)
t(sum, [1, 2.5, True])
t(sum, [1], 2, 3)
t(min)
t(min, 5)
t(min, [])
t(max, [], default=3)
t(max, 1, 2, default=3)
t(max, [1, 'a'])
t(max, 'a', 'bb', key=len)
t(max, [1, 2], foo=1)
t(min, [3, 1], key=None)
t(min, (1, 2), (0, 5))
t(max, ())
t(any)
t(any, 5)
t(any, [0, 1])
t(all, [])
t(all, 1, 2)
t(range)
t(range, 1, 2, 0)
t(range, 1.5)
t(range, 'a')
t(range, 1, 2, 3, 4)
t(range, x=1)
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
#---- round
for a in ((2.5,), (3.5,), (-2.5,), (2.675, 2), (1234.5678, -2), (5, -1), (15, -1), (25, -1), (-15, -1), (1.5, None), (True,), (1e300, 2), (0.5, 0), (1e16, -17), (123456789, -3), (2.0 ** 70,)):
    print(a, repr(round(*a)))
for f in (lambda: round('a'), lambda: round(), lambda: round(1, 'a'), lambda: round(1.5, 2.0), lambda: round(float('nan')), lambda: round(float('inf')), lambda: round(1, 2, 3), lambda: round(number=2.567, ndigits=1)):
    try:
        print('ok', f())
    except Exception as e:
        print(type(e).__name__, e)


class R:
    def __round__(self, n=None):
        return ('r', n)


print(round(R()), round(R(), 3))
#---- iterator_types
for v in ([], (), '', b'', {}, set(), range(3), {}.keys(), {}.values(), {}.items()):
    print(type(iter(v)).__name__)
print(type(zip()), type(map(len, [])), type(enumerate([])), type(filter(None, [])), type(reversed([])), type(iter(len, 1)))
print(isinstance(zip(), zip), zip, map, enumerate, filter, reversed, range, slice)
it = iter([1, 2, 3])
print(it.__next__(), it.__length_hint__(), iter(it) is it, hasattr(it, '__iter__'), hasattr(it, '__next__'))
print(next(reversed([1, 2])), list(reversed((1, 2))), [*zip('ab', range(2))])
g = enumerate('ab')
print(g.__next__(), list(g))
m = map(lambda a, b: a + b, [1, 2], [3, 4, 5])
print(list(m), list(m))


class Z(zip):
    pass


print(list(Z([1], [2])))
#---- vars_dir
class A:
    x = 1

    def __init__(self):
        self.y = 2


a = A()
print(vars(a), sorted(k for k in vars(A) if not k.startswith('__')))
print([n for n in dir(a) if not n.startswith('__')], 'append' in dir([]), 'x' in dir(A), dir.__name__)
for f in (lambda: vars(1), lambda: vars(a, a), lambda: dir(1, 2)):
    try:
        f()
    except TypeError as e:
        print(e)


class D:
    def __dir__(self):
        return ['b', 'a']


print(dir(D()))
delattr(a, 'y')
print(vars(a))
try:
    delattr(a, 'y')
except AttributeError as e:
    print(e)
try:
    delattr(a, 5)
except TypeError as e:
    print(e)
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
