"""Rational numbers of any size."""
import math
import numbers
import operator
import re
import sys

__all__ = ['Fraction']
_FORM = re.compile(r'''
    \s*(?P<sign>[-+]?)(?=\d|\.\d)(?P<num>\d*|\d+(_\d+)*)
    (?:(?:\s*/\s*(?P<denom>\d+(_\d+)*))?|
       (?:\.(?P<decimal>\d*|\d+(_\d+)*))?(?:E(?P<exp>[-+]?\d+(_\d+)*))?)\s*\Z
''', re.VERBOSE | re.IGNORECASE)
_MODULUS = sys.hash_info.modulus


def _operators(plain, fallback):
    def forward(a, b):
        if isinstance(b, (int, Fraction)):
            return plain(a, b)
        if isinstance(b, float):
            return fallback(float(a), b)
        return fallback(complex(a), b) if isinstance(b, complex) else NotImplemented

    def reverse(b, a):
        if isinstance(a, numbers.Rational):
            return plain(a, b)
        if isinstance(a, numbers.Real):
            return fallback(float(a), float(b))
        return fallback(complex(a), complex(b)) if isinstance(a, numbers.Complex) else NotImplemented
    forward.__name__ = f'__{fallback.__name__}__'
    reverse.__name__ = f'__r{fallback.__name__}__'
    return forward, reverse


def _made(numerator, denominator):
    made = object.__new__(Fraction)
    made._numerator = numerator
    made._denominator = denominator
    return made


