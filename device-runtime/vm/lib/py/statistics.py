"""Averages and spread. Sums are exact fractions of whole numbers, rounded once at the end."""
from bisect import bisect_left, bisect_right
from collections import Counter, namedtuple
from math import erf, exp, fabs, fsum, gcd, hypot as _hypot, isqrt, lcm, log, sqrt, tau
from random import Random as _Random
import random as _random_module

__all__ = ["NormalDist", "StatisticsError", "correlation", "covariance", "fmean",
           "geometric_mean", "harmonic_mean", "linear_regression", "mean", "median",
           "median_grouped", "median_high", "median_low", "mode", "multimode", "pstdev",
           "pvariance", "quantiles", "stdev", "variance"]


class StatisticsError(ValueError):
    pass


_SPECIAL = object()


def _ratio(x):
    """x as whole numbers (numerator, denominator), or (x, None) for inf and nan."""
    try:
        return x.as_integer_ratio()
    except AttributeError:
        pass
    except (OverflowError, ValueError):
        return x, None
    try:
        return x.numerator, x.denominator
    except AttributeError:
        raise TypeError("can't convert type '%s' to numerator/denominator"
                        % type(x).__name__) from None


def _join(t, s):
    """The type of a result of numbers of the types t and s."""
    if t is s or s is int or s is bool:
        return t
    if t is int or t is bool:
        return s
    if issubclass(s, t):
        return s
    if issubclass(t, s):
        return t
    if issubclass(t, int):
        return s
    if issubclass(s, int):
        return t
    if issubclass(t, float) or issubclass(s, float):
        if (s if issubclass(t, float) else t).__name__ == 'Fraction':
            return t if issubclass(t, float) else s
    raise TypeError("don't know how to coerce %s and %s" % (t.__name__, s.__name__))


def _sum(data):
    """(type, numerator, denominator, count); the denominator is None when the sum is not finite."""
    kind = int
    count = 0
    parts = {}
    special = None
    for x in data:
        if type(x) is not kind:
            kind = _join(kind, type(x))
        n, d = _ratio(x)
        if d is None:
            special = n if special is None else special + n
        else:
            parts[d] = parts.get(d, 0) + n
        count += 1
    if special is not None:
        return kind, special, None, count
    n, d = 0, 1
    for below, top in parts.items():
        n, d = n * below + top * d, d * below
        common = gcd(n, d)
        n //= common
        d //= common
    return kind, n, d, count


