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
#---- one call after another
import types, copy
from typing import *
T=TypeVar('T'); U=TypeVar('U',int,str); B=TypeVar('B',bound='int',covariant=True); P=ParamSpec('P'); Ts=TypeVarTuple('Ts')
class Cp:
    def __init__(s): s.a=[1]
class Cc(Cp):
    def __copy__(s): return 'copied'
    def __deepcopy__(s,m): return ('deep',type(m).__name__)
class Cr:
    def __init__(s,v): s.v=v
    def __reduce__(s): return (Cr,(s.v*2,))
class Cr2:
    def __reduce_ex__(s,p): return (list,(),None,iter([1,2]))
class Cr3:
    def __reduce__(s): return 'glob'
class Cr4:
    def __reduce__(s): return (Cr4,(),{'st':p} if 0 else {'st':1})
class Cr5(dict):
    def __init__(s,*a): s.x=1; super().__init__(*a)
class Gs:
    def __init__(s): s.a=1;s.b=2
    def __getstate__(s): return {'a':s.a}
    def __setstate__(s,d): s.a=d['a']; s.z='set'
class Sl:
    __slots__=('a','b')
class Sl2(Sl):
    pass
class Na:
    def __new__(cls,x): o=super().__new__(cls); o.x=x; return o
    def __getnewargs__(s): return (s.x,)
class Nak:
    def __new__(cls,*,x): o=super().__new__(cls); o.x=x; return o
    def __getnewargs_ex__(s): return (),{'x':s.x}
class Ls(list): pass
class St(str): pass
class It(int): pass
class Tp(tuple): pass
def cyc():
    a=[1]; a.append(a); b=copy.deepcopy(a); return b is not a and b[1] is b
def cyc2():
    d={}; d['s']=d; e=copy.deepcopy(d); return e['s'] is e
def shared():
    x=[1]; y=copy.deepcopy([x,x]); return y[0] is y[1], y[0] is x
def cpo():
    o=Cp(); p=copy.copy(o); q=copy.deepcopy(o); return p.a is o.a, q.a is o.a, type(q).__name__
def sl():
    s=Sl2(); s.a=[1]; s.q=2; t=copy.copy(s); u=copy.deepcopy(s); return t.a is s.a, u.a, u.q, hasattr(u,'b')
def ls():
    l=Ls([1,[2]]); l.x=5; m=copy.copy(l); n=copy.deepcopy(l); return m,m.x,type(m).__name__,n[1] is l[1],n.x
def memo():
    m={}; x=[1]; y=copy.deepcopy(x,m); return len(m), id(x) in m
def meth():
    o=Cp(); m=o.__init__; return copy.deepcopy(m).__self__ is o

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: copy.copy(List[int]))
t(lambda: copy.deepcopy(Union[int,str]))
t(lambda: copy.copy(T) is T)
t(lambda: copy.deepcopy(T) is T)
t(lambda: copy.copy([1,[2]]))
t(lambda: copy.deepcopy({'a':[1,{2}]}))
t(lambda: copy.copy((1,)))
t(lambda: copy.copy({1}))
t(lambda: copy.copy(bytearray(b'a')))
t(lambda: copy.deepcopy((1,[2])))
t(lambda: copy.copy(range(3)))
t(lambda: copy.copy(slice(1,2)))
t(lambda: copy.copy(len) is len)
t(lambda: copy.copy(None))
t(lambda: copy.copy(types.SimpleNamespace(a=1)))
t(lambda: copy.deepcopy(types.SimpleNamespace(a=[1])))
t(lambda: copy.copy(Exception('a')).args)
t(lambda: copy.deepcopy(ValueError([1])).args)
t(lambda: copy.Error.__mro__)
t(lambda: copy.error is copy.Error)
t(lambda: copy.__all__)
t(lambda: copy.copy(int) is int)
t(lambda: copy.deepcopy(len) is len)
t(lambda: copy.copy(property()) is not None)
t(lambda: copy.copy(frozenset([1])))
t(lambda: copy.copy(1j))
t(lambda: copy.copy(...))
t(lambda: cyc())
t(lambda: cyc2())
t(lambda: shared())
t(lambda: cpo())
t(lambda: sl())
t(lambda: ls())
t(lambda: memo())
t(lambda: meth())
t(lambda: copy.copy(Cc()))
t(lambda: copy.deepcopy(Cc()))
t(lambda: copy.copy(Cr(2)).v)
t(lambda: copy.deepcopy(Cr(2)).v)
t(lambda: copy.copy(Cr2()))
t(lambda: copy.deepcopy(Cr2()))
t(lambda: isinstance(copy.copy(Cr3()),Cr3))
t(lambda: copy.copy(Cr4()).st)
t(lambda: copy.copy(Cr5({1:2})))
t(lambda: copy.copy(Cr5({1:2})).x)
t(lambda: copy.deepcopy(Gs()).__dict__)
t(lambda: copy.copy(Gs()).__dict__)
t(lambda: copy.copy(Na(5)).x)
t(lambda: copy.copy(Nak(x=6)).x)
t(lambda: copy.copy(St('a')))
t(lambda: copy.deepcopy(It(5)))
t(lambda: copy.copy(Tp((1,2))))
t(lambda: type(copy.deepcopy(Tp(([1],)))).__name__)
t(lambda: copy.copy(x for x in []))
t(lambda: copy.deepcopy([i for i in [iter([])]]) if 0 else 0)
t(lambda: copy.copy(types.ModuleType('m')))
#---- one call after another 2
import copy
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
memo = {}
copy.deepcopy(a, memo)
print(len(memo) > 0, copy.Error, copy.error)
import copy as cp
print(cp.deepcopy(A.__init__) is A.__init__, cp.copy(A) is A)
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
