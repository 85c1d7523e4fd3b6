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
_NAMES = ((2, "IGNORECASE"), (4, "LOCALE"), (8, "MULTILINE"), (16, "DOTALL"), (32, "UNICODE"),
          (64, "VERBOSE"), (128, "DEBUG"), (256, "ASCII"))


class RegexFlag(int):
    """A set of flags."""

    @property
    def name(self):
        return "|".join([n for v, n in _NAMES if self & v]) or None

    @property
    def value(self):
        return int(self)

    def __repr__(self):
        value = int(self)
        if not value:
            return "re.NOFLAG"
        if value < 0:
            return "~" + repr(RegexFlag(~value)) if ~value in _MEMBERS else "~(%r)" % RegexFlag(~value)
        parts = []
        for v, n in _NAMES:
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


_MEMBERS = {v: n for v, n in _NAMES}
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
for _v, _n in _NAMES:
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
