#---- copy
import copy


class P:
    def __init__(self, x, y):
        self.x, self.y = x, y


p = P([1], {'a': (2, [3])})
q = copy.copy(p)
d = copy.deepcopy(p)
print(q.x is p.x, d.x is p.x, d.x, d.y, d.y['a'][1] is p.y['a'][1], type(d).__name__)
l = [1, [2]]
l.append(l)
m = copy.deepcopy(l)
print(m[2] is m, m[1] is l[1], copy.copy([1, 2]), copy.copy({'a': 1}), copy.copy((1, 2)), copy.copy({1}), copy.deepcopy({1, (2, 3)}))


class C:
    def __copy__(self):
        return 'copied'

    def __deepcopy__(self, memo):
        return 'deep'


print(copy.copy(C()), copy.deepcopy(C()), copy.deepcopy([C()]), copy.copy(5), copy.deepcopy('x'), copy.copy(None), copy.copy(len) is len)


class S:
    __slots__ = ('a', 'b')


s = S()
s.a = [1]
t = copy.deepcopy(s)
print(t.a, t.a is s.a, hasattr(t, 'b'))


class L(list):
    pass


x = L([1, [2]])
x.tag = ['t']
y = copy.copy(x)
z = copy.deepcopy(x)
print(y, type(y).__name__, y.tag is x.tag, z, z.tag, z.tag is x.tag, z[1] is x[1])


class T:
    def __getstate__(self):
        return {'s': 1}

    def __setstate__(self, st):
        self.got = st


print(copy.copy(T()).got)
shared = [0]
a, b = copy.deepcopy([shared, shared])
print(a is b, copy.deepcopy((1, 'a')) == (1, 'a'))
try:
    copy.copy(x for x in [])
except TypeError as e:
    print(e)
#---- copy operator
import copy, operator
class A:

    def __init__(s):
        s.l = [1, [2]]

    def __eq__(s, o):
        return s.l == o.l
a = A()
b = copy.copy(a)
c = copy.deepcopy(a)
print(b.l is a.l, c.l is a.l, c.l[1] is a.l[1], c == a)
class B:

    def __copy__(s):
        return 'copied'

    def __deepcopy__(s, m):
        return ('deep', type(m))
print(copy.copy(B()), copy.deepcopy(B()))
l = [1]
l.append(l)
d = copy.deepcopy(l)
print(d[1] is d, d)
t = ([1], 2)
print(copy.copy(t) is t, copy.deepcopy(t) is t, copy.deepcopy({'a': [1]}), copy.deepcopy({1, 2}), copy.copy(range(3)), copy.deepcopy(len) is len)
class S:
    __slots__ = ('x', 'y')
s = S()
s.x = [1]
q = copy.deepcopy(s)
print(q.x, q.x is s.x, hasattr(q, 'y'))
class R:

    def __init__(s, v):
        s.v = v

    def __reduce__(s):
        return (R, (s.v + 1,))
print(copy.copy(R(1)).v)
class G:

    def __getstate__(s):
        return {'z': 5}

    def __setstate__(s, st):
        s.w = st
print(copy.copy(G()).w)
class N:

    def __new__(cls, a):
        o = object.__new__(cls)
        o.a = a
        return o

    def __getnewargs__(s):
        return (s.a,)
print(copy.copy(N(7)).a)
class L(list):
    pass
x = L([1, [2]])
x.k = [3]
y = copy.deepcopy(x)
print(y, y.k, type(y), y.k is x.k, copy.copy(x).k is x.k)
class E(Exception):
    pass
e = copy.copy(E(1, 2))
print(repr(e), type(e))
try:
    copy.copy((i for i in ()))
except TypeError as e:
    print(e)
memo = {}
copy.deepcopy(a, memo)
print(len(memo) > 0, copy.Error, copy.error)
import copy as cp
print(cp.deepcopy(A.__init__) is A.__init__, cp.copy(A) is A)
g = operator.itemgetter(1)
print(g('abc'), operator.itemgetter(0, 2)('abc'), operator.itemgetter(slice(1, 3))('abcd'), repr(operator.itemgetter(1, 2)), repr(operator.attrgetter('a.b', 'c')), repr(operator.methodcaller('f', 1, x=2)), operator.attrgetter('real', 'imag')(1j), operator.methodcaller('upper')('a'), operator.attrgetter('__class__.__name__')(5))
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: operator.itemgetter(5)('a'))
t(lambda: operator.attrgetter('x')(1))
t(lambda: operator.methodcaller('zz')(1))
t(lambda: operator.add(1, 2, 3))
t(lambda: operator.countOf([1, 1, 2], 1))
t(lambda: operator.indexOf([1], 5))
t(lambda: operator.contains('abc', 'b'))
t(lambda: operator.concat([1], [2]))
t(lambda: operator.setitem([1], 5, 1))
t(lambda: operator.delitem({}, 1))
t(lambda: operator.not_([]))
t(lambda: operator.call(len, 'ab'))
t(lambda: operator.truth([0]))
t(lambda: operator.length_hint([1, 2]))
t(lambda: operator.xor(5, 3))
