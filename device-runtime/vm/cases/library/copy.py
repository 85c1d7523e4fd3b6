#---- functools
import functools
@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(80), fib.cache_info())
print(functools.reduce(lambda a, b: a * b, range(1, 6)), functools.partial(int, base=2)("1010"))
@functools.total_ordering
class T:
    def __init__(self, n):
        self.n = n
    def __eq__(self, o):
        return self.n == o.n
    def __lt__(self, o):
        return self.n < o.n
print(T(1) >= T(1), T(2) > T(1), sorted("bA", key=functools.cmp_to_key(lambda a, b: (a > b) - (a < b))))
#---- singledispatch
from functools import singledispatch, wraps, cached_property
@singledispatch
def kind(x):
    return "object"
@kind.register
def _(x: int):
    return "int"
@kind.register(list)
def _(x):
    return "list"
print(kind(1), kind([]), kind("s"), kind(True))
def deco(f):
    @wraps(f)
    def inner(*a):
        "inner doc"
        return f(*a)
    return inner
@deco
def g():
    "g doc"
print(g.__name__, g.__doc__)
class C:
    @cached_property
    def v(self):
        print("computed")
        return 5
c = C()
print(c.v, c.v)
#---- itertools
from itertools import *
print(list(chain([1], "ab")), list(islice(count(5, 2), 3)), list(accumulate([1, 2, 3])), list(product("ab", repeat=2)), list(permutations(range(3), 2)), list(combinations("abc", 2)))
print([(k, list(g)) for k, g in groupby("aabccc")], list(zip_longest("ab", [1], fillvalue=0)), list(takewhile(lambda x: x < 3, range(9))), list(dropwhile(lambda x: x < 7, range(9))), list(starmap(pow, [(2, 3), (3, 2)])), list(pairwise("abc")), list(compress("abcd", [1, 0, 1])), [list(t) for t in tee(range(2))], list(repeat(7, 2)), list(islice(cycle("ab"), 5)), list(filterfalse(None, [0, 1])), list(combinations_with_replacement("ab", 2)))
#---- dataclasses
from dataclasses import dataclass, field, asdict, replace, astuple, fields
@dataclass(order=True)
class P:
    x: int
    y: int = 2
    tags: list = field(default_factory=list, compare=False)
@dataclass(frozen=True)
class F:
    a: int
p = P(1)
p.tags.append("t")
print(p, p == P(1), P(1) < P(2), asdict(p), replace(p, y=9), astuple(p), [f.name for f in fields(P)], {F(1): 2}[F(1)])
try:
    F(1).a = 2
except Exception as e:
    print(type(e).__name__, e)
#---- enum
from enum import Enum, IntEnum, Flag, auto
class Color(Enum):
    RED = 1
    GREEN = 2
    ALIAS = 1
class Level(IntEnum):
    LOW = auto()
    HIGH = auto()
class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()
print(Color.RED, repr(Color.GREEN), Color(2).name, Color["RED"].value, Color.ALIAS is Color.RED, list(Color), Level.HIGH > Level.LOW, Level.LOW + 1, Perm.R | Perm.W, Perm.R in (Perm.R | Perm.X), len(Color))
try:
    Color(7)
except ValueError as e:
    print(e)
#---- typing
from typing import List, Dict, Optional, Union, Any, NamedTuple, Callable, TypeVar, Generic
T = TypeVar("T")
class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: List[T] = []
class Row(NamedTuple):
    a: int
    b: str = "z"
def f(x: Optional[int], y: Union[int, str], z: Callable[[int], Any]) -> Dict[str, int]:
    return {}
print(f(None, 1, len), Stack().items, Row(1), Row(2, "q").b, Row(3)._asdict())
#---- contextlib
from contextlib import contextmanager, suppress, ExitStack, nullcontext, closing
@contextmanager
def tag(name):
    print("<" + name)
    try:
        yield name.upper()
    finally:
        print(name + ">")
with tag("a") as v, suppress(KeyError):
    print(v)
    {}["missing"]
with ExitStack() as stack:
    print([stack.enter_context(tag(c)) for c in "xy"])
    stack.callback(print, "called")
with nullcontext(5) as n:
    print(n)
