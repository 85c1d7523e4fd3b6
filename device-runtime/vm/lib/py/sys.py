"""What a script may know of the interpreter, and its streams."""
import _sys
from _sys import _getframe, exception, getrecursionlimit, intern, setrecursionlimit, write as _write


class _Struct(tuple):
    _names = ()
    _title = ""

    def __getattr__(self, name):
        try:
            return self[self._names.index(name)]
        except ValueError:
            raise AttributeError(f"{self._title!r} object has no attribute {name!r}") from None

    def __repr__(self):
        return "%s(%s)" % (self._title,
                           ", ".join("%s=%r" % pair for pair in zip(self._names, self)))


class _Version(_Struct):
    _names = ("major", "minor", "micro", "releaselevel", "serial")
    _title = "sys.version_info"


class _Float(_Struct):
    _names = ("max", "max_exp", "max_10_exp", "min", "min_exp", "min_10_exp", "dig", "mant_dig",
              "epsilon", "radix", "rounds")
    _title = "sys.float_info"


class _Int(_Struct):
    _names = ("bits_per_digit", "sizeof_digit", "default_max_str_digits",
              "str_digits_check_threshold")
    _title = "sys.int_info"


class _Hash(_Struct):
    _names = ("width", "modulus", "inf", "nan", "imag", "algorithm", "hash_bits", "seed_bits",
              "cutoff")
    _title = "sys.hash_info"


class _Flags(_Struct):
    _names = ("debug", "inspect", "interactive", "optimize", "dont_write_bytecode",
              "no_user_site", "no_site", "ignore_environment", "verbose", "bytes_warning", "quiet",
              "hash_randomization", "isolated", "dev_mode", "utf8_mode", "warn_default_encoding",
              "safe_path", "int_max_str_digits")
    _title = "sys.flags"


class _Implementation:
    def __repr__(self):
        return ("namespace(name=%r, version=%r, hexversion=%r, cache_tag=%r)"
                % (self.name, self.version, self.hexversion, self.cache_tag))


class _Stream:
    encoding = "utf-8"
    errors = "strict"
    newlines = None
    closed = False
    mode = "w"

    def __init__(self, name, error):
        self.name = name
        self._error = error

    def write(self, text):
        return _write(text, self._error)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def isatty(self):
        return False

    def readable(self):
        return False

    def writable(self):
        return True

    def seekable(self):
        return False


version_info = _Version((3, 11, 2, "final", 0))
hexversion = 0x030B02F0
version = "3.11.2 (Ferry)"
implementation = _Implementation()
implementation.name = "ferry"
implementation.version = version_info
implementation.hexversion = hexversion
implementation.cache_tag = None
platform = "ferry"
byteorder = "little"
maxsize = 9223372036854775807
maxunicode = 1114111
float_info = _Float((1.7976931348623157e+308, 1024, 308, 2.2250738585072014e-308, -1021, -307, 15,
                     53, 2.220446049250313e-16, 2, 1))
float_repr_style = "short"
int_info = _Int((30, 4, 4300, 640))
hash_info = _Hash((64, 2305843009213693951, 314159, 0, 1000003, "siphash13", 64, 128, 0))
copyright = "Ferry"
modules = _sys.modules()
argv = list(_sys.argv) or [""]
orig_argv = list(argv)
path = []
warnoptions = []
prefix = base_prefix = exec_prefix = base_exec_prefix = ""
executable = ""
builtin_module_names = ("builtins", "sys")
api_version = 1013
ps1, ps2 = ">>> ", "... "
flags = _Flags((0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, False, 0, 0, False, -1))
dont_write_bytecode = True
stdout = __stdout__ = _Stream("<stdout>", False)
stderr = __stderr__ = _Stream("<stderr>", True)
stdin = __stdin__ = None


def exit(status=None, /):
    raise SystemExit(status) if status is not None else SystemExit


def exc_info():
    e = exception()
    return (None, None, None) if e is None else (type(e), e, getattr(e, "__traceback__", None))


def getdefaultencoding():
    return "utf-8"


def getfilesystemencoding():
    return "utf-8"


_collected = (list, tuple, dict, set, frozenset, type, BaseException, type(exit))


def getsizeof(object, default=None):
    size = type(object).__sizeof__(object)
    if not isinstance(size, int):
        raise TypeError(f"{type(size).__name__!r} object cannot be interpreted as an integer")
    if size < 0:
        raise ValueError("__sizeof__() should return >= 0")
    plain = type(object).__module__ == "builtins"
    return size + 16 if not plain or isinstance(object, _collected) else size


def getrefcount(object, /):
    # Nothing counts references: as many as a value that one variable holds has.
    return 2


def getswitchinterval():
    return _interval


def setswitchinterval(interval, /):
    global _interval
    if interval <= 0:
        raise ValueError("switch interval must be strictly positive")
    _interval = float(interval)


_interval = 0.005


def getfilesystemencodeerrors():
    return "surrogateescape"


def getallocatedblocks():
    return 0


def gettrace():
    return None


getprofile = gettrace


def audit(event, /, *args):
    pass


def displayhook(object, /):
    if object is not None:
        stdout.write(repr(object) + "\n")


def excepthook(exctype, value, traceback, /):
    import traceback as shown
    stderr.write("".join(shown.format_exception(exctype, value, traceback)))


__displayhook__, __excepthook__ = displayhook, excepthook


def unraisablehook(unraisable, /):
    pass


__unraisablehook__ = unraisablehook


def is_finalizing():
    return False


def set_int_max_str_digits(maxdigits):
    if maxdigits and maxdigits < 640:
        raise ValueError("maxdigits must be 0 or larger than 640")
    _sys.set_int_max_str_digits(maxdigits)


def get_int_max_str_digits():
    return _sys.get_int_max_str_digits()
