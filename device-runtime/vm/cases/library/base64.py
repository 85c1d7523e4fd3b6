#---- numbers
import math
print([math.sqrt(2), math.exp(1), math.log(10), math.log(8, 2), math.log2(8), math.log10(1000), math.pow(2, 0.5), math.sin(1), math.cos(1), math.tan(1), math.asin(0.5), math.acos(0.5), math.atan(1), math.atan2(-1, -1)])
print([math.sinh(1), math.cosh(1), math.tanh(1), math.asinh(1), math.acosh(2), math.atanh(0.5), math.expm1(1e-10), math.log1p(1e-10), math.cbrt(27), math.exp2(10), math.degrees(math.pi), math.radians(180), math.erf(0.5), math.erfc(0.5)])
print(math.floor(-2.5), math.ceil(-2.5), math.trunc(-2.5), math.floor(10**20 + 0.0), math.ceil(5), math.trunc(True), math.fabs(-3), math.copysign(1, -0.0), math.fmod(-7, 3), math.remainder(7, 2), math.modf(-2.75), math.frexp(0), math.frexp(-10.0), math.ldexp(0.75, 4))
print(math.gamma(1), math.gamma(5), math.gamma(10), math.lgamma(1), math.isfinite(1e308), math.isinf(math.inf), math.isnan(math.nan), math.isclose(1, 1 + 1e-10), math.isclose(1, 1.1), math.isclose(0, 1e-10, abs_tol=1e-9), math.pi, math.e, math.tau, math.inf, math.nan)
print(math.nextafter(1.0, 2.0), math.nextafter(0.0, -1.0), math.ulp(1.0), math.ulp(0.0), math.ulp(1e300), math.ulp(math.inf), math.hypot(), math.hypot(3, 4), math.hypot(1, 2, 3), math.hypot(1e200, 1e200), math.hypot(math.inf, math.nan), math.dist([1, 2, 3], [4, 6, 3]))
#---- whole numbers
import math
print(math.factorial(0), math.factorial(20), math.factorial(25), math.gcd(), math.gcd(-12, 18), math.gcd(2**100, 6**50), math.gcd(0, 5), math.lcm(), math.lcm(4, 6), math.lcm(0, 3), math.lcm(-4, 6, 10), math.comb(5, 2), math.comb(100, 50), math.comb(3, 5), math.perm(5), math.perm(5, 2), math.perm(5, 6))
print(math.isqrt(0), math.isqrt(15), math.isqrt(16), math.isqrt(10**40 - 1), math.isqrt(2**200), math.prod([]), math.prod([1, 2, 3], start=10), math.prod([0.5, 4]), math.fsum([0.1] * 10), math.fsum([1e100, 1.0, -1e100]), math.fsum([]))
f = 1
for i in range(1, 200):
    f *= i
