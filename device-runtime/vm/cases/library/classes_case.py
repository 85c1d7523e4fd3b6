#---- enum
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
#---- dc
import dataclasses, copy, typing
from dataclasses import *
@dataclass
class A:
    x: int
    y: str = 'q'
    z: list = field(default_factory=list)
@dataclass(frozen=True)
class Fz:
    a: int = 1
    b: int = 2
@dataclass(order=True)
class O:
    a: int
    b: int = field(compare=False, default=0)
@dataclass(slots=True)
class S:
    a: int
    b: int = 5
@dataclass(kw_only=True)
class K:
    a: int
    b: int = 2
@dataclass
class KK:
    a: int
    _: KW_ONLY
    b: int = 3
    c: int = field(default=4,kw_only=False)
@dataclass
class Sub(A):
    w: float = 1.5
    x: int = 9
@dataclass
class PI:
    a: int
    i: InitVar[int] = 5
    c: typing.ClassVar[int] = 7
    def __post_init__(s,i): s.t = s.a+i
@dataclass(repr=False,eq=False)
class NR:
    a: int = 1
@dataclass(init=False)
class NI:
    a: int = 1
@dataclass(unsafe_hash=True)
class UH:
    a: int = 1
    b: list = field(default_factory=list,hash=False)
@dataclass
class Rec:
    v: int
    n: 'Rec' = None
    def __repr__(s): return 'custom'
@dataclass
class Nr:
    a: int
    b: int = field(default=1,repr=False)
    c: int = field(default=2,init=False)
@dataclass
class Md:
    a: int = field(default=1,metadata={'k':1})
@dataclass(match_args=False)
class NM:
    a: int
@dataclass
class Gn(typing.Generic[typing.TypeVar('T')]):
    a: int = 1
@dataclass(frozen=True,slots=True)
class FS:
    a: int
    b: int = 1
@dataclass(weakref_slot=True,slots=True)
class WS:
    a: int = 1
@dataclass
class Doc:
    """mydoc"""
    a: int = 1
@dataclass
class Emp: pass
def t(f):
    return f()
def e1():
    @dataclass
    class X:
        a: int = 1
        b: int
def e2():
    @dataclass
    class X:
        a: list = []
def e3():
    @dataclass
    class X:
        a: int = field(default=1,default_factory=int)
def e4():
    Fz().a=5
def e5():
    del Fz().a
def e6():
    @dataclass
    class X(Fz):
        c: int = 1
def e7():
    @dataclass(frozen=True)
    class X(A):
        c: int = 1
def e8():
    @dataclass(order=True,eq=False)
    class X: a:int=1
def e9():
    @dataclass(order=True)
    class X:
        a:int=1
        def __lt__(s,o): pass
def e10():
    @dataclass(unsafe_hash=True)
    class X:
        a:int=1
        def __hash__(s): return 1
def e11():
    @dataclass(frozen=True)
    class X:
        a:int=1
        def __setattr__(s,n,v): pass
def e12():
    @dataclass
    class X:
        a: InitVar[int]=field(default_factory=int)
def e13():
    @dataclass
    class X:
        a: typing.ClassVar[int]=field(default_factory=int)
def e14():
    @dataclass
    class X:
        a: int
        b: KW_ONLY
        c: KW_ONLY
def e15():
    @dataclass(weakref_slot=True)
    class X: a:int=1
def e16():
    @dataclass(slots=True)
    class X:
        __slots__=('a',)
        a:int
def e17():
    @dataclass
    class X:
        x = field()
def e18():
    S(1).zz=5
def e19():
    FS(1).a=5
def e20():
    @dataclass
    class X:
        a: dict = {}
def e21():
    @dataclass
    class X:
        a: set = set()
def e22():
    @dataclass
    class X:
        a: A = A(1)
def e23():
    @dataclass
    class X:
        a: Fz = Fz(1)
    return X()
def e24():
    @dataclass
    class P:
        a:int
        def __post_init__(s): s.b=1
    @dataclass
    class C(P):
        c:int=2
        def __post_init__(s): super().__post_init__(); s.d=3
    return C(1), vars(C(1))
ra=A(1); ra.z.append(ra)
import inspect
class Desc:
    def __set_name__(s,o,n): s.n='_'+n
    def __get__(s,o,t=None): return 'D' if o is None else getattr(o,s.n,'none')
    def __set__(s,o,v): setattr(o,s.n,v)
@dataclass
class WD:
    d: int = Desc()
