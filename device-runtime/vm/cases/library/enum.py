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
#---- one call after another
import enum, copy
from enum import *
class Color(Enum):
    RED=1
    GREEN=2
    BLUE=3
    CRIMSON=1
class Fl(Flag):
    A=1
    B=2
    C=4
    AB=3
class IF(IntFlag):
    X=1
    Y=2
class IE(IntEnum):
    ONE=1
    TWO=2
class SE(StrEnum):
    A='a'
    B=auto()
class Au(Enum):
    A=auto()
    B=auto()
    C=10
    D=auto()
class Gen(Enum):
    def _generate_next_value_(name,start,count,last): return name.lower(),start,count,list(last)
    P=auto()
    Q=auto()
class Pl(Enum):
    E=(1,2)
    F=(3,4)
    def __init__(s,a,b): s.a=a; s.b=b
    @property
    def sm(s): return s.a+s.b
    def meth(s): return s.name
    @classmethod
    def cm(cls): return len(cls)
    @staticmethod
    def sm2(): return 7
class New(Enum):
    def __new__(cls,v,l):
        o=object.__new__(cls); o._value_=v; o.label=l; return o
    A=(1,'one')
    B=(2,'two')
class Mis(Enum):
    A=1
    @classmethod
    def _missing_(cls,v):
        return cls.A if v=='x' else None
class Mis2(Enum):
    A=1
    @classmethod
    def _missing_(cls,v): return 5
class Mis3(Enum):
    A=1
    @classmethod
    def _missing_(cls,v): raise KeyError('boom')
class StrM(str,Enum):
    A='aa'
    B='bb'
class Base(Enum):
    def hello(s): return 'hi '+s.name
class Der(Base):
    Z=26
class Ign(Enum):
    _ignore_='t u'
    t=5
    u=6
    V=1
class Ordr(Enum):
    _order_='A B'
    A=1
    B=2
class NonM(Enum):
    A=1
    @nonmember
    def x(): return 1
    y=nonmember(5)
    z=member(7)
class Strict(Flag,boundary=STRICT):
    A=1
    B=2
class Conf(Flag,boundary=CONFORM):
    A=1
    B=2
class Ej(Flag,boundary=EJECT):
    A=1
    B=2
class Kp(Flag,boundary=KEEP):
    A=1
    B=2
class Empty(Enum): pass
class Fmt(Enum):
    A=1
    def __str__(s): return 'FMT'
class FloatE(float,Enum):
    PI=3.14
class Dt(Enum):
    A={}
    B=[]
def mk(f):
    return f()
def s1(): Color.RED=5
def s2(): Color.RED.value=5
def s3(): Color.RED.name='x'
def s4(): del Color.RED
def s5(): Color.NEW=5; return Color.NEW
def s6():
    class Sub(Color): pass
def s7():
    class D(Enum):
        A=1
        A=2
def s8():
    @unique
    class D(Enum):
        A=1
        B=1
        C=1
def s9():
    Color.RED.extra=5; return Color.RED.extra
def s10():
    class D(Enum):
        mro=1
def s11():
    class D(Enum):
        _foo_=1
def s12():
    class D(Enum):
        __x__=1
        _a=2
    return list(D)
def s13():
    class D(IntEnum):
        A='x'
def s14():
    class D(StrEnum):
        A=1
def s15():
    class D(Enum):
        A=1
        def _generate_next_value_(n,s,c,l): return 1
def s16():
    class D(Enum):
        A='a'
        B=auto()
    return list(D)
def s17():
    class D(Flag):
        A='x'
def s18():
    class D(Flag):
        A=auto(); B=auto(); C=A|B; D=auto()
    return list(D), D.D.value, D.C
def s19():
    @verify(UNIQUE)
    class D(Enum):
        A=1;B=1
def s20():
    @verify(CONTINUOUS)
    class D(Enum):
        A=1;B=3
def s21():
    @verify(NAMED_FLAGS)
    class D(Flag):
        A=1;B=8;C=7
def s22():
    class A(Enum):
        @property
        def x(s): return 1
        X=5
        x2=property(lambda s:9)
    return A.X.x, A.X.x2, list(A)
def s23():
    class A(int,Enum):
        X='5'
        Y=7
    return list(A), A.X+1, A(5)
def s24():
    class A(Enum):
        x=lambda s:5
        def f(s): return s
        class N: pass
    return list(A)
