"""The parameters of built-in functions, methods and classes, for inspect."""
_TEXT = '''abs(x, /)
aiter(async_iterable, /)
all(iterable, /)
any(iterable, /)
ascii(obj, /)
bin(number, /)
callable(obj, /)
chr(i, /)
delattr(obj, name, /)
divmod(x, y, /)
format(value, format_spec='', /)
globals()
hasattr(obj, name, /)
hash(obj, /)
hex(number, /)
id(obj, /)
isinstance(obj, class_or_tuple, /)
issubclass(cls, class_or_tuple, /)
len(obj, /)
locals()
oct(number, /)
ord(c, /)
pow(base, exp, mod=None)
print(*args, sep=' ', end='\\n', file=None, flush=False)
repr(obj, /)
round(number, ndigits=None)
setattr(obj, name, value, /)
sorted(iterable, /, *, key=None, reverse=False)
sum(iterable, /, start=0)
str.capitalize casefold isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper lower swapcase title upper(self, /)
str.center ljust rjust(self, width, fillchar=' ', /)
str.encode(self, /, encoding='utf-8', errors='strict')
str.expandtabs(self, /, tabsize=8)
str.join(self, iterable, /)
str.lstrip rstrip strip(self, chars=None, /)
str.partition rpartition(self, sep, /)
str.removeprefix(self, prefix, /)
str.removesuffix(self, suffix, /)
str.replace(self, old, new, count=-1, /)
str.rsplit split(self, /, sep=None, maxsplit=-1)
str.splitlines(self, /, keepends=False)
str.translate(self, table, /)
str.zfill(self, width, /)
list.append(self, object, /)
list.clear copy reverse(self, /)
list.count remove(self, value, /)
list.extend(self, iterable, /)
list.index(self, value, start=0, stop=9223372036854775807, /)
list.insert(self, index, object, /)
list.pop(self, index=-1, /)
list.sort(self, /, *, key=None, reverse=False)
dict.fromkeys(cls, iterable, value=None, /)
dict.get setdefault(self, key, default=None, /)
dict.popitem(self, /)
tuple.count(self, value, /)
tuple.index(self, value, start=0, stop=9223372036854775807, /)
int.as_integer_ratio bit_count bit_length(self, /)
int.from_bytes(cls, /, bytes, byteorder='big', *, signed=False)
int.to_bytes(self, /, length=1, byteorder='big', *, signed=False)
float.as_integer_ratio conjugate hex is_integer(self, /)
float.fromhex(cls, string, /)
bytes.decode(self, /, encoding='utf-8', errors='strict')
bytes.join(self, iterable_of_bytes, /)
bytes.partition rpartition(self, sep, /)
bytes.removeprefix(self, prefix, /)
bytes.removesuffix(self, suffix, /)
bytes.replace(self, old, new, count=-1, /)
bytes.rsplit split(self, /, sep=None, maxsplit=-1)
bytes.lstrip rstrip strip(self, bytes=None, /)
bytes.zfill(self, width, /)
list tuple(iterable=(), /)
object()
float(x=0, /)
property(fget=None, fset=None, fdel=None, doc=None)
enumerate(iterable, start=0)
complex(real=0, imag=0)
memoryview(object)
reversed(sequence, /)
'''
_WORDS = {'None': None, 'False': False, '()': ()}


def _table():
    made = {}
    for line in _TEXT.splitlines():
        names, rest = line.split('(', 1)
        owner, dot, names = names.rpartition('.')
        for name in names.split():
            made[owner + dot + name] = rest[:-1]
    return made


_rows = _table()


def _value(text):
    if text in _WORDS:
        return _WORDS[text]
    return text[1:-1].replace('\\n', '\n') if text[0] == "'" else int(text)


def parameters(name):
    """(name, kind, defaults) of each parameter; None: unknown."""
    if name not in _rows:
        return None
    parts = _rows[name].split(', ') if _rows[name] else []
    made, kind = [], 0 if '/' in parts else 1
    for part in parts:
        if part == '/':
            kind = 1
        elif part == '*':
            kind = 3
        elif part[0] == '*':
            made.append((part[1:], 2, ()))
            kind = 3
        else:
            word, equals, default = part.partition('=')
            made.append((word, kind, (_value(default),) if equals else ()))
    return made
