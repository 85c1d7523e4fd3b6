#---- str_0
import struct, array, io, copy, operator, heapq, bisect, base64, binascii, zlib, hashlib, string, time, sys, hmac
class Idx:
    def __init__(s,v): s.v=v
    def __index__(s): return s.v
def ex(f,*a,**k):
    return f(*a,**k)
ba=bytearray(6)
s=struct.Struct('<ih')
def ar(f,*init):
    a=array.array(*(init or ('i',[1,2,3]))); r=f(a); return r,a
class SA(array.array):
    def __new__(cls,*a): return super().__new__(cls,'i',a)
    def sm(s): return sum(s)
def zc(*a,**k):
    c=zlib.compressobj(*a,**k); r=c.compress(b'hello '*5)+c.flush(); return r
def zd():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*50)+b'tail'
    r=d.decompress(z,10); return r, len(d.unconsumed_tail), d.eof, d.unused_data
def zd2():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5)+b'tail'
    r=d.decompress(z); return r, d.unconsumed_tail, d.eof, d.unused_data, d.flush()
def zd3():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5); r=b''
    for i in range(len(z)): r+=d.decompress(z[i:i+1])
    return r, d.flush(), d.eof
def zd4():
    d=zlib.decompressobj(); d.decompress(b'zzz')
def zd5():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5)[:-5]; return d.decompress(z), d.eof, d.flush()
def zc2():
    c=zlib.compressobj(); return [c.compress(b'abc'), c.flush(zlib.Z_SYNC_FLUSH), c.compress(b'd'), c.flush(zlib.Z_FULL_FLUSH), c.flush()]
def zc3():
    c=zlib.compressobj(); c.flush(); c.compress(b'a')
def zc4():
    c=zlib.compressobj(); c.flush(); return c.flush()
def zcc():
    c=zlib.compressobj(); c.compress(b'abc'); d=c.copy(); return c.flush()==d.flush(), zlib.decompress(copy.copy(zlib.compressobj()).flush())
def zdc():
    z=zlib.compress(b'hello '*5); d=zlib.decompressobj(); r=d.decompress(z[:10]); e=d.copy(); return r+e.decompress(z[10:])==r+d.decompress(z[10:])
def zdict():
    c=zlib.compressobj(zdict=b'hello'); z=c.compress(b'hello hello')+c.flush(); d=zlib.decompressobj(zdict=b'hello'); return d.decompress(z), z
def zdict2():
    c=zlib.compressobj(zdict=b'hello'); z=c.compress(b'hello hello')+c.flush(); return zlib.decompressobj().decompress(z)
class TT(string.Template):
    delimiter='%'
class TI(string.Template):
    idpattern='[a-z]+_[a-z]+'
class TP(string.Template):
    pattern=r'''
    \@(?P<escaped>\@)|\@(?P<named>[a-z]+)|\@\{(?P<braced>[a-z]+)\}|\@(?P<invalid>)
    '''
class MyF(string.Formatter):
    def get_value(s,k,a,kw):
        return kw.get(k,'?'+str(k)) if isinstance(k,str) else super().get_value(k,a,kw)
    def convert_field(s,v,c):
        return v*2 if c=='d' else super().convert_field(v,c)
    def format_field(s,v,sp): return '<'+super().format_field(v,sp)+'>'
    def check_unused_args(s,u,a,k): s.u=u
