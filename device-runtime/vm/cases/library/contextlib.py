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
#---- one call after another
from contextlib import *
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
def ctx3():
    c=cm()
    with c: pass
    with c: pass

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
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
t(lambda: ctx3())
