"""JSON: the classes and arguments; text is made and read by _json."""
import _json

__version__ = "2.0.9"
__all__ = ["dump", "dumps", "load", "loads", "JSONDecoder", "JSONDecodeError", "JSONEncoder"]


class JSONDecodeError(ValueError):
    """What is wrong with a document, and where: msg, doc, pos, lineno, colno."""

    __module__ = "json.decoder"

    def __init__(self, msg, doc, pos):
        lineno = doc.count("\n", 0, pos) + 1
        colno = pos - doc.rfind("\n", 0, pos)
        ValueError.__init__(self, "%s: line %d column %d (char %d)" % (msg, lineno, colno, pos))
        self.msg = msg
        self.doc = doc
        self.pos = pos
        self.lineno = lineno
        self.colno = colno

    def __reduce__(self):
        return self.__class__, (self.msg, self.doc, self.pos)


_json.JSONDecodeError = JSONDecodeError


def _indent(indent):
    return indent if indent is None or isinstance(indent, str) else " " * indent


class JSONEncoder:
    """Makes text; default() may be overridden for other types."""

    __module__ = "json.encoder"
    item_separator = ", "
    key_separator = ": "

    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True,
                 sort_keys=False, indent=None, separators=None, default=None):
        self.skipkeys = skipkeys
        self.ensure_ascii = ensure_ascii
        self.check_circular = check_circular
        self.allow_nan = allow_nan
        self.sort_keys = sort_keys
        self.indent = indent
        if separators is not None:
            self.item_separator, self.key_separator = separators
        elif indent is not None:
            self.item_separator = ","
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError(f"Object of type {o.__class__.__name__} is not JSON serializable")

    def encode(self, o):
        if isinstance(o, str):
            return _json.quote(o, self.ensure_ascii)
        chunks = self.iterencode(o, _one_shot=True)
        if not isinstance(chunks, (list, tuple)):
            chunks = list(chunks)
        return "".join(chunks)

    def _whole(self, o):
        return _json.encode(o, self.skipkeys, self.ensure_ascii, self.check_circular,
                            self.allow_nan, _indent(self.indent), self.item_separator,
                            self.key_separator, self.sort_keys, self.default)

    def iterencode(self, o, _one_shot=False):
        if _one_shot:
            return (self._whole(o),)
        return self._pieces(o, 0, {})

    def _pieces(self, o, level, markers):
        if isinstance(o, (list, tuple)):
            source, opening, closing = o, "[", "]"
        elif isinstance(o, dict):
            source, opening, closing = o, "{", "}"
        elif o is None or isinstance(o, (str, int, float)):
            yield self._whole(o)
            return
        else:
            self._enter(o, markers)
            yield from self._pieces(self.default(o), level, markers)
            markers.pop(id(o), None)
            return
        if not source:
            yield opening + closing
            return
        self._enter(o, markers)
        buf = opening
        indent = _indent(self.indent)
        line = "" if indent is None else "\n" + indent * (level + 1)
        first = True
        if opening == "{":
            yield "{"
            items = sorted(o.items()) if self.sort_keys else o.items()
            for key, value in items:
                if not isinstance(key, (str, int, float)) and key is not None:
                    if self.skipkeys:
                        continue
                    raise TypeError(f"keys must be str, int, float, bool or None, "
                                    f"not {key.__class__.__name__}")
                if first:
                    first = False
                    if line:
                        yield line
                else:
                    yield self.item_separator + line
                yield _json.quote(key if isinstance(key, str) else self._whole(key),
                                  self.ensure_ascii)
                yield self.key_separator
                yield from self._pieces(value, level + 1, markers)
        else:
            buf += line
            for value in o:
                if first:
                    first = False
                else:
                    buf = self.item_separator + line
                if value is None or isinstance(value, (str, int, float)):
                    yield buf + self._whole(value)
                else:
                    yield buf
                    yield from self._pieces(value, level + 1, markers)
        if indent is not None:
            yield "\n" + indent * level
        yield closing
        markers.pop(id(o), None)

    def _enter(self, o, markers):
        if self.check_circular:
            if id(o) in markers:
                raise ValueError("Circular reference detected")
            markers[id(o)] = o