def s25():
    class A(Enum):
        X=1
        Y=X
        Z=X+1
    return list(A), A.__members__
def s26():
    class A(Enum):
        X=None
        Y=True
        Z=1
    return list(A), A(1), A(None), A.__members__
def mt(x):
    match x:
        case Color.RED: return 'r'
        case Color.GREEN|Color.BLUE: return 'gb'
        case IE.ONE: return 'one'
        case _: return '?'
class WithInit(Enum):
    def __init__(self,*a): self.args2=a
    A=1
    B=(2,3)
class CallEnum(Enum):
    @member
    def f(x): return x
    def __call__(s,*a): return s.value(*a)
class Pos(bytes,Enum):
    def __new__(cls,v,l):
        o=bytes.__new__(cls,[v]); o._value_=v; o.label=l; return o
    PX=(0,'P.X')
    PY=(1,'P.Y')
class Cmp(Enum):
    def __ge__(s,o):
        if s.__class__ is o.__class__: return s.value>=o.value
        return NotImplemented
    def __lt__(s,o):
        if s.__class__ is o.__class__: return s.value<o.value
        return NotImplemented
    A=5
    B=3
class Intermediate(int,Enum):
    def describe(s): return f'{s.name}={s.value}'
class I2(Intermediate):
    A=1
    B=2
from dataclasses import dataclass
@dataclass
class Cm:
    size: str
    n: int = 0
class Cmx(Cm,Enum):
    S='small',1
    M='med',
class Perm(Flag):
    R=4
    W=2
    X=1
    RWX=7
class InitSub(Enum):
    def __init_subclass__(cls,**k): cls.tag=k.get('tag')
