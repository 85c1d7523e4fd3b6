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
#---- array
from array import array
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
a = array('i', [1, 2, 3])
print(a, a.typecode, a.itemsize, len(a), a[0], a[-1], a[1:], a[::-1], a + array('i', [4]), a * 2, 3 in a, a == array('i', [1, 2, 3]), a < array('i', [2]), a == array('f', [1, 2, 3]), list(a), a.tolist(), a.tobytes(), a.count(2), a.index(3), bytes(a), memoryview(a).format)
each(array, ['z'], ['i', 'abc'], ['i', [1.5]], ['b', [200]], ['B', [-1]], ['u', 'héllo'],
     ['u', [1]], ['i', b'abcd'], ['i', b'abc'], [], ['ii'], [5], ['d', [1, 2.5]], ['f', [0.1]],
     ['q', [2 ** 63]])
t(lambda: array('Q', [2 ** 64 - 1]))
t(lambda: array('i', array('d', [1])))
t(lambda: array('d', array('i', [1])))
t(lambda: a.append('x'))
t(lambda: a.append(2 ** 40))
t(lambda: a.extend([4, 5]))
t(lambda: a.extend(array('d')))
t(lambda: a.extend(5))
t(lambda: a.insert(0, 9))
each(a.pop, [], [0], [99])
t(lambda: a.remove(99))
t(lambda: a.index(99))
t(lambda: a.reverse())
print(a)
t(lambda: a.byteswap())
print(a)
a.byteswap()
t(lambda: a.frombytes(b'\x01\x00\x00\x00'))
t(lambda: a.frombytes(b'1'))
t(lambda: a.fromlist([7, 'x']))
t(lambda: a.fromlist((1,)))
print(a)
a[0:2] = array('i', [8, 8, 8])
print(a)
t(lambda: a.__setitem__(slice(0, 1), [1]))
t(lambda: a.__setitem__(99, 1))
t(lambda: a['x'])
t(lambda: a[99])
del a[0]
del a[::2]
print(a)
t(lambda: a + [1])
t(lambda: a.buffer_info()[1])
t(lambda: hash(a))
a += array('i', [1])
a *= 2
print(a)
t(lambda: array('u', 'ab').tounicode())
t(lambda: a.tounicode())
t(lambda: array('i').typecode)
t(lambda: repr(array('u', 'x\n')))
t(lambda: array('i', range(3)))
t(lambda: array('l').itemsize)
import array as am
print(am.typecodes, am.ArrayType is array)
m = memoryview(bytearray(b'abcdefgh'))
print(m.nbytes, m.shape, m.strides, m.ndim, m.readonly, m.format, m.itemsize, m.contiguous, m.obj, m[2], m[1:3].tobytes(), m[::2].tolist(), m[::-1].tobytes(), m.cast('H').tolist(), m.cast('i')[0], m == b'abcdefgh', m.hex('-'), len(m), b'c'[0] in m)
m[0] = 65
m[1:3] = b'ZZ'
print(m.tobytes())
t(lambda: m.__setitem__(slice(0, 2), b'abc'))
t(lambda: m.__setitem__(0, 300))
t(lambda: m.__setitem__(0, 'a'))
t(lambda: m[99])
t(lambda: m['a'])
t(lambda: memoryview('a'))
t(lambda: memoryview(b'a').__setitem__(0, 1))
t(lambda: hash(m))
t(lambda: hash(memoryview(b'ab')) == hash(b'ab'))
t(lambda: m.cast('x'))
t(lambda: m.cast('i', [2]).tolist())
t(lambda: m[:7].cast('H'))
t(lambda: m[::2].cast('H'))
t(lambda: m.release())
t(lambda: m[0])
t(lambda: m.tobytes())
t(lambda: len(m))
with memoryview(b'x') as mv:
    print(mv[0])
t(lambda: mv[0])
t(lambda: memoryview(b'abc').toreadonly().readonly)
t(lambda: memoryview(array('d', [1.5])).tolist())
t(lambda: memoryview(b'ab') < memoryview(b'b'))
t(lambda: list(reversed(memoryview(b'ab'))))
t(lambda: memoryview(b'ab') + b'c')
t(lambda: b''.join([memoryview(b'ab'), b'c']))
t(lambda: bytes(memoryview(b'abc')[1:]))
t(lambda: int.from_bytes(memoryview(b'\x01\x02'), 'big'))
t(lambda: memoryview(b'a') == 5)
t(lambda: memoryview(bytearray(4)).cast('f').tolist())
#---- one call after another
import struct, array
s=struct.Struct('<ih')
class SA(array.array):
    def __new__(cls,*a): return super().__new__(cls,'i',a)
    def sm(s): return sum(s)

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
each(array.array, ['i', [1,2]], ['i'], ['u', 'ab'], ['d', [1]], ['b', b'ab'])
t(lambda: array.array('B',bytearray(b'a')))
t(lambda: array.array('i',(1,2)))
t(lambda: array.array('i',range(3)))
t(lambda: array.array('h',array.array('i',[1])))
t(lambda: array.array('f',[1.1]))
t(lambda: array.array('u'))
t(lambda: array.typecodes)
t(lambda: array.array('q',[2**62]))
t(lambda: array.array('Q',[2**64-1]))
each(array.array, ['z'], ['i', 'ab'], ['i', 5], ['i', [1.5]], ['i', ['a']], ['b', [200]],
     ['B', [-1]], ['B', [256]], ['h', [40000]], ['H', [-1]], ['i', [2**31]], ['I', [-1]],
     ['I', [2**32]], ['q', [2**63]], ['Q', [-1]], ['L', [2**64]], ['f', ['a']], ['u', ['ab']],
     ['u', [1]], [], ['ii'], [5], ['i', [1], 2], ['i', b'abc'])
t(lambda: array.array('i',[1,2])==array.array('d',[1,2]))
t(lambda: array.array('i',[1])<array.array('i',[2]))
t(lambda: array.array('i',[1])==[1])
t(lambda: array.array('i',[1])!=array.array('i',[1]))
t(lambda: array.array('i') == array.array('u'))
t(lambda: bool(array.array('i')))
t(lambda: str(array.array('f',[0.1])))
t(lambda: array.ArrayType is array.array)
t(lambda: array.array('i')>=array.array('i'))
t(lambda: SA(1,2).sm())
t(lambda: SA(1,2))
t(lambda: SA(1)+SA(2))
t(lambda: type(SA(1)[0:1]).__name__)
