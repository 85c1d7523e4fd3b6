#---- small_to_large
for a in (2 ** 46, 2 ** 47 - 1, 2 ** 47, -2 ** 47, -2 ** 47 - 1, 2 ** 63, -2 ** 63, 2 ** 64 - 1, 2 ** 64):
    for b in (1, -1, 3, 2 ** 17, 2 ** 47 - 1, -2 ** 47):
        print(a + b, a - b, b - a, a * b, a // b, a % b, b // a, b % a, a & b, a | b, a ^ b)
#---- floor_division_signs
for a in (7, -7, 0, 2 ** 40 + 1, -2 ** 40 - 1):
    for b in (2, -2, 3, -3, 2 ** 35, -2 ** 35):
        print(a // b, a % b, divmod(a, b), (a // b) * b + a % b == a)
#---- division_by_zero
for text, f in (("/", lambda x, y: x / y), ("//", lambda x, y: x // y), ("%", lambda x, y: x % y)):
    for x, y in ((1, 0), (1.5, 0), (1, 0.0), (2 ** 70, 0), (0, 0)):
        try:
            print(f(x, y))
        except ZeroDivisionError as e:
            print(text, x, y, e)
#---- shifts
for a in (0, 1, -1, 5, -5, 2 ** 45, -2 ** 46, 2 ** 47 - 1, 2 ** 63 - 1, -2 ** 63):
    print([a << n for n in (0, 1, 2, 17, 46, 47, 62, 63, 64, 65)])
    print([a >> n for n in (0, 1, 2, 17, 46, 47, 62, 63, 64, 200)])
for f in (lambda: 1 << -1, lambda: 1 >> -1, lambda: 2 ** 70 >> -1):
    try:
        f()
    except ValueError as e:
        print(e)
#---- powers
print(3 ** 2, (-3) ** 2, (2 ** 24) ** 2, (2 ** 23 + 1) ** 2, 1.5 ** 2, 0.1 ** 2, 2 ** -1, (-8) ** 3, 0 ** 0, 2.0 ** 0.5)
x = 7
x **= 2
x **= 3
print(x)
#---- mixed_numbers
i, f, b = 3, 2.5, True
print(i + f, f + i, i - f, f - i, i * f, f * i, i / f, f / i, b + i, i + b, b + f, f * b, b + b, b * b, b / i, -b)
print(i < f, f < i, i == 3.0, 3.0 == i, b == 1, 1 == b, b < f, i >= f, i != f)
#---- float_results
inf, nan = float("inf"), float("nan")
print(inf - inf, inf * 0, nan + 1, nan == nan, nan != nan, nan < 1, not nan < 1, inf > 10 ** 300, -inf < inf)
print(0.0 * -1, -0.0 + 0.0, 1e308 * 10, 5 % -3.0, -5 % 3.0, -5 // 3.0, 5.5 // -2)
if not nan < 1:
    print("not less")
if not nan >= 1:
    print("not greater")
while not nan > 1:
    print("loop")
    break
#---- not_implemented_falls_back
class A:
    def __add__(self, other):
        print("A.__add__", type(other).__name__)
        return NotImplemented
    def __lt__(self, other):
        print("A.__lt__")
        return NotImplemented
    def __eq__(self, other):
        print("A.__eq__")
        return NotImplemented
class B:
    def __radd__(self, other):
        print("B.__radd__", type(other).__name__)
        return "radd"
    def __gt__(self, other):
        print("B.__gt__")
        return "gt"
    def __eq__(self, other):
        print("B.__eq__")
        return "eq"
print(A() + B())
print(A() < B())
print(A() == B())
print(A() == 1, A() != 1)
if A() < B():
    print("less")
for f in (lambda: A() + 1, lambda: A() < 1, lambda: 1 + A(), lambda: A() + A()):
    try:
        f()
    except TypeError as e:
        print(e)
#---- reflected_first_for_subclasses
class A:
    def __add__(self, other): return "A.add"
    def __radd__(self, other): return "A.radd"
    def __lt__(self, other): return "A.lt"
class B(A):
    def __radd__(self, other): return "B.radd"
    def __gt__(self, other): return "B.gt"
class C(A):
    pass
print(A() + B(), B() + A(), A() + C(), C() + A(), A() < B(), A() < C())
#---- in_place_methods
class A:
    def __init__(self): self.log = []
    def __iadd__(self, other): self.log.append(("i", other)); return self
    def __sub__(self, other): self.log.append(("-", other)); return self
    def __imul__(self, other): return NotImplemented
    def __mul__(self, other): return ("mul", other)
a = A()
b = a
a += 1
a += "x"
a -= 2
print(a is b, a.log)
a *= 3
print(a)
x = [1]
y = x
x += (2, 3)
x += "ab"
print(x is y, y)
x = x + [4]
print(x is y, len(y))
x *= 2
print(x)
t = (1,)
u = t
t += (2,)
print(t, u)
s = {1}
r = s
s |= {2}
s -= {1}
print(r)
#---- in_place_on_attributes_and_items
class P: pass
p = P()
p.n, p.items, p.text = 1, [1], "a"
p.n += 2
p.n *= 5
p.n -= 1
p.n //= 2
p.n <<= 3
p.n |= 1
p.items += [2]
p.text += "b"
d = {"k": [1], "n": 5}
d["k"] += [2]
d["n"] -= 7
d["n"] %= 4
row = [0, 1, 2]
row[-1] += 10
row[0] ^= 6
print(p.n, p.items, p.text, d, row)
#---- walrus_in_augmented
x = 5
x += (x := 10)
print(x)
def f():
    n = 1
    n += (n := 7) * 2
    return n
print(f())
#---- method_errors_in_operators
class A:
    def __add__(self, other): raise KeyError("add")
    def __lt__(self, other): raise KeyError("lt")
    def __bool__(self): raise KeyError("bool")
    def __getitem__(self, i): raise KeyError(i)
    def __setitem__(self, i, v): raise KeyError((i, v))
a = A()
for f in (lambda: a + 1, lambda: a < 1, lambda: not a, lambda: a[3], lambda: a.__setitem__(1, 2)):
    try:
        f()
    except KeyError as e:
        print(e)
try:
    a[1] = 2
except KeyError as e:
    print(e)
try:
    a += 1
except KeyError as e:
    print(e, type(a).__name__)
#---- comparison_values
class A:
    def __init__(self, v): self.v = v
    def __lt__(self, o): return self.v
    def __eq__(self, o): return self.v
for v in ([], [1], "", "x", None, 0, 2.5):
    a = A(v)
    print(a < a, a == a, "yes" if a < a else "no", "yes" if a == a else "no", not a == a)
#---- is_and_none
def f(x):
    out = []
    if x is None: out.append("none")
    if x is not None: out.append("some")
    if not (x is None): out.append("not none")
    while x is not None:
        x = None
    if x is None and out: out.append("end")
    return out
print(f(None), f(0), f([]))
a = b = []
print(a is b, a is not b, a is [], [] is not a, "x" if a is b else "y")
class E:
    def __eq__(self, other): return True
print(E() == None, None == E(), E() is None, E() != None)
#---- equality_of_kinds
print(1 == "1", "a" == b"a", None == 0, [] == (), 1 == True, 0.0 == False, "" == None, {} == [], 2 ** 53 == float(2 ** 53), 2 ** 53 + 1 == float(2 ** 53))
print("abc" == "ab" + "c", "é" == "\u00e9", "a" != "b", (1, 2) == (1, 2.0), [nan := float("nan")] == [nan])
