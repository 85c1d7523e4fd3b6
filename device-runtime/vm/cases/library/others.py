#---- misc
import textwrap, pprint, shlex, csv, traceback, inspect, warnings, weakref, io, keyword, numbers, abc, gc, errno, __future__, heapq, contextlib, asyncio, sys
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
def cs(r):
    f=io.StringIO(r) if isinstance(r,str) else r
    return list(csv.reader(f))
def wr(rows,**k):
    f=io.StringIO(); w=csv.writer(f,**k); w.writerows(rows); return f.getvalue()
class Ab(abc.ABC):
    @abc.abstractmethod
    def f(self): pass
    @property
    @abc.abstractmethod
    def q(self): pass
class Ab2(Ab):
    def f(self): return super().f()
def dw():
    f=io.StringIO(); w=csv.DictWriter(f,['a','b']); w.writeheader(); w.writerow({'a':1,'b':2}); w.writerow({'a':3}); return f.getvalue()
def dw2():
    csv.DictWriter(io.StringIO(),['a']).writerow({'z':1})
def wn(f,cat='always'):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter(cat); f()
    return [(x.category.__name__,str(x.message)) for x in w]
def werr():
    with warnings.catch_warnings():
        warnings.simplefilter('error'); warnings.warn('bad')
def tb():
    try: 1/0
    except ZeroDivisionError as e: return traceback.format_exception_only(type(e),e), traceback.format_exception_only(e)
def tb2():
    try:
        try: 1/0
        except ZeroDivisionError as e: raise KeyError('x') from e
    except KeyError: return traceback.format_exc()
def tb3():
    try: 1/0
    except Exception as e:
        t=traceback.TracebackException.from_exception(e); return list(t.format_exception_only()), str(t), t.exc_type, len(t.stack)
class O: pass
def wr1():
    o=O(); r=weakref.ref(o); a=r() is o; del o; gc.collect(); return a, r()
def wr2():
    l=[]; o=O(); r=weakref.ref(o,lambda x:l.append('dead')); del o; gc.collect(); return l, r() 
def wr3():
    d=weakref.WeakValueDictionary(); o=O(); d['a']=o; n=len(d); del o; gc.collect(); return n, len(d)
def wr4():
    s=weakref.WeakSet(); o=O(); s.add(o); n=len(s); del o; gc.collect(); return n,len(s)
def wr5():
    o=O(); o.x=5; p=weakref.proxy(o); return p.x, type(p).__name__
def wr6():
    o=O(); f=weakref.finalize(o,print,'fin'); return f.alive, f.peek()[1] is print, f.detach() is not None, f.alive
def wr7():
    p=weakref.proxy(O()); gc.collect(); return p.x
def wr8():
    class M:
        def f(s): return 1
    m=M(); w=weakref.WeakMethod(m.f); return w()(), weakref.ref(m)==weakref.ref(m), weakref.getweakrefcount(m), hash(weakref.ref(m))==hash(m)
async def main():
    r=[]
    async def w(n,t):
        await asyncio.sleep(t); r.append(n); return n
    g=await asyncio.gather(w(1,.02),w(2,.01),w(3,0))
    try: await asyncio.wait_for(w(4,1),.01)
    except asyncio.TimeoutError as e: r.append('to')
    t=asyncio.create_task(w(5,5)); await asyncio.sleep(0); t.cancel()
    try: await t
    except asyncio.CancelledError: r.append('canc')
    q=asyncio.Queue(2); await q.put(1); r.append((q.qsize(),q.full(),await q.get(),q.empty()))
    l=asyncio.Lock()
    async with l: r.append(l.locked())
    e=asyncio.Event(); asyncio.get_running_loop().call_soon(e.set); await e.wait()
    d,p=await asyncio.wait([asyncio.create_task(w(6,0))]); r.append(len(d))
    async with asyncio.TaskGroup() as tg:
        a=tg.create_task(w(7,0)); b=tg.create_task(w(8,0))
    r.append((a.result(),b.result()))
    async with asyncio.timeout(1): r.append('in')
    f=asyncio.get_running_loop().create_future(); f.set_result(3); r.append(await f)
    r.append(repr(f))
    sem=asyncio.Semaphore(1)
    async with sem: r.append(sem.locked())
    for c in asyncio.as_completed([w(9,.01),w(10,0)]): r.append(await c)
    try: await asyncio.gather(w(1,0),asyncio.sleep('x'))
    except TypeError as x: r.append('te')
    r.append(await asyncio.gather(w(1,0),co2(),return_exceptions=True))
    r.append(await asyncio.shield(w(11,0)))
    c=asyncio.Condition()
    async with c: c.notify_all()
    b=asyncio.Barrier(1) if hasattr(asyncio,'Barrier') else None
    if b: r.append(await b.wait())
    return g,r
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


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))