F=string.Formatter()

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: struct.pack('i',5))
t(lambda: struct.pack('<hhl',1,2,3))
t(lambda: struct.pack('>q',-1))
t(lambda: struct.pack('3s',b'ab'))
t(lambda: struct.pack('5p',b'abc'))
t(lambda: struct.pack('?',2))
t(lambda: struct.pack('c',b'x'))
t(lambda: struct.pack('e',1.5))
t(lambda: struct.pack('<f',1.1))
t(lambda: struct.pack('d',1e300))
t(lambda: struct.pack('2x'))
t(lambda: struct.pack('bB',-1,255))
t(lambda: struct.pack('@i0l',1))
t(lambda: struct.pack('ci',b'a',1))
t(lambda: struct.pack('=ci',b'a',1))
t(lambda: struct.pack('n',1))
t(lambda: struct.pack('N',1))
t(lambda: struct.pack('P',1))
t(lambda: struct.pack(''))
t(lambda: struct.pack(' < i ',1))
t(lambda: struct.pack(b'<i',1))
t(lambda: struct.pack('<2i',1,2))
t(lambda: struct.pack('0s',b'abc'))
t(lambda: struct.pack('i',Idx(7)))
t(lambda: struct.pack('i',True))
t(lambda: struct.pack('s',b''))
t(lambda: struct.pack('?',[]))
t(lambda: struct.pack('!H',258))
t(lambda: struct.pack('f',5))
t(lambda: struct.pack('10p',b'x'*20))
t(lambda: struct.pack('b',128))
t(lambda: struct.pack('B',-1))
t(lambda: struct.pack('h',40000))
t(lambda: struct.pack('H',-1))
t(lambda: struct.pack('i',2**31))
t(lambda: struct.pack('I',-1))
t(lambda: struct.pack('l',2**63))
t(lambda: struct.pack('<l',2**31))
t(lambda: struct.pack('L',-1))
t(lambda: struct.pack('q',2**63))
t(lambda: struct.pack('Q',-1))
t(lambda: struct.pack('<q',2**64))
t(lambda: struct.pack('<Q',2**64))
t(lambda: struct.pack('<h',40000))
t(lambda: struct.pack('<B',256))
t(lambda: struct.pack('n',2**64))
t(lambda: struct.pack('i','a'))
t(lambda: struct.pack('i',1.5))
t(lambda: struct.pack('f','a'))
t(lambda: struct.pack('f',1e300))
t(lambda: struct.pack('e',1e10))
t(lambda: struct.pack('<f',1e39))
t(lambda: struct.pack('c','a'))
t(lambda: struct.pack('c',b'ab'))
t(lambda: struct.pack('3s','abc'))
t(lambda: struct.pack('i'))
t(lambda: struct.pack('i',1,2))
t(lambda: struct.pack('z',1))
t(lambda: struct.pack('<n',1))
t(lambda: struct.pack('3'))
t(lambda: struct.pack('i<',1))
t(lambda: struct.pack(5))
t(lambda: struct.pack())
t(lambda: struct.unpack('i',b'abc'))
t(lambda: struct.unpack('<i',b'\1\0\0\0'))
t(lambda: struct.unpack('>Hb',b'\1\2\xff'))
t(lambda: struct.unpack('3s2p',b'abc\1z'))
t(lambda: struct.unpack('?',b'\2'))
t(lambda: struct.unpack('<e',b'\0\x3e'))
t(lambda: struct.unpack('c',b'x'))
t(lambda: struct.unpack('2x',b'ab'))
t(lambda: struct.unpack('<d',b'\0'*8))
t(lambda: struct.unpack('<i',bytearray(4)))
t(lambda: struct.unpack('<i',memoryview(bytes(4))))
t(lambda: struct.unpack('<f',b'\xcd\xcc\x8c?'))
t(lambda: struct.unpack('5p',b'\x09abcd'))
t(lambda: struct.unpack('i','abcd'))
t(lambda: struct.unpack('i',5))
t(lambda: struct.unpack(''))
t(lambda: struct.unpack_from('<h',b'abcd',2))
t(lambda: struct.unpack_from('<h',b'abcd',-2))
t(lambda: struct.unpack_from('<h',buffer=b'abcd',offset=1))
t(lambda: struct.unpack_from('<h',b'abcd'))
t(lambda: struct.unpack_from('<h',b'abcd',3))
t(lambda: struct.unpack_from('<h',b'abcd',-1))
t(lambda: struct.unpack_from('<h',b'abcd',-10))
t(lambda: struct.unpack_from('<h',b'abcd',100))
t(lambda: list(struct.iter_unpack('<h',b'abcd')))
t(lambda: struct.iter_unpack('<h',b'abc'))
t(lambda: struct.iter_unpack('',b''))
t(lambda: next(struct.iter_unpack('<h',b'')))
t(lambda: struct.pack_into('<h',ba,1,258))
t(lambda: ba)
t(lambda: struct.pack_into('<h',ba,-2,5))
t(lambda: ba)
t(lambda: struct.pack_into('<h',ba,5,1))
t(lambda: struct.pack_into('<h',ba,-1,1))
t(lambda: struct.pack_into('<h',ba,-10,1))
t(lambda: struct.pack_into('<h',b'abcd',0,1))
t(lambda: struct.pack_into('<h',ba))
t(lambda: struct.pack_into('<h',ba,0))
t(lambda: struct.calcsize('i'))
t(lambda: struct.calcsize('ci'))
t(lambda: struct.calcsize('=ci'))
t(lambda: struct.calcsize('3sx'))
t(lambda: struct.calcsize('cil'))
t(lambda: struct.calcsize('100i'))
t(lambda: struct.calcsize('i0q'))
t(lambda: struct.calcsize(b'i'))
t(lambda: struct.calcsize('q'))
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
t(lambda: struct.Struct('z'))
t(lambda: struct.Struct(5))
t(lambda: struct.Struct())
t(lambda: struct.error)
t(lambda: struct.error.__mro__)
t(lambda: struct.error('x'))
t(lambda: type(s))
t(lambda: struct.Struct.__module__)
t(lambda: array.array('i',[1,2]))
t(lambda: array.array('i'))
t(lambda: array.array('u','ab'))
t(lambda: array.array('d',[1]))
t(lambda: array.array('b',b'ab'))
t(lambda: array.array('B',bytearray(b'a')))
t(lambda: array.array('i',(1,2)))
t(lambda: array.array('i',range(3)))
t(lambda: array.array('h',array.array('i',[1])))
t(lambda: array.array('f',[1.1]))
t(lambda: array.array('u'))
t(lambda: array.typecodes)
t(lambda: array.array('q',[2**62]))
t(lambda: array.array('Q',[2**64-1]))
t(lambda: array.array('z'))
t(lambda: array.array('i','ab'))
t(lambda: array.array('i',5))
t(lambda: array.array('i',[1.5]))
t(lambda: array.array('i',['a']))
#---- str_1
import struct, array, io, copy, operator, heapq, bisect, base64, binascii, zlib, hashlib, string, time, sys, hmac
class Idx:
    def __init__(s,v): s.v=v
    def __index__(s): return s.v
def ex(f,*a,**k):
    return f(*a,**k)
ba=bytearray(6)
s=struct.Struct('<ih')
def ar(f,*init):
    a=array.array(*(init or ('i',[1,2,3]))); r=f(a); return r,a
class SA(array.array):
    def __new__(cls,*a): return super().__new__(cls,'i',a)
    def sm(s): return sum(s)
def zc(*a,**k):
    c=zlib.compressobj(*a,**k); r=c.compress(b'hello '*5)+c.flush(); return r
def zd():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*50)+b'tail'
    r=d.decompress(z,10); return r, len(d.unconsumed_tail), d.eof, d.unused_data
def zd2():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5)+b'tail'
    r=d.decompress(z); return r, d.unconsumed_tail, d.eof, d.unused_data, d.flush()
def zd3():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5); r=b''
    for i in range(len(z)): r+=d.decompress(z[i:i+1])
    return r, d.flush(), d.eof
def zd4():
    d=zlib.decompressobj(); d.decompress(b'zzz')
def zd5():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5)[:-5]; return d.decompress(z), d.eof, d.flush()
def zc2():
    c=zlib.compressobj(); return [c.compress(b'abc'), c.flush(zlib.Z_SYNC_FLUSH), c.compress(b'd'), c.flush(zlib.Z_FULL_FLUSH), c.flush()]
def zc3():
    c=zlib.compressobj(); c.flush(); c.compress(b'a')
def zc4():
    c=zlib.compressobj(); c.flush(); return c.flush()
def zcc():
    c=zlib.compressobj(); c.compress(b'abc'); d=c.copy(); return c.flush()==d.flush(), zlib.decompress(copy.copy(zlib.compressobj()).flush())
def zdc():
    z=zlib.compress(b'hello '*5); d=zlib.decompressobj(); r=d.decompress(z[:10]); e=d.copy(); return r+e.decompress(z[10:])==r+d.decompress(z[10:])
def zdict():
    c=zlib.compressobj(zdict=b'hello'); z=c.compress(b'hello hello')+c.flush(); d=zlib.decompressobj(zdict=b'hello'); return d.decompress(z), z
def zdict2():
    c=zlib.compressobj(zdict=b'hello'); z=c.compress(b'hello hello')+c.flush(); return zlib.decompressobj().decompress(z)
class TT(string.Template):
    delimiter='%'
class TI(string.Template):
    idpattern='[a-z]+_[a-z]+'
class TP(string.Template):
    pattern=r'''
    \@(?P<escaped>\@)|\@(?P<named>[a-z]+)|\@\{(?P<braced>[a-z]+)\}|\@(?P<invalid>)
    '''