def _ratio(n, d):
    g = math.gcd(n, d)
    if d < 0:
        g = -g
    return _made(n // g, d // g)


class Fraction(numbers.Rational):
    __slots__ = ('_numerator', '_denominator')

    def __new__(cls, numerator=0, denominator=None, *, _normalize=True):
        self = super().__new__(cls)
        if denominator is None:
            if type(numerator) is int:
                n, d = numerator, 1
            elif isinstance(numerator, numbers.Rational):
                n, d = numerator.numerator, numerator.denominator
            elif isinstance(numerator, float) or type(numerator).__name__ == 'Decimal':
                n, d = numerator.as_integer_ratio()
            elif isinstance(numerator, str):
                n, d = cls._parsed(numerator)
            else:
                raise TypeError('argument should be a string or a Rational instance')
        elif type(numerator) is int is type(denominator):
            n, d = numerator, denominator
        elif isinstance(numerator, numbers.Rational) and isinstance(denominator, numbers.Rational):
            n = numerator.numerator * denominator.denominator
            d = denominator.numerator * numerator.denominator
        else:
            raise TypeError('both arguments should be Rational instances')
        if d == 0:
            raise ZeroDivisionError(f'Fraction({n}, 0)')
        g = math.gcd(n, d)
        if d < 0:
            g = -g
        self._numerator = n // g
        self._denominator = d // g
        return self

    @staticmethod
    def _parsed(text):
        m = _FORM.match(text)
        if m is None:
            raise ValueError(f'Invalid literal for Fraction: {text!r}')
        n = int(m['num'] or '0')
        d = 1
        if m['denom']:
            d = int(m['denom'])
        else:
            if m['decimal']:
                digits = m['decimal'].replace('_', '')
                d = 10 ** len(digits)
                n = n * d + int(digits)
            if m['exp']:
                exponent = int(m['exp'])
                if exponent >= 0:
                    n *= 10 ** exponent
                else:
                    d *= 10 ** -exponent
        return (-n if m['sign'] == '-' else n), d

    @classmethod
    def from_float(cls, f):
        if isinstance(f, numbers.Integral):
            return cls(f)
        if not isinstance(f, float):
            raise TypeError(f'{cls.__name__}.from_float() only takes floats, not {f!r} '
                            f'({type(f).__name__})')
        return cls(*f.as_integer_ratio())

    @classmethod
    def from_decimal(cls, dec):
        if isinstance(dec, numbers.Integral):
            return cls(int(dec))
        if not hasattr(dec, 'as_tuple'):
            raise TypeError(f'{cls.__name__}.from_decimal() only takes Decimals, not {dec!r} '
                            f'({type(dec).__name__})')
        return cls(*dec.as_integer_ratio())

    def as_integer_ratio(self):
        return (self._numerator, self._denominator)

    def limit_denominator(self, max_denominator=1000000):
        if max_denominator < 1:
            raise ValueError('max_denominator should be at least 1')
        if self._denominator <= max_denominator:
            return Fraction(self)
        p0, q0, p1, q1 = 0, 1, 1, 0
        n, d = self._numerator, self._denominator
        while True:
            a = n // d
            q2 = q0 + a * q1
            if q2 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        if 2 * d * (q0 + k * q1) <= self._denominator:
            return _made(p1, q1)
        return _ratio(p0 + k * p1, q0 + k * q1)

    @property
    def numerator(a):
        return a._numerator

    @property
    def denominator(a):
        return a._denominator

    def __repr__(self):
        return f'{self.__class__.__name__}({self._numerator}, {self._denominator})'

    def __str__(self):
        if self._denominator == 1:
            return str(self._numerator)
        return f'{self._numerator}/{self._denominator}'

    def _add(a, b):
        return _ratio(a.numerator * b.denominator + b.numerator * a.denominator,
                      a.denominator * b.denominator)

    def _sub(a, b):
        return _ratio(a.numerator * b.denominator - b.numerator * a.denominator,
                      a.denominator * b.denominator)

    def _mul(a, b):
        return _ratio(a.numerator * b.numerator, a.denominator * b.denominator)

    def _div(a, b):
        if b.numerator == 0:
            raise ZeroDivisionError(f'Fraction({(a.numerator > 0) - (a.numerator < 0)}, 0)')
        return _ratio(a.numerator * b.denominator, a.denominator * b.numerator)

    def _floordiv(a, b):
        return (a.numerator * b.denominator) // (a.denominator * b.numerator)

    def _divmod(a, b):
        whole, rest = divmod(a.numerator * b.denominator, a.denominator * b.numerator)
        return whole, Fraction(rest, a.denominator * b.denominator)

    def _mod(a, b):
        return Fraction((a.numerator * b.denominator) % (b.numerator * a.denominator),
                        a.denominator * b.denominator)

    __add__, __radd__ = _operators(_add, operator.add)
    __sub__, __rsub__ = _operators(_sub, operator.sub)
    __mul__, __rmul__ = _operators(_mul, operator.mul)
    __truediv__, __rtruediv__ = _operators(_div, operator.truediv)
    __floordiv__, __rfloordiv__ = _operators(_floordiv, operator.floordiv)
    __divmod__, __rdivmod__ = _operators(_divmod, divmod)
    __mod__, __rmod__ = _operators(_mod, operator.mod)

    def __pow__(a, b):
        if not isinstance(b, numbers.Rational):
            return float(a) ** b
        if b.denominator != 1:
            return float(a) ** float(b)
        power = b.numerator
        if power >= 0:
            return _made(a._numerator ** power, a._denominator ** power)
        if a._numerator > 0:
            return _made(a._denominator ** -power, a._numerator ** -power)
        if a._numerator == 0:
            raise ZeroDivisionError(f'Fraction({a._denominator ** -power}, 0)')
        return _made((-a._denominator) ** -power, (-a._numerator) ** -power)

    def __rpow__(b, a):
        if b._denominator == 1 and b._numerator >= 0:
            return a ** b._numerator
        if isinstance(a, numbers.Rational):
            return Fraction(a.numerator, a.denominator) ** b
        return a ** b._numerator if b._denominator == 1 else a ** float(b)

    def __pos__(a):
        return _made(a._numerator, a._denominator)

    def __neg__(a):
        return _made(-a._numerator, a._denominator)

    def __abs__(a):
        return _made(abs(a._numerator), a._denominator)

    def __int__(a):
        return a.__trunc__()

    def __trunc__(a):
        return -(-a._numerator // a._denominator) if a._numerator < 0 else (
            a._numerator // a._denominator)

    def __floor__(a):
        return a._numerator // a._denominator

    def __ceil__(a):
        return -(-a._numerator // a._denominator)

    def __round__(self, ndigits=None):
        if ndigits is None:
            d = self._denominator
            floor, rest = divmod(self._numerator, d)
            if rest * 2 == d:
                return floor + floor % 2
            return floor + (rest * 2 > d)
        shift = 10 ** abs(ndigits)
        if ndigits > 0:
            return Fraction(round(self * shift), shift)
        return Fraction(round(self / shift) * shift)

    def __hash__(self):
        try:
            inverse = pow(self._denominator, -1, _MODULUS)
        except ValueError:
            made = sys.hash_info.inf
        else:
            made = hash(hash(abs(self._numerator)) * inverse)
        made = made if self._numerator >= 0 else -made
        return -2 if made == -1 else made

    def __eq__(a, b):
        if type(b) is int:
            return a._numerator == b and a._denominator == 1
        if isinstance(b, numbers.Rational):
            return a._numerator == b.numerator and a._denominator == b.denominator
        if isinstance(b, numbers.Complex) and b.imag == 0:
            b = b.real
        if isinstance(b, float):
            return 0.0 == b if math.isnan(b) or math.isinf(b) else a == a.from_float(b)
        return NotImplemented

    def _compare(self, other, op):
        if isinstance(other, numbers.Rational):
            return op(self._numerator * other.denominator, self._denominator * other.numerator)
        if isinstance(other, float):
            if math.isnan(other) or math.isinf(other):
                return op(0.0, other)
            return op(self, self.from_float(other))
        return NotImplemented

    def __lt__(a, b):
        return a._compare(b, operator.lt)

    def __gt__(a, b):
        return a._compare(b, operator.gt)

    def __le__(a, b):
        return a._compare(b, operator.le)

    def __ge__(a, b):
        return a._compare(b, operator.ge)

    def __bool__(a):
        return bool(a._numerator)

    def __reduce__(self):
        return (self.__class__, (self._numerator, self._denominator))

    def __copy__(self):
        return self if type(self) is Fraction else self.__class__(self._numerator,
                                                                  self._denominator)

    def __deepcopy__(self, memo):
        return self.__copy__()
