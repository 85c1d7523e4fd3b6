"""Decimal numbers with a chosen precision, as the General Decimal Arithmetic specification has them."""
import _dec
import math as _math
import numbers as _numbers
import re as _re
import sys as _sys
from collections import namedtuple as _namedtuple

ROUND_DOWN, ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_CEILING = (
    'ROUND_DOWN', 'ROUND_HALF_UP', 'ROUND_HALF_EVEN', 'ROUND_CEILING')
ROUND_FLOOR, ROUND_UP, ROUND_HALF_DOWN, ROUND_05UP = (
    'ROUND_FLOOR', 'ROUND_UP', 'ROUND_HALF_DOWN', 'ROUND_05UP')
MAX_PREC = MAX_EMAX = 999999999999999999
MIN_EMIN = -MAX_EMAX
MIN_ETINY = MIN_EMIN - (MAX_PREC - 1)
HAVE_THREADS = HAVE_CONTEXTVAR = True
__version__ = '1.70'
__libmpdec_version__ = '2.5.1'
DecimalTuple = _namedtuple('DecimalTuple', 'sign digits exponent')


# The precision while simple results are within all limits of the context, else 0; Decimal; what
# the context notes about results, and whether it rounds half to even.
_now = [0, None, None]
_current = None


class DecimalException(ArithmeticError):
    pass


class Clamped(DecimalException):
    pass


class InvalidOperation(DecimalException):
    pass


class ConversionSyntax(InvalidOperation):
    pass


class DivisionByZero(DecimalException, ZeroDivisionError):
    pass


class DivisionImpossible(InvalidOperation):
    pass


class DivisionUndefined(InvalidOperation, ZeroDivisionError):
    pass


class Inexact(DecimalException):
    pass


class InvalidContext(InvalidOperation):
    pass


class Rounded(DecimalException):
    pass


class Subnormal(DecimalException):
    pass


class Overflow(Inexact, Rounded):
    pass


class Underflow(Inexact, Rounded, Subnormal):
    pass


class FloatOperation(DecimalException, TypeError):
    pass


_SIGNALS = (InvalidOperation, FloatOperation, DivisionByZero, Overflow, Underflow, Subnormal,
            Inexact, Rounded, Clamped)
_SHOWN = (Clamped, InvalidOperation, DivisionByZero, Inexact, FloatOperation, Overflow, Rounded,
          Subnormal, Underflow)
_FIELDS = ('prec', 'rounding', 'Emin', 'Emax', 'capitals', 'clamp', 'flags', 'traps')
for _cls in (DecimalException, ConversionSyntax, InvalidContext, DivisionImpossible,
             DivisionUndefined, *_SIGNALS):
    _cls.__module__ = 'decimal'


def _up(rounding, sign, last, rest):
    """Whether digits cut off raise the last one kept. rest: -1 below, 0 at, 1 above the half."""
    if rounding == ROUND_HALF_EVEN:
        return rest > 0 or (rest == 0 and last % 2 == 1)
    if rounding == ROUND_HALF_UP:
        return rest >= 0
    if rounding == ROUND_HALF_DOWN:
        return rest > 0
    if rounding == ROUND_DOWN:
        return False
    if rounding == ROUND_UP:
        return True
    if rounding == ROUND_CEILING:
        return sign == 0
    return sign == 1 if rounding == ROUND_FLOOR else last % 5 == 0


def _cut(n, digits, rounding, sign):
    """n without its last `digits` digits, rounded; whether that was inexact."""
    if digits <= 0:
        return n, False
    unit = 10 ** digits
    whole, rest = divmod(n, unit)
    if rest:
        half = 2 * rest
        whole += _up(rounding, sign, whole % 10, (half > unit) - (half < unit))
    return whole, rest != 0


def _digits(n):
    return len(str(n))


_FORM = _re.compile(r'(?P<sign>[-+])?(?:(?=\d|\.\d)(?P<int>\d*)(?:\.(?P<frac>\d*))?(?:E(?P<exp>[-+]?\d+))?'
                    r'|Inf(?:inity)?|(?P<signal>s)?NaN(?P<diag>\d*))\Z', _re.IGNORECASE)


class Context:
    def __init__(self, prec=None, rounding=None, Emin=None, Emax=None, capitals=None, clamp=None,
                 flags=None, traps=None):
        base = DefaultContext if 'DefaultContext' in _names else None
        pick = lambda v, name, otherwise: v if v is not None else getattr(base, name, otherwise)
        self.prec = pick(prec, 'prec', 28)
        self.rounding = pick(rounding, 'rounding', ROUND_HALF_EVEN)
        self.Emin = pick(Emin, 'Emin', -999999)
        self.Emax = pick(Emax, 'Emax', 999999)
        self.capitals = pick(capitals, 'capitals', 1)
        self.clamp = pick(clamp, 'clamp', 0)
        self.traps = self._table(traps, getattr(base, 'traps', {}))
        self.flags = self._table(flags, {})

    @staticmethod
    def _table(given, otherwise):
        if given is None:
            return {s: bool(otherwise.get(s)) for s in _SIGNALS}
        if isinstance(given, dict):
            return {s: bool(given.get(s, False)) for s in _SIGNALS}
        for signal in given:
            if signal not in _SIGNALS:
                raise KeyError('valid values for signals are:\n  [InvalidOperation, '
                               'FloatOperation, DivisionByZero,\n   Overflow, Underflow, '
                               'Subnormal, Inexact, Rounded,\n   Clamped]')
        return {s: s in given for s in _SIGNALS}

    def __setattr__(self, name, value):
        if name in _RANGES:
            if not isinstance(value, int):
                raise TypeError('an integer is required')
            low, high, text = _RANGES[name]
            if not low <= value <= high:
                raise ValueError(f'valid {text}')
        elif name not in _FIELDS:
            raise AttributeError(f"'decimal.Context' object has no attribute {name!r}")
        if name == 'rounding' and value not in _ROUNDINGS:
            raise TypeError("valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP,"
                            " ROUND_DOWN,\n   ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n   "
                            "ROUND_05UP]")
        object.__setattr__(self, name, value)
        if self is _current:
            _tune(self)

    def __repr__(self):
        names = lambda table: ', '.join(s.__name__ for s in _SHOWN if table[s])
        return (f'Context(prec={self.prec}, rounding={self.rounding}, Emin={self.Emin}, '
                f'Emax={self.Emax}, capitals={self.capitals}, clamp={self.clamp}, '
                f'flags=[{names(self.flags)}], traps=[{names(self.traps)}])')

    def copy(self):
        return Context(self.prec, self.rounding, self.Emin, self.Emax, self.capitals, self.clamp,
                       dict(self.flags), dict(self.traps))

    __copy__ = copy

    def clear_flags(self):
        for s in self.flags:
            self.flags[s] = False

    def clear_traps(self):
        for s in self.traps:
            self.traps[s] = False

    def Etiny(self):
        return self.Emin - self.prec + 1

    def Etop(self):
        return self.Emax - self.prec + 1

    def _raise(self, signal, *why):
        kind = signal if signal in self.flags else InvalidOperation
        self.flags[kind] = True
        if self.traps[kind]:
            raise kind([signal])
        return _NaN

    def _signal(self, *signals):
        # All of them happen before one of them is raised.
        for signal in signals:
            self.flags[signal] = True
        trapped = [signal for signal in signals if self.traps[signal]]
        if trapped:
            raise trapped[0](trapped)

    def create_decimal(self, num='0'):
        return Decimal(num, self, _exact=False)._fix(self)

    def create_decimal_from_float(self, f):
        return Decimal.from_float(f)._fix(self)

    def radix(self):
        return Decimal(10)

    def copy_decimal(self, num, /):
        return _must(num)

    def __reduce__(self):
        return Context, (self.prec, self.rounding, self.Emin, self.Emax, self.capitals, self.clamp,
                         [s for s in self.flags if self.flags[s]],
                         [s for s in self.traps if self.traps[s]])


