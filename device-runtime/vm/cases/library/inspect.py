#---- signatures
import inspect, functools
def f(a, b: int = 1, /, c='x', *args, d, e: 'str' = 2, **kw) -> float: "doc"
class C:
    "  of C"
    def __init__(self, x, y=2): pass
    def m(self, z): "the\n        method"
    @classmethod
    def k(cls, q): pass
    @staticmethod
    def s(r): pass
    def __call__(self, t): pass
for g in (f, C, C.m, C(1).m, C.k, C.s, C(1), lambda: 0, functools.partial(f, 1, d=3)):
    print(inspect.signature(g))
s = inspect.signature(f)
print([(p.name, p.kind.name, p.default is p.empty) for p in s.parameters.values()], s.return_annotation)
b = s.bind(1, 2, 3, 4, d=5, z=6)
print(b.arguments, b.args, b.kwargs)
b = s.bind(1, d=5); b.apply_defaults(); print(b.arguments)
for a, k in (((), {}), ((1,), {}), ((1, 2), {'d': 1, 'a': 2})):
    try: print(s.bind(*a, **k))
    except TypeError as e: print(e)
print(inspect.getdoc(C), inspect.getdoc(C.m), inspect.getfullargspec(f))
def g(): yield
async def h(): pass
print(inspect.isfunction(f), inspect.isclass(C), inspect.ismethod(C(1).m), inspect.isgeneratorfunction(g), inspect.iscoroutinefunction(h), inspect.isbuiltin(len), inspect.ismodule(inspect), inspect.isgenerator(g()), inspect.isroutine(f))
print([n for n, _ in inspect.getmembers(C(1)) if not n.startswith('__')])
x = g(); print(inspect.getgeneratorstate(x)); next(x); print(inspect.getgeneratorstate(x)); x.close(); print(inspect.getgeneratorstate(x))
#---- frames
import sys, traceback
def who(deep=0):
    f = sys._getframe(deep)
    return f.f_code.co_name, f.f_lineno, f.f_back is not None
def caller(a=1):
    b = 2
    seen = sys._getframe().f_locals
    return who(), who(1), who(2), sorted(seen)
print(caller())
def live():
    f = sys._getframe()
    before = dict(f.f_locals)
    later = 5
    return sorted(before), sorted(f.f_locals), f.f_lineno
print(live())
f = sys._getframe()
print(f.f_code.co_name, f.f_back, f.f_globals is globals(), f.f_locals is globals(), f.f_builtins['len'] is len, type(f).__name__)
try:
    sys._getframe(1000)
except ValueError as e:
    print(e)
try:
    1 / 0
except ZeroDivisionError as e:
    t = e.__traceback__
    print(t.tb_frame.f_code.co_name, t.tb_lineno, t.tb_frame.f_back, t.tb_frame.f_globals is globals())
def stack(): return [(s.name, s.lineno, s.line) for s in traceback.extract_stack()]
print(stack(), [s.name for s in traceback.extract_stack(limit=1)])
def shown(): return traceback.format_stack()[-1].split(',', 1)[1]
print(shown())
print([f.f_code.co_name for f, line in traceback.walk_stack(sys._getframe())])
def outer():
    n = 5
    def inner():
        return sys._getframe().f_locals, sys._getframe(1).f_code.co_name, n
    return inner()
print(outer())
#---- frames of class bodies
import sys
def names(): return sorted(n for n in sys._getframe(1).f_locals if n[0] != '_')
def put(name, value): sys._getframe(1).f_locals[name] = value
class C:
    a = 1
    def m(self): pass
    seen = names()
    put('b', 2)
print(C.seen, C.b)
#---- signatures of built-ins
import inspect
for f in (len, sorted, print, str.split, [].append, 'a'.split, dict.get, int.from_bytes, list, object, property, round, globals):
    print(inspect.signature(f))
class C: pass
class F(list): pass
print(inspect.signature(C), inspect.signature(F))
for f in (int, range, type, max, Exception, 5):
    try:
        print(inspect.signature(f))
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
#---- stacks and states
import inspect
def f():
    here = inspect.currentframe()
    return here.f_code.co_name, [s.function for s in inspect.stack()], inspect.getframeinfo(here).lineno, inspect.stack()[0].code_context[0].strip()
