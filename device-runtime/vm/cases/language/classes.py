class Base:
    kind = "base"
    def __init__(self, name):
        self.name = name
    def hello(self):
        return f"{self.kind} {self.name}"
    @property
    def upper(self):
        return self.name.upper()
    @upper.setter
    def upper(self, v):
        self.name = v.lower()
    @staticmethod
    def make():
        return Base("made")
    @classmethod
    def of(cls, n):
        return cls(n)
    def __repr__(self):
        return f"<{type(self).__name__} {self.name}>"
class Derived(Base):
    kind = "derived"
    def hello(self):
        return "d:" + super().hello()
    def __eq__(self, other):
        return isinstance(other, Derived) and self.name == other.name
    def __hash__(self):
        return hash(self.name)
    def __len__(self):
        return 3
    def __getitem__(self, i):
        if i > 2:
            raise IndexError
        return i * 10
    def __contains__(self, x):
        return x == 1
    def __add__(self, other):
        return "added"
    def __radd__(self, other):
        return "radded"
    def __call__(self, *a):
        return a
    def __lt__(self, other):
        return self.name < other.name
    def __bool__(self):
        return False
    def __iadd__(self, n):
        self.name += n
        return self
b, d = Base("x"), Derived("y")
print(b.hello(), d.hello(), b.upper, Base.make(), Derived.of("z"), isinstance(d, Base), [b, d])
b.upper = "NEW"
print(b.name, d == Derived("y"), d != Derived("q"), len(d), list(d), 1 in d, d + 1, 1 + d, d(1, 2), bool(d))
print(sorted([Derived("c"), Derived("a")]), {d: 1}[Derived("y")], len({Derived("a"), Derived("a")}))
d += "!"
print(d.name, hasattr(d, "nope"), getattr(d, "nope", 5), vars if False else d.__dict__)
class A:
    def who(self): return "A"
class B(A):
    def who(self): return "B" + super().who()
class C(A):
    def who(self): return "C" + super().who()
class D(B, C):
    def who(self): return "D" + super().who()
print(D().who(), [c.__name__ for c in D.__mro__])
class Count:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 3:
            raise StopIteration
        return self.n
print(list(Count()), [x for x in Count()])
def gen(n):
    for i in range(n):
        got = yield i
        if got:
            print("got", got)
    return "result"
def chain():
    r = yield from gen(2)
    yield r
g = gen(3)
print(next(g), g.send("hi"), list(g), list(chain()))
def deco(times):
    def wrap(fn):
        def inner(*a, **k):
            return [fn(*a, **k) for _ in range(times)]
        return inner
    return wrap
@deco(2)
def three(x=3):
    return x
print(three(), three(x=4), D.__name__, (lambda: 0).__name__)
class Attr:
    def __getattr__(self, name):
        return "dyn " + name
print(Attr().foo)
