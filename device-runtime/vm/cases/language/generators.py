#---- send
def g():
    got = []
    while len(got) < 3:
        got.append((yield len(got)))
    return got
x = g()
print(next(x), x.send('a'), x.send('b'))
try: x.send('c')
except StopIteration as e: print(e.value, e.args)
try: next(x)
except StopIteration as e: print(e.value, e.args)
#---- just started
def g(): yield 1
try: g().send(3)
except TypeError as e: print(e)
#---- throw
def g():
    while True:
        try:
            yield 'ready'
        except ValueError as e:
            yield 'caught ' + str(e)
x = g()
print(next(x), x.throw(ValueError('v')), next(x))
try: x.throw(KeyError('k'))
except KeyError as e: print('out', e)
print(list(x))
#---- throw forms
def g():
    try: yield 1
    except BaseException as e:
        print(type(e).__name__, e.args)
        yield 2
for args in ((ValueError,), (ValueError('a'),), (ValueError, 'text'), (ValueError, ValueError('inst')), (ValueError, (1, 2)), (KeyError, None)):
    x = g(); next(x); print(x.throw(*args))
def h(): yield 1
x = h(); next(x)
for args in ((3,), ('s',), (ValueError('a'), 1), ()):
    try: x.throw(*args)
    except TypeError as e: print(e)
#---- throw into fresh and finished
def g():
    try: yield 1
    finally: print('never')
x = g()
try: x.throw(ValueError('early'))
except ValueError as e: print('early', e)
print(list(x))
try: x.throw(ValueError('late'))
except ValueError as e: print(e)
#---- close
def g():
    try:
        yield 1
        yield 2
    except GeneratorExit:
        print('exit')
        raise
    finally:
        print('finally')
x = g(); next(x); print(x.close()); print(x.close()); print(list(x))
x = g(); print(x.close()); print(list(x))
#---- close ignored
def g():
    while True:
        try: yield 1
        except GeneratorExit: pass
x = g(); next(x)
try: x.close()
except RuntimeError as e: print(e)
#---- close returns
def g():
    try: yield 1
    except GeneratorExit: return 5
x = g(); next(x); print(x.close())
#---- close raises
def g():
    try: yield 1
    finally: raise KeyError('in finally')
x = g(); next(x)
try: x.close()
except KeyError as e: print(repr(e), repr(e.__context__))
#---- stop iteration inside
def g():
    yield 1
    raise StopIteration('x')
try: list(g())
except RuntimeError as e: print(e, repr(e.__cause__), e.__context__ is e.__cause__)
def h():
    yield next(iter([]))
try: print(list(h()))
except RuntimeError as e: print(e)
#---- return value
def g():
    yield 1
    return 'r'
def h():
    x = yield from g()
    print('got', x)
    y = yield from [10, 20]
    print('none', y)
    return x * 2
def k():
    z = yield from h()
    yield z
print(list(k()))
#---- yield from send
def inner():
    while True:
        x = yield
        if x is None: return 'done'
        print('inner', x)
def outer():
    r = yield from inner()
    print(r)
    yield 'end'
x = outer(); next(x); x.send(1); x.send(2); print(x.send(None))
#---- yield from throw
def inner():
    try: yield 1
    except ValueError as e:
        print('inner caught', e)
        yield 'recovered'
    return 'inner result'
def outer():
    r = yield from inner()
    print(r)
    yield 'outer'
x = outer(); print(next(x)); print(x.throw(ValueError('q'))); print(next(x))
#---- yield from throw to list
def outer():
    try: yield from [1, 2, 3]
    except ValueError as e: yield 'caught ' + str(e)
x = outer(); print(next(x)); print(x.throw(ValueError('z'))); print(list(x))
#---- yield from throw ends inner
def inner():
    try: yield 1
    except ValueError: return 'swallowed'
def outer():
    r = yield from inner()
    yield r
x = outer(); next(x); print(x.throw(ValueError))
#---- yield from close
def inner():
    try: yield 1
    finally: print('inner closed')
def outer():
    try: yield from inner()
    finally: print('outer closed')
x = outer(); next(x); x.close()
#---- yield from custom iterator
class It:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 3: raise StopIteration('end value')
        return self.n
    def send(self, v):
        print('send', v)
        return self.__next__()
    def throw(self, *a):
        print('throw', [type(x).__name__ for x in a][:1])
        return 'thrown'
    def close(self): print('close')
def outer():
    r = yield from It()
    yield r
x = outer(); print(next(x), x.send('s'), x.throw(ValueError('v'))); print(list(x))
x = outer(); next(x); x.close()
#---- yield expression value
def g():
    x = yield
    print('x', x)
    y = (yield x) + (yield x + 1)
    print('y', y)
    yield y
x = g(); next(x); print(x.send(5), x.send(10), x.send(20))
#---- running
def g():
    try: next(me)
    except ValueError as e: print(e)
    yield me.gi_running
me = g()
print(next(me), me.gi_running)
#---- attributes
def gen(): yield
x = gen()
print(x.__name__, x.__qualname__, x.gi_frame is None, x.gi_yieldfrom, type(x).__name__, iter(x) is x)
list(x)
print(x.gi_frame)
def d(): yield from gen2
gen2 = gen()
y = d(); next(y); print(y.gi_yieldfrom is gen2)
#---- context in generators
def g():
    try:
        yield 1
    except ValueError:
        try: raise KeyError('k')
        except KeyError as e: yield repr(e.__context__)
