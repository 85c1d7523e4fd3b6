#---- aliases
from typing import List, Dict, Optional, Union, Tuple, Callable, Any, TypeVar, Generic, Literal, ClassVar, Final, Annotated, Iterable, Set, Type
print(List[int], Dict[str, int], Optional[int], Union[int, str], Tuple[int, ...], Callable[[int], str], Any, Callable[..., int])
print(Union[int, int], Union[int, None], Optional[Union[int, str]], Literal['a', 1], ClassVar[int], Final[str], Annotated[int, 'x'], List, Tuple[()])
T = TypeVar('T')
print(T, List[T], List[T][int], Dict[str, T][int], Union[T, int], Type[int], Iterable[str], Set[int])
print(List[int] == List[int], Union[int, str] == Union[str, int], hash(List[int]) == hash(List[int]), List[int].__origin__, List[int].__args__)


def f(x: List[int], y: 'Optional[str]' = None) -> Dict[str, Any]:
    return {}


print(f.__annotations__['x'], f.__annotations__['y'], f.__annotations__['return'])
for g in (lambda: List[int, str], lambda: Union[()], lambda: Optional[int, str], lambda: List(), lambda: Any(), lambda: isinstance(1, List[int])):
    try:
        g()
    except TypeError as e:
        print(e)
print(isinstance([], List), int | None, Union[int, str] | None)
#---- generic
from typing import Generic, TypeVar, get_origin, get_args, cast, get_type_hints, NewType, overload, TYPE_CHECKING
T = TypeVar('T')
K = TypeVar('K', bound=int)


class Stack(Generic[T]):
    def __init__(self):
        self.items = []

    def push(self, x: T) -> None:
        self.items.append(x)


class Pair(Generic[T, K]):
    pass


class IntStack(Stack[int]):
    pass


s = Stack[int]()
s.push(1)
print(s.items, type(s).__name__, Stack.__parameters__, Pair.__parameters__, IntStack.__mro__[1].__name__, IntStack.__orig_bases__)
print(get_origin(Stack[int]) is Stack, get_args(Stack[int]), get_args(dict[str, int]), get_origin(list[int]), cast(int, 'x'), TYPE_CHECKING)
U = NewType('U', int)
print(U(5), U.__name__, U.__supertype__)


class H:
    a: int
    b: 'str'
    c: list = []


print(get_type_hints(H))
for g in (lambda: Stack[int, str], lambda: Pair[int]):
    try:
        g()
    except TypeError as e:
        print(e)
#---- named
from typing import NamedTuple, TypedDict, Protocol, runtime_checkable


class P(NamedTuple):
    x: int
    y: int = 3

    def total(self):
        return self.x + self.y


p = P(1)
print(p, p.total(), p._fields, P._field_defaults, P.__annotations__, p == (1, 3), isinstance(p, tuple), P.__name__)
Q = NamedTuple('Q', [('a', int), ('b', str)])
print(Q(1, 'z'), Q.__annotations__)


class Movie(TypedDict, total=False):
    name: str
    year: int


m = Movie(name='x', year=1)
m2: Movie = {'name': 'y'}
print(m, m2, type(m), Movie.__annotations__, Movie.__total__, sorted(Movie.__optional_keys__))


@runtime_checkable
class Closeable(Protocol):
    def close(self) -> None:
        ...


class R:
    def close(self):
        pass


print(isinstance(R(), Closeable), isinstance(5, Closeable), issubclass(R, Closeable))


class Proto(Protocol):
    def go(self): ...


class Impl(Proto):
    pass


print(Impl().go())
for g in (lambda: Proto(), lambda: isinstance(R(), Proto)):
    try:
        g()
    except TypeError as e:
        print(e)
#---- protocols
from typing import Protocol, runtime_checkable
import contextlib, collections.abc
class Plain: pass
for bases in ((Protocol, Plain), (Plain, Protocol)):
    try:
        type(Protocol)('P', bases, {})
    except TypeError as e:
        print(e)
class Sized2(collections.abc.Sized, Protocol): pass
class Manager(contextlib.AbstractContextManager, Protocol): pass
@runtime_checkable
class HasX(Protocol):
    x: int
    def m(self): ...
