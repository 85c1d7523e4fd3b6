#---- errors of patterns
import re
for p in ['(', ')', 'a)', '[', '[]', '[^]', '[a', '[b-a]', r'[\w-a]', r'[a-\d]', '*', 'a**', 'a*?*', 'a{2}{3}', '(?', '(?P', '(?P<', '(?P<a', '(?P<>a)', '(?P<1>a)', '(?P<a b>a)', '(?P<a>a)(?P<a>b)', '(?P=a)', '(?P=', '(?P=)', '(?Px)', '(?#', '(?#a', '(?<', '(?<x)', '(?<a', '(?:', '(?=', '(?!a', '(?z)', '(?i', '(?i:', '(?i-', '(?i-i:a)', '(?-a:b)', '(?aL:b)', '(?au:b)', '(?L:a)', 'a(?i)', '(?i-z:a)', '(?iz)', '(?i1)', r'\1', r'(\1)', r'(a)\2', r'\8', r'\q', r'[\q]', '\\', 'a\\', r'\x1', r'\xg', r'\u12', r'\U00110000', r'\400', r'[\400]', r'[\8]', r'(?(1)a', r'(?(1)a|b|c)', r'(?(0)a)', r'(?(x)a)', r'(?(-1)a)', r'(?(2)a)', '(?(', '(?(1', 'a{3,2}', 'x{99999999999}', '^*', '$+', r'\b*', '(?<=a*)b', '(?<=a|bc)', r'(?<=(a)\1)b', r'(a)(?<=\1)b', r'(?<=(?P<x>a)(?P=x))', '|*', '(|*)', '(?P<é>a)', '\n(', 'ab\ncd)', '(?>', '(?>a', 'a++b+*', 'a?+*', '(?P>', '(?\n']:
    try: r = re.compile(p); print(ascii(p), 'ok', r.groups)
    except re.error as e: print(ascii(p), '|', ascii(str(e)), '|', e.msg.isascii() and e.msg, e.pos, e.lineno, e.colno)
    except Exception as e: print(ascii(p), type(e).__name__, e)
for p in [b'(', b'\\u1234', b'(?u)', b'(?L)a', b'[b-a]', b'\xff(']:
    try: print(p, re.compile(p).flags)
    except re.error as e: print(p, e)
for a in [('a', re.L), (b'a', re.U), ('a', re.A | re.U), (b'a', re.L | re.A)]:
    try: print(re.compile(*a))
    except Exception as e: print(type(e).__name__, e)
#---- matching
import re
def show(m):
    return m and (m.span(), m.group(), m.groups(), m.lastindex, m.lastgroup, m.regs)
