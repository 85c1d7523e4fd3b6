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