x = g(); next(x)
print(x.throw(ValueError('v')))
#---- exception handled across yield
import sys
def g():
    try: raise ValueError('in g')
    except ValueError:
        yield sys.exc_info()[1]
        yield sys.exc_info()[1]
x = g()
print(repr(next(x)), sys.exc_info()[1])
try: raise KeyError('outer')
except KeyError: print(repr(next(x)), repr(sys.exc_info()[1]))
#---- generator expression scope
x = 'global'
def f():
    x = 'local'
    return list(x for _ in range(2)), list(y for y in x)
print(f())
class A:
    z = [1, 2]
    w = list(q for q in z)
    try: v = list(z for q in z)
    except NameError as e: print(e)
print(A.w)
#---- generator expression evaluated first
try: (x for x in 3)
except TypeError as e: print(e)
g = (1 // 0 for x in [1])
try: next(g)
except ZeroDivisionError as e: print(e)
#---- recursion
def walk(n):
    if n:
        yield from walk(n - 1)
        yield n
print(sum(walk(40)))
def perm(s):
    if len(s) <= 1: yield s
    for i in range(len(s)):
        for p in perm(s[:i] + s[i + 1:]):
            if len(s) > 1: yield s[i] + p
print(list(perm('abc')))
#---- finally order
log = []
def g():
    try:
        try: yield 1
        finally: log.append('a')
    finally: log.append('b')
for v in g(): break
x = g(); next(x)
try: x.throw(KeyError)
except KeyError: log.append('c')
print(log[-3:])
#---- unpack and star
def g(): yield 1; yield 2; yield 3
a, *b = g()
print(a, b, [*g(), *g()], {*g()}, (*g(), 0), max(*g()))
#---- in conditions
def g(n):
    for i in range(n):
        if (yield i): return 'stopped'
x = g(5)
print(next(x), next(x))
try: x.send(True)
except StopIteration as e: print(e.value)
#---- lambda yields
f = lambda n: (yield n)
print(list(f(3)))
#---- return in try with finally
def g():
    try:
        yield 1
        return 'a'
    finally:
        yield 'cleanup'
x = g()
print(list(x))
#---- next default
def g():
    yield 1
    return 2
x = g()
print(next(x, 'd'), next(x, 'd'), next(x, 'd'))
#---- names
def gen(): yield 1
g = gen()
print(g.__name__, g.__qualname__)
g.__name__, g.__qualname__ = 'other', 'a.b'
print(g.__name__, g.__qualname__, repr(g).split(' at ')[0], next(g), gen().__name__)
for set_it in (lambda: setattr(g, '__name__', 5), lambda: setattr(g, '__qualname__', None), lambda: delattr(g, '__name__')):
    try:
        set_it()
    except TypeError as e:
        print(e)
async def co(): pass
c = co()
c.__name__ = 'x'
print(c.__name__, c.__qualname__)
c.close()
#---- frames of generators
def count(top):
    i = 0
    while i < top:
        yield i
        i += 1
g = count(3)
print(g.gi_frame.f_code is count.__code__, g.gi_frame.f_locals, g.gi_frame.f_back)
next(g), next(g)
print(g.gi_frame.f_locals, g.gi_frame.f_lineno, g.gi_frame.f_globals is globals())
print(list(g), g.gi_frame)
#---- generators
def g():
    try:
        x = (yield 1)
        print('got', x)
        y = (yield from sub())
        print('sub ret', y)
        yield 3
    except GeneratorExit:
        print('GE')
        raise
    finally:
        print('fin')
def sub():
    try:
        z = (yield 2)
        print('z', z)
    except ValueError as e:
        print('VE', e)
        yield 'handled'
    return 'R'
i = g()
print(next(i), i.send('a'), i.throw(ValueError('t')), next(i))
i.close()
i = g()
next(i)
next(i)
i.close()
i = g()
try:
    i.send(1)
except TypeError as e:
    print(e)
try:
    i.throw(KeyError('k'))
except KeyError as e:
    print(repr(e))
print(list(i), i.gi_frame, i.gi_running, i.gi_yieldfrom)
def bad():
    try:
        yield 1
    except GeneratorExit:
        yield 2
b = bad()
next(b)
try:
    b.close()
except RuntimeError as e:
    print(e)
def si():
    raise StopIteration(5)
    yield
try:
    next(si())
except RuntimeError as e:
    print(e, repr(e.__cause__))
def rec():
    yield from i2
i2 = rec()
try:
    next(i2)
except ValueError as e:
    print(e)
def ret():
    return 5
    yield
try:
    next(ret())
except StopIteration as e:
    print(e.value)
print([*(x for x in range(3))])
def yf():
    r = (yield from [1, 2])
    print(r)
    yield from 5
try:
    list(yf())
except TypeError as e:
    print(e)
gen = (print('lazy', x) or x for x in [1, 2])
print('made')
print(next(gen), next(gen), next(gen, 'done'))
def outer():

    def inner():
        nonlocal v
        v += 1
        yield v
    v = 10
    yield from inner()
    yield v
print(list(outer()))
try:
    i.throw(5)
except TypeError as e:
    print(e)
try:
    g().throw(ValueError, 'msg')
except ValueError as e:
    print(repr(e))
print(type(g), type(g()), g.__name__, g().__name__, g().__qualname__)
