#---- find that backtracks: instructions
s = 'a' * 600000
while True:
    s.find('a' * 300000 + 'b')
#---- rfind that backtracks: instructions
s = 'a' * 600000
while True:
    s.rfind('b' + 'a' * 300000)
#---- in that backtracks: instructions
s = 'a' * 600000
while True:
    ('a' * 300000 + 'b') in s
#---- count that backtracks: instructions
s = 'a' * 600000
while True:
    s.count('a' * 300000 + 'b')
#---- replace that backtracks: instructions
s = 'a' * 600000
while True:
    s.replace('a' * 300000 + 'b', '')
#---- split for ever: instructions
s = 'a,' * 30000
while True:
    s.split(',')
#---- strip for ever: instructions
s = ' ' * 600000 + 'a' + ' ' * 600000
while True:
    s.strip()
#---- upper for ever: instructions
s = 'a' * 600000
while True:
    s.upper()
#---- casefold for ever: instructions|raised
s = '\u00df' * 300000
while True:
    s.casefold()
#---- translate for ever: instructions|raised
s = 'a' * 300000
t = {97: 'b'}
while True:
    s.translate(t)
#---- translate that grows: memory|raised|instructions
s = 'a' * 300000
s.translate({97: 'b' * 1000})
#---- compare for ever: instructions
a = 'a' * 600000
b = 'a' * 600000 + 'b'
while True:
    a < b
#---- equality for ever: instructions
a = 'a' * 600000
b = 'aa' * 300000
while True:
    a == b
#---- index of characters for ever: instructions
s = '\u00e9' * 300000
i = 0
while True:
    s[i % 300000]
    i += 7
#---- reverse for ever: instructions
s = '\u00e9' * 300000
while True:
    s[::-1]
#---- encode and decode: instructions
s = '\u00e9' * 300000
while True:
    s.encode('utf-8').decode('utf-8')
#---- bad bytes decoded: raised
b'\xff\xfe'.decode('utf-8')
#---- bad bytes replaced: ok|instructions|memory|raised
while True:
    (b'\xff' * 100000).decode('utf-8', 'replace')
#---- format with a nested width: memory|raised
'{:{}}'.format(1, 10 ** 9)
#---- format with a missing field: raised
'{5}'.format(1)
#---- format with deep attributes: raised
('{0' + '.a' * 100000 + '}').format(1)
#---- format that reaches into a class: raised|ok
'{0.__class__.__mro__[1].__subclasses__}'.format(1)
#---- percent with too few: raised
'%d %d' % (1,)
#---- percent with a star: memory|raised
'%*d' % (10 ** 9, 1)
#---- join of what is no text: raised
','.join([1, 2])
#---- join of a generator that never ends: memory|instructions
def g():
    while True:
        yield 'abc'
''.join(g())
#---- splitlines for ever: instructions
s = '\r\n' * 100000
while True:
    s.splitlines()
#---- expandtabs for ever: instructions|memory
s = 'a\t' * 100000
while True:
    s.expandtabs()
#---- isalpha for ever: instructions
s = '\u00e9' * 300000
while True:
    s.isalpha()
#---- title for ever: instructions
s = 'ab ' * 100000
while True:
    s.title()
#---- repr for ever: instructions
s = '\x01\u00e9' * 100000
while True:
    repr(s)
#---- hash of new text for ever: instructions
s = 'a' * 600000
while True:
    hash(s + 'b')
#---- startswith for ever: instructions
s = 'a' * 600000
t = 'a' * 599999
while True:
    s.startswith(t)
#---- partition for ever: instructions
s = 'a' * 600000
while True:
    s.partition('b')
#---- ascii for ever: instructions|memory|raised
s = '\u00e9' * 100000
while True:
    ascii(s)
#---- regular expression that explodes: instructions|raised|time
import re
re.match('(a+)+$', 'a' * 50 + 'b')
#---- regular expression that explodes by choice: instructions|raised|time
import re
re.match('(a|a)*$', 'a' * 50 + 'b')
#---- regular expression that explodes lazily: instructions|raised|time
import re
re.match('(a*?)*?(b|c)*?$', 'a' * 50 + 'd')
#---- regular expression with backreferences: instructions|raised|time
import re
re.match(r'(a*)(a*)(a*)(a*)(a*)(a*)(a*)(a*)\1\2\3\4\5\6\7\8$', 'a' * 60 + 'b')
#---- regular expression nested deeply: raised|recursion|instructions|memory
import re
re.compile('(' * 20000 + ')' * 20000)
#---- regular expression repeated deeply: raised|recursion|instructions|memory|ok
import re
re.match('((((a{100}){100}){100}){100}){100}', 'a' * 100)
#---- regular expression with huge counts: raised|memory|ok|instructions
import re
re.match('a{4294967295}', 'a')
#---- regular expression on long text: raised|recursion|instructions|memory|ok
import re
re.match('(?:a|b)*c', 'ab' * 300000)
#---- regular expression on long text with groups: raised|recursion|instructions|memory|ok
import re
re.match('(a|b)*?c', 'ab' * 300000)
#---- sub that grows: memory|raised|instructions
import re
re.sub('a', 'b' * 10000, 'a' * 100000)
#---- findall of nothing: memory|raised|instructions|ok
import re
x = []
while True:
    x.append(re.findall('', 'a' * 100000))
#---- split of everything: memory|raised|instructions
import re
x = []
while True:
    x.append(re.split('(a)', 'a' * 100000))
#---- patterns that hoard: memory|instructions|raised
import re
i = 0
while True:
    re.compile('a' * 100 + str(i))
    i += 1
#---- sub by a function that loops: instructions|raised
import re
def f(m):
    while True:
        pass
re.sub('a', f, 'a')
#---- lookbehind: raised|instructions|ok
import re
re.search('(?<=' + 'a' * 10000 + ')b', 'a' * 100000)
#---- scanner of a set: ok|raised|memory
import re
re.compile('[' + ''.join(chr(i) for i in range(0x4e00, 0x9000)) + ']')
