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
#---- one call after another
import hashlib

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
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
each(hashlib.pbkdf2_hmac, ['sha256', b'p', b's', 2], ['sha1', b'p', b's', 1, 5],
     ['sha1', b'p', b's', 0], ['sha1', 'p', b's', 1])
t(lambda: repr(hashlib.md5()).split(' ')[:2])
t(lambda: repr(hashlib.sha3_256()).split(' ')[:2])
#---- one call after another 2
import hashlib, zlib
def t(f, *a, **k):
    try:
        print(getattr(f, '__name__', '?'), repr(f(*a, **k)))
    except Exception as e:
        print(getattr(f, '__name__', '?'), type(e).__name__, e)
t(hashlib.md5().update, 'x')
print(hashlib.blake2b(b'a', digest_size=5, key=b'k', salt=b's', person=b'p').hexdigest(), hashlib.blake2s(b'a', digest_size=3).hexdigest())
print(hashlib.pbkdf2_hmac('sha256', b'p', b's', 10).hex())
o = zlib.compressobj(level=9, wbits=-15)
o = zlib.decompressobj()
o = zlib.compressobj(wbits=31)
t(o.compress, b'a') if 0 else 0
o = zlib.decompressobj(zdict=b'hello')
k = zlib.compressobj(zdict=b'hello')
#---- keys from passwords, digests of files
import hashlib, io
print(hashlib.scrypt(b'pw', salt=b'salt', n=16, r=8, p=1, dklen=16).hex())
print(hashlib.scrypt(b'', salt=b'', n=4, r=1, p=2).hex())
for more in ({'n': 15, 'r': 8, 'p': 1}, {'n': 16, 'r': 8}, {'n': 16, 'r': 8, 'p': 1, 'dklen': 0}, {'n': 1 << 20, 'r': 8, 'p': 1}):
    try:
        hashlib.scrypt(b'pw', salt=b's', **more)
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
print(hashlib.file_digest(io.BytesIO(b'abc'), 'sha256').hexdigest()[:16], hashlib.file_digest(io.BytesIO(b'abc'), hashlib.md5).hexdigest()[:16])
print(hashlib.blake2b.MAX_DIGEST_SIZE, hashlib.blake2b.MAX_KEY_SIZE, hashlib.blake2b.SALT_SIZE, hashlib.blake2b.PERSON_SIZE)
print(hashlib.blake2s.MAX_DIGEST_SIZE, hashlib.blake2s.MAX_KEY_SIZE, hashlib.blake2s.SALT_SIZE, hashlib.blake2s.PERSON_SIZE)
print(hashlib.blake2s(b'a', digest_size=4, key=b'k').hexdigest(), hashlib.blake2b.__name__, hashlib.blake2b.__module__)
