#---- making
print(bytes(), bytes(3), bytes([1, 2, 255]), bytes(b"ab"), bytes("hé", "utf-8"), bytes(range(5)), bytes(bytearray(b"q")))
print(bytearray(), bytearray(3), bytearray([65, 66]), bytearray("xy", "ascii"), bytearray(b"abc"), bytes(memoryview(b"xyz")))
class B:
    def __bytes__(self):
        return b"B!"
class I:
    def __index__(self):
        return 4
print(bytes(B()), bytes(I()), bytearray(I()))
for f in (lambda: bytes("a"), lambda: bytes(-1), lambda: bytes([256]), lambda: bytes([-1]), lambda: bytes(1.5), lambda: bytes(["a"]),
          lambda: bytearray([256]), lambda: bytearray("a"), lambda: bytearray(-1), lambda: bytes(5, "utf-8"), lambda: bytes(None), lambda: bytearray({}.get)):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
#---- repr
print(b"a'b", b'a"b', b"a'b\"c", b"\x00\x7f\x80\xff\n\r\t\\", bytes(range(0, 256, 17)))
print(bytearray(b"it's"), repr(bytearray(b"\xff")), str(b"abc"), [b"x", bytearray(b"y")])
#---- index and slice
b = b"hello world"
print(b[0], b[-1], b[1:4], b[::-1], b[::2], b[10:0:-3], b[100:], b[:], len(b), b[3:3])
for f in (lambda: b[20], lambda: b["a"], lambda: bytearray(b)[20], lambda: bytearray(b)["a"], lambda: bytearray(b)[1.0]):
    try:
        print(f())
    except (IndexError, TypeError) as e:
        print(type(e).__name__, e)
print(b"lo" in b, 104 in b, b"" in b, 0 in b, bytearray(b"wor") in b, b"x" in bytearray(b))
for f in (lambda: 256 in b, lambda: "a" in b, lambda: -1 in bytearray(b), lambda: 1.5 in b):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
#---- search
b = b"abracadabra"
print(b.find(b"bra"), b.find(b"bra", 2), b.find(97, 1), b.rfind(b"bra"), b.rfind(b"bra", 0, 8), b.find(b"zz"), b.index(b"c"), b.rindex(b"a"))
print(b.count(b"a"), b.count(b"abra"), b.count(b""), b.count(b"a", 1, -1), b.count(97), b.find(b"", 11), b.find(b"", 12), b.find(b"", 3, 2))
print(b.startswith(b"abra"), b.endswith((b"x", b"bra")), b.startswith(b"bra", 1), b.endswith(b"cad", 0, 7), b.startswith(()), b.startswith(b"", 12))
for f in (lambda: b.index(b"zz"), lambda: b.rindex(b"zz"), lambda: b.find("a"), lambda: b.startswith("a"), lambda: b.endswith(["a"]), lambda: b.find(256), lambda: b.count(), lambda: b.find(b"a", "b")):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
#---- replace, split, join
b = b"one two  three"
print(b.split(), b.split(b" "), b.split(None, 1), b.split(b" ", 1), b.rsplit(b" ", 1), b.rsplit(None, 1), b" a ".split(), b"".split(), b"".split(b","), b"a,b,".split(b","))
print(b.replace(b"o", b"0"), b.replace(b"", b"-"), b.replace(b"two", b""), b.replace(b"e", b"EE", 2), b"aaa".replace(b"a", b"b", 0), b"".replace(b"", b"x"), b"abc".replace(b"", b"-", 2))
print(b.partition(b" "), b.rpartition(b" "), b.partition(b"x"), b.rpartition(b"x"), b", ".join([b"a", bytearray(b"b"), memoryview(b"c")]), b"".join([]), bytearray(b"-").join([b"x", b"y"]))
print(b"a\nb\r\nc\rd\n\ne".splitlines(), b"a\nb\n".splitlines(True), b"".splitlines(), bytearray(b"x\ny").splitlines(), b"\x0b\x0c\x1c".splitlines())
for f in (lambda: b.split(b""), lambda: b.partition(b""), lambda: b", ".join([b"a", "b"]), lambda: b"".join(5), lambda: b.replace(b"a"), lambda: b.split("a"), lambda: b.replace("a", b"b")):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
#---- case and shape
b = b"Hello World 123"
print(b.upper(), b.lower(), b.swapcase(), b.title(), b.capitalize(), b"they're bill's".title(), b"\xc0\xe0aB".swapcase())
print(b.center(21), b.center(20, b"*"), b.ljust(18, b"-"), b.rjust(18), b"5".zfill(3), b"-5".zfill(4), b"+7".zfill(2), b"a\tb\tcc".expandtabs(4), b"\t".expandtabs(), b"a\r\tb".expandtabs(3))
print(b"  x ".strip(), b"xxayx".strip(b"xy"), b"xxayx".lstrip(b"x"), b"xxayx".rstrip(b"x"), b" \t\n\r\x0b\x0c.".lstrip(), b"prefix_a".removeprefix(b"prefix_"), b"a.py".removesuffix(b".py"), b"abc".removeprefix(b"x"))
print(b"abc".isalpha(), b"ab1".isalnum(), b"12".isdigit(), b" \n".isspace(), b"aB".islower(), b"AB".isupper(), b"Ab Cd".istitle(), b"".isalpha(), b"".isascii(), b"\x80".isascii(), b"Ab cd".istitle())
t = bytes.maketrans(b"abc", b"xyz")
print(b"aabbcc.".translate(t), b"hello".translate(None, b"l"), b"hello".translate(bytes.maketrans(b"h", b"j"), delete=b"o"), bytearray(b"ab").translate(t))
for f in (lambda: b.center(20, "x"), lambda: b.center(20, b"xx"), lambda: b.translate(b"abc"), lambda: bytes.maketrans(b"a", b"bc"), lambda: b.upper(1), lambda: b.strip("x"), lambda: b.zfill("a"), lambda: b.ljust()):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
#---- hex
print(b"\x01\xab\xff".hex(), b"".hex(), b"abcdef".hex("-"), b"abcdef".hex(":", 2), b"abcdefg".hex("_", -3), b"abcdefg".hex(b" ", 3), bytes.fromhex("01 aB ff"), bytes.fromhex(""), bytearray.fromhex("6162"), memoryview(b"ab").hex())
for f in (lambda: bytes.fromhex("0"), lambda: bytes.fromhex("0g"), lambda: bytes.fromhex("1 2"), lambda: bytes.fromhex(5), lambda: b"a".hex("ab"), lambda: b"a".hex("é"), lambda: b"a".hex(5)):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
#---- operators
print(b"a" + b"b", b"ab" * 3, 2 * b"x", b"a" * 0, b"a" * -1, bytearray(b"a") + b"b", b"a" + bytearray(b"b"), type(b"a" + bytearray(b"b")), type(bytearray(b"a") + b"b"), bytearray(b"ab") * 2, 3 * bytearray(b"z"))
print(b"a" < b"b", b"a" == bytearray(b"a"), bytearray(b"a") <= b"a", b"a" != "a", b"abc" > b"abb", b"" < b"a", memoryview(b"ab") == b"ab", b"ab" == memoryview(b"ab"), b"a" == 97)
for f in (lambda: b"a" + "b", lambda: "a" + b"b", lambda: b"a" * b"b", lambda: b"a" < "b", lambda: bytearray(b"a") + 5, lambda: b"a" * 1.5, lambda: -b"a", lambda: b"a" < 5):
    try:
        print(f())
    except TypeError as e:
        print(type(e).__name__, e)