class MyF(string.Formatter):
    def get_value(s,k,a,kw):
        return kw.get(k,'?'+str(k)) if isinstance(k,str) else super().get_value(k,a,kw)
    def convert_field(s,v,c):
        return v*2 if c=='d' else super().convert_field(v,c)
    def format_field(s,v,sp): return '<'+super().format_field(v,sp)+'>'
    def check_unused_args(s,u,a,k): s.u=u
F=string.Formatter()

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: array.array('b',[200]))
t(lambda: array.array('B',[-1]))
t(lambda: array.array('B',[256]))
t(lambda: array.array('h',[40000]))
t(lambda: array.array('H',[-1]))
t(lambda: array.array('i',[2**31]))
t(lambda: array.array('I',[-1]))
t(lambda: array.array('I',[2**32]))
t(lambda: array.array('q',[2**63]))
t(lambda: array.array('Q',[-1]))
t(lambda: array.array('L',[2**64]))
t(lambda: array.array('f',['a']))
t(lambda: array.array('u',['ab']))
t(lambda: array.array('u',[1]))
t(lambda: array.array())
t(lambda: array.array('ii'))
t(lambda: array.array(5))
t(lambda: array.array('i',[1],2))
t(lambda: array.array('i',b'abc'))
t(lambda: ar(lambda a:a.append(4)))
t(lambda: ar(lambda a:a.extend([4,5])))
t(lambda: ar(lambda a:a.extend(a)))
t(lambda: ar(lambda a:a.insert(0,9)))
t(lambda: ar(lambda a:a.insert(-1,9)))
t(lambda: ar(lambda a:a.insert(99,9)))
t(lambda: ar(lambda a:a.pop()))
t(lambda: ar(lambda a:a.pop(0)))
t(lambda: ar(lambda a:a.remove(2)))
t(lambda: ar(lambda a:a.reverse()))
t(lambda: ar(lambda a:a.index(2)))
t(lambda: ar(lambda a:a.index(3,1)))
t(lambda: ar(lambda a:a.count(1)))
t(lambda: ar(lambda a:a.tolist()))
t(lambda: ar(lambda a:a.tobytes()))
t(lambda: ar(lambda a:a.byteswap()))
t(lambda: ar(lambda a:a.frombytes(b'\1\0\0\0')))
t(lambda: ar(lambda a:a.fromlist([7])))
t(lambda: ar(lambda a:a.buffer_info()[1]))
t(lambda: ar(lambda a:(a.itemsize,a.typecode)))
t(lambda: ar(lambda a:a[0:2]))
t(lambda: ar(lambda a:a[::-1]))
t(lambda: ar(lambda a:a+a))
t(lambda: ar(lambda a:a*2))
t(lambda: ar(lambda a:2*a))
t(lambda: ar(lambda a:a.__setitem__(0,5)))
t(lambda: ar(lambda a:a.__setitem__(slice(0,1),array.array('i',[8,9]))))
t(lambda: ar(lambda a:a.__delitem__(0)))
t(lambda: ar(lambda a:a.__delitem__(slice(0,2))))
t(lambda: ar(lambda a:2 in a))
t(lambda: ar(lambda a:len(a)))
t(lambda: ar(lambda a:list(reversed(a))))
t(lambda: ar(lambda a:a.__iadd__(array.array('i',[4]))))
t(lambda: ar(lambda a:a.__imul__(2)))
t(lambda: ar(lambda a:a.tounicode(),'u','ab'))
t(lambda: ar(lambda a:a.fromunicode('c'),'u','ab'))
t(lambda: ar(lambda a:copy.copy(a)))
t(lambda: ar(lambda a:copy.deepcopy(a)))
t(lambda: ar(lambda a:a.__setitem__(slice(None,None,2),array.array('i',[7,7]))))
t(lambda: ar(lambda a:memoryview(a).format))
t(lambda: ar(lambda a:a.append('x')))
t(lambda: ar(lambda a:a.append(1.5)))
t(lambda: ar(lambda a:a.extend(array.array('d',[1]))))
t(lambda: ar(lambda a:a.extend(5)))
t(lambda: ar(lambda a:a.extend(['x'])))
t(lambda: ar(lambda a:a.pop(10)))
t(lambda: ar(lambda a:a.pop(),'i'))
t(lambda: ar(lambda a:a.remove(10)))
t(lambda: ar(lambda a:a.index(10)))
t(lambda: ar(lambda a:a[10]))
t(lambda: ar(lambda a:a['x']))
t(lambda: ar(lambda a:a.__setitem__(10,1)))
t(lambda: ar(lambda a:a.__setitem__(slice(0,1),[1])))
t(lambda: ar(lambda a:a.__setitem__(slice(None,None,2),array.array('i',[7]))))
t(lambda: ar(lambda a:a.__delitem__(10)))
t(lambda: ar(lambda a:a+[1]))
t(lambda: ar(lambda a:a+array.array('d')))
t(lambda: ar(lambda a:a*1.5))
t(lambda: ar(lambda a:a.__iadd__([1])))
t(lambda: ar(lambda a:a.frombytes(b'abc')))
t(lambda: ar(lambda a:a.frombytes('abcd')))
t(lambda: ar(lambda a:a.fromlist((1,))))
t(lambda: ar(lambda a:a.fromlist([1,'x'])))
t(lambda: ar(lambda a:a.tounicode()))
t(lambda: ar(lambda a:a.fromunicode('a')))
t(lambda: ar(lambda a:hash(a)))
t(lambda: ar(lambda a:a<5))
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
t(lambda: base64.b64encode(b'hello'))
t(lambda: base64.b64decode('aGVsbG8='))
t(lambda: base64.b64decode(b'aGVs\nbG8='))
t(lambda: base64.b64encode(b'\xfb\xff',b'-_'))
t(lambda: base64.b64decode('-_8=','-_'))
t(lambda: base64.urlsafe_b64encode(b'\xfb\xff'))
t(lambda: base64.urlsafe_b64decode('-_8='))
t(lambda: base64.standard_b64encode(b'a'))
t(lambda: base64.standard_b64decode('YQ=='))
t(lambda: base64.b32encode(b'hello'))
t(lambda: base64.b32decode('NBSWY3DP'))
t(lambda: base64.b32decode('nbswy3dp',True))
t(lambda: base64.b32decode('NBSWY3D0',map01='O') if 0 else 0)
t(lambda: base64.b32hexencode(b'hello'))
t(lambda: base64.b32hexdecode('D1IMOR3F'))
t(lambda: base64.b16encode(b'\xab'))
t(lambda: base64.b16decode('AB'))
t(lambda: base64.b16decode('ab',True))
t(lambda: base64.a85encode(b'hello'))
t(lambda: base64.a85encode(b'\0\0\0\0'))
t(lambda: base64.a85encode(b'    ',foldspaces=True))
t(lambda: base64.a85encode(b'hello',adobe=True))
t(lambda: base64.a85encode(b'x'*20,wrapcol=10))
t(lambda: base64.a85encode(b'ab',pad=True))
t(lambda: base64.a85decode(b'BOu!rDZ'))
t(lambda: base64.a85decode('<~BOu!rDZ~>',adobe=True))
t(lambda: base64.a85decode(b'y',foldspaces=True))
t(lambda: base64.a85decode(b'z'))
t(lambda: base64.b85encode(b'hello'))
t(lambda: base64.b85decode('Xk~0{Zv'))
t(lambda: base64.b85encode(b'a',pad=True))
t(lambda: base64.encodebytes(b'x'*60))
t(lambda: base64.decodebytes(b'eHg=\n'))
t(lambda: base64.b64decode('YQ=='*2))
t(lambda: base64.b64decode('Y!Q=='))
t(lambda: base64.b64encode(bytearray(b'a')))
t(lambda: base64.b64encode(memoryview(b'a')))
t(lambda: base64.b64decode('a'))
t(lambda: base64.b64decode('YQ'))
t(lambda: base64.b64decode('Y!Q==',validate=True))
t(lambda: base64.b64decode('YQ=',validate=True))
t(lambda: base64.b64decode('YQ==x',validate=True))
t(lambda: base64.b64decode('é'))
t(lambda: base64.b64decode(5))
t(lambda: base64.b64encode('a'))
t(lambda: base64.b64encode(b'a',b'-'))
t(lambda: base64.b64encode(b'a','-_'))
t(lambda: base64.b64decode(b'a',b'-'))
t(lambda: base64.b32decode('A'))
t(lambda: base64.b32decode('nbswy3dp'))
#---- str_2
import struct, array, io, copy, operator, heapq, bisect, base64, binascii, zlib, hashlib, string, time, sys, hmac
class Idx:
    def __init__(s,v): s.v=v
    def __index__(s): return s.v
