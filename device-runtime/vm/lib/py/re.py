"""Regular expressions: the functions are native, flags and errors are here."""
import _re
from _re import (compile, escape, findall, finditer, fullmatch, match, purge, search, split, sub,
                 subn, Match, Pattern)

__all__ = ["match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer", "compile",
           "purge", "template", "escape", "error", "Pattern", "Match", "A", "I", "L", "M", "S", "X",
           "U", "ASCII", "IGNORECASE", "LOCALE", "MULTILINE", "DOTALL", "VERBOSE", "UNICODE",
           "NOFLAG", "RegexFlag"]


class error(Exception):
    """What is wrong with a pattern: msg, pattern, pos, lineno, colno."""

    __module__ = "re"

    def __init__(self, msg, pattern=None, pos=None):
        self.msg = msg
        self.pattern = pattern
        self.pos = pos
        if pattern is not None and pos is not None:
            msg = "%s at position %d" % (msg, pos)
            newline = "\n" if isinstance(pattern, str) else b"\n"
            self.lineno = pattern.count(newline, 0, pos) + 1
            self.colno = pos - pattern.rfind(newline, 0, pos)
            if newline in pattern:
                msg = "%s (line %d, column %d)" % (msg, self.lineno, self.colno)
        else:
            self.lineno = self.colno = None
        super().__init__(msg)


_re.error = error
# In the order in which they are named; TEMPLATE means nothing any more.
_ORDER = ((256, "ASCII"), (2, "IGNORECASE"), (4, "LOCALE"), (32, "UNICODE"), (8, "MULTILINE"),
          (16, "DOTALL"), (64, "VERBOSE"), (1, "TEMPLATE"), (128, "DEBUG"))


class _FlagType(type):
    # What a class of an enumeration answers; importing enum for it would cost more than all of re.
    def __iter__(cls):
        return iter([cls(v) for v, _ in _ORDER])

    def __len__(cls):
        return len(_ORDER)

    def __getitem__(cls, name):
        if name not in cls.__members__:
            raise KeyError(name)
        return getattr(cls, name)

    def __contains__(cls, member):
        return isinstance(member, cls)

    def __repr__(cls):
        return "<flag 'RegexFlag'>"

    @property
    def __members__(cls):
        return {n: cls(v) for v, n in _ORDER for n in (n, n[0])[:1 + (n != "DEBUG")]}


class RegexFlag(int, metaclass=_FlagType):
    """A set of flags."""

    def __iter__(self):
        return iter([f for f in RegexFlag if self & f])

    def __len__(self):
        return int(self).bit_count()

    def __contains__(self, other):
        return int(self) & int(other) == int(other)

    def __reduce_ex__(self, proto):
        return RegexFlag, (int(self),)

    @property
    def name(self):
        value = int(self)
        return "|".join([n for v, n in _ORDER if value & v]) or None

    @property
    def value(self):
        return int(self)

    def __repr__(self):
        value = int(self)
        if not value:
            return "re.NOFLAG"
        if value < 0:
            return repr(RegexFlag(value & 511))
        parts = []
        for v, n in _ORDER:
            if value & v:
                parts.append("re." + n)
                value &= ~v
        if value:
            parts.append(hex(value))
        return "|".join(parts)

    __str__ = __repr__

    def __format__(self, spec):
        return format(str(self), spec) if not spec else format(int(self), spec)

    def __or__(self, other):
        return RegexFlag(int(self) | int(other)) if isinstance(other, int) else NotImplemented

    def __and__(self, other):
        return RegexFlag(int(self) & int(other)) if isinstance(other, int) else NotImplemented

    def __xor__(self, other):
        return RegexFlag(int(self) ^ int(other)) if isinstance(other, int) else NotImplemented

    def __invert__(self):
        return RegexFlag(~int(self))

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__


NOFLAG = RegexFlag(0)
T = TEMPLATE = RegexFlag(1)
I = IGNORECASE = RegexFlag(2)
L = LOCALE = RegexFlag(4)
M = MULTILINE = RegexFlag(8)
S = DOTALL = RegexFlag(16)
U = UNICODE = RegexFlag(32)
X = VERBOSE = RegexFlag(64)
DEBUG = RegexFlag(128)
A = ASCII = RegexFlag(256)
for _v, _n in _ORDER:
    setattr(RegexFlag, _n, RegexFlag(_v))
RegexFlag.NOFLAG = NOFLAG
RegexFlag.A, RegexFlag.I, RegexFlag.L, RegexFlag.M = A, I, L, M
RegexFlag.S, RegexFlag.U, RegexFlag.X, RegexFlag.T = S, U, X, T


def template(pattern, flags=0):
    return compile(pattern, flags)


class Scanner:
    """Takes a text apart by a list of (pattern, action); scan() gives results and the rest."""

    def __init__(self, lexicon, flags=0):
        self.lexicon = lexicon
        self._patterns = [(compile(phrase, int(flags)), action) for phrase, action in lexicon]

    def scan(self, string):
        result = []
        at = 0
        while True:
            for pattern, action in self._patterns:
                m = pattern.match(string, at)
                if m:
                    break
            else:
                break
            end = m.end()
            if end == at:
                break
            if callable(action):
                self.match = m
                action = action(self, m.group())
            if action is not None:
                result.append(action)
            at = end
        return result, string[at:]
