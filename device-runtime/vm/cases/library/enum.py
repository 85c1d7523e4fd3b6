#---- basics
from enum import Enum


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


print(Color.RED, repr(Color.RED), Color, Color.RED.name, Color.RED.value)
print(list(Color), len(Color), list(reversed(Color)))
print(Color(2), Color['BLUE'], Color.RED is Color(1), Color.RED == Color.RED, Color.RED == 1)
print(isinstance(Color.RED, Color), type(Color.RED), type(Color))
print(Color.RED in Color, hash(Color.RED) == hash(Color.RED), bool(Color.RED))
print(f'{Color.RED}|{Color.RED!r}|{Color.RED:>12}|', '%s %r' % (Color.RED, Color.GREEN))
print({Color.RED: 'r'}[Color.RED], dict(Color.__members__))
for bad in (lambda: Color(9), lambda: Color['X'], lambda: Color.X, lambda: 1 in Color,
            lambda: setattr(Color, 'RED', 5), lambda: delattr(Color, 'RED'),
            lambda: Color.RED < Color.GREEN, lambda: setattr(Color.RED, 'name', 'q'),
            lambda: setattr(Color.RED, 'value', 'q')):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
#---- aliases
from enum import Enum, unique


class Shape(Enum):
    SQUARE = 2
    DIAMOND = 1
    CIRCLE = 3
    ALIAS = 2


print(list(Shape), Shape.ALIAS, Shape['ALIAS'], Shape(2))
print([(n, m) for n, m in Shape.__members__.items()])
try:
    @unique
    class Bad(Enum):
        A = 1
        B = 1
        C = 2
        D = 2
except ValueError as e:
    print(e)


@unique
class Good(Enum):
    A = 1
    B = 2


print(list(Good))
#---- auto
from enum import Enum, auto, IntEnum, StrEnum, Flag, IntFlag


class A(Enum):
    X = auto()
    Y = 10
    Z = auto()


print([m.value for m in A])


class B(Enum):
    def _generate_next_value_(name, start, count, last_values):
        return name.lower() + str(count)
    ONE = auto()
    TWO = auto()


print(list(B))


class C(StrEnum):
    HELLO = auto()
    WORLD = 'earth'


print(list(C), C.HELLO, C.WORLD.upper(), C.HELLO == 'hello', C('earth'), f'{C.HELLO:>8}|')


