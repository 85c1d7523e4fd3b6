#---- arithmetic
import random
from decimal import *
rnd = random.Random(5)
def number():
    digits = ''.join(rnd.choice('0123456789') for _ in range(rnd.randint(1, rnd.choice([2, 6, 14, 33]))))
    return rnd.choice(['', '-']) + digits + rnd.choice(['', 'E%d' % rnd.randint(-9, 9), 'E%d' % rnd.randint(-40, 40)])
for i in range(30):
    a, b = Decimal(number()), Decimal(number())
    getcontext().prec = rnd.choice([1, 3, 9, 16, 28, 28])
    getcontext().rounding = rnd.choice([ROUND_DOWN, ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_HALF_DOWN, ROUND_05UP])
    row = []
    for f in (lambda: a + b, lambda: a - b, lambda: a * b, lambda: a / b, lambda: a // b, lambda: a % b, lambda: a.quantize(b), lambda: a.compare(b),
              lambda: a.max(b), lambda: abs(a).sqrt(), lambda: a.normalize(), lambda: +a, lambda: a < b, lambda: a.remainder_near(b), lambda: round(a, 2), lambda: hash(a) == hash(Decimal(str(a)))):
        try: row.append(str(f()))
        except ArithmeticError as e: row.append(type(e).__name__)
    print(a, b, *row)
#---- functions
from decimal import *
for prec in (5, 28):
    with localcontext() as c:
        c.prec = prec
        for text in '0.5 1 3.7 10 1e-7 123456.789'.split():
            d = Decimal(text)
            print(text, d.exp() if d < 1000 else '', d.ln(), d.log10(), d.sqrt(), d ** 3, d ** -2, d ** Decimal('0.5'), d ** Decimal('1.7') if d < 1000 else '')
#---- text
from decimal import Decimal as D
for v in ('0', '1', '-1.50', '1234567.891', '0.000012', '1E+5', '-0.00', 'Infinity', '-NaN', '9.995'):
    for spec in ('', '.2f', '.3e', 'g', '.4g', '12', '<12', '^12.1f', '012.2f', ',', ',.1f', '%', '.1%', '+', ' ', 'E', '.0f', '*>14'):
        print(repr(format(D(v), spec)), end=' ')
    print(repr(D(v)), D(v).as_tuple(), D(v).to_eng_string())
#---- contexts and signals
from decimal import *
print(getcontext())
for f in (lambda: Decimal('x'), lambda: Decimal(1) / 0, lambda: Decimal(0) / 0, lambda: Decimal(-1).sqrt(), lambda: Decimal('1e999999') * 10, lambda: int(Decimal('nan')), lambda: Decimal('sNaN') + 1, lambda: Decimal([1]), lambda: Decimal('1').quantize(Decimal('1e-50'))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
with localcontext(Context(prec=4, traps=[])) as c:
    print(Decimal(1) / 3, Decimal(1) / 0, Decimal(0) / 0, [s.__name__ for s, on in c.flags.items() if on])
print(Decimal('1.1') == 1.1, Decimal('0.5') == 0.5, Decimal(2) < 2.5, hash(Decimal('0.5')) == hash(0.5), Decimal(3) in {3: 1}, sum([Decimal('0.1')] * 10), Decimal(7) % -3, divmod(Decimal(-7), 2))
#---- fractions
from fractions import Fraction as F
from decimal import Decimal
import math
a, b = F(3, 4), F('-5/6')
print(a + b, a - b, a * b, a / b, a // b, a % b, divmod(a, b), a ** 2, a ** -2, b ** 3, a ** 0.5, -a, +b, abs(b), a < b, a == F('0.75'), hash(F(2)) == hash(2))
print(F(1.25), F('1e-3'), F('3.14'), F(Decimal('0.1')), F(10, -4), F(0.1).limit_denominator(100), F(22, 7).limit_denominator(3), float(F(1, 3)), int(F(-7, 2)), round(F(7, 2)), round(F(5, 2)), round(F(1234, 100), 1), math.floor(F(-1, 2)), math.ceil(F(1, 2)), math.trunc(F(-5, 2)))
print(repr(F(1, 3)), str(F(4, 2)), F(1, 2) + 1, 1 - F(1, 2), 0.5 + F(1, 2), 2 ** F(1, 2), F(1, 2) == 0.5, F(1, 3) < 0.34, sum([F(1, 6)] * 6), max(F(1, 2), F(2, 3)), bool(F(0)), F(3).as_integer_ratio(), F(1, 2) * 1j)
for f in (lambda: F(1, 0), lambda: F('x'), lambda: F(1.5, 2), lambda: F([]), lambda: F(1, 2) + 'a', lambda: F(1, 2) / 0, lambda: F(0) ** -1, lambda: F(float('nan'))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
#---- results that are rounded, and what the context notes of them
from decimal import *
import random
random.seed(5)


def number():
    n = random.choice([random.randrange(10), random.randrange(1000), random.randrange(10 ** 9),
                       random.randrange(10 ** 18), 10 ** random.randrange(18), 5 * 10 ** random.randrange(12)])
    return Decimal((random.randrange(2), tuple(map(int, str(n))), random.randrange(-12, 8)))


def show(c, f):
    c.clear_flags()
    try:
        print(f(), *[s.__name__ for s in c.flags if c.flags[s]])
    except DecimalException as e:
        print(type(e).__name__, *[s.__name__ for s in c.flags if c.flags[s]])


for prec in 28, 9, 3, 1, 17, 50:
    for rounding in ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_CEILING:
        with localcontext() as c:
            c.prec, c.rounding = prec, rounding
            for i in range(6):
                a, b, unit = number(), number(), Decimal(1).scaleb(random.randrange(-6, 4))
                for f in (lambda: a / b, lambda: a * b, lambda: a + b, lambda: 7 / (a + 1), lambda: a.quantize(unit),
                          lambda: a.quantize(unit, ROUND_HALF_UP), lambda: a.quantize(unit, rounding=ROUND_DOWN)):
                    show(c, f)
with localcontext() as c:
    c.traps[Inexact] = True
    show(c, lambda: Decimal(1) / 3)
    show(c, lambda: Decimal(1) / 4)
    show(c, lambda: Decimal('1.25').quantize(Decimal('0.1')))
    c.traps[Inexact], c.traps[Rounded] = False, True
    show(c, lambda: Decimal('1.20').quantize(Decimal('0.1')))
    c.prec = 3
    show(c, lambda: Decimal('1.20') * Decimal('1.00'))
with localcontext(Context(prec=5, Emax=10, Emin=-10)) as c:
    show(c, lambda: Decimal(1) / 3)
    show(c, lambda: Decimal('1e9') * Decimal('1e9'))
    show(c, lambda: Decimal('1e-9') / Decimal('7e9'))
for f in lambda: Decimal(5).quantize('x'), lambda: Decimal(5).quantize(), lambda: Decimal(1) / 1.5:
    try:
        f()
    except TypeError as e:
        print(e)
#---- exponents without end
from decimal import *
for text in ('1e99999999999999999999', '1e-99999999999999999999', '0e99999999999999999999', '1e999999999999999999', '12e999999999999999998',
             '1e-1999999999999999997', '1e-1999999999999999998', '0e999999999999999999'):
    try:
        print(Decimal(text))
    except DecimalException as e:
        print(text, type(e).__name__)
with localcontext() as c:
    c.traps[InvalidOperation] = c.traps[Overflow] = False
    print(Decimal('1e99999999999999999999'), Context(prec=3, traps=[]).create_decimal('1e99999999999999999999'))