for p, s in [('a', 'ba'), ('a*', 'aaa'), ('a*?', 'aaa'), ('(a)|b', 'b'), ('(a)|b', 'a'), ('(?:(a)|b)*', 'ab'), ('(a|ab)(c|bcd)(d*)', 'abcd'), ('(a+)+b', 'aaab'), ('x*', 'axb'), ('^$', ''), ('^a$', 'a\n'), (r'a\Z', 'a\n'), ('(?m)^b$', 'a\nb\nc'), ('.', '\n'), ('(?s).', '\n'), (r'\bfoo\b', 'a foo b'), (r'\Boo', 'foo'), ('(?i)straße', 'STRASSE straße'), ('(?i)k', '\u212a'), ('(?i)[k]', '\u212a'), ('(?i)ſ', 'S'), ('(?i)σ', 'ς'), ('(?i)[a-z]+', 'ABC\u017f'), (r'(?a)\w+', 'éa'), (r'\w+', 'é1_٣'), (r'\d+', '٣4'), (r'(?a)\d+', '٣4'), (r'\s+', '\u2003 \x1c'), (r'(?a)\s+', '\u2003 \x1c'), (r'[^\d\s]+', '12 ab'), ('[]a]+', ']a['), ('[^]a]+', ']ab'), ('[a-]+', 'a-b'), (r'[\]\-]+', ']-'), ('[[a]', '['), (r'[\b]', '\b'), ('a{2}', 'aaa'), ('a{2,}', 'aaaa'), ('a{,2}', 'aaaa'), ('a{1,2}?', 'aaaa'), ('a{', 'a{'), ('a{}', 'a{}'), ('a{,}', 'aaa'), ('a{1', 'a{1'), ('x{2,3}y', 'xxxxy'), (r'(a)(b)\2\1', 'abba'), (r'(?P<q>[\'"]).*?(?P=q)', 'x"a\'b"'), ('(?=a)a', 'ba'), ('(?!a).', 'ab'), ('(?<=a)b', 'ab'), ('(?<!a)b', 'abcb'), ('(?<=ab|cd)e', 'cde'), ('(?<=^)a', 'a'), ('(?<=é)b', 'éb'), ('(a)?(?(1)b|c)', 'ab'), ('(a)?(?(1)b|c)', 'c'), ('(?P<n>a)?(?(n)b)', 'b'), ('(?>a+)b', 'aab'), ('(?>a+)ab', 'aab'), ('a++b', 'aab'), ('a*+a', 'aaa'), ('(?:ab)++c', 'ababc'), ('(?:a|b)?+b', 'b'), ('a{1,3}+a', 'aaaa'), ('(?x) a b # c\n c', 'abc'), ('(?x)a\\ b[ ]c', 'a b c'), ('(?i:a)b', 'Ab'), ('(?i:a)b', 'AB'), ('(?-i:a)b', 'ab'), ('(?s-i:.)', '\n'), (r'\101\x41\u0041\U00000041\07', 'AAAA\x07'), (r'\0', '\0'), ('(?#comment)a', 'a'), ('', 'abc'), ('(|a)+', 'aaa'), ('(a|)+', 'aaa'), ('(?:a?)*?b', 'aab'), ('(?:a*)*', 'aab'), ('(a?)*?$', 'aa'), ('(?:(x)|(y)|(z))+', 'xyzx'), ('((a)|b)*', 'abb'), ('(?=(a))', 'a'), ('(?!(a))b', 'b'), ('(?:(?=(a))a)+', 'aa'), (r'(.*)\.(.*)', 'a.b.c'), ('[\U0001f600-\U0001f64f]+', 'x\U0001f600\U0001f601'), ('日.語', '日本語'), ('(?i)É', 'é'), ('(?ai)É', 'é'), ('(?u)a', 'a')]:
    print(ascii(p), ascii(s), ascii(show(re.search(p, s))), ascii(show(re.match(p, s))), ascii(show(re.fullmatch(p, s))))
