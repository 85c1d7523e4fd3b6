#---- modules
import json
import math
from math import sqrt as root, pi
print(json.dumps({"b": [1, 2.5, None, True], "a": "é\n"}), json.dumps([1, {"x": 1}], indent=2), json.dumps({"b": 1, "a": 2}, sort_keys=True))
print(json.loads('{"k": [1, -2.5e3, "\\u00e9", null, false]}'))
try:
    json.loads("{bad")
except ValueError as e:
    print("bad json")
print(root(2), round(pi, 5), math.floor(-2.5), math.ceil(2.1), math.gcd(12, 18), math.factorial(20), math.isclose(0.1 + 0.2, 0.3), math.isqrt(10 ** 20))
try:
    import nothing_here
except ModuleNotFoundError as e:
    print(e)
try:
    math.sqrt(-1)
except ValueError as e:
    print(e)
#---- sys.modules
import sys, types
m = types.ModuleType('made', 'its doc')
print(m, m.__doc__, m.__name__, list(m.__dict__))
m.x = 5
sys.modules['made'] = m
import made
from made import x
print(made is m, x, 'made' in sys.modules, sys.modules.get('made') is m)
del sys.modules['made']
try:
    import made
except ModuleNotFoundError as e:
    print(e, e.name)
sys.modules['blocked'] = None
try:
    import blocked
except ModuleNotFoundError as e:
    print(e, e.name)
sys.modules['number'] = 5
import number
print(number + 1, type(sys.modules) is dict, sys.modules['__main__'].x, sys.modules['sys'] is sys)
old = sys.modules.pop('json', None)
import json
first = json
del sys.modules['json']
import json
print(first is json, first.dumps([1]) == json.dumps([1]))
try:
    import math.nothing
except ModuleNotFoundError as e:
    print(e)
#---- builtins
import builtins
print(__builtins__ is builtins, builtins.len is len, builtins.__name__, 'print' in dir(builtins), __builtins__.sorted is sorted)
builtins.shared = 5
print(shared)
del builtins.shared
try:
    shared
except NameError as e:
    print(e)
def f(): return __builtins__.max(1, 2)
print(f(), hasattr(__builtins__, 'len'))
