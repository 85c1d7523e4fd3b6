#---- asked
import operator
class A:
    def __iter__(self): print('iter'); return iter([1, 2])
    def __length_hint__(self): print('hint'); return 5
class B:
    def __iter__(self): print('iter'); return iter([1, 2])
    def __len__(self): print('len'); return 5
for cls in A, B:
    print(list(cls()), tuple(cls()), [*cls()])
    x = []
    x.extend(cls())
    x += cls()
    print(x)
print(operator.length_hint(A()), operator.length_hint(B()), operator.length_hint(5, 7), operator.length_hint(iter([1, 2, 3])))
#---- wrong
class C:
    def __init__(self, hint): self.hint = hint
    def __iter__(self): return iter([1])
    def __length_hint__(self): return self.hint() if callable(self.hint) else self.hint
def boom(): raise KeyError('boom')
def typed(): raise TypeError('typed')
for hint in (3, NotImplemented, True, -5, 'x', 1.5, boom, typed, None):
    try:
        print(list(C(hint)))
    except Exception as e:
        print(type(e).__name__, e)
class D:
    def __iter__(self): return iter([1])
    def __len__(self): raise ValueError('len')
try:
    list(D())
except ValueError as e:
    print(e)
class E(list):
    def __iter__(self): return iter('ab')
    def __len__(self): print('len'); return 9
print(list(E([1, 2])), [0] + [*E()])
#---- deprecated
import warnings
def seen(f):
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter('always')
        try:
            r = f()
        except Exception as e:
            r = repr(e)
    print(r, type(r).__name__, [(w.category.__name__, str(w.message)) for w in log])
class I(int): pass
class F(float): pass
class S:
    def __int__(self): return I(3)
    def __index__(self): return I(4)
    def __float__(self): return F(1.5)
class T:
    def __trunc__(self): return 5
class X:
    def __index__(self): return True
seen(lambda: int(S()))
seen(lambda: float(S()))
seen(lambda: hex(S()))
seen(lambda: 'abcdef'[S()])
seen(lambda: range(S()))
seen(lambda: int(T()))
seen(lambda: [1, 2][X()])
seen(lambda: bool(NotImplemented))
seen(lambda: not NotImplemented)
with warnings.catch_warnings():
    warnings.simplefilter('error')
    seen(lambda: NotImplemented or 5)
    try:
        int(S())
    except DeprecationWarning as e:
        print('error', e)
