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
#---- one call after another
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


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
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
each(make_dataclass, ['M', ['a','a']], ['M', ['class']], ['M', ['1a']], ['M', [5]],
     ['M', [('a',)]], ['M', [('a',int,1,2)]])
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
#---- dataclasses, modules
from dataclasses import *
import dataclasses
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
@dataclass
class A:
    """doc"""
    a: int
    b: str = 'x'
    c: list = field(default_factory=list, repr=False, compare=False)
    d: InitVar[int] = 3
    e: int = field(init=False, default=9)

    def __post_init__(self, d):
        self.post = d
a = A(1)
print(a, a.post, a == A(1), a == 1, fields(A)[0].name, [f.name for f in fields(a)], asdict(a), astuple(a), replace(a, a=5), A.__match_args__, A.__doc__, A.__eq__ is not object.__eq__, A.__hash__, is_dataclass(A), is_dataclass(a), is_dataclass(int))
t(lambda: A())
t(lambda: A(1, z=2))
t(lambda: replace(a, e=1))
t(lambda: hash(a))
t(lambda: a < a)
t(lambda: fields(int))
t(lambda: asdict(A))
t(lambda: astuple(5))
t(lambda: replace(5))
@dataclass(order=True, frozen=True)
class O:
    x: int
    y: int = field(compare=False, default=0)
print(O(1) < O(2), O(1) == O(1, 5), hash(O(1)) == hash(O(1, 9)), sorted([O(3), O(1)]), max(O(1), O(2)))
t(lambda: setattr(O(1), 'x', 2))
t(lambda: setattr(O(1), 'q', 2))
t(lambda: delattr(O(1), 'x'))
t(lambda: O(1) < 5)
for kw in (dict(eq=False, order=True), dict(unsafe_hash=True), dict(eq=True, frozen=True), dict(repr=False), dict(init=False), dict(match_args=False), dict(kw_only=True), dict(slots=True), dict(weakref_slot=True), dict(slots=True, weakref_slot=True)):

    def mk():

        @dataclass(**kw)
        class Z:
            p: int = 1
        return (Z(), Z.__hash__ is not None, getattr(Z, '__slots__', None), getattr(Z, '__match_args__', None)) if kw.get('repr', True) else 'norepr'
    print(kw, end=' ')
    t(mk)
@dataclass
class B1:
    x: int
    y: int = 2
@dataclass
class B2(B1):
    z: int = 3
    x: int = 9
print(B2(), B2.__init__.__annotations__, [f.name for f in fields(B2)])
t(lambda: dataclass(type('Q', (), {'__annotations__': {'a': int, 'b': int}, 'a': 1})))
t(lambda: dataclass(type('Q', (), {'__annotations__': {'a': list}, 'a': []})))
t(lambda: dataclass(type('Q', (), {'__annotations__': {'a': dict}, 'a': {}})))
t(lambda: field(default=1, default_factory=int))
t(lambda: dataclass(type('Q', (), {'a': field()})))
t(lambda: dataclass(type('Q', (), {'__annotations__': {'a': int}, '__lt__': lambda s, o: 1}), order=True) if 0 else 1)
@dataclass
class KW:
    a: int
    _: KW_ONLY
    b: int
    c: int = 5
print(KW(1, b=2), KW.__match_args__)
t(lambda: KW(1, 2))
t(lambda: KW(1))
@dataclass
class KF:
    a: int = field(kw_only=True, default=1)
    b: int = field(metadata={'k': 1}, default=2, hash=False)
print(KF(5), fields(KF)[1].metadata, fields(KF)[0].kw_only)
M = make_dataclass('M', ['a', ('b', int), ('c', int, field(default=3))], bases=(), namespace={'q': 1}, frozen=True)
print(M(1, 2), M.q, M.__annotations__)
@dataclass
class Rec:
    n: object = None
r = Rec()
r.n = r
print(r)
@dataclass
class N2:
    l: list
    d: dict
    t: tuple
print(asdict(N2([B1(1)], {'k': B1(2)}, (B1(3),))), astuple(N2([B1(1)], {}, ())), asdict(B1(1), dict_factory=lambda p: sorted(p)))
from collections import namedtuple
print(asdict(N2(namedtuple('P', 'a b')(B1(1), 2), {}, ())))
@dataclass
class Fz:
    x: int

    def __eq__(s, o):
        return 'custom'

    def __repr__(s):
        return 'myrepr'
print(Fz(1) == 2, Fz(1))
@dataclass(frozen=True)
class FA:
    x: int
t(lambda: type('x', (), {}) and dataclass(type('FB', (FA,), {'__annotations__': {'y': int}})))
@dataclass
class Meth:
    x: int = 0

    def inc(self):
        self.x += 1
        return self
print(Meth().inc().inc(), Meth.__init__.__qualname__, Meth.__repr__.__qualname__, Meth.__eq__.__name__)
import inspect
print(inspect.signature(A), inspect.signature(KW))
@dataclass
class Gen:
    x: int
print(Gen(1), FrozenInstanceError.__mro__[1])
