#---- iteration
def t(f, *a, **k):
    try:
        r = f(*a, **k)
        print('ok', r)
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(f, *args)


each(iter, [5], [], [5, 6])
t(next, [])
t(next, iter([]))
t(next, iter([]), 'd')
t(next)
each(enumerate, [], [5], [[1], 'a'], [[1], 0, 1])
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
each(map, [], [len], [len, 5])
t(list, map(5, [1]))
t(map, len, x=1)
t(filter, 1)
t(filter, None, 5)
t(list, filter(5, [1]))
t(list, filter(None, [0, 1, 2]))
t(list, filter(lambda x: x > 1, [0, 1, 2]))
each(reversed, [], [5], [{1, 2}])
t(reversed, (x for x in 'a'))
t(list, reversed({1: 2, 3: 4}))
t(list, reversed('abc'))
t(list, reversed(range(5)))
each(sorted, [], [5], [[1], lambda x: x], [[1, 'a']])
t(sorted, [3, 1, 2], reverse=True, key=lambda x: -x)
t(sorted, [1], foo=1)
t(sorted, [1], key=5)
t(sorted, [2, 1], reverse='x')
each(sum, [], [5], [['a']], [['a'], 'b'], [[[1]], []], [[b'a'], b''])
t(sum, [1, 2], start=10)
t(sum, [0.1] * 10)
t(sum, [1, 2.5, True])
t(sum, [1], 2, 3)
each(min, [], [5], [[]])
t(max, [], default=3)
t(max, 1, 2, default=3)
t(max, [1, 'a'])
t(max, 'a', 'bb', key=len)
t(max, [1, 2], foo=1)
t(min, [3, 1], key=None)
t(min, (1, 2), (0, 5))
t(max, ())
each(any, [], [5], [[0, 1]])
t(all, [])
t(all, 1, 2)
each(range, [], [1, 2, 0], [1.5], ['a'], [1, 2, 3, 4])
t(range, x=1)
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