class IS(InitSub,tag='t'):
    A=1

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: Color.RED)
t(lambda: str(Color.RED))
t(lambda: repr(Color.RED))
t(lambda: Color.RED.name)
t(lambda: Color.RED.value)
t(lambda: Color(1))
t(lambda: Color['RED'])
t(lambda: Color.CRIMSON)
t(lambda: Color.CRIMSON is Color.RED)
t(lambda: list(Color))
t(lambda: len(Color))
t(lambda: Color.__members__)
t(lambda: Color.RED in Color)
t(lambda: type(Color.RED))
t(lambda: isinstance(Color.RED,Color))
t(lambda: hash(Color.RED)==hash('RED'))
t(lambda: bool(Color.RED))
t(lambda: f'{Color.RED}')
t(lambda: format(Color.RED,'>12'))
t(lambda: '%s'%Color.RED)
t(lambda: list(reversed(Color)))
t(lambda: Color)
t(lambda: Color(9))
t(lambda: Color['X'])
t(lambda: Color.X)
t(lambda: Color('RED'))
t(lambda: Color.RED.foo)
t(lambda: Color.RED<Color.GREEN)
t(lambda: Color.RED==1)
t(lambda: Color.RED==Color.RED)
t(lambda: Color.RED!=Color.GREEN)
t(lambda: 1 in Color)
t(lambda: 'RED' in Color)
t(lambda: IE.ONE in IE)
t(lambda: 1 in [IE.ONE])
t(lambda: 1 in IE)
t(lambda: Color.RED.GREEN)
t(lambda: s1())
t(lambda: s2())
t(lambda: s3())
t(lambda: s4())
t(lambda: s5())
t(lambda: s6())
t(lambda: s7())
t(lambda: s8())
t(lambda: s9())
t(lambda: s10())
t(lambda: s11())
t(lambda: s12())
t(lambda: s13())
t(lambda: s14())
t(lambda: s15())
t(lambda: s16())
t(lambda: s18())
t(lambda: s19())
t(lambda: s20())
t(lambda: s22())
t(lambda: s23())
t(lambda: s24())
t(lambda: s25())
t(lambda: s26())
t(lambda: Fl.A)
t(lambda: Fl.A|Fl.B)
t(lambda: Fl.AB)
t(lambda: Fl.A|Fl.C)
t(lambda: Fl.A&Fl.B)
t(lambda: Fl.A^Fl.AB)
t(lambda: ~Fl.A)
t(lambda: Fl(0))
t(lambda: Fl(7))
t(lambda: repr(Fl.A|Fl.C))
t(lambda: str(Fl.A|Fl.C))
t(lambda: str(Fl(0)))
t(lambda: (Fl.A|Fl.C).name)
t(lambda: Fl(0).name)
t(lambda: (Fl.A|Fl.C).value)
t(lambda: list(Fl))
t(lambda: list(Fl.A|Fl.C))
t(lambda: list(Fl(0)))
t(lambda: len(Fl.AB))
t(lambda: Fl.A in Fl.AB)
t(lambda: Fl.AB in Fl.A)
t(lambda: bool(Fl(0)))
t(lambda: Fl.A|Fl.A)
t(lambda: Fl['AB'])
t(lambda: Fl.__members__)
t(lambda: f'{Fl.A|Fl.C}')
t(lambda: hash(Fl.A)==hash(1))
t(lambda: Fl('x'))
t(lambda: Fl(-1))
t(lambda: Fl.A|1)
t(lambda: 1|Fl.A)
t(lambda: 1 in Fl.A)
t(lambda: Fl.A<Fl.B)
t(lambda: Fl.A+1)
t(lambda: IF.X)
t(lambda: IF.X|IF.Y)
t(lambda: IF.X|8)
t(lambda: repr(IF(8)))
t(lambda: IF(9))
t(lambda: str(IF.X|8))
t(lambda: ~IF.X)
t(lambda: IF.X+1)
t(lambda: IF.X|1)
t(lambda: 1|IF.X)
t(lambda: IF.X==1)
t(lambda: IF(0))
t(lambda: IF.X&5)
t(lambda: f'{IF.X}')
t(lambda: f'{IF.X:>5}')
t(lambda: IF(-1))
t(lambda: list(IF(3)))
t(lambda: IF.X<<2)
t(lambda: 5 in IF.X if 0 else 0)
t(lambda: (IF.X|8).name)
t(lambda: IF(8).name)
t(lambda: -IF.X)
t(lambda: int(IF.Y))
t(lambda: IF.X^3)
t(lambda: IF.X in IF(3))
t(lambda: 2 in IF(3))
t(lambda: IF('a'))
t(lambda: IF(1.5))
t(lambda: IE.ONE)
t(lambda: str(IE.ONE))
t(lambda: repr(IE.ONE))
t(lambda: IE.ONE+1)
t(lambda: IE.ONE==1)
t(lambda: IE.ONE<2)
t(lambda: f'{IE.ONE}')
t(lambda: f'{IE.ONE:5}')
t(lambda: '%d'%IE.ONE)
t(lambda: '%s'%IE.ONE)
t(lambda: [10,20][IE.ONE])
t(lambda: IE(1))
t(lambda: hash(IE.ONE)==hash(1))
t(lambda: {1:'a'}[IE.ONE])
t(lambda: IE.ONE|2)
t(lambda: sorted([IE.TWO,IE.ONE]))
t(lambda: max(IE))
t(lambda: sum(IE))
t(lambda: IE.ONE.bit_length())
t(lambda: IE.ONE is IE(True))
t(lambda: int(IE.TWO))
t(lambda: -IE.TWO)
t(lambda: isinstance(IE.ONE,int))
t(lambda: IE.ONE.real)
t(lambda: divmod(IE.TWO,1))
t(lambda: SE.A)
t(lambda: str(SE.A))
t(lambda: repr(SE.A))
t(lambda: SE.B.value)
t(lambda: SE.A=='a')
t(lambda: SE.A+'x')
t(lambda: f'{SE.A:>3}')
t(lambda: SE('a'))
t(lambda: SE.A.upper())
t(lambda: '%s'%SE.A)
t(lambda: {'a':1}[SE.A])
t(lambda: ''.join([SE.A,SE.B]))
t(lambda: len(SE.B))
t(lambda: json if 0 else 0)
t(lambda: StrM.A)
t(lambda: str(StrM.A))
t(lambda: repr(StrM.A))
t(lambda: f'{StrM.A}')
t(lambda: format(StrM.A,'>5'))
t(lambda: '%s'%StrM.A)
t(lambda: StrM.A=='aa')
t(lambda: StrM.A+'b')
t(lambda: StrM('aa'))
t(lambda: FloatE.PI)
t(lambda: FloatE.PI+1)
t(lambda: str(FloatE.PI))
t(lambda: repr(FloatE.PI))
t(lambda: list(Au))
t(lambda: Au.D.value)
t(lambda: list(Gen))
t(lambda: Pl.E.a)
t(lambda: Pl.E.sm)
t(lambda: Pl.E.meth())
t(lambda: Pl.cm())
t(lambda: Pl.E.sm2())
t(lambda: Pl((1,2)))
t(lambda: list(Pl))
t(lambda: New.A)
t(lambda: New(1))
t(lambda: New.B.label)
t(lambda: Mis('x'))
t(lambda: Der.Z.hello())
t(lambda: list(Ign))
t(lambda: Ign.V)
t(lambda: list(Ordr))
t(lambda: NonM.x())
t(lambda: NonM.y)
t(lambda: NonM.z)
t(lambda: list(NonM))
t(lambda: list(Empty))
t(lambda: len(Empty))
t(lambda: bool(Empty))
t(lambda: str(Fmt.A))
t(lambda: f'{Fmt.A}')
t(lambda: repr(Fmt.A))
t(lambda: Dt({}))
t(lambda: list(Dt))
t(lambda: Mis('y'))
t(lambda: Mis2(7))
t(lambda: Mis3(7))
t(lambda: New((1,'one')))
t(lambda: Ign.t)
t(lambda: Empty('A B') if 0 else 0)
t(lambda: Strict(5))
t(lambda: Strict(3))
t(lambda: Conf(7))
t(lambda: Conf(4))
t(lambda: Ej(5))
t(lambda: type(Ej(5)))
t(lambda: Kp(9))
t(lambda: Kp(8))
t(lambda: ~Kp.A)
t(lambda: list(Kp(9)))
t(lambda: Kp(9).name)
t(lambda: ~Strict.A)
t(lambda: ~Conf(3))
t(lambda: Strict.A|Strict.B)
t(lambda: Enum('Fn','A B C'))
t(lambda: list(Enum('Fn','A,B')))
t(lambda: list(Enum('Fn',['X','Y'])))
t(lambda: list(Enum('Fn',[('X',5),('Y',6)])))
t(lambda: list(Enum('Fn',{'X':5})))
t(lambda: list(Enum('Fn','A B',start=0)))
t(lambda: Enum('Fn','A',module='mm').__module__)
t(lambda: Enum('Fn','A',qualname='q.Fn').__qualname__)
t(lambda: list(Enum('Fn','A B',type=int)))
t(lambda: list(IntEnum('I','A B')))
t(lambda: list(Flag('G','A B C')))
t(lambda: Enum(value='V',names='A').A)
t(lambda: IntFlag('G','A B').B)
t(lambda: list(Base('Dd','A B')))
t(lambda: Enum('E2',()))
t(lambda: Enum('Fn',5))
t(lambda: Color('a','b'))
t(lambda: copy.copy(Color.RED) is Color.RED)
t(lambda: copy.deepcopy(Color.RED) is Color.RED)
t(lambda: copy.deepcopy({'a':Color.RED}))
t(lambda: copy.copy(Fl.A|Fl.C))
t(lambda: dir(Color))
t(lambda: dir(IE.ONE)==sorted(dir(IE.ONE)))
t(lambda: Color.__doc__)
t(lambda: Color.__module__)
t(lambda: Color.__qualname__)
t(lambda: Color.__class__)
t(lambda: type(Color))
t(lambda: EnumMeta is EnumType)
t(lambda: Color.__name__)
t(lambda: Color._member_names_)
t(lambda: Color._member_map_)
t(lambda: Color._value2member_map_)
t(lambda: Fl.__dict__['_flag_mask_'] if '_flag_mask_' in Fl.__dict__ else 0)
t(lambda: Color.RED._name_)
t(lambda: Color.RED._value_)
t(lambda: Color._member_type_)
t(lambda: IE._member_type_)
t(lambda: Color.RED._sort_order_)
t(lambda: Color.RED.__objclass__)
t(lambda: auto())
t(lambda: repr(auto()))
t(lambda: auto().value)
t(lambda: FlagBoundary.STRICT)
t(lambda: repr(FlagBoundary.STRICT))
t(lambda: list(FlagBoundary))
t(lambda: STRICT)
t(lambda: CONFORM)
t(lambda: str(KEEP))
t(lambda: list(EnumCheck))
t(lambda: UNIQUE)
t(lambda: global_enum(Enum('G1','A')).A)
t(lambda: repr(global_enum(Enum('G1','A')).A))
t(lambda: global_enum_repr(Color.RED))
t(lambda: global_str(Color.RED) if 'global_str' in dir(enum) else 0)
t(lambda: enum.show_flag_values(7))
t(lambda: enum._high_bit(9))
t(lambda: enum._is_sunder('_a_'))
t(lambda: enum._is_dunder('__a__'))
t(lambda: enum.property)
t(lambda: member(5).value)
t(lambda: issubclass(Color,Enum))
t(lambda: Enum.__mro__)
t(lambda: IntEnum.__mro__)
t(lambda: IntFlag.__mro__)
t(lambda: StrEnum.__mro__)
t(lambda: ReprEnum.__mro__)
t(lambda: Flag.__mro__)
t(lambda: Enum)
t(lambda: IntEnum)
t(lambda: Flag)
t(lambda: Color.__members__['CRIMSON'])
t(lambda: type(Color.__members__))
t(lambda: iter(Color).__class__.__name__)
t(lambda: Color.__getitem__('RED'))
t(lambda: Color.__contains__(Color.RED))
t(lambda: Color.__len__())
t(lambda: Color.__call__(1))
t(lambda: Color.__iter__ is not None)
t(lambda: Color.RED.__class__)
t(lambda: Color.RED.__hash__() == hash('RED'))
t(lambda: Color.RED.__dir__()[:3] if 0 else 0)
t(lambda: Color.RED.__format__(''))
t(lambda: {Color.RED:1}[Color.CRIMSON])
t(lambda: {Color.RED,Color.CRIMSON})
t(lambda: [c.name for c in Color])
t(lambda: dict(Color.__members__))
t(lambda: Color.RED is Color(Color.RED))
t(lambda: mt(Color.RED))
t(lambda: mt(Color.BLUE))
t(lambda: mt(1))
t(lambda: mt(5))
t(lambda: WithInit.A.args2)
t(lambda: WithInit.B.args2)
t(lambda: CallEnum.f(3))
t(lambda: Pos.PX)
t(lambda: Pos.PY.label)
t(lambda: Pos(1))
t(lambda: Cmp.A>=Cmp.B)
t(lambda: Cmp.B<Cmp.A)
t(lambda: sorted(Cmp))
t(lambda: I2.A.describe())
t(lambda: I2.B+1)
t(lambda: Cmx.S)
t(lambda: Cmx.S.size)
t(lambda: Cmx.M.n)
t(lambda: list(Perm))
t(lambda: Perm.RWX)
t(lambda: Perm.R|Perm.W)
t(lambda: ~Perm.R)
t(lambda: Perm.RWX&~Perm.W)
t(lambda: Perm(0))
t(lambda: list(Perm.RWX))
t(lambda: IS.tag)
t(lambda: IS.A)
t(lambda: Cmp.A>=5)
#---- one call after another 2
from enum import *
import enum
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
class C(Enum):
    RED = 1
    GREEN = 2
    ALIAS = 1

    def m(self):
        return self.name

    @property
    def p(self):
        return self.value * 10

    @classmethod
    def k(cls):
        return cls.RED
