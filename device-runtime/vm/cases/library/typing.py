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
#---- typ
import typing, types, contextlib, copy, collections, abc
from typing import *
from contextlib import *
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
def c4():
    class X(Generic[T],Generic[U]): pass
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
def c13():
    class X(int,Protocol): pass
def c14():
    class X(Dict[str,T]): pass
    return X[int], X(a=1), X.__parameters__
def c15():
    class X(NamedTuple):
        _a:int
def c16():
    class X(UId): pass
def c17():
    class X(T): pass
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
log=[]
@contextmanager
def cm(a=1):
    "doc"
    log.append('in')
    try: yield a
    except ValueError as e: log.append(repr(e))
    finally: log.append('out')
@contextmanager
def cm2(): pass
@contextmanager
def cm3():
    yield 1
    yield 2
@contextmanager
def cm4():
    if 0: yield
@contextmanager
def cm5():
    try: yield
    except ValueError: raise KeyError('k')
@contextmanager
def cm6():
    try: yield
    except: yield 1
class C:
    def __init__(s,n): s.n=n
    def __enter__(s): log.append('e%s'%s.n); return s
    def __exit__(s,*a): log.append('x%s'%s.n+str(a[0])); return s.n=='sup'
    def close(s): log.append('c%s'%s.n)
class CD(ContextDecorator):
    def __enter__(s): log.append('cde'); return s
    def __exit__(s,*a): log.append('cdx')
@CD()
def cdf(x): "d"; return x
@cm()
def cmf(): return 'f'
def run(f):
    log.clear(); 
    try: r=f()
    except BaseException as e: r=(type(e).__name__,str(e),repr(e.__context__),repr(e.__cause__))
    return r,list(log)
def w(m,body=lambda x:x):
    with m as v: return body(v)
def bad(x): raise ValueError('v')
def bad2(x): raise KeyError('v')
def badsi(x): raise StopIteration('si')
def es1():
    with ExitStack() as s:
        s.enter_context(C(1)); s.push(C(2)); s.callback(log.append,'cb'); s.callback(lambda *a,**k:log.append((a,k)),1,z=2)
        @s.callback
        def _(): log.append('deco')
        @s.push
        def _2(*a): log.append(a)
        return 5
def es2():
    with ExitStack() as s:
        s.enter_context(C('sup')); s.enter_context(C(1)); raise ValueError('x')
    return 'sup'
def es3():
    s=ExitStack(); s.enter_context(C(1)); t=s.pop_all(); s.close(); log.append('mid'); t.close()
def es4():
    with ExitStack() as s: s.enter_context(5)
def es5():
    with ExitStack() as s: s.push(5)
def es6():
    def b(*a): raise KeyError('in exit')
    with ExitStack() as s:
        s.push(b); s.callback(lambda: 1/0); raise ValueError('orig')
def ses():
    s=suppress(ValueError,KeyError)
    with s: raise KeyError
    with s: raise ValueError
    with s: raise TypeError('t')
def red():
    import io
    f=io.StringIO()
    with redirect_stdout(f) as g: print('hi'); 
    return f.getvalue(), g is f
def nul():
    with nullcontext(5) as x: return x
def nul2():
    with nullcontext() as x: return x
class CtxBad:
    def __enter__(s): pass
def ctx1():
    with CtxBad(): pass
def ctx2():
    with 5: pass
def ctx3():
    c=cm()
    with c: pass
    with c: pass
class Cp:
    def __init__(s): s.a=[1]
class Cc(Cp):
    def __copy__(s): return 'copied'
    def __deepcopy__(s,m): return ('deep',type(m).__name__)
class Cr:
    def __init__(s,v): s.v=v
    def __reduce__(s): return (Cr,(s.v*2,))
class Cr2:
    def __reduce_ex__(s,p): return (list,(),None,iter([1,2]))
class Cr3:
    def __reduce__(s): return 'glob'
class Cr4:
    def __reduce__(s): return (Cr4,(),{'st':p} if 0 else {'st':1})
class Cr5(dict):
    def __init__(s,*a): s.x=1; super().__init__(*a)
class Gs:
    def __init__(s): s.a=1;s.b=2
    def __getstate__(s): return {'a':s.a}
    def __setstate__(s,d): s.a=d['a']; s.z='set'
class Sl:
    __slots__=('a','b')
class Sl2(Sl):
    pass
class Na:
    def __new__(cls,x): o=super().__new__(cls); o.x=x; return o
    def __getnewargs__(s): return (s.x,)
class Nak:
    def __new__(cls,*,x): o=super().__new__(cls); o.x=x; return o
    def __getnewargs_ex__(s): return (),{'x':s.x}
class Ls(list): pass
class St(str): pass
class It(int): pass
class Tp(tuple): pass
def cyc():
    a=[1]; a.append(a); b=copy.deepcopy(a); return b is not a and b[1] is b
def cyc2():
    d={}; d['s']=d; e=copy.deepcopy(d); return e['s'] is e
def shared():
    x=[1]; y=copy.deepcopy([x,x]); return y[0] is y[1], y[0] is x
def cpo():
    o=Cp(); p=copy.copy(o); q=copy.deepcopy(o); return p.a is o.a, q.a is o.a, type(q).__name__
def sl():
    s=Sl2(); s.a=[1]; s.q=2; t=copy.copy(s); u=copy.deepcopy(s); return t.a is s.a, u.a, u.q, hasattr(u,'b')
def ls():
    l=Ls([1,[2]]); l.x=5; m=copy.copy(l); n=copy.deepcopy(l); return m,m.x,type(m).__name__,n[1] is l[1],n.x
