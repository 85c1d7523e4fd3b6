#---- zlib
import zlib
d = b"hello hello hello " * 50
c = zlib.compress(d)
print(len(c), zlib.decompress(c) == d, zlib.crc32(d), zlib.adler32(d), zlib.crc32(b"b", zlib.crc32(b"a")) == zlib.crc32(b"ab"), zlib.compress(d, 0)[:7], zlib.compress(b""), len(zlib.compress(d, 9)), zlib.compress(d, wbits=-15)[:5])
o = zlib.compressobj(6, zlib.DEFLATED, 31)
z = o.compress(d) + o.flush()
i = zlib.decompressobj(31)
print(i.decompress(z, 20), len(i.unconsumed_tail) > 0, len(i.decompress(i.unconsumed_tail)) + 20 == len(d), i.eof, i.unused_data, i.flush())
i = zlib.decompressobj()
print(i.decompress(c[:10]), i.decompress(c[10:] + b"rest")[-6:], i.eof, i.unused_data, zlib.MAX_WBITS, zlib.Z_BEST_COMPRESSION)
for f in (lambda: zlib.decompress(b"garbage"), lambda: zlib.decompress(c[:-4]), lambda: zlib.compress("x"), lambda: zlib.compress(d, 20), lambda: zlib.decompress(c, bufsize=-1), lambda: zlib.decompressobj().decompress(b"xx"), lambda: zlib.decompressobj().decompress(b"", -1)):
    try:
        print(f())
    except (zlib.error, TypeError, ValueError) as e:
        print(type(e).__name__, e)
#---- one call after another
import copy, zlib
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

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
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
#---- one call after another 2
import hashlib, zlib
def t(f, *a, **k):
    try:
        print(getattr(f, '__name__', '?'), repr(f(*a, **k)))
    except Exception as e:
        print(getattr(f, '__name__', '?'), type(e).__name__, e)
for n in sorted(hashlib.algorithms_guaranteed):
    h = hashlib.new(n, b'abc')
    h.update(b'def')
    print(n, h.name, h.digest_size, h.block_size, h.hexdigest(8) if 'shake' in n else h.hexdigest(), repr(h)[:40].split(' at')[0] if 0 else '')
    g = h.copy()
    g.update(b'x')
    print(g.digest(3) if 'shake' in n else g.digest())
c = zlib.compress(b'hello' * 100)
print(zlib.decompress(c)[:10], len(zlib.decompress(c)), zlib.crc32(b'a'), zlib.adler32(b'a'), zlib.crc32(b'b', 5), zlib.adler32(b'x', 7), zlib.MAX_WBITS, zlib.DEFLATED, zlib.Z_BEST_COMPRESSION)
t(zlib.decompress, b'junk')
t(zlib.decompress, c[:-3])
t(zlib.compress, b'a', level=10)
t(zlib.compress, b'a', level=-2)
t(zlib.decompress, c, wbits=-15)
t(zlib.decompress, c, bufsize=0)
t(zlib.crc32, 'a')
o = zlib.compressobj(level=9, wbits=-15)
b = o.compress(b'abc') + o.flush()
print(b, zlib.decompress(b, -15))
o = zlib.decompressobj()
print(o.decompress(c + b'tail', 5), o.unconsumed_tail != b'', o.eof)
print(len(o.decompress(o.unconsumed_tail)), o.unused_data, o.eof, o.flush())
o = zlib.compressobj(wbits=31)
g = o.compress(b'x') + o.flush()
print(zlib.decompress(g, 31), zlib.decompress(g, 47))
t(o.compress, b'a') if 0 else 0
print(zlib.error)
o = zlib.decompressobj(zdict=b'hello')
k = zlib.compressobj(zdict=b'hello')
print(o.decompress(k.compress(b'hello hello') + k.flush()))