print(C.RED, repr(C.RED), C(1), C['RED'], C.ALIAS, list(C), C.__members__, len(C), C.RED in C, C.RED.name, C.RED.value, C.RED.m(), C.GREEN.p, C.k(), C.RED is C.ALIAS, C.RED == 1, C.RED != C.GREEN, hash(C.RED) == hash('RED'), type(C.RED), isinstance(C.RED, C), C, repr(C), bool(C.RED), f'{C.RED}', f'{C.RED!r:>20}', '%s' % C.RED, list(reversed(C)), C.RED.__class__)
t(lambda: C(5))
t(lambda: C['X'])
t(lambda: C.X)
t(lambda: setattr(C, 'RED', 5))
t(lambda: setattr(C.RED, 'value', 5))
t(lambda: delattr(C, 'RED'))
t(lambda: C.RED < C.GREEN)
t(lambda: 5 in C)
t(lambda: C('RED'))
t(lambda: C())
t(lambda: C.RED.RED)
t(lambda: C.RED + 1)
class I(IntEnum):
    A = 1
    B = 2
print(I.A, repr(I.A), I.A + 1, I.A < I.B, I.A == 1, f'{I.A}', '%d' % I.B, str(I.B), int(I.B), I(2), [1, 2, 3][I.A], type(I.A + 1), I.A | I.B, format(I.A, '03d'), sorted([I.B, I.A]), {1: 'x'}[I.A], json_dumps if 0 else '')
class S(StrEnum):
    A = auto()
    B = 'bee'
