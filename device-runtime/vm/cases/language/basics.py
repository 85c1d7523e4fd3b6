def add(a, b=2, *rest, key=None, **more):
    return a, b, rest, key, more

print(add(1), add(1, 3, 4, 5, key="k", z=9), add(*[1, 2], **{"key": 7}))
total = 0
for i in range(10):
    if i % 2:
        continue
    if i == 8:
        break
    total += i
else:
    print("never")
print(total, 7 // 2, -7 // 2, -7 % 3, 7 % -3, 2 ** 10, 2 ** -1, 7 / 2)
print(1 < 2 < 3, 1 < 3 < 2, not 1, 1 and 0, 0 or "x", None is None, 3 in [1, 2, 3])
a, *b, c = range(6)
print(a, b, c)
(x, y), z = (1, 2), 3
x, y = y, x
print(x, y, z)
print([i * i for i in range(5) if i], {k: v for k, v in zip("abc", range(3))}, sorted({3, 1, 2}))
print(sum(i for i in range(101)), (n := 5) + n)
def outer():
    count = 0
    def inner():
        nonlocal count
        count += 1
        return count
    inner()
    return inner
f = outer()
print(f(), f())
print([g() for g in [lambda i=i: i * 2 for i in range(3)]], [g() for g in [lambda: i for i in range(3)]])
print("a" if total > 5 else "b", [1, 2, 3][::-1], "hello"[1:-1], (1,) + (2, 3), [0] * 3)
w = 3
while w:
    w -= 1
else:
    print("done", w)
del w
try:
    w
except NameError as e:
    print(e)
print(0xff, 0o17, 0b101, 1_000, 1e3, .5, 1e-7, 1e16, 123456789.123, 0.1 + 0.2, -0.0, float("inf"))
d = {"a": 1}
d["b"] = d.get("c", 2)
d |= {"z": 26}
print(d, len(d), "a" in d, list(d), d.items() == 3, d.pop("a"), d)
print(max([3, 1, 2]), min(4, 2), max("ab", "abc", key=len), sorted([3, 1, 2], reverse=True), list(reversed([1, 2])))
print(round(2.5), round(3.567, 2), abs(-3), divmod(7, 3), pow(3, 4, 5), any([0, 1]), all([]), list(enumerate("ab", 1)))
print(int("42"), int("-0x1f", 16), float("2.5"), str(1.0), bool([]), chr(233), ord("é"), list(map(str, [1, 2])), list(filter(None, [0, 1])))
print(isinstance(True, int), isinstance("a", (int, str)), type(1).__name__, type([]) is list, callable(len))
print(2 ** 100, -(2 ** 64) // 3, 12345678901234567890 % 97, 1 << 70, (1 << 70) >> 68, 2 ** 64 - 2 ** 64, int("9" * 30) + 1)
print(5 & 3, 5 | 3, 5 ^ 3, ~5, -5 & 0xff, 10 ** 20 == 1e20, 3 == 3.0, 2 ** 53 + 1 > 2.0 ** 53)