def ex(f,*a,**k):
    return f(*a,**k)
ba=bytearray(6)
s=struct.Struct('<ih')
def ar(f,*init):
    a=array.array(*(init or ('i',[1,2,3]))); r=f(a); return r,a
class SA(array.array):
    def __new__(cls,*a): return super().__new__(cls,'i',a)
    def sm(s): return sum(s)
def zc(*a,**k):
    c=zlib.compressobj(*a,**k); r=c.compress(b'hello '*5)+c.flush(); return r
def zd():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*50)+b'tail'
    r=d.decompress(z,10); return r, len(d.unconsumed_tail), d.eof, d.unused_data
def zd2():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5)+b'tail'
    r=d.decompress(z); return r, d.unconsumed_tail, d.eof, d.unused_data, d.flush()
def zd3():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5); r=b''
    for i in range(len(z)): r+=d.decompress(z[i:i+1])
    return r, d.flush(), d.eof
def zd4():
    d=zlib.decompressobj(); d.decompress(b'zzz')
def zd5():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5)[:-5]; return d.decompress(z), d.eof, d.flush()
def zc2():
    c=zlib.compressobj(); return [c.compress(b'abc'), c.flush(zlib.Z_SYNC_FLUSH), c.compress(b'd'), c.flush(zlib.Z_FULL_FLUSH), c.flush()]
def zc3():
    c=zlib.compressobj(); c.flush(); c.compress(b'a')
def zc4():
    c=zlib.compressobj(); c.flush(); return c.flush()
def zcc():
    c=zlib.compressobj(); c.compress(b'abc'); d=c.copy(); return c.flush()==d.flush(), zlib.decompress(copy.copy(zlib.compressobj()).flush())
def zdc():
    z=zlib.compress(b'hello '*5); d=zlib.decompressobj(); r=d.decompress(z[:10]); e=d.copy(); return r+e.decompress(z[10:])==r+d.decompress(z[10:])
def zdict():
    c=zlib.compressobj(zdict=b'hello'); z=c.compress(b'hello hello')+c.flush(); d=zlib.decompressobj(zdict=b'hello'); return d.decompress(z), z
def zdict2():
    c=zlib.compressobj(zdict=b'hello'); z=c.compress(b'hello hello')+c.flush(); return zlib.decompressobj().decompress(z)
class TT(string.Template):
    delimiter='%'
class TI(string.Template):
    idpattern='[a-z]+_[a-z]+'
class TP(string.Template):
    pattern=r'''
    \@(?P<escaped>\@)|\@(?P<named>[a-z]+)|\@\{(?P<braced>[a-z]+)\}|\@(?P<invalid>)
    '''
class MyF(string.Formatter):
    def get_value(s,k,a,kw):
        return kw.get(k,'?'+str(k)) if isinstance(k,str) else super().get_value(k,a,kw)
    def convert_field(s,v,c):
        return v*2 if c=='d' else super().convert_field(v,c)
    def format_field(s,v,sp): return '<'+super().format_field(v,sp)+'>'
    def check_unused_args(s,u,a,k): s.u=u
