"""Random calls of library modules: rows of templates, whose <kind> becomes one of CHOICES or an expression of expressions.py."""
import re

import statements
from expressions import TYPES, Expressions

IMPORTS = """import array, base64, bisect, binascii, cmath, collections, copy, csv, dataclasses, datetime, decimal, enum, fractions, functools, hashlib
import heapq, io, itertools, json, math, operator, pprint, random, re, reprlib, statistics, string, struct, textwrap, types, zlib
"""

TEMPLATES = {
    "math": """math.comb(<int>, <small>) ;; math.perm(<small>, <small>) ;; math.gcd(<int>, <int>, <int>) ;; math.lcm(<int>, <int>) ;; math.isqrt(<int>)
        math.factorial(<small>) ;; math.floor(<float>) ;; math.ceil(<float>) ;; math.trunc(<number>) ;; math.fsum(<floats>) ;; math.prod(<ints>, start=<number>)
        math.frexp(<float>) ;; math.ldexp(<float>, <small>) ;; math.modf(<float>) ;; math.copysign(<float>, <number>) ;; math.nextafter(<float>, <float>)
        math.isclose(<number>, <number>, rel_tol=<float>) ;; math.fmod(<number>, <number>) ;; math.remainder(<float>, <float>) ;; math.hypot(*<floats>)
        math.dist(<floats>, <floats>) ;; math.sqrt(<number>) ;; math.log(<number>, <number>) ;; math.log2(<int>) ;; math.atan2(<float>, <float>) ;; math.ulp(<float>)
        cmath.sqrt(<complex>) ;; cmath.phase(<complex>) ;; cmath.polar(<complex>) ;; cmath.rect(<float>, <small>) ;; cmath.isclose(<complex>, <complex>)""",
    "text": """textwrap.wrap(<text>, <width>) ;; textwrap.fill(<text>, <width>, initial_indent=<word>) ;; textwrap.dedent(<text>) ;; textwrap.indent(<text>, <word>)
        textwrap.shorten(<text>, <width>, placeholder=<word>) ;; string.capwords(<text>) ;; string.Template(<template>).safe_substitute(a=<any>)
        string.Template(<template>).substitute(<dict>) ;; string.Formatter().vformat(<template>, <tuple>, <dict>) ;; list(string.Formatter().parse(<template>))
        <text>.translate(str.maketrans(<word>, <word>)) ;; <text>.translate({97: <any>, 98: None}) ;; <text>.split(<word>, <small>) ;; <text>.rsplit(<word>)
        <text>.replace(<word>, <word>, <small>) ;; <text>.find(<word>, <small>, <small>) ;; <text>.rindex(<word>) ;; <text>.count(<word>, <small>)
        <text>.encode(<codec>, <errors>) ;; <bytes>.decode(<codec>, <errors>) ;; <text>.splitlines(True) ;; <word>.join(<words>) ;; <text>.startswith(<word>, <small>)
        <template>.format(*list(<tuple>), a=<any>) ;; <template>.format_map(<dict>) ;; <template> % <tuple> ;; <template> % <dict> ;; <text>.center(<width>, <word>)
        reprlib.repr(<any>) ;; pprint.pformat(<any>, width=<width>) ;; pprint.pformat(<any>, indent=<small>, width=<width>, compact=True) ;; ascii(<text>)""",
    "re": """re.findall(<pattern>, <text>) ;; re.split(<pattern>, <text>, maxsplit=<small>) ;; re.sub(<pattern>, <template>, <text>) ;; re.subn(<pattern>, r'[\\g<0>]', <text>, <small>)
        [(m.span(), m.groups()) for m in re.finditer(<pattern>, <text>)] ;; re.fullmatch(<pattern>, <text>).groupdict() ;; re.escape(<text>)
        (lambda m: m and (m.group(), m.lastindex, m.regs))(re.search(<pattern>, <text>, <flags>)) ;; re.compile(<pattern>, <flags>).pattern
        re.match(<pattern>, <text>).expand(<template>) ;; re.sub(<pattern>, lambda m: m[0].upper(), <text>) ;; re.compile(<pattern>).match(<text>, <small>)
        re.compile(<pattern>).groupindex ;; re.findall(b"[a-c]+", <bytes>)""",
    "iterate": """list(itertools.accumulate(<ints>, operator.<operator>, initial=<int>)) ;; list(itertools.combinations(<text>[:5], <small>))
        list(itertools.permutations(<list>[:3], <small>)) ;; list(itertools.product(<list>[:3], repeat=<two>)) ;; list(itertools.zip_longest(<list>, <text>, fillvalue=<any>))
        [(k, list(g)) for k, g in itertools.groupby(<list>, key=<key>)] ;; list(itertools.islice(<list>, <small>, <small>, <small>)) ;; list(itertools.compress(<text>, <ints>))
        list(itertools.takewhile(bool, <list>)) ;; list(itertools.dropwhile(<key>, <list>)) ;; list(itertools.starmap(operator.<operator>, zip(<ints>, <floats>)))
        list(itertools.islice(itertools.cycle(<list>), 7)) ;; list(itertools.islice(itertools.count(<number>, <number>), 4)) ;; list(itertools.pairwise(<list>))
        list(itertools.chain.from_iterable(<list>)) ;; [list(t) for t in itertools.tee(<list>, <two>)] ;; list(itertools.combinations_with_replacement(<list>[:4], 2))
        functools.reduce(operator.<operator>, <list>) ;; functools.reduce(operator.<operator>, <ints>, <number>) ;; sorted(<list>, key=functools.cmp_to_key(lambda a, b: (str(a) > str(b)) - (str(a) < str(b))))
        functools.partial(<callable>, <any>)(<any>) ;; heapq.nlargest(<small>, <list>) ;; heapq.nsmallest(<small>, <ints>, key=<key>) ;; list(heapq.merge(<ints>, <ints>, key=<key>))
        (lambda h: (heapq.heapify(h), heapq.heappushpop(h, <any>), h))(<list>) ;; bisect.bisect_left(sorted(<ints>), <number>, <small>) ;; (lambda l: (bisect.insort(l, <number>), l))(sorted(<ints>))
        operator.itemgetter(<small>, <two>)(<list>) ;; operator.attrgetter('real', 'imag')(<number>) ;; operator.methodcaller(<word>, <any>)(<any>) ;; operator.<operator>(<any>, <any>)
        max(<list>, key=<key>, default=<any>) ;; min(<ints>, <list>, key=<key>) ;; sum(<list>, <any>) ;; list(zip(<list>, <text>, strict=True)) ;; list(map(<callable>, <list>))
        dict(enumerate(<text>, <small>)) ;; list(reversed(<text>)) ;; sorted(<list>, key=<key>, reverse=<bool>) ;; next(iter(<list>), <any>) ;; list(iter(<list>.pop, <any>))[:5]""",
    "collections": """collections.Counter(<text>).most_common(<small>) ;; collections.Counter(<list>) - collections.Counter(<list>) ;; collections.Counter(<text>) & collections.Counter(<word>)
        list(collections.Counter(a=<small>, b=<small>).elements()) ;; collections.Counter(<text>).total() ;; collections.Counter(<dict>) ;; (lambda c: (c.update(<text>), c.subtract(<word>), c))(collections.Counter(<word>))
        collections.OrderedDict(<dict>) ;; (lambda d: (d.move_to_end(<word>), d))(collections.OrderedDict(<dict>)) ;; collections.OrderedDict(<dict>) == collections.OrderedDict(<dict>)
        (lambda d: (d[<any>].append(<any>), d))(collections.defaultdict(list, <dict>)) ;; collections.ChainMap(<dict>, <dict>)[<any>] ;; dict(collections.ChainMap(<dict>, <dict>))
        (lambda d: (d.rotate(<small>), d.appendleft(<any>), d.maxlen, d))(collections.deque(<list>, <width>)) ;; collections.deque(<text>).index(<word>)
        (lambda d: (d.extendleft(<text>), d.insert(<small>, <any>), d))(collections.deque(<list>)) ;; (lambda d: (d.remove(<any>), d))(collections.deque(<list>)) ;; collections.deque(<list>) < collections.deque(<list>)
        collections.namedtuple('P', <words>, rename=True)(*<tuple>) ;; collections.namedtuple('P', 'a b', defaults=<tuple>)(<any>) ;; collections.namedtuple('P', <words>)._fields
        collections.UserList(<list>) + <list> ;; collections.UserString(<text>) * <small> ;; (lambda d: (d.update(<dict>), d))(collections.UserDict(<dict>))
        (lambda d: (d.pop(<any>), d))(<dict>) ;; (lambda d: (d.popitem(), d))(<dict>) ;; <dict>.keys() & <list> ;; <dict>.items() - <list> ;; <dict>.keys() | <set> ;; <dict> | <dict> ;; dict(<list>)
        <set>.symmetric_difference(<list>) ;; <set>.issubset(<list>) ;; <set> <= <set> ;; (lambda s: (s.add(<any>), s.discard(<any>), sorted(s, key=repr)))(<set>) ;; (lambda s: (s.intersection_update(<list>), sorted(s, key=repr)))(<set>)
        types.SimpleNamespace(a=<any>, b=<any>) ;; types.MappingProxyType(<dict>) ;; copy.deepcopy(<any>) ;; copy.copy(<any>) ;; dataclasses.make_dataclass('D', [('x', int), ('y', int, <number>)])(<any>)
        dataclasses.asdict(dataclasses.make_dataclass('D', ['x', 'y'])(<any>, <any>)) ;; dataclasses.make_dataclass('D', ['x'], order=True)(<any>) < dataclasses.make_dataclass('D', ['x'], order=True)(<any>)
        enum.Enum('E', <words>).__members__ ;; list(enum.IntFlag('F', 'A B C')(<small>)) ;; repr(enum.Flag('F', 'A B C')(<small>)) ;; enum.Enum('E', <dict>)""",
    "bytes": """struct.pack(<layout>, <int>, <int>) ;; struct.unpack(<layout>, <bytes>) ;; struct.calcsize(<layout>) ;; list(struct.iter_unpack(<layout>, <bytes>)) ;; struct.pack(<layout>, <any>, <number>)
        int.from_bytes(<bytes>, <endian>, signed=<bool>) ;; <int>.to_bytes(<small>, <endian>, signed=<bool>) ;; bytes.fromhex(<text>) ;; <bytes>.hex(<word>, <small>) ;; bytearray(<bytes>) * <small>
        (lambda b: (b.extend(<ints>), b.insert(<small>, <small>), b))(bytearray(<bytes>)) ;; bytearray(<any>) ;; bytes(<any>) ;; <bytes>.translate(None, <bytes>) ;; <bytes>.split(<bytes>, <small>)
        <bytes>.replace(<bytes>, <bytes>, <small>) ;; <bytes>.find(<any>) ;; <bytes>.join([<bytes>, <bytes>]) ;; <bytes>.rpartition(<bytes>) ;; <bytes>.strip(<bytes>) ;; <bytes> % <tuple> ;; b'%d|%s|%x' % (<any>, <bytes>, <int>)
        memoryview(<bytes>)[<small>:<small>].tolist() ;; memoryview(<bytes>).cast(<letter>).tolist() ;; bytes(memoryview(<bytes>)[::-1]) ;; memoryview(bytearray(<bytes>)) == <bytes>
        array.array(<letter>, <ints>) ;; array.array(<letter>, <bytes>) ;; (lambda a: (a.append(<number>), a.reverse(), a, a.itemsize))(array.array(<letter>, <ints>)) ;; array.array(<letter>, <floats>).tobytes()
        base64.b64encode(<bytes>, <altchars>) ;; base64.b64decode(<text>) ;; base64.b32encode(<bytes>) ;; base64.b85encode(<bytes>, pad=<bool>) ;; base64.a85encode(<bytes>, wrapcol=<small>) ;; base64.b16decode(<text>, casefold=<bool>)
        binascii.crc32(<bytes>, <small>) ;; binascii.unhexlify(<text>) ;; binascii.hexlify(<bytes>, '-', <small>) ;; binascii.b2a_qp(<bytes>) ;; zlib.crc32(<bytes>) ;; zlib.adler32(<bytes>, <small>) ;; zlib.decompress(zlib.compress(<bytes>))
        zlib.decompress(<bytes>) ;; hashlib.sha256(<bytes>).hexdigest() ;; hashlib.new('md5', <bytes>).digest() ;; hashlib.blake2s(<bytes>, digest_size=<small>).hexdigest() ;; hashlib.shake_128(<bytes>).hexdigest(<width>)
        (lambda f: (f.read(<small>), f.seek(<small>), f.readline(), f.tell(), f.getvalue()))(io.BytesIO(<bytes>)) ;; (lambda f: (f.write(<text>), f.truncate(<small>), f.getvalue()))(io.StringIO(<text>)) ;; list(io.StringIO(<text>, newline=<newline>))""",
    "data": """json.dumps(<any>) ;; json.dumps(<any>, indent=<small>, sort_keys=<bool>) ;; json.dumps(<any>, ensure_ascii=False, separators=(<word>, <word>)) ;; json.loads(json.dumps(<any>)) ;; json.loads(<document>)
        json.dumps(<any>, default=repr, skipkeys=True) ;; json.loads(<document>, parse_float=str, object_pairs_hook=list) ;; json.dumps(<floats>, allow_nan=<bool>)
        list(csv.reader(io.StringIO(<rows>, newline=''))) ;; list(csv.reader(io.StringIO(<rows>, newline=''), delimiter=';', quotechar="'")) ;; list(csv.DictReader(io.StringIO(<rows>)))
        (lambda f: (csv.writer(f, quoting=<small>).writerow(<list>), f.getvalue()))(io.StringIO()) ;; list(csv.reader(io.StringIO(<rows>), skipinitialspace=True, escapechar='a'))
        statistics.mean(<ints>) ;; statistics.median(<ints>) ;; statistics.mode(<list>) ;; statistics.multimode(<text>) ;; statistics.stdev(<ints>) ;; statistics.pvariance(<floats>) ;; statistics.quantiles(<ints>, n=<small>)
        statistics.fmean(<floats>) ;; statistics.harmonic_mean(<ints>) ;; statistics.geometric_mean(<ints>) ;; statistics.correlation(<ints>, <ints>) ;; statistics.linear_regression(<ints>, <ints>) ;; statistics.median_grouped(<ints>)
        random.Random(<small>).sample(range(20), <small>) ;; random.Random(<small>).choices(<text>, k=<small>) ;; random.Random(<word>).randrange(<int>) ;; random.Random(<small>).uniform(<float>, <float>) ;; (lambda l: (random.Random(<small>).shuffle(l), l))(<list>)
        random.Random(<small>).gauss(<number>, 1) ;; random.Random(<small>).getrandbits(<width>) ;; random.Random(<bytes>).random() ;; random.Random(<small>).triangular(<number>, <number>)""",
    "exact": """decimal.Decimal(<numeral>) <arithmetic> decimal.Decimal(<numeral>) ;; decimal.Decimal(<numeral>).quantize(decimal.Decimal(<quantum>), rounding=<rounding>) ;; decimal.Decimal(<numeral>).sqrt() ;; decimal.Decimal(<float>)
        decimal.Decimal(<numeral>).as_tuple() ;; format(decimal.Decimal(<numeral>), <decimalspec>) ;; decimal.Decimal(<numeral>).normalize() ;; round(decimal.Decimal(<numeral>), <small>) ;; divmod(decimal.Decimal(<numeral>), decimal.Decimal('7'))
        decimal.Decimal(<numeral>).compare(decimal.Decimal(<numeral>)) ;; hash(decimal.Decimal(<numeral>)) ;; int(decimal.Decimal(<numeral>)) ;; decimal.Decimal(<numeral>).to_eng_string() ;; decimal.Decimal(<numeral>) == <number> ;; decimal.Decimal(<numeral>) < <float>
        decimal.Context(prec=<width>).divide(decimal.Decimal(<numeral>), decimal.Decimal(<numeral>)) ;; decimal.Decimal(<numeral>).ln() ;; decimal.Decimal(<numeral>).exp() ;; decimal.Decimal(<numeral>) ** <small> ;; decimal.Decimal(<numeral>).next_plus()
        fractions.Fraction(<int>, <int>) <arithmetic> fractions.Fraction(<numeral>) ;; fractions.Fraction(<float>).limit_denominator(<width>) ;; fractions.Fraction(<numeral>) <arithmetic> <number> ;; round(fractions.Fraction(<int>, 7), <small>) ;; hash(fractions.Fraction(<numeral>))
        fractions.Fraction(<numeral>) ** <small> ;; float(fractions.Fraction(<int>, <int>)) ;; divmod(fractions.Fraction(<int>, 3), <number>) ;; fractions.Fraction(<numeral>) < <number> ;; fractions.Fraction(<word>)""",
    "time": """datetime.date(<year>, <month>, <day>) + datetime.timedelta(<number>) ;; datetime.timedelta(<number>, <number>, <number>) ;; datetime.timedelta(hours=<number>) <arithmetic> <number> ;; datetime.timedelta(<number>) <arithmetic> datetime.timedelta(seconds=<number>)
        datetime.datetime(<year>, <month>, <day>, <small>, <small>).isoformat(<word>) ;; datetime.datetime(<year>, <month>, <day>).strftime(<dateformat>) ;; datetime.datetime.strptime(<stamp>, <dateformat>) ;; datetime.datetime.fromisoformat(<stamp>)
        datetime.date(<year>, <month>, <day>).isocalendar() ;; datetime.date.fromisoformat(<stamp>) ;; datetime.datetime.fromtimestamp(<width>, datetime.timezone.utc) ;; datetime.datetime(<year>, <month>, <day>, tzinfo=datetime.timezone(datetime.timedelta(hours=<small>))).astimezone(datetime.timezone.utc)
        datetime.datetime(<year>, <month>, <day>) - datetime.datetime(<year>, <month>, <day>, <small>) ;; datetime.date(<year>, <month>, <day>).replace(month=<month>) ;; datetime.timezone(datetime.timedelta(minutes=<small>), <word>) ;; datetime.time(<small>, <small>).isoformat('minutes')
        datetime.date.fromisocalendar(<year>, <width>, <small>) ;; datetime.datetime(<year>, <month>, <day>).timetuple()[:8] ;; datetime.date(<year>, <month>, <day>) < datetime.date(<year>, <month>, <day>) ;; repr(datetime.datetime(<year>, <month>, <day>, <small>, tzinfo=datetime.timezone.utc))
        datetime.time.fromisoformat(<stamp>) ;; datetime.timedelta(<number>).total_seconds() ;; str(datetime.timedelta(seconds=<number>)) ;; datetime.date.fromordinal(<width>) ;; datetime.datetime.combine(datetime.date(<year>, <month>, <day>), datetime.time(<small>))""",
    "number": """int(<text>, <width>) ;; int(<any>) ;; float(<any>) ;; complex(<any>) ;; complex(<number>, <number>) ;; round(<number>, <small>) ;; divmod(<number>, <number>) ;; pow(<int>, <small>, <int>) ;; pow(<number>, <number>) ;; format(<number>, <spec>)
        f'{<number>:{<spec>}}' ;; float.fromhex(<word>) ;; <number>.__format__(<spec>) ;; float(<numeral>).hex() ;; float(<numeral>).as_integer_ratio() ;; int(<float>) ;; <int> // <number> ;; <int> % <float> ;; <int> ** <small> ;; hash(<number>) ;; str(<number>) ;; repr(float(<numeral>))
        '%*d' % (<small>, <int>) ;; '%.*f' % (<small>, <number>) ;; <percent> % (<number>,) ;; bin(<int>) ;; oct(<int>) ;; chr(<small>) ;; <any> == <any> ;; <any> < <any> ;; isinstance(<any>, (int, str)) ;; bool(<any>) ;; <number> <arithmetic> <number> ;; (<int>).bit_length()
        range(<small>, <small>, <small>)[<small>] ;; range(<int>, <int>, <small>).index(<int>) ;; <int> in range(<small>, <int>, <small>) ;; len(range(<int>, <int>, <small>)) ;; range(<small>, <small>, <small>)[::<small>] ;; slice(<small>, <small>, <small>).indices(<width>)""",
}

