"""json.decoder"""
import _json
from json import JSONDecodeError, JSONDecoder

__all__ = ['JSONDecoder', 'JSONDecodeError']
NaN = float('nan')
PosInf = float('inf')
NegInf = float('-inf')


def scanstring(s, end, strict=True, /):
    try:
        text, stop = _json.scan('"' + s[end:], 0, strict, None, None, None, None, None)
    except JSONDecodeError as e:
        raise JSONDecodeError(e.msg, s, e.pos + end - 1) from None
    return text, stop + end - 1


c_scanstring = py_scanstring = scanstring
