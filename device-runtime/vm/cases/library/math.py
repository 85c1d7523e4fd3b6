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
#---- one call after another
import math
from decimal import Decimal as D
from fractions import Fraction as F
class Idx:
    def __init__(s,v): s.v=v
    def __index__(s): return s.v
class Flt:
    def __init__(s,v): s.v=v
    def __float__(s): return s.v
class BadF:
    def __float__(s): return 'x'
class Tr:
    def __trunc__(s): return 7
    def __ceil__(s): return 8
    def __floor__(s): return 9
class Both:
    def __float__(s): return 1.5
    def __index__(s): return 3
nan=float('nan'); inf=float('inf')

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))


t(lambda: math.acos(2))
t(lambda: math.acosh(0.5))
t(lambda: math.asin(-1.1))
t(lambda: math.atanh(1))
t(lambda: math.atanh(-1))
each(math.sqrt, [-1], [-0.0], [10**400])
each(math.log, [0], [-1], [10**400], [10**400, 10], [10, 1], [10, 0], [10, -1], [0.0])
t(lambda: math.log2(0))
t(lambda: math.log2(2**2000))
each(math.log10, [10**500], [-1], [0])
t(lambda: math.log1p(-1))
t(lambda: math.log1p(-2))
t(lambda: math.log(8,2))
t(lambda: math.log(Idx(8),2))
each(math.log, ["a"], [], [1, 2, 3])
t(lambda: math.exp(1000))
t(lambda: math.exp2(2000))
t(lambda: math.exp2(0.5))
t(lambda: math.expm1(1000))
t(lambda: math.cosh(1000))
t(lambda: math.sinh(-1000))
t(lambda: math.pow(0,-1))
t(lambda: math.pow(-8, 1/3))
each(math.pow, [-2, 0.5], [10, 400], [nan, 0], [1, nan], [inf, -1])
t(lambda: math.pow(-inf,3))
t(lambda: math.pow(-inf,-3))
t(lambda: math.pow(2))
t(lambda: math.pow(2,3,4))
each(math.fmod, [1, 0], [inf, 1], [-7, 3], [1, inf])
each(math.remainder, [7, 4], [-7.5, 2], [1, 0], [inf, 1], [1, inf])
t(lambda: math.modf(3.7))
t(lambda: math.modf(-inf))
t(lambda: math.modf(nan))
each(math.frexp, [0.0], [-3.5], [inf], [5e-324])
each(math.ldexp, [1, 5000], [0.5, -5000], [1, 10**30])
t(lambda: math.ldexp(1, -10**30))
each(math.ldexp, [inf, 10**30], [1, 1.0], [1, 'a'], [1])
each(math.ceil, [2.1], [-0.5], [1e300], [inf], [nan])
t(lambda: math.floor(nan))
t(lambda: math.floor(-inf))
t(lambda: math.floor(Tr()))
t(lambda: math.ceil(Tr()))
t(lambda: math.trunc(Tr()))
each(math.trunc, [1], ["a"], [1.9e20], [inf], [nan])
t(lambda: math.floor("a"))
t(lambda: math.ceil(None))
t(lambda: math.ceil(Flt(2.5)))
t(lambda: math.floor(Idx(2)))
t(lambda: math.floor(F(-7,2)))
t(lambda: math.ceil(D('1.1')))
t(lambda: math.trunc(F(-7,2)))
t(lambda: math.floor(True))
each(math.factorial, [20], [30], [-1])
t(lambda: math.factorial(-10**20))
each(math.factorial, [10**20], [5.0], [5.5], ['a'])
t(lambda: math.factorial(Idx(5)))
t(lambda: math.factorial(True))
t(lambda: math.factorial(D(5)))
each(math.gcd, [], [12], [-12], [12, 18, 27], [0, 0], [1.0, 2], [2**200, 6**100])
t(lambda: math.gcd(Idx(12), 8))
t(lambda: math.gcd("a"))
each(math.lcm, [], [0, 5], [-4, 6], [3, 5, 7, 9], [2**100, 3**50], [1.5])
each(math.isqrt, [0], [99], [10**40], [-1], [2.0])
t(lambda: math.isqrt(Idx(17)))
each(math.comb, [5, 2], [2, 5], [-1, 2], [5, -2], [100, 50], [10**20, 2])
t(lambda: math.comb(10**20, 10**20-1))
each(math.comb, [10**20, 10**19], [5, 2.0], [5], [5.0, 2])
each(math.perm, [5], [5, 2], [5, None], [5, 7], [-5], [5, -1], [10**20, 2], [5.0], [5, 2.0])
t(lambda: math.prod([1,2,3]))
t(lambda: math.prod([1.5,2]))
t(lambda: math.prod([],start=5))
each(math.prod, [[2,'a']], [['a',2]], [[1], 2], [5])
t(lambda: math.prod([2,3],start=[1]))
t(lambda: math.prod([F(1,2),2]))
t(lambda: math.prod([2**62,2**62]))
t(lambda: math.prod([D('1.5'),2]))
t(lambda: math.prod([True,True]))
t(lambda: math.prod(iter([1,2,3]),start=0.5))
t(lambda: math.fsum([.1]*10))
t(lambda: math.fsum([1e308,1e308,-1e308]))
t(lambda: math.fsum([inf,-inf]))
each(math.fsum, [[inf,inf]], [[nan,1]], [['a']], [5], [[]], [[1e100,1,-1e100]], [[10**400]])
t(lambda: math.fsum([F(1,2),True]))
each(math.dist, [[1,2], [4,6]], [[1,2], [4]], [(1,), (2,)], [[], []], [[inf], [nan]], [1, 2])
t(lambda: math.dist(iter([1,2]),[3,4]))
t(lambda: math.dist(['a'],[1]))
t(lambda: math.dist([1e200]*3,[-1e200]*3))
each(math.hypot, [], [3], [-3], [3, 4], [1, 2, 3], [inf, nan], [nan], [1e200, 1e200],
     [5e-324, 5e-324], ['a'])
