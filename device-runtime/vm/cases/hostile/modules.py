#---- json of a list that holds itself: raised
import json
x = []
x.append(x)
json.dumps(x)
#---- json of a dict that holds itself: raised
import json
x = {}
x['a'] = x
json.dumps(x)
#---- json nested deeply: raised|recursion
import json
json.loads('[' * 100000)
#---- json nested deeply and closed: raised|recursion
import json
json.loads('[' * 50000 + ']' * 50000)
#---- json objects nested deeply: raised|recursion
import json
json.loads('{"a":' * 50000 + '1' + '}' * 50000)
#---- json of shared parts: memory|instructions|raised
import json
x = []
for i in range(40):
    x = [x, x]
json.dumps(x)
#---- json of a nested list: raised|recursion
import json
x = []
for i in range(50000):
    x = [x]
json.dumps(x)
#---- json with a huge number: ok|raised|instructions|memory
import json
json.loads('1' * 100000)
#---- json with a huge exponent: ok|raised
import json
json.loads('1e' + '9' * 1000)
#---- json with an indent as big as memory: memory|raised|instructions
import json
json.dumps([[1] * 100] * 10000, indent=10 ** 6)
#---- json for ever: instructions|memory
import json
s = json.dumps(list(range(20000)))
while True:
    json.loads(s)
#---- json dumps for ever: instructions|memory
import json
s = list(range(20000))
while True:
    json.dumps(s)
#---- json of bad text: raised
import json
json.loads('{"a": "\\ud800')
#---- json default that recurses: raised|recursion|instructions|memory
import json
json.dumps(object(), default=lambda o: [o])
#---- json default that loops: instructions|raised
import json
def f(o):
    while True:
        pass
json.dumps(object(), default=f)
#---- itertools count: memory|instructions|raised
import itertools
list(itertools.count())
#---- itertools product: memory|instructions|raised
import itertools
for x in itertools.product(range(100), repeat=20):
    pass
#---- itertools product kept: memory|instructions|raised
import itertools
itertools.product(range(1000), repeat=10 ** 9)
#---- itertools permutations: memory|instructions|raised
import itertools
for x in itertools.permutations(range(1000)):
    pass
#---- itertools combinations of much: memory|instructions|raised
import itertools
list(itertools.combinations(range(1000), 5))
#---- itertools chain of chains: recursion|raised|memory|instructions|ok
import itertools
x = iter([1])
for i in range(20000):
    x = itertools.chain(x, [1])
next(x)
#---- itertools tee apart: memory|instructions|raised
import itertools
a, b = itertools.tee(itertools.count())
for x in a:
    pass
#---- itertools tee of tees: memory|instructions|raised|ok|recursion
import itertools
x = iter(range(10))
for i in range(20000):
    x, y = itertools.tee(x)
next(x)
#---- itertools cycle: instructions|raised
import itertools
for x in itertools.cycle([1]):
    pass
#---- itertools islice far away: instructions|raised
import itertools
next(itertools.islice(itertools.count(), 10 ** 15, None))
#---- itertools repeat: memory|raised|instructions
import itertools
list(itertools.repeat(1))
#---- itertools accumulate of big numbers: memory|raised|instructions|time
import itertools
for x in itertools.accumulate(itertools.count(1), lambda a, b: a * b):
    pass
#---- functools reduce: instructions|memory|raised|time
import functools
functools.reduce(lambda a, b: a * b, range(1, 10 ** 6))
#---- functools cache that hoards: memory|instructions|raised
import functools
@functools.lru_cache(maxsize=None)
def f(x):
    return [x]
i = 0
while True:
    f(i)
    i += 1
#---- functools cache that recurses: recursion|raised
import functools
@functools.lru_cache(maxsize=None)
def f(x):
    return f(x + 1)
f(0)
#---- partial of partial: recursion|raised|ok|memory|instructions
import functools
f = len
for i in range(20000):
    f = functools.partial(f, 1)
f()
#---- collections deque that hoards: memory|instructions|raised
import collections
d = collections.deque()
while True:
    d.append([0])
#---- deque that changes while it is walked: raised|ok
import collections
d = collections.deque([1, 2, 3])
for x in d:
    d.append(x)
#---- deque repeated: memory|raised|instructions
import collections
collections.deque([1]) * 10 ** 10
#---- deque rotated: instructions|raised|ok
import collections
d = collections.deque(range(1000))
while True:
    d.rotate(10 ** 9 + 1)
#---- counter of much: memory|raised|instructions
import collections
collections.Counter(range(10 ** 9))
#---- counter elements: memory|raised|instructions
import collections
list(collections.Counter({1: 10 ** 12}).elements())
#---- defaultdict that recurses: recursion|raised|memory|instructions
import collections
d = collections.defaultdict(lambda: d[object()])
d[1]
#---- namedtuple with bad names: raised
import collections
collections.namedtuple('A', 'a b; import os')
#---- namedtuple of much: memory|raised|instructions
import collections
collections.namedtuple('A', ['a' + str(i) for i in range(100000)])
#---- copy deepcopy of depth: recursion|raised
import copy
x = []
for i in range(50000):
    x = [x]
copy.deepcopy(x)
#---- copy deepcopy of shared parts: ok|raised|instructions
import copy
x = []
for i in range(60):
    x = [x, x]
copy.deepcopy(x)
#---- heapq merge without end: instructions|raised|memory
import heapq, itertools
for x in heapq.merge(itertools.count(), itertools.count()):
    pass
