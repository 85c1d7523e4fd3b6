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
#---- several dimensions
m = memoryview(bytearray(range(12)))
g = m.cast('B', [3, 4])
print(g.shape, g.ndim, g.strides, g.tolist(), g[1, 2], g[-1, -1], g.nbytes, len(g), g.format)
g[2, 3] = 99
print(m[11], g.tobytes() == m.tobytes(), g.hex() == m.hex(), bytes(g) == bytes(m))
print(g[0:1].tolist(), g[1:].shape, g[::2].tolist(), g[::-1].tolist(), g[::2].tobytes(), g[::2].contiguous)
print(g == m, g == m.cast('B', (3, 4)), g == m.cast('B', [4, 3]), m.cast('H', [2, 3]).tolist())
print(g.cast('B').tolist() == m.tolist(), m.cast('B', [2, 2, 3]).tolist(), g.c_contiguous, g.f_contiguous)
none = memoryview(b'a').cast('B', [])
print(none.shape, none.ndim, none.tolist(), none[()], none[...] is none, none.tobytes(), none == memoryview(b'a').cast('B', []))
for what in ('g[0]', 'g[3, 0]', 'g[0, 0, 0]', 'g[0, 1:2]', 'list(g)', "m.cast('B', [3, 5])", "g.cast('H', [2, 3])",
             "m.cast('B', [0])", "m.cast('B', 5)", "m.cast('B', ['a'])", 'len(none)', 'none[0]', 'g[-4, 0]', 'g[1.5, 0]', 'g[(1,)]'):
    try:
        if what == 'g[0]': g[0]
        if what == 'g[3, 0]': g[3, 0]
        if what == 'g[0, 0, 0]': g[0, 0, 0]
        if what == 'g[0, 1:2]': g[0, 1:2]
        if what == 'list(g)': list(g)
        if what == "m.cast('B', [3, 5])": m.cast('B', [3, 5])
        if what == "g.cast('H', [2, 3])": g.cast('H', [2, 3])
        if what == "m.cast('B', [0])": m.cast('B', [0])
        if what == "m.cast('B', 5)": m.cast('B', 5)
        if what == "m.cast('B', ['a'])": m.cast('B', ['a'])
        if what == 'len(none)': len(none)
        if what == 'none[0]': none[0]
        if what == 'g[-4, 0]': g[-4, 0]
        if what == 'g[1.5, 0]': g[1.5, 0]
        if what == 'g[(1,)]': g[(1,)]
    except Exception as e:
        print(what, type(e).__name__, e)
try:
    g[0:1] = g[1:2]
except NotImplementedError as e:
    print(e)
print(hash(memoryview(b'abc').cast('B', [3, 1])) == hash(b'abc'))
nothing = g[0:0]
print(nothing.shape, nothing[0:0].tolist(), nothing[::-1].shape, nothing.tobytes(), nothing.nbytes, nothing == g[3:])
#---- sizes under views
import array, io
def tried(do):
    try:
        return do()
    except BufferError as e:
        return str(e)
b = bytearray(b'abc')
v = memoryview(b)
print([tried(f) for f in (lambda: b.append(1), b.pop, b.clear, lambda: b.extend(b'x'), lambda: b.extend(b''),
                          lambda: b.insert(0, 1), lambda: b.remove(97))])
def assign(): b[0:1] = b'xx'
def delete(): del b[0]
def steps(): del b[::2]
def more():
    global b
    b += b'x'
def times():
    global b
    b *= 2
print([tried(f) for f in (assign, delete, steps, more, times)])
b[0:1] = b'y'
print(b)
v.release()
b.append(100)
print(b)
def local():
    b = bytearray(b'abcdef')
    part = memoryview(b)[1:3]
    first = tried(lambda: b.pop())
    del part
    return first, tried(lambda: b.pop())
print(local())
def frames(data):
    b, out = bytearray(data), []
    while b:
        size = b[0]
        out.append(bytes(memoryview(b)[1:1 + size]))
        del b[:1 + size]
    return out
print(frames(b'\x01a\x02bc\x00\x03def'))
for item in memoryview(b): pass
b.append(1)
a = array.array('i', [1, 2])
with memoryview(a) as v:
    print([tried(f) for f in (lambda: a.append(3), lambda: a.pop(), lambda: a.extend(a), lambda: a.frombytes(b'1234'))])
a.append(3)
print(a)
s = io.BytesIO(b'abc')
v = s.getbuffer()
print([tried(f) for f in (lambda: s.write(b'abcdef'), lambda: s.truncate(1), s.close)])
v[0] = 120
v.release()
s.write(b'abcdef')
print(s.getvalue())
