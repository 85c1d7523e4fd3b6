#---- wide_chain
def a(n):
    x=12345; out=[]
    for i in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        out.append(x)
    y=1
    for i in range(n):
        y = (y * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        out.append(y >> 33)
    h=2166136261
    for i in range(n):
        h ^= i & 255
        h *= 16777619
        h &= 0xffffffff
        out.append(h)
    z = -5
    for i in range(n):
        z = (z * 99999999977 - 7) // -13 % 1000003 - 500000
        out.append(z)
    w = 88172645463325252
    for i in range(n):
        w ^= (w << 13) & 0xFFFFFFFFFFFFFFFF
        w ^= w >> 7
        w ^= (w << 17) & 0xFFFFFFFFFFFFFFFF
        out.append(w)
    return out


print(a(60))
#---- wide_bounds
def b():
    m=1<<46
    t = m*m
    u = t*m + 1
    v = (m*m*m) // 7
    s = m*3
    q = (s*s+1) % 0 if False else s*s
    return t,u,v,q, (m*m+1)%(m*m), (m*m) >> 3, (-m*m) >> 100, -(m*m)//3, (m*m)%-7, (-m*m*2)&0xFF


def c():
    m=1<<46
    try:
        return (m*m+1) % 0
    except ZeroDivisionError as e:
        return str(e)


print(b())
print(c())
#---- tuple_keys_sets_slices
def d():
    d={}; s=set()
    for x in range(5):
        for y in range(5):
            d[x,y]=x*y
            d[x,y]=d[x,y]+1
            s.add((x,y))
    r=[]
    for x in range(-1,6):
        r.append((x,2) in d); r.append((x,2) not in s); r.append((x, 2) in s)
        try: r.append(d[x,3])
        except KeyError as e: r.append(repr(e))
    d[1.0,2]='f'; r.append(d[1,2]); r.append(d[1,2.0]); r.append(d[True,2])
    d["a",1]=5; r.append(d["a",1]); d["a",1]+=2; r.append(d["a",1]); k=("b","c"); d[k]=1; r.append(d["b","c"])
    class K:
        def __hash__(self): return hash((7,7))
        def __eq__(self,o): return True
    d[K()]=9; r.append(d[7,7]); r.append((7,7) in d)
    r.append((1,) in {(1,):2}); r.append(() in {():1}); r.append((1,2) in [(1,2)])
    s2={K()}; r.append((7,7) in s2)
    s3={1,2,3}; s3.add(4); s3.remove(2); s3.discard(9); s3.discard(1); r.append(s3)
    try: s3.remove(99)
    except KeyError as e: r.append(repr(e))
    try: d[[1],2]
    except TypeError as e: r.append(str(e))
    L=list(range(10)); L[2:5]=[9,9]; r.append(L[:]); L[::-1]=L; r.append(L[:]); L[1:7:2]=[1,2,3]; r.append(L[:])
    try: L[1:7:2]=[1,2]
    except ValueError as e: r.append(str(e))
    try: L[::0]
    except ValueError as e: r.append(str(e))
    r.append(L[5::-2]); r.append("abcdef"[4:0:-1]); r.append("abcdef"[-2::-1]); r.append((1,2,3)[::-1]); r.append(L[100::-1]); r.append(L[-100::-1]);r.append(L[:-100:-1]);r.append(L[:3:-1])
    r.append(str(-5)+str(0)+str(123456789012)+f"{-7}{10}")
    r.append("ab" in "xxabxx"); r.append("ab" in "a"*30+"b"); r.append("ba" in "a"*31+"b"); r.append("foo bar foo".find("bar")); r.append("foo".find("oo",1)); r.append("aaab".find("ab")); r.append("abcabc".rfind("bc"))
    return r



for item in d():
    print(item)
#---- text of integers beyond 48 bits
for power in (0, 46, 47, 48, 62, 63, 64, 65, 126, 127, 128, 129, 200, 3000):
    for off in (-1, 0, 1):
        n = 2 ** power + off
        print(n, -n, len(str(n * n)))
for digits in (14, 15, 18, 19, 20, 37, 38, 39, 57):
    print(10 ** digits, 10 ** digits - 1, -10 ** digits, f'{10 ** digits:,}')
#---- rest and keywords
def both(*a, **k):
    return a, k


def after(x, *a, **k):
    return x, a, sorted(k.items())


def names(x, y=2, **k):
    return x, y, k


for call in (lambda: both(), lambda: both(1), lambda: both(1, 2, z=3), lambda: after(1), lambda: after(1, 2, 3),
             lambda: after(1, x=2), lambda: after(), lambda: names(1), lambda: names(1, 2), lambda: names(1, 2, 3),
             lambda: names(1, k=4), lambda: names(), lambda: both(*[1, 2], **{'q': 1}), lambda: after(y=1, x=0)):
    try:
        print(call())
    except TypeError as error:
        print(error)
k = both()[1]
k['a'] = 1
print(both(), k)


class Counted:
    def __init__(self, *a, **k):
        self.a, self.k = a, k

    def __call__(self, *a, **k):
        return a, k


c = Counted(1, 2, z=3)
print(c.a, c.k, c(), c(5), c(b=6), Counted().a, Counted().k)
#---- truth of instances
class Plain:
    pass


class Sized:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


class Asked(Sized):
    def __bool__(self):
        return self.n == 7


for v in (Plain(), Sized(0), Sized(1), Asked(0), Asked(7), Asked(1)):
    print('yes' if v else 'no', not v, bool(v))
p = Plain()
print(bool(p), 1 if p else 2)
Plain.__bool__ = lambda self: False
print(bool(p), 1 if p else 2)
del Plain.__bool__
print(bool(p), 1 if p else 2)
Plain.__len__ = lambda self: 0
print(bool(p), 1 if p else 2)
try:
    print(bool(Sized(-1)))
except ValueError as error:
    print(error)
#---- sets of integers that meet at one place
s = set()
for i in (0, 8, 16, 32, 64, -1, -2, 1 << 40, 3.0, 8.0, 'a', None, True):
    s.add(i)
    print(i in s, len(s))
for i in (8, 16, -1, 3, 1.0, 'a', 5, None, 1 << 40, -2):
    print(i, i in s, s.discard(i), i in s, len(s))
for i in (0, 0, 32, 64, 'b', -5):
    try:
        print(s.remove(i), len(s))
    except KeyError as error:
        print('KeyError', error)
for i in range(100):
    s.add(i * 8)
print(len(s), all(i * 8 in s for i in range(100)), any(i * 8 + 1 in s for i in range(100)), sorted(s)[:5])


class Sly:
    def __hash__(self):
        return 40

    def __eq__(self, other):
        return other == 40


t = {Sly()}
t.add(40)
print(len(t), 40 in t, t.discard(40), len(t), 40 in t)
d = {}
for key in ('x', 0, 1, 'y', 1.0, True, 'x', -1, -2, 2 ** 70, (1,), None):
    d[key] = str(key)
print(d, d[0], d[True], d['x'], d[-1], d[-2])
