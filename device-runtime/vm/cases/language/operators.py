#---- missing format index length_hint reversed
class DD(dict):

    def __missing__(self, k):
        print('miss', k)
        return k * 2
d = DD(a=1)
print(d['a'], d['b'], d.get('c'), 'c' in d)
class I:

    def __index__(self):
        return 3

    def __format__(self, s):
        return 'F<%s>' % s

    def __length_hint__(self):
        print('lh')
        return 10

    def __iter__(self):
        return iter((1, 2))

    def __reversed__(self):
        return iter('rev')
i = I()
print([0, 1, 2, 3, 4][i], 'abcdef'[i:], bytes(i), hex(i), bin(i), oct(i), range(i), [1] * i, format(i, 'xx'), f'{i:>{i}}', '{:abc}'.format(i), list(reversed(i)))
import operator
print(operator.length_hint(i), operator.index(i))
class BadI:

    def __index__(self):
        return 'x'
for f in (lambda: [1][BadI()], lambda: operator.index(BadI()), lambda: int(BadI()), lambda: range(BadI()), lambda: 'a' * BadI(), lambda: hex(BadI()), lambda: round(1.5, BadI())):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
#---- inplace reflected
class X:

    def __init__(s, n):
        s.n = n

    def __repr__(s):
        return 'X%s' % s.n
for op in 'add sub mul matmul truediv floordiv mod pow lshift rshift and xor or divmod'.split():

    def mk(kind, op=op):

        def f(self, o, *m):
            return (kind + op, self, o) + m
        return f
    setattr(X, '__%s__' % op, mk(''))
    setattr(X, '__r%s__' % op, mk('r'))
    if op != 'divmod':
        setattr(X, '__i%s__' % op, mk('i'))
