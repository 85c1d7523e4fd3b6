"""Sets of characters, Template and Formatter."""
import _string

__all__ = ["ascii_letters", "ascii_lowercase", "ascii_uppercase", "capwords", "digits",
           "hexdigits", "octdigits", "printable", "punctuation", "whitespace", "Formatter",
           "Template"]

ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = "0123456789abcdefABCDEF"
octdigits = "01234567"
punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
whitespace = " \t\n\r\v\f"
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    """The words of s, each with a capital first letter."""
    return (sep or " ").join(map(str.capitalize, s.split(sep)))


class _Lookup:
    """Names of keywords first, then of the mapping."""

    def __init__(self, first, second):
        self.first = first
        self.second = second

    def __getitem__(self, key):
        return self.first[key] if key in self.first else self.second[key]


_missing = object()


class _Pattern:
    # The expression of a class, made when someone asks: not everyone wants re.
    def __get__(self, instance, owner):
        return owner._regex()


class Template:
    """Text with $names; pattern, delimiter and idpattern may be overridden."""

    delimiter = "$"
    idpattern = r"(?a:[_a-z][_a-z0-9]*)"
    braceidpattern = None
    flags = None

    def __init_subclass__(cls):
        super().__init_subclass__()
        cls._compiled = None
        own = cls.__dict__.get("pattern")
        if own is not None:
            cls._own = own
            cls.pattern = _Pattern()

    _compiled = _own = None
    pattern = _Pattern()

    def __init__(self, template):
        self.template = template

    @classmethod
    def _regex(cls):
        if cls._compiled is None:
            import re
            pattern = cls._own
            if pattern is None:
                delim = re.escape(cls.delimiter)
                name = cls.idpattern
                pattern = rf"""
            {delim}(?:
              (?P<escaped>{delim})  |   # Escape sequence of two delimiters
              (?P<named>{name})       |   # delimiter and a Python identifier
              {{(?P<braced>{cls.braceidpattern or name})}} |   # delimiter and a braced identifier
              (?P<invalid>)             # Other ill-formed delimiter exprs
            )
            """
            flags = re.IGNORECASE if cls.flags is None else cls.flags
            cls._compiled = re.compile(pattern, flags | re.VERBOSE)
        return cls._compiled

    def _invalid(self, mo):
        i = mo.start("invalid")
        lines = self.template[:i].splitlines(keepends=True)
        if not lines:
            colno = lineno = 1
        else:
            colno = i - len("".join(lines[:-1]))
            lineno = len(lines)
        raise ValueError("Invalid placeholder in string: line %d, col %d" % (lineno, colno))

    def _mapping(self, mapping, kws):
        if mapping is _missing:
            return kws
        return _Lookup(kws, mapping) if kws else mapping

    def substitute(self, mapping=_missing, /, **kws):
        mapping = self._mapping(mapping, kws)

        def convert(mo):
            named = mo.group("named") or mo.group("braced")
            if named is not None:
                return str(mapping[named])
            if mo.group("escaped") is not None:
                return self.delimiter
            if mo.group("invalid") is not None:
                self._invalid(mo)
            raise ValueError("Unrecognized named group in pattern", self._regex())

        return self._regex().sub(convert, self.template)

    def safe_substitute(self, mapping=_missing, /, **kws):
        mapping = self._mapping(mapping, kws)

        def convert(mo):
            named = mo.group("named") or mo.group("braced")
            if named is not None:
                try:
                    return str(mapping[named])
                except KeyError:
                    return mo.group()
            if mo.group("escaped") is not None:
                return self.delimiter
            if mo.group("invalid") is not None:
                return mo.group()
            raise ValueError("Unrecognized named group in pattern", self._regex())

        return self._regex().sub(convert, self.template)

    def is_valid(self):
        for mo in self._regex().finditer(self.template):
            if mo.group("invalid") is not None:
                return False
            if (mo.group("named") is None and mo.group("braced") is None
                    and mo.group("escaped") is None):
                raise ValueError("Unrecognized named group in pattern", self._regex())
        return True

    def get_identifiers(self):
        ids = []
        for mo in self._regex().finditer(self.template):
            named = mo.group("named") or mo.group("braced")
            if named is not None and named not in ids:
                ids.append(named)
            elif (named is None and mo.group("invalid") is None
                    and mo.group("escaped") is None):
                raise ValueError("Unrecognized named group in pattern", self._regex())
        return ids


class Formatter:
    """str.format whose steps may be overridden."""

    def format(self, format_string, /, *args, **kwargs):
        return self.vformat(format_string, args, kwargs)

    def vformat(self, format_string, args, kwargs):
        used_args = set()
        result, _ = self._vformat(format_string, args, kwargs, used_args, 2)
        self.check_unused_args(used_args, args, kwargs)
        return result

    def _vformat(self, format_string, args, kwargs, used_args, recursion_depth, auto_arg_index=0):
        if recursion_depth < 0:
            raise ValueError("Max string recursion exceeded")
        result = []
        for literal, field, spec, conversion in self.parse(format_string):
            if literal:
                result.append(literal)
            if field is None:
                continue
            if field == "":
                if auto_arg_index is False:
                    raise ValueError("cannot switch from manual field specification to automatic "
                                     "field numbering")
                field = str(auto_arg_index)
                auto_arg_index += 1
            elif field.isdigit():
                if auto_arg_index:
                    raise ValueError("cannot switch from manual field specification to automatic "
                                     "field numbering")
                auto_arg_index = False
            obj, used = self.get_field(field, args, kwargs)
            used_args.add(used)
            obj = self.convert_field(obj, conversion)
            spec, auto_arg_index = self._vformat(spec, args, kwargs, used_args,
                                                 recursion_depth - 1, auto_arg_index)
            result.append(self.format_field(obj, spec))
        return "".join(result), auto_arg_index

    def get_value(self, key, args, kwargs):
        return args[key] if isinstance(key, int) else kwargs[key]

    def check_unused_args(self, used_args, args, kwargs):
        pass

    def format_field(self, value, format_spec):
        return format(value, format_spec)

    def convert_field(self, value, conversion):
        if conversion is None:
            return value
        if conversion == "s":
            return str(value)
        if conversion == "r":
            return repr(value)
        if conversion == "a":
            return ascii(value)
        raise ValueError(f"Unknown conversion specifier {conversion!s}")

    def parse(self, format_string):
        return _string.formatter_parser(format_string)

    def get_field(self, field_name, args, kwargs):
        first, rest = _string.formatter_field_name_split(field_name)
        obj = self.get_value(first, args, kwargs)
        for is_attr, i in rest:
            obj = getattr(obj, i) if is_attr else obj[i]
        return obj, first
