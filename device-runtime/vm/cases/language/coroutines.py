#---- by hand
class Aw:
    def __init__(self, v): self.v = v
    def __await__(self):
        got = yield self.v
        return got
async def f(x):
    a = await Aw(x)
    b = await Aw(a)
    return a, b
c = f(1)
print(type(c).__name__, c.send(None), c.send('first'))
try: c.send('second')
except StopIteration as e: print(e.value)
try: c.send(None)
except RuntimeError as e: print(e)
#---- errors
async def f(): return 1
c = f()
for bad in (lambda: c.send(5), lambda: next(c), lambda: iter(c), lambda: list(c)):
    try: bad()
    except TypeError as e: print(e)
c.close()
async def g(): await 3
try: g().send(None)
except TypeError as e: print(e)
class B1:
    def __await__(self): return 3
class B2:
    def __await__(self): return f()
for b in (B1(), B2()):
    async def h(): await b
    try: h().send(None)
    except TypeError as e: print(e)
#---- throw and close
async def f():
    try: await Aw()
    except ValueError as e: return 'caught ' + str(e)
    finally: print('finally')
class Aw:
    def __await__(self): yield 'wait'
c = f(); print(c.send(None))
try: c.throw(ValueError('v'))
except StopIteration as e: print(e.value)
c = f(); c.send(None); print(c.close())
c = f(); c.close(); print('closed fresh')
#---- stop iteration inside
async def f(): raise StopIteration('x')
try: f().send(None)
except RuntimeError as e: print(e, repr(e.__cause__))
#---- async for
class It:
    def __init__(self, n): self.n, self.i = n, 0
    def __aiter__(self): return self
    async def __anext__(self):
        if self.i >= self.n: raise StopAsyncIteration
        self.i += 1
        return self.i
def run(c):
    try:
        while True: c.send(None)
    except StopIteration as e: return e.value
async def f():
    out = []
    async for x in It(3): out.append(x)
    else: out.append('else')
    async for x in It(5):
        if x == 2: continue
        if x == 4: break
        out.append(x)
    else: out.append('never')
    return out
print(run(f()))
#---- async for errors
class NoAnext:
    def __aiter__(self): return 3
async def a():
    async for x in [1]: pass
async def b():
    async for x in NoAnext(): pass
for c in (a, b):
    try: run(c())
    except TypeError as e: print(e)
def run(c):
    try:
        while True: c.send(None)
    except StopIteration as e: return e.value
for c in (a, b):
    try: run(c())
    except TypeError as e: print(e)
#---- async with
class M:
    async def __aenter__(self):
        print('enter')
        return 'm'
    async def __aexit__(self, t, v, tb):
        print('exit', t and t.__name__)
        return t is ValueError
def run(c):
    try:
        while True: c.send(None)
    except StopIteration as e: return e.value
async def f():
    async with M() as m: print(m)
    async with M(), M(): raise ValueError
    async with M(): return 'returned'
print(run(f()))
async def g():
    async with 3: pass
async def h():
    with M(): pass
for c in (g, h):
    try: run(c())
    except TypeError as e: print(e)
#---- async comprehension
def run(c):
    try:
        while True: c.send(None)
    except StopIteration as e: return e.value
async def gen(n):
    for i in range(n): yield i
async def ident(x): return x
async def f():
    print([x async for x in gen(3)])
    print({x: y async for x in gen(2) for y in range(2)})
    print([await ident(x) for x in range(3)])
    print([x async for x in gen(5) if await ident(x) % 2])
    g = (x * 2 async for x in gen(3))
    print(type(g).__name__)
    print([y async for y in g])
    h = (await ident(x) for x in range(2))
    print([y async for y in h], sum([x async for x in gen(4)]))
run(f())
#---- async generator
def run(c):
    try:
        while True: c.send(None)
    except StopIteration as e: return e.value
async def gen():
    try:
        x = yield 1
        print('got', x)
        y = yield 2
        print('got', y)
    except ValueError as e:
        print('caught', e)
        yield 'recovered'
    finally: print('finally')
async def f():
    g = gen()
    print(await g.__anext__(), await g.asend('a'), await g.athrow(ValueError('v')))
    try: await g.__anext__()
    except StopAsyncIteration as e: print('stop', e.args)
    g = gen()
    await g.__anext__()
    print(await g.aclose())
    print(await g.aclose())
    g = gen()
    try: await g.asend(3)
    except TypeError as e: print(e)
    g = gen()
    print(type(g).__name__, type(g.__anext__()).__name__, g.__aiter__() is g)
run(f())
#---- async generator misuse
def run(c):
    try:
        while True: c.send(None)
    except StopIteration as e: return e.value
async def bad():
    try: yield 1
    except GeneratorExit: yield 2
async def stops():
    yield 1
    raise StopAsyncIteration
async def f():
    g = bad(); await g.__anext__()
    try: await g.aclose()
    except RuntimeError as e: print(e)
    g = stops(); await g.__anext__()
    try: await g.__anext__()
    except RuntimeError as e: print(e, repr(e.__cause__))
    s = stops().__anext__()
    print(await s)
    try: await s
    except RuntimeError as e: print(e)
    for x in ():
        pass
    try:
        for x in stops(): pass
    except TypeError as e: print(e)
run(f())
#---- awaiting twice
class Aw:
    def __await__(self): yield
async def inner(): await Aw()
async def f(c): await c
c = inner()
a, b = f(c), f(c)
a.send(None)
try: b.send(None)
except RuntimeError as e: print(e)
try: a.send(None)
except StopIteration: print('done')
#---- nested and attributes
class Aw:
    def __await__(self): yield 'x'
async def inner(): return await Aw()
async def outer(): return [await inner() for _ in range(2)]
c = outer()
print(c.cr_running, c.cr_frame is None, c.cr_await, c.__name__, c.__qualname__)
c.send(None)
print(type(c.cr_await).__name__, c.cr_await.cr_frame is not None)
c.send(None)
try: c.send(None)
except StopIteration as e: print(e.value, c.cr_frame)
#---- async lambda and methods
class A:
    async def m(self): return self
    @classmethod
    async def c(cls): return cls.__name__
    @staticmethod
    async def s(): return 's'
def run(c):
    try: c.send(None)
    except StopIteration as e: return e.value
a = A()
print(run(a.m()) is a, run(A.c()), run(a.s()))
f = lambda: (await_ for await_ in [1])
print(list(f()))
