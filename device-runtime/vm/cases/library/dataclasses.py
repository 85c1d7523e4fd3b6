#---- basics
from dataclasses import dataclass, field, fields, asdict, astuple, replace, is_dataclass


@dataclass
class Point:
    x: int
    y: int = 5


p = Point(1)
print(p, p == Point(1, 5), p != Point(2), Point(x=3, y=4), repr(Point(1, 2)))
print([f.name for f in fields(p)], asdict(p), astuple(p), replace(p, y=9), is_dataclass(p), is_dataclass(Point), is_dataclass(1))
print(Point.__match_args__, Point.__doc__, Point.__annotations__ == {'x': int, 'y': int}, Point.__hash__)
for f in (lambda: Point(), lambda: Point(1, 2, 3), lambda: Point(z=1), lambda: Point(1, x=2), lambda: hash(p), lambda: p < p, lambda: asdict(5), lambda: fields(5), lambda: replace(p, q=1)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
p.x = 10
p.extra = 1
print(p)
#---- fields
from dataclasses import dataclass, field, fields, MISSING


@dataclass
class A:
    a: int
    b: list = field(default_factory=list)
    c: int = field(default=3, repr=False)
    d: int = field(init=False, default=7)
    e: str = field(default='e', compare=False)
    f: dict = field(default_factory=dict, metadata={'k': 1})


x = A(1)
y = A(1, e='other')
print(x, x == y, x.b is y.b, x.c, x.d)
x.b.append(5)
print(x, y, fields(A)[5].metadata['k'], fields(A)[0].default is MISSING)
for src in (lambda: field(default=1, default_factory=list),):
    try:
        src()
    except ValueError as e:
        print(e)
try:
    @dataclass
    class Bad:
        a: list = []
except ValueError as e:
    print(e)
try:
    @dataclass
    class Bad2:
        a: int = 1
        b: int
except TypeError as e:
    print(e)
try:
    @dataclass
    class Bad3:
        a = field()
except TypeError as e:
    print(e)
#---- frozen_order_hash
from dataclasses import dataclass, FrozenInstanceError, field


@dataclass(frozen=True, order=True)
class V:
    major: int
    minor: int = 0


v = V(1, 2)
print(v < V(1, 3), v <= v, v > V(0, 9), sorted([V(2), V(1, 5), V(1)]), hash(v) == hash(V(1, 2)), {v: 1}[V(1, 2)])
for f in (lambda: setattr(v, 'major', 5), lambda: delattr(v, 'minor'), lambda: setattr(v, 'new', 1), lambda: v < 5):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)


@dataclass(unsafe_hash=True)
class H:
    a: int
    b: int = field(hash=False)


print(hash(H(1, 2)) == hash(H(1, 3)), H(1, 2) == H(1, 3))


@dataclass(eq=False)
class E:
    a: int


print(E(1) == E(1), E(1) != E(1), isinstance(hash(E(1)), int))
try:
    @dataclass(order=True)
    class L:
        a: int

        def __lt__(self, o):
            return True
except TypeError as e:
    print(e)
try:
    @dataclass(order=True, eq=False)
    class L2:
        a: int
except ValueError as e:
    print(e)
#---- inheritance
from dataclasses import dataclass, field, fields, InitVar, KW_ONLY
from typing import ClassVar


@dataclass
class Base:
    x: int
    y: int = 2


@dataclass
class Child(Base):
    z: int = 3
    x: int = 10


print(Child(), Child(1, 2, 3), [f.name for f in fields(Child)])


@dataclass
class Init:
    a: int
    scale: InitVar[int] = 2
    count: ClassVar[int] = 0
    b: int = field(init=False)

    def __post_init__(self, scale):
        self.b = self.a * scale
        Init.count += 1


print(Init(3), Init(3, scale=5), Init.count, [f.name for f in fields(Init)])


@dataclass
class K:
    a: int
    _: KW_ONLY
    b: int
    c: int = 4


print(K(1, b=2), K.__match_args__)
for f in (lambda: K(1, 2), lambda: K(1)):
    try:
        f()
    except TypeError as e:
        print(e)


@dataclass(kw_only=True)
class KO:
    a: int = 1
    b: int


print(KO(b=2))
try:
    @dataclass(frozen=True)
    class Fr(Base):
        q: int = 1
except TypeError as e:
    print(e)
#---- slots_make
from dataclasses import dataclass, make_dataclass, field, asdict, astuple


@dataclass(slots=True)
class S:
    a: int
    b: int = 2


s = S(1)
print(s, S.__slots__, hasattr(s, '__dict__'))
try:
    s.c = 1
except AttributeError as e:
    print(e)
C = make_dataclass('C', ['x', ('y', int), ('z', int, field(default=5))], namespace={'add': lambda self: self.y + self.z})
c = C(1, 2)
print(c, c.add(), C.__name__, C(1, 2) == c)
for f in (lambda: make_dataclass('D', ['a', 'a']), lambda: make_dataclass('D', ['1x']), lambda: make_dataclass('D', ['for'])):
    try:
        f()
    except TypeError as e:
        print(e)


@dataclass
class Node:
    v: int
    kids: list = field(default_factory=list)
    named: dict = field(default_factory=dict)


n = Node(1, [Node(2), Node(3, [Node(4)])], {'k': Node(5)})
print(asdict(n))
print(astuple(n))
n.kids.append(n)
print(n)
#---- repr_custom
from dataclasses import dataclass


@dataclass(repr=False)
class A:
    x: int

    def __repr__(self):
        return 'custom'


@dataclass
class B:
    x: int

    def __repr__(self):
        return 'kept'

    def __eq__(self, o):
        return True


class Outer:
    @dataclass
    class Inner:
        v: int


print(A(1), B(2), B(1) == 5, Outer.Inner(3), Outer.Inner.__qualname__)


@dataclass
class Empty:
    pass


print(Empty(), Empty() == Empty())
match B(7):
    case B(x=v):
        print('matched', v)