class Q:
    x = 1
    def m(self): pass
print(isinstance(Q(), HasX), isinstance(5, HasX), Sized2._is_protocol)
try:
    issubclass(Q, HasX)
except TypeError as e:
    print(e)
#---- typing, modules
import typing
from typing import *
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
T = TypeVar('T')
K = TypeVar('K', int, str)
B = TypeVar('B', bound=int, covariant=True)
P = ParamSpec('P')
Ts = TypeVarTuple('Ts')
for x in (List[int], Dict[str, List[int]], Optional[int], Union[int, str, None], Union[int, int], Union[int], Callable[[int], str], Callable[..., int], Callable, Tuple[int, ...], Tuple[()], Tuple, Type[int], Any, NoReturn, Never, ClassVar[int], Final[int], Literal['a', 1, None], Annotated[int, 'x'], T, K, B, P, Ts, Generator[int, None, str], Iterable[T], Mapping[str, Any], Set[int], FrozenSet, Deque[int], DefaultDict[str, int], OrderedDict[int, str], Counter[str], ChainMap[int, int], Awaitable[int], Coroutine[int, int, int], AsyncIterator[int], ContextManager[int], AnyStr, Text, IO[str], Hashable, Sized, SupportsInt, Self, LiteralString, Concatenate[int, P], Required[int], NotRequired[int], TypeGuard[int], TypeAlias, Unpack[Ts], ForwardRef('X'), Optional['X'], List['X'], list[T], Union[list[int], None], Optional[Union[int, str]], Literal[Literal[1], 2], Callable[[], None], Callable[P, T], Generic, Protocol, Generic[T], List[T][int], Dict[K, T][str, int], Union[T, int][str], Callable[[T], T][int]):
    print(repr(x))
t(lambda: List[int, str])
t(lambda: Optional[int, str])
t(lambda: Union[()])
t(lambda: Literal[[]])
t(lambda: Callable[int, str])
t(lambda: ClassVar[int, str])
t(lambda: List())
t(lambda: Any())
t(lambda: Union[int, str]())
t(lambda: isinstance([], List[int]))
t(lambda: isinstance([], List))
t(lambda: isinstance(1, Union[int, str]))
t(lambda: isinstance(1, Optional[int]))
t(lambda: isinstance(1, Any))
t(lambda: TypeVar('X', int))
t(lambda: TypeVar('X', bound=int, covariant=True, contravariant=True))
t(lambda: Generic[int])
t(lambda: Generic[T, T])
t(lambda: Annotated[int])
t(lambda: Type[int]())
t(lambda: issubclass(list, List))
t(lambda: List[int]([1]))
t(lambda: Dict[int])
t(lambda: Tuple[int, str][0])
class G(Generic[T, K]):
    x: T

    def __init__(self, x):
        self.x = x
print(G[int, str], G[int, str](1).x, G.__parameters__, G[int, str].__origin__, G[int, str].__args__, G[T, str].__parameters__, G.__orig_bases__, G[int, str](1).__orig_class__)
t(lambda: G[int])
class H(G[int, T]):
    pass
print(H[str], H.__parameters__, get_origin(List[int]), get_args(Dict[int, str]), get_args(Callable[[int], str]), get_origin(Union[int, str]), get_origin(int), get_args(Literal[1, 2]), get_origin(Annotated[int, 1]), get_args(Annotated[int, 1]))
class NT(NamedTuple):
    a: int
    b: str = 'x'

    def m(self):
        return self.a
print(NT(1), NT(1, 'y').m(), NT._fields, NT._field_defaults, NT.__annotations__, NT(1) == (1, 'x'), NamedTuple('Q', [('a', int)])(3))
t(lambda: NT())
class TD(TypedDict, total=False):
    a: Required[int]
    b: str
print(TD(a=1), TD.__required_keys__, TD.__optional_keys__, TD.__total__, TD.__annotations__, TypedDict('X', {'a': int})(a=1), TD)
t(lambda: isinstance({}, TD))
@runtime_checkable
class Pr(Protocol):
    x: int

    def f(self) -> int:
        ...
class Im:
    x = 1

    def f(self):
        return 1
print(isinstance(Im(), Pr), isinstance(1, Pr))
t(lambda: Pr())
class Np(Protocol):

    def g(self):
        ...
