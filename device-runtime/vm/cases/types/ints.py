#---- arithmetic
a, b = 123456789012345678901234567890, 987654321098765432109876543210
print(a + b, a - b, b - a, a * b, -a * b)
print(b // a, b % a, -b // a, -b % a, b // -a, b % -a, -b // -a, -b % -a)
print(divmod(b, a), divmod(-b, a), divmod(7, -2), divmod(-7, 2))
print(a ** 3, (-a) ** 3, 2 ** 200, (-2) ** 201, 7 ** 0, 0 ** 0)
print(+a, -a, ~a, abs(-a), a == a + 0, a < b, a != b, -a < a)
for x in (2**47, -2**47, 2**47 - 1, -2**47 - 1, 2**63, -2**63, 2**64, 2**64 - 1, 2**128):
    print(x, x + 1, x - 1, x * x, -x, x // 3, x % 1000)
#---- shifts and bits
for x in (0, 1, -1, 5, -5, 2**64, -2**64, 2**100 + 12345, -(2**100 + 12345)):
    print(x << 3, x >> 2, x << 70, x >> 70, x >> 200, x & 0xFF, x | 0xF0F0, x ^ 0xABCDEF, ~x)
    print(x & -x, x | -2**65, x ^ -2**65, x & (2**80 - 1), x.bit_length(), x.bit_count())
print(1 << 0, 0 << 1000, True << 2, True & 1, True & True, True | False, True ^ True)
try:
    1 << -1
except ValueError as e:
    print(e)
try:
    1 >> -1
except ValueError as e:
    print(e)
#---- division by zero
for f in (lambda: 1 // 0, lambda: 1 % 0, lambda: 1 / 0, lambda: divmod(1, 0), lambda: 2**70 // 0,
          lambda: 2**70 % 0, lambda: 2**70 / 0, lambda: 1.0 / 0, lambda: 1.0 // 0, lambda: 1.0 % 0,
          lambda: divmod(1.0, 0), lambda: 0 ** -1, lambda: 0.0 ** -1, lambda: pow(2, 3, 0)):
    try:
        print(f())
    except (ZeroDivisionError, ValueError) as e:
        print(type(e).__name__, e)
#---- true division
print(1 / 3, 2**60 / 3, 10**300 / 10**299, 10**400 / 10**399, (2**53 + 1) / 1, (2**54 + 2) / 2)
print(-7 / 2, 3 / 10**320, 10**30 / 3**40, 1 / 2**1074, 1 / 2**1075, 3 / 2**1075, -10**22 / 7)
print(0 / 5, 0 / -5, (2**1023 * 2 - 2**970) / 1)
for n, d in ((10**400, 1), (2**1024, 1), (10**400, -3)):
    try:
        print(n / d)
    except OverflowError as e:
        print(e)
#---- power
print(pow(3, 100, 7), pow(3, 10**30, 10**20 + 39), pow(-3, 5, 7), pow(3, 5, -7), pow(2, 0, 1))
print(pow(3, -1, 7), pow(10, -3, 97), pow(7, -1, 2**89 - 1), pow(5, 3), pow(5, -2), pow(2, 10, 1000))
print(2 ** -1, (-2) ** -3, 10 ** -20, pow(2**90, 50, 3**60))
m = 2**521 - 1
print(pow(3, m - 1, m), pow(12345678901234567890, 98765432109876543210, m) % 10**12)
try:
    pow(2, -1, 4)
except ValueError as e:
    print(e)
try:
    pow(2.0, 3, 5)
except TypeError as e:
    print(e)
#---- long products
x = 3 ** 2000
y = 7 ** 1900
p = x * y
print(p % 1000000007, p // x == y, p // y == x, p % x, (p + 5) % x, (p - 5) % y == y - 5)
print((x * x) % (10**9 + 7), (x**5) % (10**9 + 9), len(str(x)))
z = (1 << 9000) - 1
print((z * z) == (1 << 18000) - (1 << 9001) + 1, (z * z) // z == z)
for n in (31, 32, 33, 63, 64, 65, 66, 95, 127, 129, 200):
    u, v = (1 << 64 * n) - 1, (1 << 64 * (n + 7)) - 3
    assert u * v == (v << 64 * n) - v, n
    assert u * v // v == u and u * v % v == 0 and (u * v + 12345) % v == 12345, n
    assert divmod(-(u * v) - 1, v) == (-u - 1, v - 1), n
print("ok")
#---- text
for x in (0, 7, -7, 2**64, -10**25, 10**100):
    print(x, repr(x), hex(x), oct(x), bin(x), f"{x:d}", f"{x:,}", f"{x:_x}", f"{x:#b}"[:40])
print(int("123"), int("  -45 "), int("+7"), int("1_000_000"), int("ff", 16), int("0xff", 16))
print(int("0b101", 0), int("0o17", 0), int("0xFF", 0), int("z", 36), int("0", 0), int("00", 0))
print(int("1" * 60), int("-" + "9" * 40), int("f" * 40, 16), int("7" * 33, 8), int("102" * 20, 3))
print(int(), int(3.99), int(-3.99), int(1e30), int(True), int(b"42"), int(bytearray(b"-42")))
print(int(base=2, x="1") if False else int("11", base=2))
#---- bad literals
for args in (("",), ("x",), ("1.5",), ("1__0",), ("_1",), ("1_",), ("12", 2), ("0x",), ("010", 0), ("9", 8),
             ("0b2", 0), (" ",), ("- 1",), ("--1",), ("+",), ("1 2",), (b"xy",), (None,), ([],), ("1", 1), ("1", 37),
             (5, 10), ("\x00",), ("é",), (float("nan"),), (float("inf"),), (1j,)):
    try:
        print(int(*args))
    except (ValueError, TypeError, OverflowError) as e:
        print(type(e).__name__, e)
#---- digits limit
try:
    str(10 ** 5000)
except ValueError as e:
    print(e)
try:
    int("1" * 5000)
except ValueError as e:
    print(e)
print(len(hex(10 ** 5000)), len(str(10 ** 4299)), int("1" * 4300) % 1000)
s = str(7 ** 5000)
print(s[:30], s[-30:], len(s), int(s) == 7 ** 5000)
#---- methods
print((10).as_integer_ratio(), (-5).conjugate(), (7).numerator, (7).denominator, (7).real, (7).imag)
print(True.numerator, (2**70).real, (2**70).as_integer_ratio(), True.bit_length(), (-8).bit_length())
print((1024).to_bytes(2, "big"), (1024).to_bytes(4, "little"), (-2).to_bytes(3, "big", signed=True))
print((255).to_bytes(), (0).to_bytes(0, "big"), (2**70).to_bytes(10, "little"), (-128).to_bytes(1, "big", signed=True))
print((-2**63).to_bytes(8, "little", signed=True), (2**63).to_bytes(length=9, byteorder="big", signed=True))
print(int.from_bytes(b"\x00\x10", "big"), int.from_bytes(b"\x00\x10", byteorder="little"), int.from_bytes(b"\xfc\x00", "big", signed=True))
print(int.from_bytes([255, 0, 0], "big"), int.from_bytes(b"", "big"), int.from_bytes(b"\xff" * 20, "little", signed=True))
print(int.from_bytes(b"\xff" * 20, "little"), bool.from_bytes(b"\x00\x01", "big"), int.from_bytes(b"\x80" + b"\x00" * 15, "big", signed=True))
for f in (lambda: (256).to_bytes(1, "big"), lambda: (-1).to_bytes(1, "big"), lambda: (128).to_bytes(1, "big", signed=True),
          lambda: (1).to_bytes(-1, "big"), lambda: (1).to_bytes(1, "middle"), lambda: int.from_bytes(b"1", "x"),
          lambda: int.from_bytes("abc", "big"), lambda: int.from_bytes([256], "big"), lambda: (-129).to_bytes(1, "big", signed=True)):
    try:
        print(f())
    except (OverflowError, ValueError, TypeError) as e:
        print(type(e).__name__, e)
#---- rounding
for x in (15, 25, 35, -15, -25, 12345, 55555, 2**70, 10**20 + 5 * 10**9):
    print([round(x, -k) for k in range(5)], round(x), round(x, 3), round(x, None))
print(round(5, -1), round(15, -1), round(150, -2), round(250, -2), round(10**30, -31), round(6 * 10**30, -31), round(10**30, -400))
#---- comparisons with floats
big = 2**53 + 1
print(big == float(big), big > float(big), big < float(big), 2**1000 == 2.0**1000, 2**1000 + 1 > 2.0**1000)
print(10**400 > float("inf"), 10**400 < float("inf"), -10**400 < float("-inf"), 1 == float("nan"), 1 < float("nan"))
print(2**63 == 9223372036854775808.0, 2**63 - 1 < 9223372036854775808.0, -2**63 == -9223372036854775808.0)
print(sorted([3, 2.5, 10**20, 1e19, -1, -0.5, True]), max(2**60, 2.0**60), min(2**60, 2.0**60))
print(2**47 + 0.5 > 2**47, 2**50 + 1 > 2.0**50 + 0.5, 1e16 == 10**16, {1: "a", 2**70: "b"}[1.0], {1: "a", 2**70: "b"}[2.0**70])
#---- hash
print(hash(0), hash(1), hash(-1), hash(-2), hash(2**61 - 1), hash(2**61), hash(2**64), hash(-2**100), hash(10**30))
print(hash(1.0), hash(0.5), hash(-1.5), hash(1e300), hash(float("inf")), hash(float("-inf")), hash(2.0**61), hash(0.1))
print(hash(True), hash(2**70) == hash(2.0**70), hash(1e22) == hash(10**22), hash(-0.0))
#---- float to int and back
print(float(2**53 + 1), float(2**54 + 3), float(10**22), float(10**23), float(-2**1000), float(2**64 - 1))
print(int(1e22), int(2.0**100), int(-1e18), int(1e15 + 0.5), int(0.9999999999999999), int(-2.0**63))
for x in (10**309, -10**309, 2**1024):
    try:
        float(x)
    except OverflowError as e:
        print(e)
try:
    2**1024 + 1.0
except OverflowError as e:
    print(e)
try:
    1.5 * 10**400
except OverflowError as e:
    print(e)
#---- unsupported
for f in (lambda: 1 + "a", lambda: 1 << 1.0, lambda: ~1.0, lambda: 1 & 2.0, lambda: "a" - 1, lambda: 1 @ 2, lambda: -"a",
          lambda: 1 < "a", lambda: [] >= 1, lambda: divmod("a", 1), lambda: abs("x"), lambda: hex(1.5), lambda: bin("1"), lambda: oct([])):
    try:
        print(f())
    except TypeError as e:
        print(e)
