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
#---- random, modules
import random
r = random.Random(42)
print([r.random() for _ in range(3)], r.getrandbits(100), r.randint(1, 6), r.randrange(10, 100, 7), r.choice('abc'), r.choices('abc', k=4), r.choices([1, 2, 3], weights=[1, 2, 3], k=4), r.choices([1, 2, 3], cum_weights=[1, 2, 6], k=4), r.sample(range(100), 5), r.sample('abcdef', 3), r.uniform(1, 2), r.triangular(), r.triangular(1, 5, 2), r.gauss(0, 1), r.gauss(), r.normalvariate(0, 1), r.lognormvariate(0, 1), r.expovariate(2), r.betavariate(1, 2), r.gammavariate(2, 1), r.gammavariate(0.5, 1), r.gammavariate(1, 1), r.paretovariate(3), r.weibullvariate(1, 2), r.vonmisesvariate(0, 4), r.vonmisesvariate(0, 0), r.randbytes(7))
l = list(range(10))
r.shuffle(l)
print(l)
for s in (0, 1, -5, 2 ** 100, 'abc', b'abc', bytearray(b'x'), 1.5, True, 'é'):
    random.seed(s)
    print(s, random.random(), random.getrandbits(40), random.randint(0, 10 ** 20))
random.seed('a', version=1)
print(random.random())
random.seed(5, 2)
print(random.random())
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(f, *args)
t(random.seed, [])
t(random.seed, (1,))
t(random.randint, 5, 1)
each(random.randrange, [0], [5, 5], [1, 10, 0], [1.5], ['a'])
t(random.choice, [])
t(random.choice, {})
t(random.choices, [], k=1)
t(random.choices, [1], weights=[0])
t(random.choices, [1], weights=[1, 2])
t(random.choices, [1], weights=[1], cum_weights=[1])
t(random.choices, [1], weights=[float('inf')])
each(random.sample, [[1], 2], [{1}, 1], [[1, 2], -1])
t(random.sample, [1, 2], counts=[2, 1], k=3)
t(random.sample, [1, 2], counts=[2], k=3)
t(random.sample, 5, 1)
t(random.shuffle, (1, 2))
each(random.getrandbits, [0], [-1], [1.5])
t(random.randbytes, 0)
t(random.shuffle, [1, 2], random.random)
t(random.expovariate, 0)
random.seed(1)
st = random.getstate()
print(st[0], len(st[1]), st[1][:3], st[1][-1], st[2])
a = random.random()
random.setstate(st)
print(a == random.random())
t(random.setstate, (1, 2))
class R(random.Random):

    def random(self):
        return 0.5
x = R(1)
print(x.random(), x.randint(1, 10), x.choice('abcd'), x.sample(range(10), 2), x.gauss(1, 2), x.uniform(0, 4))
print(random.Random(3).sample(['a', 'b'], k=2), random.Random(3).sample(range(10 ** 9), 3))
t(random.Random, [])
print(random.SystemRandom is not None)
#---- one call after another
import random
def r(f,s=1):
    g=random.Random(s); return f(g)

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))


each(r, [lambda g:[g.randint(1,10) for _ in range(10)]],
     [lambda g:[g.randrange(100) for _ in range(5)]],
     [lambda g:[g.randrange(5,50,5) for _ in range(5)]], [lambda g:g.randrange(10,0,-3)],
     [lambda g:g.choice('abc')], [lambda g:g.choices('abc',k=5)],
     [lambda g:g.choices('abc',[1,2,3],k=5)], [lambda g:g.choices('abc',cum_weights=[1,2,3],k=5)],
     [lambda g:g.sample(range(100),5)], [lambda g:g.sample('abcdef',3)],
     [lambda g:g.sample([1,2],counts=[3,2],k=4)],
     [lambda g:(l:=list(range(10)),g.shuffle(l),l)[2]], [lambda g:g.uniform(1,5)],
     [lambda g:g.triangular()], [lambda g:g.triangular(0,10,3)], [lambda g:g.gauss()],
     [lambda g:[g.gauss(1,2) for _ in range(3)]], [lambda g:g.normalvariate()],
     [lambda g:g.normalvariate(5,2)], [lambda g:g.lognormvariate(0,1)],
     [lambda g:g.expovariate(2)], [lambda g:g.vonmisesvariate(1,2)],
     [lambda g:g.vonmisesvariate(1,0)], [lambda g:g.gammavariate(0.5,1)],
     [lambda g:g.gammavariate(1,2)], [lambda g:g.gammavariate(5,2)], [lambda g:g.betavariate(1,2)],
     [lambda g:g.paretovariate(3)], [lambda g:g.weibullvariate(1,2)],
     [lambda g:g.getrandbits(100)], [lambda g:g.getrandbits(0)], [lambda g:g.randbytes(5)],
     [lambda g:g.randrange(10**30)], [lambda g:g.randint(-5,5)],
     [lambda g:g.sample(list(range(1000)),30)], [lambda g:g.sample(range(10**10),5)],
     [lambda g:g.choices(range(5),k=0)])
t(lambda: random.Random([1]))
t(lambda: random.Random((1,)))
t(lambda: random.seed({}))
each(r, [lambda g:g.randrange(0)], [lambda g:g.randrange(5,5)], [lambda g:g.randrange(1,5,0)],
     [lambda g:g.randrange(1.5)], [lambda g:g.randrange(2.0)], [lambda g:g.randrange('a')],
     [lambda g:g.randrange(1,'a')], [lambda g:g.randint(5,1)], [lambda g:g.choice([])],
     [lambda g:g.choice({1})], [lambda g:g.choices([],k=1)], [lambda g:g.choices('ab',[1],k=1)],
     [lambda g:g.choices('ab',[0,0],k=1)], [lambda g:g.choices('ab',[1,1],cum_weights=[1,2])],
     [lambda g:g.choices('ab',[float('inf'),1])], [lambda g:g.choices('ab',5)],
     [lambda g:g.sample('ab',3)], [lambda g:g.sample('ab',-1)], [lambda g:g.sample({1,2},1)],
     [lambda g:g.sample(5,1)], [lambda g:g.sample([1],counts=[1,2],k=1)],
     [lambda g:g.sample([1],counts=[-1],k=1)], [lambda g:g.shuffle('ab')],
     [lambda g:g.shuffle((1,2))], [lambda g:g.getrandbits(-1)], [lambda g:g.getrandbits('a')],
     [lambda g:g.randbytes(-1)], [lambda g:g.expovariate(0)], [lambda g:g.gammavariate(0,1)],
     [lambda g:g.seed(1,1)], [lambda g:(g.seed('a',1),g.random())[1]],
     [lambda g:(g.seed('abc',version=1),g.random())[1]],
     [lambda g:(s:=g.getstate(),a:=g.random(),g.setstate(s),a==g.random())[3]])
t(lambda: len(random.Random(1).getstate()))
t(lambda: random.Random(1).getstate()[0])
t(lambda: random.Random(1).getstate()[1][:3])
t(lambda: random.Random(1).getstate()[2])
t(lambda: r(lambda g:g.setstate(5)))
t(lambda: r(lambda g:g.setstate((1,2,3))))
t(lambda: random.Random(1)==random.Random(1))
t(lambda: random.Random.VERSION)
t(lambda: random.SystemRandom)
t(lambda: random.__all__)
