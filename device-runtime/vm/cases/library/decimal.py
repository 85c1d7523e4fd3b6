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
#---- one call after another
import decimal
from decimal import *
D=Decimal
def ctx(f,**k):
    with localcontext() as c:
        for n,v in k.items(): setattr(c,n,v)
        return f(c)
def tr(f,*sig):
    with localcontext() as c:
        for s in sig: c.traps[s]=True
        return f()
def setctx(n,v):
    c=Context(); setattr(c,n,v); return c
def flags():
    with localcontext() as c:
        c.clear_flags(); D(1)/3; return [f.__name__ for f,v in c.flags.items() if v], c.flags[Inexact]
c=Context(prec=4)
class SD(Decimal): pass
def setD(): D(1).foo=5

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
each(D, ['1.10'], [5], [1.1], ['1e5'], ['-0'], ['NaN'], ['sNaN123'], ['Infinity'], ['-inf'],
     [(1,(1,2),-1)], [(0,(),'F')], [(0,(1,),'n')], [], [True], [' 1.5 '], ['1_000'], ['١'],
     ['1E+3'], ['.5'], ['5.'], ['1e-7'], ['0.0000001'], ['0.000001'], ['1E-10'], ['123456789.123'],
     ['0E5'], ['0.00'], ['-1.23E+5'])
