"""Encodings by name. There is no registry: those that str.encode knows, and a few from bytes to bytes."""
import binascii as _binascii
import zlib as _zlib

BOM_UTF8 = b'\xef\xbb\xbf'
BOM = BOM_LE = BOM_UTF16 = BOM_UTF16_LE = b'\xff\xfe'
BOM_BE = BOM_UTF16_BE = b'\xfe\xff'
BOM_UTF32 = BOM_UTF32_LE = b'\xff\xfe\0\0'
BOM_UTF32_BE = b'\0\0\xfe\xff'


def _rot13(text, errors='strict'):
    made = []
    for c in text:
        base = 65 if 'A' <= c <= 'Z' else 97 if 'a' <= c <= 'z' else None
        made.append(c if base is None else chr((ord(c) - base + 13) % 26 + base))
    return ''.join(made), len(text)


def _whole(function):
    return lambda data, errors='strict': (function(data), len(data))


def _to_base64(data):
    import base64
    return base64.encodebytes(data)


_others = {
    'rot13': (_rot13, _rot13, 'rot13'),
    'hex': (_whole(_binascii.b2a_hex), _whole(_binascii.a2b_hex), 'hex'),
    'base64': (_whole(_to_base64), _whole(_binascii.a2b_base64), 'base64'),
    'zlib': (_whole(_zlib.compress), _whole(_zlib.decompress), 'zlib'),
    'quopri': (_whole(lambda d: _binascii.b2a_qp(d, quotetabs=True)),
               _whole(_binascii.a2b_qp), 'quopri'),
}
_aliases = {'rot_13': 'rot13', 'hex_codec': 'hex', 'base64_codec': 'base64', 'base_64': 'base64',
            'zlib_codec': 'zlib', 'zip': 'zlib', 'quopri_codec': 'quopri', 'quotedprintable': 'quopri'}
_names = {'utf8': 'utf-8', 'utf_8': 'utf-8', 'u8': 'utf-8', 'latin1': 'iso8859-1',
          'latin_1': 'iso8859-1', 'latin-1': 'iso8859-1', 'iso-8859-1': 'iso8859-1',
          'us-ascii': 'ascii', 'utf16': 'utf-16', 'utf_16': 'utf-16', 'utf32': 'utf-32',
          'utf_32': 'utf-32', 'utf_8_sig': 'utf-8-sig'}


class CodecInfo(tuple):
    def __new__(cls, encode, decode, streamreader=None, streamwriter=None,
                incrementalencoder=None, incrementaldecoder=None, name=None, **more):
        self = tuple.__new__(cls, (encode, decode, streamreader, streamwriter))
        self.name, self.encode, self.decode = name, encode, decode
        self.incrementalencoder, self.incrementaldecoder = incrementalencoder, incrementaldecoder
        self.streamreader, self.streamwriter = streamreader, streamwriter
        return self

    def __repr__(self):
        return f'<codecs.CodecInfo object for encoding {self.name} at {id(self):#x}>'


class IncrementalEncoder:
    _name = None

    def __init__(self, errors='strict'):
        self.errors = errors

    def encode(self, input, final=False):
        return lookup(self._name).encode(input, self.errors)[0]

    def reset(self):
        pass

    def getstate(self):
        return 0

    def setstate(self, state):
        pass


class IncrementalDecoder:
    _name = None

    def __init__(self, errors='strict'):
        self.errors, self._rest = errors, b''

    def decode(self, input, final=False):
        data, self._rest = self._rest + bytes(input), b''
        if not final:
            try:
                return data.decode(self._name)
            except UnicodeDecodeError as error:
                if error.end == len(data) and error.reason in ('unexpected end of data',
                                                               'truncated data'):
                    data, self._rest = data[:error.start], data[error.start:]
        return data.decode(self._name, self.errors)

    def reset(self):
        self._rest = b''

    def getstate(self):
        return self._rest, 0

    def setstate(self, state):
        self._rest = state[0]


def lookup(encoding, /):
    if not isinstance(encoding, str):
        raise TypeError(f'lookup() argument must be str, not {type(encoding).__name__}')
    low = encoding.lower().replace(' ', '_')
    other = _others.get(_aliases.get(low.replace('-', '_'), low))
    if other is not None:
        return CodecInfo(other[0], other[1], name=other[2])
    'a'.encode(encoding)
    name = _names.get(low, low.replace('_', '-'))
    space = {'_name': encoding}
    return CodecInfo(lambda text, errors='strict': (text.encode(encoding, errors), len(text)),
                     lambda data, errors='strict': (bytes(data).decode(encoding, errors), len(data)),
                     incrementalencoder=type('IncrementalEncoder', (IncrementalEncoder,), space),
                     incrementaldecoder=type('IncrementalDecoder', (IncrementalDecoder,), space),
                     name=name)


def encode(obj, encoding='utf-8', errors='strict'):
    return lookup(encoding).encode(obj, errors)[0]


def decode(obj, encoding='utf-8', errors='strict'):
    return lookup(encoding).decode(obj, errors)[0]


def getencoder(encoding):
    return lookup(encoding).encode


def getdecoder(encoding):
    return lookup(encoding).decode


def _of(what, encoding):
    found = getattr(lookup(encoding), what)
    if found is None:
        raise LookupError(encoding)
    return found


def getincrementalencoder(encoding):
    return _of('incrementalencoder', encoding)


def getincrementaldecoder(encoding):
    return _of('incrementaldecoder', encoding)


def iterencode(iterator, encoding, errors='strict', **kwargs):
    encoder = getincrementalencoder(encoding)(errors)
    for text in iterator:
        made = encoder.encode(text)
        if made:
            yield made


def iterdecode(iterator, encoding, errors='strict', **kwargs):
    decoder = getincrementaldecoder(encoding)(errors)
    for data in iterator:
        made = decoder.decode(data)
        if made:
            yield made
    made = decoder.decode(b'', True)
    if made:
        yield made


def utf_8_encode(text, errors='strict', /):
    return text.encode('utf-8', errors), len(text)


def ascii_encode(text, errors='strict', /):
    return text.encode('ascii', errors), len(text)


def latin_1_encode(text, errors='strict', /):
    return text.encode('latin-1', errors), len(text)