t(lambda: textwrap.wrap('The quick brown fox jumps over the lazy dog',20))
t(lambda: textwrap.fill('a b c d e f',5))
t(lambda: textwrap.shorten('Hello  world!',12))
t(lambda: textwrap.shorten('Hello  world!',11))
t(lambda: textwrap.shorten('Hello world',10,placeholder='...'))
t(lambda: textwrap.dedent('  a\n    b\n  c'))
t(lambda: textwrap.dedent('\ta\n\t b\n'))
t(lambda: textwrap.indent('a\nb\n\nc','  '))
t(lambda: textwrap.indent('a\n\nb','> ',lambda l:True))
t(lambda: textwrap.wrap('aaaaaaaaaaaaaaaa b',5))
t(lambda: textwrap.wrap('aaaaaaaaaaaa',5,break_long_words=False))
t(lambda: textwrap.wrap('a-b-c-d-e-f',4))
t(lambda: textwrap.wrap('a-b c',3,break_on_hyphens=False))
t(lambda: textwrap.wrap('a  b   c',10))
t(lambda: textwrap.wrap('x y z',5,initial_indent='> ',subsequent_indent='  '))
t(lambda: textwrap.wrap('a b c d e f g',5,max_lines=2))
t(lambda: textwrap.wrap('Hello. World.  Bye',80,fix_sentence_endings=True))
t(lambda: textwrap.wrap('a\tb',10))
t(lambda: textwrap.wrap('a\tb',10,expand_tabs=False))
t(lambda: textwrap.wrap('',5))
t(lambda: textwrap.wrap(' a ',5,drop_whitespace=False))
t(lambda: textwrap.TextWrapper(width=7).wrap('hello there you'))
t(lambda: textwrap.wrap('a\nb',5,replace_whitespace=False))
t(lambda: textwrap.wrap('a',0))
t(lambda: textwrap.wrap('abc def',3,max_lines=1,placeholder='.....'))
t(lambda: pprint.pformat({'b':1,'a':[1,2]}))
t(lambda: pprint.pformat(list(range(30))))
t(lambda: pprint.pformat({'a'*20:list('b'*20),'c':{'d':1}},width=40))
t(lambda: pprint.pformat((1,)))
t(lambda: pprint.pformat('x'*100,width=30))
t(lambda: pprint.pformat({1,3,2}))
t(lambda: pprint.pformat([[[[1]]]],depth=2))
t(lambda: pprint.pformat({'b':1,'a':2},sort_dicts=False))
t(lambda: pprint.pformat([1,2,3],indent=4,width=5))
t(lambda: pprint.pformat('a\nb\nc'*5,width=10))
t(lambda: pprint.pformat(b'x'*50,width=20))
t(lambda: pprint.pformat({'k':(1,2,3)},compact=True,width=10))
t(lambda: pprint.isreadable([1]))
t(lambda: pprint.isrecursive([1]))
t(lambda: pprint.saferepr({'a':1}))
t(lambda: pprint.pformat(12345678,underscore_numbers=True))
t(lambda: pprint.pformat([10**6]*20,compact=True,width=40))
t(lambda: pprint.pformat(type))
t(lambda: pprint.pformat(None))
t(lambda: shlex.split("a 'b c' d"))
t(lambda: shlex.split('a "b \\"c" d\\ e'))
t(lambda: shlex.split('a #b',comments=True))
each(shlex.quote, ['a b'], ["a'b"], [''], ['ab'])
t(lambda: shlex.join(['a','b c']))
each(shlex.split, [''], ["a 'b"], ['a\\'])
each(cs, ['a,b\n1,"2,3"\n'], ['a,"b ""q""",c'], ['a\r\nb\r\n'], ['"a\nb",c'])
t(lambda: list(csv.reader(['a|b'],delimiter='|')))
t(lambda: list(csv.reader(['a b'],delimiter=' ')))
t(lambda: list(csv.reader(["'a,b',c"],quotechar="'")))
t(lambda: list(csv.reader(['a, b'],skipinitialspace=True)))
t(lambda: list(csv.reader(['1,"2"'],quoting=csv.QUOTE_NONNUMERIC)))
t(lambda: list(csv.reader(['a\\,b'],escapechar='\\',quoting=csv.QUOTE_NONE)))
t(lambda: wr([[1,'a,b','c"d',None,1.5]]))
t(lambda: wr([['a','b']],quoting=csv.QUOTE_ALL))
t(lambda: wr([['a',1]],quoting=csv.QUOTE_NONNUMERIC))
t(lambda: wr([['a,b']],quoting=csv.QUOTE_NONE,escapechar='\\'))
t(lambda: wr([['a']],lineterminator='\n'))
each(wr, [[['a\nb']]], [[[]]], [[['']]])
t(lambda: wr([['a','b']],delimiter=';'))
t(lambda: list(csv.DictReader(['a,b','1,2','3'])))
t(lambda: list(csv.DictReader(['1,2,3'],fieldnames=['x','y'])))
t(lambda: csv.list_dialects())
t(lambda: csv.get_dialect('excel').delimiter)
t(lambda: wr([['a"b']],doublequote=False,escapechar='\\'))
t(lambda: wr([['a,b']],quoting=csv.QUOTE_NONE))
t(lambda: wr([5]))
t(lambda: csv.reader(5))
t(lambda: list(csv.reader(['"a'],strict=True)))
t(lambda: list(csv.reader(['"a"b'],strict=True)))
t(lambda: csv.get_dialect('foo'))
t(lambda: csv.reader([],delimiter='ab'))
t(lambda: csv.reader([],foo=1))
t(lambda: csv.writer(5))
t(lambda: dw())
t(lambda: dw2())
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
t(lambda: inspect.ismodule(io))
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
each(wn, [lambda: warnings.warn('a')], [lambda: warnings.warn('a',DeprecationWarning)],
     [lambda: warnings.warn(UserWarning('b'))],
     [lambda: [warnings.warn('a') for _ in range(3)], 'once'],
     [lambda: warnings.warn('a'), 'ignore'])