print(math.factorial(199) == f, math.gcd(f, 2**300) == 2**192, math.gcd(f * 7919, 10**100 * 7919) % 7919, math.isqrt(f * f) == f, math.comb(200, 3) == 200 * 199 * 198 // 6)
a, b = 3**300 * 7**20, 3**200 * 5**100
print(math.gcd(a, b) == 3**200, math.lcm(a, b) == 3**300 * 7**20 * 5**100, math.gcd(a + 1, b))
#---- big arguments
import math
print(math.log(10**400), math.log2(2**2000), math.log10(10**400), math.log(2**5000, 2), math.sqrt(10**300), math.floor(1e300) == int(1e300), math.log(10**400, 10))
#---- errors
import math
for f in (lambda: math.sqrt(-1), lambda: math.log(0), lambda: math.log(-1), lambda: math.exp(1000), lambda: math.sin(math.inf), lambda: math.acos(2), lambda: math.pow(0, -1), lambda: math.pow(-8, 1/3), lambda: math.pow(10, 400), lambda: math.fmod(1, 0), lambda: math.fmod(math.inf, 1), lambda: math.gamma(-1), lambda: math.gamma(0), lambda: math.lgamma(-2), lambda: math.gamma(200),
          lambda: math.atanh(1), lambda: math.acosh(0), lambda: math.log1p(-1), lambda: math.cosh(1000), lambda: math.ldexp(1, 5000), lambda: math.factorial(-1), lambda: math.factorial(2.5), lambda: math.isqrt(-1), lambda: math.isqrt(2.0), lambda: math.comb(-1, 2), lambda: math.comb(2, -1), lambda: math.gcd(1.5), lambda: math.floor("x"), lambda: math.floor(math.nan), lambda: math.ceil(math.inf), lambda: math.trunc("x"),
          lambda: math.sqrt("x"), lambda: math.sqrt(), lambda: math.sqrt(1, 2), lambda: math.atan2(1), lambda: math.hypot("a"), lambda: math.dist([1], [1, 2]), lambda: math.fsum([1, "a"]), lambda: math.fsum([math.inf, -math.inf]), lambda: math.isclose(1, 1, rel_tol=-1), lambda: math.log(1, 1), lambda: math.log(10, -1), lambda: math.sqrt(10**400), lambda: math.ldexp(1, 1.5), lambda: math.perm(2, 1.5), lambda: math.remainder(1, 0), lambda: math.sqrt(x=1), lambda: math.prod(5)):
    try:
        print(f())
    except (ValueError, TypeError, OverflowError, ZeroDivisionError) as e:
        print(type(e).__name__, e)
#---- hooks
import math
class X:
    def __floor__(self):
        return "floor"
    def __ceil__(self):
        return "ceil"
    def __trunc__(self):
        return "trunc"
    def __float__(self):
        return 2.25
    def __index__(self):
        return 12
x = X()
print(math.floor(x), math.ceil(x), math.trunc(x), math.sqrt(x), math.gcd(x, 8), math.factorial(x), math.pow(x, x), float(x), complex(x), hex(x))
#---- cmath
import cmath
print(cmath.sqrt(-4), cmath.sqrt(3 + 4j), cmath.exp(1j * cmath.pi), cmath.log(-1), cmath.log(1j, 2), cmath.log10(100j), cmath.phase(-1 + 0j), cmath.polar(3 + 4j), cmath.rect(2, cmath.pi / 2), cmath.isnan(complex("nan")), cmath.isinf(complex("inf")), cmath.isfinite(1j), cmath.isclose(1j, 1j + 1e-12))
print(cmath.sin(1 + 2j), cmath.cos(1 + 2j), cmath.tan(1 + 2j), cmath.asin(1 + 2j), cmath.acos(1 + 2j), cmath.atan(1 + 2j), cmath.sinh(1 + 2j), cmath.cosh(1 + 2j), cmath.tanh(1 + 2j), cmath.asinh(1 + 2j), cmath.acosh(1 + 2j), cmath.atanh(1 + 2j), cmath.infj, cmath.nanj, cmath.pi)
for f in (lambda: cmath.log(0), lambda: cmath.exp(1000), lambda: cmath.atanh(1), lambda: cmath.sqrt("x"), lambda: cmath.log10(0), lambda: cmath.sinh(1000), lambda: cmath.phase()):
    try:
        print(f())
    except (ValueError, TypeError, OverflowError) as e:
        print(type(e).__name__, e)
#---- hashlib
import hashlib
for n in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "blake2b", "blake2s"):
    h = hashlib.new(n, b"abc")
    h.update(b"x" * 300)
    c = h.copy()
    c.update(b"y" * 71)
    print(n, h.name, h.digest_size, h.block_size, h.hexdigest(), c.hexdigest()[:16], getattr(hashlib, n)(b"q" * 64).hexdigest()[-16:], len(h.digest()))
