#---- list cleared by a sort key: ok|raised
x = [3, 1, 2] * 100
def key(v):
    x.clear()
    return v
x.sort(key=key)
#---- list cleared by a comparison: ok|raised
class A:
    def __lt__(self, o):
        x.clear()
        return True
x = [A() for i in range(100)]
x.sort()
#---- list grown by a comparison: ok|raised
class A:
    def __lt__(self, o):
        x.append(1)
        return True
x = [A() for i in range(100)]
x.sort()
#---- list cleared by eq in index: ok|raised
class A:
    def __eq__(self, o):
        x.clear()
        return False
x = [A() for i in range(100)]
x.index(1)
#---- list cleared by eq in count: ok|raised
class A:
    def __eq__(self, o):
        x.clear()
        return False
x = [A() for i in range(100)]
x.count(1)
#---- list cleared by eq in remove: ok|raised
class A:
    def __eq__(self, o):
        x.clear()
        return True
x = [A() for i in range(100)]
x.remove(1)
#---- list cleared by eq of lists: ok|raised
class A:
    def __eq__(self, o):
        x.clear()
        y.clear()
        return True
x = [A() for i in range(100)]
y = [A() for i in range(100)]
x == y
#---- list cleared by its own iteration: ok
x = [1, 2, 3]
for i in x:
    x.clear()
#---- list cleared by an index: ok|raised
class I:
    def __index__(self):
        x.clear()
        return 50
x = list(range(100))
x[I()]
#---- list cleared by a slice: ok|raised
class I:
    def __index__(self):
        x.clear()
        return 50
x = list(range(100))
x[I():I()] = [1, 2, 3]
#---- list cleared by an insert: ok|raised
class I:
    def __index__(self):
        x.clear()
        return 50
x = list(range(100))
x.insert(I(), 1)
#---- list cleared by a pop: ok|raised
class I:
    def __index__(self):
        x.clear()
        return 50
x = list(range(100))
x.pop(I())
#---- list cleared by a repeat: ok|raised
class I:
    def __index__(self):
        x.clear()
        return 50
x = list(range(100))
x * I()
#---- list changed by a repr: ok|raised
class A:
    def __repr__(self):
        x.clear()
        return 'a'
x = [A() for i in range(100)]
repr(x)
#---- dict cleared by a repr: ok|raised
class A:
    def __repr__(self):
        x.clear()
        return 'a'
x = {i: A() for i in range(100)}
repr(x)
#---- set cleared by a repr: ok|raised
class A:
    def __repr__(self):
        x.clear()
        return 'a'
x = {A() for i in range(100)}
repr(x)
#---- dict cleared by a hash: ok|raised
class A:
    def __hash__(self):
        x.clear()
        return 1
x = {}
for i in range(10):
    x[A()] = 1
#---- dict cleared by an eq: ok|raised
class A:
    def __hash__(self):
        return 1
    def __eq__(self, o):
        x.clear()
        return False
x = {}
for i in range(10):
    x[A()] = 1
#---- dict grown by an eq: ok|raised|recursion
class A:
    def __hash__(self):
        return 1
    def __eq__(self, o):
        for i in range(100):
            x[i + len(x)] = 1
        return False
x = {}
for i in range(10):
    x[A()] = 1
#---- set cleared by an eq: ok|raised
class A:
    def __hash__(self):
        return 1
    def __eq__(self, o):
        x.clear()
        return False
x = set()
for i in range(10):
    x.add(A())
x & {A()}
x - {A()}
#---- dicts changed while they are compared: ok|raised
class A:
    def __eq__(self, o):
        x.clear()
        y.clear()
        return True
x = {i: A() for i in range(100)}
y = {i: A() for i in range(100)}
x == y
#---- dict changed while it is updated: ok|raised
class A:
    def keys(self):
        return self
    def __iter__(self):
        return iter(range(100))
    def __getitem__(self, k):
        x.clear()
        return k
x = {}
x.update(A())
#---- list that extends from what clears it: ok|raised
def g():
    for i in range(100):
        x.clear()
        yield i
x = [1]
x.extend(g())
x[:] = g()
x += g()
#---- join that changes its list: ok|raised
class A(list):
    pass
x = ['a'] * 100
class S:
    def __str__(self):
        x.clear()
        return 'a'
','.join([str(S())] + x)
#---- map whose function clears: ok
x = list(range(100))
def f(v):
    x.clear()
    return v
