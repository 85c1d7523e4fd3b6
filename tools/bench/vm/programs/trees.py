"""Binary trees of instances and of tuples: allocation, recursion, the collector."""


class Node:

    def __init__(self, l, r):
        self.left = l
        self.right = r

    def check(self):
        if self.left is None:
            return 1
        return 1 + self.left.check() + self.right.check()


def make(d):
    if d == 0:
        return Node(None, None)
    return Node(make(d - 1), make(d - 1))


def maket(d):
    return (maket(d - 1), maket(d - 1)) if d else (None, None)


def checkt(t):
    l, r = t
    return 1 if l is None else 1 + checkt(l) + checkt(r)
long = make(14)
for d in range(4, 15, 4):
    n = 1 << 14 - d + 4
    print(d, n, sum((make(d).check() for i in range(n // 4))))
    print(sum((checkt(maket(d)) for i in range(n // 4))))
print(long.check())
