#---- list of strings: memory|instructions
x = []
while True:
    x.append('a' * 1000)
#---- string that doubles: memory
x = 'a'
while True:
    x += x
#---- string that grows by one: instructions|memory
x = ''
while True:
    x += 'a'
#---- list repeated: memory
x = [0] * 10**9
#---- tuple repeated: memory
x = (0,) * 10**9
#---- text repeated: memory
'a' * 10**10
#---- bytes repeated: memory
b'a' * 10**10
#---- beyond any size: memory|raised
'a' * 10**18
#---- list beyond any size: memory|raised
[0] * 10**18
#---- bytes of a count: memory
bytes(10**9)
#---- bytes of a huge count: memory|raised
bytes(10**18)
#---- negative count: raised
bytes(-1)
#---- list doubled: memory
l = [1]
for i in range(60):
    l = l + l
#---- nested tuples that hold garbage: memory
x = ()
while True:
    x = (x, x, [0] * 100)
#---- ljust: memory
'a'.ljust(10**9)
#---- center: memory
'a'.center(10**9)
#---- zfill: memory
'a'.zfill(10**9)
#---- rjust of a product: memory
'a'.rjust(2**31 - 1)
#---- list of a range: memory
list(range(10**9))
#---- tuple of a range: memory
tuple(range(10**9))
#---- set of a range: memory
set(range(10**9))
#---- dict of a range: memory
dict.fromkeys(range(10**9))
#---- replace of nothing: memory
'ab'.replace('', 'x' * 10**6) * 1000
#---- replace that grows: memory
('a' * 100000).replace('a', 'b' * 1000)
#---- join that grows: memory
('x' * 10000).join('y' * 10000)
#---- join of shared text: memory|instructions
s = 'a' * 1000000
','.join([s] * 1000)
#---- expandtabs: memory|raised
('\t' * 10000).expandtabs(10**6)
#---- splitlines: memory|instructions
x = []
s = '\n' * 100000
while True:
    x.append(s.splitlines())
#---- split of characters: memory
x = ('a ' * 400000).split()
y = [list(x) for i in range(100)]
#---- format width: memory|raised
'{:1000000000}'.format(1)
#---- format width of many: memory
('{0:100000}' * 30000).format(1)
#---- percent width: memory|raised
'%1000000000d' % 1
#---- percent width of many: memory
'%100000d' * 20000 % ((1,) * 20000)
#---- format precision: memory|raised
'{:.1000000000f}'.format(1.5)
#---- percent precision: memory|raised
'%.1000000000f' % 1.5
#---- f-string parts: memory
s = 'a' * 3000000
f'{s}{s}{s}{s}'
#---- print of shared text: memory|output
s = 'a' * 3000000
print(*[s] * 1000)
#---- repr of shared parts: memory|instructions
t = ()
for i in range(60):
    t = (t, t)
repr(t)
#---- str of a list of strings: memory|instructions
s = 'a' * 100000
str([s] * 10000)
#---- repr that grows by escapes: memory
s = '\x01' * 1500000
repr(repr(repr(s)))
#---- dict that hoards: memory|instructions
x = {}
i = 0
while True:
    x[i] = [i]
    i += 1
#---- set that hoards: memory|instructions
x = set()
i = 0
while True:
    x.add(str(i))
    i += 1
#---- attributes that hoard: memory|instructions
class A:
    pass
a = A()
i = 0
while True:
    setattr(a, 'x' + str(i), i)
    i += 1
#---- classes that hoard: memory|instructions
x = []
while True:
    class A:
        y = 1
    x.append(A)
#---- functions that hoard: memory|instructions
x = []
while True:
    x.append(lambda: x)
#---- generators that hoard: memory|instructions
def g():
    yield [0] * 100
x = []
while True:
    y = g()
    next(y)
    x.append(y)
#---- caught exceptions that hoard: memory|instructions
def f(n):
    if n:
        f(n - 1)
    raise ValueError(n)
x = []
while True:
    try:
        f(40)
    except ValueError as e:
        x.append(e)
#---- chain of exceptions: memory|instructions
e = None
while True:
    try:
        try:
            raise ValueError
        except ValueError as x:
            raise KeyError from e
    except KeyError as y:
        e = y
#---- bound methods that hoard: memory|instructions
x = []
while True:
    x.append(x.append)
#---- iterators that hoard: memory|instructions
x = []
while True:
    x.append(iter(x))
#---- closures that hoard: memory|instructions
def make(x):
    return lambda: x
x = None
while True:
    x = make(x)
#---- deep list, then freed: ok|instructions
x = None
for i in range(100000):
    x = [x]
x = None
for i in range(100000):
    x = [i]
#---- garbage of cycles: ok|instructions
class A:
    pass
for i in range(100000):
    a = A()
    a.me = a
    a.data = [0] * 50
#---- garbage of all sizes: ok|instructions
for size in range(1, 60):
    keep = [(0,) * size for i in range(2000000 // (8 * size + 16))]
    keep = None
#---- sizes that fragment: ok|memory|instructions
for size in range(1, 40):
    keep = [(0,) * size for i in range(3000000 // (8 * size + 16))]
    keep = keep[::64]
#---- list of lists of lists: memory
x = [[] for i in range(10**7)]
#---- dict of dicts: memory
x = {i: {} for i in range(10**7)}
#---- big integers kept: memory|instructions
x = [1 << i for i in range(10**6)]
#---- slices of text: memory|instructions
s = 'ab' * 100000
x = [s[i:] for i in range(10000)]
#---- encode kept: memory|instructions
s = 'ab' * 100000
x = [s.encode() for i in range(10000)]
#---- upper kept: memory|instructions
s = 'ab' * 100000
x = [s.upper() for i in range(10000)]
#---- sorted copies kept: memory|instructions
s = list(range(10000))
x = [sorted(s) for i in range(10000)]
#---- star call of a huge list: memory|recursion|raised
def f(*a):
    return len(a)
x = [0] * 500000
f(*x)
#---- star call many times over: memory|recursion|raised
def f(*a):
    return len(a)
x = [0] * 100000
f(*x, *x, *x, *x, *x, *x, *x, *x)
#---- double star call of a huge dict: memory|recursion|raised|instructions
def f(**a):
    return len(a)
x = {'a' + str(i): 0 for i in range(40000)}
f(**x)
#---- unpack of a huge list: raised
a, b = [0] * 500000
#---- starred unpack of a huge range: memory
a, *b = range(10**9)
#---- print without end: memory|output|instructions
while True:
    print('x' * 1000)
#---- print many small: output|instructions
while True:
    print(end='.')
#---- names interned: memory|instructions
class A:
    pass
a = A()
i = 0
while True:
    getattr(a, 'name' + str(i), None)
    i += 1
#---- format spec as big as memory: ok|memory|raised
format(1, '0' * 1000000)
#---- chr and ord: raised
chr(10**20)
#---- range of huge numbers: ok|raised
len(range(10**18))
r = range(10**30)
r[10**29]
#---- slice with huge numbers: ok
[1, 2, 3][-10**30:10**30:10**25]
#---- text slice with huge numbers: ok
'abc'[-10**30:10**30:10**25]
#---- big list sorted by key: memory
sorted(range(10**7), key=lambda x: x)
#---- reversed list of list: memory
list(reversed(range(10**9)))
#---- enumerate kept: memory
list(enumerate(range(10**9)))
#---- zip kept: memory
list(zip(range(10**9), range(10**9)))
#---- map kept: memory
list(map(str, range(10**9)))