F=string.Formatter()

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: base64.b32decode('11111111'))
t(lambda: base64.b32decode('A======='))
t(lambda: base64.b32encode('a'))
t(lambda: base64.b16decode('ab'))
t(lambda: base64.b16decode('A'))
t(lambda: base64.b16decode('GG'))
t(lambda: base64.a85decode('v'))
t(lambda: base64.a85decode(b'zzz!z'))
t(lambda: base64.a85decode(b'BOu',adobe=True))
t(lambda: base64.a85decode(b'uuuuu'))
t(lambda: base64.b85decode('é'))
t(lambda: base64.b85decode(b'"'))
t(lambda: base64.b85decode(b'~~~~~'))
t(lambda: base64.encodebytes('a'))
t(lambda: base64.decodebytes('a'))
t(lambda: ex(lambda: (base64.encode(io.BytesIO(b'hello'),o:=io.BytesIO()),o.getvalue())))
t(lambda: ex(lambda: (base64.decode(io.BytesIO(b'aGVsbG8=\n'),o:=io.BytesIO()),o.getvalue())))
t(lambda: binascii.hexlify(b'\xab\xcd'))
t(lambda: binascii.hexlify(b'abcd','-'))
t(lambda: binascii.hexlify(b'abcd',b':',2))
t(lambda: binascii.unhexlify('abcd'))
t(lambda: binascii.unhexlify(b'ABCD'))
t(lambda: binascii.b2a_hex(b'a'))
t(lambda: binascii.a2b_hex('61'))
t(lambda: binascii.crc32(b'hello'))
t(lambda: binascii.crc32(b'lo',binascii.crc32(b'hel')))
t(lambda: binascii.b2a_base64(b'a'))
t(lambda: binascii.b2a_base64(b'a',newline=False))
t(lambda: binascii.a2b_base64('YQ=='))
t(lambda: binascii.a2b_base64(b'Y Q = ='))
t(lambda: binascii.unhexlify('abc'))
t(lambda: binascii.unhexlify('zz'))
t(lambda: binascii.unhexlify('é'))
t(lambda: binascii.hexlify('a'))
t(lambda: binascii.a2b_base64('YQ=',strict_mode=True))
t(lambda: binascii.a2b_base64('=YQ=',strict_mode=True))
t(lambda: binascii.a2b_base64('YQ==a',strict_mode=True))
t(lambda: binascii.a2b_base64('Y'))
t(lambda: binascii.Error.__mro__)
t(lambda: binascii.Incomplete.__mro__)
t(lambda: zlib.compress(b'hello'*10)==zlib.compress(b'hello'*10,-1))
t(lambda: zlib.decompress(zlib.compress(b'hello')))
t(lambda: zlib.crc32(b'a'))
t(lambda: zlib.adler32(b'a'))
t(lambda: zlib.adler32(b'b',zlib.adler32(b'a')))
t(lambda: zlib.decompress(zlib.compress(b'x',9)))
t(lambda: len(zlib.compress(b'a'*1000,0)))
t(lambda: zlib.compress(b'a',level=1))
t(lambda: zlib.compress(b'abc',wbits=-15))
t(lambda: zlib.decompress(zlib.compress(b'abc',wbits=-15),-15))
t(lambda: zlib.decompress(zlib.compress(b'abc',wbits=31),wbits=47))
t(lambda: zlib.decompress(zlib.compress(b'abc'),bufsize=1))
t(lambda: zlib.MAX_WBITS)
t(lambda: zlib.DEF_BUF_SIZE)
t(lambda: zlib.Z_BEST_COMPRESSION)
t(lambda: zlib.DEFLATED)
t(lambda: zlib.ZLIB_VERSION[:2])
t(lambda: zlib.compress(b'a',10))
t(lambda: zlib.compress('a'))
t(lambda: zlib.decompress(b'abc'))
t(lambda: zlib.decompress(b''))
t(lambda: zlib.decompress(zlib.compress(b'hello')[:-2]))
t(lambda: zlib.decompress(zlib.compress(b'hello')[:-4]+b'abcd'))
t(lambda: zlib.decompress('a'))
t(lambda: zlib.decompress(b'x',bufsize=-1))
t(lambda: zlib.decompress(b'x',bufsize=0))
t(lambda: zlib.compress(b'a',wbits=5))
t(lambda: zc())
t(lambda: zc(1))
t(lambda: zc(level=9))
t(lambda: zc(9,zlib.DEFLATED,-15))
t(lambda: zc(9,zlib.DEFLATED,15,8,zlib.Z_HUFFMAN_ONLY))
t(lambda: zc(strategy=zlib.Z_FIXED))
t(lambda: zc(memLevel=1))
t(lambda: zc(wbits=31))
t(lambda: zc(0))
t(lambda: zd())
t(lambda: zd2())
t(lambda: zd3())
t(lambda: zd5())
t(lambda: zd4())
t(lambda: zc2())
t(lambda: zc3())
t(lambda: zc4())
t(lambda: zcc())
t(lambda: zdc())
t(lambda: zdict())
t(lambda: zdict2())
t(lambda: zlib.compressobj(10))
t(lambda: zlib.compressobj(wbits=3))
t(lambda: zlib.compressobj(1,2))
t(lambda: zlib.decompressobj(wbits=100))
t(lambda: zlib.decompressobj().decompress(b'x',-1))
t(lambda: zlib.decompressobj().flush(0))
t(lambda: zlib.decompressobj().flush(-1))
t(lambda: type(zlib.decompressobj()))
t(lambda: zlib.error.__module__)
t(lambda: zlib.error)
t(lambda: hashlib.md5(b'a').hexdigest())
t(lambda: hashlib.sha1(b'a').hexdigest())
t(lambda: hashlib.sha224().hexdigest())
t(lambda: hashlib.sha256(b'a').digest())
t(lambda: hashlib.sha384().hexdigest())
t(lambda: hashlib.sha512(b'a').hexdigest())
t(lambda: hashlib.sha3_256(b'a').hexdigest())
t(lambda: hashlib.shake_128(b'a').hexdigest(5))
t(lambda: hashlib.shake_256(b'a').digest(3))
t(lambda: hashlib.blake2b(b'a',digest_size=5).hexdigest())
t(lambda: hashlib.blake2s(b'a',key=b'k').hexdigest())
t(lambda: hashlib.new('md5',b'a').hexdigest())
t(lambda: hashlib.new('SHA256').name)
t(lambda: hashlib.md5(string=b'a').hexdigest())
t(lambda: hashlib.md5(b'a',usedforsecurity=False).hexdigest())
t(lambda: hashlib.md5('a'))
t(lambda: hashlib.md5(5))
t(lambda: hashlib.new('foo'))
t(lambda: hashlib.new(5))
t(lambda: hashlib.md5().update('a'))
t(lambda: hashlib.blake2b(key=b'x'*65))
t(lambda: hashlib.blake2b(salt=b'x'*17))
t(lambda: hashlib.md5().digest_size)
t(lambda: hashlib.md5().block_size)
t(lambda: hashlib.md5().name)
t(lambda: hashlib.sha3_256().block_size)
t(lambda: hashlib.shake_128().digest_size)
t(lambda: hashlib.blake2b().digest_size)
t(lambda: hashlib.blake2b().block_size)
t(lambda: hashlib.blake2b().name)
t(lambda: sorted(hashlib.algorithms_guaranteed))
t(lambda: type(hashlib.algorithms_available))
t(lambda: hashlib.pbkdf2_hmac('sha256',b'p',b's',2))
t(lambda: hashlib.pbkdf2_hmac('sha1',b'p',b's',1,5))
t(lambda: hashlib.pbkdf2_hmac('sha1',b'p',b's',0))
t(lambda: hashlib.pbkdf2_hmac('sha1','p',b's',1))
#---- str_3
import struct, array, io, copy, operator, heapq, bisect, base64, binascii, zlib, hashlib, string, time, sys, hmac
class Idx:
    def __init__(s,v): s.v=v
    def __index__(s): return s.v
def ex(f,*a,**k):
    return f(*a,**k)
ba=bytearray(6)
s=struct.Struct('<ih')
def ar(f,*init):
    a=array.array(*(init or ('i',[1,2,3]))); r=f(a); return r,a
