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
#---- pretty
from pprint import pprint, pformat, PrettyPrinter
import collections, types, dataclasses
pprint({'b': [1, 2, 3], 'a': {'x': (1,), 'y': {3, 1}}})
pprint(list(range(40)))
pprint({'key%d' % i: 'value ' * i for i in range(8)})
pprint([['word' * 3] * 4] * 3, width=30)
pprint('some long text that will not fit ' * 5)
pprint({'t': 'another long text over a line, ' * 4, 'b': b'bytes' * 20}, width=50)
pprint(list(range(30)), compact=True, width=40)
pprint([1, [2, [3, [4, [5]]]]], depth=3)
pprint(collections.OrderedDict([('x', 1), ('y', list(range(30)))]))
pprint(collections.Counter('abracadabra' * 3))
pprint(collections.defaultdict(list, {i: ['x' * 20] * 2 for i in range(3)}))
pprint(collections.deque(range(30)))
pprint(types.SimpleNamespace(a=list(range(30)), b='x'))
@dataclasses.dataclass
class P:
    name: str
    items: list
pprint(P('n' * 30, ['i' * 20] * 3))
a = [1]; a.append(a); print(pformat(a)[:20])
print(pformat({3: 1, 'a': 2, None: 0, 1.5: 1}), pformat(()), pformat(set()), pformat(1234567, underscore_numbers=True), pformat(range(3)))
pprint({2: 1, 1: 2}, sort_dicts=False); PrettyPrinter(indent=4).pprint([['a' * 40], ['b' * 40]])
#---- warnings
import warnings
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    warnings.warn('one'); warnings.warn(DeprecationWarning('two')); warnings.warn('three', RuntimeWarning)
    print([(str(x.message), x.category.__name__) for x in w])
with warnings.catch_warnings():
    warnings.simplefilter('error')
    try: warnings.warn('four')
    except UserWarning as e: print('raised', e)
with warnings.catch_warnings(record=True) as w:
    warnings.filterwarnings('ignore', 'skip')
    for t in ('skip me', 'keep me', 'keep me'): warnings.warn(t)
    print(len(w))
try: warnings.warn('x', int)
except TypeError as e: print(e)
#---- numbers, errno
import numbers, errno
print([isinstance(v, numbers.Number) for v in (1, 1.5, 1j, 'a', True)], issubclass(int, numbers.Rational), isinstance(1, numbers.Real), errno.ENOENT, errno.errorcode[13])
class N(numbers.Integral): pass
try: N()
except TypeError as e: print(str(e)[:50])
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