t(lambda: werr())
t(lambda: warnings.warn('a',5))
t(lambda: warnings.simplefilter('foo'))
t(lambda: warnings.filterwarnings('foo'))
t(lambda: tb())
t(lambda: tb3())
t(lambda: tb2().split('\n')[0])
t(lambda: tb2().count('direct cause'))
t(lambda: wr1())
t(lambda: wr2())
t(lambda: wr3())
t(lambda: wr4())
t(lambda: wr5())
t(lambda: wr6())
t(lambda: wr7())
t(lambda: weakref.ref(5))
t(lambda: weakref.ref([]))
t(lambda: Ab())
t(lambda: Ab2())
t(lambda: issubclass(Ab2,Ab))
t(lambda: abc.get_cache_token() is not None)
t(lambda: Ab.register(int))
t(lambda: issubclass(int,Ab))
t(lambda: isinstance(5,Ab))
t(lambda: abc.update_abstractmethods(Ab) is Ab)
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
t(lambda: gc.isenabled())
t(lambda: gc.collect().__class__)
t(lambda: gc.get_threshold())
t(lambda: gc.get_count().__class__)
t(lambda: gc.disable())
t(lambda: gc.isenabled())
t(lambda: gc.enable())
t(lambda: errno.ENOENT)
t(lambda: errno.errorcode[2])
t(lambda: __future__.all_feature_names)
t(lambda: asyncio.run(tgerr()))
t(lambda: asyncio.run(useacm()))
t(lambda: asyncio.run(5))
t(lambda: asyncio.run(co2()))
t(lambda: asyncio.get_running_loop())
#---- logging
import logging, io, sys
s = io.StringIO()
h = logging.StreamHandler(s)
h.setFormatter(logging.Formatter('%(name)s|%(levelname)s|%(message)s|%(funcName)s|%(lineno)d'))
log = logging.getLogger('a.b')
log.addHandler(h)
log.setLevel('DEBUG')
def f():
    log.debug('x %d', 5)
    log.info('%(k)s', {'k': 1})
    log.log(35, 'l')
f()
try:
    1 / 0
except ZeroDivisionError:
    log.exception('bad')
print(s.getvalue().splitlines()[:4], s.getvalue().splitlines()[-1], s.getvalue().count('Traceback'))
print(log, logging.getLogger('a'), logging.root, logging.getLogger('a.b') is log, log.getEffectiveLevel(), log.isEnabledFor(5), log.getChild('c').name)
print(logging.getLevelName(20), logging.getLevelName('INFO'), logging.getLevelName(15), logging.getLogger('a') is log.parent, logging.NullHandler())
for call in (lambda: log.setLevel('nope'), lambda: log.setLevel(1.5), lambda: log.log('x', 'y'), lambda: logging.getLogger(5), lambda: logging.Formatter('x', style='q')):
    try:
        call()
    except Exception as e:
        print(type(e).__name__, e)
