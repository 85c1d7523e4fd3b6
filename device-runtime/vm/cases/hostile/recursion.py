#---- plain: recursion
def f():
    f()
f()
#---- through sorted: recursion|raised
def f():
    return sorted([2, 1], key=lambda x: f())
f()
#---- through map: recursion|raised
def f(x):
    return list(map(f, [x]))
f(1)
#---- getattr: recursion|raised
class A:
    def __getattr__(self, n):
        return getattr(self, n)
A().x
#---- getattribute: recursion|raised
class A:
    def __getattribute__(self, n):
        return getattr(self, n)
A().x
#---- setattr: recursion|raised
class A:
    def __setattr__(self, n, v):
        setattr(self, n, v)
A().x = 1
#---- delattr: recursion|raised
class A:
    def __delattr__(self, n):
        delattr(self, n)
del A().x
#---- eq: recursion|raised
class A:
    def __eq__(self, o):
        return self == o
A() == A()
#---- lt: recursion|raised
class A:
    def __lt__(self, o):
        return self < o
A() < A()
#---- hash: recursion|raised
class A:
    def __hash__(self):
        return hash(self)
hash(A())
#---- repr: recursion|raised
class A:
    def __repr__(self):
        return repr(self)
repr(A())
#---- str: recursion|raised
class A:
    def __str__(self):
        return str(self)
str(A())
#---- format: recursion|raised
class A:
    def __format__(self, spec):
        return format(self, spec)
f'{A()}'
#---- bool: recursion|raised
class A:
    def __bool__(self):
        return bool(self)
not A()
#---- len: recursion|raised
class A:
    def __len__(self):
        return len(self)
len(A())
#---- index: recursion|raised
class A:
    def __index__(self):
        return [1, 2][self]
[1, 2][A()]
#---- int: recursion|raised
class A:
    def __int__(self):
        return int(self)
int(A())
#---- float: recursion|raised
class A:
    def __float__(self):
        return float(self)
float(A())
#---- iter: recursion|raised
class A:
    def __iter__(self):
        return iter(self)
list(A())
#---- next: recursion|raised
class A:
    def __iter__(self):
        return self
    def __next__(self):
        return next(self)
list(A())
#---- contains: recursion|raised
class A:
    def __contains__(self, x):
        return x in self
1 in A()
#---- getitem: recursion|raised
class A:
    def __getitem__(self, x):
        return self[x]
A()[1]
#---- setitem: recursion|raised
class A:
    def __setitem__(self, x, y):
        self[x] = y
A()[1] = 2
#---- delitem: recursion|raised
class A:
    def __delitem__(self, x):
        del self[x]
del A()[1]
#---- call: recursion|raised
class A:
    def __call__(self):
        return self()
A()()
#---- call of an instance that is its own call: recursion|raised
class A:
    pass
A.__call__ = A()
A()()
#---- init: recursion|raised
class A:
    def __init__(self):
        A()
A()
#---- new: recursion|raised
class A:
    def __new__(cls):
        return cls()
A()
#---- add: recursion|raised
class A:
    def __add__(self, o):
        return self + o
A() + 1
#---- radd: recursion|raised
class A:
    def __radd__(self, o):
        return o + self
1 + A()
#---- iadd: recursion|raised
class A:
    def __iadd__(self, o):
        self += o
        return self
a = A()
a += 1
#---- neg: recursion|raised
class A:
    def __neg__(self):
        return -self
-A()
#---- enter: recursion|raised
class A:
    def __enter__(self):
        with self:
            pass
    def __exit__(self, *a):
        pass
with A():
    pass
#---- property: recursion|raised
class A:
    @property
    def x(self):
        return self.x
A().x
#---- descriptor: recursion|raised
class D:
    def __get__(self, o, t):
        return o.x
class A:
    x = D()
A().x
#---- yield from itself: recursion|raised
def g():
    yield from g()
list(g())
#---- generators in generators: recursion|raised|ok
def g(n):
    if n:
        yield from g(n - 1)
    yield n
sum(g(3000))
#---- nested list printed: recursion|raised
x = []
for i in range(50000):
    x = [x]
print(x)
#---- nested dict printed: recursion|raised|memory
x = {}
for i in range(50000):
    x = {1: x}
print(x)
#---- nested tuple hashed: recursion|raised
x = ()
for i in range(50000):
    x = (x,)
hash(x)
#---- nested frozenset hashed: recursion|raised|ok
x = frozenset()
for i in range(20000):
    x = frozenset([x])
hash(x)
#---- nested lists compared: recursion|raised
x = []
y = []
for i in range(20000):
    x = [x]
    y = [y]
x == y
#---- nested tuples ordered: recursion|raised
x = ()
y = ()
for i in range(20000):
    x = (x,)
    y = (y,)
x < y
#---- nested dicts compared: recursion|raised|memory
x = {}
y = {}
for i in range(20000):
    x = {1: x}
    y = {1: y}
x == y
#---- list that holds itself printed: ok
x = []
x.append(x)
print(x, str(x))
#---- dict that holds itself printed: ok
x = {}
x[1] = x
print(x)
#---- lists that hold each other compared: recursion|raised
x = []
y = [x]
x.append(y)
z = []
w = [z]
z.append(w)
x == z
#---- exceptions in exceptions printed: recursion|raised
e = Exception()
for i in range(40000):
    e = Exception(e)
str(e)
#---- deep chain of causes: ok|raised|instructions
e = None
for i in range(2000):
    try:
        raise ValueError(i) from e
    except ValueError as x:
        e = x
raise e
#---- wrapped functions: recursion|raised
f = lambda: 0
for i in range(5000):
    f = (lambda g: lambda: g())(f)
f()
#---- chained iterators: ok|recursion|raised|memory|instructions
x = iter([1])
for i in range(100000):
    x = map(lambda v: v, x)
next(x)
#---- chained zips: ok|recursion|raised|memory|instructions
x = iter([1])
for i in range(100000):
    x = zip(x)
next(x)
#---- chained enumerates: ok|recursion|raised|memory|instructions
x = iter([1])
for i in range(100000):
    x = enumerate(x)
next(x)
#---- chained reversed of filters: ok|recursion|raised|memory|instructions
x = iter([1])
for i in range(100000):
    x = filter(None, x)
next(x)
#---- isinstance of nested tuples: ok|recursion|raised|memory|instructions
x = int
for i in range(100000):
    x = (x,)
isinstance('a', x)
#---- except with nested tuples: recursion|raised
x = (ValueError,)
for i in range(100000):
    x = (x,)
try:
    raise KeyError
except x:
    pass
#---- deep class line: recursion|raised|memory|instructions|ok
class A:
    pass
for i in range(3000):
    class A(A):
        pass
A().x
#---- bound methods of bound methods: recursion|raised|ok
class A:
    def f(self):
        return 1
x = A().f
for i in range(100000):
    x = x.__call__
x()
#---- nested format specs: ok|recursion|raised|syntax
s = '{' * 10000 + '}' * 10000
s.format(1)
#---- startswith with nested tuples: ok|recursion|raised|memory|instructions
x = 'a'
for i in range(100000):
    x = (x,)
'a'.startswith(x)