t(lambda: str(D('1E+3')))
t(lambda: str(D('0.0000001')))
t(lambda: repr(D('1.0')))
t(lambda: D('1.10')+D('2.2'))
t(lambda: D(1)/D(3))
t(lambda: D(2)**D('0.5'))
t(lambda: D(10)**-2)
t(lambda: D(7)//2)
t(lambda: D(-7)//2)
t(lambda: D(7)%3)
t(lambda: D(-7)%3)
t(lambda: divmod(D(-7),2))
t(lambda: -D('1.5'))
t(lambda: +D('1.2345'))
t(lambda: abs(D(-1)))
t(lambda: D(1)+1)
t(lambda: 1-D(1))
t(lambda: 2*D('1.5'))
t(lambda: D('1.10')==D('1.1'))
t(lambda: D(1)==1)
t(lambda: D('0.5')==0.5)
t(lambda: D('0.1')==0.1)
t(lambda: D(1)<2)
t(lambda: D('nan')==D('nan'))
t(lambda: D(1)<1.5)
t(lambda: hash(D('1.5'))==hash(1.5))
t(lambda: hash(D(3)))
t(lambda: int(D('-1.9')))
t(lambda: float(D('1.1')))
t(lambda: round(D('2.5')))
t(lambda: round(D('3.5')))
t(lambda: round(D('1.255'),2))
t(lambda: round(D('155'),-1))
t(lambda: complex(D(1)))
t(lambda: bool(D(0)))
t(lambda: D('1.5').as_integer_ratio())
t(lambda: D('1.5').as_tuple())
t(lambda: D('1.5').adjusted())
t(lambda: D(2)**100)
t(lambda: D(2)**1000)
t(lambda: D('1.1')**10)
t(lambda: D(-8)**3)
t(lambda: D(0)**5)
t(lambda: pow(D(3),4,5))
t(lambda: 2**D(3))
t(lambda: max(D(1),D(2)))
t(lambda: sum([D('0.1')]*10))
t(lambda: sorted([D(2),D(1)]))
t(lambda: D('1e400')*D('1e400'))
t(lambda: D('5').real)
t(lambda: D(5).imag)
t(lambda: D(5).conjugate())
t(lambda: D('-0')==0)
t(lambda: D('-0'))
t(lambda: -D(0))
t(lambda: +D('-0'))
t(lambda: abs(D('-0')))
t(lambda: D('1.0')*D('1.00'))
t(lambda: D('1.00')-D('1'))
t(lambda: D('3')-D('3.00'))
t(lambda: D('1.2345').quantize(D('0.01')))
t(lambda: D('1.235').quantize(D('0.01'),ROUND_HALF_UP))
t(lambda: D('1.5').to_integral_value())
t(lambda: D('2.5').to_integral_exact())
t(lambda: D('1E3').normalize())
t(lambda: D('1200').normalize())
t(lambda: D('0.00').normalize())
t(lambda: D(2).sqrt())
t(lambda: D(4).sqrt())
t(lambda: D(1).exp())
t(lambda: D(10).ln())
t(lambda: D(1000).log10())
t(lambda: D(5).log10())
t(lambda: D('123.45').logb())
t(lambda: D('1.5').scaleb(3))
t(lambda: D(1).next_plus())
t(lambda: D(1).next_minus())
t(lambda: D(1).next_toward(2))
t(lambda: D(7).remainder_near(4))
t(lambda: D(1).compare(2))
t(lambda: D('nan').compare(1))
t(lambda: D(1).compare_total(D('1.0')))
t(lambda: D(-5).copy_abs())
t(lambda: D(5).copy_negate())
t(lambda: D(5).copy_sign(D(-1)))
t(lambda: D(5).is_finite())
t(lambda: D('inf').is_infinite())
t(lambda: D('nan').is_nan())
t(lambda: D('snan').is_snan())
t(lambda: D('-1').is_signed())
t(lambda: D(0).is_zero())
t(lambda: D('1e-400').is_subnormal())
t(lambda: D(1).is_normal())
t(lambda: D(5).number_class())
t(lambda: D('-0').number_class())
t(lambda: D(1).max(2))
t(lambda: D(1).min(D('nan')))
t(lambda: D(-5).max_mag(3))
t(lambda: D(1).same_quantum(D('1.0')))
t(lambda: D('1.5').fma(2,3))
t(lambda: D('123E5').to_eng_string())
t(lambda: D('12345E-10').to_eng_string())
t(lambda: D('1').radix())
t(lambda: D(5).canonical())
t(lambda: D('1101').logical_and(D('1011')))
t(lambda: D('1101').logical_or(D('1011')))
t(lambda: D('1101').logical_xor(D('1011')))
t(lambda: ctx(lambda c:D('1101').logical_invert(),prec=6))
t(lambda: D(12345).rotate(2))
t(lambda: D(12345).shift(2))
t(lambda: D(12345).shift(-2))
t(lambda: D(1).is_canonical())
t(lambda: D('nan123').is_qnan())
t(lambda: format(D('1234567.891'),','))
t(lambda: format(D('1.5'),'.3f'))
t(lambda: format(D('1.5'),'e'))
t(lambda: format(D('1.5'),'10'))
t(lambda: format(D('1.5'),'<10'))
t(lambda: format(D('1.5'),'010.2f'))
t(lambda: format(D('0.5'),'%'))
t(lambda: format(D('1.255'),'.2f'))
t(lambda: format(D('1E10'),'f'))
t(lambda: format(D('1e-10'),'g'))
t(lambda: format(D('123456'),'.3g'))
t(lambda: format(D('nan'),'f'))
t(lambda: format(D('inf'),'>8'))
t(lambda: format(D('-1.5'),'+'))
t(lambda: format(D('1.5'),' '))
t(lambda: format(D(5),'n'))
t(lambda: format(D('1.5'),'x>+10.1f'))
t(lambda: '%s'%D('1.5'))
t(lambda: '%.2f'%D('1.555'))
t(lambda: f'{D("12345.678"):,.2f}')
t(lambda: f'{D(0):.2e}')
t(lambda: format(D('1234'),'_') if 0 else 0)
t(lambda: format(D('0.00'),'g'))
t(lambda: format(D('1.20'),''))
t(lambda: format(D(-0.0),'z.1f') if 0 else 0)
t(lambda: format(D(1),'x'))
t(lambda: format(D(1),'d'))
each(D, ['a'], [''], ['1 2'], [None], [[1]], [(1,2)], [(2,(1,),0)], [(0,(10,),0)], [(0,(1,),'x')])
t(lambda: D(1)/0)
t(lambda: D(0)/0)
t(lambda: D(1)//0)
t(lambda: D(1)%0)
t(lambda: D(0)**0)
t(lambda: D(0)**-1)
t(lambda: D(-1)**D('0.5'))
t(lambda: D(-1).sqrt())
t(lambda: D(-1).ln())
t(lambda: D(0).ln())
t(lambda: D('snan')+1)
t(lambda: D('nan')<1)
t(lambda: D('snan')==1)
t(lambda: D('inf')-D('inf'))
t(lambda: D('inf')*0)
t(lambda: int(D('nan')))
t(lambda: int(D('inf')))
t(lambda: float(D('snan')))
t(lambda: round(D('inf')))
t(lambda: hash(D('snan')))
t(lambda: D(1)+1.5)
t(lambda: D(1)+'a')
t(lambda: D(1)<'a')
t(lambda: D('1e999999')*D('1e999999'))
t(lambda: D('1e-999999')*D('1e-999999'))
t(lambda: D('1.5').quantize(D('1e100')))
t(lambda: D('1.5').quantize(D('inf')))
t(lambda: D(5).foo)
t(lambda: D('nan').as_integer_ratio())
t(lambda: D('inf').as_integer_ratio())
t(lambda: D('12').logical_and(1))
each(tr, [lambda:D('1.1')+1, Inexact], [lambda:D('1.23456789012345678901234567890')+0, Inexact],
     [lambda:D('1.1'), FloatOperation], [lambda:D(1.1), FloatOperation],
     [lambda:D(1)<1.1, FloatOperation])
t(lambda: ctx(lambda c:D(1)/3,prec=5))
t(lambda: ctx(lambda c:D('1.5').quantize(D(1)),rounding=ROUND_UP))
t(lambda: ctx(lambda c:str(D('1e5')),capitals=0))
t(lambda: ctx(lambda c:D('9.99e9')*1000,Emax=10,prec=3) if 0 else 0)
t(lambda: getcontext())
t(lambda: Context())
t(lambda: Context(prec=5))
t(lambda: Context(prec=3,rounding=ROUND_UP,traps=[Inexact]))
t(lambda: BasicContext)
t(lambda: ExtendedContext)
t(lambda: DefaultContext)
t(lambda: Context(prec=0))
t(lambda: Context(prec='a'))
t(lambda: Context(rounding='x'))
t(lambda: Context(Emin=1))
t(lambda: Context(capitals=2))
t(lambda: Context(clamp=5))
t(lambda: Context(traps=[5]))
each(setctx, ['prec', -1], ['prec', 1.5], ['foo', 1], ['rounding', 5])
t(lambda: flags())
t(lambda: c.add(1,2))
t(lambda: c.divide(1,3))
t(lambda: c.sqrt(2))
t(lambda: c.power(2,10))
t(lambda: c.power(2,10,7))
t(lambda: c.create_decimal('1.23456'))
t(lambda: c.create_decimal_from_float(1.1))
t(lambda: c.plus(D('1.23456')))
t(lambda: c.minus(1))
t(lambda: c.abs(-1))
t(lambda: c.compare(1,2))
t(lambda: c.quantize(D('1.2345'),D('.01')))
t(lambda: c.to_sci_string(D('1e5')))
t(lambda: c.to_eng_string(D('1e5')))
t(lambda: c.Etiny())
t(lambda: c.Etop())
t(lambda: c.copy().prec)
t(lambda: c.multiply(2,3))
t(lambda: c.exp(1))
t(lambda: c.ln(2))
t(lambda: c.log10(2))
t(lambda: c.fma(1,2,3))
t(lambda: c.max(1,2))
t(lambda: c.normalize(D('1.00')))
t(lambda: c.remainder(7,4))
t(lambda: c.divmod(7,2))
t(lambda: c.divide_int(7,2))
t(lambda: c.subtract(1,2))
t(lambda: c.next_plus(1))
t(lambda: c.to_integral_value(D('1.5')))
t(lambda: c.number_class(1))
t(lambda: c.is_nan(D('nan')))
t(lambda: c.scaleb(1,2))
t(lambda: c.radix())
t(lambda: c.canonical(D(1)))
t(lambda: c.logical_and(1,1))
t(lambda: c.copy_decimal(5))
t(lambda: c.rotate(123,1))
t(lambda: c.next_toward(1,2))
t(lambda: c.prec)
t(lambda: c.rounding)
t(lambda: c.Emax)
t(lambda: c.Emin)
t(lambda: c.capitals)
t(lambda: c.clamp)
t(lambda: c.add(1.5,2))
t(lambda: c.add('a',2))
t(lambda: c.create_decimal('x'))
t(lambda: decimal.__all__ if hasattr(decimal,'__all__') else 0)
t(lambda: MAX_PREC)
t(lambda: MAX_EMAX)
t(lambda: MIN_EMIN)
t(lambda: MIN_ETINY)
t(lambda: HAVE_THREADS)
t(lambda: DecimalException.__mro__)
t(lambda: InvalidOperation.__mro__)
t(lambda: DivisionByZero.__mro__)
t(lambda: FloatOperation.__mro__)
t(lambda: decimal.__version__)
t(lambda: DecimalTuple(0,(1,),2))
t(lambda: D.__module__)
t(lambda: D.__mro__)
t(lambda: decimal.__libmpdec_version__)
t(lambda: D.from_float(1.1))
t(lambda: D.from_float(5))
t(lambda: D.from_float(float('nan')))
t(lambda: D.from_float('a'))
t(lambda: SD(1))
t(lambda: SD(1)+1)
t(lambda: type(SD(1)+1).__name__)
t(lambda: SD('1.5').__class__.__name__)
t(lambda: repr(SD(1)))
t(lambda: type(SD.from_float(1.5)).__name__)
t(lambda: type(abs(SD(-1))).__name__)
t(lambda: setD())
