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
