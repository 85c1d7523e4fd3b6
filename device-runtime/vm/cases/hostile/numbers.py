#---- tower of powers: instructions|memory|raised|time
x = 3
while True:
    x = x ** x
#---- huge power: instructions|memory|raised|time
10 ** 10 ** 10
#---- huge power of a negative: instructions|memory|raised|time
(-7) ** (10 ** 9)
#---- shift beyond memory: memory|raised
1 << 10 ** 12
#---- shift beyond all: memory|raised
1 << 10 ** 30
#---- shift by a negative: raised
1 << -1
#---- squares for ever: instructions|memory|raised|time
x = 3
while True:
    x = x * x
#---- pow with modulus for ever: instructions|time|raised
x = 3
m = 10 ** 2000 + 7
while True:
    x = pow(x, m, m)
#---- text of a huge number: instructions|memory|raised|time
while True:
    str(1 << 200000)
#---- number of a huge text: instructions|memory|raised|time
s = '7' * 1000000
while True:
    int(s)
#---- division of huge numbers: instructions|memory|raised|time
x = (1 << 120000) - 1
y = (1 << 60000) - 3
while True:
    x // y
#---- remainder of huge numbers: instructions|memory|raised|time
x = (1 << 120000) - 1
y = (1 << 60000) - 3
while True:
    x % y
#---- products of huge numbers: instructions|memory|raised|time
x = (1 << 120000) - 1
while True:
    x * x
#---- sums of huge numbers: instructions|memory|raised|time
x = (1 << 120000) - 1
while True:
    x + x
#---- hash of a huge number: instructions|memory|raised|time
x = (1 << 120000) - 1
while True:
    hash(x)
#---- factorial: instructions|memory|raised|time
import math
math.factorial(10 ** 7)
#---- factorial of nothing like a number: raised
import math
math.factorial(-1)
#---- comb: instructions|memory|raised|time
import math
math.comb(10 ** 7, 5 * 10 ** 6)
#---- perm: instructions|memory|raised|time
import math
math.perm(10 ** 7)
#---- gcd of huge numbers: instructions|memory|raised|time
import math
a = 3 ** 60000
b = 5 ** 40000
while True:
    math.gcd(a, b)
#---- isqrt of a huge number: instructions|memory|raised|time
import math
x = (1 << 120000) - 1
while True:
    math.isqrt(x)
#---- float of a huge number: raised
float(10 ** 400)
#---- overflow: raised
2.0 ** 10000
#---- division by zero: raised
1 / 0
#---- round to huge digits: ok|raised
round(1.5, 10 ** 10)
round(15, -10 ** 10)
#---- round of a huge number: ok|raised|instructions|memory
round(10 ** 3000, -2999)
#---- format of a huge number: ok|raised|memory|instructions
'{:,}'.format(1 << 100000)
#---- hex of a huge number: ok|memory|instructions|raised
while True:
    hex(1 << 120000)
#---- bits of a huge number: instructions|raised|memory
x = (1 << 120000) - 1
while True:
    x.bit_length()
    bin(x)
#---- to_bytes of a huge count: memory|raised
(1).to_bytes(10 ** 10, 'big')
#---- from_bytes of much: ok|instructions|memory|raised
while True:
    int.from_bytes(b'\xff' * 100000, 'big')
#---- range with a huge step: ok|raised
list(range(0, 10 ** 30, 10 ** 29))
#---- range with step zero: raised
range(1, 2, 0)
#---- prod: instructions|memory|raised|time
import math
math.prod(range(1, 10 ** 7))
#---- fsum without end: instructions|memory
import math
math.fsum(iter(float, 1.0))
#---- int with a huge base: raised
int('1', 10 ** 10)
#---- complex things: ok|raised|syntax
(1e308 + 1e308j) ** 100
#---- not operations of huge numbers: instructions|raised|memory
x = 1 << 120000
while True:
    ~x & -x ^ x
