#---- cmath
import cmath
print(cmath.sqrt(-4), cmath.sqrt(3 + 4j), cmath.exp(1j * cmath.pi), cmath.log(-1), cmath.log(1j, 2), cmath.log10(100j), cmath.phase(-1 + 0j), cmath.polar(3 + 4j), cmath.rect(2, cmath.pi / 2), cmath.isnan(complex("nan")), cmath.isinf(complex("inf")), cmath.isfinite(1j), cmath.isclose(1j, 1j + 1e-12))
print(cmath.sin(1 + 2j), cmath.cos(1 + 2j), cmath.tan(1 + 2j), cmath.asin(1 + 2j), cmath.acos(1 + 2j), cmath.atan(1 + 2j), cmath.sinh(1 + 2j), cmath.cosh(1 + 2j), cmath.tanh(1 + 2j), cmath.asinh(1 + 2j), cmath.acosh(1 + 2j), cmath.atanh(1 + 2j), cmath.infj, cmath.nanj, cmath.pi)
for f in (lambda: cmath.log(0), lambda: cmath.exp(1000), lambda: cmath.atanh(1), lambda: cmath.sqrt("x"), lambda: cmath.log10(0), lambda: cmath.sinh(1000), lambda: cmath.phase()):
    try:
        print(f())
    except (ValueError, TypeError, OverflowError) as e:
        print(type(e).__name__, e)
