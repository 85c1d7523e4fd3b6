#---- append_in_loop
s = ""
for i in range(2000): s += chr(97 + i % 26)
print(len(s), s[:5], s[-5:], hash(s) == hash("".join(chr(97 + i % 26) for i in range(2000))))
#---- shared_beginnings
base = "x" * 300
a = base + "a"
b = a + "b"
kept = [b]
for i in range(10):
    b = b + str(i)
    kept.append(b)
other = kept[3] + "!"
again = kept[3] + "?"
more = other + "." + "-"
print([len(k) for k in kept], kept[3][-5:], kept[4][-5:], other[-5:], again[-5:], more[-5:], kept[-1][-13:])
print(kept[3] + "3" == kept[4], kept[4] == "x" * 300 + "ab0123", kept[3] == other, {k: len(k) for k in kept}[kept[5]])
#---- append_to_itself
s = "ab" * 100
s += s
s += s
t = s
s += s + t
print(len(s), s.count("ab"), t == s[:len(t)])
#---- append_unicode
s = "é" * 200
for c in ("a", "€", "😀"):
    s += c
    s += c
print(len(s), s[198:], s[-1], s[::-1][:7], s.encode()[-6:])
#---- append_to_shared_from_two_sides
left = right = "start" * 80
for i in range(30):
    left += "L"
    right += "R"
print(left[-32:], right[-32:], len(left), len(right))
s = "q" * 400
parts = []
for i in range(5):
    s = s + str(i)
    parts.append(s)
    s = parts[0]
print([p[-3:] for p in parts])
#---- appended_as_keys
d = {}
s = ""
for i in range(300):
    s += "k"
    d[s] = i
print(len(d), d["k" * 100], d["k" * 300], "k" * 301 in d, min(d.values()))
#---- empty_appends
s = "abc"
t = s
s += ""
s = "" + s
print(s, s == t, "" + "", len("" + "x" * 500))
#---- indexing
s = "hello"
print([s[i] for i in range(-5, 5)], s[True])
for i in (5, -6, 10 ** 20, "0", None, 1.0):
    try:
        print(s[i])
    except (IndexError, TypeError) as e:
        print(type(e).__name__, e)
u = "aé€"
print(u[0], u[1], u[-1], u[1:], u[::-1])
#---- slices
x = list(range(10))
t = tuple(x)
s = "0123456789"
for a in (None, 0, 3, -3, 12, -12):
    for b in (None, 0, 5, -1, 20, -20):
        print(x[a:b] == list(t[a:b]), s[a:b], x[a:b:2], s[a:b:-1])
try:
    x[::0]
except ValueError as e:
    print(e)
x[2:4] = "ab"
x[::3] = [0] * len(x[::3])
del x[-2:]
print(x)
#---- comparisons
words = ["b", "", "a", "ab", "B", "é", "z", "aa"]
print(sorted(words), "a" < "b", "a" < "", "ab" > "a", "a" == "a", "a" >= "a", max(words), [w for w in words if w > "a"], "Z" < "a" < "é")
for f in (lambda: "a" < 1, lambda: 1 < "a", lambda: "a" + 1, lambda: 1 + "a", lambda: "a" - "b", lambda: "a" * 1.5):
    try:
        f()
    except TypeError as e:
        print(e)
