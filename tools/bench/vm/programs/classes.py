"""Classes: inheritance, super, properties, class variables, operators, linked lists."""


class Shape:
    count = 0

    def __init__(self, name):
        self.name = name
        Shape.count += 1

    def area(self):
        raise NotImplementedError

    def describe(self):
        return self.name + ':' + str(int(self.area()))


class Rect(Shape):

    def __init__(self, w, h):
        super().__init__('rect')
        self.w = w
        self.h = h

    def area(self):
        return self.w * self.h


class Square(Rect):

    def __init__(self, s):
        super().__init__(s, s)
        self.name = 'square'

    @property
    def side(self):
        return self.w

    @side.setter
    def side(self, v):
        self.w = self.h = v

    @staticmethod
    def unit():
        return Square(1)

    @classmethod
    def of(cls, s):
        return cls(s)


class Stack:

    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def __contains__(self, x):
        return x in self.items

    def __bool__(self):
        return True

    def __iter__(self):
        return iter(self.items)

    def __eq__(self, o):
        return self.items == o.items


class Fraction:

    def __init__(self, n, d=1):
        a, b = (n, d)
        while b:
            a, b = (b, a % b)
        self.n = n // a
        self.d = d // a

    def __add__(self, o):
        return Fraction(self.n * o.d + o.n * self.d, self.d * o.d)

    def __mul__(self, o):
        return Fraction(self.n * o.n, self.d * o.d)

    def __lt__(self, o):
        return self.n * o.d < o.n * self.d

    def __hash__(self):
        return hash((self.n, self.d))

    def __eq__(self, o):
        return self.n == o.n and self.d == o.d


class Account:

    def __init__(self, owner, balance=0):
        self.owner = owner
        self._b = balance
        self.log = []

    def deposit(self, n):
        if n <= 0:
            raise ValueError('bad')
        self._b += n
        self.log.append(('d', n))
        return self._b

    def withdraw(self, n):
        if n > self._b:
            return False
        self._b -= n
        self.log.append(('w', n))
        return True

    @property
    def balance(self):
        return self._b


class LinkedList:

    class Node:

        def __init__(self, v, nxt=None):
            self.v = v
            self.next = nxt

    def __init__(self):
        self.head = None
        self.n = 0

    def push(self, v):
        self.head = LinkedList.Node(v, self.head)
        self.n += 1

    def reverse(self):
        p = None
        c = self.head
        while c:
            c.next, p, c = (p, c, c.next)
        self.head = p

    def __iter__(self):
        c = self.head
        while c:
            yield c.v
            c = c.next


def main():
    t = 0
    for i in range(12000):
        r = Rect(i, 2)
        s = Square.of(i)
        t += r.area() + s.area() + len(s.describe()) + s.side
        s.side = 3
        t += s.area() + Square.unit().area()
        t += isinstance(s, Rect) + isinstance(r, Square)
    st = Stack()
    for i in range(15000):
        st.push(i)
        st.push(i + 1)
        t += st.pop() + st[0] + len(st)
        if st:
            t += 1
    f = Fraction(0)
    for i in range(1, 4000):
        f = Fraction(1, i % 9 + 1) + Fraction(i % 5, 7)
        if f < Fraction(1, 2):
            t += 1
    a = Account('x', 10)
    for i in range(20000):
        a.deposit(i + 1)
        a.withdraw(i)
        t += a.balance
    l = LinkedList()
    for i in range(10000):
        l.push(i)
    for i in range(6):
        l.reverse()
        t += sum(l)
    print(t, Shape.count, f.n, f.d)
main()
