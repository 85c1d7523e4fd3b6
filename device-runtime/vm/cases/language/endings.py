#---- weak references
import weakref,gc
class A:
    def __init__(s,n): s.n=n
a=A(1); r=weakref.ref(a, lambda x: print('gone')); p=weakref.proxy(a); print(r() is a,p.n, weakref.getweakrefcount(a)>0)
del a; gc.collect(); print(r())
try: p.n
except ReferenceError as e: print(e)
d=weakref.WeakValueDictionary(); x=A(2); d['k']=x; print(d['k'].n,len(d),list(d)); del x; gc.collect(); print(len(d),'k' in d)
k=weakref.WeakKeyDictionary(); y=A(3); k[y]=1; print(len(k)); del y; gc.collect(); print(len(k))
for v in (1,'a',None,(),[],{},3.5,b'a'):
    try: weakref.ref(v)
    except TypeError as e: print(e)
class S:
    __slots__='a'
try: weakref.ref(S())
except TypeError as e: print(e)
class L(list): pass
l=L(); print(weakref.ref(l)() is l)
def f(): pass
print(weakref.ref(f)() is f)
z=A(5); w=weakref.WeakSet([z]); print(len(w), z in w); del z; gc.collect(); print(len(w))
q=A(6); fin=weakref.finalize(q,print,'final',1); print(fin.alive); del q; gc.collect(); print(fin.alive)
class M:
    def m(self): return 7
m=M(); wm=weakref.WeakMethod(m.m); print(wm()()); del m; gc.collect(); print(wm())
class R(weakref.ref):
    def __init__(s,o,cb=None,x=0): super().__init__(o,cb); s.x=x
    def __new__(c,o,cb=None,x=0): return super().__new__(c,o,cb)
t=A(8); rr=R(t,None,5); print(rr().n,rr.x); del t; gc.collect(); print(rr())
#---- __del__
class D:
    def __init__(s,n): s.n=n
    def __del__(s): print('del',s.n)
d=D(1); del d
print('a')
import gc
c=D(2); c.me=c; del c; gc.collect(); print('b')
e=[D(3)]; del e; print('c')
class E:
    def __repr__(s): return 'E()'
    def __del__(s): raise ValueError('ignored')
x=E(); del x
print('after')
#---- generators
def g():
    try: yield 1; yield 2
    finally: print('fin')
for v in g():
    print(v); break
print('x')
h=g(); next(h); del h
import gc; gc.collect(); print('y')
def cm():
    with open_() as f: yield f
class open_:
    def __enter__(s): return 'f'
    def __exit__(s,*a): print('closed')
for q in cm(): break
print('z')
#---- at the top of a module
class A:

    def __init__(self, n):
        self.n = n

    def __del__(self):
        print('del', self.n)
def f():
    a = A('local')
    print('in f')
f()
print('after f')
x = A('first')
x = A('second')
print('rebound')
l = [A(1), A(2), A(3)]
l.pop()
print('popped')
l[0] = None
print('item')
l.clear()
print('cleared')
def g():
    y = A('y')
    y = None
    print('in g')
    d = {'k': A('d')}
    del d['k']
    print('end g')
g()
A('temp')
print('temp gone')
print('x', x.n)
x = None
print('done')
#---- weak references at the top of a module
import weakref
class C:
    pass
c = C()
r = weakref.ref(c, lambda r: print('cb', r() is None))
print(r() is c)
c = None
print(r())
def mk():
    o = C()
    return weakref.ref(o)
w = mk()
print(w())
d = weakref.WeakValueDictionary()
k = C()
d['a'] = k
print(len(d))
del k
print(len(d))
s = weakref.WeakSet()
e = C()
s.add(e)
print(len(s))
e = 5
print(len(s))
#---- a circle let go
class N:

    def __del__(self):
        print('del N')
a = N()
a.me = a
a = None
import gc
gc.collect()
print('collected')
#---- super objects are kept by who holds them
import gc


class A:
    def f(self):
        return 'A.f'


class B(A):
    def held(self):
        return super()


one = B().held()
gc.collect()
print(one.f())
