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
