#---- basics
m = memoryview(b"hello")
print(len(m), m[0], m[-1], m[1:3].tobytes(), bytes(m[::-1]), m.tolist(), m.readonly, m.format, m.itemsize, m.nbytes, m.ndim, m.shape, m.strides, m.contiguous, m.c_contiguous)
print(m == b"hello", m[1:] == b"ello", m != b"x", m == memoryview(b"hello"), m.obj, list(m), 104 in m, hash(m) == hash(b"hello"), bytes(m), bytearray(m))
#---- writing
a = bytearray(b"abcdef")
m = memoryview(a)
m[0] = 65
m[1:3] = b"BC"
m[-1] = 70
print(a, m.readonly, m.obj is a)
m[::2] = b"xyz"
print(a, m[::2].tolist(), m[1::2].tobytes(), m[::2].contiguous, m[::-1].strides)
s = m[2:5]
s[0] = 48
print(a, s.tolist(), s[1:].tobytes(), len(s))
#---- errors
r = memoryview(b"abc")
w = memoryview(bytearray(b"abc"))
def put(m, k, v):
    m[k] = v
def cut(m, k):
    del m[k]
for f in (lambda: put(r, 0, 1), lambda: put(w, 5, 1), lambda: put(w, 0, 256), lambda: put(w, 0, "a"), lambda: put(w, slice(0, 2), b"abc"), lambda: w["a"], lambda: w[9], lambda: cut(w, 0), lambda: memoryview("a"), lambda: memoryview(5),
          lambda: hash(w), lambda: w + w, lambda: r < r, lambda: put(w, 0, 1.5), lambda: memoryview()):
    try:
        print(f())
    except (TypeError, ValueError, IndexError) as e:
        print(type(e).__name__, e)
#---- cast
m = memoryview(bytearray(range(16)))
i = m.cast("I")
print(i.tolist(), i.format, i.itemsize, len(i), i.shape, i.nbytes)
i[0] = 1
print(m[:4].tolist(), m.cast("h")[1], m.cast("b").tolist()[-1], m.cast("c")[1], m.cast("B", [16]).shape, m.cast("d").itemsize, m.cast("?").tolist()[:3])
for f in (lambda: m.cast("z"), lambda: m.cast("I").cast("h"), lambda: m[:3].cast("I"), lambda: m[::2].cast("B"), lambda: m.cast(5), lambda: m.cast("B", [15])):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
#---- release
with memoryview(bytearray(b"abc")) as m:
    print(m[0])
for f in (lambda: m[0], lambda: m.tobytes(), lambda: len(m), lambda: m.format, lambda: m.tolist()):
    try:
        print(f())
    except ValueError as e:
        print(e)
m.release()
print(m == m)
#---- read only
a = bytearray(b"xyz")
m = memoryview(a).toreadonly()
print(m.readonly, m.tolist(), memoryview(a).readonly)
try:
    m[0] = 1
except TypeError as e:
    print(e)
a[0] = 97
print(m.tobytes())