list(map(f, x))
#---- generator that runs itself: raised
def g():
    yield next(it)
it = g()
next(it)
#---- generator thrown into itself: raised
def g():
    it.throw(ValueError)
    yield 1
it = g()
next(it)
#---- generator closed in itself: raised
def g():
    it.close()
    yield 1
it = g()
next(it)
#---- generator that ignores its end: raised|ok
def g():
    while True:
        try:
            yield 1
        except BaseException:
            pass
it = g()
next(it)
it.close()
#---- class changed while it is used: ok|raised
class A:
    def f(self):
        del A.f
        return self.f()
A().f()
#---- instance changed by its own attribute: ok|raised
class A:
    def __getattr__(self, n):
        self.__dict__.clear()
        setattr(self, n, 1)
        return 1
a = A()
for i in range(1000):
    getattr(a, 'x' + str(i))
#---- bool that gives no bool: raised
class A:
    def __bool__(self):
        return 5
if A():
    pass
#---- len that gives no length: raised
class A:
    def __len__(self):
        return -1
len(A())
#---- len that gives too much: raised
class A:
    def __len__(self):
        return 10 ** 30
len(A())
#---- length hint that lies: ok|raised
class A:
    def __length_hint__(self):
        return 10 ** 15
    def __iter__(self):
        return iter([1])
list(A())
#---- length that lies: ok|raised
class A:
    def __len__(self):
        return 10 ** 15
    def __iter__(self):
        return iter([1])
list(A())
tuple(A())
#---- hash that gives no number: raised
class A:
    def __hash__(self):
        return 'x'
{A(): 1}
#---- hash that gives a huge number: ok
class A:
    def __hash__(self):
        return 10 ** 100
{A(): 1}
#---- index that gives no number: raised
class A:
    def __index__(self):
        return 'x'
[1][A()]
#---- iter that gives no iterator: raised
class A:
    def __iter__(self):
        return 5
list(A())
#---- repr that gives no text: raised
class A:
    def __repr__(self):
        return 5
repr(A())
#---- methods with a wrong self: raised
list.append(5, 1)
#---- dict method with a wrong self: raised
dict.get([], 1)
#---- text method with a wrong self: raised
str.upper(5)
#---- init of another class: raised
class A:
    def __init__(self):
        self.x = 1
A.__init__(5)
#---- init of an exception on a number: raised
Exception.__init__(5)
#---- new without a class: raised
object.__new__(5)
#---- new of another class: raised
int.__new__(str)
#---- new of a list as a dict: raised
dict.__new__(list)
#---- raise of no exception: raised
raise 5
#---- raise of a class that makes no exception: raised
class E(Exception):
    def __new__(cls):
        return 5
raise E
#---- except of no class: raised
try:
    raise ValueError
except 5:
    pass
#---- inherit from an instance: raised
class A(5):
    pass
#---- inherit from itself twice: raised
class A:
    pass
class B(A, A):
    pass
#---- orders that contradict: raised
class A:
    pass
class B(A):
    pass
class C(A, B):
    pass
#---- slots that lie: raised|ok
class A:
    __slots__ = 'a' * 10000
A().b = 1
#---- dict replaced: raised|ok
class A:
    pass
a = A()
a.__dict__ = 5
#---- class replaced: raised|ok
class A:
    pass
class B:
    __slots__ = ('x',)
a = A()
a.x = 1
a.__class__ = B
#---- class replaced by a built-in: raised
class A:
    pass
A().__class__ = list
#---- sort that fails half way: raised
class A:
    def __lt__(self, o):
        raise ValueError
x = [A() for i in range(10)]
x.sort()
#---- iterator that comes back: ok|raised
class A:
    n = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.n += 1
        if self.n % 2:
            raise StopIteration
        return 1
a = A()
list(a) + list(a) + list(zip(a, a))
#---- super without a class: raised
super().x
#---- super of strangers: raised
class A:
    pass
super(A, 5).x
#---- exception that changes while it is printed: raised|ok
class E(Exception):
    def __str__(self):
        self.args = ()
        raise ValueError
raise E(1, 2)
#---- exception whose text is no text: raised
class E(Exception):
    def __str__(self):
        return 5
raise E
#---- traceback through many: raised|recursion
def f(n):
    if n == 0:
        raise ValueError('x' * 10000)
    f(n - 1)
f(150)
