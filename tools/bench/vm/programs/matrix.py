"""Nested lists: products, elimination, relaxation, the game of life, shortest paths, tables."""


def matmul(a, b):
    n, m, p = (len(a), len(b), len(b[0]))
    c = [[0] * p for _ in range(n)]
    for i in range(n):
        for j in range(p):
            s = 0
            for k in range(m):
                s += a[i][k] * b[k][j]
            c[i][j] = s
    return c


def matmul2(a, b):
    bt = list(zip(*b))
    return [[sum((x * y for x, y in zip(r, c))) for c in bt] for r in a]


def lu(a):
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            a[i][k] /= a[k][k]
            f = a[i][k]
            ri, rk = (a[i], a[k])
            for j in range(k + 1, n):
                ri[j] -= f * rk[j]
    return a


def sor(g, om, it):
    n = len(g)
    for _ in range(it):
        for y in range(1, n - 1):
            for x in range(1, n - 1):
                g[y][x] = om * 0.25 * (g[y - 1][x] + g[y + 1][x] + g[y][x - 1] + g[y][x + 1]) + (1 - om) * g[y][x]
    return sum(map(sum, g))


def life(g):
    h, w = (len(g), len(g[0]))
    out = []
    for y in range(h):
        row = []
        for x in range(w):
            n = 0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if (dy or dx) and g[(y + dy) % h][(x + dx) % w]:
                        n += 1
            row.append(1 if n == 3 or (n == 2 and g[y][x]) else 0)
        out.append(row)
    return out


def lifeset(s):
    c = {}
    for x, y in s:
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if dx or dy:
                    k = (x + dx, y + dy)
                    c[k] = c.get(k, 0) + 1
    return {k for k, v in c.items() if v == 3 or (v == 2 and k in s)}


def floyd(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d
n = 60
a = [[i * j % 7 + 1 for j in range(n)] for i in range(n)]
b = [[(i + j) % 5 for j in range(n)] for i in range(n)]
print(matmul(a, b) == matmul2(a, b))
print(round(sum(map(sum, lu([[1.0 / (i + j + 1) + (i == j) for j in range(n)] for i in range(n)]))), 6))
print(round(sor([[float(i ^ j) for j in range(60)] for i in range(60)], 1.25, 15), 6))
g = [[(i * 7 + j * 3) % 5 == 0 for j in range(40)] for i in range(40)]
for _ in range(8):
    g = life(g)
print(sum(map(sum, g)))
s = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2), (10, 10), (10, 11), (10, 12), (30, 30), (31, 30), (32, 30), (31, 31)}
for _ in range(150):
    s = lifeset(s)
print(len(s))
print(sum(map(sum, floyd([[(i * 13 + j * 7) % 50 + 1 for j in range(50)] for i in range(50)]))))


def knap(items, cap):
    dp = [0] * (cap + 1)
    for w, v in items:
        for c in range(cap, w - 1, -1):
            dp[c] = max(dp[c], dp[c - w] + v)
    return dp[cap]


def lcs(x, y):
    t = [[0] * (len(y) + 1) for _ in range(len(x) + 1)]
    for i, p in enumerate(x):
        for j, q in enumerate(y):
            t[i + 1][j + 1] = t[i][j] + 1 if p == q else max(t[i][j + 1], t[i + 1][j])
    return t[-1][-1]
print(knap([(i % 13 + 1, i * 7 % 31) for i in range(60)], 1000), lcs('ACGTTGCA' * 25, 'TGCATGCC' * 25))
