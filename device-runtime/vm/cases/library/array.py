#---- array basics
from array import array, typecodes
print(typecodes, array("i"), array("i", [1, 2, 3]), array("d", [1.5, -2]), array("b", b"\x01\xff"), array("u", "hé"), array("B", bytearray(b"ab")))
a = array("h", [1, 2, 3])
a.append(4)
a.extend([5, 6])
a += array("h", [7])
a.insert(0, 0)
print(a, len(a), a[0], a[-1], a[1:3], a[::-2], a.typecode, a.itemsize, a.index(3), a.count(2), 5 in a, a.pop(), a.pop(0), a.tolist())
a.remove(3)
a.reverse()
a[0] = -7
a[1:3] = array("h", [9, 9, 9])
del a[0], a[-1]
print(a, a.tobytes(), a * 2, 2 * a, a + a, a == array("h", [9, 9, 9]), a == array("i", [9, 9, 9]), a < array("h", [9, 10]), a != [9])
print(list(a), sum(array("f", [0.5, 1.5])), max(array("q", [2**62, 5])), array("I", range(3)), bytes(array("H", [258])), memoryview(array("i", [1, 2])).tolist(), array("Q", [2**64 - 1]))
b = array("i")
b.frombytes(b"\x01\x00\x00\x00\x02\x00\x00\x00")
b.fromlist([3])
print(b, b.tobytes() == array("i", [1, 2, 3]).tobytes(), array("u", "xyz").tounicode())
b.byteswap()
print(b, bool(array("i")), array("d", [0.1])[0], array("f", [0.1])[0])
#---- array errors
from array import array
a = array("b", [1])
def put(a, k, v):
    a[k] = v
for f in (lambda: array("z"), lambda: array("i", "abc"), lambda: array("i", [1.5]), lambda: array("i", ["a"]), lambda: a.append(200), lambda: array("B", [-1]), lambda: array("B", [256]), lambda: array("H", [70000]), lambda: array("I", [-1]),
          lambda: array("I", [2**33]), lambda: array("q", [2**63]), lambda: array("L", [2**64]), lambda: array("d", ["x"]), lambda: a[5], lambda: put(a, 5, 1), lambda: put(a, 0, 300), lambda: a["x"], lambda: a.remove(9), lambda: a.index(9), lambda: array("i").pop(), lambda: a.pop(5),
          lambda: a + [1], lambda: a.extend(array("i", [1])), lambda: a.frombytes("x"), lambda: array("i").frombytes(b"abc"), lambda: a.fromlist((1,)), lambda: array(), lambda: array(5), lambda: hash(a), lambda: put(a, slice(0, 1), [1]), lambda: a + array("i", [1]), lambda: array("u", [1])):
    try:
        print(f())
    except (TypeError, ValueError, OverflowError, IndexError) as e:
        print(type(e).__name__, e)
print(a)
#---- struct
import struct
print(struct.pack("<ihb", 1, -2, 3), struct.unpack("<ihb", b"\x01\x00\x00\x00\xfe\xff\x03"), struct.calcsize("ihb"), struct.calcsize("<ihb"), struct.calcsize("bi"), struct.pack("bi", 1, 2), struct.calcsize("@ci0q"))
print(struct.pack(">I", 0xDEADBEEF), struct.pack("!H", 258), struct.pack("=q", -1), struct.pack("5s", b"abc"), struct.pack("2s", b"abc"), struct.pack("5p", b"abcdefg"), struct.unpack("5p", b"\x03abcd"), struct.pack("3x2b", 1, 2), struct.pack("?c", True, b"x"))
print(struct.unpack(">d", struct.pack(">d", 3.14)), struct.unpack("<f", b"\x00\x00\x80?"), struct.pack("<e", 1.5), struct.unpack("<3e", struct.pack("<3e", 65504, 6e-8, -0.0)), struct.unpack("<2h", memoryview(b"\x01\x00\x02\x00")))
s = struct.Struct("<HH")
b = bytearray(8)
s.pack_into(b, 2, 1, 2)
print(s.size, s.format, s.pack(3, 4), s.unpack(b"\x01\x00\x02\x00"), b, s.unpack_from(b, 2), list(s.iter_unpack(b)), struct.unpack_from("<H", b, offset=4), list(struct.iter_unpack("<BH", b"\x01\x02\x00\x03\x04\x00")), struct.unpack_from("<b", b"\x80", -1))
#---- struct errors
import struct
for f in (lambda: struct.pack("i"), lambda: struct.pack("i", "a"), lambda: struct.pack("i", 1.5), lambda: struct.pack("b", 128), lambda: struct.pack("<h", 40000), lambda: struct.pack(">h", 40000), lambda: struct.pack("B", -1), lambda: struct.pack("<I", 2**32), lambda: struct.pack("<Q", -1), lambda: struct.pack(">q", 2**63),
          lambda: struct.pack("d", "x"), lambda: struct.pack("s", "a"), lambda: struct.pack("c", b"ab"), lambda: struct.pack("z", 1), lambda: struct.pack("5"), lambda: struct.unpack("i", b""), lambda: struct.unpack_from("i", b"1234", 2), lambda: struct.pack_into("i", bytearray(4), 2, 1), lambda: struct.pack_into("i", b"1234", 0, 1),
          lambda: list(struct.iter_unpack("i", b"12345")), lambda: struct.pack("<e", 1e6), lambda: struct.pack(">f", 1e300), lambda: struct.unpack("i", "abcd"), lambda: struct.calcsize("P<"), lambda: struct.Struct(5)):
    try:
        print(f())
    except (struct.error, TypeError, OverflowError) as e:
        print(type(e).__name__, e)
print(struct.error, issubclass(struct.error, Exception))
#---- files
import array, io
a, f = array.array('h', [1, -2, 3]), io.BytesIO()
a.tofile(f)
f.seek(0)
b = array.array('h')
b.fromfile(f, 2)
print(b, f.getvalue())
try:
    b.fromfile(f, 5)
except EOFError as e:
    print(e, b)
class Odd:
    def read(self, n): return 'text'
for call in (lambda: b.fromfile(Odd(), 1), lambda: b.fromfile(f, -1), lambda: b.tofile(5)):
    try:
        call()
    except Exception as e:
        print(type(e).__name__, e)
