"""json.encoder"""
import _json
from json import JSONEncoder

INFINITY = float('inf')


def encode_basestring(s, /):
    return _json.quote(s, False)


def encode_basestring_ascii(s, /):
    return _json.quote(s, True)


c_encode_basestring = py_encode_basestring = encode_basestring
c_encode_basestring_ascii = py_encode_basestring_ascii = encode_basestring_ascii
