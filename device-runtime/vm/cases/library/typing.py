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
