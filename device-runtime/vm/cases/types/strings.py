#---- case
words = ['', 'hello World', 'ß', 'ﬁne', 'ŉ', 'ǰ', 'ΐ', 'ᾳ ᾼ', 'İstanbul ı', 'ΑΣ', 'ΑΣ Σ ΑΣΑ', "ΑΣ'", 'Σ', 'ǆ ǅ Ǆ', 'ﬃ', 'ⅷ ⓐ', 'éÉ ŸÿÆæ', 'Ωmega 𐐨𐐀', 'ẞ', 'they\'re bill\'s', 'x1y2 a_b', 'ÀÉ']
for w in words:
    print(ascii(w), ascii(w.upper()), ascii(w.lower()), ascii(w.title()), ascii(w.capitalize()), ascii(w.swapcase()), ascii(w.casefold()))
#---- questions
samples = ['', 'a', 'A', 'aA', '1', '²', '①', '½', '一', '٣', ' ', '\t\n', '\x1f', '\x85', '\xa0', '_', 'a1', '1a', 'é', 'ªº', 'Ⅷ', 'ⓐ', 'ǅ', 'ǅA', 'Abc Def', 'ABC', 'abc', 'aB', '\u200b', '\ufeff', '\u0301', 'a\u0301', '℘', '·', 'a·', '\U0001d7ce', '\U0001f600', 'Hello World', 'Hello world', "A'B", '\x00', '\u2028', '\ue000', 'ﾞ', 'aﾞ', 'def']
names = 'isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper'.split()
for s in samples:
    print(ascii(s), [n for n in names if getattr(s, n)()])
#---- errors of methods
def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'abc'
for f in [lambda: s.upper(1), lambda: s.replace('a'), lambda: s.replace(1, 2), lambda: s.replace('a', 2), lambda: s.split(1), lambda: s.split(''), lambda: s.join(), lambda: s.join(1), lambda: s.join([1]), lambda: s.join(['a', None]), lambda: s.startswith(), lambda: s.startswith(1), lambda: s.startswith((1,)), lambda: s.endswith(None), lambda: s.find(), lambda: s.find(1), lambda: s.find('a', 'b'), lambda: s.find('a', 0, 1, 2), lambda: s.index('z'), lambda: s.rindex('z'), lambda: s.count(1), lambda: s.partition(1), lambda: s.partition(''), lambda: s.rpartition(''), lambda: s.removeprefix(1), lambda: s.center('x'), lambda: s.center(5, 'ab'), lambda: s.center(5, 1), lambda: s.center(), lambda: s.zfill(), lambda: s.encode(1), lambda: s.encode('utf-8', 1), lambda: s.encode('nope'), lambda: s.translate(), lambda: s.expandtabs('a'), lambda: s.splitlines(1, 2), lambda: s.split(foo=1), lambda: s.split('a', sep='b'), lambda: s.split(1, 2, 3), lambda: s.strip(1), lambda: s.strip('a', 'b'), lambda: s.isalpha(1), lambda: s.lower(x=1), lambda: s.format_map(), lambda: s.split('b', None), lambda: s.replace('a', 'b', 'c')]:
    t(f)
#---- strip and pad
print('  ab \n'.strip() + '|', '\u2003x\xa0'.strip() + '|', 'xxaxx'.strip('x'), 'éaé'.strip('é'), 'abcba'.lstrip('ab'), 'abcba'.rstrip('ab'), 'mississippi'.strip('ipm'), repr('   '.strip()), 'a'.strip(None), 'x'.strip(''))
for w in range(0, 9):
    print(repr('abc'.center(w, '*')), repr('ab'.center(w)), repr('é'.ljust(w, 'ü')), repr('-7'.zfill(w)), repr('+'.zfill(w)), repr('x'.rjust(w)))
