#---- live_views
d = {"a": 1, "b": 2}
k, v, i = d.keys(), d.values(), d.items()
print(k, v, i, len(k), len(v), len(i))
d["c"] = 3
print(k, v, i, len(k), "c" in k, 3 in v, ("c", 3) in i, ("c", 4) in i, "x" in k, 5 in i)
print(list(k), list(v), list(i), sorted(k), max(v), dict(i), [x for x in reversed(k)], list(reversed(i)), list(reversed(d)))
print(type(k).__name__, type(v).__name__, type(i).__name__, bool({}.keys()), bool(k))
for key in k:
    print(key, end=" ")
print()
try:
    for key in d:
        d["new"] = 1
except RuntimeError as e:
    print(e)
try:
    k[0]
except TypeError as e:
    print(e)
#---- set_like
a, b = {"x": 1, "y": 2}, {"y": 2, "z": 3}
print(sorted(a.keys() & b.keys()), sorted(a.keys() | b.keys()), sorted(a.keys() - b.keys()), sorted(a.keys() ^ b.keys()))
print(sorted(a.items() & b.items()), sorted(a.items() | b.items()), sorted(a.keys() & ["x", "q"]), sorted({"x"} | a.keys()), type(a.keys() & b.keys()).__name__)
print(a.keys() == {"x", "y"}, {"x", "y"} == a.keys(), a.keys() == b.keys(), a.keys() <= {"x", "y", "z"}, a.keys() < {"x", "y"}, a.keys() >= {"x"}, a.keys() != {"x"})
print(a.items() == {("x", 1), ("y", 2)}, a.values() == a.values(), a.keys().isdisjoint(b.keys()), a.keys().isdisjoint(["q"]), a.items() == dict(a).items())
for f in (lambda: a.values() & b.values(), lambda: hash(a.keys()), lambda: a.keys() & 5, lambda: a.keys() < [1], lambda: a.keys() + b.keys()):
    try:
        f()
    except TypeError as e:
        print(e)
#---- proxy
class A:
    x = 1
p = A.__dict__
print(p["x"], "x" in p, p.get("nope"), type(p).__name__, len(p) > 0, "x" in p.keys())
try:
    p["y"] = 2
except TypeError as e:
    print(e)
try:
    del p["x"]
except TypeError as e:
    print(e)
A.z = 9
print(p["z"], sorted(k for k in p if not k.startswith("_")), [kv for kv in p.items() if kv[0] == "x"])
#---- mutation_in_iteration
d = {i: i for i in range(5)}
for k in list(d):
    del d[k]
print(d)
d = {1: 1, 2: 2}
try:
    for k in d:
        del d[k]
except RuntimeError as e:
    print(e)
d = {1: 1}
for k in d:
    d[1] = 5
print(d)
s = {1, 2}
try:
    for x in s:
        s.add(x + 10)
except RuntimeError as e:
    print(e)
it = iter({1: 2}.items())
print(next(it), next(it, "end"), next(it, "end"))
#---- dict_methods
d = dict(a=1, b=2)
print(d.pop("a"), d.pop("zz", None), d.popitem(), d, d.setdefault("q", []), d)
d.update({"x": 1}, y=2)
d.update([("z", 3), ["w", 4]])
print(d, d.copy() == d, d.get("nope", 7), d | {"k": 1}, {**d, "x": 0})
d |= {"n": 1}
d |= [("m", 2)]
print(d)
for f in (lambda: d.pop("none"), lambda: {}.popitem(), lambda: dict([1]), lambda: dict([(1, 2, 3)]), lambda: dict(5), lambda: {}[[]], lambda: d | [1], lambda: d.update(5), lambda: dict(1, 2)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
print(dict.fromkeys("ab"), dict.fromkeys([1, 2], 0), dict(zip("ab", [1, 2])), {1: 1} == {1.0: True}, {1: 2} != {1: 3})