t(lambda: math.hypot(x=1))
t(lambda: math.isclose(1,1+1e-10))
t(lambda: math.isclose(1,1.1,rel_tol=.2))
t(lambda: math.isclose(0,1e-10))
t(lambda: math.isclose(0,1e-10,abs_tol=1e-9))
t(lambda: math.isclose(inf,inf))
t(lambda: math.isclose(inf,-inf))
t(lambda: math.isclose(inf,1e308))
t(lambda: math.isclose(nan,nan))
t(lambda: math.isclose(1,2,rel_tol=-1))
t(lambda: math.isclose(1,2,abs_tol=-1))
t(lambda: math.isclose(1,2,0.1))
t(lambda: math.isclose(1))
t(lambda: math.isclose(a=1,b=1))
t(lambda: math.isclose(1,1,foo=1))
each(math.copysign, [1, -0.0], [nan, -1], [3, -2])
each(math.nextafter, [1, 2], [0, 1], [inf, 0], [1, 1], [1, nan], [0.0, -0.0])
each(math.ulp, [1], [0], [inf], [-1e300], [nan], [1.7976931348623157e308])
each(math.cbrt, [27], [-8], [0.1], [-0.0])
t(lambda: math.degrees(math.pi))
t(lambda: math.radians(180))
t(lambda: math.degrees(inf))
t(lambda: math.erf(0.5))
t(lambda: math.erfc(0.5))
t(lambda: math.erf(10))
t(lambda: math.erfc(30))
t(lambda: math.erf(nan))
each(math.gamma, [5], [0.5], [0], [-1], [-0.0], [171.5], [172], [inf])
t(lambda: math.gamma(-inf))
t(lambda: math.gamma(nan))
t(lambda: math.gamma(-1.5))
each(math.lgamma, [0], [-3], [100], [1], [2])
t(lambda: math.lgamma(-inf))
t(lambda: math.lgamma(1e308))
t(lambda: math.sin(inf))
t(lambda: math.cos(inf))
t(lambda: math.tan(inf))
t(lambda: math.sin(1e22))
t(lambda: math.atan2(0,-1))
t(lambda: math.atan2(-0.0,-1))
t(lambda: math.atan2(inf,-inf))
t(lambda: math.atan2(1))
t(lambda: math.isnan("a"))
t(lambda: math.isinf(10**400))
t(lambda: math.isfinite(10**300))
t(lambda: math.isfinite(D('inf')))
t(lambda: math.isnan(F(1,2)))
t(lambda: math.sin(BadF()))
t(lambda: math.sin(Both()))
t(lambda: math.sin(Idx(1)))
each(math.sin, [1j], ["1"], [None], [], [1, 2])
t(lambda: math.sin(x=1))
t(lambda: math.fabs(-3))
t(lambda: math.fabs(-10**400))
t(lambda: math.fabs('a'))
t(lambda: math.tau)
t(lambda: math.e)
t(lambda: math.pi)
t(lambda: math.inf)
t(lambda: math.nan)
t(lambda: math.floor(2**70))
t(lambda: math.ceil(2**70))
t(lambda: math.fsum(x for x in range(5)))
t(lambda: math.sumprod)
t(lambda: math.__name__)
t(lambda: math.sin)
t(lambda: math.sin.__name__)
t(lambda: math.sin.__module__)
t(lambda: math.sin.__qualname__)
t(lambda: type(math.sin))
#---- one call after another 2
import math
from decimal import *
from fractions import Fraction as F
D=Decimal

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: math.floor(F(-7,2)))
t(lambda: math.ceil(F(7,2)))
t(lambda: math.trunc(F(-7,2)))
t(lambda: math.floor(D('-1.5')))
t(lambda: math.ceil(D('1.5')))
t(lambda: math.trunc(D('-1.5')))