#---- datetime
from datetime import datetime, date, timedelta, timezone
d = datetime(2024, 2, 28, 23, 30, tzinfo=timezone.utc)
print(d + timedelta(hours=1), d.isoformat(), (date(2024, 3, 1) - date(2023, 3, 1)).days, d.strftime("%Y/%m/%d %H-%M %j %a"), date(2024, 2, 29).weekday(), timedelta(days=1, seconds=3661), datetime.fromisoformat("2024-01-02T03:04:05"))
#---- re_findall
import re
print(re.findall(r"\d+", "a1b22c333"), re.findall(r"(\w)=(\d)", "a=1,b=2"), re.split(r"[,;]\s*", "a, b;c"), re.sub(r"(\w+)@(\w+)", r"\2 at \1", "me@home"), [m.span() for m in re.finditer("a+", "aabaaa")])
#---- re_named
import re
m = re.match(r"(?P<year>\d{4})-(?P<month>\d\d)", "2024-05-06")
print(m["year"], m.groupdict(), m.groups(), m.end(), re.fullmatch("a.c", "abc") is not None, re.search("x", "abc"))
print(re.sub(r"(?P<a>.)(?P<b>.)", r"\g<b>\g<a>", "abcd"), re.compile("^b", re.M | re.I).findall("a\nB\nb"))
#---- re_lookaround
import re
print(re.findall(r"\w+(?=!)", "hey! you there!"), re.findall(r"(?<=\$)\d+", "$5 6 $77"), re.findall(r"(?<!a)b", "ab bb"), re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", "1234567"), re.findall(r"a.*?b", "axxbyyb"), re.match(r"(a)?b(?(1)c|d)", "abc").group())
#---- json_sort_keys
import json
v = {"b": [1, 2.5, None, True], "a": {"x": "é\n"}}
print(json.dumps(v), json.dumps(v, sort_keys=True, indent=2, ensure_ascii=False), json.dumps(v, separators=(",", ":")), json.loads('{"k": [1, 2e3, "\\u00e9"]}'))
try:
    json.loads('{"a": }')
except json.JSONDecodeError as e:
    print(e)
#---- math
import math
print(math.gcd(12, 18), math.lcm(4, 6), math.isqrt(10**20), math.factorial(20), math.comb(10, 3), math.hypot(3, 4), math.fsum([0.1] * 10), math.prod([1, 2, 3]), math.floor(-1.5), math.ceil(1.2), math.isclose(0.1 + 0.2, 0.3), math.log2(8), math.pi, math.copysign(1, -0.0), math.frexp(8.0))
#---- random
import random
random.seed(42)
print(random.random(), random.randint(1, 100), random.choice("abcdef"), random.sample(range(50), 4), random.uniform(1, 2), random.gauss(0, 1))
x = list(range(6))
random.shuffle(x)
print(x, random.Random(7).getrandbits(40))
#---- collections
from collections import Counter, defaultdict, deque, namedtuple, OrderedDict, ChainMap
print(Counter("abracadabra").most_common(2), Counter(a=3) - Counter(a=1, b=2), sorted(Counter("ab").elements()))
d = defaultdict(list)
d["x"].append(1)
q = deque([1, 2, 3], maxlen=3)
q.append(4)
q.rotate(1)
P = namedtuple("P", "x y")
print(d, q, P(1, 2), P(1, y=5)._replace(x=0), P(3, 4)[1], OrderedDict(a=1), ChainMap({"a": 1}, {"a": 2, "b": 3})["b"])
#---- heapq_bisect
import heapq, bisect
h = [5, 1, 8, 3]
heapq.heapify(h)
heapq.heappush(h, 0)
print([heapq.heappop(h) for _ in range(5)], heapq.nlargest(2, [4, 9, 2]), heapq.nsmallest(2, "dbca"), list(heapq.merge([1, 4], [2, 3])))
a = [1, 3, 3, 5]
bisect.insort(a, 4)
print(bisect.bisect_left(a, 3), bisect.bisect(a, 3), a)
#---- struct_base64_hashlib
import struct, base64, hashlib, zlib
print(struct.unpack("<Hf", struct.pack("<Hf", 513, 1.5)), base64.b64encode(b"any carnal pleas"), base64.b64decode("YQ=="), base64.b32encode(b"hi"), hashlib.sha256(b"abc").hexdigest(), hashlib.md5(b"").hexdigest(), zlib.crc32(b"hello"), zlib.decompress(zlib.compress(b"data" * 20)) == b"data" * 20)
#---- copy_operator
import copy, operator
a = [[1], {"k": [2]}]
b, c = copy.copy(a), copy.deepcopy(a)
a[0].append(9)
a[1]["k"].append(8)
print(b, c, operator.itemgetter(1, 0)("ab"), operator.attrgetter("real")(5), sorted([(1, 2), (0, 5)], key=operator.itemgetter(1)), operator.methodcaller("upper")("x"), operator.add(1, 2))
#---- statistics
import statistics
print(statistics.mean([1, 2, 3, 4]), statistics.median([3, 1, 2]), statistics.mode("aab"), statistics.stdev([1, 2, 3, 4]), statistics.pvariance([1, 2, 3]), statistics.quantiles([1, 2, 3, 4, 5], n=4))
#---- string
import string
print(string.ascii_letters, string.digits, string.punctuation, string.Template("$a and ${b}").substitute(a=1, b=2), string.capwords("hello big world"))
#---- io
import io
s = io.StringIO("one\ntwo\n")
print(s.readline(), list(s), s.read())
b = io.BytesIO()
b.write(b"abc")
print(b.getvalue(), b.tell(), print("to stream", file=s), s.getvalue()[-10:])
#---- array_cmath
import array, cmath
a = array.array("h", [1, -2, 3])
a.append(4)
print(a, a.tobytes(), a.itemsize, cmath.sqrt(-1), cmath.phase(1j), cmath.exp(0))
#---- time_sys
import time, sys
t = time.monotonic()
print(time.monotonic() >= t, sys.version_info[:2] >= (3, 11), sys.maxsize, sys.byteorder)
sys.stdout.write("written\n")