def _squares(data, center=None):
    """(type, numerator, denominator of the sum of squares about the mean or center,
    (numerator, denominator) of the mean, count)."""
    data = list(data)
    if center is not None:
        kind, n, d, count = _sum((x - center) * (x - center) for x in data)
        return kind, n, d, _ratio(center), count
    kind, n, d, count = _sum(data)
    if not count:
        return kind, 0, 1, (0, 1), 0
    if d is None:
        return kind, n, None, (n, None), count
    # Over one denominator: the squares' sum less the sum's square over the count.
    pairs = [_ratio(x) for x in data]
    below = lcm(*{b for _, b in pairs})
    times = {b: below // b for _, b in pairs}
    first = second = 0
    for a, b in pairs:
        a *= times[b]
        first += a
        second += a * a
    return kind, count * second - first * first, count * below * below, (n, d * count), count


def _result(n, d, kind):
    if d is None:
        return n
    common = gcd(n, d) or 1
    n, d = n // common, d // common
    if issubclass(kind, int) and d != 1:
        kind = float
    if kind is float:
        return n / d
    if issubclass(kind, (int, float)):
        return kind(n // d if issubclass(kind, int) else n / d)
    if hasattr(kind, 'quantize'):  # a Decimal takes a context there
        return kind(n) / kind(d)
    try:
        return kind(n, d)
    except TypeError:
        return kind(n) / kind(d)


def _root(n, d, kind):
    """The square root of n / d, rounded once."""
    if hasattr(kind, 'quantize'):
        import decimal
        with decimal.localcontext() as context:
            context.prec += 12
            root = (kind(n) / kind(d)).sqrt()
        return +root
    if not n:
        return 0.0
    shift = (n.bit_length() - d.bit_length() - 109) // 2
    if shift >= 0:
        a, b = n, d << 2 * shift
    else:
        a, b = n << -2 * shift, d
    root = isqrt(a // b)
    root |= root * root * b != a
    return float(root << shift) if shift >= 0 else root / (1 << -shift)


def mean(data):
    kind, n, d, count = _sum(data)
    if count < 1:
        raise StatisticsError("mean requires at least one data point")
    return n / count if d is None else _result(n, d * count, kind)


def fmean(data, weights=None):
    if weights is None:
        data = list(data)
        if not data:
            raise StatisticsError("fmean requires at least one data point")
        return fsum(data) / len(data)
    data, weights = list(data), list(weights)
    if len(data) != len(weights):
        raise StatisticsError("data and weights must be the same length")
    total = fsum(weights)
    if not total:
        raise StatisticsError("sum of weights must be non-zero")
    return fsum(x * w for x, w in zip(data, weights)) / total


def geometric_mean(data):
    try:
        return exp(fmean(map(log, data)))
    except ValueError:
        raise StatisticsError("geometric mean requires a non-empty dataset containing positive "
                              "numbers") from None


def _positive(values, text):
    for x in values:
        if x < 0:
            raise StatisticsError(text)
        yield x


def harmonic_mean(data, weights=None):
    data = list(data)
    text = "harmonic mean does not support negative values"
    n = len(data)
    if n < 1:
        raise StatisticsError("harmonic_mean requires at least one data point")
    if n == 1 and weights is None:
        if isinstance(data[0], (int, float)):
            if data[0] < 0:
                raise StatisticsError(text)
            return data[0]
        raise TypeError("unsupported type")
    if weights is None:
        weights = [1] * n
        total = n
    else:
        weights = list(weights)
        if len(weights) != n:
            raise StatisticsError("Number of weights does not match data size")
        kind, top, below, _ = _sum(_positive(weights, text))
        total = _result(top, below, kind)
    try:
        kind, a, b, _ = _sum(w / x if w else 0 for w, x in zip(weights, _positive(data, text)))
    except ZeroDivisionError:
        return 0
    if a <= 0:
        raise StatisticsError("Weighted sum must be positive")
    n, d = _ratio(total)
    return _result(n * b, d * a, kind)


def median(data):
    data = sorted(data)
    n = len(data)
    if not n:
        raise StatisticsError("no median for empty data")
    return data[n // 2] if n % 2 else (data[n // 2 - 1] + data[n // 2]) / 2


def median_low(data):
    data = sorted(data)
    if not data:
        raise StatisticsError("no median for empty data")
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = sorted(data)
    if not data:
        raise StatisticsError("no median for empty data")
    return data[len(data) // 2]


def median_grouped(data, interval=1.0):
    data = sorted(data)
    n = len(data)
    if not n:
        raise StatisticsError("no median for empty data")
    x = data[n // 2]
    first = bisect_left(data, x)
    last = bisect_right(data, x, lo=first)
    try:
        interval, x = float(interval), float(x)
    except ValueError:
        raise TypeError("Value cannot be converted to a float")
    return x - interval / 2.0 + interval * (n / 2 - first) / (last - first)


def mode(data):
    pairs = Counter(iter(data)).most_common(1)
    if not pairs:
        raise StatisticsError("no mode for empty data") from None
    return pairs[0][0]


def multimode(data):
    counts = Counter(iter(data))
    if not counts:
        return []
    most = max(counts.values())
    return [value for value, count in counts.items() if count == most]


def quantiles(data, *, n=4, method="exclusive"):
    if n < 1:
        raise StatisticsError("n must be at least 1")
    data = sorted(data)
    size = len(data)
    if size < 2:
        raise StatisticsError("must have at least two data points")
    out = []
    if method == "inclusive":
        for i in range(1, n):
            j, delta = divmod(i * (size - 1), n)
            out.append((data[j] * (n - delta) + data[j + 1] * delta) / n)
        return out
    if method == "exclusive":
        for i in range(1, n):
            j = i * (size + 1) // n
            j = 1 if j < 1 else size - 1 if j > size - 1 else j
            delta = i * (size + 1) - j * n
            out.append((data[j - 1] * (n - delta) + data[j] * delta) / n)
        return out
    raise ValueError(f"Unknown method: {method!r}")


def variance(data, xbar=None):
    kind, n, d, _, count = _squares(data, xbar)
    if count < 2:
        raise StatisticsError("variance requires at least two data points")
    return n if d is None else _result(n, d * (count - 1), kind)


def pvariance(data, mu=None):
    kind, n, d, _, count = _squares(data, mu)
    if count < 1:
        raise StatisticsError("pvariance requires at least one data point")
    return n if d is None else _result(n, d * count, kind)


def stdev(data, xbar=None):
    kind, n, d, _, count = _squares(data, xbar)
    if count < 2:
        raise StatisticsError("stdev requires at least two data points")
    return n if d is None else _root(n, d * (count - 1), kind)


def pstdev(data, mu=None):
    kind, n, d, _, count = _squares(data, mu)
    if count < 1:
        raise StatisticsError("pstdev requires at least one data point")
    return n if d is None else _root(n, d * count, kind)


def covariance(x, y, /):
    n = len(x)
    if len(y) != n:
        raise StatisticsError("covariance requires that both inputs have same number of data "
                              "points")
    if n < 2:
        raise StatisticsError("covariance requires at least two data points")
    xbar, ybar = fsum(x) / n, fsum(y) / n
    return fsum((a - xbar) * (b - ybar) for a, b in zip(x, y)) / (n - 1)


def correlation(x, y, /):
    n = len(x)
    if len(y) != n:
        raise StatisticsError("correlation requires that both inputs have same number of data "
                              "points")
    if n < 2:
        raise StatisticsError("correlation requires at least two data points")
    xbar, ybar = fsum(x) / n, fsum(y) / n
    sxy = fsum((a - xbar) * (b - ybar) for a, b in zip(x, y))
    sxx = fsum((d := a - xbar) * d for a in x)
    syy = fsum((d := b - ybar) * d for b in y)
    try:
        return sxy / sqrt(sxx * syy)
    except ZeroDivisionError:
        raise StatisticsError("at least one of the inputs is constant")


LinearRegression = namedtuple("LinearRegression", ("slope", "intercept"))


def linear_regression(x, y, /, *, proportional=False):
    n = len(x)
    if len(y) != n:
        raise StatisticsError("linear regression requires that both inputs have same number of "
                              "data points")
    if n < 2:
        raise StatisticsError("linear regression requires at least two data points")
    if proportional:
        sxy = fsum(a * b for a, b in zip(x, y))
        sxx = fsum(a * a for a in x)
    else:
        xbar, ybar = fsum(x) / n, fsum(y) / n
        sxy = fsum((a - xbar) * (b - ybar) for a, b in zip(x, y))
        sxx = fsum((d := a - xbar) * d for a in x)
    try:
        slope = sxy / sxx
    except ZeroDivisionError:
        raise StatisticsError("x is constant")
    return LinearRegression(slope=slope, intercept=0.0 if proportional else ybar - slope * xbar)


# Wichura, Algorithm AS 241: numerators and denominators of three ranges, highest power first.
_AS241 = (
    ((2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4, 4.5921953931549871457e+4,
      1.3731693765509461125e+4, 1.9715909503065514427e+3, 1.3314166789178437745e+2, 3.3871328727963666080e+0),
     (5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4, 2.1213794301586595867e+4,
      5.3941960214247511077e+3, 6.8718700749205790830e+2, 4.2313330701600911252e+1, 1.0)),
    ((7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e+0,
      3.64784832476320460504e+0, 5.76949722146069140550e+0, 4.63033784615654529590e+0, 1.42343711074968357734e+0),
     (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
      6.89767334985100004550e-1, 1.67638483018380384940e+0, 2.05319162663775882187e+0, 1.0)),
    ((2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
      2.96560571828504891230e-1, 1.78482653991729133580e+0, 5.46378491116411436990e+0, 6.65790464350110377720e+0),
     (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
      1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0)),
)


def _polynomial(coefficients, r):
    value = coefficients[0]
    for c in coefficients[1:]:
        value = value * r + c
    return value


def _inverse_cdf(p, mu, sigma):
    q = p - 0.5
    if fabs(q) <= 0.425:
        r = 0.180625 - q * q
        top, below = _AS241[0]
        return mu + _polynomial(top, r) * q / _polynomial(below, r) * sigma
    r = sqrt(-log(p if q <= 0.0 else 1.0 - p))
    top, below = _AS241[1 if r <= 5.0 else 2]
    r = r - 1.6 if r <= 5.0 else r - 5.0
    x = _polynomial(top, r) / _polynomial(below, r)
    return mu + (-x if q < 0.0 else x) * sigma


class NormalDist:
    __slots__ = {"_mu": "Arithmetic mean of a normal distribution",
                 "_sigma": "Standard deviation of a normal distribution"}

    def __init__(self, mu=0.0, sigma=1.0):
        if sigma < 0.0:
            raise StatisticsError("sigma must be non-negative")
        self._mu = float(mu)
        self._sigma = float(sigma)

    @classmethod
    def from_samples(cls, data):
        data = list(data)
        kind, n, d, center, count = _squares(data)
        if count < 2:
            raise StatisticsError("stdev requires at least two data points")
        return cls(center[0] / center[1], _root(n, d * (count - 1), kind))

    def samples(self, n, *, seed=None):
        gauss = _random_module.gauss if seed is None else _Random(seed).gauss
        return [gauss(self._mu, self._sigma) for _ in range(n)]

    def pdf(self, x):
        variance = self._sigma * self._sigma
        if not variance:
            raise StatisticsError("pdf() not defined when sigma is zero")
        diff = x - self._mu
        return exp(diff * diff / (-2.0 * variance)) / sqrt(tau * variance)

    def cdf(self, x):
        if not self._sigma:
            raise StatisticsError("cdf() not defined when sigma is zero")
        return 0.5 * (1.0 + erf((x - self._mu) / (self._sigma * sqrt(2.0))))

    def inv_cdf(self, p):
        if p <= 0.0 or p >= 1.0:
            raise StatisticsError("p must be in the range 0.0 < p < 1.0")
        if self._sigma <= 0.0:
            raise StatisticsError("cdf() not defined when sigma at or below zero")
        return _inverse_cdf(p, self._mu, self._sigma)

    def quantiles(self, n=4):
        return [self.inv_cdf(i / n) for i in range(1, n)]

    def overlap(self, other):
        if not isinstance(other, NormalDist):
            raise TypeError("Expected another NormalDist instance")
        x, y = self, other
        if (y._sigma, y._mu) < (x._sigma, x._mu):
            x, y = y, x
        xv, yv = x.variance, y.variance
        if not xv or not yv:
            raise StatisticsError("overlap() not defined when sigma is zero")
        dv = yv - xv
        dm = fabs(y._mu - x._mu)
        if not dv:
            return 1.0 - erf(dm / (2.0 * x._sigma * sqrt(2.0)))
        a = x._mu * yv - y._mu * xv
        b = x._sigma * y._sigma * sqrt(dm * dm + dv * log(yv / xv))
        x1, x2 = (a + b) / dv, (a - b) / dv
        return 1.0 - (fabs(y.cdf(x1) - x.cdf(x1)) + fabs(y.cdf(x2) - x.cdf(x2)))

    def zscore(self, x):
        if not self._sigma:
            raise StatisticsError("zscore() not defined when sigma is zero")
        return (x - self._mu) / self._sigma

    mean = property(lambda self: self._mu)
    median = property(lambda self: self._mu)
    mode = property(lambda self: self._mu)
    stdev = property(lambda self: self._sigma)
    variance = property(lambda self: self._sigma * self._sigma)

    def __add__(self, other):
        if isinstance(other, NormalDist):
            return NormalDist(self._mu + other._mu, _hypot(self._sigma, other._sigma))
        return NormalDist(self._mu + other, self._sigma)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, NormalDist):
            return NormalDist(self._mu - other._mu, _hypot(self._sigma, other._sigma))
        return NormalDist(self._mu - other, self._sigma)

    def __rsub__(self, other):
        return -(self - other)

    def __mul__(self, other):
        return NormalDist(self._mu * other, self._sigma * fabs(other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return NormalDist(self._mu / other, self._sigma / fabs(other))

    def __pos__(self):
        return NormalDist(self._mu, self._sigma)

    def __neg__(self):
        return NormalDist(-self._mu, self._sigma)

    def __eq__(self, other):
        if not isinstance(other, NormalDist):
            return NotImplemented
        return self._mu == other._mu and self._sigma == other._sigma

    def __hash__(self):
        return hash((self._mu, self._sigma))

    def __repr__(self):
        return f"{type(self).__name__}(mu={self._mu!r}, sigma={self._sigma!r})"