print(hash(b"abc") == hash(bytes(bytearray(b"abc"))), {b"k": 1}[b"k"], b"a" in {b"a"})
try:
    hash(bytearray())
except TypeError as e:
    print(e)
#---- percent
print(b"%d %5d %-5d| %05d %+d %x %X %#x %o" % (5, 42, 42, 42, 7, 255, 255, 255, 8))
print(b"%s %b %10s|%-6s|%.2s" % (b"ab", bytearray(b"cd"), b"right", b"left", b"xyz"), b"%c%c" % (65, b"B"), b"%%", b"%5.2f %e %g" % (3.14159, 1234.5, 0.0001))
print(b"%a %r" % ("é", b"x"), b"%(k)s=%(v)d" % {b"k": b"key", b"v": 3}, bytearray(b"<%s>") % b"in", b"%*d" % (6, 42), b"%-*d|" % (6, 42), b"%.3d" % 5)
for f in (lambda: b"%s" % "a", lambda: b"%d" % "a", lambda: b"%c" % 256, lambda: b"%c" % b"ab", lambda: b"%d", lambda: b"%d" % (), lambda: b"%d" % (1, 2), lambda: b"%" % 1, lambda: b"%(a)s" % 1):
    try:
        print(f())
    except (TypeError, ValueError, OverflowError) as e:
        print(type(e).__name__, e)