print(repr('a\tbc\td'.expandtabs()), repr('a\tb\n\tc'.expandtabs(4)), repr('a\tb'.expandtabs(0)), repr('a\tb'.expandtabs(-1)), repr('\t'.expandtabs(tabsize=3)), repr('ab\r\tc'.expandtabs(4)), repr('é\tx'.expandtabs(4)))
print('TestHook'.removeprefix('Test'), 'x'.removeprefix(''), 'abab'.removesuffix('ab'), 'ab'.removesuffix('abc'), repr('a'.removeprefix('a')))
#---- search
s = 'añb añb日本añ'
print(s.find('ñ'), s.rfind('ñ'), s.find('ñ', 2), s.find('', 3), s.find('', 12), s.find('', 13), s.rfind(''), s.rfind('', 0, 4), s.index('日'), s.count('añ'), s.count(''), s.count('ñ', 3, -1), s.find('b', -100, 100), s.find('x'), s.count('', 5, 3), ''.count(''), ''.find('', 1), 'abc'.count('', 3), 'abc'.count('', 4))
print('aaaa'.count('aa'), 'abcabc'.rfind('abc', 1, -1), 'abc'.startswith('b', 1), 'abc'.startswith(('x', 'bc'), 1, 3), 'abc'.endswith('b', 0, 2), 'abc'.startswith('', 3), 'abc'.startswith('', 4), 'abc'.endswith(()), 'abc'.startswith('abc', None, None))
print('abab'.replace('ab', 'x'), 'abab'.replace('ab', 'x', 1), 'ab'.replace('', '-'), 'ab'.replace('', '-', 2), 'é日'.replace('', '.'), 'aaa'.replace('a', 'aa', -1), 'abc'.replace('abc', ''), repr(''.replace('', 'x')), 'aXbX'.replace('X', 'YY', 0), 'aaa'.replace('aa', 'b'))
#---- split
print('a b  c '.split(), ' a b  c '.split(None, 1), '  a b '.split(None, 0), ' a b  c '.rsplit(None, 1), ' a '.rsplit(None, 0), ''.split(), '  '.split(), 'abc'.split(None, 5))
print('a,b,,c'.split(','), 'a,b,,c'.split(',', 1), 'a,b,,c'.rsplit(',', 1), ''.split(','), ','.split(','), 'a--b--c'.split('--', maxsplit=1), 'a--b--c'.rsplit('--', maxsplit=1), 'aaa'.split('aa'), 'aaa'.rsplit('aa'), 'é日é'.split('日'), 'x'.split(sep=None, maxsplit=-1))
print('a\u2003b\xa0c\x1cd'.split(), 'a\u2003b\xa0c'.rsplit(None, 1))
print('a\nb\r\nc\rd\x0be\x0cf\x1cg\x85h\u2028i\n'.splitlines(), 'a\r\n\r\nb'.splitlines(True), ''.splitlines(), '\n'.splitlines(), 'a\n\r'.splitlines(keepends=True))
print('a-b-c'.partition('-'), 'a-b-c'.rpartition('-'), 'abc'.partition('-'), 'abc'.rpartition('-'), 'ab'.partition('ab'))
print('-'.join('abc'), ', '.join(['x']), repr(''.join([])), 'é'.join(('a', 'b')), '.'.join(str(i) for i in range(4)), ''.join({'k': 1}))
#---- translate
t = str.maketrans({'a': 'A', 'b': None, 99: 'CC', 'd': 100})
print('abcd'.translate(t), 'abc'.translate(str.maketrans('ab', 'xy')), 'abc'.translate(str.maketrans('a', 'b', 'c')), sorted(str.maketrans('ab', 'cd', 'e').items(), key=str), 'x'.maketrans('é', 'e'))
class T:
    def __getitem__(self, i):
        if i == 97: return '<a>'
        if i == 98: return None
        if i == 99: return 0x1F600
        raise LookupError