logging.basicConfig(stream=sys.stdout, format='%(levelname)s:%(message)s', level=logging.INFO)
logging.info('hello')
logging.debug('not shown')
logging.getLogger('z').warning('w %s', 'q')
class Keep(logging.Filter):
    def filter(self, record): return 'skip' not in record.getMessage()
other = logging.getLogger('q')
other.addFilter(Keep())
other.info('skip this')
other.info('kept')
other.propagate = False
other.info('nobody hears')
logging.disable(logging.CRITICAL)
logging.error('off')
logging.disable(logging.NOTSET)
logging.error('on')
logging.LoggerAdapter(logging.getLogger('ad'), {'u': 1}).info('adapted')
r = logging.makeLogRecord({'msg': 'm %s', 'args': (1,), 'levelno': 20})
print(r.getMessage(), logging.Formatter('{message}', style='{').format(r), logging.Formatter('$message', style='$').format(r))
#---- atexit
import atexit, sys
def told(*args, **kwargs): print('told', args, kwargs)
atexit.register(told, 1, k=2)
@atexit.register
def last(): print('first of all')
atexit.register(told, 'gone')
atexit.unregister(last)
atexit.register(last)
try:
    atexit.register(5)
except TypeError as e:
    print(e)
print('end')
atexit._run_exitfuncs()
#---- a hook for what nobody caught
import sys
def hook(kind, error, trace):
    print('hook', kind.__name__, error, trace.tb_lineno)
sys.excepthook = hook
def f(): raise ValueError('x')
try:
    f()
except ValueError as e:
    sys.excepthook(type(e), e, e.__traceback__)
sys.excepthook = sys.__excepthook__
#---- reprlib
import reprlib, array, collections
print(reprlib.repr(list(range(100))), reprlib.repr('x' * 100), reprlib.repr({i: i for i in range(10)}), reprlib.repr(10**100), reprlib.repr((1,)), reprlib.repr(()))
print(reprlib.repr(set()), reprlib.repr({3, 1, 2}), reprlib.repr(frozenset(range(9))), reprlib.repr(collections.deque(range(9))), reprlib.repr(array.array('i', range(9))))
print(reprlib.repr([[[[[[[[1]]]]]]]]), reprlib.repr('a\nb' * 20), reprlib.repr(1.5), reprlib.repr({}), reprlib.repr([1] * 6), reprlib.repr({'a': {'b': {'c': {'d': {'e': {'f': {'g': 1}}}}}}}))
class A:
    @reprlib.recursive_repr('<...>')
    def __repr__(self):
        'doc'
        return f'A({self.x!r})'
a = A()
a.x = [a]
print(a, A.__repr__.__name__, A.__repr__.__doc__)
#---- queue
import queue
q = queue.Queue(2)
q.put(1)
q.put_nowait(2)
print(q.full(), q.qsize(), q.get(), q.get_nowait(), q.empty(), queue.Empty)
for call in (q.get_nowait, lambda: q.get(timeout=-1), lambda: [q.put_nowait(i) for i in range(3)], lambda: [q.task_done() for i in range(9)], queue.SimpleQueue().get_nowait):
    try:
        call()
    except Exception as e:
        print(type(e).__name__, e)
p, l = queue.PriorityQueue(), queue.LifoQueue()
for x in (3, 1, 2):
    p.put(x)
    l.put(x)
print([p.get() for i in range(3)], [l.get() for i in range(3)])
#---- graphlib
import graphlib
t = graphlib.TopologicalSorter({'d': ['b', 'c'], 'b': ['a'], 'c': ['a']})
print(list(t.static_order()), list(graphlib.TopologicalSorter({}).static_order()))
try:
    list(graphlib.TopologicalSorter({1: [2], 2: [3], 3: [1], 4: [1]}).static_order())
except graphlib.CycleError as e:
    print(e, e.args[1])
t = graphlib.TopologicalSorter()
t.add(1, 2, 3)
t.add(3, 4)
def tried(do, *args):
    try:
        return do(*args)
    except ValueError as e:
        return str(e)
print(tried(t.get_ready), t.prepare(), t.get_ready(), t.is_active(), t.done(4), t.get_ready(), t.done(2, 3), t.get_ready(), bool(t), t.done(1), t.is_active())
print(tried(t.done, 9), tried(t.done, 1), tried(t.prepare), tried(t.add, 5))
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