print(S.A, repr(S.A), S.A == 'a', S.B.upper(), f'{S.B:>5}', S('a'), isinstance(S.A, str), 'x' + S.A)
class F(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W
print(F.R | F.W, repr(F.R | F.X), F.RW, F(5), F(0), repr(F(0)), ~F.R, F.R & F.RW, F.R ^ F.RW, bool(F(0)), F.R in F.RW, list(F.RW), list(F), len(F.RW), F.RW.name, (F.R | F.X).name, F.R.value, F['RW'], repr(F.RW), F(7), -1 if 0 else '')
t(lambda: F.R | 1)
t(lambda: F(-1))
t(lambda: 1 in F.R)
t(lambda: F.R < F.W)
class IF(IntFlag):
    A = 1
    B = 2
    C = 4
print(IF.A | IF.B, repr(IF.A | IF.B), IF(8), repr(IF(9)), ~IF.A, repr(~IF.A), IF.A + 1, IF.A | 8, IF.A & 3, IF.A == 1, IF(0), repr(IF(0)), list(IF.A | IF.C), str(IF.B), f'{IF.B}', repr(IF(-1)))
class CF(Flag, boundary=CONFORM):
    A = 1
    B = 2
print(CF(5), CF.__boundary__ if hasattr(CF, '__boundary__') else '')
class KF(Flag, boundary=KEEP):
    A = 1
print(repr(KF(9)))
class EF(Flag, boundary=EJECT):
    A = 1
print(repr(EF(9)))
class A(Enum):

    def _generate_next_value_(name, start, count, last):
        return (name.lower(), start, count, list(last))
    X = auto()
    Y = auto()
print([x.value for x in A])
t(lambda: unique(C))
@unique
class U(Enum):
    A = 1
    B = 2
print(U)
class P(Enum):
    M = (1, 2.5)
    V = (3, 4)

    def __init__(self, a, b):
        self.a = a
        self.b = b

    @property
    def s(self):
        return self.a + self.b
print(P.M.s, P.M.value, P((1, 2.5)), P.V.a)
class N(Enum):

    def __new__(cls, v, label):
        o = object.__new__(cls)
        o._value_ = v
        o.label = label
        return o
    A = (1, 'one')
    B = (2, 'two')
print(N(1), N.A.label, N.B.value)
class Mi(Enum):
    A = 1

    @classmethod
    def _missing_(cls, v):
        return cls.A if v == 'a' else None
print(Mi('a'))
t(lambda: Mi('b'))
Fn = Enum('Fn', 'A B C')
print(list(Fn), Fn.A.value, Enum('Q', ['x', 'y'], start=5).y.value, Enum('D', {'a': 3}).a, Enum('T', [('p', 1)]).p, IntEnum('IE', 'A B').B, Fn.__module__, Fn.__qualname__)
t(lambda: Enum('Z', 5))
class Ig(Enum):
    _ignore_ = ['tmp']
    tmp = 5
    A = 1
print(list(Ig))
class O(Enum):
    A = 1

    def __str__(s):
        return 'str' + s.name

    def __repr__(s):
        return 'R'
print(O.A, repr(O.A), f'{O.A}', [O.A])
import copy
print(copy.copy(C.RED) is C.RED, copy.deepcopy(C.RED) is C.RED)
class Nm(Enum):

    @nonmember
    class X:
        pass

    @member
    def f():
        pass
print(Nm.X, Nm.f)
class Au(Enum):
    A = auto()
    B = 5
    Cc = auto()
print([x.value for x in Au])
class Mix(str, Enum):
    A = 'x'
print(Mix.A, repr(Mix.A), f'{Mix.A}', Mix.A == 'x', '%s' % Mix.A, Mix.A.upper(), format(Mix.A))
class HasT(int, Enum):
    A = 1
print(HasT.A)
print(C.__doc__, C.RED.__doc__, Enum.__module__)
print(verify, UNIQUE, CONTINUOUS, NAMED_FLAGS)
t(lambda: verify(CONTINUOUS)(Enum('V', {'a': 1, 'b': 3})))
print(EnumType is EnumMeta, EnumCheck, FlagBoundary, repr(STRICT))