class SA(array.array):
    def __new__(cls,*a): return super().__new__(cls,'i',a)
    def sm(s): return sum(s)
def zc(*a,**k):
    c=zlib.compressobj(*a,**k); r=c.compress(b'hello '*5)+c.flush(); return r
def zd():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*50)+b'tail'
    r=d.decompress(z,10); return r, len(d.unconsumed_tail), d.eof, d.unused_data
def zd2():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5)+b'tail'
    r=d.decompress(z); return r, d.unconsumed_tail, d.eof, d.unused_data, d.flush()
def zd3():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5); r=b''
    for i in range(len(z)): r+=d.decompress(z[i:i+1])
    return r, d.flush(), d.eof
def zd4():
    d=zlib.decompressobj(); d.decompress(b'zzz')
def zd5():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5)[:-5]; return d.decompress(z), d.eof, d.flush()
def zc2():
    c=zlib.compressobj(); return [c.compress(b'abc'), c.flush(zlib.Z_SYNC_FLUSH), c.compress(b'd'), c.flush(zlib.Z_FULL_FLUSH), c.flush()]
def zc3():
    c=zlib.compressobj(); c.flush(); c.compress(b'a')
def zc4():
    c=zlib.compressobj(); c.flush(); return c.flush()
def zcc():
    c=zlib.compressobj(); c.compress(b'abc'); d=c.copy(); return c.flush()==d.flush(), zlib.decompress(copy.copy(zlib.compressobj()).flush())
def zdc():
    z=zlib.compress(b'hello '*5); d=zlib.decompressobj(); r=d.decompress(z[:10]); e=d.copy(); return r+e.decompress(z[10:])==r+d.decompress(z[10:])
def zdict():
    c=zlib.compressobj(zdict=b'hello'); z=c.compress(b'hello hello')+c.flush(); d=zlib.decompressobj(zdict=b'hello'); return d.decompress(z), z
def zdict2():
    c=zlib.compressobj(zdict=b'hello'); z=c.compress(b'hello hello')+c.flush(); return zlib.decompressobj().decompress(z)
class TT(string.Template):
    delimiter='%'
class TI(string.Template):
    idpattern='[a-z]+_[a-z]+'
class TP(string.Template):
    pattern=r'''
    \@(?P<escaped>\@)|\@(?P<named>[a-z]+)|\@\{(?P<braced>[a-z]+)\}|\@(?P<invalid>)
    '''
class MyF(string.Formatter):
    def get_value(s,k,a,kw):
        return kw.get(k,'?'+str(k)) if isinstance(k,str) else super().get_value(k,a,kw)
    def convert_field(s,v,c):
        return v*2 if c=='d' else super().convert_field(v,c)
    def format_field(s,v,sp): return '<'+super().format_field(v,sp)+'>'
    def check_unused_args(s,u,a,k): s.u=u
