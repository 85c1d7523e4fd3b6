"""Base16, base32, base64 and base85 (RFC 4648; base85 as Ascii85 and git have it)."""
import binascii
import struct

__all__ = ["encode", "decode", "encodebytes", "decodebytes", "b64encode", "b64decode", "b32encode", "b32decode",
           "b32hexencode", "b32hexdecode", "b16encode", "b16decode", "b85encode", "b85decode",
           "a85encode", "a85decode", "standard_b64encode", "standard_b64decode",
           "urlsafe_b64encode", "urlsafe_b64decode"]

MAXLINESIZE = 76
MAXBINSIZE = MAXLINESIZE // 4 * 3


def _bytes(s):
    """Bytes of bytes-like objects and of ASCII text."""
    if isinstance(s, str):
        try:
            return s.encode("ascii")
        except UnicodeEncodeError:
            raise ValueError("string argument should contain only ASCII characters")
    if isinstance(s, (bytes, bytearray)):
        return s
    try:
        return memoryview(s).tobytes()
    except TypeError:
        raise TypeError("argument should be a bytes-like object or ASCII string, not %r"
                        % s.__class__.__name__) from None


def b64encode(s, altchars=None):
    encoded = binascii.b2a_base64(s, newline=False)
    if altchars is not None:
        assert len(altchars) == 2, repr(altchars)
        return encoded.translate(bytes.maketrans(b"+/", altchars))
    return encoded


def b64decode(s, altchars=None, validate=False):
    s = _bytes(s)
    if altchars is not None:
        altchars = _bytes(altchars)
        assert len(altchars) == 2, repr(altchars)
        s = s.translate(bytes.maketrans(altchars, b"+/"))
    return binascii.a2b_base64(s, strict_mode=validate)


def standard_b64encode(s):
    return b64encode(s)


def standard_b64decode(s):
    return b64decode(s)


def urlsafe_b64encode(s):
    return b64encode(s, b"-_")


def urlsafe_b64decode(s):
    return b64decode(s, b"-_")


_B32 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_B32HEX = b"0123456789ABCDEFGHIJKLMNOPQRSTUV"


def _encode32(alphabet, s):
    if not isinstance(s, (bytes, bytearray)):
        s = memoryview(s).tobytes()
    out = bytearray()
    for at in range(0, len(s), 5):
        part = s[at:at + 5]
        bits = int.from_bytes(part, "big") << (8 * (5 - len(part)))
        count = (len(part) * 8 + 4) // 5
        for i in range(8):
            out.append(alphabet[bits >> (35 - 5 * i) & 31] if i < count else 0x3D)
    return bytes(out)


