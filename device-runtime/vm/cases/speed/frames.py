#---- what generators call
def plain(a, b): return (a, b)
def defaults(a, b=2, c=3): return (a, b, c)
def rest(a, *r, k=0, **kw): return (a, r, k, sorted(kw.items()))
def keywords(a, b=2, *, c=3, **k): return (a, b, c, k)
def inner(n):
    for i in range(n): yield i * 10
class Made:
    def __init__(self, a, b='b'): self.a, self.b = a, b
    def method(self, x, y=5): return (self.a, self.b, x, y)
    @property
    def both(self): return (self.a, self.b)
    def __getitem__(self, i): return ('item', i)
    def __setitem__(self, i, v): self.b = (i, v)
    def __add__(self, other): return ('add', other)
    def __lt__(self, other): return other == 'big'
    def __call__(self, *a, **k): return ('called', a, k)
class Bare: pass
class Callable:
    def __init__(self, f): self.f = f
    @staticmethod
    def s(x): return ('s', x)
    @classmethod
    def c(cls, x): return (cls.__name__, x)
def g(n):
    for i in range(n):
        yield plain(i, i + 1)
        yield defaults(i), defaults(i, 7), defaults(i, c=9), defaults(c=1, b=2, a=i)
        yield rest(i), rest(i, 1, 2), rest(i, 1, k=4, z=5), rest(*[i, 8], **{'k': 1, 'y': 2})
        yield keywords(i, c=4), keywords(a=i, b=5), keywords(*(i,), **{'c': 6, 'd': 7}), keywords(i, e=8)
        m = Made(i)
        yield m.method(1), m.method(1, 2), m.method(x=3, y=4), m.both, m[i], m + i, m < 'big', m(1, z=2)
        m[i] = 'set'
        yield Made(i, 'c').both, Made(b='k', a=i).both, m.b, type(Bare()).__name__
        yield Callable.s(i), Callable.c(i), Callable(plain).f(i, 0), (lambda x, y=3: (x, y))(i)
        yield list(inner(i + 1)), sum(inner(i + 2)), max(inner(3)), sorted(inner(2)), ','.join(str(x) for x in inner(3))
        yield [x for x in inner(2)], {x: i for x in inner(2)}, next(inner(1)), next(inner(0), 'none')
        yield len([i]), isinstance(i, int), str(i), int('7'), [*map(plain, [i], [2])]
        yield from (plain(i, x) for x in inner(2))
for item in g(2): print(item)
#---- deep and crossing
def tree(n):
    if n > 0:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 1)
print(list(tree(5)))
def chain(n): return (x + 1 for x in chain(n - 1)) if n else iter([1, 2, 3])
print(list(chain(30)))
def down(n):
    if n == 0:
        yield 'end'
    else:
        for x in down(n - 1): yield x
def far(n): return 0 if n == 0 else 1 + far(n - 1)
def calls():
    for n in (1, 50, 300): yield far(n), next(down(min(n, 200)))
print(list(calls()))
def endless(n): yield from endless(n + 1)
try: list(endless(0))
except RecursionError as e: print('deep', type(e).__name__)
def calls_itself(n): return calls_itself(n + 1)
def asks(): yield calls_itself(0)
a = asks()
try: next(a)
except RecursionError as e: print('deep', type(e).__name__)
print(next(a, 'over'))
#---- failures
def bad(x): return 1 // x
def g(values):
    for v in values:
        try:
            yield bad(v)
        except ZeroDivisionError as e:
            yield 'zero'
        finally:
            print('after', v)
print(list(g([1, 0, 2])))
def open_end(values):
    for v in values: yield bad(v)
x = open_end([1, 0, 2])
print(next(x))
try: next(x)
except ZeroDivisionError as e: print(e)
print(list(x), next(x, 'over'))
def wrong():
    yield 1
    bad()
try: list(wrong())
except TypeError as e: print(e)
def own():
    try: next(me)
    except ValueError as e: print(e)
    yield 1
me = own()
print(list(me))
def through():
    try:
        got = yield 1
        print('got', got)
        yield bad(got)
    except (ZeroDivisionError, KeyError) as e:
        yield ('caught', type(e).__name__)
t = through()
print(next(t), t.send(0))
t = through()
print(next(t), t.throw(KeyError('k')))
t = through()
next(t); t.close(); print(next(t, 'closed'))
#---- asked with a default
def ends():
    yield 1
    return 'value'
e = ends()
print(next(e, 'a'), next(e, 'b'), next(e, 'c'))
e = ends(); next(e, None)
try: next(e)
except StopIteration as stop: print(stop.value)
def kept():
    x = yield from ends()
    yield x
k = kept()
print(next(k, 5), next(k, 6), next(k, 7))
print([(i, a, b) for i, (a, b) in enumerate(zip(ends(), kept()))], [*zip(kept(), ends())])
for i, x in enumerate(kept(), 5): print(i, x)
#---- collected meanwhile
def fill(n): return [[i] * 3 for i in range(n)]
def garbage(n):
    mine = [n]
    for i in range(n):
        fill(50)
        yield mine, fill(2)[1], (i,) + tuple(mine)
total = 0
for mine, f, t in garbage(400): total += mine[0] + f[0] + len(t)
print(total)
def pairs(depth, n):
    held = ['held', depth]
    for i in range(n):
        if depth: yield from pairs(depth - 1, n)
        fill(20)
        yield held[1] + i
