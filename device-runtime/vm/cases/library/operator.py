#---- functions
import operator as op
print(op.add(1, 2), op.sub(5, 3), op.mul('ab', 2), op.truediv(7, 2), op.floordiv(7, 2), op.mod(7, 3), op.pow(2, 8))
print(op.neg(3), op.pos(-3), op.invert(5), op.inv(0), op.abs(-4), op.not_([]), op.truth([0]), op.index(True))
print(op.lt(1, 2), op.le(2, 2), op.eq(1, 1.0), op.ne(1, 2), op.gt(1, 2), op.ge(3, 2), op.is_(None, None), op.is_not(1, None))
print(op.and_(6, 3), op.or_(6, 3), op.xor(6, 3), op.lshift(1, 4), op.rshift(64, 2), op.contains([1, 2], 2))
print(op.concat([1], [2]), op.countOf([1, 2, 1], 1), op.indexOf([3, 4], 4), op.getitem({'a': 1}, 'a'))
l = [1, 2, 3]
op.setitem(l, 0, 9)
op.delitem(l, 1)
print(l, op.iadd(l, [7]), l, op.iconcat(l, [8]), op.imul([1], 3), op.ior({1}, {2}), op.isub(5, 2))
print(op.__add__(1, 2), op.__lt__(1, 2), op.__not__(0), op.__contains__('abc', 'b'), op.length_hint([1, 2]), op.length_hint(iter([1, 2, 3])), op.length_hint(5, 7))
for f in (lambda: op.add(1), lambda: op.add(1, 'x'), lambda: op.indexOf([1], 2), lambda: op.concat(1, 2),
          lambda: op.index(1.5), lambda: op.length_hint([], 'x'), lambda: op.neg(), lambda: op.setitem([], 0, 1),
          lambda: op.getitem([1], 5), lambda: op.lt(1, 'a'), lambda: op.not_(1, 2)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
#---- getters
from operator import itemgetter, attrgetter, methodcaller
print(itemgetter(1)('abc'), itemgetter(0, 2)([1, 2, 3]), itemgetter('k')({'k': 5}), itemgetter(slice(1, None))([1, 2, 3]))


class P:
    def __init__(self, x, inner=None):
        self.x = x
        self.inner = inner

    def hi(self, *a, **k):
        return (self.x, a, k)


p = P(1, P(2))
print(attrgetter('x')(p), attrgetter('inner.x')(p), attrgetter('x', 'inner.x')(p))
print(methodcaller('hi')(p), methodcaller('hi', 1, k=2)(p), methodcaller('upper')('abc'))
print(itemgetter(1, 'a'), attrgetter('a.b', 'c'), methodcaller('f', 1, x=2))
print(sorted([(1, 'b'), (0, 'c'), (1, 'a')], key=itemgetter(1)), list(map(itemgetter(-1), ['ab', 'cd'])))
for f in (lambda: itemgetter(), lambda: itemgetter(5)([1]), lambda: attrgetter(1), lambda: attrgetter('zz')(p),
          lambda: methodcaller(), lambda: methodcaller(3), lambda: methodcaller('nope')(p), lambda: itemgetter(1)(),
          lambda: itemgetter('a')([1])):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
#---- one call after another
import operator

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: operator.add(1,2))
t(lambda: operator.itemgetter(1)('abc'))
t(lambda: operator.itemgetter(0,2)('abc'))
t(lambda: operator.itemgetter(slice(1))('abc'))
t(lambda: operator.itemgetter('a')({'a':1}))
t(lambda: operator.attrgetter('real')(5))
t(lambda: operator.attrgetter('real.imag','imag')(5))
t(lambda: operator.methodcaller('upper')('a'))
t(lambda: operator.methodcaller('split',',',maxsplit=1)('a,b,c'))
t(lambda: repr(operator.itemgetter(1)))
t(lambda: repr(operator.itemgetter(1,2)))
t(lambda: repr(operator.attrgetter('a')))
t(lambda: repr(operator.attrgetter('a','b.c')))
t(lambda: repr(operator.methodcaller('f',1,k=2)))
t(lambda: operator.concat('a','b'))
t(lambda: operator.countOf([1,1],1))
t(lambda: operator.indexOf([1,2],2))
t(lambda: operator.length_hint([1]))
t(lambda: operator.length_hint(5,7))
t(lambda: operator.index(True))
t(lambda: operator.truth([]))
t(lambda: operator.not_(1))
t(lambda: operator.is_(1,1))
t(lambda: operator.inv(1))
t(lambda: operator.contains([1],1))
t(lambda: operator.call(int,'5'))
t(lambda: operator.matmul)
t(lambda: operator.iadd([1],[2]))
t(lambda: operator.pow(2,3))
t(lambda: operator.floordiv(7,2))
t(lambda: operator.is_not(1,2))
t(lambda: operator.__add__(1,2))
t(lambda: operator.iconcat([1],[2]))
t(lambda: operator.neg(1))
t(lambda: operator.lshift(1,2))
t(lambda: operator.itemgetter())
t(lambda: operator.attrgetter())
t(lambda: operator.attrgetter(5))
t(lambda: operator.attrgetter('foo')(5))
t(lambda: operator.attrgetter('real.foo')(5))
t(lambda: operator.methodcaller())
t(lambda: operator.methodcaller(5))
t(lambda: operator.methodcaller('foo')(5))
t(lambda: operator.itemgetter(5)('abc'))
t(lambda: operator.itemgetter(1)(5))
t(lambda: operator.itemgetter(1)())
t(lambda: operator.itemgetter(1)(1,2))
t(lambda: operator.indexOf([1],2))
t(lambda: operator.concat(1,2))
t(lambda: operator.iconcat(1,2))
t(lambda: operator.index(1.5))
t(lambda: operator.index('a'))
t(lambda: operator.length_hint(5,'a'))
t(lambda: operator.length_hint(5,1.0))
t(lambda: operator.add(1))
t(lambda: operator.delitem([1],5))
t(lambda: operator.setitem({},1,2))
t(lambda: operator.matmul(1,2))
t(lambda: operator.call(5))
t(lambda: operator.itemgetter(1)==operator.itemgetter(1))
#---- one call after another 2
import copy, operator
t = ([1], 2)
class E(Exception):
    pass
e = copy.copy(E(1, 2))
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