#---- bytes
import re
print(re.search(rb'\w+', b'\xe9ab \xff'), re.findall(b'(?i)A.', b'abAc'), re.sub(b'a', b'\\g<0>x', b'banana'), re.split(b',', b'a,b'), re.search(b'[\x80-\xff]+', b'a\xe9\xff'), re.compile(b'a', re.I))
for f in [lambda: re.match('a', b'a'), lambda: re.match(b'a', 'a'), lambda: re.match('a', 1), lambda: re.match(1, 'a'), lambda: re.sub(b'a', 'b', b'a'), lambda: re.sub('a', b'b', 'a'), lambda: re.compile(re.compile('a'), re.I), lambda: re.sub('a', lambda m: 1, 'a'), lambda: re.escape(1)]:
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
#---- find and split
import re
print(re.findall('a', 'banana'), re.findall('(a)(n)?', 'banana'), re.findall('(x)?b', 'bab'), re.findall('', 'ab'), re.findall('a*', 'baac'), re.findall(r'\b', 'a b'), re.findall('(?=(..))', 'abcd'), re.findall('é*', 'éaé'))
print([m.span() for m in re.finditer('a*?', 'aa')], [m.group() for m in re.finditer('日|é', 'é日x日')], [m.span() for m in re.finditer('日|é', 'é日x日')])
print(re.split(',', 'a,b,,c'), re.split('(,)', 'a,b'), re.split('', 'abc'), re.split('(x*)', 'axbc'), re.split(',', 'a,b,c', 1), re.split(',', 'a,b,c', maxsplit=1), re.split('x', ''), re.split(r'\b', 'a b'), re.split('(a)|b', 'xaybz'), re.split('a', 'bab', -1))
p = re.compile('a.')
print(p.findall('abacad', 2), p.findall('abacad', 1, 5), p.search('abac', 1), p.match('xab', 1), p.fullmatch('xabx', 1, 3), p.search('ab', 5), p.search('ab', 2, 1), re.compile('^a').search('aa', 1), re.compile('a$').search('ab', 0, 1), re.compile(r'(?<=a)b').match('ab', 1), re.compile(r'\bb').search('ab', 1), re.compile('').search('é日', 1, 1), re.compile('.').findall('aé日x', -5, 3))
it = re.finditer('a', 'aa'); print(next(it), next(it), next(it, None), iter(it) is it)
s = p.scanner('abxac'); print(s.match(), s.match(), p.scanner('xab').search())
#---- sub
import re
print(re.sub('a', 'b', 'banana'), re.sub('a', 'b', 'banana', 2), re.sub('a', 'b', 'banana', count=1), re.subn('a', 'b', 'banana'), re.subn('x', 'b', 'banana'), re.sub('', '-', 'abc'), re.sub('x*', '-', 'abxd'), re.sub('(a)(b)?', r'[\1\2]', 'abac'), re.sub('(?P<n>a)', r'<\g<n>\g<1>\g<0>>', 'ba'))
print(re.sub('a', r'\n\t\\\x' if False else r'\n\t\\', 'a') == '\n\t\\', ascii(re.sub('a', r'\101\0\07\008', 'a')), re.sub('(.)', r'\g<1>0', 'ab'), re.sub('a', lambda m: m.group().upper() * 2, 'banana'), re.sub('a', lambda m: None, 'banana') if False else '', re.sub(r'\w+', lambda m: str(m.start()), 'ab cd'), re.sub('é', '日', 'éaé'), re.sub('b*', 'x', 'abc'))
for t in [r'\2', r'\g<2>', r'\g<x>', r'\g', r'\g<', r'\g<a', r'\g<>', r'\g<1a>', r'\g<-1>', r'\q', '\\', r'\400', r'\99', r'\g<a b>', r'\&', r'\ ', r'\g<01>', 'x\\']:
    try: print(ascii(t), ascii(re.sub('(a)', t, 'a')))
    except Exception as e: print(ascii(t), type(e).__name__, e)