print('abcd'.translate(T()))
for f in [lambda: str.maketrans(1), lambda: str.maketrans('ab', 'c'), lambda: str.maketrans({'ab': 1}), lambda: str.maketrans({1.5: 1}), lambda: str.maketrans(1, 'a'), lambda: str.maketrans('a', 1), lambda: 'a'.translate({97: 1.5}), lambda: 'a'.translate({97: 0x110000}), lambda: 'a'.translate(5), lambda: str.maketrans('a', 'b', 1)]:
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
#---- repr
for s in ["it's", 'q"', '\'"', 'tab\t\n\r\\', '\x00\x1f\x7f\x80\xa0\xad', 'é', '\u0378', '\u200b', '\u2028', '\ue000', '\U0001f600', '\U000e0001', '\ud800', 'a\udfffb', '\uffff', '\u0301']:
    print(ascii(repr(s)), ascii(s), len(s))
print(repr([1, 'a', None, 1.5, (1,), (), {}, {1: 'x'}, set(), {2}, frozenset(), frozenset({3}), b'a\n\'"\xff', range(3), range(1, 9, 2), slice(1, None), ..., NotImplemented]))
l = [1]; l.append(l); print(l, [l])
d = {}; d['d'] = d; print(d)
t = ([],); t[0].append(t); print(t)
x = []
for i in range(200): x = [x]
print(len(repr(x)))
for i in range(2000): x = [x]
try: repr(x)
except RecursionError as e: print('RecursionError')
#---- encode
def t(f):
    try: print(ascii(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'aé€\U0001f600\ud800\udc80'
for enc in ['utf-8', 'UTF8', 'utf_8_sig', 'ascii', 'latin-1', 'iso-8859-1', 'cp1252', 'utf-16', 'utf-16-le', 'utf-16be', 'utf-32', 'utf-32-be', 'unicode_escape', 'raw_unicode_escape']:
    for err in ['strict', 'ignore', 'replace', 'backslashreplace', 'xmlcharrefreplace', 'surrogateescape', 'surrogatepass']:
        print(enc, err, end=' '); t(lambda: s.encode(enc, err))
t(lambda: 'é'.encode('ascii')); t(lambda: 'aéßb'.encode(encoding='ascii', errors='strict')); t(lambda: 'abc'.encode('ascii', 'nope'))
#---- decode
def t(f):
    try: print(ascii(f()))
    except Exception as e: print(type(e).__name__, e)
for b in [b'', b'abc', b'\xc3\xa9', b'\xff', b'a\x80b', b'\xe2\x82', b'\xe2\x82a', b'\xe2(\xa1', b'\xf0\x9f\x98', b'\xf0\x9f\x98\x80', b'\xc0\x80', b'\xed\xa0\x80', b'\xf4\x90\x80\x80', b'\xf8', b'\xef\xbb\xbfx', b'\xc3']:
    for err in ['strict', 'ignore', 'replace', 'backslashreplace', 'surrogateescape', 'surrogatepass']:
        print(b, err, end=' '); t(lambda: b.decode('utf-8', err))
for b, e in [(b'a', 'utf-16'), (b'\xff\xfea', 'utf-16'), (b'\xfe\xff\x00a', 'utf-16'), (b'\x00\xd8', 'utf-16'), (b'\x00\xd8a\x00', 'utf-16-le'), (b'\x3d\xd8\x00\xde', 'utf-16-le'), (b'abc', 'utf-32'), (b'\x00\xd8\x00\x00', 'utf-32-le'), (b'\x81\x80', 'cp1252'), (b'\\x4', 'unicode_escape'), (b'\\', 'unicode_escape'), (b'\\n\\x41\\u20ac\\101\\q', 'unicode_escape'), (b'\\u0041\\n\xe9', 'raw_unicode_escape'), (b'a', 'foo'), (b'\xff', 'utf-8-sig'), (b'\xef\xbb\xbfx', 'utf-8-sig'), (b'\xe9', 'ascii'), (b'\xe9', 'latin1')]:
    t(lambda: b.decode(e))
#---- unicode errors
try: 'a\ud800'.encode()
except UnicodeEncodeError as e: print(e.encoding, ascii(e.object), e.start, e.end, e.reason, ascii(e.args))
try: b'a\xff'.decode()
except UnicodeDecodeError as e: print(e.encoding, e.object, e.start, e.end, e.reason, e.args)
e = UnicodeEncodeError('x', 'abc', 0, 2, 'why'); print(e, repr(e))
e.start = 1; print(e)
print(UnicodeDecodeError('x', b'abc', 0, 1, 'why'), UnicodeTranslateError('aé', 1, 2, 'why'))
for a in [(), (1, 2, 3, 4, 5), ('a', 'b', 'c', 'd', 'e')]:
    try: UnicodeEncodeError(*a)
    except TypeError as x: print(x)
print(issubclass(UnicodeError, ValueError), UnicodeDecodeError.__mro__[1].__name__)
#---- derived and bad str
def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
t(lambda: str()); t(lambda: str(b'a')); t(lambda: str(b'\xc3\xa9','utf-8')); t(lambda: str(b'\xff', errors='replace')); t(lambda: str('a','utf-8')); t(lambda: str(1,'utf-8')); t(lambda: str(b'a', 1)); t(lambda: str(object=5)); t(lambda: str(encoding='x'))
class S(str):
    def __str__(self): return 'S:' + self.upper()
    def __repr__(self): return 'R'
s = S('abc')
print(s, f'{s}', '%s' % s, '{}'.format(s), str(s), repr(s), [s], s.upper(), type(s.strip()) is str, type(s + 'x') is str, s[0], s.join(['1','2']), len(s), s == 'abc', hash(s) == hash('abc'), {s: 1}['abc'], 'abc'.replace(s, 'z'), format(s, '>5'), s.split('b'), 'xabcx'.find(s), isinstance(s, str))
class X:
    def __str__(self): return 5
    def __repr__(self): return None
t(lambda: str(X())); t(lambda: repr(X())); t(lambda: f'{X()}'); t(lambda: '%r' % X())
print('%s' % b'a', str(b'\x00'), f"{'a'!r:>6}|{3.14159:.2f}|{1000000:,}|{0xff:#x}|{True:d}|{None}|{[1,'a']}")
print(f'{"é"!a}', '{:>{}}'.format('x', 4), f'{5:{"03d"}}', f'{1e10:g} {1e-7} {123456789.123456789} {2**70} {-0.0}')
#---- encodings by name
import codecs
print(codecs.encode('Hello', 'rot13'), codecs.decode('Uryyb', 'rot_13'), codecs.encode(b'ab', 'hex'), codecs.decode(b'6162', 'hex'))
print(codecs.encode(b'abc', 'base64'), codecs.decode(b'YWJj\n', 'base64'), codecs.decode(codecs.encode(b'a' * 9, 'zlib'), 'zlib'))
print(codecs.encode('\xe9'), codecs.decode(b'\xe9', 'latin-1'), codecs.lookup('utf8').name, codecs.lookup('LATIN-1').name, codecs.lookup('ascii').encode('ab'))
print(codecs.BOM_UTF8, codecs.BOM_UTF16_BE, codecs.getencoder('utf-8')('a'), codecs.getdecoder('ascii')(b'a'))
d = codecs.getincrementaldecoder('utf-8')()
print([d.decode(bytes([b])) for b in 'a\xe9\u20ac\U0001f600'.encode()], d.decode(b'', True))
print(list(codecs.iterdecode([b'\xe2\x82', b'\xac', b'x'], 'utf-8')), list(codecs.iterencode(['a', '', '\xe9'], 'utf-8')))
for call in (lambda: codecs.lookup('nope'), lambda: codecs.lookup(5), lambda: codecs.decode(b'\xff'), lambda: codecs.encode('a', 'hex'), lambda: d.decode(b'\xff'), lambda: codecs.getincrementaldecoder('utf-8')().decode(b'\xe2', True)):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, str(e)[:60] if not isinstance(e, TypeError) else '')