print(f())
def g():
    x = 1
    yield x
i = g()
print(inspect.getgeneratorstate(i), inspect.getgeneratorlocals(i))
print(next(i), inspect.getgeneratorlocals(i), i.gi_frame.f_locals)
async def co(): pass
c = co()
print(inspect.getcoroutinestate(c), c.close(), inspect.getcoroutinestate(c))
for v in (int, 5):
    try:
        inspect.getfile(v)
    except TypeError as e:
        print(e)
#---- one call after another
import inspect, abc
class A:
    "doc of A"
    def m(self,a,b=1,*c,d,e=2,**f): "doc m"
    @classmethod
    def cm(cls,x): pass
    @staticmethod
    def sm(x): pass
    @property
    def p(self): return 1
def fn(a,/,b:int,c=3,*args,d:str='x',**kw)->float: 
    """Doc.

       indented
    """
def gen(): yield 1
async def co(): pass
async def ag(): yield
class Ab(abc.ABC):
    @abc.abstractmethod
    def f(self): pass
    @property
    @abc.abstractmethod
    def q(self): pass
class Ab2(Ab):
    def f(self): return super().f()

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: str(inspect.signature(fn)))
t(lambda: str(inspect.signature(A.m)))
t(lambda: str(inspect.signature(A().m)))
t(lambda: str(inspect.signature(A.cm)))
t(lambda: str(inspect.signature(A)))
t(lambda: inspect.signature(fn).parameters['b'].annotation)
t(lambda: inspect.signature(fn).parameters['c'].default)
t(lambda: [p.kind.name for p in inspect.signature(fn).parameters.values()])
t(lambda: inspect.signature(fn).return_annotation)
t(lambda: inspect.signature(fn).bind(1,2).arguments)
t(lambda: inspect.signature(fn).bind(1,b=2,d='q',z=1).args)
t(lambda: inspect.signature(fn).bind(1,b=2,d='q',z=1).kwargs)
t(lambda: repr(inspect.signature(fn)))
t(lambda: repr(inspect.signature(fn).parameters['c']))
t(lambda: inspect.isfunction(fn))
t(lambda: inspect.ismethod(A().m))
t(lambda: inspect.isclass(A))
t(lambda: inspect.isbuiltin(len))
t(lambda: inspect.isgeneratorfunction(gen))
t(lambda: inspect.isgenerator(gen()))
t(lambda: inspect.iscoroutinefunction(co))
t(lambda: inspect.isasyncgenfunction(ag))
t(lambda: inspect.isroutine(len))
t(lambda: inspect.isabstract(Ab))
t(lambda: inspect.ismethoddescriptor(str.join))
t(lambda: inspect.isdatadescriptor(A.__dict__['p']))
t(lambda: inspect.getdoc(A))
t(lambda: inspect.getdoc(fn))
t(lambda: inspect.cleandoc('  a\n    b\n   c'))
t(lambda: [n for n,_ in inspect.getmembers(A) if not n.startswith('_')])
t(lambda: inspect.getmro(Ab2))
t(lambda: inspect.getmodule(A).__name__)
t(lambda: inspect.unwrap(fn) is fn)
t(lambda: inspect.getfullargspec(fn))
t(lambda: inspect.isawaitable(5))
t(lambda: inspect.Parameter('x',inspect.Parameter.POSITIONAL_ONLY))
t(lambda: inspect.Signature())
t(lambda: inspect.getgeneratorstate(gen()))
t(lambda: inspect.getattr_static(A,'p') is A.__dict__['p'])
t(lambda: inspect.isframe(5))
t(lambda: inspect.istraceback(5))
t(lambda: inspect.iscode(fn.__code__))
t(lambda: inspect.formatannotation(int))
t(lambda: inspect.signature(5))
t(lambda: inspect.signature(fn).bind())
t(lambda: inspect.signature(fn).bind(1))
t(lambda: inspect.signature(fn).bind(1,2,3,4,d=5,b=6))
t(lambda: inspect.Parameter('1',inspect.Parameter.POSITIONAL_ONLY))