print(hashlib.shake_128(b"a").hexdigest(20), hashlib.shake_256(b"a" * 500).hexdigest(150), hashlib.sha256().hexdigest(), hashlib.md5(bytearray(b"z")).hexdigest(), hashlib.sha1(memoryview(b"z")).hexdigest())
print(hashlib.blake2b(b"m", digest_size=16, key=b"key", salt=b"s", person=b"p").hexdigest(), hashlib.blake2s(b"m", digest_size=8).hexdigest(), sorted(hashlib.algorithms_guaranteed) == ['blake2b', 'blake2s', 'md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha3_224', 'sha3_256', 'sha3_384', 'sha3_512', 'sha512', 'shake_128', 'shake_256'])
for f in (lambda: hashlib.md5("x"), lambda: hashlib.new("nope"), lambda: hashlib.sha256(5), lambda: hashlib.sha256().update("x")):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
#---- base64
import base64, binascii
s = b"Hello, World! \x00\xff\xfe"
print(base64.b64encode(s), base64.b64decode(base64.b64encode(s)) == s, base64.urlsafe_b64encode(b"\xfb\xff\xfe"), base64.urlsafe_b64decode("-__-"), base64.b32encode(s), base64.b32decode(base64.b32encode(s)) == s, base64.b16encode(s), base64.b16decode("48656C6C6F"), base64.b32hexencode(b"abc"))
print(base64.a85encode(s), base64.a85decode(base64.a85encode(s)) == s, base64.b85encode(s), base64.b85decode(base64.b85encode(s)) == s, base64.encodebytes(b"x" * 80), base64.decodebytes(b"aGk=\n"), base64.b64encode(b"\xfb\xff", b"-_"), base64.b64decode("YW Jj\n"), base64.a85encode(b"\0" * 8, adobe=True))
for n in range(9):
    d = bytes(range(n))
    print(base64.b64encode(d), base64.b32encode(d), base64.b85encode(d), base64.b64decode(base64.b64encode(d)) == base64.b32decode(base64.b32encode(d)) == base64.b85decode(base64.b85encode(d)) == d)
print(binascii.hexlify(s), binascii.unhexlify("00ff"), binascii.crc32(s), binascii.b2a_base64(s, newline=False))
for f in (lambda: base64.b64decode("YQ"), lambda: base64.b64decode("Y"), lambda: base64.b64decode("Y@Q=", validate=True), lambda: base64.b32decode("A"), lambda: base64.b16decode("0g"), lambda: binascii.unhexlify("0"), lambda: binascii.unhexlify("zz"), lambda: base64.b64encode("x"), lambda: base64.b85decode("~~~~~"), lambda: base64.b64decode("é")):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
#---- zlib
import zlib
d = b"hello hello hello " * 50
c = zlib.compress(d)
print(len(c), zlib.decompress(c) == d, zlib.crc32(d), zlib.adler32(d), zlib.crc32(b"b", zlib.crc32(b"a")) == zlib.crc32(b"ab"), zlib.compress(d, 0)[:7], zlib.compress(b""), len(zlib.compress(d, 9)), zlib.compress(d, wbits=-15)[:5])
o = zlib.compressobj(6, zlib.DEFLATED, 31)
z = o.compress(d) + o.flush()
i = zlib.decompressobj(31)
print(i.decompress(z, 20), len(i.unconsumed_tail) > 0, len(i.decompress(i.unconsumed_tail)) + 20 == len(d), i.eof, i.unused_data, i.flush())
i = zlib.decompressobj()
print(i.decompress(c[:10]), i.decompress(c[10:] + b"rest")[-6:], i.eof, i.unused_data, zlib.MAX_WBITS, zlib.Z_BEST_COMPRESSION)
for f in (lambda: zlib.decompress(b"garbage"), lambda: zlib.decompress(c[:-4]), lambda: zlib.compress("x"), lambda: zlib.compress(d, 20), lambda: zlib.decompress(c, bufsize=-1), lambda: zlib.decompressobj().decompress(b"xx"), lambda: zlib.decompressobj().decompress(b"", -1)):
    try:
        print(f())
    except (zlib.error, TypeError, ValueError) as e:
        print(type(e).__name__, e)
