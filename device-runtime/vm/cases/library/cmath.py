#---- cmath
import cmath
print(cmath.sqrt(-4), cmath.sqrt(3 + 4j), cmath.exp(1j * cmath.pi), cmath.log(-1), cmath.log(1j, 2), cmath.log10(100j), cmath.phase(-1 + 0j), cmath.polar(3 + 4j), cmath.rect(2, cmath.pi / 2), cmath.isnan(complex("nan")), cmath.isinf(complex("inf")), cmath.isfinite(1j), cmath.isclose(1j, 1j + 1e-12))
print(cmath.sin(1 + 2j), cmath.cos(1 + 2j), cmath.tan(1 + 2j), cmath.asin(1 + 2j), cmath.acos(1 + 2j), cmath.atan(1 + 2j), cmath.sinh(1 + 2j), cmath.cosh(1 + 2j), cmath.tanh(1 + 2j), cmath.asinh(1 + 2j), cmath.acosh(1 + 2j), cmath.atanh(1 + 2j), cmath.infj, cmath.nanj, cmath.pi)
for f in (lambda: cmath.log(0), lambda: cmath.exp(1000), lambda: cmath.atanh(1), lambda: cmath.sqrt("x"), lambda: cmath.log10(0), lambda: cmath.sinh(1000), lambda: cmath.phase()):
    try:
        print(f())
    except (ValueError, TypeError, OverflowError) as e:
        print(type(e).__name__, e)
#---- one call after another
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
nan=float('nan'); inf=float('inf')
import cmath

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
t(lambda: cmath.sqrt(-1))
t(lambda: cmath.sqrt(complex(-0.0,-0.0)))
t(lambda: cmath.sqrt(complex(-4,-0.0)))
each(cmath.log, [0], [-1], [1j, 10])
t(lambda: cmath.log(1j,base=10))
t(lambda: cmath.log(1,0))
t(lambda: cmath.log10(0))
t(lambda: cmath.log10(-100))
t(lambda: cmath.exp(1j*cmath.pi))
t(lambda: cmath.exp(1000))
t(lambda: cmath.exp(complex(inf,1)))
t(lambda: cmath.exp(complex(inf,inf)))
t(lambda: cmath.exp(complex(-inf,inf)))
t(lambda: cmath.exp(complex(710,1.5)))
t(lambda: cmath.cosh(1000))
t(lambda: cmath.sinh(1000j))
t(lambda: cmath.tanh(1000))
t(lambda: cmath.tanh(complex(0,inf)))
t(lambda: cmath.tan(1j))
t(lambda: cmath.atan(1j))
t(lambda: cmath.atan(-1j))
t(lambda: cmath.atanh(1))
t(lambda: cmath.atanh(-1))
t(lambda: cmath.atanh(complex(2,0.0)))
t(lambda: cmath.atanh(complex(2,-0.0)))
t(lambda: cmath.asin(2))
t(lambda: cmath.acos(2))
t(lambda: cmath.acos(complex(2,-0.0)))
t(lambda: cmath.asinh(2j))
t(lambda: cmath.acosh(-1))
t(lambda: cmath.acosh(0.5))
t(lambda: cmath.sin(inf))
t(lambda: cmath.cos(complex(0,inf)))
t(lambda: cmath.sin(complex(nan,inf)))
t(lambda: cmath.phase(-1))
t(lambda: cmath.phase(complex(-1,-0.0)))
t(lambda: cmath.phase(0))
t(lambda: cmath.phase(complex(nan,0)))
t(lambda: cmath.polar(3+4j))
t(lambda: cmath.polar(complex(inf,nan)))
t(lambda: cmath.polar(complex(nan,1)))
t(lambda: cmath.polar(complex(1e308,1e308)))
t(lambda: cmath.rect(1,cmath.pi/2))
each(cmath.rect, [0, inf], [1, inf], [inf, 0], [inf, 1])
t(lambda: cmath.rect(-inf,2))
t(lambda: cmath.rect(nan,0))
t(lambda: cmath.isclose(1+1j,1+1.0000000001j))
t(lambda: cmath.isclose(1,2,rel_tol=-1))
t(lambda: cmath.isclose(complex(inf,1),complex(inf,1)))
t(lambda: cmath.isclose(complex(inf,1),complex(inf,2)))
t(lambda: cmath.isnan(complex(nan,1)))
t(lambda: cmath.isinf(complex(nan,inf)))
t(lambda: cmath.isfinite(complex(1,nan)))
t(lambda: cmath.infj)
t(lambda: cmath.nanj)
t(lambda: cmath.inf)
t(lambda: cmath.nan)
t(lambda: cmath.tau)
t(lambda: cmath.sqrt('a'))
t(lambda: cmath.sqrt(D(4)))
t(lambda: cmath.sqrt(F(1,4)))
t(lambda: cmath.sqrt())
t(lambda: cmath.sqrt(z=1))
t(lambda: cmath.polar(1,2))
t(lambda: cmath.rect(1))
t(lambda: cmath.rect('a',1))
t(lambda: cmath.exp(10**400))
t(lambda: cmath.log(10**400))
t(lambda: cmath.sqrt(Flt(4.0)))
t(lambda: cmath.sqrt(Idx(4)))
t(lambda: cmath.sqrt(BadF()))
t(lambda: cmath.sqrt(1e308+1e308j))
t(lambda: cmath.sqrt(5e-324))
t(lambda: cmath.sqrt(complex(inf,nan)))
t(lambda: cmath.sqrt(complex(nan,inf)))
t(lambda: cmath.sqrt(complex(-inf,nan)))