def matcher(x):
    match x:
        case A(1,y): return ('A1',y)
        case A(x=v,z=[a,*r]): return (v,a,r)
        case Fz(a,b): return (a,b)
        case _: return None
@dataclass
class Meth:
    a:int
    def __eq__(s,o): return True
    def __init__(s): s.a=99
@dataclass(eq=True)
class HashN:
    a:int=1
    __hash__=None
@dataclass(frozen=True)
class FP:
    a:int
    b:int=field(init=False)
    def __post_init__(s): object.__setattr__(s,'b',s.a*2)
@dataclass
class DF:
    a: 'int' = 1
    b: 'typing.ClassVar[int]' = 2
    c: 'InitVar[int]' = 3
@dataclass
class Inh1: 
    a:int=1
    b:int=2
@dataclass
class Inh2(Inh1):
    b:int=20
    c:int=3
class Plain(Inh1):
    q=1
@dataclass
class Annot:
    f: typing.Callable = len
    g: object = None

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: A(1))
t(lambda: A(1,'b',[2]))
t(lambda: A(x=1,z=3))
t(lambda: repr(A(1)))
t(lambda: A(1)==A(1))
t(lambda: A(1)!=A(2))
t(lambda: A(1)==5)
t(lambda: A.__match_args__)
t(lambda: A.__doc__)
t(lambda: A.y)
t(lambda: hasattr(A,'x'))
t(lambda: hasattr(A,'z'))
t(lambda: A.__annotations__)
t(lambda: A(1).__dict__)
t(lambda: A.__eq__.__qualname__)
t(lambda: A.__init__.__annotations__)
t(lambda: A.__hash__)
t(lambda: A())
t(lambda: A(1,2,3,4))
t(lambda: A(1,foo=2))
t(lambda: hash(A(1)))
t(lambda: A(1)<A(2))
t(lambda: Fz())
t(lambda: hash(Fz())==hash(Fz()))
t(lambda: {Fz():1})
t(lambda: Fz(5).a)
t(lambda: replace(Fz(),a=9))
t(lambda: Fz()==Fz(1,2))
t(lambda: Fz.__doc__)
t(lambda: O(1)<O(2))
t(lambda: O(1,5)==O(1,6))
t(lambda: sorted([O(2),O(1)]))
t(lambda: O(1)>=O(1))
t(lambda: max(O(1),O(3)))
t(lambda: O(1)<5)
t(lambda: S(1))
t(lambda: S.__slots__)
t(lambda: S(1).b)
t(lambda: hasattr(S(1),'__dict__'))
t(lambda: S.__match_args__)
t(lambda: copy.copy(S(1)))
t(lambda: copy.deepcopy(S(1)))
t(lambda: K(a=1))
t(lambda: K.__match_args__)
t(lambda: K(a=1,b=3))
t(lambda: K(1))
t(lambda: K())
t(lambda: KK(1))
t(lambda: KK(1,5))
t(lambda: KK(1,b=7))
t(lambda: KK(1,9,b=1))
t(lambda: KK.__match_args__)
t(lambda: KK.__doc__)
t(lambda: KK(1,2,3))
t(lambda: Sub(1))
t(lambda: Sub())
t(lambda: Sub.__match_args__)
t(lambda: fields(Sub)[0].name)
t(lambda: [f.name for f in fields(Sub)])
t(lambda: Sub()==A(9))
t(lambda: Sub.__doc__)
t(lambda: PI(1))
t(lambda: PI(1,2).t)
t(lambda: PI.c)
t(lambda: [f.name for f in fields(PI)])
t(lambda: PI(1,i=7).t)
t(lambda: PI.i)
t(lambda: NR()==NR() if 0 else 0)
t(lambda: NI().a)
t(lambda: UH())
t(lambda: hash(UH())==hash(UH()))
t(lambda: Rec(1))
t(lambda: Nr(1))
t(lambda: Nr(1).c)
t(lambda: Nr.__match_args__)
t(lambda: fields(Md)[0].metadata)
t(lambda: fields(Md)[0].metadata['k'])
t(lambda: hasattr(NM,'__match_args__'))
t(lambda: Gn())
t(lambda: Gn[int](5))
t(lambda: FS(1))
t(lambda: WS())
t(lambda: Doc.__doc__)
t(lambda: Emp())
t(lambda: Emp()==Emp())
t(lambda: Emp.__doc__)
t(lambda: fields(Emp))
t(lambda: NI(5))
t(lambda: Nr(1,2,3))
t(lambda: PI())
t(lambda: e1())
t(lambda: e2())
t(lambda: e3())
t(lambda: e4())
t(lambda: e5())
t(lambda: e6())
t(lambda: e7())
t(lambda: e8())
t(lambda: e9())
t(lambda: e10())
t(lambda: e11())
t(lambda: e12())
t(lambda: e13())
t(lambda: e14())
t(lambda: e15())
t(lambda: e16())
t(lambda: e17())
t(lambda: e18())
t(lambda: e19())
t(lambda: e20())
t(lambda: e21())
t(lambda: e22())
t(lambda: e23())
t(lambda: e24())
t(lambda: asdict(A(1,z=[A(2)])))
t(lambda: astuple(A(1,z=[A(2)])))
t(lambda: asdict(A(1),dict_factory=list))
t(lambda: astuple(A(1),tuple_factory=list))
t(lambda: asdict(A({'k':A(1)},(A(2),))))
t(lambda: asdict(Fz()))
t(lambda: asdict(PI(1)))
t(lambda: asdict(A))
t(lambda: asdict(5))
t(lambda: astuple(5))
t(lambda: replace(A(1),x=2))
t(lambda: replace(A(1),y='n'))
t(lambda: replace(PI(1),a=2,i=3))
t(lambda: replace(Nr(1),c=5))
t(lambda: replace(5,a=1))
t(lambda: replace(A(1),foo=5))
t(lambda: fields(5))
t(lambda: fields(A(1))==fields(A))
t(lambda: is_dataclass(A))
t(lambda: is_dataclass(A(1)))
t(lambda: is_dataclass(5))
t(lambda: is_dataclass(int))
t(lambda: fields(A)[2].default_factory)
t(lambda: fields(A)[0].default is MISSING)
t(lambda: fields(A)[0].type)
t(lambda: fields(A)[0].init)
t(lambda: fields(A)[0].kw_only)
t(lambda: fields(A)[0].compare)
t(lambda: fields(A)[0].hash)
t(lambda: fields(A)[0].repr)
t(lambda: type(fields(A)))
t(lambda: fields(A)[0]._field_type)
t(lambda: field(1))
t(lambda: repr(InitVar[int]))
t(lambda: InitVar)
t(lambda: InitVar[typing.List[int]])
t(lambda: InitVar[int].type)
t(lambda: make_dataclass('M',['a',('b',int),('c',int,5)])(1,2))
t(lambda: make_dataclass('M','a b'.split(),frozen=True)(1,2))
t(lambda: make_dataclass('M',['a']).__annotations__)
t(lambda: make_dataclass('M',[]).__name__)
t(lambda: make_dataclass('M',['a'],kw_only=True)(a=1))
t(lambda: make_dataclass('M',['x'],slots=True)(1))
t(lambda: make_dataclass('M',['a','a']))
t(lambda: make_dataclass('M',['class']))
t(lambda: make_dataclass('M',['1a']))
t(lambda: make_dataclass('M',[5]))
t(lambda: make_dataclass('M',[('a',)]))
t(lambda: make_dataclass('M',[('a',int,1,2)]))
t(lambda: copy.copy(A(1)))
t(lambda: copy.deepcopy(A(1,z=[1])))
t(lambda: copy.deepcopy(FS(1)))
t(lambda: copy.replace if hasattr(copy,'replace') else 0)
t(lambda: FrozenInstanceError.__mro__)
t(lambda: dataclasses.__all__)
t(lambda: FrozenInstanceError('x'))
t(lambda: A.__dataclass_params__)
t(lambda: A.__dataclass_fields__.keys())
t(lambda: Fz.__dataclass_params__.frozen)
t(lambda: repr(ra))
t(lambda: str(inspect.signature(A)))
t(lambda: str(inspect.signature(K)))
t(lambda: str(inspect.signature(PI)))
t(lambda: str(inspect.signature(KK)))
t(lambda: WD())
t(lambda: WD().d)
t(lambda: WD(5).d)
t(lambda: matcher(A(1)))
t(lambda: matcher(A(2,z=[3,4])))
t(lambda: matcher(Fz()))
t(lambda: matcher(5))
t(lambda: Meth())
t(lambda: Meth()==5)
t(lambda: FP(2))
t(lambda: [f.name for f in fields(DF)])
t(lambda: DF())
t(lambda: Inh2())
t(lambda: Plain())
t(lambda: Plain()==Inh1())
t(lambda: Annot().g)
t(lambda: Annot(f=print).f is print)
