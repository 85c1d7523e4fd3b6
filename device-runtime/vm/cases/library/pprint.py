#---- one call after another
import pprint

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
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