m = re.match('(?P<x>a)(b)?', 'ac')
print(m.expand(r'\1-\2-\g<x>'), m.expand('plain'))
#---- match objects
import re
m = re.match(r'(?P<year>\d+)-(?P<month>\d+)(-(\d+))?', '2024-05x')
print(m, m[0], m['year'], m[2], m.group(1, 'month', 3), m.groups(), m.groups('?'), m.groupdict(), m.groupdict(default=0), m.start('month'), m.end(2), m.span(3), m.start(), m.pos, m.endpos, m.string, m.re.pattern, m.lastindex, m.lastgroup, m.regs)
for f in [lambda: m[9], lambda: m['z'], lambda: m.group(-1), lambda: m.group(1.5), lambda: m.start('q'), lambda: m.groups(1, 2), lambda: m.group(x=1)]:
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
print(bool(m), re.match('(?:x)|y', 'y').groups(), repr(re.match('.*', "it's \n" + 'x' * 80, re.S))[:60])
m2 = re.search('(日)(本)', 'é日本'); print(m2, m2.span(1), m2.start(2), m2.regs)
import copy
print(copy.copy(m) is m, copy.deepcopy(m.re) is m.re)
#---- pattern objects
import re
p = re.compile('(?P<a>x)(y)', re.I | re.M)
print(p, p.pattern, p.flags, p.groups, dict(p.groupindex), p == re.compile('(?P<a>x)(y)', re.I | re.M), p == re.compile('x'), p != 3, hash(p) == hash(re.compile('(?P<a>x)(y)', re.M | re.I)))
print(re.compile('a').flags, re.compile('a', re.A), re.compile('(?i)a'), re.compile('(?i)a').flags, re.compile(b'a').flags, re.compile('a', re.X | re.S | re.U), re.compile("it's"), repr(re.compile('a' * 300))[-20:], re.compile('a', 0) is re.compile('a'))
print(re.I, re.I | re.M, re.A, repr(re.S), ~re.I & 0, int(re.X), re.I & re.M, (re.I | re.M) & re.M, re.I == 2, re.NOFLAG, isinstance(re.I, int), re.IGNORECASE is re.I)
print(re.escape('a.b*c[d]-é ~#&\n'), re.escape(b'a.b'), re.escape('abc_1'), re.escape('!"%\',/:;<=>@`'))
print(re.error('m', 'ab\ncd', 4), re.error('m'), re.error('m', b'x', 0), re.error.__name__, issubclass(re.error, Exception))
try: re.compile('a', 1.5)
except TypeError as e: print('TypeError')
#---- hard
import re
print(re.match('(x)*?y' , 'x' * 50000 + 'y').end(), re.match('(?:x|y)*', 'xy' * 20000).end(), len(re.findall('a|b', 'ab' * 5000)), re.match('|'.join('a%d' % i for i in range(3000)), 'a2999').group(), re.match('(((((((((((a)))))))))))\\11', 'aa').group(), re.match('(.)' * 120, 'x' * 120).lastindex, re.match('(?:a{0,3}){1,4}b', 'aaaaaaaab').end())
print(re.sub(r'(?m)^\s*#.*\n?', '', '# a\nb\n  # c\nd'), re.findall(r'[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?', 'x=1.5e-3, y=-.5 z=7'), re.findall(r'"((?:[^"\\]|\\.)*)"', r'a "b\"c" "d"'), re.split(r'\s*[;,]\s*', 'a , b;c ;d'))
def tok(s):
    spec = [('NUM', r'\d+(\.\d*)?'), ('ID', r'[A-Za-z]\w*'), ('OP', r'[-+*/=()]'), ('WS', r'\s+'), ('BAD', r'.')]
    rx = re.compile('|'.join('(?P<%s>%s)' % x for x in spec))
    return [(m.lastgroup, m.group()) for m in rx.finditer(s) if m.lastgroup != 'WS']
print(tok('x1 = 3.5*(y - 2)?'))
s = re.Scanner([(r'[a-z]+', lambda sc, t: t.upper()), (r'\d+', lambda sc, t: int(t)), (r'\s+', None)])
print(s.scan('ab 12 cd!'))
#---- empty turns
import re
for p, s in [('(?:((?:(?:(?<!a))?|(b)))){1,2}', '\nbba\nx1'), (r'(?:(?:((?:a){,2}|\w)){1,2}){,2}?', '\nb\nbxbb'), ('(a?){3}', 'a'), ('(a?){2,3}b', 'ab'), ('(|a){2}', 'aa'), ('(|a){1,2}b', 'ab'), ('(?:(a)|b?){2,4}c', 'abc'), ('(a*?){2}', 'aa'), ('(?:x*){3}y', 'xxy')]:
    print(p, [(m.span(), m.regs) for m in re.finditer(p, s)], re.split(p, s))
for p, s in [('(?:[ab]+){2}+', 'abab'), ('(?:[ab]){2}+c', 'abc'), ('(?:a|ab)*+c', 'abac'), ('(?:a|ab){2}+', 'aba'), ('((?:ab?)++)b', 'abab'), ('(?:ab)*+a', 'ababa')]:
    print(p, re.findall(p, s), re.match(p, s))
