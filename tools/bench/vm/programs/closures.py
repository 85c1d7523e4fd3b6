"""Closures, decorators, keywords, defaults and spread arguments; sorting by keys."""


def counter():
    n = 0

    def inc(k=1):
        nonlocal n
        n += k
        return n
    return inc


def compose(*fs):

    def go(x):
        for f in fs:
            x = f(x)
        return x
    return go


def curry(a):
    return lambda b: lambda c: a + b * c


def run(n):
    c = counter()
    f = compose(lambda x: x + 1, lambda x: x * 2, lambda x: x - 3)
    t = 0
    for i in range(n):
        t += c() + c(2)
        t += f(i)
        t += curry(i)(2)(3)
    return t


def memo(f):
    cache = {}

    def w(*args):
        if args in cache:
            return cache[args]
        r = cache[args] = f(*args)
        return r
    return w

@memo
def part(n, k):
    if n == 0:
        return 1
    if n < 0 or k == 0:
        return 0
    return part(n - k, k) + part(n, k - 1)


def kw(a, b=2, *, c=3, **k):
    return a + b + c + len(k)


def many(*a, **k):
    return kw(*a, **k)
print(run(60000), part(90, 90))
t = 0
for i in range(40000):
    t += kw(i, c=4) + kw(a=1, b=2) + many(1, 2, c=5) + many(1, z=3)
print(t)
data = list(range(2000))
for i in range(20):
    s = sum(map(lambda x: x * x, filter(lambda x: x % 3 == 0, data)))
    srt = sorted(data, key=lambda x: (x % 7, -x))
print(s, srt[:5])
