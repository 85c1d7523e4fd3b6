"""Sorting algorithms on lists."""


def rnd(n, seed=42):
    out = []
    for i in range(n):
        seed = seed * 1103515245 + 12345 & 2147483647
        out.append(seed % 1000)
    return out


def bubble(a):
    n = len(a)
    for i in range(n):
        for j in range(n - i - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = (a[j + 1], a[j])
    return a


def insertion(a):
    for i in range(1, len(a)):
        v = a[i]
        j = i - 1
        while j >= 0 and a[j] > v:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = v
    return a


def quick(a, lo, hi):
    if lo < hi:
        p = a[(lo + hi) // 2]
        i, j = (lo, hi)
        while i <= j:
            while a[i] < p:
                i += 1
            while a[j] > p:
                j -= 1
            if i <= j:
                a[i], a[j] = (a[j], a[i])
                i += 1
                j -= 1
        quick(a, lo, j)
        quick(a, i, hi)
    return a


def quickf(a):
    if len(a) <= 1:
        return a
    p = a[0]
    return quickf([x for x in a[1:] if x < p]) + [p] + quickf([x for x in a[1:] if x >= p])


def merge(a):
    if len(a) <= 1:
        return a
    m = len(a) // 2
    l, r = (merge(a[:m]), merge(a[m:]))
    out = []
    i = j = 0
    while i < len(l) and j < len(r):
        if l[i] <= r[j]:
            out.append(l[i])
            i += 1
        else:
            out.append(r[j])
            j += 1
    out.extend(l[i:])
    out.extend(r[j:])
    return out


def heap(a):
    n = len(a)

    def sift(s, e):
        r = s
        while True:
            c = 2 * r + 1
            if c > e:
                break
            if c + 1 <= e and a[c] < a[c + 1]:
                c += 1
            if a[r] < a[c]:
                a[r], a[c] = (a[c], a[r])
                r = c
            else:
                break
    for s in range((n - 2) // 2, -1, -1):
        sift(s, n - 1)
    for e in range(n - 1, 0, -1):
        a[e], a[0] = (a[0], a[e])
        sift(0, e - 1)
    return a


def shell(a):
    gap = len(a) // 2
    while gap > 0:
        for i in range(gap, len(a)):
            t = a[i]
            j = i
            while j >= gap and a[j - gap] > t:
                a[j] = a[j - gap]
                j -= gap
            a[j] = t
        gap //= 2
    return a
b = rnd(600)
bubble(b)
i = rnd(600)
insertion(i)
big = rnd(6000)
s = sorted(big)
print(b == i == sorted(rnd(600)), quick(big[:], 0, len(big) - 1) == s, quickf(big) == s, merge(big) == s, heap(big[:]) == s, shell(big[:]) == s)