CHOICES = {
    "small": "0 1 2 3 5 -1 -2 7 12".split(), "two": ["1", "2"], "width": "1 5 8 10 16 20 36 50".split(), "bool": ["True", "False"],
    "word": ["''", "'a'", "'b'", "','", "'ab'", "'-'", "'real'", "'count'", "' '", "'0x1.8p3'", "'1/3'", "'é'", "'x y'"],
    "words": ["'a b c'", "'a,b'", "['x', 'y', 'x']", "['def', 'ok']", "('one',)", "'a _b'"],
    "text": ["'The quick brown fox, jumps over the lazy dog.'", "'a1b22c333'", "'aaa bbb\\n  ccc\\tddd\\r\\n'", "'12'", "'Zm9vYg=='", "'00ff10'", "'été naïve Straße'", "'x=1;y=2;;'", "'one-two_three four-five'", "''", "'(a(b)c)'", "' \\u2003中文\\U0001f600 '", "'AbC dEf'"],
    "template": ["'$a and ${b} $$'", "'{0} {a!r:>5} {1.real}'", "'{}{}'", "'%s %r'", "'%(a)s-%(b)05d'", "r'<\\1>'", "'{0[0]}'", "'{a[k]} {{}}'", "'%5.1f|%-4d|%+x'", "'$'", "'{'", "'{:{}}'", "r'\\g<n>\\n'", "'$a$'"],
    "pattern": ["r'\\d+'", "r'(\\w)(\\w)?'", "r'(?P<n>[a-c]+)(\\d*)'", "r'\\b'", "r'a*'", "r'(a|b)*?c'", "r'[^\\s,]+'", "r'(?i)the|FOX'", "r'(?<=a)b'", "r'(?:x|y)=(\\d)'", "r'^.*$'", "r'(\\w+)\\W+(\\1)?'", "r'(?m)^\\s*'", "r'[-_ ]'", "r'('", "r'a{2,}|b{,2}'", "r'\\Z'", "r'(?s).+?(?=o|$)'", "r'(?P<n>.)(?(n)b|c)'", "'é|ß'", "r'(?x) a  b # c'"],
    "flags": ["0", "re.I", "re.M | re.S", "re.A", "re.X"], "codec": ["'utf-8'", "'ascii'", "'latin-1'", "'utf-16'", "'utf-16-le'", "'utf-32-be'", "'cp1252'", "'utf-8-sig'", "'unicode_escape'"],
    "errors": ["'strict'", "'ignore'", "'replace'", "'backslashreplace'", "'xmlcharrefreplace'", "'surrogateescape'"],
    "operator": "add sub mul truediv floordiv mod and_ or_ xor concat lt eq contains getitem pow lshift".split(), "arithmetic": ["+", "-", "*", "/", "//", "%"],
    "key": ["str", "repr", "abs", "len", "lambda x: -x", "bool", "type", "None"], "callable": ["int", "str", "len", "repr", "list", "dict", "divmod", "max", "isinstance", "round", "bytes", "sorted", "'{}'.format", "math.sqrt"],
    "layout": ["'<ih'", "'>2s3x'", "'=Qd'", "'!bB?'", "'5p'", "'<e'", "'@lh'", "'<2H'", "'4s'", "'x'", "'>q'", "'<f'", "'z'", "''", "'<HH'"], "endian": ["'big'", "'little'"], "letter": list(map(repr, "bBhHiIlLqQfdu")),
    "altchars": ["None", "b'-_'", "b'+'"], "newline": ["None", "''", "'\\n'", "'\\r\\n'"],
    "document": ["'[1, 2.50, -0, 1e5, \"a\\\\u00e9\\\\n\"]'", "'{\"a\": {\"b\": [null, true]}, \"a\": 2}'", "'[1,]'", "'{\"a\" 1}'", "'nul'", "'\"\\t\"'", "' 1 2'", "''", "'[NaN, -Infinity]'", "'{\"x\": 1e999, \"y\": 123456789012345678901234567890}'", "'\"\\\\ud83d\\\\ude00 \\\\ud83d\"'", "'[01]'", "'{1: 2}'", "b'[1]'"],
    "rows": ["'a,b\\n1,\"x,\"\"y\"\"\"\\n'", "\"a;b\\r\\n'1;2';3\\r\\n\"", "'a, b,c\\n\\n1,2\\n'", "'\"a\\nb\",c'", "'a,b\\rc'", "'x\"y,\"z\"w\\n'", "''"],
    "numeral": ["'1.10'", "'-0'", "'3'", "'1e3'", "'-2.5'", "'0.1'", "'123456789.987654321'", "'1E-7'", "'7'", "'10'", "'99999999999999999999999999999'", "'0.000012'", "'-12.345e+10'", "'1_000'", "' 4 '"],
    "quantum": ["'0.01'", "'1'", "'1e1'", "'0.000'"], "rounding": [f"decimal.ROUND_{how}" for how in "HALF_EVEN HALF_UP DOWN UP FLOOR CEILING HALF_DOWN 05UP".split()], "decimalspec": ["'.2f'", "',.1f'", "'e'", "'.3e'", "'g'", "'010.2f'", "'+'", "'%'", "'>12'", "'.0f'", "'n'", "''"],
    "year": "1 1970 1999 2000 2023 2024 9999 0".split(), "month": "1 2 6 12 13".split(), "day": "1 15 28 29 31".split(),
    "dateformat": ["'%Y-%m-%d'", "'%d/%m/%y %H:%M'", "'%a %A %b %B %j %U %W %w %%'", "'%I:%M:%S %p'", "'%Y-%m-%dT%H:%M:%S.%f%z'", "'%G-W%V-%u'", "'%c'", "'%x %X'", "'%Y%m%d'", "'%H%M%'", "'%d %b %Y'"],
    "stamp": ["'2024-02-29'", "'2023-02-29'", "'2024-02-29T12:30:45.123456+02:00'", "'20240229T123045Z'", "'12:30'", "'2024-W09-4'", "'29/02/24 23:59'", "'01 Mar 2021'", "'11:05:09 PM'", "'2024-02-29 12'", "'T12:30:01,5'", "'24:00'", "'2024-13-01'", "''"],
    "spec": ["''", "'d'", "'.3f'", "',.2f'", "'>+10.1e'", "'#x'", "'_b'", "'010'", "'%'", "'g'", "'.15g'", "'=+8'", "'*^9d'", "'c'", "'s'", "'n'", "'.0e'", "'#.0f'", "'z.1f'", "'<08.3'", "'#o'", "',x'"],
    "percent": ["'%d'", "'%i'", "'%5.2f'", "'%x'", "'%#o'", "'%+d'", "'%e'", "'%G'", "'%c'", "'%r'", "'%-8d|'", "'%08.3f'", "'% d'", "'%.3d'", "'%s'", "'%%'", "'%y'"],
    "ints": ["[3, 1, 2]", "[]", "[5]", "[-1, 4, 4, 0, 10**20]", "range(4)", "(7, 7, 2)", "[1, 2, 3, 4, 100]", "[True, 2]"], "floats": ["[0.1] * 3", "[1.5, -2.25]", "[]", "[1e100, 1.0, -1e100]", "[float('inf'), 1.0]", "(3.0, 4.0)", "[float('nan'), 2.0]"],
}


def call(expressions):
    """One random call, printed or what it raises."""
    random = expressions.random
    rows = random.choice(sorted(TEMPLATES.items()))[1].splitlines()
    template = random.choice([row.strip() for line in rows for row in line.split(" ;; ")])

    def fill(match):
        kind = match[1]
        if kind in CHOICES:
            return random.choice(CHOICES[kind])
        kind = {"any": random.choice(TYPES), "number": random.choice(["int", "float", "bool"])}.get(kind, kind)
        return f"({expressions.of(kind, 1)})"

    return f"guard(lambda: {re.sub('<([a-z]+)>', fill, template)})"


def text(random, calls):
    expressions = Expressions(random)
    lines = [IMPORTS + statements.HEAD]
    while len(lines) <= calls:
        line = call(expressions)
        if statements.parses([line]):
            lines.append(line)
    return "\n".join(lines) + "\n"
