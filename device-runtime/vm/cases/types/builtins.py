#---- argcounts
def t(f, *a, **k):
    try:
        r = f(*a, **k)
        print('ok', r)
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(f, *args)


each(len, [], [1, 2], [5])
t(len, x=1)
t(abs)
t(abs, 'a')
each(ord, ['ab'], [5], [b'a'], [b'ab'])
each(chr, [-1], [0x110000], ['a'], [1.5])
t(hash, [])
t(hash)
each(divmod, [1], [1, 0], ['a', 1], [7.5, 2])
each(pow, [2], [2, 3, 5], [2, -1, 5], [2, 3, 0], [2.0, 3, 5], ['a', 2])
t(pow, base=2, exp=5)
t(pow, 2, -2)
t(hex, 1.5)
t(bin, 'a')
t(oct, 64)
each(isinstance, [1], [1, 5], [1, (int, 5)], ['a', (int, 5)])
each(issubclass, [1, int], [int, 5], [bool, int])
t(callable)
t(callable, len)
each(getattr, [1], [1, 2], [1, 'foo'], [1, 'foo', 3])
t(hasattr, 1)
t(hasattr, 1, 1)
t(setattr, 1, 'a', 1)
t(setattr, 1, 'a')
t(delattr, 1, 'a')
t(id)
t(repr)
t(repr, 1, 2)
t(ascii, 'é\n')
each(format, [1, 'd', 3], [1, 2], [3.14159, '.2f'])
#---- round
for a in ((2.5,), (3.5,), (-2.5,), (2.675, 2), (1234.5678, -2), (5, -1), (15, -1), (25, -1), (-15, -1), (1.5, None), (True,), (1e300, 2), (0.5, 0), (1e16, -17), (123456789, -3), (2.0 ** 70,)):
    print(a, repr(round(*a)))
for f in (lambda: round('a'), lambda: round(), lambda: round(1, 'a'), lambda: round(1.5, 2.0), lambda: round(float('nan')), lambda: round(float('inf')), lambda: round(1, 2, 3), lambda: round(number=2.567, ndigits=1)):
    try:
        print('ok', f())
    except Exception as e:
        print(type(e).__name__, e)


class R:
    def __round__(self, n=None):
        return ('r', n)


print(round(R()), round(R(), 3))
#---- vars_dir
class A:
    x = 1

    def __init__(self):
        self.y = 2


a = A()
print(vars(a), sorted(k for k in vars(A) if not k.startswith('__')))
print([n for n in dir(a) if not n.startswith('__')], 'append' in dir([]), 'x' in dir(A), dir.__name__)
for f in (lambda: vars(1), lambda: vars(a, a), lambda: dir(1, 2)):
    try:
        f()
    except TypeError as e:
        print(e)


class D:
    def __dir__(self):
        return ['b', 'a']


print(dir(D()))
delattr(a, 'y')
print(vars(a))
try:
    delattr(a, 'y')
except AttributeError as e:
    print(e)
try:
    delattr(a, 5)
except TypeError as e:
    print(e)
#---- remembered_attributes
from collections import *
P=namedtuple('P','x y')
p=P(1,2)
def f():
    t=0
    for i in range(10): t+=p.x+p.y
    return t
print(f(),P.x.__doc__,P(x=3,y=4),p._replace(x=9),p._asdict(),P._make([5,6]))
try: p.x=3
except AttributeError as e: print(e)
class Q(P):
    def __getitem__(self,i): return 'no'
q=Q(1,2)
for i in range(3): print(q.x,q[0])
bad=tuple.__new__(P,(1,))
for i in range(2):
    try: print(bad.x); print(bad.y)
    except IndexError as e: print(e)
try: P(1)
except TypeError as e: print(e)
d=defaultdict(list); d['a'].append(1); d[2].append(3); print(d, d.default_factory)
d=defaultdict(int,{'a':1},b=2); d['c']+=1; print(d)
try: defaultdict(5)
except TypeError as e: print(e)
try: defaultdict()[1]
except KeyError as e: print('KeyError',e)
class DD(defaultdict):
    def __init__(self,*a): super().__init__(list,*a); self.n=1
    def __setitem__(self,k,v): print('set',k,v); super().__setitem__(k,v)
x=DD({1:2}); x[5].append(1); print(x,x.n)
o=OrderedDict.fromkeys('abcde'); o.move_to_end('b'); print(o); o.move_to_end('b',last=False); print(list(o)); o.move_to_end('e',False); print(list(o))
try: o.move_to_end('zz')
except KeyError as e: print(repr(e))
o=OrderedDict({1:2,3:4}); o.move_to_end(True); print(o)
ba=bytearray(b'ab')
for i in range(3): ba.append(65)
print(ba)
dq=deque(maxlen=3)
for i in range(5): dq.append(i)
print(dq)
class L(list):
    z=5
    def __init__(self): super().__init__(); self.k=3
    @property
    def p(self): return self.k*2
    def push(self,x): self.append(x)
l=L()
for i in range(4): l.push(i); l.k+=1
print(l,l.k,l.p,l.z)
L.z=7
def g(o): return o.z
print(g(l)); l.z=9; print(g(l)); del l.z; print(g(l)); L.z=1; print(g(l))
def h(o): return o.count(1)
print(h(l)); L.count=lambda s,x:'own'; print(h(l)); l.count=lambda x:'inst'; print(h(l))
