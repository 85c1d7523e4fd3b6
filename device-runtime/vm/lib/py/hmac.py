"""Keyed hashes: RFC 2104."""
import hashlib as _hashlib

__all__ = ['HMAC', 'compare_digest', 'digest', 'new']

digest_size = None


class HMAC:
    blocksize = 64

    def __init__(self, key, msg=None, digestmod=''):
        if not isinstance(key, (bytes, bytearray)):
            raise TypeError(f'key: expected bytes or bytearray, but got {type(key).__name__!r}')
        if not digestmod:
            raise TypeError("Missing required parameter 'digestmod'.")
        if isinstance(digestmod, str):
            make = lambda data=b'': _hashlib.new(digestmod, data)
        elif callable(digestmod):
            make = digestmod
        else:
            make = lambda data=b'': digestmod.new(data)
        self._inner = make()
        self._outer = make()
        self.digest_size = self._inner.digest_size
        self.block_size = self._inner.block_size
        if len(key) > self.block_size:
            key = make(key).digest()
        key = bytes(key).ljust(self.block_size, b'\0')
        self._outer.update(bytes([b ^ 0x5C for b in key]))
        self._inner.update(bytes([b ^ 0x36 for b in key]))
        if msg is not None:
            self.update(msg)

    @property
    def name(self):
        return f'hmac-{self._inner.name}'

    def update(self, msg):
        self._inner.update(msg)

    def copy(self):
        other = self.__class__.__new__(self.__class__)
        other.digest_size = self.digest_size
        other.block_size = self.block_size
        other._inner = self._inner.copy()
        other._outer = self._outer.copy()
        return other

    def digest(self):
        whole = self._outer.copy()
        whole.update(self._inner.digest())
        return whole.digest()

    def hexdigest(self):
        return self.digest().hex()


def new(key, msg=None, digestmod=''):
    return HMAC(key, msg, digestmod)


def digest(key, msg, digest):
    return HMAC(key, msg, digest).digest()


def compare_digest(a, b):
    """Equality of two texts of ASCII or of bytes, in a time that tells nothing but the lengths."""
    if isinstance(a, str) and isinstance(b, str):
        if not (a.isascii() and b.isascii()):
            raise TypeError('comparing strings with non-ASCII characters is not supported')
        a, b = a.encode(), b.encode()
    elif isinstance(a, str) or isinstance(b, str):
        raise TypeError("unsupported operand types(s) or combination of types: "
                        f"'{type(a).__name__}' and '{type(b).__name__}'")
    differ = len(a) ^ len(b)
    for x, y in zip(bytes(a), bytes(b)):
        differ |= x ^ y
    return differ == 0
