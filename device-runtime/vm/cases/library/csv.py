#---- csv
import csv, io, random
rnd = random.Random(4)
for i in range(60):
    options = {}
    if rnd.random() < .3: options['delimiter'] = rnd.choice(';\t|')
    if rnd.random() < .3: options['quoting'] = rnd.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC, csv.QUOTE_NONE])
    if rnd.random() < .3: options['escapechar'] = '\\'
    if rnd.random() < .2: options['doublequote'] = False
    if rnd.random() < .2: options['skipinitialspace'] = True
    lines = [''.join(rnd.choice('ab1, ;".|') for _ in range(rnd.randint(0, 12))) + rnd.choice(['\n', '', '\r\n']) for _ in range(3)]
    rows = [[rnd.choice(['a', 'b c', 'x,y', 'q"r', '1', 5, 2.5, None, '', 'l\nm', '\\', ';']) for _ in range(rnd.randint(0, 4))] for _ in range(3)]
    try: print(list(csv.reader(lines, **options)))
    except (csv.Error, ValueError) as e: print(type(e).__name__, e)
    out = io.StringIO()
    try: csv.writer(out, **options).writerows(rows); print(repr(out.getvalue()))
    except csv.Error as e: print(e)
#---- csv dicts and dialects
import csv, io
print(list(csv.DictReader(['a,b\n', '1,2\n', '\n', '3\n', '4,5,6\n'])), csv.list_dialects())
out = io.StringIO()
w = csv.DictWriter(out, ['x', 'y'], restval='-'); w.writeheader(); w.writerow({'x': 1}); w.writerows([{'x': 2, 'y': 3}])
try: w.writerow({'z': 1})
except ValueError as e: print(e)
print(repr(out.getvalue()))
csv.register_dialect('pipes', delimiter='|', quoting=csv.QUOTE_ALL)
print(list(csv.reader(['a|"b|c"'], 'pipes')), csv.get_dialect('pipes').delimiter)
for f in (lambda: csv.reader([], 'nosuch'), lambda: csv.reader([], delimiter='ab'), lambda: csv.reader([], foo=1), lambda: csv.writer(1), lambda: csv.writer(io.StringIO()).writerow(5), lambda: list(csv.reader([1]))):
    try: f()
    except Exception as e: print(type(e).__name__, str(e).split('(')[0])
#---- csv: rows that are written as usual, and those that are not
import csv, io

lines = ['a,b\n', 'a,"b"\r\n', '"a""b",c', '"a","b\n', '"a"x,b', '', '\n', 'a,,\n', '"",""\n', 'a"b,c',
         '"a" ,b', 'a\rb\n', 'a\n\n', 'é,"ü"\n', '"a""","""b"\n', 'a,b,"c\n', '"\n', ',', '"a"",b\n',
         'a\0b,c\n', "'a;b';'c'\n"]
for line in lines:
    for options in {}, {'quoting': csv.QUOTE_NONE}, {'delimiter': ';', 'quotechar': "'"}, {'strict': True}:
        try:
            print(list(csv.reader([line, 'x,y\n', 'tail"\n'], **options)))
        except csv.Error as e:
            print(e)
reader = csv.reader(['a,b\n', '"c\n', 'd"\n', 'e'])
for row in reader:
    print(reader.line_num, row)
for quoting in range(4):
    for rows in [['a', 1, 1.5, None, 'x,y', 'q"q', 'l\nl', '', 10 ** 30, True]], [['']], [[None]], [[]]:
        out = io.StringIO()
        try:
            csv.writer(out, quoting=quoting, escapechar='\\' if quoting == 3 else None).writerows(rows)
            print(repr(out.getvalue()))
        except csv.Error as e:
            print(e)
for options in {'lineterminator': 'end'}, {'delimiter': '.'}, {'doublequote': False, 'escapechar': '!'}, \
        {'quotechar': "'"}:
    out = io.StringIO()
    csv.writer(out, **options).writerow(['end', 'a.b', 1.5, 'q"q', "it's", 'x!y', -3])
    print(repr(out.getvalue()))
#---- one call after another
import csv, inspect, io
def cs(r):
    f=io.StringIO(r) if isinstance(r,str) else r
    return list(csv.reader(f))
def wr(rows,**k):
    f=io.StringIO(); w=csv.writer(f,**k); w.writerows(rows); return f.getvalue()
def dw():
    f=io.StringIO(); w=csv.DictWriter(f,['a','b']); w.writeheader(); w.writerow({'a':1,'b':2}); w.writerow({'a':3}); return f.getvalue()
def dw2():
    csv.DictWriter(io.StringIO(),['a']).writerow({'z':1})

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
each(cs, ['a,b\n1,"2,3"\n'], ['a,"b ""q""",c'], ['a\r\nb\r\n'], ['"a\nb",c'])
t(lambda: list(csv.reader(['a|b'],delimiter='|')))
t(lambda: list(csv.reader(['a b'],delimiter=' ')))
t(lambda: list(csv.reader(["'a,b',c"],quotechar="'")))
t(lambda: list(csv.reader(['a, b'],skipinitialspace=True)))
t(lambda: list(csv.reader(['1,"2"'],quoting=csv.QUOTE_NONNUMERIC)))
t(lambda: list(csv.reader(['a\\,b'],escapechar='\\',quoting=csv.QUOTE_NONE)))
t(lambda: wr([[1,'a,b','c"d',None,1.5]]))
t(lambda: wr([['a','b']],quoting=csv.QUOTE_ALL))
t(lambda: wr([['a',1]],quoting=csv.QUOTE_NONNUMERIC))
t(lambda: wr([['a,b']],quoting=csv.QUOTE_NONE,escapechar='\\'))
t(lambda: wr([['a']],lineterminator='\n'))
each(wr, [[['a\nb']]], [[[]]], [[['']]])
t(lambda: wr([['a','b']],delimiter=';'))
t(lambda: list(csv.DictReader(['a,b','1,2','3'])))
t(lambda: list(csv.DictReader(['1,2,3'],fieldnames=['x','y'])))
t(lambda: csv.list_dialects())
t(lambda: csv.get_dialect('excel').delimiter)
t(lambda: wr([['a"b']],doublequote=False,escapechar='\\'))
t(lambda: wr([['a,b']],quoting=csv.QUOTE_NONE))
t(lambda: wr([5]))
t(lambda: csv.reader(5))
t(lambda: list(csv.reader(['"a'],strict=True)))
t(lambda: list(csv.reader(['"a"b'],strict=True)))
t(lambda: csv.get_dialect('foo'))
t(lambda: csv.reader([],delimiter='ab'))
t(lambda: csv.reader([],foo=1))
t(lambda: csv.writer(5))
t(lambda: dw())
t(lambda: dw2())
t(lambda: inspect.ismodule(io))