x = X(1)
print(x + 1, 1 + x, x @ 2, 2 @ x, x ** 3, 3 ** x, pow(x, 2, 3), divmod(x, 1), divmod(1, x), x // 2, x % 2, 2 % x, x << 1, x >> 1, 1 << x, x & 1, x ^ 1, x | 1)
for op in ['+', '-', '*', '@', '/', '//', '%', '**', '<<', '>>', '&', '^', '|']:
    ns = X(5)
    y = x
    if op == '+':
        y += 1
    elif op == '-':
        y -= 1
    elif op == '@':
        y @= 1
    elif op == '**':
        y **= 1
    elif op == '|':
        y |= 1
    elif op == '/':
        y /= 1
    print(op, y)
class Sub(X):

    def __radd__(s, o):
        return ('subradd', s, o)
print(X(1) + Sub(2), Sub(2) + X(1), X(1) - Sub(3))
class N:

    def __add__(s, o):
        return NotImplemented
    __radd__ = __add__

    def __lt__(s, o):
        return NotImplemented

    def __eq__(s, o):
        return NotImplemented
try:
    N() + N()
except TypeError as e:
    print(e)
try:
    N() + 1
except TypeError as e:
    print(e)
try:
    N() < N()
except TypeError as e:
    print(e)
print(N() == N(), N() != N())
try:
    n = N()
    n += 1
except TypeError as e:
    print(e)
try:
    n @= 2
except TypeError as e:
    print(e)
#---- hash eq
class P:

    def __eq__(s, o):
        return True
try:
    hash(P())
except TypeError as e:
    print(e)
print(P.__hash__, P() != 1)
class Q:
    __hash__ = None
try:
    {Q()}
except TypeError as e:
    print(e)
class R:

    def __hash__(s):
        return 'x'
try:
    hash(R())
except TypeError as e:
    print(e)
class S:

    def __hash__(s):
        return 2 ** 70
print(hash(S()) == hash(2 ** 70))
class T1:

    def __hash__(s):
        return -1
print(hash(T1()))
class BoolBad:

    def __bool__(s):
        return 2
try:
    bool(BoolBad())
except TypeError as e:
    print(e)
class LenBad:

    def __init__(s, v):
        s.v = v

    def __len__(s):
        return s.v
for v in (-1, 'a', 2 ** 100, 1.5, True):
    try:
        print(len(LenBad(v)))
    except Exception as e:
        print(type(e).__name__, e)
    try:
        print(bool(LenBad(v)))
    except Exception as e:
        print(type(e).__name__, e)
class RB:

    def __repr__(s):
        return 5

    def __str__(s):
        return 6

    def __format__(s, f):
        return 7

    def __bytes__(s):
        return 'x'

    def __int__(s):
        return 'x'

    def __float__(s):
        return 'x'

    def __complex__(s):
        return 'x'

    def __iter__(s):
        return 5

    def __reversed__(s):
        return 5

    def __round__(s, *a):
        return ('round', a)

    def __trunc__(s):
        return 't'

    def __floor__(s):
        return 'fl'

    def __ceil__(s):
        return 'ce'

    def __dir__(s):
        return 5

    def __contains__(s, x):
        return 'yes'
import math
r = RB()
for f in (repr, str, format, bytes, int, float, complex, iter, reversed, round, math.trunc, math.floor, math.ceil, dir, lambda r: 1 in r, lambda r: round(r, 2), lambda r: f'{r}', lambda r: '%s' % r, lambda r: '%r' % r, lambda r: list(r)):
    try:
        print(f(r))
    except Exception as e:
        print(type(e).__name__, e)
#---- getattr protocol
class A:

    def __getattribute__(s, n):
        if n == 'boom':
            raise AttributeError('ga ' + n)
        return object.__getattribute__(s, n)

    def __getattr__(s, n):
        return 'fallback ' + n

    def __setattr__(s, n, v):
        print('set', n, v)
        object.__setattr__(s, n, v)

    def __delattr__(s, n):
        print('del', n)
        object.__delattr__(s, n)
a = A()
a.x = 1
print(a.x, a.boom, a.nothing, getattr(a, 'q', 3), hasattr(a, 'zz'))
del a.x
try:
    del a.x
except AttributeError as e:
    print(e, e.name, e.obj is a)
class B:
    __slots__ = ('p', 'q')
b = B()
b.p = 1
for f in (lambda: b.q, lambda: setattr(b, 'r', 1), lambda: b.__dict__, lambda: delattr(b, 'q')):
    try:
        print(f())
    except AttributeError as e:
        print(e)
print(B.p, B.__slots__, type(B.p))
class C(B):
    pass
c = C()
c.z = 3
print(c.__dict__)
class E(B):
    __slots__ = {'doc': 'help'}
print(E.__slots__)
for bad in [dict(__slots__='1a'), dict(__slots__=('a', 'a'), a=3), dict(__slots__=(3,))]:
    try:
        type('Z', (), bad)
        print('ok')
    except Exception as e:
        print(type(e).__name__, e)
try:
    type('Z', (int,), dict(__slots__=('a',)))
    print('ok')
except Exception as e:
    print(type(e).__name__, e)
#---- calls mixes
def f(*a, **k):
    return (a, k)
class O:
    pass
o = O()
o.f = f
o.d = {'f': f}
o.o = o
o.l = [1, 2]
print(o.f(o.l[0], *o.l, o.o.l[1], x=o.d['f'](1), **{'y': o.o.o.f()}))
print(f(*[1], 2, *(3,), *'ab', k=1, **{'a': 2}, b=3, **{'c': 4}))
print(o.d['f'](o.l[0] if o.l else o.l[1], not o.l, -o.l[0], o.l[0] < o.l[1] < 3, *(x for x in o.l)))
print((lambda *a, k=o.l[0], **kw: (a, k, kw))(*o.l, z=o.l[1]))
x = [o.l[0], *o.l, {**{'a': o.l}, 'b': o.l[0]}, {*o.l, o.l[0]}, (o.l[0], *o.l), f"{o.l[0]!r:>{o.l[1]}}{o.d['f'](1)}"]
print(x)
print(o.l[o.l[0]:], o.l[-o.l[0]], o.l[::o.l[0]], o.l[(lambda: 0)()])
o.l[o.l[0] - 1], o.l[1] = (o.l[1], o.l[0])
print(o.l)
o.l[0] += o.l[1]
o.z = o.y = o.l[0]
o.z += 1
print(o.z, o.y, o.l)
a, (b, *c), d = (1, (2, 3, 4), [5])
print(a, b, c, d)
[a, [b, c]] = (1, (2, 3))
(a, b), c = ('xy', 'z')
print(a, b, c)
for i, (j, *k) in enumerate(['abc', 'de']):
    print(i, j, k)
for o.q in range(2):
    pass
for o.l[0] in range(3):
    pass
print(o.q, o.l)
with (lambda: type('C', (), {'__enter__': lambda s: (1, (2, 3)), '__exit__': lambda *a: print('exit', a[1:])})())() as (a, (b, c)):
    print(a, b, c)
print(*[i * j for i in range(3) for j in range(i) if i + j], sep='-', end='!\n')
print({k: v for k, v in zip('ab', (1, 2))}, {i // 2 for i in range(5)}, list(((i, j) for i in 'ab' for j in range(2))))
print([[x for x in range(y)] for y in range(3)], [lambda: i for i in range(3)][0](), [(lambda i=i: i)() for i in range(3)])
print([(y := 1), y ** 2, (z := 5) + z], y, z, [(last := i) for i in range(3)], last)
if (n := len('abc')) > 2 and (m := (n * 2)):
    print(n, m)
print(1 if 0 else 2 if 0 else 3, (1, 2)[True], not 1 == 2, 1 < 2 > 1 != 0, 1 in [1] in [[1]], None is None is not True)
print(1000, 255, 2, 15, 0.001, 10.01, 1j, 0.5, 5.0, 3735928559, 100000.0, 0, f'abc{1}d', b'ab', '\\n', '\\x', b'\\n', u'x')
print(-2 ** 2, 2 ** (-1), 2 ** 3 ** 2, (-2) ** 2, ~1, -~1, not not 1, 7 // -2, -7 % 3, 7 % -3, -7.5 // 2, 5 ^ 3 | 2 & 6 << 1, 1 or (2 and 3), 1 << 2 + 1)