_RANGES = {'prec': (1, MAX_PREC, 'range for prec is [1, MAX_PREC]'),
           'Emin': (MIN_EMIN, 0, 'range for Emin is [MIN_EMIN, 0]'),
           'Emax': (0, MAX_EMAX, 'range for Emax is [0, MAX_EMAX]'),
           'capitals': (0, 1, 'values for capitals are 0 or 1'),
           'clamp': (0, 1, 'values for clamp are 0 or 1')}


def _must(v):
    made = _operand(v)
    if made is None:
        raise TypeError(f'conversion from {type(v).__name__} to Decimal is not supported')
    return made


for _name in ('abs add compare compare_signal compare_total compare_total_mag copy_abs copy_negate '
              'copy_sign divide divide_int divmod exp fma is_canonical is_finite is_infinite is_nan '
              'is_normal is_qnan is_signed is_snan is_subnormal is_zero ln log10 logb logical_and '
              'logical_invert logical_or logical_xor max max_mag canonical next_toward rotate shift '
              'min min_mag minus multiply next_minus next_plus normalize number_class plus power '
              'quantize remainder remainder_near same_quantum scaleb sqrt subtract to_eng_string '
              'to_sci_string to_integral_value to_integral_exact to_integral').split():
    _plain = {'abs': '__abs__', 'add': '_add', 'divide': '_div', 'divide_int': '_intdiv',
              'divmod': '_divmod', 'minus': '__neg__', 'multiply': '_mul', 'plus': '__pos__',
              'power': '_pow', 'remainder': '_rem', 'subtract': '_sub',
              'to_sci_string': '__str__'}.get(_name, _name)

    def _method(self, /, a, *args, _plain=_plain, **kwargs):
        with localcontext(self, True):
            args = [_must(v) if v is not None else v for v in args]
            return getattr(_must(a), _plain)(*args, **kwargs)
    _method.__name__ = _name
    setattr(Context, _name, _method)
_names = ()
_ROUNDINGS = (ROUND_DOWN, ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_CEILING, ROUND_FLOOR, ROUND_UP,
              ROUND_HALF_DOWN, ROUND_05UP)


def _made(sign, n, exp, special=''):
    self = object.__new__(Decimal)
    self._sign, self._n, self._exp, self._special = sign, n, exp, special
    return self


def _operand(v, compare=False):
    if isinstance(v, Decimal):
        return v
    if isinstance(v, int):
        return _made(int(v < 0), abs(v), 0)
    if compare and isinstance(v, float):
        context = getcontext()
        context.flags[FloatOperation] = True
        if compare is True and context.traps[FloatOperation]:
            raise FloatOperation([FloatOperation])
        return Decimal.from_float(v)
    return None


def _binary(name, method):
    def forward(self, other, context=None):
        other = _operand(other)
        return NotImplemented if other is None else method(self, other)

    def reverse(self, other, context=None):
        other = _operand(other)
        return NotImplemented if other is None else method(other, self)
    forward.__name__, reverse.__name__ = f'__{name}__', f'__r{name}__'
    return forward, reverse


def _tune(c):
    _now[2] = c.flags, c.traps, Inexact, Rounded, c.rounding == ROUND_HALF_EVEN
    _now[0] = c.prec if c.Emax >= 9999 and c.Emin <= -9999 and not c.clamp else 0


