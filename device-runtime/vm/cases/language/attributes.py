#---- descriptors without get
class Set:
    def __set__(self, obj, value): pass
class A:
    x = Set()
a = A()
print(type(a.x).__name__)
a.x = 1
a.__dict__['x'] = 7
print(a.x, type(A.x).__name__)
#---- readonly
import types
for obj, name in ((5, 'real'), (True, 'imag'), (1.5, 'real'), (1j, 'real'), (memoryview(b'a'), 'nbytes'),
                  (ExceptionGroup('g', [KeyError()]), 'message'), ((i for i in ()), 'gi_running')):
    for act in (lambda: setattr(obj, name, 1), lambda: delattr(obj, name)):
        try:
            act()
        except AttributeError as e:
            print(e)
#---- cells
import types
c = types.CellType(5)
print(c.cell_contents)
c.cell_contents = 6
print(c.cell_contents)
del c.cell_contents
try:
    c.cell_contents
except ValueError as e:
    print(e)
def f():
    n = 1
    def g(): return n
    return g
g = f()
g.__closure__[0].cell_contents = 9
print(g(), type(g.__closure__[0]) is types.CellType)
#---- weak
import weakref, copy
class B: pass
b = B()
r = weakref.ref(b)
print(weakref.ref(b) is r, weakref.getweakrefcount(b), copy.copy(r) is r, str(r).split(' at ')[0], str(r).split(';')[1].split(' at')[0])
back = weakref.ref(b, lambda x: print('gone'))
print(back is r, back == r, weakref.getweakrefcount(b))
del b
print(r(), str(r).split(';')[1])
def named(): pass
print(str(weakref.ref(named)).split('(')[1])
#---- sizes
import sys
class S:
    def __sizeof__(self): return 100
class Bad:
    def __sizeof__(self): return -1
print(S().__sizeof__(), sys.getsizeof(S()) >= 100, (5).__sizeof__(), 'abc'.__sizeof__(), 'é'.__sizeof__(), b'ab'.__sizeof__(), ().__sizeof__(), (1.5).__sizeof__())
try:
    sys.getsizeof(Bad())
except ValueError as e:
    print(e)
