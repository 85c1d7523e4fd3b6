#---- literals
def f(x):
    match x:
        case 0: return 'zero'
        case -1: return 'minus one'
        case 1.5: return 'float'
        case 'a' | 'b': return 'a or b'
        case b'x': return 'bytes'
        case None: return 'none'
        case True: return 'true'
        case False: return 'false'
        case _: return 'other'
for v in (0, -1, 1.5, 'a', 'b', b'x', None, True, False, 7, [], 1, 0.0):
    print(repr(v), f(v))
#---- sequences
def f(x):
    match x:
        case []: return 'empty'
        case [a]: return f'one {a}'
        case [1, *rest]: return f'starts with 1, {rest}'
        case [*init, 9]: return f'ends with 9, {init}'
        case [a, (b, c), *_]: return f'nested {a} {b} {c}'
        case (a, b): return f'pair {a} {b}'
        case [*_, last]: return f'last {last}'
        case _: return 'no sequence'
for v in ([], [5], (1, 2, 3), [2, 3, 9], [4, [5, 6], 7], (3, 4), [5, 6, 7], 'ab', b'ab', {1: 2}, range(3), {1}, iter([1])):
    print(f(v))
#---- mappings
def f(x):
    match x:
        case {'type': 'a', 'n': int(n)}: return f'a {n}'
        case {'type': t, **rest}: return f'{t} {rest}'
        case {1: _, 'x': None}: return 'one and x'
        case {}: return 'a mapping'
        case _: return 'none'
for v in ({'type': 'a', 'n': 3}, {'type': 'a', 'n': 'x'}, {'type': 'q'}, {1: 2, 'x': None, 'z': 1}, {1: 2, 'x': 0}, {}, [], 3):
    print(f(v))
#---- classes
class Point:
    __match_args__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
class Point3(Point):
    def __init__(self, x, y, z):
        super().__init__(x, y)
        self.z = z
def f(p):
    match p:
        case Point3(0, z=z): return f'p3 {z}'
        case Point(x=0, y=0): return 'origin'
        case Point(0, y) | Point(y, 0): return f'axis {y}'
        case Point(a, b) if a == b: return f'diagonal {a}'
        case Point(): return 'point'
        case int(n) | float(n): return f'number {n}'
        case str(): return 'text'
        case bool(): return 'never'
        case list([a, *_]): return f'list {a}'
        case dict({'k': v}): return v
        case _: return '?'
for v in (Point(0, 0), Point(0, 3), Point(4, 0), Point(2, 2), Point(1, 2), Point3(0, 1, 2), 3, 2.5, 'x', True, [7, 8], {'k': 'v'}, (), None):
    print(f(v))
#---- capture and or
def f(x):
    match x:
        case [('up' | 'down') as d, int() as n]: return d, n
        case {'pos': (x, y) as pos}: return x, y, pos
        case (1, a) | (a, 1): return 'one', a
        case a: return 'all', a
for v in (['up', 3], ['left', 3], {'pos': (1, 2)}, (1, 5), (5, 1), 4):
    print(f(v))
#---- names bound only on success
def f(x):
    a = 'old'
    match x:
        case (a, 1): return 'first', a
        case (b, 2): return 'second', a, b
    return 'none', a
print(f((5, 1)), f((5, 2)), f((5, 3)))
#---- guard binds
def f(x):
    match x:
        case [a, b] if a > b: return 'gt'
        case [a, b] if a < b: return 'lt'
        case _: return a, b
print(f([2, 1]), f([1, 2]), f([1, 1]))
#---- value patterns
class Color:
    RED = 1
    class Deep:
        BLUE = 'b'
def f(x):
    match x:
        case Color.RED: return 'red'
        case Color.Deep.BLUE: return 'blue'
        case (Color.RED, _): return 'tuple'
    return None
print(f(1), f('b'), f((1, 3)), f(2), f(1.0))
#---- soft keywords
match = 3
case = 4
_ = 5
print(match, case, _)
match (match, case):
    case (3, x): print('matched', x, _)
print(match + 1, match * 2, match - 1, [match][0])
def match(x, y=1): return x + y
print(match(3), match (4, 5))
match.case = 1
print(match.case)
#---- errors
class A: pass
class B:
    __match_args__ = ['x']
class C:
    __match_args__ = (1,)
class D:
    __match_args__ = ('x', 'x')
    x = 3
class E:
    __match_args__ = ('x',)
    x = 1
def try_(g):
    try:
        print(g())
    except Exception as e:
        print(type(e).__name__, e)
def a():
    match A():
        case A(1): pass
def b():
    match B():
        case B(1): pass
def c():
    match C():
        case C(1): pass
def d():
    match D():
        case D(3, 3): pass
def e():
    match E():
        case E(1, x=1): pass
def g():
    x = 3
    match 3:
        case x(): pass
def h():
    match 3:
        case int(1, 2): pass
def i():
    match {1: 2}:
        case {A.q: 3}: pass
for fn in (a, b, c, d, e, g, h, i): try_(fn)
#---- duplicate keys
class K: a = 'x'
try:
    match {'x': 1, 'y': 2}:
        case {K.a: _, 'x': _}: print('no')
except ValueError as e: print(e)
#---- getattr order
class T:
    def __getattr__(self, name):
        print('get', name)
        if name == 'missing': raise AttributeError(name)
        return name
