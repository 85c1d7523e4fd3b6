"""Calls: methods, properties, closures, defaults, keywords, super, recursion, dunder methods."""


class Counter:
    def __init__(self, start=0):
        self.value = start

    def add(self, n=1):
        self.value += n
        return self

    @property
    def double(self):
        return self.value * 2

    @staticmethod
    def twice(n):
        return n + n

    @classmethod
    def of(cls, n):
        return cls(n)

    def __len__(self):
        return self.value & 15

    def __getitem__(self, i):
        return self.value + i

    def __eq__(self, other):
        return self.value == other.value

    def __lt__(self, other):
        return self.value < other.value


class Stepper(Counter):
    def __init__(self, start=0, step=1):
        super().__init__(start)
        self.step = step

    def add(self, n=1):
        return super().add(n * self.step)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def adder(n):
    total = 0

    def add(i, scale=1):
        nonlocal total
        total += (i + n) * scale
        return total

    return add


def options(a, b=2, *, c=3, d=4):
    return a + b * c - d


def methods(n):
    counter, stepper = Counter(), Stepper(1, 3)
    total = 0
    for i in range(n):
        counter.add().add(2)
        stepper.add(i & 3)
        total += counter.double + Counter.twice(i) + len(counter) + stepper[i]
        if counter == stepper or stepper < counter:
            total -= 1
    return total


def functions(n):
    add, total = adder(7), 0
    for i in range(n):
        add(i)
        add(i, scale=2)
        total += options(i) + options(i, c=1) + options(i, 5, d=i)
    return total + add(0)


def objects(n):
    last = None
    for i in range(n):
        last = Stepper.of(i) if i % 2 else Counter(i)
        last.add()
    return last.value


for _ in range(4):
    print(fib(23), ackermann(2, 60))
    print(methods(40000))
    print(functions(50000))
    print(objects(60000))
