#---- types
import types
print(types.FunctionType is type(lambda: 0), types.NoneType, isinstance(len, types.BuiltinFunctionType), types.GeneratorType.__name__, types.MethodType.__name__)
n = types.SimpleNamespace(a=1, b='x')
n.c = [n.a]
print(n, n == types.SimpleNamespace(a=1, b='x', c=[1]), n.b, types.SimpleNamespace())
m = types.MappingProxyType({'k': 1})
print(m, m['k'], len(m), 'k' in m, dict(m))
try:
    m['z'] = 1
except TypeError as e:
    print(e)
C = types.new_class('C', (), {}, lambda ns: ns.update(x=5))
print(C.x, C.__name__, types.new_class('D', (C,)).x)


def gen():
    yield


print(isinstance(gen(), types.GeneratorType), types.MethodType(lambda self: self, 5)())
#---- one call after another
import types
from typing import *
def fn(a:int,b:'str'='x',*c:float,d:Optional[int]=None)->List[int]: pass

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: types.GenericAlias(list,(int,)))
t(lambda: types.SimpleNamespace(a=1))
t(lambda: types.SimpleNamespace(a=1)==types.SimpleNamespace(a=1))
t(lambda: types.MappingProxyType({'a':1}))
t(lambda: types.MappingProxyType({'a':1})['a'])
t(lambda: types.new_class('X',(int,)))
t(lambda: types.FunctionType.__name__)
t(lambda: types.NoneType)
t(lambda: types.EllipsisType)
t(lambda: types.UnionType)
t(lambda: types.GenericAlias)
t(lambda: types.ModuleType('m'))
t(lambda: types.MethodType(len,'abc')())
t(lambda: types.resolve_bases((List[int],)))
t(lambda: types.prepare_class('X'))
t(lambda: types.coroutine(fn) is not None)
t(lambda: types.BuiltinFunctionType)
t(lambda: types.LambdaType)
t(lambda: types.CodeType)
t(lambda: types.TracebackType)
t(lambda: types.CellType)
t(lambda: types.DynamicClassAttribute)
t(lambda: types.MappingProxyType(5))
t(lambda: types.MappingProxyType({}).x)
t(lambda: types.SimpleNamespace(1))
