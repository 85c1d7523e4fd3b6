#---- StringIO
import io
s = io.StringIO()
print(s.write('hello\nworld\n'), s.tell(), s.getvalue(), s.read(), s.seek(0), s.readline(), s.read(3), s.readlines(), s.truncate(4), s.getvalue())
s = io.StringIO('a\nb\r\nc')
print(list(s), s.seek(2), s.write('XY'), s.getvalue(), s.seek(0, 2), s.write('é'), s.tell(), s.readable(), s.writable(), s.seekable(), s.isatty(), s.closed)
s.seek(20); s.write('z'); print(repr(s.getvalue()))
for nl in (None, '', '\n', '\r', '\r\n'):
    s = io.StringIO('a\nb\rc\r\nd', newline=nl); print(repr(nl), s.readlines(), repr(s.getvalue()), s.write('x\ny'), repr(s.getvalue()))
for f in [lambda: io.StringIO(1), lambda: io.StringIO('', 'x'), lambda: io.StringIO().write(b'x'), lambda: io.StringIO().seek(-1), lambda: io.StringIO().seek(1, 1), lambda: io.StringIO().seek(0, 5), lambda: io.StringIO().truncate(-1), lambda: io.StringIO().fileno(), lambda: io.StringIO().read('x')]:
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
with io.StringIO('x') as s: pass
for f in [s.read, s.getvalue, lambda: s.write('a'), s.tell, lambda: s.__enter__()]:
    try: f()
    except ValueError as e: print(e)
print(s.closed, s.close(), issubclass(io.UnsupportedOperation, (OSError, ValueError)), isinstance(s, io.TextIOBase), isinstance(s, io.IOBase))
s = io.StringIO('abc\ndef'); print(s.readline(2), s.readline(10), s.readline(), repr(s.readline()), s.seek(0), s.readlines(2), s.read(None))
#---- BytesIO
import io
b = io.BytesIO(b'ab\ncd')
print(b.read(1), b.readline(), b.read(), b.read(), b.seek(0), list(b), b.seek(-1, 2), b.write(b'XYZ'), b.getvalue(), b.tell(), b.seek(10), b.write(b'!'), b.getvalue(), b.truncate(3), b.getvalue(), b.readable())
for f in [lambda: io.BytesIO('x'), lambda: io.BytesIO().write('x'), lambda: io.BytesIO().seek(-1), lambda: io.BytesIO().seek(0, 9)]:
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
b.close()
try: b.read()
except ValueError as e: print(e)
#---- print
import io, sys
f = io.StringIO()
print('a', 1, None, sep='-', end='!', file=f, flush=True); print(f.getvalue())
class W:
    def write(self, s): out.append(s)
    def flush(self): out.append('F')
out = []
print(1, 'x', file=W()); print(file=W(), end=''); print('q', file=W(), flush=True); print(out)
old = sys.stdout; sys.stdout = f; print('hidden'); sys.stdout = old; print(repr(f.getvalue()))
for g in [lambda: print(sep=1), lambda: print(end=2), lambda: print(foo=3), lambda: print('x', file=5)]:
    try: g()
    except Exception as e: print(type(e).__name__, e)
print('a', 'b', sep=None, end=None); print(*range(3), sep=', '); print(); print('é日', end='\n\n'); sys.stdout.write('w\n'); print(file=None)
try: print('x\ud800')
except UnicodeEncodeError as e: print(e)
#---- sys
import sys
print(sys.version_info[:2], sys.version_info >= (3, 11), sys.version_info.major, sys.version_info.releaselevel, sys.maxsize, sys.byteorder, sys.maxunicode, sys.getrecursionlimit(), sys.float_info.max, sys.float_info.dig, sys.int_info.bits_per_digit, sys.hash_info.modulus, sys.getdefaultencoding(), sys.intern('a') == 'a', sys.stdout.encoding)
print(str(sys.version_info)[:34])
print(sys.exc_info())
try: 1 / 0
except ZeroDivisionError: print(sys.exc_info()[0].__name__, sys.exc_info()[1])
for a in [(), (3,), ('bye',)]:
    try: sys.exit(*a)
    except SystemExit as e: print(repr(e), e.code)
def depth(n):
    return n if n == 0 else depth(n - 1)
sys.setrecursionlimit(150)
try: depth(500)
except RecursionError as e: print(e)
sys.setrecursionlimit(1000)
#---- string
import string
print(string.ascii_letters, string.digits, string.hexdigits, string.octdigits, string.punctuation, repr(string.whitespace), repr(string.printable)[-20:])
print(string.capwords('hello  wORLD foo'), string.capwords('a-b-c', '-'), repr(string.capwords('  x ')))
t = string.Template('$who likes ${what}, $$5 $_x1')
print(t.substitute(who='tim', what='kung pao', _x1=1), t.safe_substitute(who='x'), t.substitute({'who': 'a', 'what': 'b', '_x1': 2}, who='z'), t.template)
for s, a in [('$', {}), ('$1', {}), ('a\n${', {}), ('$x', {}), ('$who$', {'who': 1})]:
    try: print(string.Template(s).substitute(a))
    except Exception as e: print(type(e).__name__, e)
    print(string.Template(s).safe_substitute(a), string.Template(s).is_valid())
print(string.Template('$a ${b} $$ $a').get_identifiers())
class T(string.Template):
    delimiter = '%'
    idpattern = '[a-z]+_[a-z]+'
print(T('%with_underscore %no %%').safe_substitute(with_underscore='R', no='x'))
f = string.Formatter()
print(f.format('{0} {a!r:>5} {}'.format if False else '{0} {a!r:>5}', 1, a='x'), f.format('{} {:{}}', 1, 'a', 5), f.vformat('{0[1]}{x.real}', [[1, 2]], {'x': 3}), list(f.parse('a{b!r:c}d{{')))
class U(string.Formatter):
    def get_value(self, key, args, kw): return '<%s>' % key
    def check_unused_args(self, used, args, kw): print(sorted(used, key=str))
print(U().format('{a} {0} {b.upper}'[:7], 1))
for s in ['{} {0}', '{0} {}', '{', '{!x}', '{:{:{}}}']:
    try: print(f.format(s, 1, 2, 3))
    except Exception as e: print(type(e).__name__, e)
#---- textwrap
import textwrap
t = "The quick brown fox jumped over the lazy dog, isn't it? Well-known hyphen-ated words -- and averyveryveryverylongword.  End."
for w in (10, 20, 40): print(textwrap.wrap(t, w))
print(textwrap.fill(t, 30, initial_indent='* ', subsequent_indent='  ')); print(textwrap.shorten(t, 40), textwrap.shorten(t, 20, placeholder='...'))
print(repr(textwrap.dedent('  a\n    b\n\n  c\n')), repr(textwrap.dedent('\ta\n\t  b')), repr(textwrap.dedent('  a\n b')), repr(textwrap.indent('a\n\nb\n', '> ')), repr(textwrap.indent('a\n\nb', '> ', lambda l: True)))
print(textwrap.wrap('aaa bbb', 3), textwrap.wrap('', 5), textwrap.wrap('abcdefghij', 4, break_long_words=False), textwrap.wrap('a-b c-d', 3, break_on_hyphens=False), textwrap.wrap('x  y', 10, drop_whitespace=False), textwrap.wrap('One. two', 20, fix_sentence_endings=True), textwrap.wrap('a b c d e f', 5, max_lines=2, placeholder='~'))
for f in [lambda: textwrap.wrap('a', 0), lambda: textwrap.wrap('a b', 3, max_lines=1, placeholder='....')]:
    try: print(f())
    except ValueError as e: print(e)
