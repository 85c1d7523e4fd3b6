"""Digests: the algorithms that every Python has, keys from passwords."""
import _hashlib
from _hashlib import (algorithms_available, algorithms_guaranteed, md5, new, pbkdf2_hmac, sha1,
                      sha224, sha256, sha384, sha3_224, sha3_256, sha3_384, sha3_512, sha512,
                      shake_128, shake_256)


class blake2b:
    MAX_DIGEST_SIZE = MAX_KEY_SIZE = 64
    SALT_SIZE = PERSON_SIZE = 16

    def __new__(cls, /, *args, **options):
        return _hashlib.blake2b(*args, **options)


class blake2s:
    MAX_DIGEST_SIZE = MAX_KEY_SIZE = 32
    SALT_SIZE = PERSON_SIZE = 8

    def __new__(cls, /, *args, **options):
        return _hashlib.blake2s(*args, **options)


blake2b.__module__ = blake2s.__module__ = '_blake2'


def file_digest(fileobj, digest, /, *, _bufsize=262144):
    made = new(digest) if isinstance(digest, str) else digest()
    if hasattr(fileobj, 'getbuffer'):
        made.update(fileobj.getbuffer())
        return made
    if not (hasattr(fileobj, 'readinto') and hasattr(fileobj, 'readable')
            and fileobj.readable()):
        raise ValueError(f"'{fileobj!r}' is not a file-like object in binary reading mode.")
    room = bytearray(_bufsize)
    while size := fileobj.readinto(room):
        made.update(memoryview(room)[:size])
    return made


_WORDS = 0xffffffff


def _salsa(x):
    z = x[:]
    for _ in range(4):
        for a, b, c, d in ((0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11),
                           (0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14)):
            for to, one, other, by in ((b, a, d, 7), (c, b, a, 9), (d, c, b, 13), (a, d, c, 18)):
                word = z[one] + z[other] & _WORDS
                z[to] ^= (word << by | word >> 32 - by) & _WORDS
    return [p + q & _WORDS for p, q in zip(x, z)]


def _mix(words):
    count = len(words) // 16
    x, even, odd = words[-16:], [], []
    for i in range(count):
        x = _salsa([p ^ q for p, q in zip(x, words[16 * i:16 * i + 16])])
        (odd if i & 1 else even).extend(x)
    return even + odd


def scrypt(password, *, salt=None, n=None, r=None, p=None, maxmem=0, dklen=64):
    for name, value in (('salt', salt), ('n', n), ('r', r), ('p', p)):
        if value is None:
            kind = '' if name == 'salt' else ' and must be an unsigned int'
            raise TypeError(f'{name} is required{kind}')
    if n < 2 or n & n - 1:
        raise ValueError('n must be a power of 2.')
    if not 0 <= maxmem < 1 << 31:
        raise ValueError('maxmem must be positive and smaller than 2147483647')
    if not 1 <= dklen < 1 << 31:
        raise ValueError('dklen must be greater than 0 and smaller than 2147483647')
    if p * r >= 1 << 30 or r < 1 or p < 1 or 128 * r * (n + p + 2) > (maxmem or 1 << 25):
        raise ValueError('Invalid parameter combination for n, r, p, maxmem.')
    import struct
    size = 32 * r
    whole = pbkdf2_hmac('sha256', password, salt, 1, 4 * size * p)
    mixed = b''
    for at in range(p):
        words = list(struct.unpack_from(f'<{size}I', whole, 4 * size * at))
        seen = []
        for _ in range(n):
            seen.append(words)
            words = _mix(words)
        for _ in range(n):
            words = _mix([x ^ y for x, y in zip(words, seen[words[-16] & n - 1])])
        mixed += struct.pack(f'<{size}I', *words)
    return pbkdf2_hmac('sha256', password, mixed, 1, dklen)


__all__ = (*sorted(algorithms_guaranteed), 'new', 'algorithms_guaranteed', 'algorithms_available',
           'pbkdf2_hmac', 'file_digest', 'scrypt')
