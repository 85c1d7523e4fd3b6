"""Abstract classes of numbers: Complex, Real, Rational, Integral."""
from abc import ABCMeta, abstractmethod

__all__ = ['Number', 'Complex', 'Real', 'Rational', 'Integral']


class Number(metaclass=ABCMeta):
    __slots__ = ()
    __hash__ = None


def _abstract(*names):
    def make(name):
        def method(self, *args):
            raise NotImplementedError
        method.__name__ = name
        return abstractmethod(method)
    return {f'__{name}__': make(f'__{name}__') for name in names}


class Complex(Number):
    __slots__ = ()
    locals().update(_abstract('complex', 'add', 'radd', 'neg', 'pos', 'mul', 'rmul', 'truediv',
                              'rtruediv', 'pow', 'rpow', 'abs', 'eq'))

    def __bool__(self):
        return self != 0

    @property
    @abstractmethod
    def real(self):
        raise NotImplementedError

    @property
    @abstractmethod
    def imag(self):
        raise NotImplementedError

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    @abstractmethod
    def conjugate(self):
        raise NotImplementedError


Complex.register(complex)


class Real(Complex):
    __slots__ = ()
    locals().update(_abstract('float', 'trunc', 'floor', 'ceil', 'round', 'floordiv', 'rfloordiv',
                              'mod', 'rmod', 'lt', 'le'))

    def __divmod__(self, other):
        return (self // other, self % other)

    def __rdivmod__(self, other):
        return (other // self, other % self)

    def __complex__(self):
        return complex(float(self))

    @property
    def real(self):
        return +self

    @property
    def imag(self):
        return 0

    def conjugate(self):
        return +self


Real.register(float)


class Rational(Real):
    __slots__ = ()

    @property
    @abstractmethod
    def numerator(self):
        raise NotImplementedError

    @property
    @abstractmethod
    def denominator(self):
        raise NotImplementedError

    def __float__(self):
        return int(self.numerator) / int(self.denominator)


class Integral(Rational):
    __slots__ = ()
    locals().update(_abstract('int', 'lshift', 'rlshift', 'rshift', 'rrshift', 'and', 'rand', 'xor',
                              'rxor', 'or', 'ror', 'invert'))

    def __index__(self):
        return int(self)

    def __float__(self):
        return float(int(self))

    @property
    def numerator(self):
        return +self

    @property
    def denominator(self):
        return 1


Integral.register(int)
