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
#---- one call after another
import struct, array, copy, operator
class Idx:
    def __init__(s,v): s.v=v
    def __index__(s): return s.v
ba=bytearray(6)
s=struct.Struct('<ih')
def ar(f,*init):
    a=array.array(*(init or ('i',[1,2,3]))); r=f(a); return r,a

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))


each(struct.pack, ['i', 5], ['<hhl', 1, 2, 3], ['>q', -1], ['3s', b'ab'], ['5p', b'abc'], ['?', 2],
     ['c', b'x'], ['e', 1.5], ['<f', 1.1], ['d', 1e300], ['2x'], ['bB', -1, 255], ['@i0l', 1],
     ['ci', b'a', 1], ['=ci', b'a', 1], ['n', 1], ['N', 1], ['P', 1], [''], [' < i ', 1],
     [b'<i', 1], ['<2i', 1, 2], ['0s', b'abc'])
t(lambda: struct.pack('i',Idx(7)))
each(struct.pack, ['i', True], ['s', b''], ['?', []], ['!H', 258], ['f', 5], ['10p', b'x'*20],
     ['b', 128], ['B', -1], ['h', 40000], ['H', -1], ['i', 2**31], ['I', -1], ['l', 2**63],
     ['<l', 2**31], ['L', -1], ['q', 2**63], ['Q', -1], ['<q', 2**64], ['<Q', 2**64],
     ['<h', 40000], ['<B', 256], ['n', 2**64], ['i', 'a'], ['i', 1.5], ['f', 'a'], ['f', 1e300],
     ['e', 1e10], ['<f', 1e39], ['c', 'a'], ['c', b'ab'], ['3s', 'abc'], ['i'], ['i', 1, 2],
     ['z', 1], ['<n', 1], ['3'], ['i<', 1], [5], [])
each(struct.unpack, ['i', b'abc'], ['<i', b'\1\0\0\0'], ['>Hb', b'\1\2\xff'], ['3s2p', b'abc\1z'],
     ['?', b'\2'], ['<e', b'\0\x3e'], ['c', b'x'], ['2x', b'ab'], ['<d', b'\0'*8])
t(lambda: struct.unpack('<i',bytearray(4)))
t(lambda: struct.unpack('<i',memoryview(bytes(4))))
each(struct.unpack, ['<f', b'\xcd\xcc\x8c?'], ['5p', b'\x09abcd'], ['i', 'abcd'], ['i', 5], [''])
t(lambda: struct.unpack_from('<h',b'abcd',2))
t(lambda: struct.unpack_from('<h',b'abcd',-2))
t(lambda: struct.unpack_from('<h',buffer=b'abcd',offset=1))
each(struct.unpack_from, ['<h', b'abcd'], ['<h', b'abcd', 3], ['<h', b'abcd', -1],
     ['<h', b'abcd', -10], ['<h', b'abcd', 100])
t(lambda: list(struct.iter_unpack('<h',b'abcd')))
t(lambda: struct.iter_unpack('<h',b'abc'))
t(lambda: struct.iter_unpack('',b''))
t(lambda: next(struct.iter_unpack('<h',b'')))
t(lambda: struct.pack_into('<h',ba,1,258))
t(lambda: ba)
t(lambda: struct.pack_into('<h',ba,-2,5))
t(lambda: ba)
each(struct.pack_into, ['<h', ba, 5, 1], ['<h', ba, -1, 1], ['<h', ba, -10, 1],
     ['<h', b'abcd', 0, 1], ['<h', ba], ['<h', ba, 0])
each(struct.calcsize, ['i'], ['ci'], ['=ci'], ['3sx'], ['cil'], ['100i'], ['i0q'], [b'i'], ['q'])
t(lambda: s.format)
t(lambda: s.size)
t(lambda: s.pack(1,2))
t(lambda: s.unpack(b'\0'*6))
t(lambda: s.unpack_from(b'\0'*8,1))
t(lambda: list(s.iter_unpack(b'\0'*12)))
t(lambda: s.pack_into(ba,0,1,2))
t(lambda: ba)
t(lambda: s.pack(1))
t(lambda: s.unpack(b''))
each(struct.Struct, ['z'], [5], [])
t(lambda: struct.error)
t(lambda: struct.error.__mro__)
t(lambda: struct.error('x'))
t(lambda: type(s))
t(lambda: struct.Struct.__module__)
each(ar, [lambda a:a.append(4)], [lambda a:a.extend([4,5])], [lambda a:a.extend(a)],
     [lambda a:a.insert(0,9)], [lambda a:a.insert(-1,9)], [lambda a:a.insert(99,9)],
     [lambda a:a.pop()], [lambda a:a.pop(0)], [lambda a:a.remove(2)], [lambda a:a.reverse()],
     [lambda a:a.index(2)], [lambda a:a.index(3,1)], [lambda a:a.count(1)], [lambda a:a.tolist()],
     [lambda a:a.tobytes()], [lambda a:a.byteswap()], [lambda a:a.frombytes(b'\1\0\0\0')],
     [lambda a:a.fromlist([7])], [lambda a:a.buffer_info()[1]], [lambda a:(a.itemsize,a.typecode)],
     [lambda a:a[0:2]], [lambda a:a[::-1]], [lambda a:a+a], [lambda a:a*2], [lambda a:2*a],
     [lambda a:a.__setitem__(0,5)], [lambda a:a.__setitem__(slice(0,1),array.array('i',[8,9]))],
     [lambda a:a.__delitem__(0)], [lambda a:a.__delitem__(slice(0,2))], [lambda a:2 in a],
     [lambda a:len(a)], [lambda a:list(reversed(a))], [lambda a:a.__iadd__(array.array('i',[4]))],
     [lambda a:a.__imul__(2)], [lambda a:a.tounicode(), 'u', 'ab'],
     [lambda a:a.fromunicode('c'), 'u', 'ab'], [lambda a:copy.copy(a)],
     [lambda a:copy.deepcopy(a)],
     [lambda a:a.__setitem__(slice(None,None,2),array.array('i',[7,7]))],
     [lambda a:memoryview(a).format], [lambda a:a.append('x')], [lambda a:a.append(1.5)],
     [lambda a:a.extend(array.array('d',[1]))], [lambda a:a.extend(5)], [lambda a:a.extend(['x'])],
     [lambda a:a.pop(10)], [lambda a:a.pop(), 'i'], [lambda a:a.remove(10)],
     [lambda a:a.index(10)], [lambda a:a[10]], [lambda a:a['x']], [lambda a:a.__setitem__(10,1)],
     [lambda a:a.__setitem__(slice(0,1),[1])],
     [lambda a:a.__setitem__(slice(None,None,2),array.array('i',[7]))],
     [lambda a:a.__delitem__(10)], [lambda a:a+[1]], [lambda a:a+array.array('d')],
     [lambda a:a*1.5], [lambda a:a.__iadd__([1])], [lambda a:a.frombytes(b'abc')],
     [lambda a:a.frombytes('abcd')], [lambda a:a.fromlist((1,))], [lambda a:a.fromlist([1,'x'])],
     [lambda a:a.tounicode()], [lambda a:a.fromunicode('a')], [lambda a:hash(a)], [lambda a:a<5])
t(lambda: copy.copy(operator.itemgetter(1))('ab'))
t(lambda: copy.deepcopy(operator.attrgetter('real'))(5))
t(lambda: copy.copy(operator.methodcaller('upper'))('a'))
