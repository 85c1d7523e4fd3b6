#---- what random calls of library modules found
import binascii
import copy
import dataclasses
import enum
import itertools
import re
import statistics
import types
from fractions import Fraction


def tell(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: list


p = Point(1, [2])
print(copy.copy(p), copy.deepcopy(p) == p, copy.deepcopy(p).y is p.y, p.__getstate__())
print(re.compile('a').groupindex, re.compile('(?P<n>a)').groupindex)
for use in (lambda: list(itertools.dropwhile(None, [1])), lambda: Fraction(4) / 0,
            lambda: Fraction(-6, 5) / Fraction(0), lambda: list(itertools.islice([], -2, -1, -1)),
            lambda: list(itertools.islice([], 5, -2, 1)), lambda: list(itertools.islice([], -1)),
            lambda: list(itertools.islice(itertools.count(True, 3), 3)),
            lambda: list(itertools.islice(itertools.count(True), 3)),
            lambda: enum.Enum('E', {1: 2}), lambda: enum.Enum('E', {(1,): 2}),
            lambda: types.MappingProxyType((1,)), lambda: types.MappingProxyType([]),
            lambda: types.MappingProxyType({1: 2}), lambda: {}.pop({}, 1),
            lambda: statistics.pvariance([float('inf'), 1.0]),
            lambda: statistics.pvariance([float('nan'), 1.0]), lambda: binascii.b2a_qp(b'a=b')):
    tell(use)
#---- one call after another
import keyword, numbers, errno, __future__, contextlib, asyncio
async def co(): pass
async def ag(): yield
async def co2(): raise ValueError('v')
async def tgerr():
    async with asyncio.TaskGroup() as tg:
        tg.create_task(co2()); tg.create_task(asyncio.sleep(1))
@contextlib.asynccontextmanager
async def acm():
    try: yield 5
    finally: pass
async def useacm():
    async with acm() as x: pass
    async with contextlib.AsyncExitStack() as s:
        y=await s.enter_async_context(acm()); s.push_async_callback(co)
    async with contextlib.aclosing(ag()) as g: pass
    return x,y,[i async for i in ag2()], [i for i in [1] if await tru()]
async def ag2():
    for i in range(3): yield i
async def tru(): return True

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: isinstance(1,numbers.Integral))
t(lambda: isinstance(1.5,numbers.Real))
t(lambda: isinstance(1j,numbers.Complex))
t(lambda: isinstance(True,numbers.Number))
t(lambda: numbers.__all__)
t(lambda: issubclass(int,numbers.Rational))
t(lambda: isinstance(1.5,numbers.Rational))
t(lambda: keyword.iskeyword('if'))
t(lambda: keyword.kwlist)
t(lambda: keyword.softkwlist)
t(lambda: keyword.issoftkeyword('match'))
t(lambda: errno.ENOENT)
t(lambda: errno.errorcode[2])
t(lambda: __future__.all_feature_names)
t(lambda: asyncio.run(tgerr()))
t(lambda: asyncio.run(useacm()))
t(lambda: asyncio.run(5))
t(lambda: asyncio.run(co2()))
t(lambda: asyncio.get_running_loop())
#---- numbers, errno
import numbers, errno
print([isinstance(v, numbers.Number) for v in (1, 1.5, 1j, 'a', True)], issubclass(int, numbers.Rational), isinstance(1, numbers.Real), errno.ENOENT, errno.errorcode[13])
class N(numbers.Integral): pass
try: N()
except TypeError as e: print(str(e)[:50])