t(lambda: isinstance(1, Np))
t(lambda: issubclass(int, Np))
def fn(a: int, b: 'str'='x', *c: float, d: Optional[int]=None, **e: Any) -> 'List[int]':
    ...
print(get_type_hints(fn))
class Hn:
    a: int
    b: 'Hn'
    c: ClassVar[int] = 3
    d: 'Optional[int]'
    e: Annotated[int, 'm']
print(get_type_hints(Hn), get_type_hints(Hn, include_extras=True)['e'])
t(lambda: get_type_hints(type('Z', (), {'__annotations__': {'a': 'nope'}})))
@overload
def ov(a: int) -> int:
    ...
@overload
def ov(a: str) -> str:
    ...
def ov(a):
    return a
print(ov(1), len(get_overloads(ov)), cast(int, 'a'), NewType('UID', int)(5), NewType('UID', int), NewType('UID', int).__supertype__, TYPE_CHECKING, final(Im) is Im, Im.__final__, no_type_check(fn) is fn, assert_type(1, int), reveal_type if 0 else '')
t(lambda: assert_never(1))
t(lambda: dataclass_transform()(Im) is Im)
print(is_typeddict(TD), is_typeddict(int), List[int] == List[int], hash(List[int]) == hash(List[int]), Union[int, str] == Union[str, int], int | None, int | str == Union[int, str], Optional[int] == int | None, Literal[1] == Literal[True], T.__name__, T.__bound__, K.__constraints__, B.__covariant__, P.args, P.kwargs, T | int, List[int] | None, 'X' | T if 0 else '')
class Ch(Generic[T]):

    @classmethod
    def mk(cls):
        return cls
print(Ch[int].mk(), Ch[int].__class__, type(Ch[int]), Ch.__class_getitem__, get_protocol_members if 0 else '') if 0 else print(Ch[int].mk())
#---- one call after another
import collections
from typing import *
T=TypeVar('T'); U=TypeVar('U',int,str); B=TypeVar('B',bound='int',covariant=True); P=ParamSpec('P'); Ts=TypeVarTuple('Ts')
class G(Generic[T]):
    pass
class G2(G[int]): pass
class G3(Generic[T,U]): pass
class Pr(Protocol):
    def meth(self)->int: ...
@runtime_checkable
class PrR(Protocol):
    def meth(self)->int: ...
class Impl:
    def meth(self): return 1
class NTu(NamedTuple):
    a:int
    b:str='x'
    def f(s): return s.a
class TD(TypedDict):
    a:int
    b:str
class TD2(TD,total=False):
    c:float
class TD3(TypedDict):
    a:Required[int]
    b:NotRequired[str]
UId=NewType('UId',int)
def fn(a:int,b:'str'='x',*c:float,d:Optional[int]=None)->List[int]: pass
class Ann:
    x:int
    y:ClassVar[int]=1
    z:'Ann'
@overload
def ov(a:int)->int: ...
@overload
def ov(a:str)->str: ...
def ov(a): return a
@final
class Fin: pass
def c1():
    class X(List[int]): pass
    return X.__mro__, X([1]), X.__orig_bases__
def c2():
    class X(Union[int,str]): pass
def c3():
    class X(Any): pass
    return X.__mro__
def c5():
    class X(G[T],Generic[T,U]): pass
    return X.__parameters__
def c6():
    class X(Generic[T],G[U]): pass
def c7():
    class X(NTu,G[int]): pass
    return X(1)
def c8():
    class X(NamedTuple):
        a:int=1
        b:str
def c9():
    class X(TD):
        a:str
    return X.__annotations__
def c10():
    class X(TypedDict):
        def f(s): pass
def c11():
    class X(Fin): pass
    return X.__mro__
def c12():
    class X(Protocol):
        a:int
    class Y(X): pass
    return Y(), isinstance(Y(),X)
def c14():
    class X(Dict[str,T]): pass
    return X[int], X(a=1), X.__parameters__
def c15():
    class X(NamedTuple):
        _a:int
def c18():
    class X(NamedTuple,int): a:int
def c19():
    class X(NamedTuple,Generic[T]):
        a:T
    return X[int](1), X(1)
