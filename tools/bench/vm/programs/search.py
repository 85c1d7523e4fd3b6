"""Search trees, tries, permutations, backtracking."""


class Node:

    def __init__(self, k):
        self.k = k
        self.l = self.r = None
        self.h = 1


class Avl:

    def __init__(self):
        self.root = None

    def height(self, n):
        return n.h if n else 0

    def fix(self, n):
        n.h = 1 + max(self.height(n.l), self.height(n.r))

    def rot_r(self, y):
        x = y.l
        y.l = x.r
        x.r = y
        self.fix(y)
        self.fix(x)
        return x

    def rot_l(self, x):
        y = x.r
        x.r = y.l
        y.l = x
        self.fix(x)
        self.fix(y)
        return y

    def ins(self, n, k):
        if not n:
            return Node(k)
        if k < n.k:
            n.l = self.ins(n.l, k)
        elif k > n.k:
            n.r = self.ins(n.r, k)
        else:
            return n
        self.fix(n)
        b = self.height(n.l) - self.height(n.r)
        if b > 1:
            if k > n.l.k:
                n.l = self.rot_l(n.l)
            return self.rot_r(n)
        if b < -1:
            if k < n.r.k:
                n.r = self.rot_r(n.r)
            return self.rot_l(n)
        return n

    def walk(self, n):
        if n:
            yield from self.walk(n.l)
            yield n.k
            yield from self.walk(n.r)
t = Avl()
x = 12345
for i in range(4000):
    x = (x * 1103515245 + 12345) % 2147483648
    t.root = t.ins(t.root, x % 10007)
print(sum((1 for _ in t.walk(t.root))), list(t.walk(t.root))[:5])


def find(n, k):
    while n is not None:
        if n.k == k:
            return True
        n = n.l if k < n.k else n.r
    return False
print(sum((find(t.root, k) for k in range(10007))))


class Trie:

    def __init__(self):
        self.ch = {}
        self.end = False

    def add(self, w):
        n = self
        for c in w:
            if c not in n.ch:
                n.ch[c] = Trie()
            n = n.ch[c]
        n.end = True

    def has(self, w):
        n = self
        for c in w:
            n = n.ch.get(c)
            if n is None:
                return False
        return n.end
tr = Trie()
ws = ['w%dx%d' % (i * 7 % 1000, i) for i in range(3000)]
for w in ws:
    tr.add(w)
print(sum((tr.has(w) for w in ws)), sum((tr.has(w[::-1]) for w in ws)))


def permutations(a):
    if len(a) <= 1:
        yield a
    else:
        for i in range(len(a)):
            for p in permutations(a[:i] + a[i + 1:]):
                yield ([a[i]] + p)
print(sum((1 for p in permutations([1, 2, 3, 4, 5, 6, 7]))))


def perm2(a, k, out):
    if k == len(a):
        out.append(tuple(a))
        return
    for i in range(k, len(a)):
        a[k], a[i] = (a[i], a[k])
        perm2(a, k + 1, out)
        a[k], a[i] = (a[i], a[k])
o = []
perm2(list(range(7)), 0, o)
print(len(o), len(set(o)))


def solve(n, row=0, cols=0, d1=0, d2=0):
    if row == n:
        return 1
    c = 0
    for i in range(n):
        b = 1 << i
        e = 1 << row + i
        f = 1 << row - i + n
        if not (cols & b or d1 & e or d2 & f):
            c += solve(n, row + 1, cols | b, d1 | e, d2 | f)
    return c
print(solve(7))


def queens(n):
    res = []

    def place(row, qs):
        if row == n:
            res.append(qs[:])
            return
        for c in range(n):
            if all((q != c and abs(q - c) != row - r for r, q in enumerate(qs))):
                qs.append(c)
                place(row + 1, qs)
                qs.pop()
    place(0, [])
    return len(res)
print(queens(6))
sudoku = '530070000600195000098000060800060003400803001700020006060000280000419005000080079'


def sud(b):

    def ok(p, v):
        r, c = divmod(p, 9)
        for i in range(9):
            if b[r * 9 + i] == v or b[i * 9 + c] == v:
                return False
        br, bc = (r // 3 * 3, c // 3 * 3)
        for i in range(br, br + 3):
            for j in range(bc, bc + 3):
                if b[i * 9 + j] == v:
                    return False
        return True

    def go(p):
        while p < 81 and b[p] != '0':
            p += 1
        if p == 81:
            return True
        for v in '123456789':
            if ok(p, v):
                b[p] = v
                if go(p + 1):
                    return True
                b[p] = '0'
        return False
    go(0)
    return ''.join(b)
print(sud(list(sudoku)))