def memo():
    m={}; x=[1]; y=copy.deepcopy(x,m); return len(m), id(x) in m
def meth():
    o=Cp(); m=o.__init__; return copy.deepcopy(m).__self__ is o

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
t(lambda: copy.copy(List[int]))
t(lambda: copy.deepcopy(Union[int,str]))
t(lambda: copy.copy(T) is T)
t(lambda: copy.deepcopy(T) is T)
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
t(lambda: types.GenericAlias(list,(int,)))
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
t(lambda: types.SimpleNamespace(a=1))
t(lambda: types.SimpleNamespace(a=1)==types.SimpleNamespace(a=1))
t(lambda: types.MappingProxyType({'a':1}))
t(lambda: types.MappingProxyType({'a':1})['a'])
t(lambda: types.new_class('X',(int,)))
t(lambda: types.FunctionType.__name__)
t(lambda: types.NoneType)
t(lambda: types.EllipsisType)
t(lambda: types.UnionType)
t(lambda: types.GenericAlias)
t(lambda: types.ModuleType('m'))
t(lambda: types.MethodType(len,'abc')())
t(lambda: types.resolve_bases((List[int],)))
t(lambda: types.prepare_class('X'))
t(lambda: types.coroutine(fn) is not None)
t(lambda: types.BuiltinFunctionType)
t(lambda: types.LambdaType)
t(lambda: types.CodeType)
t(lambda: types.TracebackType)
t(lambda: types.CellType)
t(lambda: types.DynamicClassAttribute)
t(lambda: types.MappingProxyType(5))
t(lambda: types.MappingProxyType({}).x)
t(lambda: types.SimpleNamespace(1))
each(run, [lambda: w(cm())], [lambda: w(cm(5))], [lambda: w(cm(),bad)], [lambda: w(cm(),bad2)],
     [lambda: w(cm2())], [lambda: w(cm3())], [lambda: w(cm4())], [lambda: w(cm5(),bad)],
     [lambda: w(cm6(),bad)], [lambda: w(cm(),badsi)], [lambda: cdf(5)], [cmf], [cmf])
t(lambda: cdf.__name__)
t(lambda: cm.__doc__)
t(lambda: cm.__name__)
t(lambda: cm().__doc__)
each(run, [es1], [es2], [es3], [es4], [es5], [es6], [ses], [red])
t(lambda: nul())
t(lambda: nul2())
t(lambda: repr(cm())[:50])
t(lambda: type(cm()))
t(lambda: closing)
t(lambda: AbstractContextManager.__mro__)
t(lambda: isinstance(C(1),AbstractContextManager))
t(lambda: issubclass(C,AbstractContextManager))
t(lambda: AbstractContextManager())
t(lambda: closing())
t(lambda: cm(b=1))
t(lambda: ctx1())
t(lambda: ctx2())
t(lambda: ctx3())
t(lambda: copy.copy([1,[2]]))
t(lambda: copy.deepcopy({'a':[1,{2}]}))
t(lambda: copy.copy((1,)))
t(lambda: copy.copy({1}))
t(lambda: copy.copy(bytearray(b'a')))
t(lambda: copy.deepcopy((1,[2])))
t(lambda: copy.copy(range(3)))
t(lambda: copy.copy(slice(1,2)))
t(lambda: copy.copy(len) is len)
t(lambda: copy.copy(None))
t(lambda: copy.copy(types.SimpleNamespace(a=1)))
t(lambda: copy.deepcopy(types.SimpleNamespace(a=[1])))
t(lambda: copy.copy(Exception('a')).args)
t(lambda: copy.deepcopy(ValueError([1])).args)
t(lambda: copy.Error.__mro__)
t(lambda: copy.error is copy.Error)
t(lambda: copy.__all__)
t(lambda: copy.copy(int) is int)
t(lambda: copy.deepcopy(len) is len)
t(lambda: copy.copy(property()) is not None)
t(lambda: copy.copy(frozenset([1])))
t(lambda: copy.copy(1j))
t(lambda: copy.copy(...))
t(lambda: cyc())
t(lambda: cyc2())
t(lambda: shared())
t(lambda: cpo())
t(lambda: sl())
t(lambda: ls())
t(lambda: memo())
t(lambda: meth())
t(lambda: copy.copy(Cc()))
t(lambda: copy.deepcopy(Cc()))
t(lambda: copy.copy(Cr(2)).v)
t(lambda: copy.deepcopy(Cr(2)).v)
t(lambda: copy.copy(Cr2()))
t(lambda: copy.deepcopy(Cr2()))
t(lambda: isinstance(copy.copy(Cr3()),Cr3))
t(lambda: copy.copy(Cr4()).st)
t(lambda: copy.copy(Cr5({1:2})))
t(lambda: copy.copy(Cr5({1:2})).x)
t(lambda: copy.deepcopy(Gs()).__dict__)
t(lambda: copy.copy(Gs()).__dict__)
t(lambda: copy.copy(Na(5)).x)
t(lambda: copy.copy(Nak(x=6)).x)
t(lambda: copy.copy(St('a')))
t(lambda: copy.deepcopy(It(5)))
t(lambda: copy.copy(Tp((1,2))))
t(lambda: type(copy.deepcopy(Tp(([1],)))).__name__)
t(lambda: copy.copy(x for x in []))
t(lambda: copy.deepcopy([i for i in [iter([])]]) if 0 else 0)
t(lambda: copy.copy(types.ModuleType('m')))
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