def c20():
    class X(TypedDict,Generic[T]):
        a:T
    return X[int](a=1), X.__parameters__
class CtxBad:
    def __enter__(s): pass
def ctx1():
    with CtxBad(): pass
def ctx2():
    with 5: pass

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))


t(lambda: List[int])
t(lambda: Dict[str,int])
t(lambda: Optional[int])
t(lambda: Union[int,str])
t(lambda: Union[int,None])
t(lambda: Union[int])
t(lambda: Tuple[int,...])
t(lambda: Tuple[()])
t(lambda: Callable[[int],str])
t(lambda: Callable[...,int])
t(lambda: Any)
t(lambda: ClassVar[int])
t(lambda: Final[int])
t(lambda: Literal[1,'a'])
t(lambda: Type[int])
t(lambda: Set[int])
t(lambda: FrozenSet[int])
t(lambda: Iterable[int])
t(lambda: Iterator[T])
t(lambda: Generator[int,None,str])
t(lambda: Sequence[int])
t(lambda: Mapping[str,Any])
t(lambda: DefaultDict[str,int])
t(lambda: Deque[int])
t(lambda: Counter[str])
t(lambda: ChainMap[str,int])
t(lambda: OrderedDict[str,int])
t(lambda: Annotated[int,'x',5])
t(lambda: Concatenate[int,P])
t(lambda: Awaitable[int])
t(lambda: Coroutine[int,str,T])
t(lambda: AsyncIterator[int])
t(lambda: NoReturn)
t(lambda: Never)
t(lambda: Self)
t(lambda: LiteralString)
t(lambda: TypeAlias)
t(lambda: Text)
t(lambda: AnyStr)
t(lambda: Hashable)
t(lambda: Sized)
t(lambda: ContextManager[int])
t(lambda: SupportsInt)
t(lambda: Unpack[Ts])
t(lambda: TypeGuard[int])
t(lambda: Required[int])
t(lambda: NotRequired[int])
t(lambda: AbstractSet[int])
t(lambda: ByteString)
t(lambda: Collection[int])
t(lambda: Container[int])
t(lambda: ItemsView[int,str])
t(lambda: KeysView[int])
t(lambda: Reversible[int])
t(lambda: IO[str])
t(lambda: TextIO)
t(lambda: BinaryIO)
t(lambda: List)
t(lambda: Dict)
t(lambda: Optional)
t(lambda: Union)
t(lambda: Tuple)
t(lambda: Callable)
t(lambda: Generic)
t(lambda: Protocol)
t(lambda: ClassVar)
t(lambda: Final)
t(lambda: Literal)
t(lambda: Type)
t(lambda: T)
t(lambda: U)
t(lambda: B)
t(lambda: P)
t(lambda: Ts)
t(lambda: P.args)
t(lambda: P.kwargs)
t(lambda: UId)
t(lambda: Annotated)
t(lambda: List[int].__origin__)
t(lambda: List[int].__args__)
t(lambda: List[T].__parameters__)
t(lambda: Dict[T,U].__parameters__)
t(lambda: Dict[T,int][str])
t(lambda: List[T][int])
t(lambda: Union[T,int][str])
t(lambda: Callable[[T],int][str])
t(lambda: Callable[P,T])
t(lambda: Tuple[T,...][int])
t(lambda: Optional[T][int])
t(lambda: Callable[[int],str].__args__)
t(lambda: Literal[1,2].__args__)
t(lambda: Annotated[int,5].__metadata__)
t(lambda: Annotated[Annotated[int,1],2])
t(lambda: Union[int,str,int])
t(lambda: Union[Union[int,str],float])
t(lambda: Union[int,str]==Union[str,int])
t(lambda: hash(Union[int,str])==hash(Union[str,int]))
t(lambda: List[int]==List[int])
t(lambda: List[int]==list[int])
t(lambda: Literal[1,1,2])
t(lambda: Literal[Literal[1],2])
t(lambda: Literal[1]==Literal[True])
t(lambda: Optional[None])
t(lambda: Union[None])
t(lambda: Union[int,Any])
t(lambda: List['X'])
t(lambda: ForwardRef('X'))
t(lambda: ForwardRef('X')==ForwardRef('X'))
t(lambda: Type['A'])
t(lambda: Union['A','B'])
t(lambda: Tuple['A'])
t(lambda: get_origin(List[int]))
t(lambda: get_args(List[int]))
t(lambda: get_origin(Union[int,str]))
t(lambda: get_args(Union[int,str]))
t(lambda: get_origin(int))
t(lambda: get_args(int))
t(lambda: get_origin(Callable[[int],str]))
t(lambda: get_args(Callable[[int],str]))
t(lambda: get_args(Callable[...,int]))
t(lambda: get_origin(list[int]))
t(lambda: get_args(dict[str,int]))
t(lambda: get_origin(Literal[1]))
t(lambda: get_origin(Annotated[int,1]))
t(lambda: get_args(Annotated[int,1]))
t(lambda: get_origin(Generic))
t(lambda: get_origin(Generic[T]))
t(lambda: get_origin(G[int]))
t(lambda: get_args(G[int]))
t(lambda: get_origin(int|str))
t(lambda: get_args(int|str))
t(lambda: get_origin(P.args))
t(lambda: get_origin(Optional[int]))
t(lambda: get_args(Tuple[()]))
t(lambda: get_origin(ClassVar[int]))
t(lambda: get_args(Optional[int]))
each(get_type_hints, [fn], [Ann], [TD2], [NTu], [G], [TD3])
t(lambda: get_type_hints(TD3,include_extras=True))
t(lambda: G[int])
t(lambda: G[T])
t(lambda: G3[int,str])
t(lambda: G2.__orig_bases__)
t(lambda: G.__parameters__)
t(lambda: G3.__parameters__)
t(lambda: G2.__parameters__)
t(lambda: isinstance(G[int](),G))
t(lambda: G[int].__origin__)
t(lambda: G[int]==G[int])
t(lambda: G.__mro__)
t(lambda: G2.__mro__)
t(lambda: type(G[int]()).__name__)
t(lambda: G[int]().__orig_class__)
t(lambda: repr(G))
t(lambda: G[int,str])
t(lambda: G3[int])
t(lambda: G2[int])
t(lambda: G[()])
t(lambda: List[int,str])
t(lambda: List[5])
t(lambda: Dict[int])
t(lambda: Optional[1,2])
t(lambda: Optional[5])
t(lambda: Union[()])
t(lambda: Union[5])
t(lambda: Callable[int])
t(lambda: Callable[int,str])
t(lambda: Callable[[int],5])
t(lambda: ClassVar[int,str])
t(lambda: Literal[()])
t(lambda: Annotated[int])
t(lambda: Any[int])
t(lambda: NoReturn[int])
t(lambda: Self[int])
t(lambda: Generic[int])
t(lambda: Generic[T,T])
t(lambda: Generic[()])
t(lambda: Protocol[int])
t(lambda: Final[5])
t(lambda: Type[5])
t(lambda: List[T][int,str])
t(lambda: List[int][str])
t(lambda: TypeAlias[int])
t(lambda: Any())
t(lambda: Union())
t(lambda: List())
t(lambda: Optional())
t(lambda: isinstance([],List))
t(lambda: isinstance([],List[int]))
t(lambda: issubclass(list,List))
each(isinstance, [[], Iterable], [{}, Mapping], [1, Hashable])
t(lambda: issubclass(dict,Dict))
t(lambda: isinstance(5,SupportsInt))
t(lambda: isinstance(len,Callable))
t(lambda: isinstance(iter([]),Iterator))
t(lambda: isinstance(1,Union[int,str]))
t(lambda: isinstance(1,int|str))
t(lambda: isinstance(1,Optional[int]))
t(lambda: issubclass(int,Union[int,str]))
t(lambda: isinstance(1,Any))
t(lambda: isinstance(1,T))
t(lambda: isinstance(1,Literal[1]))
t(lambda: isinstance(Impl(),PrR))
t(lambda: isinstance(5,PrR))
t(lambda: issubclass(Impl,PrR))
t(lambda: isinstance(Impl(),Pr))
t(lambda: Pr())
t(lambda: c1())
t(lambda: c2())
t(lambda: c3())
t(lambda: c5())
t(lambda: c6())
t(lambda: c7())
t(lambda: c8())
t(lambda: c9())
t(lambda: c10())
t(lambda: c11())
t(lambda: c12())
t(lambda: c14())
t(lambda: c15())
t(lambda: c18())
t(lambda: c19())
t(lambda: c20())
t(lambda: NTu(1))
t(lambda: NTu(1).f())
t(lambda: NTu._fields)
t(lambda: NTu.__annotations__)
t(lambda: NTu._field_defaults)
t(lambda: NamedTuple('Q',[('a',int),('b',str)])(1,'x'))
t(lambda: NTu.__doc__)
t(lambda: NTu.__mro__)
t(lambda: NTu(1)._replace(a=5))
t(lambda: NamedTuple('Q',a=int)(1) if 0 else 0)
t(lambda: NamedTuple('Q',[('a',5)]))
t(lambda: TD(a=1,b='x'))
t(lambda: TD.__annotations__)
t(lambda: TD2.__total__)
t(lambda: TD.__total__)
t(lambda: TD2.__required_keys__==frozenset({'a','b'}))
t(lambda: TD2.__optional_keys__)
t(lambda: TD3.__required_keys__)
t(lambda: TypedDict('Q',{'a':int})(a=1))
t(lambda: TD.__name__)
t(lambda: TD.__bases__)
t(lambda: TD.__mro__)
t(lambda: type(TD(a=1,b='')))
t(lambda: type(TD))
t(lambda: TypedDict('Q',{'a':int},total=False).__optional_keys__)
t(lambda: isinstance({},TD))
t(lambda: issubclass(dict,TD))
t(lambda: UId(5))
t(lambda: UId.__name__)
t(lambda: UId.__supertype__)
t(lambda: repr(UId))
t(lambda: type(UId))
t(lambda: Optional[UId])
t(lambda: UId|None)
t(lambda: T.__name__)
t(lambda: T.__bound__)
t(lambda: T.__constraints__)
t(lambda: U.__constraints__)
t(lambda: B.__bound__)
t(lambda: B.__covariant__)
t(lambda: T.__contravariant__)
t(lambda: T|int)
t(lambda: P.__name__)
t(lambda: Ts.__name__)
t(lambda: T.__module__)
t(lambda: TypeVar('X',int))
t(lambda: TypeVar('X',covariant=True,contravariant=True))
t(lambda: TypeVar('X',int,str,bound=int))
t(lambda: TypeVar(5))
t(lambda: TypeVar('X',bound=5))
t(lambda: cast(int,'a'))
t(lambda: assert_type(1,int))
t(lambda: reveal_type(1) if 0 else 0)
t(lambda: no_type_check(fn) is fn)
t(lambda: TYPE_CHECKING)
t(lambda: get_overloads(ov).__len__())
t(lambda: clear_overloads())
t(lambda: Fin.__final__)
t(lambda: is_typeddict(TD))
t(lambda: is_typeddict(5))
t(lambda: assert_never(5))
t(lambda: ov(1))
t(lambda: overload(fn)(1))
t(lambda: list[int])
t(lambda: dict[str,int])
t(lambda: tuple[int,...])
t(lambda: type[int])
t(lambda: list[int].__origin__)
t(lambda: list[T][int])
t(lambda: list[int]|None)
t(lambda: list[int]==list[int])
t(lambda: int|str)
t(lambda: int|None)
t(lambda: (int|str).__args__)
t(lambda: type(int|str))
t(lambda: isinstance(1,int|None))
t(lambda: int|str==str|int)
t(lambda: list[int]())
t(lambda: collections.deque[int])
t(lambda: tuple[()])
t(lambda: type(list[int]))
t(lambda: list[int].__parameters__)
t(lambda: hash(list[int])==hash(list[int]))
t(lambda: repr(list['x']))
t(lambda: dict[T,T][int])
t(lambda: set[int])
t(lambda: frozenset[int])
t(lambda: int|'x' if 0 else 0)
t(lambda: list[T]|None)
t(lambda: int|5)
t(lambda: list[int][str])
t(lambda: isinstance([],list[int]))
t(lambda: issubclass(list,list[int]))
t(lambda: ctx1())
t(lambda: ctx2())