class F(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W


print(list(F), F.RW, repr(F.RW), F.R | F.X, ~F.R, F(0), F.R & F.W, bool(F.R & F.W))
#---- intenum
from enum import IntEnum


class N(IntEnum):
    ONE = 1
    TWO = 2


print(N.ONE, repr(N.ONE), N.ONE + N.TWO, N.ONE < N.TWO, N.ONE == 1, f'{N.ONE} {N.TWO:03d} {N.ONE!r}')
print(sorted([N.TWO, N.ONE]), [10, 20, 30][N.ONE], max(N), N(2), isinstance(N.ONE, int))
print('%d %s' % (N.TWO, N.TWO), str(N.ONE), int(N.TWO), {1: 'a'}[N.ONE], N.ONE.__class__.__name__)
try:
    N(7)
except ValueError as e:
    print(e)
#---- methods_and_init
from enum import Enum


class Planet(Enum):
    MERCURY = (3.303e+23, 2.4397e6)
    EARTH = (5.976e+24, 6.37814e6)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def gravity(self):
        return 6.67300E-11 * self.mass / (self.radius * self.radius)

    @classmethod
    def first(cls):
        return next(iter(cls))

    @staticmethod
    def helper():
        return 'h'


print(Planet.EARTH.value, round(Planet.EARTH.gravity, 3), Planet.first(), Planet.helper())
print(Planet.MERCURY.mass, repr(Planet.MERCURY))


class Coord(bytes, Enum):
    def __new__(cls, value, label, unit):
        obj = bytes.__new__(cls, [value])
        obj._value_ = value
        obj.label = label
        obj.unit = unit
        return obj
    PX = (0, 'P.X', 'km')
    PY = (1, 'P.Y', 'm')


print(Coord.PY, Coord.PY.label, Coord(1), Coord.PY.value, Coord.PY == b'\x01')
#---- missing
from enum import Enum


class Status(Enum):
    OK = 200
    BAD = 400

    @classmethod
    def _missing_(cls, value):
        if isinstance(value, str):
            for m in cls:
                if m.name.lower() == value.lower():
                    return m
        if value == 0:
            return 17
        return None


print(Status('ok'), Status(400))
for v in ('zip', 0):
    try:
        Status(v)
    except Exception as e:
        print(type(e).__name__, e)
#---- extending
from enum import Enum, IntEnum


class Base(Enum):
    def describe(self):
        return f'{self.name}={self.value}'


class Real(Base):
    A = 1
    B = 'two'


print([m.describe() for m in Real])
try:
    class More(Real):
        C = 3
except TypeError as e:
    print(e)
try:
    class Dup(Enum):
        A = 1
        A = 2
except TypeError as e:
    print(e)
try:
    class Sunder(Enum):
        _bad_ = 1
except ValueError as e:
    print(e)


class Private(Enum):
    __secret = 5
    A = 1


print(list(Private), Private._Private__secret)


class Mixed(str, Enum):
    X = 'x'
    Y = 'y'


print(Mixed.X, repr(Mixed.X), Mixed.X == 'x', f'{Mixed.X}', Mixed.X.upper(), 'x' in [Mixed.X])
#---- functional
from enum import Enum, IntEnum, Flag

Animal = Enum('Animal', 'ANT BEE CAT')
print(Animal, list(Animal), Animal.BEE.value)
print(list(Enum('P', ['a', 'b'], start=5)), list(Enum('Q', [('x', 10), ('y', 20)])))
print(list(Enum('R', {'m': 1, 'n': 'z'})), list(IntEnum('S', 'one, two')))
print(list(Flag('T', 'a b c')), Animal.__module__, Animal.ANT.__class__.__qualname__)
print(Enum('Strs', 'a b', type=str).a + 'x' if False else 'skip')
#---- flags
from enum import Flag, IntFlag, auto, STRICT, CONFORM, EJECT, KEEP


class Perm(Flag):
    R = 4
    W = 2
    X = 1
    RWX = 7


p = Perm.R | Perm.W
print(p, repr(p), p.value, p.name, len(p), list(p), Perm.R in p, Perm.X in p)
print(Perm.RWX, ~p, p ^ Perm.R, Perm(3), Perm(0), repr(Perm(0)), bool(Perm(0)), str(Perm(0)))
print(list(Perm), list(Perm.RWX), Perm.RWX & Perm.X, Perm['R'], len(Perm))
try:
    Perm.R | 2
except TypeError as e:
    print(e)
try:
    2 in Perm.R
except TypeError as e:
    print(e)


class I(IntFlag):
    A = 1
    B = 2
    C = 4


i = I.A | I.C
print(i, repr(i), i + 1, I(9), repr(I(9)), I(8), repr(I(8)), i | 2, repr(I.A | 16), ~I.A, repr(~I.A))
print(isinstance(i, int), i == 5, I.A < I.B, f'{i:04b}', I(-1), repr(I(0)), i & 1)


class Con(Flag, boundary=CONFORM):
    A = 1
    B = 2


print(Con(7), repr(Con(4)))


class Ej(IntFlag, boundary=EJECT):
    A = 1
    B = 2


print(Ej(7), type(Ej(7)), repr(Ej(3)))
#---- verify
from enum import Enum, Flag, verify, UNIQUE, CONTINUOUS, NAMED_FLAGS, IntEnum
try:
    @verify(UNIQUE)
    class A(Enum):
        X = 1
        Y = 1
except ValueError as e:
    print(e)
try:
    @verify(CONTINUOUS)
    class B(IntEnum):
        X = 1
        Y = 4
except ValueError as e:
    print(e)


@verify(UNIQUE, CONTINUOUS)
class C(Enum):
    X = 1
    Y = 2


print(list(C))
#---- nested_and_ignore
from enum import Enum, member, nonmember


class Period(Enum):
    _ignore_ = 'Period i'
    Period = vars()
    for i in range(3):
        Period['day_%d' % i] = i


print(list(Period))


class Holder(Enum):
    A = 1
    helper = nonmember(42)

    @member
    def func():
        return 5

    def method(self):
        return self.value


print(list(Holder)[:1], Holder.helper, Holder.A.method(), len(Holder))


class Named(Enum):
    name = 'n'
    value = 'v'
    other = 'o'


print(Named.name, Named.other.name, Named.other.value, list(Named))
#---- pickle_like
import copy
from enum import Enum


class E(Enum):
    A = [1, 2]
    B = {'k': 1}


print(copy.copy(E.A) is E.A, copy.deepcopy(E.B) is E.B, E([1, 2]), E({'k': 1}))
print(E.A._name_, E.A._value_, E._member_names_, list(E._member_map_))
print(E.A.__class__ is E, E.A != E.B, E.A is not E.B, {E.A, E.B, E.A} == {E.A, E.B})
E.A.extra = 5
print(E.A.extra)
#---- str_format
from enum import Enum, StrEnum, IntEnum


class A(str, Enum):
    X = 'x'

    def __str__(self):
        return 'custom'


class B(IntEnum):
    ONE = 1

    def __repr__(self):
        return 'B!'


class C(float, Enum):
    PI = 3.14


print(A.X, f'{A.X}', repr(A.X), B.ONE, repr(B.ONE), [B.ONE], C.PI, repr(C.PI), C.PI + 1)
print(StrEnum('S', 'a b').a, list(StrEnum('S', 'a b')))
try:
    class D(StrEnum):
        X = 1
except TypeError as e:
    print(e)
