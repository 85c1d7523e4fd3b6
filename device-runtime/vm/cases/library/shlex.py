#---- one call after another
import shlex

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
t(lambda: shlex.split("a 'b c' d"))
t(lambda: shlex.split('a "b \\"c" d\\ e'))
t(lambda: shlex.split('a #b',comments=True))
each(shlex.quote, ['a b'], ["a'b"], [''], ['ab'])
t(lambda: shlex.join(['a','b c']))
each(shlex.split, [''], ["a 'b"], ['a\\'])
#---- shlex
import shlex
for s in ('a b', "a 'b c' d", '"x y" z', 'a\\ b', "it\\'s", 'a "b\\"c" d', "''", '# no', 'a # b', 'x"y"z'):
    print(shlex.split(s), shlex.split(s, comments=True), shlex.quote(s))
for s in ('"a', 'a\\', "'"):
    try: shlex.split(s)
    except ValueError as e: print(e)
print(shlex.join(['a', 'b c', "d'e"]))
