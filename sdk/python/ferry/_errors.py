"""What the library refuses, as exceptions."""


class Error(Exception):
    """`code` is the number of ferry.h's table, `name` its name ("shape_mismatch"), the text says what and where.

    Each is also the exception of Python's own that fits: ValueError, LookupError, NotImplementedError or RuntimeError.
    """

    code: int
    name: str

    def __init__(self, code, name, text):
        super().__init__(text)
        self.code, self.name = code, name

    def __reduce__(self):
        return make, (self.code, self.name, str(self))


def _kind(base):
    return type("Error", (Error, base), {"__module__": "ferry", "__qualname__": "Error", "__doc__": Error.__doc__})


_VALUE, _LOOKUP, _UNSUPPORTED, _OTHER = map(_kind, (ValueError, LookupError, NotImplementedError, RuntimeError))
_KINDS = {"invalid_argument": _VALUE, "shape_mismatch": _VALUE, "malformed": _VALUE, "not_found": _LOOKUP,
          "unsupported": _UNSUPPORTED}
Error.__module__ = "ferry"


def make(code, name, text):
    return _KINDS.get(name, _OTHER)(code, name, text)
