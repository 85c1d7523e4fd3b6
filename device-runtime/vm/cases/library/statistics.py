#---- statistics
import statistics as S
print(S.mean([1,2,3,4]), S.mean([1,2,3]), S.mean([1.5,2.5,0.1]), S.fmean([1,2,4]), S.fmean([1,2],weights=[1,3]), S.geometric_mean([54,24,36]), S.harmonic_mean([40,60]), S.harmonic_mean([40,60],weights=[5,30]), S.median([1,3,2]), S.median([1,2,3,4]), S.median_low([1,2,3,4]), S.median_high([1,2,3,4]), S.median_grouped([1,2,2,3,4,4,4,5]), S.mode([1,1,2]), S.multimode("aabbc"))
print(S.stdev([1.5,2.5,2.5,2.75,3.25,4.75]), S.pstdev([1.5,2.5,2.5,2.75,3.25,4.75]), S.variance([2.75,1.75,1.25,0.25,0.5,1.25,3.5]), S.pvariance([0.0,0.25,0.25,1.25,1.5,1.75,2.75,3.25]), S.variance([1,2,3,4]), S.pvariance([1,2,3]), S.stdev([1,2,3,4,5]), S.variance([1,2,3,9],xbar=3.75), S.stdev([10**20,10**20+1,10**20+2]))
print(S.quantiles([1,2,3,4,5,6,7]), S.quantiles(range(1,100),n=10), S.quantiles([1,5,9,10],method='inclusive'), S.covariance([1,2,3],[4,5,9]), S.correlation([1,2,3],[4,5,9]), S.linear_regression([1,2,3],[4,5,9]), S.linear_regression([1,2,3],[4,5,9],proportional=True))
n=S.NormalDist(100,15)
print(n, n.pdf(110), n.cdf(110), n.inv_cdf(0.9), n.inv_cdf(1e-9), n.inv_cdf(0.3), n.quantiles(), n.overlap(S.NormalDist(110,12)), n.zscore(130), n+5, n*2, -n, n+n, S.NormalDist.from_samples([1,2,3,4]), n.samples(2,seed=1), n.variance, n==S.NormalDist(100,15))
for f in (lambda:S.mean([]),lambda:S.median([]),lambda:S.mode([]),lambda:S.stdev([1]),lambda:S.variance([]),lambda:S.harmonic_mean([-1,2]),lambda:S.geometric_mean([0]),lambda:S.quantiles([1]),lambda:S.mean(['a']),lambda:S.correlation([1,1],[1,2]),lambda:n.inv_cdf(2),lambda:S.NormalDist(0,-1),lambda:S.fmean([])):
    try: print(f())
    except (S.StatisticsError, TypeError) as e: print(type(e).__name__, e)
#---- statistics, modules
from statistics import *
import statistics
from fractions import Fraction
from decimal import Decimal
def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
d = [1, 2, 2, 3, 4.5]
for f in (mean, fmean, geometric_mean, harmonic_mean, median, median_low, median_high, median_grouped, mode, multimode, pstdev, pvariance, stdev, variance, quantiles):
    t(lambda: (f.__name__, f(d)))
    t(lambda: (f.__name__, f([])))
    t(lambda: (f.__name__, f([1])))
    t(lambda: (f.__name__, f([Fraction(1, 3), Fraction(2, 3)])))
    t(lambda: (f.__name__, f([Decimal('1.5'), Decimal('2')])))
    t(lambda: (f.__name__, f(['a', 'b'])))
    t(lambda: (f.__name__, f([-1, 0, 1])))
t(lambda: quantiles(range(10), n=10))
t(lambda: quantiles(range(10), method='inclusive'))
t(lambda: quantiles([1, 2], n=0))
t(lambda: quantiles([1, 2], method='x'))
t(lambda: fmean([1, 2], weights=[1, 3]))
t(lambda: fmean([1, 2], weights=[1]))
t(lambda: harmonic_mean([1, 2], weights=[1, 3]))
t(lambda: covariance([1, 2, 3], [1, 2, 4]))
t(lambda: correlation([1, 2, 3], [1, 2, 4]))
t(lambda: linear_regression([1, 2, 3], [1, 2, 4]))
t(lambda: linear_regression([1, 2, 3], [2, 4, 6], proportional=True))
t(lambda: correlation([1], [2]))
t(lambda: correlation([1, 1], [2, 3]))
t(lambda: covariance([1, 2], [1]))
n = NormalDist(100, 15)
print(n, n.mean, n.stdev, n.variance, n.median, n.mode, n.pdf(100), n.cdf(110), n.inv_cdf(0.9), n.zscore(130), n.quantiles(4), n + 5, n * 2, n - NormalDist(1, 1), -n, n / 2, 5 + n, n == NormalDist(100, 15), n.overlap(NormalDist(90, 10)), hash(n) == hash(NormalDist(100, 15)))
t(lambda: NormalDist(1, -1))
t(lambda: NormalDist.from_samples([1, 2, 3]))
t(lambda: n.samples(3, seed=1))
t(lambda: n.inv_cdf(0))
t(lambda: NormalDist(0, 0).pdf(1))
t(lambda: pvariance([1, 2, 3], mu=2))
t(lambda: variance([1, 2, 3], 2))
t(lambda: mean(5))
t(lambda: mode('aabbb'))
t(lambda: multimode('aabb'))
t(lambda: median_grouped([1, 2, 2, 3], interval=2))
