#---- string, modules
import string
print(string.ascii_letters, string.digits, string.hexdigits, string.octdigits, string.punctuation, repr(string.whitespace), repr(string.printable), string.capwords('a bc  d'), string.capwords('a-b', '-'))
from string import Template, Formatter
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(f, *args)
T = Template('$a ${b}c $$ $d')
t(T.substitute, a=1, b=2, d=3)
t(T.substitute, {'a': 1}, b=2)
t(T.safe_substitute, a=1)
t(T.substitute, {'a': 1}, a=5, b=2, d=1)
t(T.get_identifiers)
t(T.is_valid)
t(Template('$').substitute)
t(Template('a\n $1').substitute)
t(Template('$').safe_substitute)
t(Template('$').is_valid)
print(T.template, repr(T)[:20])
class T2(Template):
    delimiter = '%'
    idpattern = '[a-z]+_[a-z]+'
t(T2('%a_b %% %x').safe_substitute, a_b=5)
t(T.substitute, 5)
t(T.substitute)
class T3(Template):
    flags = 0
    braceidpattern = '[0-9]+'
t(T3('${12} $a').safe_substitute, {'12': 'x', 'a': 'y'})
F = Formatter()
t(F.format, '{0} {a} {b[1]} {c.real}', 1, a=2, b=[3, 4], c=5)
each(F.format, ['{}{}', 1, 2], ['{}{0}', 1], ['{0}{}', 1], ['{z}'], ['{5}'])
t(F.vformat, '{0}{x}', [1], {'x': 2})
t(lambda: list(F.parse('a{b!r:>{c}}d{{')))
t(F.get_field, 'a[0].b', (), {'a': [1]})
each(F.format, [], ['{0!x}', 1], ['{0!s:>5}|{0!r}|{0!a}', 'é'])
t(F.format, '{a:{b}.{c}f}', a=3.14159, b=8, c=2)
class F2(Formatter):

    def get_value(s, k, a, kw):
        return kw.get(k, '<%s>' % k) if isinstance(k, str) else a[k]

    def format_field(s, v, spec):
        return 'ff(%r,%r)' % (v, spec)

    def convert_field(s, v, c):
        return 'cf(%r,%r)' % (v, c)

    def check_unused_args(s, used, a, k):
        print('used', sorted(map(str, used)), a, k)
t(F2().format, '{0} {x!r:3} {y}', 1, 2, y=3)
#---- one call after another
import struct, string
s=struct.Struct('<ih')
class TT(string.Template):
    delimiter='%'
class TI(string.Template):
    idpattern='[a-z]+_[a-z]+'
class TP(string.Template):
    pattern=r'''
    \@(?P<escaped>\@)|\@(?P<named>[a-z]+)|\@\{(?P<braced>[a-z]+)\}|\@(?P<invalid>)
    '''
class MyF(string.Formatter):
    def get_value(s,k,a,kw):
        return kw.get(k,'?'+str(k)) if isinstance(k,str) else super().get_value(k,a,kw)
    def convert_field(s,v,c):
        return v*2 if c=='d' else super().convert_field(v,c)
    def format_field(s,v,sp): return '<'+super().format_field(v,sp)+'>'
    def check_unused_args(s,u,a,k): s.u=u
F=string.Formatter()

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
t(lambda: string.ascii_letters)
t(lambda: string.digits)
t(lambda: string.punctuation)
t(lambda: string.whitespace)
t(lambda: string.printable)
t(lambda: string.hexdigits)
t(lambda: string.octdigits)
each(string.capwords, ['a b  c'], ['a,b', ','], [' x  y '])
t(lambda: string.Template('$a ${b} $$').substitute(a=1,b=2))
t(lambda: string.Template('$a').safe_substitute())
t(lambda: string.Template('$a $').safe_substitute(a=1))
t(lambda: string.Template('$a').substitute({'a':1}))
t(lambda: string.Template('$a').substitute({'a':1},a=2))
t(lambda: string.Template('$a').template)
t(lambda: string.Template('${a}b').substitute(a='x'))
t(lambda: string.Template('$a$b').get_identifiers())
t(lambda: string.Template('$').is_valid())
t(lambda: string.Template('$a').is_valid())
t(lambda: string.Template('$Ab_1').substitute(Ab_1=1))
t(lambda: string.Template.delimiter)
t(lambda: string.Template.idpattern)
t(lambda: string.Template.braceidpattern)
t(lambda: string.Template('$é').safe_substitute(é=1))
t(lambda: string.Template.pattern.pattern)
t(lambda: string.Template('$a').substitute())
t(lambda: string.Template('$').substitute())
t(lambda: string.Template('a\n$1').substitute())
t(lambda: string.Template('${a').substitute(a=1))
t(lambda: string.Template('$a').substitute(1))
t(lambda: string.Template('$a').substitute({},{}))
t(lambda: string.Template(5).substitute())
t(lambda: TT('%a $b %%').substitute(a=1))
t(lambda: TI('$a_b $c').safe_substitute(a_b=1))
t(lambda: TP('@a @{b} @@').substitute(a=1,b=2))
t(lambda: TT.pattern.pattern)
t(lambda: F.format('{} {}',1,2))
t(lambda: F.format('{0} {a}',1,a=2))
t(lambda: F.format('{a.real}',a=5))
t(lambda: F.format('{a[0]}',a=[7]))
t(lambda: F.format('{a[k]}',a={'k':1}))
t(lambda: F.format('{!r}','x'))
t(lambda: F.format('{:>5}',1))
t(lambda: F.format('{:{w}}',1,w=5))
t(lambda: F.format('{{}}'))
t(lambda: F.vformat('{0}',(1,),{}))
t(lambda: list(F.parse('a{b!r:c}d{{')))
t(lambda: list(F.parse('')))
t(lambda: list(F.parse('{}')))
t(lambda: list(F.parse('{a[0].b:>{w}}')))
t(lambda: F.get_field('a.b',(),{'a':type('X',(),{'b':5})}))
t(lambda: F.get_value(0,(5,),{}))
each(F.convert_field, [5, 's'], ['é', 'a'], [5, None])
t(lambda: F.format_field(5,'>3'))
each(F.format, ['{} {0}', 1], ['{0} {}', 1], ['{}'], ['{a}'], ['{!x}', 1], ['{'], ['}'])
t(lambda: F.format('{a!}',a=1))
each(F.format, ['{0[}', 1], [], ['{:{:{}}}', 1, 2, 3])
t(lambda: F.convert_field(5,'q'))
t(lambda: MyF().format('{} {x} {y!d:>5}',1,y='q'))
t(lambda: MyF().format('{x:{y}}',x=5,y='>4'))
t(lambda: string.__all__)
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