match T():
    case T(a='a', missing=1, b='b'): print('no')
    case T(a='a', b='b'): print('yes')
#---- length and laziness
class L(list):
    def __len__(self):
        print('len')
        return super().__len__()
match L([1, 2, 3]):
    case [1, 2]: print('no')
    case _: print('other')
#---- nested functions and scopes
def outer(cmd):
    match cmd:
        case ['add', *names]:
            return lambda: names
        case {'n': n}:
            def inner():
                nonlocal n
                n += 1
                return n
            return inner
print(outer(['add', 1, 2])(), outer({'n': 4})())
#---- big dispatch
def ev(e):
    match e:
        case ('num', v): return v
        case ('add', a, b): return ev(a) + ev(b)
        case ('mul', a, b): return ev(a) * ev(b)
        case ('neg', a): return -ev(a)
        case [op, *args]: raise ValueError(f'unknown {op} of {len(args)}')
print(ev(('add', ('num', 2), ('mul', ('num', 3), ('neg', ('num', 4))))))
try: ev(('pow', 1, 2))
except ValueError as e: print(e)
#---- in loops
out = []
for x in [1, 'a', None, [1, 2], 5]:
    match x:
        case None: continue
        case [*_]: break
        case int(): out.append(('i', x))
        case _: out.append(x)
else:
    out.append('else')
print(out)
#---- complex and signed literals
match -3:
    case -3: print('minus three')
match 1e3:
    case 1000: print('thousand')
#---- mapping rest keeps order
match {'a': 1, 'b': 2, 'c': 3}:
    case {'b': x, **r}: print(x, r)
match {}:
    case {**r}: print(r)
#---- irrefutable at module level
match 3:
    case x if x > 5: print('big')
    case x: print('x', x)
print(x)
#---- match
class Pt:
    __match_args__ = ('x', 'y')

    def __init__(s, x, y):
        s.x, s.y = (x, y)
class Bad:
    __match_args__ = 5
class Bad2:
    __match_args__ = (1,)
import enum
class Co(enum.Enum):
    R = 1
    G = 2
def m(v):
    match v:
        case 0 | 1 | -1:
            return 'small'
        case 1.5 | 2j | 1 + 2j:
            return 'num'
        case 'a' | b'b':
            return 'str'
        case None | True:
            return 'const'
        case Co.R:
            return 'enum'
        case []:
            return 'empty'
        case [x]:
            return ('one', x)
        case [1, *rest]:
            return ('1..', rest)
        case [x, y, *_, z] if x == y:
            return ('guard', x, z)
        case [a, [b, [c, *d]]]:
            return ('nest', a, b, c, d)
        case {'k': kk, **rest} if kk:
            return ('map', kk, rest)
        case {'x': 1, 'y': {'z': z}}:
            return ('deep', z)
        case {}:
            return 'anymap'
        case Pt(x=0, y=yy):
            return ('pt0', yy)
        case Pt(xx, Pt(a, b)):
            return ('ptpt', xx, a, b)
        case Pt(1 | 2 as q, y):
            return ('pt12', q, y)
        case int(n) if n > 100:
            return ('bigint', n)
        case str() as s:
            return ('s', s)
        case int() | float() as n:
            return ('n', n)
        case set() | frozenset():
            return 'set'
        case bytes():
            return 'bytes'
        case _:
            return 'other'
for v in [0, -1, 1.5, 2j, 1 + 2j, 'a', b'b', None, True, False, Co.R, Co.G, [], (), [5], (1, 2, 3), [7, 7, 8, 9], (1.5, [2, (3, 4, 5)]), {'k': 1, 'z': 2}, {'k': 0}, {'x': 1, 'y': {'z': 9}}, {}, Pt(0, 5), Pt(3, Pt(4, 5)), Pt(2, 0), Pt(9, 9), 1000, 50, 'zz', 3.5, {1}, b'zz', object, range(1), range(5), bytearray(b'ab'), 'ab', memoryview(b'a')]:
    print(repr(v) if not isinstance(v, Pt) and ' at 0x' not in repr(v) else 'Pt', m(v))
for C, n in ((Bad, 1), (Bad2, 1), (Pt, 3), (int, 2)):
    try:
        match C.__new__(C) if C is not int else 5:
            case C(a):
                print('ok')
            case _:
                print('no')
    except TypeError as e:
        print(e)
try:
    match Pt(1, 2):
        case Pt(1, 2, 3):
            pass
except TypeError as e:
    print(e)
try:
    match Pt(1, 2):
        case Pt(1, x=3):
            pass
except TypeError as e:
    print(e)
try:
    match 5:
        case Pt.__init__():
            pass
except TypeError as e:
    print(e)
match = 5
case = 6
_ = 7
type = 8
print(match, case, _, type)
match[0:1] if 0 else None
match (1, 2):
    case [a, b]:
        print(a, b)
match (1, 2):
    case [1, x] | [x, 1]:
        print(x)
match {'a': 1}:
    case {'a': int() as z}:
        print(z)
import collections
match collections.OrderedDict(a=1):
    case {'a': 1, **r}:
        print(r, r.__class__)
match collections.deque([1, 2]):
    case [1, 2]:
        print('deque')
match collections.defaultdict(int):
    case {'q': _}:
        print('bad')
    case _:
        print('nodefault')
