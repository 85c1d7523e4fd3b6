#---- keywords and defaults
def f(a, b=2, *, c=3, d):
    return a, b, c, d


def plain(a, b=5, c=6):
    return a, b, c


def only(a, /, b, *, c=1):
    return a, b, c


print(f(1, d=4), f(1, 9, d=0, c=7), f(b=1, a=0, d=2))
print(plain(1), plain(1, 2), plain(1, c=3), plain(c=1, b=2, a=3), plain(*[1, 2]), plain(*[1], **{'c': 9}))
print(only(1, 2), only(1, b=3, c=4))
for call in (lambda: f(1), lambda: plain(), lambda: plain(1, a=2), lambda: plain(1, z=2), lambda: only(a=1, b=2),
             lambda: plain(1, 2, 3, 4), lambda: f(1, 2, 3, d=1), lambda: plain(*range(5))):
    try:
        call()
    except TypeError as e:
        print(e)


def listed(x, into=[]):
    into.append(x)
    return into


print(listed(1), listed(2), listed(3, into=[]), listed(4))
plain.__defaults__ = (1,)
try:
    print(plain(1, 2), plain(1))
except TypeError as e:
    print(e)
#---- methods and classes
class Point:
    made = 0

    def __init__(self, x, y=0, *, name='p'):
        self.x, self.y, self.name = x, y, name
        Point.made += 1

    def moved(self, dx=1, dy=1, **more):
        return self.x + dx, self.y + dy, sorted(more)


class Named(Point):
    def __init__(self, x, name):
        super().__init__(x, name=name)

    def moved(self, *args, **more):
        return super().moved(*args, **more), self.name


class Both(Named, Point):
    def moved(self, dx=5):
        return super().moved(dx, up=1)


for p in (Point(1), Point(1, 2), Point(x=3, name='q'), Named(5, 'n'), Both(6, name='b')):
    print(p.x, p.y, p.name, p.moved(), p.moved(3))
print(Point.made, Named.made, Named(1, 'z').moved(dy=8, z=1))
for i in range(4):
    Point.made = i
    print(Point(1).made, Point.made, end=' ')
Named.made = 'own'
print(Point.made, Named.made)
#---- values that only the arguments hold
class Made:
    def __init__(self, n):
        self.n = n


def keep(a, b=None, c=None, d=None, e=None, g=None):
    junk = [Made(i) for i in range(200)]
    return [x.n if x else x for x in (a, b, c, d, e, g)], len(junk)


for i in range(300):
    r = keep(Made(i), g=Made(i + 1), c=Made(i + 2))
print(r, keep(*[Made(1)], **{'g': Made(2)}))
#---- assignments together
def swap(a, b, c=0):
    a, b = b, a
    a, b, c = b, a + b, a
    b, a = a * 2, b
    return a, b, c


print(swap(1, 2), swap('x', 'y'))
l = [1, 2, 3]
i = 0
i, l[i] = 2, 9
print(i, l)
l[0], l[1], i = l[1], l[0], l[2]
print(l, i)


def local():
    l, i = [5, 6, 7], 0
    i, l[i] = 1, 'a'
    l[i], i = i, 2
    l[(i := 0)] = i
    x = y = l
    x[0], y = y[1], x[2]
    return l, i, y


print(local())


def failing():
    a, b = 1, 2
    try:
        a, b = 3, a / 0
    except ZeroDivisionError:
        pass
    return a, b


print(failing())


def unset():
    if False:
        z = 1
    try:
        y, x = 1, z
    except UnboundLocalError as e:
        print(e)
        return 'unset'


print(unset())


class Box:
    pass


def store():
    b = Box()
    b.x = b.y = 1
    b.x += 2
    b.l = [1, 2, 3, 4]
    b.l[1] += 10
    b.l[1:3] = [0]
    b.l[0:1] += [7, 8]
    n = 1
    b.l[n] += n
    b.z = n
    n = 5
    return b.x, b.y, b.l, b.z, n


print(store())
#---- slices
def cut(x):
    return x[1:], x[:2], x[1:-1], x[:], x[5:], x[-2:], x[2:1], x[::2], x[::-1], x[None:2], x[-99:99]


for x in ([1, 2, 3, 4], (1, 2, 3, 4), 'abcd', 'äbcd', b'abcd', range(4), [], (), ''):
    print(cut(x))
a = [1, 2]
b = a[:]
b.append(3)
print(a, b, a + b, (1,) + (2, 3), () + (), [] + [], (1,) + ())


class L(list):
    def __getitem__(self, key):
        return key


print(L()[1:2], [1, 2, 3][True:], 'abc'[:10 ** 30])
try:
    [1, 2]['a':]
except TypeError as e:
    print(e)
