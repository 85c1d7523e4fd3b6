#---- positional_only
def f(a, b, /, c, *, d=4):
    return a, b, c, d
print(f(1, 2, 3), f(1, 2, c=5, d=6))
try:
    f(a=1, b=2, c=3)
except TypeError as e:
    print(e)
#---- slice_assign_step
x = list(range(10))
x[::2] = "abcde"
print(x)
x[1:4] = []
print(x)
del x[::3]
print(x)
try:
    x[::2] = [1]
except ValueError as e:
    print(e)
#---- match_sequences
def f(v):
    match v:
        case []:
            return "empty"
        case [x]:
            return f"one {x}"
        case [1, *rest]:
            return f"from one {rest}"
        case (a, b, *_, z):
            return f"{a} {b} .. {z}"
        case [*all]:
            return f"all {all}"
        case str():
            return "text"
print([f(v) for v in ([], [9], [1, 2, 3], (2, 3, 4, 5), [7, 8], "ab")])
#---- try_else_finally
def f(n):
    out = []
    try:
        out.append("try")
        if n == 1:
            raise ValueError
        if n == 2:
            return out
    except ValueError:
        out.append("except")
    else:
        out.append("else")
    finally:
        out.append("finally")
    return out
print(f(0), f(1), f(2))
def g():
    for i in range(3):
        try:
            continue
        finally:
            print("loop", i)
    while True:
        try:
            break
        finally:
            return "from finally"
print(g())
#---- async_generator
import asyncio
class Manager:
    async def __aenter__(self):
        print("enter")
        return self
    async def __aexit__(self, *a):
        print("exit", a[0])
async def count(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)
async def main():
    async with Manager():
        out = [i async for i in count(4) if i != 2]
        async for i in count(2):
            out.append(-i)
    return out
print(asyncio.run(main()))
#---- fstring_nesting
w, p, v, name = 10, 3, 3.14159, "n"
print(f"{v:{w}.{p}}|{name!r:>{w}}|{'nested ' + f'{1 + 1}'}|{{}}|{v = :.2f}|{name=}|{1+2 = }")
print(f"{'a' if v > 3 else 'b'} {[i for i in range(3)]} {(lambda x: x * 2)(4)} {dict(a=1)['a']}")
#---- star_unpack
a, *b, c = range(6)
print(a, b, c)
(a, (b, *c)), d = (1, (2, 3, 4)), 5
print(a, b, c, d)
print([*range(3), *"ab"], {*[1, 2], 2}, (*[1], 2), max(*[3, 9, 4]))
for x, *y in [(1, 2, 3), "ab"]:
    print(x, y)
try:
    a, b = 1, 2, 3
except ValueError as e:
    print(e)
#---- multi_with
class M:
    def __init__(self, n):
        self.n = n
    def __enter__(self):
        print("in", self.n)
        return self.n
    def __exit__(self, t, v, tb):
        print("out", self.n, t.__name__ if t else None)
        return self.n == 1
with M(1) as a, M(2) as b:
    print(a, b)
    raise KeyError("swallowed")
with (M(3) as a, M(4)):
    print("body")
#---- walrus
data = [1, 5, 2, 8]
print([y for x in data if (y := x * 2) > 3], y)
while (n := data.pop()) != 5:
    print(n)
#---- lambda_default
f = lambda a, *b, c=3, **d: (a, b, c, d)
print(f(1), f(1, 2, 3, c=4, e=5), (lambda: (yield))().__class__.__name__)
#---- iterator_protocol
class Count:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        return self
    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n
print(list(Count(3)), sum(Count(4)), [x for x in Count(2)], next(Count(0), "default"), dict(enumerate(Count(2))))
it = iter([1, 2, 3].pop, 1)
print(list(it))
#---- string_escapes
print("tab\there \x41 \u00e9 \U0001F600 \101", r"raw\n", b"\x00\t", "a" "b" 'c', """multi
line""")
#---- star_star_call
def f(*a, **k):
    return a, k
args, kw = [1, 2], {"x": 3}
print(f(*args, 9, *"ab", y=4, **kw, **{"z": 5}))
try:
    f(**kw, **kw)
except TypeError as e:
    print(str(e)[-44:])
