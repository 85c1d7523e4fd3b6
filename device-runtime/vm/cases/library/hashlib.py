#---- hashlib
import hashlib
for n in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "blake2b", "blake2s"):
    h = hashlib.new(n, b"abc")
    h.update(b"x" * 300)
    c = h.copy()
    c.update(b"y" * 71)
    print(n, h.name, h.digest_size, h.block_size, h.hexdigest(), c.hexdigest()[:16], getattr(hashlib, n)(b"q" * 64).hexdigest()[-16:], len(h.digest()))
print(hashlib.shake_128(b"a").hexdigest(20), hashlib.shake_256(b"a" * 500).hexdigest(150), hashlib.sha256().hexdigest(), hashlib.md5(bytearray(b"z")).hexdigest(), hashlib.sha1(memoryview(b"z")).hexdigest())
print(hashlib.blake2b(b"m", digest_size=16, key=b"key", salt=b"s", person=b"p").hexdigest(), hashlib.blake2s(b"m", digest_size=8).hexdigest(), sorted(hashlib.algorithms_guaranteed) == ['blake2b', 'blake2s', 'md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha3_224', 'sha3_256', 'sha3_384', 'sha3_512', 'sha512', 'shake_128', 'shake_256'])
for f in (lambda: hashlib.md5("x"), lambda: hashlib.new("nope"), lambda: hashlib.sha256(5), lambda: hashlib.sha256().update("x")):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
#---- digests
import hashlib
for n in (0,1,55,56,63,64,65,119,120,128,1000,5000):
    d=bytes(i*7%256 for i in range(n))
    for h in ('md5','sha1','sha224','sha256','sha384','sha512'): print(n,h,hashlib.new(h,d).hexdigest())
#---- hashlib zlib
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
t(hashlib.md5().update, 'x')
print(hashlib.blake2b(b'a', digest_size=5, key=b'k', salt=b's', person=b'p').hexdigest(), hashlib.blake2s(b'a', digest_size=3).hexdigest())
print(hashlib.pbkdf2_hmac('sha256', b'p', b's', 10).hex())
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
