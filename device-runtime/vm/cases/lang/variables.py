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
#---- code
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
