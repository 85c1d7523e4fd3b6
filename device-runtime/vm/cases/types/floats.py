#---- repr
for x in (0.0, -0.0, 1.0, 0.1, 1/3, 1e15, 1e16, 123456789012345680.0, 1e-4, 1e-5, 1.5e300, 5e-324, 2.2250738585072014e-308,
          1.7976931348623157e308, float("inf"), float("-inf"), float("nan"), 100.0, 1e22, 1e23, 0.30000000000000004):
    print(x, repr(x), str(-x), x.hex())
#---- parsing
for s in ("1", " 1.5 ", "1e5", "1E-5", ".5", "5.", "+1.25", "-1_000.5", "1_0e1_0", "inf", "-Infinity", "nan", "INF", "1e400", "-1e400", "1e-400", "0x10",
          "", "1__0", "_1", "1_", "1e", "1e+", ".", "1.5.2", "abc", "1 2", "infin", "1e5x", "--1", "1_.5", "1._5", "nan(1)", "\n7\t"):
    try:
        print(repr(s), float(s))
    except ValueError as e:
        print(e)
print(float(), float(5), float(True), float(b"2.5"), float(10**22))
for x in (None, [], "x" * 3, b"q", {}):
    try:
        print(float(x))
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
#---- hex
for s in ("0x1.8p3", "1.8p3", "0x.8", "-0x1p-1074", "0x1p-1075", "0x1.fffffffffffff8p1023" if False else "0x1.fffffffffffffp1023", "inf", "-nan", "0X1.Ap+4", "  0x10  ", "ff", "1e5", "0x1.0000000000000800001p0"):
    print(s, float.fromhex(s), float.fromhex(s).hex())
for s in ("", "0x", "x", "0x1p", "0x1.8q3", "1.2.3", "0x1p1024", "p3", "+-1"):
    try:
        print(float.fromhex(s))
    except (ValueError, OverflowError) as e:
        print(type(e).__name__, e)
#---- methods
for x in (0.5, -2.75, 0.1, 1e300, 5e-324, 0.0, 3.0, 2.0**60):
    print(x.as_integer_ratio(), x.is_integer(), x.conjugate(), x.real, x.imag)
for x in (float("inf"), float("-inf"), float("nan")):
    print(x.is_integer())
    try:
        x.as_integer_ratio()
    except (OverflowError, ValueError) as e:
        print(type(e).__name__, e)
    try:
        int(x)
    except (OverflowError, ValueError) as e:
        print(type(e).__name__, e)
#---- round
for x in (0.5, 1.5, 2.5, -0.5, -1.5, 2.675, 1.005, 0.1, 123.456, 1e16, 5e-324, 1e300, -2.25, 2.35, 1234.5):
    print(round(x), [round(x, k) for k in (0, 1, 2, 3, -1, -2, 20, 400, -400)])
print(round(15.0, -1), round(25.0, -1), round(5.0, -1), round(5.1, -1), round(95.0, -2), round(50.0, -2), round(51.0, -2), round(-1.7e308, -308) if False else "-")
print(round(2.5), round(3.5), round(1e20), round(0.49999999999999994), round(4503599627370497.5), round(-0.4), round(-0.4, 0))
for f in (lambda: round(1.7e308, -308), lambda: round(float("nan")), lambda: round(float("inf")), lambda: round(1.5, "a"), lambda: round("x")):
    try:
        print(f())
    except (OverflowError, ValueError, TypeError) as e:
        print(type(e).__name__, e)