F=string.Formatter()

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: repr(hashlib.md5()).split(' ')[:2])
t(lambda: repr(hashlib.sha3_256()).split(' ')[:2])
t(lambda: hmac.new(b'k',b'm','sha256').hexdigest())
t(lambda: hmac.digest(b'k',b'm','md5'))
t(lambda: hmac.compare_digest('a','a'))
t(lambda: hmac.new(b'k',digestmod=hashlib.sha1).name)
t(lambda: hmac.new(b'k',b'',hashlib.md5).digest_size)
t(lambda: hmac.new(b'k',b'm'))
t(lambda: hmac.new('k',b'm','md5'))
t(lambda: hmac.compare_digest('é','a'))
t(lambda: heapq.heapify([3,1,2]))
t(lambda: ex(lambda: (h:=[],heapq.heappush(h,3),heapq.heappush(h,1),heapq.heappop(h),h)[3:]))
t(lambda: heapq.nlargest(2,[1,3,2]))
t(lambda: heapq.nsmallest(2,[1,3,2]))
t(lambda: heapq.nlargest(2,'abc',key=ord))
t(lambda: list(heapq.merge([1,3],[2,4])))
t(lambda: list(heapq.merge([3,1],[4,2],reverse=True)))
t(lambda: list(heapq.merge('ac','b',key=ord)))
t(lambda: heapq.heappushpop([2,3],1))
t(lambda: heapq.heapreplace([2,3],1))
t(lambda: heapq.heappushpop([],1))
t(lambda: heapq.nlargest(0,[1]))
t(lambda: heapq.nsmallest(-1,[1]))
t(lambda: heapq.nlargest(10,[1,2]))
t(lambda: heapq.nsmallest(1,[]))
t(lambda: heapq._heapify_max([1,2]) if 0 else 0)
t(lambda: heapq.heappop([]))
t(lambda: heapq.heapreplace([],1))
t(lambda: heapq.heapify((1,)))
t(lambda: heapq.heappush((1,),1))
t(lambda: heapq.heapify([1,'a']))
t(lambda: heapq.nlargest('a',[1]))
t(lambda: heapq.nlargest(1,5))
t(lambda: heapq.heappush([1]))
t(lambda: list(heapq.merge([1],['a'])))
t(lambda: bisect.bisect([1,2,3],2))
t(lambda: bisect.bisect_left([1,2,3],2))
t(lambda: bisect.bisect([1,2,3],2,0,1))
t(lambda: bisect.bisect([1,2,3],x=2))
t(lambda: bisect.bisect_left([3,2,1],-2,key=lambda x:-x))
t(lambda: bisect.bisect((1,2),5))
t(lambda: bisect.bisect('abc','b'))
t(lambda: ex(lambda: (l:=[1,3],bisect.insort(l,2),l)[2]))
t(lambda: ex(lambda: (l:=[1,3],bisect.insort_left(l,3,key=lambda x:x),l)[2]))
t(lambda: bisect.bisect([1,2,3],2,hi=1))
t(lambda: bisect.bisect(range(10**18),5))
t(lambda: bisect.bisect_right(a=[1],x=1,lo=0,hi=None))
t(lambda: bisect.bisect([1],2,-1))
t(lambda: bisect.bisect([1],'a'))
t(lambda: bisect.bisect(5,1))
t(lambda: bisect.bisect([1]))
t(lambda: bisect.insort((1,),1))
t(lambda: bisect.bisect([1,2],1,0,10))
t(lambda: operator.add(1,2))
t(lambda: operator.itemgetter(1)('abc'))
t(lambda: operator.itemgetter(0,2)('abc'))
t(lambda: operator.itemgetter(slice(1))('abc'))
t(lambda: operator.itemgetter('a')({'a':1}))
t(lambda: operator.attrgetter('real')(5))
t(lambda: operator.attrgetter('real.imag','imag')(5))
t(lambda: operator.methodcaller('upper')('a'))
t(lambda: operator.methodcaller('split',',',maxsplit=1)('a,b,c'))
t(lambda: repr(operator.itemgetter(1)))
t(lambda: repr(operator.itemgetter(1,2)))
t(lambda: repr(operator.attrgetter('a')))
t(lambda: repr(operator.attrgetter('a','b.c')))
t(lambda: repr(operator.methodcaller('f',1,k=2)))
t(lambda: operator.concat('a','b'))
t(lambda: operator.countOf([1,1],1))
t(lambda: operator.indexOf([1,2],2))
t(lambda: operator.length_hint([1]))
t(lambda: operator.length_hint(5,7))
t(lambda: operator.index(True))
t(lambda: operator.truth([]))
t(lambda: operator.not_(1))
t(lambda: operator.is_(1,1))
t(lambda: operator.inv(1))
t(lambda: operator.contains([1],1))
t(lambda: operator.call(int,'5'))
t(lambda: operator.matmul)
t(lambda: operator.iadd([1],[2]))
t(lambda: operator.pow(2,3))
t(lambda: operator.floordiv(7,2))
t(lambda: operator.is_not(1,2))
t(lambda: operator.__add__(1,2))
t(lambda: operator.iconcat([1],[2]))
t(lambda: operator.neg(1))
t(lambda: operator.lshift(1,2))
t(lambda: operator.itemgetter())
t(lambda: operator.attrgetter())
t(lambda: operator.attrgetter(5))
t(lambda: operator.attrgetter('foo')(5))
t(lambda: operator.attrgetter('real.foo')(5))
t(lambda: operator.methodcaller())
t(lambda: operator.methodcaller(5))
t(lambda: operator.methodcaller('foo')(5))
t(lambda: operator.itemgetter(5)('abc'))
t(lambda: operator.itemgetter(1)(5))
t(lambda: operator.itemgetter(1)())
t(lambda: operator.itemgetter(1)(1,2))
t(lambda: operator.indexOf([1],2))
t(lambda: operator.concat(1,2))
t(lambda: operator.iconcat(1,2))
t(lambda: operator.index(1.5))
t(lambda: operator.index('a'))
t(lambda: operator.length_hint(5,'a'))
t(lambda: operator.length_hint(5,1.0))
t(lambda: operator.add(1))
t(lambda: operator.delitem([1],5))
t(lambda: operator.setitem({},1,2))
t(lambda: operator.matmul(1,2))
t(lambda: operator.call(5))
t(lambda: copy.copy(operator.itemgetter(1))('ab'))
t(lambda: copy.deepcopy(operator.attrgetter('real'))(5))
t(lambda: copy.copy(operator.methodcaller('upper'))('a'))
t(lambda: operator.itemgetter(1)==operator.itemgetter(1))
t(lambda: string.ascii_letters)
t(lambda: string.digits)
t(lambda: string.punctuation)
t(lambda: string.whitespace)
t(lambda: string.printable)
t(lambda: string.hexdigits)
t(lambda: string.octdigits)
t(lambda: string.capwords('a b  c'))
t(lambda: string.capwords('a,b',','))
t(lambda: string.capwords(' x  y '))
t(lambda: string.Template('$a ${b} $$').substitute(a=1,b=2))
t(lambda: string.Template('$a').safe_substitute())
t(lambda: string.Template('$a $').safe_substitute(a=1))
t(lambda: string.Template('$a').substitute({'a':1}))
t(lambda: string.Template('$a').substitute({'a':1},a=2))
t(lambda: string.Template('$a').template)
t(lambda: string.Template('${a}b').substitute(a='x'))
t(lambda: string.Template('$a$b').get_identifiers())
t(lambda: string.Template('$').is_valid())
t(lambda: string.Template('$a').is_valid())
t(lambda: string.Template('$Ab_1').substitute(Ab_1=1))
t(lambda: string.Template.delimiter)
t(lambda: string.Template.idpattern)
t(lambda: string.Template.braceidpattern)
t(lambda: string.Template('$é').safe_substitute(é=1))
t(lambda: string.Template.pattern.pattern)
t(lambda: string.Template('$a').substitute())
t(lambda: string.Template('$').substitute())
t(lambda: string.Template('a\n$1').substitute())
#---- str_4
import struct, array, io, copy, operator, heapq, bisect, base64, binascii, zlib, hashlib, string, time, sys, hmac
class Idx:
    def __init__(s,v): s.v=v
    def __index__(s): return s.v
def ex(f,*a,**k):
    return f(*a,**k)
ba=bytearray(6)
s=struct.Struct('<ih')
def ar(f,*init):
    a=array.array(*(init or ('i',[1,2,3]))); r=f(a); return r,a
class SA(array.array):
    def __new__(cls,*a): return super().__new__(cls,'i',a)
    def sm(s): return sum(s)
def zc(*a,**k):
    c=zlib.compressobj(*a,**k); r=c.compress(b'hello '*5)+c.flush(); return r
def zd():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*50)+b'tail'
    r=d.decompress(z,10); return r, len(d.unconsumed_tail), d.eof, d.unused_data
def zd2():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5)+b'tail'
    r=d.decompress(z); return r, d.unconsumed_tail, d.eof, d.unused_data, d.flush()
def zd3():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5); r=b''
    for i in range(len(z)): r+=d.decompress(z[i:i+1])
    return r, d.flush(), d.eof
def zd4():
    d=zlib.decompressobj(); d.decompress(b'zzz')
def zd5():
    d=zlib.decompressobj(); z=zlib.compress(b'hello '*5)[:-5]; return d.decompress(z), d.eof, d.flush()
def zc2():
    c=zlib.compressobj(); return [c.compress(b'abc'), c.flush(zlib.Z_SYNC_FLUSH), c.compress(b'd'), c.flush(zlib.Z_FULL_FLUSH), c.flush()]
def zc3():
    c=zlib.compressobj(); c.flush(); c.compress(b'a')
def zc4():
    c=zlib.compressobj(); c.flush(); return c.flush()
def zcc():
    c=zlib.compressobj(); c.compress(b'abc'); d=c.copy(); return c.flush()==d.flush(), zlib.decompress(copy.copy(zlib.compressobj()).flush())
def zdc():
    z=zlib.compress(b'hello '*5); d=zlib.decompressobj(); r=d.decompress(z[:10]); e=d.copy(); return r+e.decompress(z[10:])==r+d.decompress(z[10:])
def zdict():
    c=zlib.compressobj(zdict=b'hello'); z=c.compress(b'hello hello')+c.flush(); d=zlib.decompressobj(zdict=b'hello'); return d.decompress(z), z
