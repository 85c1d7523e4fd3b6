"""Bytes and the text that stands for them."""
from _binascii import (Error, Incomplete, a2b_base64, a2b_hex, b2a_base64, b2a_hex, hexlify,
                       unhexlify)
from zlib import crc32


def crc_hqx(data, crc, /):
    crc &= 0xffff
    for byte in memoryview(data).cast('B'):
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xffff
    return crc


def _ascii(data):
    if isinstance(data, str):
        if not data.isascii():
            raise ValueError('string argument should contain only ASCII characters')
        return data.encode()
    try:
        return bytes(memoryview(data))
    except TypeError:
        raise TypeError('argument should be bytes, buffer or ASCII string, '
                        f'not {type(data).__name__!r}') from None


def b2a_uu(data, /, *, backtick=False):
    data = bytes(memoryview(data))
    if len(data) > 45:
        raise Error('At most 45 bytes at once')
    text = [len(data)]
    for i in range(0, len(data), 3):
        bits = int.from_bytes(data[i:i + 3].ljust(3, b'\0'), 'big')
        text += [bits >> 18, bits >> 12 & 63, bits >> 6 & 63, bits & 63]
    return bytes(c + 32 if c or not backtick else 96 for c in text) + b'\n'


def a2b_uu(data, /):
    data = _ascii(data)
    size, bits, have, made = (data[0] - 32 & 63) if data else 32, 0, 0, bytearray()
    at = 1
    while len(made) < size:
        c = data[at] if at < len(data) else 0
        at += 1
        if c in (10, 13) or at > len(data):
            c = 0
        elif not 32 <= c <= 96:
            raise Error('Illegal char')
        else:
            c = c - 32 & 63
        bits, have = bits << 6 | c, have + 6
        if have >= 8:
            have -= 8
            made.append(bits >> have & 255)
            bits &= (1 << have) - 1
    if any(c not in (32, 96, 10, 13) for c in data[at:]):
        raise Error('Trailing garbage')
    return bytes(made)


def a2b_qp(data, header=False):
    data, made, i = _ascii(data), bytearray(), 0
    while i < len(data):
        c = data[i]
        i += 1
        if c == 61:
            if i >= len(data):
                break
            if data[i] in (10, 13):
                if data[i] != 10:
                    while i < len(data) and data[i] != 10:
                        i += 1
                i += 1
            elif data[i] == 61:
                made.append(61)
                i += 1
            else:
                try:
                    made.append(int(data[i:i + 2].decode(), 16)
                                if data[i:i + 2].isalnum() and len(data[i:i + 2]) == 2 else int(''))
                    i += 2
                except ValueError:
                    made.append(61)
        else:
            made.append(32 if header and c == 95 else c)
    return bytes(made)


def _hidden(c, begins, after, quotetabs, istext, header):
    """Whether a byte must be written as =XX; `after` is None behind the last one."""
    if c in b'\r\n':
        return not istext
    if c in b'\t ':
        return quotetabs or after is None
    if c == 46:
        return begins and after in (None, 0, 10, 13)
    return c < 33 or c > 126 or c == 61 or header and c == 95


def b2a_qp(data, quotetabs=False, istext=True, header=False):
    data = b'0'.replace(b'0', data)
    first = data.find(b'\n')
    end = b'\r\n' if first > 0 and data[first - 1] == 13 else b'\n'
    made, width, skip = bytearray(), 0, False
    for c, after in zip(data, (*data[1:], None)):
        if skip:
            skip = False
            continue
        if _hidden(c, not width, after, quotetabs, istext, header):
            piece = b'=%02X' % c
        elif istext and (c == 10 or c == 13 and after == 10):
            if made and made[-1] in b'\t ':
                made += b'=%02X' % made.pop()
            made += end
            width, skip = 0, c == 13
            continue
        else:
            piece = b'_' if header and c == 32 else bytes([c])
        if width + len(piece) >= 76 and (len(piece) == 3 or after not in (None, 10)):
            made += b'=' + end
            width = 0
        made += piece
        width += len(piece)
    return bytes(made)