print(round(float("nan"), 2), round(float("inf"), -3))
#---- floor division and modulo
for a, b in ((7.5, 2), (-7.5, 2), (7.5, -2), (-7.5, -2), (1e300, 1e-10), (0.0, 3), (-0.0, 3), (5.0, float("inf")), (-5.0, float("inf")), (1.0, 0.1), (3.0, 0.3)):
    print(a // b, a % b, divmod(a, b))
print(float("inf") // 2, float("inf") % 2, 2 % float("-inf"), float("nan") // 1)
#---- power
print(2.0 ** 0.5, 2.0 ** -1, (-8.0) ** 3, 0.0 ** 0, (-2.0) ** 2, 1.0 ** float("nan"), float("nan") ** 0, float("inf") ** -1, (-0.0) ** 3)
print(4 ** 0.5, 10 ** -3, 1e200 ** 0.5, (-1.0) ** float("inf"), 2.0 ** float("-inf"))
print((-8) ** (1/3), (-1.0) ** 0.5, (-2.5) ** 1.5)
for f in (lambda: 10.0 ** 400, lambda: 0.0 ** -2, lambda: 1e300 ** 2, lambda: 2.0 ** 5000):
    try:
        print(f())
    except (OverflowError, ZeroDivisionError) as e:
        print(type(e).__name__, e, e.args)
#---- special values
nan, inf = float("nan"), float("inf")
print(nan == nan, nan != nan, nan < 1, inf > 10**400, inf - inf, inf * 0, -inf + 5, inf == inf)
print(min(1.0, nan), max(nan, 1.0), sorted([3.0, 1.0, 2.0]), 0.0 == -0.0, 1e308 * 10, -1e308 * 10, [nan] == [nan], nan in [nan])
x = nan
print([x] == [x], x in [x], (x,) == (x,), {x: 1}.get(x), 0.1 + 0.2, 0.1 + 0.2 == 0.3)
#---- complex numbers
a, b = complex(1, 2), complex(3, -4)
print(a, b, a + b, a - b, a * b, a / b, -a, +a, a ** 2, a ** 0, a ** -1, a ** 0.5, a ** b, a == complex(1, 2), a != b)
print(a + 1, 1 + a, 2.5 * a, a - 1, 1 - a, a / 2, 1 / a, 2 ** a, abs(b), a.real, a.imag, b.conjugate(), bool(complex()), bool(a))
print(complex(0, 1), complex(0, -1), complex(-0.0, 1), complex(0.0, -0.0), complex(1e20, 1e-7), complex(float("nan"), float("inf")), complex(1.5))
print(complex("1+2j"), complex(" ( 3-4J ) "), complex("j"), complex("-j"), complex("5"), complex("1e5j"), complex("nan+infj"), complex("1_0.5j"), complex(1j, 2j), complex(3, 1j))
print(hash(complex(1, 0)) == hash(1), complex(1, 0) == 1, complex(2.5, 0) == 2.5, 1 == complex(1, 0), {complex(1, 0): 5}[1], complex(1, 1) in [complex(1, 1)])
print(complex(real=3, imag=4), complex(imag=1), a is not b, isinstance(a, complex), type(a), (1+2j) * 1j, 3j, 1.5e3j, -2j, 0j)
#---- complex errors
a = complex(1, 2)
for f in (lambda: a / 0, lambda: complex() ** -1, lambda: complex() ** 1j, lambda: a < a, lambda: a // 1, lambda: a % 2, lambda: divmod(a, a), lambda: int(a), lambda: float(a),
          lambda: complex("1+"), lambda: complex("x"), lambda: complex("1 + 2j"), lambda: complex(""), lambda: complex("1", 2), lambda: complex(1, "2"), lambda: complex([]),
          lambda: complex(1, []), lambda: a ** 10**400, lambda: complex(1e200, 1e200) ** 50, lambda: abs(complex(1.7e308, 1.7e308)), lambda: ~a, lambda: round(a), lambda: a @ a):
    try:
        print(f())
    except (ZeroDivisionError, TypeError, ValueError, OverflowError) as e:
        print(type(e).__name__, e)
#---- few digits behind the point
import random
random.seed(11)
for places in range(0, 9):
    for size in 1, 9, 10 ** 3, 10 ** 6, 10 ** 9, 10 ** 12:
        x = round(random.uniform(-size, size), places)
        print(x, str(x + 1), f"{-x}", "%s" % (x / 4))
for x in 0.0001, 0.00011, 0.000099, 0.1 + 0.2, 999999999.999999, 999999999.5, 1000000000.5, 0.1234567, 4.35, 2.675, 1.005, -0.5, 123456.789:
    print(x, [x], x * 3)
#---- nan is itself only
import copy, math, pickle, struct
a, b = float('nan'), float('nan')
print(a is a, a is b, a in [a], a in [b], [a] == [a], [a] == [b], (a,) == (b,), {1: a} == {1: a}, {1: a} == {1: b})
print(len({a, b}), len({a: 1, b: 2}), len({a, a}), [a].count(a), [a].count(b), a in {a}, b in {a}, [b, a].index(a))
print(math.nan is math.nan, math.nan in [math.nan], math.nan in [a], repr(a), str(-a), f'{a:6.2f}', a != a, a == a)
print(struct.pack('<d', a), struct.pack('<d', -a), struct.pack('<f', a), struct.pack('<e', a), math.copysign(1, a), math.copysign(1, -a))
print(struct.unpack('<d', b'\x01\0\0\0\0\0\xf8\xff')[0], struct.pack('<d', struct.unpack('<d', b'\x01\0\0\0\0\0\xf8\x7f')[0]))
print(pickle.dumps(a) == pickle.dumps(b), copy.copy(a) is a, copy.deepcopy([a])[0] is a, float(a) is a, max(a, 1) is a, sorted([a, b])[0] is a)