def _decode32(alphabet, s, casefold, map01=None):
    s = _bytes(s)
    if len(s) % 8:
        raise binascii.Error("Incorrect padding")
    if map01 is not None:
        map01 = _bytes(map01)
        assert len(map01) == 1, repr(map01)
        s = s.translate(bytes.maketrans(b"01", b"O" + map01))
    if casefold:
        s = s.upper()
    whole = len(s)
    s = s.rstrip(b"=")
    pads = whole - len(s)
    places = {c: i for i, c in enumerate(alphabet)}
    out = bytearray()
    bits = 0
    for at in range(0, len(s), 8):
        part = s[at:at + 8]
        bits = 0
        for c in part:
            if c not in places:
                raise binascii.Error("Non-base32 digit found") from None
            bits = bits << 5 | places[c]
        bits <<= 5 * (8 - len(part))
        out += bits.to_bytes(5, "big")
    if whole % 8 or pads not in (0, 1, 3, 4, 6):
        raise binascii.Error("Incorrect padding")
    if pads and out:
        del out[len(out) - (pads * 5 + 7) // 8:]
    return bytes(out)


def b32encode(s):
    return _encode32(_B32, s)


def b32decode(s, casefold=False, map01=None):
    return _decode32(_B32, s, casefold, map01)


def b32hexencode(s):
    return _encode32(_B32HEX, s)


def b32hexdecode(s, casefold=False):
    return _decode32(_B32HEX, s, casefold)


def b16encode(s):
    return binascii.hexlify(s).upper()


def b16decode(s, casefold=False):
    s = _bytes(s)
    if casefold:
        s = s.upper()
    if s.strip(b"0123456789ABCDEF") or any(c not in b"0123456789ABCDEF" for c in s):
        raise binascii.Error("Non-base16 digit found")
    return binascii.unhexlify(s)


def _encode85(b, digits, pad, fold_zeros=False, fold_spaces=False):
    """Words of four bytes as five digits; a shorter last one loses the digits of its padding."""
    if not isinstance(b, (bytes, bytearray)):
        b = memoryview(b).tobytes()
    padding = -len(b) % 4
    if padding:
        b = bytes(b) + b"\0" * padding
    out = []
    for (word,) in struct.iter_unpack("!I", b):
        if fold_zeros and not word:
            out.append(b"z")
        elif fold_spaces and word == 0x20202020:
            out.append(b"y")
        else:
            part = bytearray(5)
            for i in range(4, -1, -1):
                word, digit = divmod(word, 85)
                part[i] = digits[digit]
            out.append(bytes(part))
    if padding and not pad:
        if out[-1] == b"z":
            out[-1] = digits[0:1] * 5
        out[-1] = out[-1][:-padding]
    return b"".join(out)


_A85 = bytes(range(33, 118))
_B85 = (b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        b"!#$%&()*+-;<=>?@^_`{|}~")


def a85encode(b, *, foldspaces=False, wrapcol=0, pad=False, adobe=False):
    result = _encode85(b, _A85, pad, True, foldspaces)
    if adobe:
        result = b"<~" + result
    if wrapcol:
        wrapcol = max(2 if adobe else 1, wrapcol)
        lines = [result[i:i + wrapcol] for i in range(0, len(result), wrapcol)]
        if adobe and len(lines[-1]) + 2 > wrapcol:
            lines.append(b"")
        result = b"\n".join(lines)
    if adobe:
        result += b"~>"
    return result


def a85decode(b, *, foldspaces=False, adobe=False, ignorechars=b" \t\n\r\v"):
    b = _bytes(b)
    if adobe:
        if not b.endswith(b"~>"):
            raise ValueError("Ascii85 encoded byte sequences must end with {!r}".format(b"~>"))
        b = b[2:-2] if b.startswith(b"<~") else b[:-2]
    out = []
    word = []
    for c in b + b"u" * 4:
        if 33 <= c <= 117:
            word.append(c)
            if len(word) == 5:
                value = 0
                for digit in word:
                    value = value * 85 + digit - 33
                if value >> 32:
                    raise ValueError("Ascii85 overflow") from None
                out.append(value.to_bytes(4, "big"))
                word = []
        elif c == 122:
            if word:
                raise ValueError("z inside Ascii85 5-tuple")
            out.append(b"\0\0\0\0")
        elif foldspaces and c == 121:
            if word:
                raise ValueError("y inside Ascii85 5-tuple")
            out.append(b"    ")
        elif c not in ignorechars:
            raise ValueError("Non-Ascii85 digit found: %c" % c)
    result = b"".join(out)
    padding = 4 - len(word)
    return result[:-padding] if padding else result


def b85encode(b, pad=False):
    return _encode85(b, _B85, pad)


def b85decode(b):
    b = _bytes(b)
    places = {c: i for i, c in enumerate(_B85)}
    padding = -len(b) % 5
    b = b + b"~" * padding
    out = []
    for at in range(0, len(b), 5):
        value = 0
        for i, c in enumerate(b[at:at + 5]):
            if c not in places:
                raise ValueError("bad base85 character at position %d" % (at + i)) from None
            value = value * 85 + places[c]
        if value >> 32:
            raise ValueError("base85 overflow in hunk starting at byte %d" % at) from None
        out.append(value.to_bytes(4, "big"))
    result = b"".join(out)
    return result[:-padding] if padding else result


def _only_bytes(s):
    try:
        view = memoryview(s)
    except TypeError as error:
        raise TypeError("expected bytes-like object, not %s" % s.__class__.__name__) from error
    if view.format not in ("c", "b", "B"):
        raise TypeError("expected single byte elements, not %r from %s"
                        % (view.format, s.__class__.__name__))
    return view.tobytes()


def encode(input, output):
    while s := input.read(MAXBINSIZE):
        while len(s) < MAXBINSIZE and (more := input.read(MAXBINSIZE - len(s))):
            s += more
        output.write(binascii.b2a_base64(s))


def decode(input, output):
    while line := input.readline():
        output.write(binascii.a2b_base64(line))


def encodebytes(s):
    s = _only_bytes(s)
    return b"".join(binascii.b2a_base64(s[i:i + MAXBINSIZE])
                    for i in range(0, len(s), MAXBINSIZE))


def decodebytes(s):
    return binascii.a2b_base64(_only_bytes(s))