class Decimal:
    _now = _now
    __slots__ = ('_sign', '_n', '_exp', '_special', '__weakref__')

    def __new__(cls, value='0', context=None, *, _exact=True):
        self = object.__new__(cls)
        if isinstance(value, str):
            plain = _dec.parse(value)
            if plain is not None:
                self._sign, self._n, self._exp = plain
                self._special = ''
                return self
            m = _FORM.match(value.strip().replace('_', ''))
            if m is None:
                made = (context or getcontext())._raise(ConversionSyntax)
                self._sign, self._n, self._exp, self._special = made._parts()
                return self
            sign = int(m['sign'] == '-')
            if m['int'] is not None:
                frac = m['frac'] or ''
                parts = sign, int((m['int'] + frac) or '0'), int(m['exp'] or '0') - len(frac), ''
                top = parts[2] + (_digits(parts[1]) - 1 if parts[1] else 0)
                if _exact and not (top <= MAX_EMAX and parts[2] >= 1 - 2 * MAX_EMAX):
                    made = (context or getcontext())._raise(InvalidOperation)
                    parts = made._parts()
            elif m['diag'] is not None:
                parts = sign, int(m['diag'] or '0'), 0, 's' if m['signal'] else 'q'
            else:
                parts = sign, 0, 0, 'i'
        elif isinstance(value, int):
            parts = int(value < 0), abs(value), 0, ''
        elif isinstance(value, Decimal):
            parts = value._parts()
        elif isinstance(value, float):
            context = context or getcontext()
            context.flags[FloatOperation] = True
            if context.traps[FloatOperation]:
                raise FloatOperation([FloatOperation])
            parts = cls.from_float(value)._parts()
        elif isinstance(value, (list, tuple)):
            if len(value) != 3:
                raise ValueError('argument must be a sequence of length 3')
            sign, digits, exp = value
            if sign not in (0, 1):
                raise ValueError('sign must be an integer with the value 0 or 1')
            if any([not isinstance(d, int) or not 0 <= d <= 9 for d in digits]):
                raise ValueError('coefficient must be a tuple of digits')
            n = int(''.join(map(str, digits)) or '0')
            if isinstance(exp, str):
                if exp not in ('F', 'n', 'N'):
                    raise ValueError("string argument in the third position must be 'F', 'n' or 'N'")
                parts = sign, 0 if exp == 'F' else n, 0, {'F': 'i', 'n': 'q', 'N': 's'}[exp]
            else:
                parts = sign, n, exp, ''
        else:
            raise TypeError(f'conversion from {type(value).__name__} to Decimal is not supported')
        self._sign, self._n, self._exp, self._special = parts
        return self

    @classmethod
    def from_float(cls, f):
        if isinstance(f, int):
            return cls(f)
        if not isinstance(f, float):
            raise TypeError('argument must be int or float')
        if _math.isnan(f) or _math.isinf(f):
            return cls(repr(f))
        n, d = abs(f).as_integer_ratio()
        k = d.bit_length() - 1
        made = _made(int(_math.copysign(1.0, f) < 0), n * 5 ** k, -k)
        return made if cls is Decimal else cls(made)

    def _parts(self):
        return self._sign, self._n, self._exp, self._special

    def _nan(self, other=None):
        """The NaN that an operation on these gives, or None."""
        for v in (self, other):
            if v is not None and v._special == 's':
                getcontext()._raise(InvalidOperation)
                return _made(v._sign, v._n, 0, 'q')
        for v in (self, other):
            if v is not None and v._special == 'q':
                return v
        return None

    def _fix(self, context=None):
        c = context or getcontext()
        if self._special:
            return self
        sign, n, exp = self._sign, self._n, self._exp
        top = c.Etop() if c.clamp else c.Emax
        if not n:
            new = min(max(exp, c.Etiny()), top)
            if new != exp:
                c._raise(Clamped)
                return _made(sign, 0, new)
            return self
        length = _digits(n)
        low = max(length + exp - c.prec, c.Etiny())
        tiny = length + exp - 1 < c.Emin
        if exp < low:
            n, inexact = _cut(n, low - exp, c.rounding, sign)
            exp = low
            if _digits(n) > c.prec:
                n //= 10
                exp += 1
            if n and _digits(n) + exp - 1 > c.Emax:
                return self._overflow(c, sign)
            told = [Underflow] if inexact and tiny else []
            if tiny:
                told.append(Subnormal)
            if inexact:
                told.append(Inexact)
            c._signal(*told, Rounded, *(() if n else (Clamped,)))
            return _made(sign, n, exp)
        if length + exp - 1 > c.Emax:
            return self._overflow(c, sign)
        if tiny:
            c._raise(Subnormal)
        if c.clamp and exp > top:
            c._raise(Clamped)
            return _made(sign, n * 10 ** (exp - top), top)
        return self

    def _overflow(self, c, sign):
        c._signal(Overflow, Inexact, Rounded)
        if c.rounding in (ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_UP) or \
                c.rounding == (ROUND_FLOOR if sign else ROUND_CEILING):
            return _made(sign, 0, 0, 'i')
        return _made(sign, 10 ** c.prec - 1, c.Etop())

    # Text.
    def _text(self, eng=False, context=None):
        sign = '-' if self._sign else ''
        if self._special:
            if self._special == 'i':
                return sign + 'Infinity'
            return sign + ('sNaN' if self._special == 's' else 'NaN') + (str(self._n) if self._n
                                                                         else '')
        digits, exp = str(self._n), self._exp
        left = exp + len(digits)
        if exp <= 0 and left > -6:
            dot = left
        elif not eng:
            dot = 1
        elif self._n == 0:
            dot = (left + 1) % 3 - 1
        else:
            dot = (left - 1) % 3 + 1
        if dot <= 0:
            whole, frac = '0', '.' + '0' * -dot + digits
        elif dot >= len(digits):
            whole, frac = digits + '0' * (dot - len(digits)), ''
        else:
            whole, frac = digits[:dot], '.' + digits[dot:]
        if left == dot:
            return sign + whole + frac
        c = context or getcontext()
        return f'{sign}{whole}{frac}{"E" if c.capitals else "e"}{left - dot:+d}'

    def __str__(self):
        return self._text()

    def to_eng_string(self, context=None):
        return self._text(True, context)

    def __repr__(self):
        return f"Decimal('{self}')"

    def __format__(self, spec):
        m = _SPEC.match(spec)
        if m is None:
            raise ValueError('invalid format string')
        kind = 'g' if m['type'] == 'n' else m['type'] or ''
        sign = '-' if self._sign else m['sign'] if m['sign'] in ('+', ' ') else ''
        if self._special:
            text = self._text().lstrip('-') + ('%' if kind == '%' else '')
            body, rest = text, ''
        else:
            v = _made(0, self._n, self._exp)
            rounding = getcontext().rounding
            if kind == '%':
                v._exp += 2
            if m['prec'] is not None:
                p = int(m['prec'])
                if kind in ('e', 'E'):
                    v = v._to_digits(p + 1, rounding, self._sign)
                elif kind in ('f', 'F', '%'):
                    v = v._to_exp(-p, rounding, self._sign)
                elif _digits(v._n) > max(p, 1):
                    v = v._to_digits(max(p, 1), rounding, self._sign)
            elif not v._n and v._exp > 0 and kind in ('f', 'F', '%'):
                v = v._to_exp(0, rounding, 0)
            digits = str(v._n)
            left = v._exp + len(digits)
            if kind in ('e', 'E'):
                dot = 1 - int(m['prec'] or 0) if not v._n and m['prec'] is not None else 1
            elif kind in ('f', 'F', '%'):
                dot = left
            else:
                dot = left if v._exp <= 0 and left > -6 else 1
            if dot < 0 or dot == 0:
                body, rest = '0', '0' * -dot + digits
            elif dot > len(digits):
                body, rest = digits + '0' * (dot - len(digits)), ''
            else:
                body, rest = digits[:dot] or '0', digits[dot:]
            if kind in ('e', 'E') and not v._n and m['prec'] is not None:
                left, body, rest = v._exp + len(digits) + 0, '0', '0' * int(m['prec'])
                left, dot = v._exp + int(m['prec']) + 1, 1
            exp = left - dot
            rest = '.' + rest if rest or m['alt'] else ''
            if exp or kind in ('e', 'E'):
                upper = kind in ('E', 'G') or (not kind and getcontext().capitals)
                rest += f'{"E" if upper else "e"}{exp:+d}'
            rest += '%' if kind == '%' else ''
            if m['comma']:
                body = f'{int(body):{m["comma"]}}'
        fill, align = m['fill'] or ' ', m['align'] or '>'
        width = int(m['width'] or 0)
        if m['zero'] and not m['align']:
            fill, align = (' ', '>') if self._special else ('0', '=')
        if align == '=':
            if fill == '0' and m['comma'] and not self._special:
                while len(sign + body + rest) < width:
                    plain = '0' + body.replace(m['comma'], '')
                    grouped = ''
                    while len(plain) > 3:
                        plain, grouped = plain[:-3], m['comma'] + plain[-3:] + grouped
                    body = plain + grouped
            return sign + fill * (width - len(sign + body + rest)) + body + rest
        text = sign + body + rest
        space = max(width - len(text), 0)
        before = 0 if align == '<' else space if align == '>' else space // 2
        return fill * before + text + fill * (space - before)

    def _to_digits(self, count, rounding, sign):
        """With `count` digits."""
        if not self._n:
            return _made(0, 0, self._exp)
        extra = _digits(self._n) - count
        if extra < 0:
            return _made(0, self._n * 10 ** -extra, self._exp + extra)
        n, _ = _cut(self._n, extra, rounding, sign)
        exp = self._exp + extra
        if _digits(n) > count:
            n, exp = n // 10, exp + 1
        return _made(0, n, exp)

    def _to_exp(self, exp, rounding, sign=None):
        sign = self._sign if sign is None else sign
        if self._exp >= exp:
            return _made(self._sign, self._n * 10 ** (self._exp - exp), exp)
        return _made(self._sign, _cut(self._n, exp - self._exp, rounding, sign)[0], exp)

    # Comparison.
    def _compare(self, other):
        if self._special or other._special:
            a = (0 if self._special != 'i' else -1 if self._sign else 1)
            b = (0 if other._special != 'i' else -1 if other._sign else 1)
            return (a > b) - (a < b)
        a = -self._n if self._sign else self._n
        b = -other._n if other._sign else other._n
        if not a or not b or (a < 0) != (b < 0):
            return (a > b) - (a < b)
        one, two = _digits(self._n) + self._exp, _digits(other._n) + other._exp
        if one != two:
            return (1 if one > two else -1) * (-1 if self._sign else 1)
        low = min(self._exp, other._exp)
        a, b = a * 10 ** (self._exp - low), b * 10 ** (other._exp - low)
        return (a > b) - (a < b)

    def _is_nan(self):
        return self._special in ('q', 's') and bool(self._special)

    def _other(self, other):
        made = _operand(other, 'equal')
        if made is None and isinstance(other, _numbers.Rational):
            return _operand(other.numerator)
        if made is None and isinstance(other, complex) and other.imag == 0:
            return Decimal.from_float(other.real)
        return made

    def _slow_eq(self, other):
        if isinstance(other, _numbers.Rational) and not isinstance(other, (int, Decimal)):
            return not self._special and self * other.denominator == other.numerator
        made = self._other(other)
        if made is None:
            return NotImplemented
        if self._is_nan() or made._is_nan():
            if 's' in (self._special, made._special):
                getcontext()._raise(InvalidOperation)
            return False
        return self._compare(made) == 0

    def _order(self, other, test):
        made = _operand(other, True)
        if made is None:
            if isinstance(other, _numbers.Rational):
                return test((self * other.denominator)._compare(_operand(other.numerator)))
            return NotImplemented
        if self._is_nan() or made._is_nan():
            getcontext()._raise(InvalidOperation)
            return False
        return test(self._compare(made))

    def _slow_lt(self, other):
        return self._order(other, lambda c: c < 0)

    def _slow_le(self, other):
        return self._order(other, lambda c: c <= 0)

    def _slow_gt(self, other):
        return self._order(other, lambda c: c > 0)

    def _slow_ge(self, other):
        return self._order(other, lambda c: c >= 0)

    def compare(self, other, context=None):
        other = _operand(other)
        nan = self._nan(other)
        return nan if nan is not None else Decimal(self._compare(other))

    def compare_signal(self, other, context=None):
        other = _operand(other)
        if self._is_nan() or other._is_nan():
            return getcontext()._raise(InvalidOperation)
        return self.compare(other)

    def _rank(self):
        return {'': 0, 'i': 1, 's': 2, 'q': 3}[self._special]

    def compare_total(self, other, context=None):
        other = _operand(other)
        if self._sign != other._sign:
            return Decimal(-1 if self._sign else 1)
        c = self._rank() - other._rank()
        if not c and self._rank() < 2:
            c = self.copy_abs()._compare(other.copy_abs()) or self._exp - other._exp
        elif not c:
            c = self._n - other._n
        c = (c > 0) - (c < 0)
        return Decimal(-c if self._sign else c)

    def compare_total_mag(self, other, context=None):
        return self.copy_abs().compare_total(_operand(other).copy_abs())

    def __hash__(self):
        if self._special:
            if self._special == 's':
                raise TypeError('Cannot hash a signaling NaN value')
            if self._special == 'q':
                return object.__hash__(self)
            return -_sys.hash_info.inf if self._sign else _sys.hash_info.inf
        p = _sys.hash_info.modulus
        scale = pow(10, self._exp, p) if self._exp >= 0 else pow(pow(10, p - 2, p), -self._exp, p)
        made = self._n * scale % p
        made = -made if self._sign else made
        return -2 if made == -1 else made

    def __bool__(self):
        return bool(self._special or self._n)

    # Arithmetic.
    def __neg__(self, context=None):
        nan = self._nan()
        if nan is not None:
            return nan
        c = context or getcontext()
        if not self and c.rounding != ROUND_FLOOR:
            return self.copy_abs()._fix(c)
        return self.copy_negate()._fix(c)

    def __pos__(self, context=None):
        nan = self._nan()
        if nan is not None:
            return nan
        c = context or getcontext()
        if not self and c.rounding != ROUND_FLOOR:
            return self.copy_abs()._fix(c)
        return _made(*self._parts())._fix(c)

    def __abs__(self, round=True, context=None):
        nan = self._nan()
        return nan if nan is not None else self.copy_abs()._fix(context)

    def _add(self, other):
        nan = self._nan(other)
        if nan is not None:
            return nan
        c = getcontext()
        if self._special or other._special:
            if self._special and other._special and self._sign != other._sign:
                return c._raise(InvalidOperation)
            return self if self._special else other
        if self._n and other._n:  # far apart: the smaller one only rounds
            big, small = (self, other) if self._exp > other._exp else (other, self)
            limit = big._exp + min(-1, _digits(big._n) - c.prec - 2)
            if _digits(small._n) + small._exp - 1 < limit:
                small = _made(small._sign, 1, limit)
            a, b = big, small
        else:
            a, b = self, other
        low = min(a._exp, b._exp)
        n = (-a._n if a._sign else a._n) * 10 ** (a._exp - low)
        n += (-b._n if b._sign else b._n) * 10 ** (b._exp - low)
        if n:
            sign = int(n < 0)
        else:
            sign = self._sign if self._sign == other._sign else int(c.rounding == ROUND_FLOOR)
        return _made(sign, abs(n), low)._fix(c)

    def _sub(self, other):
        nan = self._nan(other)
        return nan if nan is not None else self._add(other.copy_negate())

    def _mul(self, other):
        nan = self._nan(other)
        if nan is not None:
            return nan
        sign = self._sign ^ other._sign
        if self._special or other._special:
            if not self or not other:
                return getcontext()._raise(InvalidOperation)
            return _made(sign, 0, 0, 'i')
        return _made(sign, self._n * other._n, self._exp + other._exp)._fix()

    def _div(self, other):
        nan = self._nan(other)
        if nan is not None:
            return nan
        c = getcontext()
        sign = self._sign ^ other._sign
        if self._special:
            return c._raise(InvalidOperation) if other._special else _made(sign, 0, 0, 'i')
        if other._special:
            c._raise(Clamped)
            return _made(sign, 0, c.Etiny())
        if not other._n:
            if not self._n:
                return c._raise(DivisionUndefined)
            c._raise(DivisionByZero)
            return _made(sign, 0, 0, 'i')
        if not self._n:
            return _made(sign, 0, self._exp - other._exp)._fix(c)
        shift = _digits(other._n) - _digits(self._n) + c.prec + 1
        exp = self._exp - other._exp - shift
        if shift >= 0:
            n, rest = divmod(self._n * 10 ** shift, other._n)
        else:
            n, rest = divmod(self._n, other._n * 10 ** -shift)
        if rest:
            n += n % 5 == 0
        else:
            ideal = self._exp - other._exp
            for step in (16, 8, 4, 2, 1):
                part = 10 ** step
                while exp + step <= ideal and n % part == 0:
                    n //= part
                    exp += step
        return _made(sign, n, exp)._fix(c)

    def _parted(self, other):
        """Quotient as an int and the remainder."""
        c = getcontext()
        ideal = self._exp if other._special else min(self._exp, other._exp)
        if not self._n or other._special or self._adjusted() - other._adjusted() <= -2:
            return 0, _made(self._sign, self._n, self._exp)._to_exp(ideal, c.rounding)
        if self._adjusted() - other._adjusted() <= c.prec:
            a, b = self._n, other._n
            if self._exp >= other._exp:
                a *= 10 ** (self._exp - other._exp)
            else:
                b *= 10 ** (other._exp - self._exp)
            q, r = divmod(a, b)
            if q < 10 ** c.prec:
                return q, _made(self._sign, r, ideal)
        made = c._raise(DivisionImpossible)
        return None, made

    def _adjusted(self):
        return _digits(self._n) + self._exp - 1

    def _divide_checks(self, other, zero_is_infinite):
        nan = self._nan(other)
        if nan is not None:
            return nan
        c = getcontext()
        if self._special:
            if other._special or not zero_is_infinite:
                return c._raise(InvalidOperation)
            return _made(self._sign ^ other._sign, 0, 0, 'i')
        if not other._special and not other._n:
            if not self._n:
                return c._raise(DivisionUndefined)
            if not zero_is_infinite:
                return c._raise(InvalidOperation)
            c._raise(DivisionByZero)
            return _made(self._sign ^ other._sign, 0, 0, 'i')
        return None

    def _intdiv(self, other):
        made = self._divide_checks(other, True)
        if made is not None:
            return made
        q, r = self._parted(other)
        return r if q is None else _made(self._sign ^ other._sign, q, 0)

    def _rem(self, other):
        made = self._divide_checks(other, False)
        if made is not None:
            return made
        return self._parted(other)[1]._fix()

    def _divmod(self, other):
        nan = self._nan(other)
        if nan is not None:
            return nan, nan
        return self._intdiv(other), self._rem(other)

    def _pow(self, other, modulo=None):
        c = getcontext()
        if modulo is not None:
            m = _operand(modulo)
            made = pow(int(self), int(other), int(m))
            return Decimal(made)
        nan = self._nan(other)
        if nan is not None:
            return nan
        if not other:
            return c._raise(InvalidOperation) if not self else _made(0, 1, 0)
        whole = not other._special and (other._exp >= 0 or other == other.to_integral_value())
        sign = int(self._sign and whole and int(other) % 2 == 1)
        if self._sign and self and not whole:
            return c._raise(InvalidOperation)
        if not self:
            return _made(sign, 0, 0) if not other._sign else _made(sign, 0, 0, 'i')
        if self._special:
            return _made(sign, 0, 0, 'i') if not other._sign else _made(sign, 0, 0)
        base = self.copy_abs()
        if base == 1:
            if whole:
                exp = 0 if other._sign else self._exp * min(int(other), c.prec) if self._exp < 0 else 0
                exp = max(exp, 1 - c.prec)
                if self._exp < 0 or other._sign:
                    exp = 1 - c.prec if self._exp < 0 and other._sign else exp
                return _made(sign, 10 ** -exp, exp)._fix(c)
            c._raise(Inexact)
            c._raise(Rounded)
            return _made(0, 10 ** (c.prec - 1), 1 - c.prec)
        if other._special:
            grows = (base > 1) == (not other._sign)
            return _made(0, 0, 0, 'i') if grows else _made(0, 0, 0)
        if whole:
            k = int(other)
            if k > 0 and k * (base._adjusted() + 1) < c.prec * 40 and k * _digits(base._n) < 20000:
                return _made(sign, base._n ** k, base._exp * k)._fix(c)
            if k < 0 and -k * _digits(base._n) < 20000:
                return _made(sign, 1, 0)._div(_made(0, base._n ** -k, base._exp * -k))
        log = self._adjusted() + 1
        if other._adjusted() + len(str(abs(log))) > 8 + c.prec or \
                abs(float(other) * (_math.log10(base._n) + base._exp)) > c.Emax * 2 + 100:
            grows = (base > 1) == (not other._sign)
            made = _made(sign, 1, c.Emax + 1) if grows else _made(sign, 1, c.Etiny() - 1)
            return made._fix(c)
        work = c.prec + 10 + len(str(abs(log) + 1)) + max(0, other._adjusted() + 1)
        n, exp = _exp_fixed(_ln_fixed(base, work) * (other._n if not other._sign else -other._n),
                            work, other._exp)
        if not whole:
            root = _exact_root(base, other, c)
            if root is not None:
                return root
        return _made(sign, n * 10 + 1, exp - 1)._fix(c)

    _slow_add, _slow_radd = _binary('add', _add)
    _slow_sub, _slow_rsub = _binary('sub', _sub)
    _slow_mul, _slow_rmul = _binary('mul', _mul)
    __add__, __radd__, __sub__, __rsub__ = _dec.add, _dec.radd, _dec.sub, _dec.rsub
    __mul__, __rmul__ = _dec.mul, _dec.rmul
    __eq__, __lt__, __le__, __gt__, __ge__ = _dec.eq, _dec.lt, _dec.le, _dec.gt, _dec.ge
    _slow_truediv, _slow_rtruediv = _binary('truediv', _div)
    __truediv__, __rtruediv__ = _dec.div, _dec.rdiv
    __floordiv__, __rfloordiv__ = _binary('floordiv', _intdiv)
    __mod__, __rmod__ = _binary('mod', _rem)
    __divmod__, __rdivmod__ = _binary('divmod', _divmod)
    _plain_pow, __rpow__ = _binary('pow', _pow)

    def __pow__(self, other, modulo=None):
        other = _operand(other)
        return NotImplemented if other is None else self._pow(other, modulo)

    def remainder_near(self, other, context=None):
        other = _operand(other)
        made = self._divide_checks(other, False)
        if made is not None:
            return made
        q, r = self._parted(other)
        if q is None or not r:
            return r
        twice = -1 if other._special else _made(0, r._n * 2, r._exp)._compare(other.copy_abs())
        if twice > 0 or (twice == 0 and q % 2):
            r = r - other if r._sign == other._sign else r + other
        return r._fix()

    def fma(self, other, third, context=None):
        other, third = _operand(other), _operand(third)
        if self._special or other._special:
            return self._mul(other)._add(third)
        return _made(self._sign ^ other._sign, self._n * other._n, self._exp + other._exp)._add(third)

    def sqrt(self, context=None):
        nan = self._nan()
        if nan is not None:
            return nan
        c = context or getcontext()
        if self._special and not self._sign:
            return self
        if not self:
            return _made(self._sign, 0, self._exp // 2)._fix(c)
        if self._sign:
            return c._raise(InvalidOperation)
        prec = c.prec + 1
        exp, n = self._exp, self._n
        half = exp >> 1
        if exp & 1:
            n *= 10
            length = (_digits(self._n) >> 1) + 1
        else:
            length = (_digits(self._n) + 1) >> 1
        shift = prec - length
        exact = True
        if shift >= 0:
            n *= 100 ** shift
        else:
            n, rest = divmod(n, 100 ** -shift)
            exact = not rest
        half -= shift
        root = _math.isqrt(n)
        exact = exact and root * root == n
        if exact:
            if shift >= 0:
                root //= 10 ** shift
            else:
                root *= 10 ** -shift
            half += shift
        elif root % 5 == 0:
            root += 1
        with localcontext(c, True) as work:
            work.rounding, kept = ROUND_HALF_EVEN, work.rounding
            made = _made(0, root, half)._fix(work)
            work.rounding = kept
        return made

    def exp(self, context=None):
        nan = self._nan()
        if nan is not None:
            return nan
        c = context or getcontext()
        if self._special:
            return _made(0, 0, 0) if self._sign else self
        if not self:
            return _made(0, 1, 0)
        if self._adjusted() > len(str(c.Emax)) + 2:
            return _made(0, 1, c.Etiny() - 1 if self._sign else c.Emax + 1)._fix(c)
        if self._adjusted() < -c.prec - 1:
            n = 10 ** (c.prec + 1) + (-1 if self._sign else 1)
            return _made(0, n, -c.prec - 1)._half_even(c)
        n, exp = _exp_fixed(-self._n if self._sign else self._n, c.prec + 8, self._exp, True)
        return _made(0, n * 10 + 1, exp - 1)._half_even(c)

    def _half_even(self, c):
        kept, c.rounding = c.rounding, ROUND_HALF_EVEN
        made = self._fix(c)
        c.rounding = kept
        return made

    def _log_checks(self, c):
        nan = self._nan()
        if nan is not None:
            return nan
        if not self:
            return _made(1, 0, 0, 'i')
        if self._special and not self._sign:
            return self
        if self._sign:
            return c._raise(InvalidOperation)
        return _made(0, 0, 0) if self == 1 else None

    def ln(self, context=None):
        c = context or getcontext()
        made = self._log_checks(c)
        if made is not None:
            return made
        work = c.prec + 6 + max(0, -(self - 1)._adjusted() if 0 < abs(self - 1) < 1 else 0)
        n = _ln_fixed(self, work)
        return _made(int(n < 0), abs(n) * 10 + 1, -work - 1)._half_even(c)

    def log10(self, context=None):
        c = context or getcontext()
        made = self._log_checks(c)
        if made is not None:
            return made
        digits = str(self._n)
        if digits[0] == '1' and not digits[1:].strip('0'):
            return Decimal(self._adjusted())._fix(c)
        work = c.prec + 6 + max(0, -(self - 1)._adjusted() if 0 < abs(self - 1) < 1 else 0)
        n = _ln_fixed(self, work + 3) * 10 ** (work + 3)
        ten = _ln_fixed(Decimal(10), work + 3)
        n = n // ten
        return _made(int(n < 0), abs(n) * 10 + 1, -work - 4)._half_even(c)

    def logb(self, context=None):
        nan = self._nan()
        if nan is not None:
            return nan
        c = getcontext()
        if self._special:
            return _made(0, 0, 0, 'i')
        if not self:
            c._raise(DivisionByZero)
            return _made(1, 0, 0, 'i')
        return Decimal(self._adjusted())._fix(c)

    def scaleb(self, other, context=None):
        other = _operand(other)
        nan = self._nan(other)
        if nan is not None:
            return nan
        return self if self._special else _made(self._sign, self._n, self._exp + int(other))._fix()

    def _slow_quantize(self, exp=_now, rounding=None, context=None):
        if exp is _now:
            raise TypeError("function missing required argument 'exp' (pos 1)")
        c = context or getcontext()
        exp = _must(exp)
        nan = self._nan(exp)
        if nan is not None:
            return nan
        if self._special or exp._special:
            return self if self._special and exp._special else c._raise(InvalidOperation)
        if not c.Etiny() <= exp._exp <= c.Emax:
            return c._raise(InvalidOperation)
        rounding = rounding or c.rounding
        if not self._n:
            return _made(self._sign, 0, exp._exp)._fix(c)
        if self._adjusted() > c.Emax or self._adjusted() - exp._exp + 1 > c.prec:
            return c._raise(InvalidOperation)
        made = self._to_exp(exp._exp, rounding)
        if made._n and made._adjusted() > c.Emax or _digits(made._n) > c.prec:
            return c._raise(InvalidOperation)
        if made._exp > self._exp:
            c._signal(*([Inexact] if made != self else ()), Rounded)
        return made._fix(c)

    quantize = _dec.quantize

    def normalize(self, context=None):
        nan = self._nan()
        if nan is not None:
            return nan
        c = context or getcontext()
        made = self._fix(c)
        if made._special:
            return made
        if not made._n:
            return _made(made._sign, 0, 0)
        n, exp = made._n, made._exp
        top = c.Etop() if c.clamp else c.Emax
        while n % 10 == 0 and exp < top:
            n //= 10
            exp += 1
        return _made(made._sign, n, exp)

    def to_integral_value(self, rounding=None, context=None):
        nan = self._nan()
        if nan is not None:
            return nan
        if self._special or self._exp >= 0:
            return _made(*self._parts())
        return self._to_exp(0, rounding or (context or getcontext()).rounding)

    to_integral = to_integral_value

    def to_integral_exact(self, rounding=None, context=None):
        made = self.to_integral_value(rounding, context)
        if not made._special and made._exp != self._exp:
            c = context or getcontext()
            if made != self:
                c._raise(Inexact)
            c._raise(Rounded)
        return made

    def _near(self, sign):
        nan = self._nan()
        if nan is not None:
            return nan
        c = getcontext()
        if self._special:
            return self if self._sign == sign else _made(self._sign, 10 ** c.prec - 1, c.Etop())
        with localcontext(c) as work:
            work.clear_traps()
            work.rounding = ROUND_FLOOR if sign else ROUND_CEILING
            made = self._fix(work)
            if made != self:
                return made
            return self._add(_made(sign, 1, work.Etiny() - 1))

    def next_plus(self, context=None):
        return self._near(0)

    def next_minus(self, context=None):
        return self._near(1)

    def next_toward(self, other, context=None):
        c = self._compare(_operand(other))
        return self.copy_sign(_operand(other)) if c == 0 else self._near(int(c > 0))

    def _pick(self, other, largest, magnitude=False):
        other = _operand(other)
        if self._is_nan() or other._is_nan():
            if 's' not in (self._special, other._special):
                if not other._is_nan():
                    return other._fix()
                if not self._is_nan():
                    return self._fix()
            return self._nan(other)
        a, b = (self.copy_abs(), other.copy_abs()) if magnitude else (self, other)
        c = a._compare(b) or int(self.compare_total(other))
        return (self if (c > 0) == largest else other)._fix()

    def max(self, other, context=None):
        return self._pick(other, True)

    def min(self, other, context=None):
        return self._pick(other, False)

    def max_mag(self, other, context=None):
        return self._pick(other, True, True)

    def min_mag(self, other, context=None):
        return self._pick(other, False, True)

    # What it is.
    def as_tuple(self):
        if self._special == 'i':
            return DecimalTuple(self._sign, (0,), 'F')
        digits = tuple(map(int, str(self._n)))
        if self._special:
            return DecimalTuple(self._sign, digits if self._n else (),
                                'N' if self._special == 's' else 'n')
        return DecimalTuple(self._sign, digits, self._exp)

    def as_integer_ratio(self):
        if self._special:
            if self._special == 'i':
                raise OverflowError('cannot convert Infinity to integer ratio')
            raise ValueError('cannot convert NaN to integer ratio')
        n = -self._n if self._sign else self._n
        if self._exp >= 0:
            return n * 10 ** self._exp, 1
        d = 10 ** -self._exp
        g = _math.gcd(n, d)
        return n // g, d // g

    def adjusted(self):
        return 0 if self._special else self._adjusted()

    def copy_abs(self):
        return _made(0, self._n, self._exp, self._special)

    def copy_negate(self):
        return _made(1 - self._sign, self._n, self._exp, self._special)

    def copy_sign(self, other, context=None):
        return _made(_operand(other)._sign, self._n, self._exp, self._special)

    def canonical(self):
        return self

    def conjugate(self):
        return self

    def radix(self):
        return Decimal(10)

    def _logical(self, other=None):
        # The coefficients as lists of zeros and ones as long as the precision, or None.
        prec = getcontext().prec
        found = []
        for v in (self,) if other is None else (self, _must(other)):
            text = str(v._n)
            if v._special or v._sign or v._exp or set(text) - {'0', '1'}:
                getcontext()._raise(InvalidOperation)
                return None
            found.append([int(d) for d in text[-prec:].rjust(prec, '0')])
        return found

    def _bits(self, other, combine):
        found = self._logical(other)
        if found is None:
            return _NaN
        return Decimal(''.join([str(combine(a, b)) for a, b in zip(*found)]))

    def logical_and(self, other, context=None):
        return self._bits(other, lambda a, b: a & b)

    def logical_or(self, other, context=None):
        return self._bits(other, lambda a, b: a | b)

    def logical_xor(self, other, context=None):
        return self._bits(other, lambda a, b: a ^ b)

    def logical_invert(self, context=None):
        found = self._logical()
        return _NaN if found is None else Decimal(''.join([str(1 - d) for d in found[0]]))

    def _moved(self, other, turn):
        other = _must(other)
        nan = self._nan(other)
        if nan is not None:
            return nan
        prec = getcontext().prec
        if other._special or other._exp or other._n > prec:
            return getcontext()._raise(InvalidOperation)
        if self._special:
            return self
        digits = str(self._n)[-prec:].rjust(prec, '0')
        by = -other._n if other._sign else other._n
        if turn:
            digits = digits[by % prec:] + digits[:by % prec]
        else:
            digits = (digits + '0' * by)[-prec:] if by >= 0 else digits[:by]
        return _made(self._sign, int(digits or '0'), self._exp)

    def rotate(self, other, context=None):
        return self._moved(other, True)

    def shift(self, other, context=None):
        return self._moved(other, False)

    real = property(lambda self: self)
    imag = property(lambda self: Decimal(0))

    def is_canonical(self):
        return True

    def is_finite(self):
        return not self._special

    def is_infinite(self):
        return self._special == 'i'

    def is_nan(self):
        return self._special in ('q', 's')

    def is_qnan(self):
        return self._special == 'q'

    def is_snan(self):
        return self._special == 's'

    def is_signed(self):
        return self._sign == 1

    def is_zero(self):
        return not self._special and self._n == 0

    def is_normal(self, context=None):
        return bool(not self._special and self._n
                    and (context or getcontext()).Emin <= self._adjusted())

    def is_subnormal(self, context=None):
        return bool(not self._special and self._n
                    and self._adjusted() < (context or getcontext()).Emin)

    def number_class(self, context=None):
        if self._is_nan():
            return 'sNaN' if self._special == 's' else 'NaN'
        sign = '-' if self._sign else '+'
        return sign + ('Infinity' if self._special else 'Zero' if not self._n else
                       'Subnormal' if self.is_subnormal(context) else 'Normal')

    def same_quantum(self, other, context=None):
        other = _operand(other)
        if self._special or other._special:
            return (self._is_nan() and other._is_nan()) or self._special == other._special
        return self._exp == other._exp

    def __int__(self):
        if self._special == 'i':
            raise OverflowError('cannot convert Infinity to integer')
        if self._special:
            raise ValueError('cannot convert NaN to integer')
        n = self._n * 10 ** self._exp if self._exp >= 0 else self._n // 10 ** -self._exp
        return -n if self._sign else n

    __trunc__ = __int__

    def __float__(self):
        if self._special == 's':
            raise ValueError('cannot convert signaling NaN to float')
        return float(str(self).split('N')[0] + 'nan') if self._is_nan() else float(str(self))

    def __complex__(self):
        return complex(float(self))

    def __floor__(self):
        return int(self if self._special else self._to_exp(0, ROUND_FLOOR) if self._exp < 0 else self)

    def __ceil__(self):
        return int(self if self._special else self._to_exp(0, ROUND_CEILING) if self._exp < 0
                   else self)

    def __round__(self, n=None):
        if n is not None:
            return self.quantize(_made(0, 1, -n))
        if self._special == 'i':
            raise OverflowError('cannot convert Infinity to integer')
        if self._special:
            raise ValueError('cannot convert NaN to integer')
        return int(self.to_integral_value(ROUND_HALF_EVEN))

    def __reduce__(self):
        return (self.__class__, (str(self),))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


_SPEC = _re.compile(r'(?:(?P<fill>.)?(?P<align>[<>=^]))?(?P<sign>[-+ ])?(?P<alt>\#)?(?P<zero>0)?'
                    r'(?P<width>\d+)?(?P<comma>,)?(?:\.(?P<prec>\d+))?(?P<type>[eEfFgGn%])?\Z',
                    _re.DOTALL)
_numbers.Number.register(Decimal)


def _ln_fixed(v, digits):
    """ln(v) * 10**digits, good to a few units."""
    digits += 5
    one = 10 ** digits
    k = v._adjusted()
    x = v._n * 10 ** (digits - k + v._exp) if digits - k + v._exp >= 0 else \
        v._n // 10 ** (k - v._exp - digits)

    def small(y):  # y near one, by roots and the series of artanh
        roots = 0
        while abs(y - one) * 20 > one:
            y = _math.isqrt(y * one)
            roots += 1
        z = (y - one) * one // (y + one)
        square, total, term, i = z * z // one, 0, z, 1
        while term:
            total += term // i
            term = term * square // one
            i += 2
        return (2 * total) << roots
    made = small(x)
    if k:
        made += k * small(10 * one)
    return made // 10 ** 5


def _exp_fixed(n, digits, exp, plain=False):
    """e to n * 10**exp (plain), or to n * 10**(exp - digits), as a number and its exponent."""
    exp -= 0 if plain else digits
    work = digits + 10
    size = max(len(str(abs(n))) + exp, 0)
    wide = work + size
    x = n * 10 ** (wide + exp) if wide + exp >= 0 else n // 10 ** -(wide + exp)
    ten = _ln_fixed(Decimal(10), wide)
    k, rest = divmod(x, ten)
    one = 10 ** work
    rest //= 10 ** size
    halves = 8
    rest >>= halves
    total, term, i = one, one, 1
    while term:
        term = term * rest // (one * i)
        total += term
        i += 1
    for _ in range(halves):
        total = total * total // one
    return total, k - work


def _exact_root(base, power, c):
    """base ** power where that is exact and the power is a fraction."""
    n, d = power.as_integer_ratio()
    if d > 64 or abs(n) > 1000:
        return None
    if n < 0:
        root = _exact_root(base, _made(0, power._n, power._exp), c)
        return None if root is None else Decimal(1)._div(root)
    m, exp = base._n, base._exp
    while m % 10 == 0:
        m, exp = m // 10, exp + 1
    if exp % d:
        return None
    guess = int(round(m ** (1.0 / d))) if m < 10 ** 300 else 0
    for root in (guess - 1, guess, guess + 1):
        if root > 0 and root ** d == m:
            made = _made(0, root ** n, exp // d * n)
            c._raise(Inexact)  # as everything that is not an integer power
            c._raise(Rounded)
            return made._to_digits(max(c.prec, _digits(made._n)), ROUND_DOWN, 0)._fix(c)
    return None


_NaN = _made(0, 0, 0, 'q')
_TRAPS = [DivisionByZero, Overflow, InvalidOperation]
DefaultContext = Context(28, ROUND_HALF_EVEN, -999999, 999999, 1, 0, [], _TRAPS)
_names = ('DefaultContext',)
BasicContext = Context(9, ROUND_HALF_UP, traps=_TRAPS + [Clamped, Underflow], flags=[])
ExtendedContext = Context(9, ROUND_HALF_EVEN, traps=[], flags=[])
_current = DefaultContext.copy()
_now[1] = Decimal
_tune(_current)


def getcontext():
    return _current


def setcontext(context):
    global _current
    if context in (DefaultContext, BasicContext, ExtendedContext):
        context = context.copy()
        context.clear_flags()
    _current = context
    _tune(context)


class localcontext:
    def __init__(self, ctx=None, _same=False, **kwargs):
        ctx = getcontext() if ctx is None else ctx
        self._new = ctx if _same else ctx.copy()
        for name, value in kwargs.items():
            if name not in ('prec', 'rounding', 'Emin', 'Emax', 'capitals', 'clamp', 'flags',
                            'traps'):
                raise TypeError(f"'{name}' is an invalid keyword argument for this function")
            setattr(self._new, name, value)

    def __enter__(self):
        global _current
        self._old, _current = _current, self._new
        _tune(_current)
        return self._new

    def __exit__(self, *info):
        global _current
        _current = self._old
        _tune(_current)