def zdict2():
    c=zlib.compressobj(zdict=b'hello'); z=c.compress(b'hello hello')+c.flush(); return zlib.decompressobj().decompress(z)
class TT(string.Template):
    delimiter='%'
class TI(string.Template):
    idpattern='[a-z]+_[a-z]+'
class TP(string.Template):
    pattern=r'''
    \@(?P<escaped>\@)|\@(?P<named>[a-z]+)|\@\{(?P<braced>[a-z]+)\}|\@(?P<invalid>)
    '''
class MyF(string.Formatter):
    def get_value(s,k,a,kw):
        return kw.get(k,'?'+str(k)) if isinstance(k,str) else super().get_value(k,a,kw)
    def convert_field(s,v,c):
        return v*2 if c=='d' else super().convert_field(v,c)
    def format_field(s,v,sp): return '<'+super().format_field(v,sp)+'>'
    def check_unused_args(s,u,a,k): s.u=u
F=string.Formatter()

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: string.Template('${a').substitute(a=1))
t(lambda: string.Template('$a').substitute(1))
t(lambda: string.Template('$a').substitute({},{}))
t(lambda: string.Template(5).substitute())
t(lambda: TT('%a $b %%').substitute(a=1))
t(lambda: TI('$a_b $c').safe_substitute(a_b=1))
t(lambda: TP('@a @{b} @@').substitute(a=1,b=2))
t(lambda: TT.pattern.pattern)
t(lambda: F.format('{} {}',1,2))
t(lambda: F.format('{0} {a}',1,a=2))
t(lambda: F.format('{a.real}',a=5))
t(lambda: F.format('{a[0]}',a=[7]))
t(lambda: F.format('{a[k]}',a={'k':1}))
t(lambda: F.format('{!r}','x'))
t(lambda: F.format('{:>5}',1))
t(lambda: F.format('{:{w}}',1,w=5))
t(lambda: F.format('{{}}'))
t(lambda: F.vformat('{0}',(1,),{}))
t(lambda: list(F.parse('a{b!r:c}d{{')))
t(lambda: list(F.parse('')))
t(lambda: list(F.parse('{}')))
t(lambda: list(F.parse('{a[0].b:>{w}}')))
t(lambda: F.get_field('a.b',(),{'a':type('X',(),{'b':5})}))
t(lambda: F.get_value(0,(5,),{}))
t(lambda: F.convert_field(5,'s'))
t(lambda: F.convert_field('é','a'))
t(lambda: F.convert_field(5,None))
t(lambda: F.format_field(5,'>3'))
t(lambda: F.format('{} {0}',1))
t(lambda: F.format('{0} {}',1))
t(lambda: F.format('{}'))
t(lambda: F.format('{a}'))
t(lambda: F.format('{!x}',1))
t(lambda: F.format('{'))
t(lambda: F.format('}'))
t(lambda: F.format('{a!}',a=1))
t(lambda: F.format('{0[}',1))
t(lambda: F.format())
t(lambda: F.format('{:{:{}}}',1,2,3))
t(lambda: F.convert_field(5,'q'))
t(lambda: MyF().format('{} {x} {y!d:>5}',1,y='q'))
t(lambda: MyF().format('{x:{y}}',x=5,y='>4'))
t(lambda: string.__all__)
t(lambda: time.perf_counter_ns().__class__)
t(lambda: time.time_ns().__class__)
t(lambda: time.sleep(0))
t(lambda: time.strftime('%Y-%m-%d',(2024,2,29,1,2,3,3,60,0)))
t(lambda: time.gmtime(0))
t(lambda: time.localtime(0))
t(lambda: time.mktime((1970,1,1,0,0,0,3,1,0)))
t(lambda: time.asctime(time.gmtime(0)))
t(lambda: time.ctime(0))
t(lambda: time.strptime('2024','%Y'))
t(lambda: time.timezone)
t(lambda: time.tzname)
t(lambda: time.daylight)
t(lambda: time.altzone)
t(lambda: time.gmtime(1e9).tm_year)
t(lambda: time.struct_time(range(9)))
t(lambda: time.gmtime(0).tm_zone)
t(lambda: time.gmtime(0).tm_gmtoff)
t(lambda: time.gmtime(0)[0:3])
t(lambda: time.sleep(-1))
t(lambda: time.sleep('a'))
t(lambda: time.strftime(5))
t(lambda: time.strftime('%Y',(1,2)))
t(lambda: time.strftime('%Y',5))
t(lambda: time.struct_time((1,2)))
t(lambda: time.struct_time(5))
t(lambda: time.gmtime('a'))
t(lambda: time.gmtime(1e30))
t(lambda: time.mktime((1,2)))
t(lambda: time.asctime((2024,2,29,1,2,3,3,60,0)))
t(lambda: time.asctime((2024,13,29,1,2,3,3,60,0)))
t(lambda: time.strftime('%Y',(2024,13,29,1,2,3,3,60,0)))
t(lambda: time.strptime('x','%Y'))
t(lambda: time.clock_gettime(time.CLOCK_MONOTONIC).__class__)
t(lambda: sys.version_info[:2])
t(lambda: sys.version_info.major)
t(lambda: sys.version_info.releaselevel)
t(lambda: sys.implementation.name.__class__)
t(lambda: sys.maxsize)
t(lambda: sys.byteorder)
t(lambda: sys.maxunicode)
t(lambda: sys.float_info.max)
t(lambda: sys.float_info.epsilon)
t(lambda: sys.int_info)
t(lambda: sys.hash_info.width)
t(lambda: sys.getrecursionlimit().__class__)
t(lambda: sys.intern('a'))
t(lambda: sys.getdefaultencoding())
t(lambda: sys.exc_info())
t(lambda: sys.float_repr_style)
t(lambda: sys.version_info>=(3,8))
t(lambda: sys.hexversion>>16)
t(lambda: sys.copyright.__class__)
t(lambda: sys.getsizeof(1).__class__)
t(lambda: sys.thread_info.name if 0 else 0)
t(lambda: sys.api_version if 0 else 0)
t(lambda: sys.get_int_max_str_digits())
t(lambda: sys.is_finalizing())
t(lambda: sys.float_info)
t(lambda: sys.hash_info)
t(lambda: sys.setrecursionlimit(0))
t(lambda: sys.setrecursionlimit('a'))
t(lambda: sys.intern(5))
t(lambda: sys.set_int_max_str_digits(5))
t(lambda: sys.modules['sys'] is sys)
t(lambda: 'json' in sys.modules)
t(lambda: sys.path.__class__)