print(sum(pairs(3, 6)))
#---- sums of tuples
def f(x, t):
    one = (x,)
    both = one + t
    swap = t + one
    return one, both, swap, (x, x) + t, () + t, (x,) + (), (w := (x,)) + t, w
print(f(1, (2, 3)), f('a', ()))
try: (1,) + [2]
except TypeError as e: print(e)
class T(tuple):
    def __radd__(self, other): return ('radd', other)
    def __add__(self, other): return ('add', other)
print((1,) + T((2,)), T((2,)) + (1,), [(1,) + t for t in [(), (2,), T((3,))]])
items = (0,)
for i in range(5): items = (i,) + items
print(items, len((1, 2) + tuple(range(100))))
#---- texts are the same or not
def same(a, b):
    said = []
    if a == b: said.append('==')
    if a != b: said.append('!=')
    if a == 'name': said.append('name')
    if a != 'other': said.append('not other')
    return said
name = ''.join(['na', 'me'])
for a, b in [('name', name), (name, name), ('a', 'b'), ('other', 'name'), ('', ''), ('é', 'e'), ('x' * 70, 'x' * 70),
             ('x' * 70, 'x' * 69 + 'y'), (1, 'name'), (None, 'name'), ('name', b'name'), ('1', 1), (1.5, '1.5')]:
    print(same(a, b), same(b, a))
class S(str):
    def __eq__(self, other): return 'eq'
    def __ne__(self, other): return ''
    __hash__ = str.__hash__
print(same(S('q'), 'name'), same('name', S('q')))
#---- attributes that come and go
class C:
    shared = 'class'
    def m(self): return 'method'
class Slots:
    __slots__ = ('a', 'b')
def see(o):
    try: return o.a
    except AttributeError as e: return str(e)
def call(o): return o.m()
c, s = C(), Slots()
print(see(c), see(s))
for o in (c, s, c, s): o.a = 1
print(see(c), see(s), [see(x) for x in (c, s, c, s)])
del c.a, s.a
print(see(c), see(s))
C.a = 'in class'
print(see(c), call(c))
c.m = lambda: 'own'
print(call(c), call(C()))
C.m = lambda self: 'changed'
print(call(c), call(C()), see(C))
C.a = property(lambda self: 'property')
print(see(c))
try: c.a = 3
except AttributeError: print('no setter')
#---- keywords beside **
def k(a, b=2, *, c=3, **rest): return (a, b, c, rest)
def only(**rest): return rest
def pos(a, /, b=1, **rest): return (a, b, rest)
for i in range(2):
    print(k(i, c=4), k(a=1, b=2), k(1, z=1), k(b=i, a=0, c=1, z=2), only(), only(x=i), pos(i, b=2), pos(i, a=5))
    print(k(*(1,), **{'b': 2}), k(**{'a': 1, 'y': i}))
x, y = k(1, c=2), k(1, c=2)
x[3]['new'] = 1
print(x, y)
for call in (lambda: k(), lambda: k(1, a=2), lambda: k(1, 2, 3), lambda: pos(b=1), lambda: only(1)):
    try: call()
    except TypeError as e: print(e)
#---- slices with and without steps
bounds = [None, 0, 1, 2, 3, 5, 6, 9, -1, -2, -5, -6, -9, 2**40, -2**40, 2**70, -2**70, True]
steps = [None, 1, 2, 3, 7, -1, -2, -3, -7, 2**40, -2**40, 2**70, -2**70]
def differ(make):
    wrong = []
    for length in (0, 1, 2, 5, 6):
        whole = make(length)
        for a in bounds:
            for b in bounds:
                for c in steps:
                    part = whole[a:b:c]
                    if list(part) != [whole[i] for i in range(*slice(a, b, c).indices(length))] or type(part) is not type(whole):
                        wrong.append((length, a, b, c, part))
    return wrong
print(differ(lambda n: list(range(n))), differ(lambda n: tuple(range(n))), differ(lambda n: 'abcdef'[:n]), differ(lambda n: bytes(range(n))))
t, l = (1, 2, 3), [1, 2, 3]
print(t[:] is t, t[::] is t, t[0:3] is t, l[:] is l, t[::-1], l[::-1], l[5:1:-2])
for v in (t, l, 'abc'):
    try: v[::0]
    except ValueError as e: print(e)
    try: v[::'a']
    except TypeError as e: print(e)
#---- slices put in place
bounds = [None, 0, 1, 3, 5, 8, -1, -3, -9, 2**40, True]
def put(n, a, b, values):
    items = list(range(n))
    items[a:b] = values
    return items
wrong = []
for n in (0, 1, 5):
    for a in bounds:
        for b in bounds:
            for count in range(6):
                values = ['v'] * count
                start, stop, _ = slice(a, b).indices(n)
                stop = max(start, stop)
                if put(n, a, b, values) != list(range(n))[:start] + values + list(range(n))[stop:]: wrong.append((n, a, b, count))
print(wrong)
items = [1, 2, 3, 4]
items[:] = items
items[1:3] = items[2:0:-1]
items[:2] = items
items[1:3] = (7, 8)
items[::2] = [0] * len(items[::2])
print(items)
try: items[::2] = [1]
except ValueError as e: print(e)
class L(list):
    def __setitem__(self, key, value): print('set', key, value)
L([1, 2])[0:1] = [5]
#---- sums of bools
print(sum([True, False, True]), sum([True]), sum([], True), sum([False], True), sum([True, 1.5, False]), type(sum([True])))
print(sum([True] * 3, 2**47 - 2), sum([True, 2**70, True]), sum([0.5, True]), sum([None is None, 1j]))
