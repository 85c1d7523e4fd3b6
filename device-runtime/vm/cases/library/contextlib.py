#---- manager
from contextlib import contextmanager, closing, suppress, nullcontext, ExitStack, ContextDecorator


@contextmanager
def tag(name):
    print('<%s>' % name)
    try:
        yield name.upper()
    except ValueError as e:
        print('caught', e)
    finally:
        print('</%s>' % name)


with tag('a') as v:
    print(v)
with tag('b'):
    raise ValueError('x')
try:
    with tag('c'):
        raise KeyError('k')
except KeyError as e:
    print('outer', e)


@tag('deco')
def f(x):
    return x * 2


print(f(4), f.__name__, tag.__name__)


@contextmanager
def twice():
    yield 1
    yield 2


@contextmanager
def never():
    if False:
        yield


for cm in (twice, never):
    try:
        with cm():
            pass
    except RuntimeError as e:
        print(e)
try:
    with twice():
        raise ValueError('v')
except ValueError as e:
    print('through', e)
#---- helpers
from contextlib import closing, suppress, nullcontext, redirect_stdout, ContextDecorator, AbstractContextManager


class C:
    def close(self):
        print('closed')


with closing(C()) as c:
    print(type(c).__name__)
with suppress(KeyError, ValueError):
    {}['x']
print('after')
try:
    with suppress(KeyError):
        1 / 0
except ZeroDivisionError as e:
    print(e)
with nullcontext(5) as n:
    print(n)


class D(ContextDecorator):
    def __enter__(self):
        print('in')
        return self

    def __exit__(self, *e):
        print('out', e[0] is None)
        return True


@D()
def g():
    1 / 0


print(g())


class E(AbstractContextManager):
    def __exit__(self, *a):
        return None


with E() as e:
    print(type(e).__name__, isinstance(D(), AbstractContextManager))
#---- exitstack
from contextlib import ExitStack, contextmanager


@contextmanager
def r(n):
    print('open', n)
    try:
        yield n
    finally:
        print('close', n)


with ExitStack() as s:
    print([s.enter_context(r(i)) for i in range(3)])
    s.callback(print, 'cb', 1, end='!\n')
    s.push(lambda t, v, tb: print('exit', t) or True)
    raise ValueError('swallowed')
s = ExitStack()
s.enter_context(r('x'))
t = s.pop_all()
s.close()
print('moved')
t.close()
try:
    with ExitStack() as s:
        s.callback(lambda: 1 / 0)
        raise KeyError('first')
except ZeroDivisionError as e:
    print(type(e).__name__, type(e.__context__).__name__)
try:
    ExitStack().enter_context(5)
except TypeError as e:
    print(e)