#---- bytearray changes
a = bytearray(b"hello")
a[0] = 72
a[-1] = ord("O")
a.append(33)
a.extend(b" you")
a.extend([65, 66])
a += b"..."
a *= 2
print(a, len(a), a.pop(), a.pop(0), a)
a.insert(0, 60)
a.insert(100, 62)
a.insert(-1, 45)
a.remove(46)
a.reverse()
print(a, a.copy() == a, a.copy() is a)
del a[0], a[5:8], a[::2]
print(a)
a[1:3] = b"XYZ"
a[:0] = [1, 2]
a[len(a):] = bytearray(b"end")
a[::3] = b"-" * len(a[::3])
print(a)
a[1:1] = a
print(len(a))
a.clear()
print(a, bool(a))
#---- bytearray errors
a = bytearray(b"abc")
def assign(key, value):
    a[key] = value
for f in (lambda: a.append(256), lambda: a.append("x"), lambda: a.remove(5), lambda: a.pop(9), lambda: bytearray().pop(), lambda: a.extend("x"), lambda: a.extend([300]), lambda: a.extend(5),
          lambda: assign(9, 1), lambda: assign(0, 256), lambda: assign(0, b"a"), lambda: assign(slice(0, 3, 2), b"xyz"), lambda: assign(slice(0, 1), "x"), lambda: assign(slice(0, 1), 5), lambda: a.insert(0), lambda: a.insert("a", 1)):
    try:
        print(f())
    except (TypeError, ValueError, IndexError) as e:
        print(type(e).__name__, e)
print(a)
#---- iteration
print(list(b"abc"), [x for x in bytearray(b"xy")], tuple(memoryview(b"zz")), sorted(b"hello"), max(b"abc"), sum(b"\x01\x02"), list(reversed(b"ab")), list(enumerate(bytearray(b"q"))), dict(zip(b"ab", b"cd")))
a, b, c = b"xyz"
print(a, b, c, *b"hi", bytes(x ^ 1 for x in b"abc"), set(b"aab"), any(b"\x00"), all(b"\x01\x00"))
#---- plain values of derived ones
class B(bytes): pass
class C(complex): pass
b = B(b'abc')
print(type(bytes(b)), type(B(b)), type(b[:]), type(bytes(bytearray(b))), bytes(b) == b, type(+C(1)), type(-C(1)))
#---- bytes_items
b=b'hello'; ba=bytearray(b'hello')
print([b[i] for i in range(-5,5)],[ba[i] for i in range(-5,5)])
for x in (b,ba):
    for i in (5,-6,True,None,'a'):
        try: print(x[i])
        except Exception as e: print(type(e).__name__,e)
for v in (0,255,256,-1,True,'a',2.5,2**70):
    try: ba[1]=v; print(ba)
    except Exception as e: print(type(e).__name__,e)
try: b[0]=1
except TypeError as e: print(e)
try: ba[9]=1
except IndexError as e: print(e)
class B(bytes):
    def __getitem__(self,i): return 'own'
print(B(b'abc')[0], list(B(b'abc')), bytes(B(b'xy')))
class BA(bytearray):
    def __setitem__(self,i,v): print('set',i,v); super().__setitem__(i,v)
x=BA(b'abc'); x[0]=5; print(x)
print(list(b),list(ba),tuple(ba),sum(ba),max(b),sorted(ba),set(b)=={104,101,108,111})
it=iter(ba); next(it); ba.append(1); print(list(it))
it=iter(bytearray(b'ab')); print(list(it),list(it))
ba=bytearray(range(20))
for i in ba:
    if len(ba)>10: ba.pop()
print(ba)
z=bytearray(30); z[3::4]=b'\1'*len(z[3::4]); print(z); z[::-3]=bytes(range(10)); print(z)
try: z[::2]=b'123'
except ValueError as e: print(e)
print(bytes([1,2,3]),bytearray([255,0]),bytes([]))
for l in ([256],[-1],['a'],[1.5],[True,False],[2**80]):
    try: print(bytes(l))
    except Exception as e: print(type(e).__name__,e)
print(b'ab'+b'cd',b''+b'',b'a'+bytearray(b'b'),bytearray(b'x')+b'y')
print(104 in b, 0 in b, b'el' in b, b'' in b)
try: print(256 in b)
except ValueError as e: print(e)
print(b.hex(),b''.hex(),ba.hex(':'),b.hex('-',2))
from array import array
a=array('i',[1,2,3]); print(a[0],a[-1],a[-3],sum(a))
for i in (3,-4,None):
    try: print(a[i])
    except Exception as e: print(type(e).__name__,e)
d=array('d',[1.5,2.5]); d[1]=7; print(d[1],list(d)); 
print(array('u','héllo')[1],array('Q',[2**64-1])[0],array('b',[-5])[0],array('f',[.5])[-1])
class BI(bytes): pass
print(float(b'1.5'),int(b'12'),int(b'12'+b'3'),float(b'1.'+b'25'))
s={1,2};t={3,4}; print(s.isdisjoint(t),s.isdisjoint([2]),frozenset('ab').isdisjoint('bc'))