#---- heapq whose comparison clears: raised|ok
import heapq
class A:
    def __lt__(self, o):
        h.clear()
        return True
h = [A() for i in range(100)]
heapq.heapify(h)
#---- heapq pop whose comparison clears: raised|ok
import heapq
class A:
    def __lt__(self, o):
        h.clear()
        return True
h = []
for i in range(100):
    heapq.heappush(h, A())
#---- bisect whose comparison clears: raised|ok
import bisect
class A:
    def __lt__(self, o):
        h.clear()
        return True
h = [A() for i in range(100)]
bisect.insort(h, A())
#---- random choices of much: memory|raised|instructions
import random
random.choices([1], k=10 ** 9)
#---- random bytes of much: memory|raised|instructions
import random
random.randbytes(10 ** 10)
#---- random bits of much: memory|raised|instructions
import random
random.getrandbits(10 ** 12)
#---- struct of much: memory|raised
import struct
struct.pack('1000000000s', b'a')
#---- struct that reads past the end: raised
import struct
struct.unpack_from('<i', b'abc', 2)
#---- struct with a huge count: raised|memory
import struct
struct.calcsize('9' * 30 + 's')
#---- base64 of much: memory|raised|instructions
import base64
x = b'a'
while True:
    x = base64.b64encode(x) * 2
#---- zlib bomb: memory|raised|instructions
import zlib
x = zlib.compress(b'\0' * 1000000)
y = []
while True:
    y.append(zlib.decompress(x))
#---- zlib of rubbish: raised
import zlib
zlib.decompress(b'x\x9c' + b'a' * 100)
#---- zlib for ever: instructions|raised|time
import zlib
x = bytes(range(256)) * 2000
while True:
    zlib.compress(x, 9)
#---- hashes for ever: instructions|raised|time
import hashlib
x = b'a' * 1000000
while True:
    hashlib.sha256(x).digest()
#---- key derivation for ever: instructions|raised|time
import hashlib
hashlib.pbkdf2_hmac('sha256', b'a', b'b', 10 ** 12)
#---- array of much: memory|raised
import array
array.array('d', [0]) * 10 ** 10
#---- array of bad things: raised
import array
array.array('b', [1000])
#---- memoryview past its end: raised
memoryview(b'abc')[10]
#---- memoryview of a bytearray that shrinks: raised|ok
b = bytearray(100)
m = memoryview(b)
b.clear()
m[50]
#---- bytearray of much: memory|raised
bytearray(10 ** 10)
#---- bytearray that doubles: memory|raised
b = bytearray(1)
while True:
    b += b
#---- io that hoards: memory|raised|instructions
import io
s = io.StringIO()
while True:
    s.write('a' * 10000)
#---- io seek far away: memory|raised|ok|instructions
import io
s = io.BytesIO()
s.seek(10 ** 15)
s.write(b'a')
#---- datetime out of range: raised
import datetime
datetime.datetime.max + datetime.timedelta(days=10 ** 9)
#---- datetime format as big as memory: memory|raised|ok|instructions
import datetime
datetime.datetime(2020, 1, 1).strftime('%Y' * 2000000)
#---- statistics without end: memory|raised|instructions
import statistics, itertools
statistics.mean(itertools.count())
#---- enum of much: memory|raised|instructions
import enum
enum.Enum('A', ['a' + str(i) for i in range(100000)])
#---- dataclass that recurses when printed: ok|recursion|raised
import dataclasses
@dataclasses.dataclass
class A:
    x: object = None
a = A()
a.x = a
repr(a)
#---- dataclass that recurses when compared: recursion|raised
import dataclasses
@dataclasses.dataclass
class A:
    x: object = None
a = A()
a.x = a
b = A()
b.x = b
a == b
#---- typing nested deeply: ok|raised|recursion|memory|instructions
import typing
x = int
for i in range(5000):
    x = typing.List[x]
repr(x)
#---- contexts that pile up: ok|raised|memory|instructions|recursion
import contextlib
with contextlib.ExitStack() as s:
    while True:
        s.callback(lambda: 0)
#---- asyncio that never ends: instructions|raised
import asyncio
async def f():
    while True:
        await asyncio.sleep(0)
asyncio.run(f())
#---- asyncio tasks that hoard: memory|instructions|raised
import asyncio
async def g():
    await asyncio.sleep(10 ** 9)
async def f():
    x = []
    while True:
        x.append(asyncio.create_task(g()))
asyncio.run(f())
#---- asyncio that waits for nothing: raised|time|instructions|ok
import asyncio
async def f():
    await asyncio.Event().wait()
asyncio.run(f())
#---- sleep for ever: raised|time
import time
time.sleep(10 ** 9)
#---- recursion limit raised: raised|recursion|instructions|memory
import sys
sys.setrecursionlimit(10 ** 9)
def f():
    f()
f()
#---- exit with rubbish: raised
import sys
sys.exit([1] * 1000)
#---- decimal of much: raised|memory|instructions|time|ok
import decimal
decimal.getcontext().prec = 10 ** 9
decimal.Decimal(1) / 3
#---- fractions that grow: raised|memory|instructions|time
import fractions
x = fractions.Fraction(1, 3)
while True:
    x = x * x + 1
#---- textwrap of much: raised|memory|instructions|ok|time
import textwrap
textwrap.fill('a ' * 100000, 10)
