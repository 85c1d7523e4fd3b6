"""Generators: trees, pipelines, delegation, send, expressions."""


class Tree:
    def __init__(self, left, value, right):
        self.left = left
        self.value = value
        self.right = right

    def __iter__(self):
        if self.left is not None:
            yield from self.left
        yield self.value
        if self.right is not None:
            yield from self.right


def build(low, high):
    if low >= high:
        return None
    middle = (low + high) // 2
    return Tree(build(low, middle), middle, build(middle + 1, high))


def numbers(n):
    for i in range(n):
        yield i


def squares(source):
    for x in source:
        yield x * x


def only(source, test):
    for x in source:
        if test(x):
            yield x


def averages():
    total, count, last = 0, 0, None
    while True:
        value = yield last
        total += value
        count += 1
        last = total / count


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


for _ in range(3):
    tree = build(0, 4096)
    print(sum(sum(tree) for _ in range(4)))
    print(sum(only(squares(numbers(120000)), lambda x: x % 3 == 1)))
    average = averages()
    next(average)
    for i in range(100000):
        last = average.send(i)
    print(last)
    print(sum(x * y for x in range(300) for y in range(300) if x ^ y & 1))
    print(sum(Countdown(60000)), sum(i * v for i, v in enumerate(numbers(100000))))
    print(max(a - b for a, b in zip(squares(range(80000)), numbers(80000))), any(x > 99998 for x in numbers(100000)))
