#---- sequences
import random
r = random.Random(42)
print([r.random() for _ in range(3)], r.randint(1, 100), r.randrange(0, 1000, 7), r.getrandbits(10), r.getrandbits(100), r.choice("abcdef"), r.uniform(1, 5), r.randbytes(5))
x = list(range(20))
r.shuffle(x)
print(x, r.sample(range(1000), 5), r.sample(range(10), 10), r.choices("abc", k=5), r.choices([1, 2, 3], weights=[5, 1, 1], k=6), r.choices("xy", cum_weights=[1, 4], k=4), r.sample(["a", "b"], counts=[3, 4], k=4))
print(r.gauss(0, 1), r.gauss(5, 2), r.normalvariate(0, 1), r.expovariate(1.5), r.betavariate(2, 3), r.gammavariate(0.5, 1), r.gammavariate(2, 3), r.gammavariate(1, 2), r.lognormvariate(0, 1), r.paretovariate(3), r.weibullvariate(1, 2), r.triangular(0, 10, 3), r.vonmisesvariate(1, 2), r.vonmisesvariate(0, 0))
#---- seeds
import random
for s in (0, 1, -1, 2**70, 1.5, "hello", b"hello", bytearray(b"x"), True):
    r = random.Random(s)
    print(r.random(), r.getrandbits(32))
random.seed("hello", version=1)
print(random.random())
random.seed(7)
a = random.getstate()
b = [random.random() for _ in range(5)]
random.setstate(a)
print(b == [random.random() for _ in range(5)], a[0], len(a[1]), a[2])
random.seed(3)
print(random.randint(-5, 5), random.randrange(10), random.choice([1, 2, 3]), random.sample([1, 2, 3, 4], 2))
class Low(random.Random):
    def random(self):
        return 0.25
print(Low().randrange(100), Low().choice("abcd"), Low().uniform(0, 4))
#---- random errors
import random
r = random.Random(1)
for f in (lambda: r.choice([]), lambda: r.randrange(0), lambda: r.randrange(5, 5), lambda: r.randint(5, 1), lambda: r.randrange(1, 10, 0), lambda: r.sample([1, 2], 3), lambda: r.sample({1, 2}, 1), lambda: r.choices([1, 2], weights=[1]), lambda: r.choices([1], weights=[0]), lambda: r.choices("ab", 5), lambda: r.gammavariate(0, 1), lambda: r.getrandbits(-1), lambda: r.seed([]), lambda: r.randrange("a"), lambda: random.Random([1]), lambda: r.setstate((9, (), None)), lambda: r.choices([1], weights=[1], cum_weights=[1]), lambda: r.sample([1], counts=[1, 2], k=1)):
    try:
        print(f())
    except (ValueError, TypeError, IndexError) as e:
        print(type(e).__name__, e)