class JSONDecoder:
    """Reads text; hooks make other objects of what it holds."""

    __module__ = "json.decoder"

    def __init__(self, *, object_hook=None, parse_float=None, parse_int=None, parse_constant=None,
                 strict=True, object_pairs_hook=None):
        self.object_hook = object_hook
        self.parse_float = parse_float or float
        self.parse_int = parse_int or int
        self.parse_constant = parse_constant
        self.strict = strict
        self.object_pairs_hook = object_pairs_hook

    def scan_once(self, s, idx):
        return _json.scan(s, idx, self.strict, self.object_hook, self.object_pairs_hook,
                          None if self.parse_float is float else self.parse_float,
                          None if self.parse_int is int else self.parse_int, self.parse_constant)

    def decode(self, s, _w=None):
        start = len(s) - len(s.lstrip(" \t\n\r"))
        obj, end = self.raw_decode(s, start)
        rest = s[end:].lstrip(" \t\n\r")
        if rest:
            raise JSONDecodeError("Extra data", s, len(s) - len(rest))
        return obj

    def raw_decode(self, s, idx=0):
        return self.scan_once(s, idx)


_default_encoder = JSONEncoder()
_default_decoder = JSONDecoder()


def dumps(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, cls=None,
          indent=None, separators=None, default=None, sort_keys=False, **kw):
    if cls is None and not kw:
        if separators is None:
            item, key = (", " if indent is None else ","), ": "
        else:
            item, key = separators
        return _json.encode(obj, skipkeys, ensure_ascii, check_circular, allow_nan,
                            _indent(indent), item, key, sort_keys, default)
    if cls is None:
        cls = JSONEncoder
    return cls(skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular,
               allow_nan=allow_nan, indent=indent, separators=separators, default=default,
               sort_keys=sort_keys, **kw).encode(obj)


def dump(obj, fp, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True,
         cls=None, indent=None, separators=None, default=None, sort_keys=False, **kw):
    if cls is None:
        cls = JSONEncoder
    encoder = cls(skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular,
                  allow_nan=allow_nan, indent=indent, separators=separators, default=default,
                  sort_keys=sort_keys, **kw)
    for chunk in encoder.iterencode(obj):
        fp.write(chunk)


def detect_encoding(b):
    for mark, name in ((b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"),
                       (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"),
                       (b"\xef\xbb\xbf", "utf-8-sig")):
        if b.startswith(mark):
            return name
    if len(b) >= 4:
        if not b[0]:
            return "utf-16-be" if b[1] else "utf-32-be"
        if not b[1]:
            return "utf-16-le" if b[2] or b[3] else "utf-32-le"
    elif len(b) == 2:
        if not b[0]:
            return "utf-16-be"
        if not b[1]:
            return "utf-16-le"
    return "utf-8"


def load(fp, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None,
         object_pairs_hook=None, **kw):
    return loads(fp.read(), cls=cls, object_hook=object_hook, parse_float=parse_float,
                 parse_int=parse_int, parse_constant=parse_constant,
                 object_pairs_hook=object_pairs_hook, **kw)


def loads(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None,
          object_pairs_hook=None, **kw):
    if isinstance(s, str):
        if s.startswith("\ufeff"):
            raise JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", s, 0)
    else:
        if not isinstance(s, (bytes, bytearray)):
            raise TypeError(f"the JSON object must be str, bytes or bytearray, "
                            f"not {s.__class__.__name__}")
        s = s.decode(detect_encoding(s), "surrogatepass")
    if (cls is None and object_hook is None and parse_int is None and parse_float is None
            and parse_constant is None and object_pairs_hook is None and not kw):
        return _json.loads(s)
    if cls is None:
        cls = JSONDecoder
    if object_hook is not None:
        kw["object_hook"] = object_hook
    if object_pairs_hook is not None:
        kw["object_pairs_hook"] = object_pairs_hook
    if parse_float is not None:
        kw["parse_float"] = parse_float
    if parse_int is not None:
        kw["parse_int"] = parse_int
    if parse_constant is not None:
        kw["parse_constant"] = parse_constant
    return cls(**kw).decode(s)


import json.decoder
import json.encoder
