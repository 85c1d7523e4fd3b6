l = [5, 3, 8]
l.append(1); l.extend([2, 2]); l.insert(0, 9); l.remove(8)
print(l, l.pop(), l.pop(0), l.index(3), l.count(2), l)
l.sort(); print(l); l.sort(key=lambda v: -v); print(l); l.reverse(); print(l, l.copy() == l)
l[1:3] = ["a", "b", "c"]; print(l); del l[0]; del l[::2]; print(l); l[:] = []; print(l)
t = (1, [2], "x"); print(t, t[1:], hash((1, 2)) == hash((1, 2)), (1,), ())
s = {1, 2, 3}; s.add(4); s.discard(9)
print(s & {2, 9}, s | {7}, s - {1}, s ^ {1, 8}, {1} < s, s.issuperset({1, 2}), frozenset([1]), set())
d = dict(a=1, b=2); d.update({"c": 3}); d.setdefault("e", []).append(1)
print(d, list(d.values()), list(d.keys()), d.pop("zz", None), {**d, "a": 0}, dict([("x", 1)]), dict.fromkeys("ab", 0))
for k in sorted(d, reverse=True): print(k, end=" ")
print()
nested = [[j for j in range(i)] for i in range(4)]
print(nested, [x for row in nested for x in row if x], {x % 3 for x in range(9)} == {0, 1, 2})
print(list(zip([1, 2], "ab", (3.0, 4.0))), list(range(10, 0, -3)), range(5)[1:3], len(range(0, 10, 3)), 4 in range(0, 10, 2))
print([1, 2] == [1, 2], [1, 2] < [1, 3], (1, 2) < (1, 2, 0), [] == (), {"a": 1} == {"a": 1.0}, [1, [2]] + [3])
big = {i: i * i for i in range(1000)}
for i in range(0, 1000, 2): del big[i]
print(len(big), big[999], sum(big), list(big)[:3])
a = b = [1]; b += [2]; print(a, a is b)
m = [[0] * 3 for _ in range(2)]; m[1][2] = 5; m[0][0] += 7; print(m)
print(*[1, 2], sep="-"); print([*range(3), *"ab"], (*[1], 2), {*[1, 1]})
print(sorted(["b", "A", "c"], key=str.lower), sorted([(2, "a"), (1, "b")]), min([(1, 2), (0, 5)]), sum([[1], [2]], []))
#---- keys that change while they are read
def walk(d, change, make=iter):
    seen = []
    try:
        for item in make(d):
            seen.append(item)
            change(d, item)
            if len(seen) > 9: break
    except RuntimeError as e:
        seen.append(str(e))
    return seen
def swap(d, k):
    del d[0]
    d[0] = 0
def move(d, k):
    d.pop(k)
    d[k + 100] = 1
print(walk({0: 0}, swap), walk({0: 0, 1: 1}, move))
print(walk({0: 0, 1: 1}, lambda d, k: d.update({k: 5})), walk({0: 0}, lambda d, k: d.update({k + 1: 5})))
print(walk({0: 0}, lambda d, v: swap(d, 0), lambda d: d.values()), walk({0: 0}, lambda d, v: swap(d, 0), lambda d: d.items()))
def pairs(d):
    out = []
    try:
        for k, v in d.items():
            out.append((k, v))
            swap(d, k)
    except RuntimeError as e:
        out.append(str(e))
    return out
print(pairs({0: 0}))
it = iter({1: 1, 2: 2})
next(it)
d = {1: 1}
it = iter(d)
d[2] = 2
for _ in range(2):
    try:
        next(it)
    except RuntimeError as e:
        print(e)
holes = {i: i for i in range(20)}
for i in range(0, 20, 3): del holes[i]
print(list(holes), [k for k in holes.items()][:2], list(holes.values())[-1])
