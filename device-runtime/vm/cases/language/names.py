#---- globals and locals
print(sorted(k for k in globals() if k in ('sys','__name__')))
globals()['newvar']=5
print(newvar, 'newvar' in globals(), globals()['newvar'])
def cl():
    x=1
    def g(): return x, locals()
    return g()
print(cl())
class A:
    q=1
    print(sorted(k for k in locals() if not k.startswith('__')))
del globals()['newvar']
try: newvar
except NameError as e: print(e)
#---- code
def f(a,/,b,*c,d,**e): return a
c=f.__code__; print(c.co_name,c.co_argcount,c.co_posonlyargcount,c.co_kwonlyargcount,c.co_varnames,c.co_flags&0xff,c.co_nlocals)
def o():
    z=1
    def i(): return z
    return i
print(o().__code__.co_freevars,o().__closure__[0].cell_contents,f.__closure__, o().__code__.co_flags)
print(f.__globals__['__name__'])
#---- deep
a=[]
for i in range(500): a=[a]
print(len(repr(a)))
for i in range(1000): a=[a]
try: repr(a)
except RecursionError as e: print(e)
def walk(n):
    if n: yield n; yield from walk(n-1)
print(sum(walk(300)))
class N:
    def __init__(s,n): s.c=N(n-1) if n else None
    def __repr__(s): return f'N({s.c!r})'
print(len(repr(N(150))))
def k(n): return sorted([1],key=lambda x:k(n-1))[0] if n else 1
print(k(150))
def m(n): return list(map(lambda x: m(n-1),[1])) if n else 0
print(len(str(m(150))))
t=()
for i in range(300): t=(t,i)
print(hash(t)==hash(t), t==t)
import copy
u=[]
for i in range(150): u=[u]
print(copy.deepcopy(u)==u)
import json
print(len(json.dumps(u)))
#---- free in comprehensions
def f():
    try: [aa for _ in [1]]
    except NameError as e: print(type(e).__name__,e)
    aa=1
    g=lambda: aa
f()
def h():
    def q(): return bb
    try: {bb for _ in [1]}
    except NameError as e: print(type(e).__name__,e,e.name)
    bb=1
h()
#---- prepared namespace
class M(type):
    @classmethod
    def __prepare__(m,n,b):
        class D(dict):
            def __missing__(s,k):
                if k.startswith('__'): raise KeyError(k)
                s[k]=len(s); return s[k]
        return D()
    def __new__(m,n,b,d): return super().__new__(m,n,b,dict(d))
class E(metaclass=M):
    print(__qualname__,__module__)
    red
    green
    x=red
print(E.red!=E.green, E.x==E.red)
#---- spread twice
for f in [lambda:dict(**{'a':1},a=2), lambda: print(**{'sep':'x'},sep='y'), lambda:[*5], lambda:max(*5,1)]:
    try: print(f())
    except Exception as e: print(type(e).__name__,e)
try: a,*b=5
except TypeError as e: print(e)
class F(float):
    def __repr__(self): return 'F'
print('%s'%F(1),f'{F(2)}',str(F(3)),'{}'.format(F(1)))
#---- names in normal form
ﬁ = 5
print(fi)
class K:
    ℌ = 1
print(K.H, [n for n in vars(K) if len(n) == 1])
def ªb(ｘ, *, ｙ=2): return x + y
print(ab(1), ab(x=1, y=3), ab.__name__)
𝐢mport_ok = 3
print(import_ok, globals().get('import_ok'))
print(getattr(K, 'H'), hasattr(K, 'ℌ'))
ℌ: int = 4
print(__annotations__)
#---- globals
x = 1
def f(): return x
print(f.__globals__ is globals(), globals() is globals(), isinstance(globals(), dict))
globals()['x'] = 5
print(x, f())
globals()['newg'] = 7
print(newg)
del globals()['newg']
try:
    newg
except NameError as e:
    print(e)
print('x' in globals(), globals().get('zz', 3), 'f' in list(globals()), len(globals()) > 3)
globals().update(a1=1, b1=2)
print(a1, b1)
f.__globals__['x'] = 9
print(f())
for n in 'uvw':
    globals()[n] = n * 2
print(u, v, w)
print(globals().pop('u'), 'u' in globals(), globals().setdefault('ss', 5), ss)
try:
    f.__globals__ = {}
except AttributeError as e:
    print(e)
try:
    f.__code__ = 5
except TypeError as e:
    print(e)
#---- modules
import sys, types
x = 1
m = sys.modules['__main__']
m.x = 11
print(x)
m.__dict__['x'] = 12
print(x, vars(m) is globals(), vars(m)['x'], m.__dict__ is vars(m), '__name__' in vars(m))
m.q = 4
print(q)
del m.q
try:
    q
except NameError as e:
    print(e)
mod = types.ModuleType('mm', 'doc')
mod.a = 1
print(mod.__dict__['a'], vars(mod)['a'], mod.__doc__, mod.__name__)
mod.__dict__['b'] = 2
print(mod.b, sorted(k for k in vars(mod) if k[0] != '_'), str(mod))
del vars(mod)['b']
print(hasattr(mod, 'b'), vars(mod).get('b'), dict(vars(mod))['a'], {**vars(mod)}['a'])
other = types.ModuleType('mm')
print(vars(other) is vars(mod), 'a' in vars(other))
#---- code, variables
def outer(p):
    v = 1
    def inner(a, *b, c): return v, p
    return inner
print(outer.__code__.co_cellvars, outer(1).__code__.co_freevars, outer(1).__code__.co_cellvars)
print(type(outer.__code__).__name__, outer.__code__.co_nlocals, outer(1).__code__.co_argcount)
#---- mappings
class M:
    def keys(self): return ['a', 'b']
    def __getitem__(self, k): return k * 2
def kw(**k): return k
print({**M()}, kw(**M()), dict(M()), kw(**M(), c=1), {**M(), 'a': 1})
class D(dict):
    def __iter__(self): return iter(['q'])
    def keys(self): return ['k1']
    def __getitem__(self, k): return 'gi' + k
print({**D(a=1)}, dict(D(a=1)), kw(**D(a=1)), {} | D(a=1))
class E(dict):
    def keys(self): return ['k1']
print({**E(a=1)}, dict(E(a=1)), kw(**E(a=1)), {} | E(a=1))
class F:
    def __init__(self, keys): self.keys = keys
    def __getitem__(self, k): return k
class G:
    @property
    def keys(self): raise ValueError('keys')
for f in (lambda: kw(**F(lambda: [1])), lambda: {**F(lambda: 5)}, lambda: {**F(5)}, lambda: kw(a=1, **M()), lambda: {**G()},
          lambda: {**F(lambda: [[]])}, lambda: kw(**5), lambda: {**5}, lambda: kw(**F(lambda: 'xx'))):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
def gone():
    out = []
    class H:
        def keys(self): return (k for k in 'abc')
        def __getitem__(self, k):
            out.append(k)
            if k == 'c': raise KeyError('c')
            return k
    try:
        {**H()}
    except KeyError as e:
        print(e, out)
gone()
