"""Exceptions: raised through calls, with finally, as the end of iterators, in with statements."""


class E(Exception):

    def __init__(self, n):
        self.n = n


class F(E):
    pass


def thrower(i):
    if i % 3 == 0:
        raise E(i)
    if i % 3 == 1:
        raise F(i)
    return i


def middle(i):
    try:
        return thrower(i)
    finally:
        stat[i % 3] += 1
stat = [0, 0, 0]


def run(n):
    t = 0
    for i in range(n):
        try:
            t += middle(i)
        except F as f:
            t -= f.n
        except E as e:
            t += 2 * e.n
    return t


def local(n):
    t = 0
    d = {1: 2}
    for i in range(n):
        try:
            t += d[i % 4]
        except KeyError:
            t += 1
        try:
            int('x%d' % i)
        except ValueError as e:
            t += len(str(e))
        try:
            raise ValueError
        except (TypeError, ValueError):
            pass
    return t


class It:

    def __init__(self, n):
        self.n = n
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


class Ctx:
    n = 0

    def __enter__(self):
        self.n += 1
        return self

    def __exit__(self, *a):
        return True


def ctx(n):
    c = Ctx()
    for i in range(n):
        with c as d:
            if i % 2:
                raise KeyError(i)
    return c.n
print(run(60000), local(40000), stat, sum((sum(It(5)) for i in range(10000))), ctx(50000))


def noraise(n):
    t = 0
    for i in range(n):
        try:
            t += i
        except ValueError:
            t = 0
        finally:
            t += 1
    return t
print(noraise(300000))
