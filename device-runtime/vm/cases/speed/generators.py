#---- drains
def numbers(n):
    for i in range(n):
        yield i


print(sum(numbers(5)), sum(numbers(5), 10), sum(numbers(3), 0.5), sum((x / 2 for x in numbers(4))))
print(any(x > 3 for x in numbers(5)), any(x > 9 for x in numbers(5)), any(numbers(0)))
print(all(x < 3 for x in numbers(5)), all(x < 9 for x in numbers(5)), all(numbers(0)))
print(max(numbers(7)), min(x - 3 for x in numbers(7)), max(str(x) for x in numbers(12)))
print(list(numbers(3)), tuple(numbers(3)), set(x % 3 for x in numbers(9)), sorted(-x for x in numbers(4)))
print('-'.join(str(x) for x in numbers(4)), ''.join(x for x in ()), sum([[1], [2]], []))
print(sum(([x] for x in numbers(3)), []))
for empty in (max, min):
    try:
        empty(numbers(0))
    except ValueError as e:
        print(e)
print(max(numbers(0), default=7), max(numbers(5), key=lambda x: -x), sorted(numbers(4), reverse=True))
#---- what drains raise
def broken(n):
    for i in range(n):
        yield i
    raise KeyError(n)


def tried(function, *args):
    try:
        print(function(*args))
    except Exception as e:
        print(type(e).__name__, e, e.__traceback__.tb_next is not None)


def direct():
    return sum(broken(3))


tried(direct)
for f in (sum, any, all, max, min, list, tuple, set, sorted, ''.join):
    tried(f, broken(2))
tried(lambda: sum(x for x in 'ab'))
tried(lambda: ''.join(x for x in (1, 2)))
tried(lambda: max(x for x in (1, 'a')))
tried(lambda: set([x] for x in (1, 2)))
tried(lambda: sorted(x for x in (1, 'a')))
tried(lambda: sum((x for x in (1, 2)), ''))
tried(lambda: list(broken(1), 2))
#---- a generator that drains itself
def eater():
    yield 1
    yield sum(me)


me = eater()
try:
    print(list(me))
except ValueError as e:
    print(e)
#---- next and send
def echo():
    got = None
    while got != 'stop':
        got = yield got
    return 'over'


g = echo()
print(next(g), g.send(1), g.send('x'), next(g), g.__next__())
try:
    g.send('stop')
except StopIteration as e:
    print('value', e.value)
print(next(g, 'default'))
try:
    next(g)
except StopIteration as e:
    print('again', e.value)
try:
    echo().send(1)
except TypeError as e:
    print(e)


def stops():
    yield 1
    raise StopIteration(2)


g = stops()
print(next(g))
try:
    next(g)
except RuntimeError as e:
    print(e, type(e.__cause__).__name__)
print(next(iter([]), 5), next((x for x in 'abc' if x > 'a')))
#---- yield from
def inner(n):
    got = yield n
    print('inner got', got)
    if got == 'raise':
        raise ValueError('from inner')
    return n * 2


def outer():
    a = yield from inner(1)
    try:
        b = yield from inner(2)
    except ValueError as e:
        b = str(e)
    yield a, b
    c = yield from [7, 8]
    print('list gives', c)
    return 'end'


g = outer()
print(next(g))
print(g.send('first'))
print(g.send('raise'))
print(next(g), next(g))
try:
    next(g)
except StopIteration as e:
    print(e.value)


def deep(n):
    if n:
        yield from deep(n - 1)
    yield n


print(sum(deep(200)), len(list(deep(300))))
#---- recursion through sums
def total(n):
    return 1 + sum(total(n - 1) for _ in range(2)) if n else 0


print(total(8))


def chain(n):
    return n + sum(chain(i) for i in range(n - 1, n)) if n else 0


print(chain(150))
try:
    chain(10 ** 6)
except RecursionError:
    print('too deep')
