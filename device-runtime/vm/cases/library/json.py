#---- decode errors
import json
def t(f):
    try: print(ascii(f()))
    except Exception as e: print(type(e).__name__, e)
for s in ['','[','[1','[1,','[1,]','{','{"a"','{"a":','{"a":1','{"a":1,','{"a":1,}','{,}','{1:2}','"','"\\','"\\u12','"\\q"','"\\ud800"','"\\ud800\\u0041"','"\\ud834\\udd20"','"\n"','nul','-','01','1.','1e','[1 2]','{"a" 1}','1 2','\ufeff1','NaN','-Infinity','Infinity','+1',' 1 ','"é" x','{"a":1 "b":2}','[1,\n2 3]','Infinit','tru', '"\\u00"', '"\\ud83d\\u"', '[,1]','{"a":,}','[1,,2]','\t{ "a" : [ ] , "b" : { } }\r\n','1e5','-0','-0.0','1E-2','123456789012345678901234567890','1.5e400','true','false','null','"\\/\\b\\f\\n\\r\\t\\"\\\\"','[true, false, null, 1, 2.5, "x", [], {}]','{"a": 1, "a": 2}']:
    print(ascii(s), end=' '); t(lambda: json.loads(s))
for x in [1, None, [1], b'\xff', bytearray(b'[1]'), b'{"a": "\xc3\xa9"}', '[1]'.encode('utf-16'), '[1]'.encode('utf-32-be'), b'\xef\xbb\xbf1']:
    t(lambda: json.loads(x))
try: json.loads('{"a":\n  tru}')
except json.JSONDecodeError as e: print(e.msg, repr(e.doc), e.pos, e.lineno, e.colno, isinstance(e, ValueError), repr(e), e.args)
#---- hooks
import json
print(json.loads('{"a": 1, "b": {"c": 2.5}}', object_hook=lambda d: sorted(d.items(), key=str)))
print(json.loads('{"a": 1, "b": {"c": 2}}', object_pairs_hook=lambda p: ('P', p)))
print(json.loads('[1, 2.5, NaN, -Infinity, 1e3]', parse_float=lambda s: 'f' + s, parse_int=lambda s: 'i' + s, parse_constant=lambda s: 'c' + s))
print(json.loads('"a\tb"', strict=False), json.JSONDecoder(strict=False).decode('"\x01"') == '\x01')
d = json.JSONDecoder()
print(d.raw_decode('[1] x'), d.raw_decode('x [2]', 2), d.decode('  3 '), d.raw_decode('é"é"x', 1))
for f in [lambda: d.raw_decode(' 1'), lambda: d.raw_decode('1', 5), lambda: d.decode('1 1'), lambda: d.raw_decode('1', -1)]:
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class D(json.JSONDecoder):
    def __init__(self, **kw): super().__init__(object_hook=self.hook, **kw)
    def hook(self, o): return ('H', o)
print(json.loads('{"x": {}}', cls=D))
#---- encode
import json
print(json.dumps([1, 2.5, None, True, False, 'é"\\\n\t\x00\x7f\u2028\U0001f600\ud800/', (), [], {}, (1,), {'a': [1]}, -0.0, 1e22, 10**25, float('inf'), float('nan')]))
print(json.dumps({'a': 1, 2: 'b', 2.5: 0, None: 1, True: 2, False: 3, 1e100: 4}))
print(json.dumps({'b': 1, 'a': [1, {'z': 0, 'y': 1}]}, sort_keys=True), json.dumps({2: 1, 10: 2, 1: 3}, sort_keys=True))
print(json.dumps([1, {'a': 2, 'b': []}, [], {}], indent=2)); print(json.dumps([1, [2]], indent='\t')); print(json.dumps({'a': (1,)}, indent=0)); print(json.dumps([[]], indent=-1))
print(json.dumps({'a': 1, 'b': [1, 2]}, separators=(',', ':')), json.dumps({'a': [1]}, indent=1, separators=(';', '=')))
print(json.dumps('é\U0001f600', ensure_ascii=False), json.dumps('日', ensure_ascii=False), json.dumps({'é': 1}, ensure_ascii=False))
print(json.dumps({(1, 2): 3, 'a': 1}, skipkeys=True), json.dumps({(1,): 3}, skipkeys=True), json.dumps({(1,): 3, 'b': 1, (2,): 1}, skipkeys=True, indent=1))
for f in [lambda: json.dumps({(1,): 2}), lambda: json.dumps(object()), lambda: json.dumps({1, 2}), lambda: json.dumps(b'x'), lambda: json.dumps(float('nan'), allow_nan=False), lambda: json.dumps({'a': 1, 2: 3}, sort_keys=True), lambda: json.dumps(1j), lambda: json.dumps([1], 2), lambda: json.dumps(1, foo=2)]:
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
l = []; l.append(l)
d = {}; d['x'] = [d]
for x in (l, d):
    try: json.dumps(x)
    except ValueError as e: print(e)
try: json.dumps(l, check_circular=False)
except RecursionError: print('RecursionError')
for s in ('[' * 100000, '{"a":' * 100000):
    try: json.loads(s)
    except RecursionError: print('RecursionError')
deep = []
for i in range(5000): deep = [deep]
try: json.dumps(deep)
except RecursionError: print('RecursionError')
#---- classes
import json
class C:
    def __init__(self, v): self.v = v
class E(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, C): return {'C': o.v}
        return super().default(o)
print(json.dumps([C(1), {'k': C([C(2)])}], cls=E), E(indent=1).encode([C(1)]), json.dumps(C(3), default=lambda o: o.v), json.dumps([C(3)], default=vars) if False else '')
for f in [lambda: json.dumps(1j, cls=E), lambda: json.dumps(C(1), default=lambda o: o), lambda: json.dumps(C(1), default=lambda o: 1 / 0)]:
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
print(list(json.JSONEncoder().iterencode([1, {'a': 2, 'b': 'x'}, []])), list(json.JSONEncoder(indent=1).iterencode({'a': [1, 2]})))
class S(str): pass
class I(int):
    def __repr__(self): return 'I!'
class F(float):
    def __repr__(self): return 'F!'
class L(list): pass
class M(dict): pass
print(json.dumps([S('x'), I(5), F(2.5), L([1]), M(a=1)]), json.dumps({S('k'): 1, I(2): 2, F(1.5): 3}))
class W:
    def __init__(self): self.t = []
    def write(self, s): self.t.append(s)
    def read(self): return ''.join(self.t)
w = W(); json.dump({'a': [1, 2], 'b': None}, w); print(w.t, json.load(w))
print(json.loads(json.dumps({'k': ['\u2028', 1.1, 1e-7, -5]})), json.JSONEncoder.__module__, json.decoder.JSONDecodeError is json.JSONDecodeError)
#---- one call after another
import json, io, collections, enum, math
from decimal import Decimal as D
class P:
    def __init__(s,x): s.x=x
def enc(o):
    if isinstance(o,P): return {'p':o.x}
    raise TypeError('no '+type(o).__name__)
class E(json.JSONEncoder):
    def default(self,o):
        if isinstance(o,(set,frozenset)): return sorted(o)
        if isinstance(o,P): return [o.x]
        return super().default(o)
class IE(enum.IntEnum):
    A=1
class SE(str,enum.Enum):
    B='b'
class F(float):
    def __repr__(s): return 'F!'
class I(int):
    def __repr__(s): return 'I!'
    def __str__(s): return 'S!'
class S(str): pass
class L(list): pass
class T(tuple): pass
class Dd(dict): pass
NT=collections.namedtuple('NT','a b')
nan=float('nan'); inf=float('inf')
def err(f):
    try: return f()
    except json.JSONDecodeError as e: return (str(e), e.msg, e.doc, e.pos, e.lineno, e.colno)
a=[]; a.append(a); d={}; d['x']=d
dec=json.JSONDecoder()
en=json.JSONEncoder()
f=io.StringIO()
json.dump({'a':[1,2,{'b':None}]},f,indent=1)
class W:
    def __init__(s): s.p=[]
    def write(s,x): s.p.append(x)
w=W(); json.dump([1,'a',{'b':2.5}],w)
w2=W(); json.dump({},w2); w3=W(); json.dump('q',w3,ensure_ascii=False)
class D2(dict):
    def items(self): return [('z',26)]
class E2(json.JSONEncoder):
    def iterencode(self,o,_one_shot=False):
        yield '<'; yield from super().iterencode(o,_one_shot); yield '>'
class E3(json.JSONEncoder):
    def encode(self,o): return 'ENC'+super().encode(o)
class De(json.JSONDecoder):
    def __init__(self,*a,**k):
        super().__init__(*a,object_hook=self.oh,**k)
    def oh(self,d): return {k.upper():v for k,v in d.items()}
    def decode(self,s): return ('D',super().decode(s))

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))


each(json.dumps, [None], [True], [1], [1.0], ['a'], [[]], [{}], [[1,[2,{'a':()}]]])
t(lambda: json.dumps({'b':1,'a':2},sort_keys=True))
t(lambda: json.dumps({'b':[],'a':{}},indent=2))
t(lambda: json.dumps({'b':[1,2],'a':{'c':None}},indent=2))
t(lambda: json.dumps([1,2],indent=0))
t(lambda: json.dumps([1,[2]],indent='\t'))
t(lambda: json.dumps([1,[2]],indent='--'))
t(lambda: json.dumps([1,[2]],indent=-1))
t(lambda: json.dumps([1,2],indent=None))
t(lambda: json.dumps([1,2],indent=True))
t(lambda: json.dumps({'a':1},separators=(',',':')))
t(lambda: json.dumps({'a':1,'b':2},separators=(' , ',' : '),indent=1))
t(lambda: json.dumps([1,2],separators=(',',)))
t(lambda: json.dumps([1,2],separators=5))
t(lambda: json.dumps('é\u2028\U0001F600'))
t(lambda: json.dumps('é\u2028\U0001F600',ensure_ascii=False))
t(lambda: json.dumps('\x00\x1f\x7f"\\/\b\f\n\r\t'))
t(lambda: json.dumps('\x00\x1f\x7f"\\/\b\f\n\r\t',ensure_ascii=False))
t(lambda: json.dumps('\ud800'))
t(lambda: json.dumps('\ud800',ensure_ascii=False))
t(lambda: json.dumps(nan))
t(lambda: json.dumps(inf))
t(lambda: json.dumps(-inf))
t(lambda: json.dumps(nan,allow_nan=False))
t(lambda: json.dumps([inf],allow_nan=False))
t(lambda: json.dumps([-inf],allow_nan=False))
each(json.dumps, [{1:2,1.5:3,None:4,True:5,'x':6}], [{False:1,nan:2,inf:3}], [{(1,2):3}])
t(lambda: json.dumps({(1,2):3,'a':1},skipkeys=True))
t(lambda: json.dumps({b'a':3}))
t(lambda: json.dumps({1:2,'a':3},sort_keys=True))
each(json.dumps, [b'a'], [{1,2}], [1j], [object])
t(lambda: json.dumps(P(1)))
t(lambda: json.dumps(P(1),default=enc))
t(lambda: json.dumps([P(1),{'a':P([P(2)])}],default=enc))
t(lambda: json.dumps({1,2},default=enc))
t(lambda: json.dumps({3,1},cls=E))
t(lambda: json.dumps([P(1),{'s':{2}}],cls=E,indent=1))
t(lambda: json.dumps(1j,cls=E))
t(lambda: json.dumps(1j,default=repr))
t(lambda: json.dumps(1j,default=lambda o:o))
t(lambda: json.dumps(IE.A))
t(lambda: json.dumps(SE.B))
t(lambda: json.dumps({IE.A:SE.B}))
t(lambda: json.dumps({SE.B:1}))
t(lambda: json.dumps(F(1.5)))
t(lambda: json.dumps(I(3)))
t(lambda: json.dumps({I(3):F(1.5)}))
t(lambda: json.dumps(S('x')))
t(lambda: json.dumps(L([1])))
t(lambda: json.dumps(T([1])))
t(lambda: json.dumps(Dd(a=1)))
t(lambda: json.dumps(NT(1,2)))
t(lambda: json.dumps(collections.OrderedDict([('z',1),('a',2)])))
t(lambda: json.dumps(collections.defaultdict(int,{'a':1})))
t(lambda: json.dumps(collections.Counter('aab')))
t(lambda: json.dumps(collections.deque([1])))
t(lambda: json.dumps(range(3)))
t(lambda: json.dumps(x for x in []))
t(lambda: json.dumps(D('1.1')))
each(json.dumps, [1e100], [1e16], [1e15], [0.1+0.2], [-0.0], [5e-324], [10**50], [1, 2], [])
t(lambda: json.dumps(1,foo=2))
t(lambda: json.dumps([1],check_circular=False))
t(lambda: json.dumps(a))
t(lambda: json.dumps(d))
t(lambda: json.dumps(d,check_circular=False))
each(json.loads, ['1'], ['-0'], ['1.0'], ['1e5'], ['-1.5E-3'], ['1E+2'], ['[1,2 , 3 ]'],
     [' { "a" : 1 , "b":[] } '], ['\t\n\r [ ] '], ['{}'], ['"\\u00e9\\ud83d\\ude00\\n\\/\\"\\\\"'],
     ['"\\ud800"'], ['"\\ud800\\u0041"'], ['"\\udc00\\ud800"'], ['NaN'], ['Infinity'],
     ['-Infinity'], ['[NaN,-Infinity]'], ['true'], ['false'], ['null'])
each(err, [lambda: json.loads('')], [lambda: json.loads(' ')], [lambda: json.loads('[')],
     [lambda: json.loads('[1')], [lambda: json.loads('[1,')], [lambda: json.loads('[1,]')],
     [lambda: json.loads('[1 2]')], [lambda: json.loads('[,]')], [lambda: json.loads('{')],
     [lambda: json.loads('{"a"')], [lambda: json.loads('{"a":')], [lambda: json.loads('{"a":1')],
     [lambda: json.loads('{"a":1,')], [lambda: json.loads('{"a":1,}')],
     [lambda: json.loads('{"a" 1}')], [lambda: json.loads('{a:1}')], [lambda: json.loads('{1:1}')],
     [lambda: json.loads('{"a":1 "b":2}')], [lambda: json.loads("'a'")],
     [lambda: json.loads('"a')], [lambda: json.loads('"a\nb"')], [lambda: json.loads('"\\x"')],
     [lambda: json.loads('"\\u12"')], [lambda: json.loads('"\\u12g4"')],
     [lambda: json.loads('"\\')], [lambda: json.loads('"\\u')], [lambda: json.loads('"\x00"')],
     [lambda: json.loads('01')], [lambda: json.loads('-')], [lambda: json.loads('+1')],
     [lambda: json.loads('1.')], [lambda: json.loads('.5')], [lambda: json.loads('1e')],
     [lambda: json.loads('0x10')], [lambda: json.loads('1 2')], [lambda: json.loads('[1]\n\n  x')],
     [lambda: json.loads('tru')], [lambda: json.loads('nul')], [lambda: json.loads('nan')],
     [lambda: json.loads('\ufeff1')], [lambda: json.loads('[\n1,\n"a":2]')],
     [lambda: json.loads('[1,\x0b2]')], [lambda: json.loads('\xa01')])
t(lambda: json.loads(b'[1,"\xc3\xa9"]'))
t(lambda: json.loads(bytearray(b'{}')))
t(lambda: json.loads('"é"'.encode('utf-16')))
t(lambda: json.loads('[1]'.encode('utf-32')))
t(lambda: json.loads('[1]'.encode('utf-16-le')))
t(lambda: json.loads('[1]'.encode('utf-32-be')))
t(lambda: json.loads(b'\xef\xbb\xbf1'))
t(lambda: json.loads(b'"\xff"'))
t(lambda: json.loads(memoryview(b'1')))
each(json.loads, [None], [1], [['a']])
t(lambda: json.loads('1',strict=False))
t(lambda: json.loads('"a\nb\x01"',strict=False))
t(lambda: json.loads('{"a":1,"a":2}'))
t(lambda: json.loads('{"a":1,"a":2}',object_pairs_hook=list))
t(lambda: json.loads('{"a":{"b":1}}',object_hook=lambda d: sorted(d.items())))
t(lambda: json.loads('{"a":{}}',object_hook=len,object_pairs_hook=tuple))
t(lambda: json.loads('[1.5,2,1e3,-0]',parse_float=D))
t(lambda: json.loads('[1.5,2,1e3,-0]',parse_int=float))
t(lambda: json.loads('[1.5,2,1e3,-0]',parse_int=str,parse_float=str))
t(lambda: json.loads('[NaN,Infinity,-Infinity,1]',parse_constant=lambda s:'<'+s+'>'))
t(lambda: json.loads('[1]',parse_int=lambda s:1/0))
t(lambda: json.loads('1'*5000))
t(lambda: json.loads('['*100000))
t(lambda: json.loads('['*50+']'*50))
each(json.loads, ['1.7976931348623159e309'], ['-1e999'], ['1e-999'])
t(lambda: json.loads('[1]',cls=json.JSONDecoder))
t(lambda: json.loads('[1]',foo=1))
t(lambda: json.loads('1','utf8'))
each(dec.raw_decode, ['[1] x'], ['  1', 2], ['"a"b'])
t(lambda: err(lambda: dec.raw_decode('  1')))
t(lambda: err(lambda: dec.raw_decode('')))
t(lambda: dec.raw_decode('1',-1))
t(lambda: dec.raw_decode('1',5))
t(lambda: dec.decode(' [1] '))
t(lambda: err(lambda: dec.decode('[1] x')))
t(lambda: json.JSONDecoder(object_hook=len).decode('{"a":1}'))
t(lambda: json.JSONDecoder(strict=False).strict)
t(lambda: dec.strict)
t(lambda: dec.object_hook)
t(lambda: dec.object_pairs_hook)
t(lambda: dec.parse_float)
t(lambda: dec.parse_int)
t(lambda: json.JSONDecoder(1))
t(lambda: en.item_separator)
t(lambda: en.key_separator)
t(lambda: en.skipkeys)
t(lambda: en.ensure_ascii)
t(lambda: en.check_circular)
t(lambda: en.allow_nan)
t(lambda: en.sort_keys)
t(lambda: en.indent)
t(lambda: json.JSONEncoder(indent=2).item_separator)
t(lambda: json.JSONEncoder(separators=('a','b')).key_separator)
t(lambda: list(en.iterencode([1,{'a':2}])))
t(lambda: list(json.JSONEncoder(indent=1).iterencode([1,{'a':2}])))
t(lambda: list(en.iterencode('x')))
t(lambda: list(en.iterencode(1.5)))
t(lambda: list(en.iterencode([])))
t(lambda: en.encode({'a':[1]}))
t(lambda: en.encode('é'))
t(lambda: en.default(1))
t(lambda: en.default(object()))
t(lambda: json.JSONEncoder(1))
t(lambda: f.getvalue())
t(lambda: json.load(io.StringIO('[1,2]')))
t(lambda: json.load(io.BytesIO(b'[1,2]')))
t(lambda: json.load(io.StringIO('1.5'),parse_float=str))
t(lambda: json.dump(1,None))
t(lambda: json.load('x'))
t(lambda: w.p)
t(lambda: w2.p)
t(lambda: w3.p)
t(lambda: json.JSONDecodeError('msg','a\nbc',3))
t(lambda: str(json.JSONDecodeError('msg','a\nbc',3)))
t(lambda: json.JSONDecodeError('msg','a\nbc',3).args)
t(lambda: json.JSONDecodeError.__mro__)
t(lambda: json.JSONDecodeError.__module__)
t(lambda: json.JSONDecodeError())
t(lambda: json.dumps({'a':1,'b':{'c':[1,2,[3,{}]]}},indent=4,sort_keys=True))
t(lambda: json.dumps([[],{},[[]],[{}],()],indent=2))
t(lambda: json.dumps({'k':'v'},indent=2,ensure_ascii=False,default=str))
t(lambda: json.dumps(True,indent=2))
t(lambda: json.dumps({'a':1},indent=2.5))
t(lambda: json.dumps([1],indent=[1]))
t(lambda: json.encoder.encode_basestring('a"é\n'))
t(lambda: json.encoder.encode_basestring_ascii('a"é\U0001F600\n'))
t(lambda: json.encoder.py_encode_basestring_ascii('a"é\n'))
t(lambda: json.decoder.scanstring('abc"def',0))
t(lambda: json.decoder.scanstring('a"b\\n"',2))
t(lambda: err(lambda: json.decoder.scanstring('abc',0)))
t(lambda: json.decoder.scanstring('a\nb"',0,False))
t(lambda: json.decoder.py_scanstring('a"',0,True))
t(lambda: json.encoder.INFINITY)
t(lambda: json.encoder.FLOAT_REPR(1.5))
t(lambda: json.__all__)
t(lambda: json.__version__)
t(lambda: json.dumps({'\u2029':1},ensure_ascii=False))
t(lambda: json.dumps(D2(a=1)))
t(lambda: json.dumps(D2()))
t(lambda: json.dumps([1],cls=E2))
t(lambda: json.dumps([1],cls=E3))
t(lambda: json.dumps('a',cls=E2))
t(lambda: json.loads('{"a":{"b":1}}',cls=De))
t(lambda: json.loads('{"a":1}',cls=De,parse_int=str))
t(lambda: json.dumps({'a':P(2)},default=enc,indent=1,sort_keys=True))
t(lambda: json.detect_encoding(b'{}'))
t(lambda: json.dumps(collections.UserDict(a=1)))
t(lambda: json.dumps({'a':collections.UserString('x')}))
t(lambda: json.dumps([nan,{'a':inf}],indent=1))
t(lambda: json.dumps({'x':1,2:3,None:4},sort_keys=True,skipkeys=True))
t(lambda: json.dumps("\u007f\u0080\uffff"))
t(lambda: json.dumps({"a":0.1,"b":1e22,"c":1e21,"d":123456789012345678.0}))
#---- one call after another 2
import json
def t(f, *a, **k):
    try:
        print(repr(f(*a, **k)))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(f, *args)
t(json.dumps, {'a': [1, 2.5, None, True, 'é\n"\\\x00\u2028😀'], 'b': {}})
t(json.dumps, {'b': 1, 'a': 2}, sort_keys=True, indent=2)
t(json.dumps, [1, [2, []], {}], indent=1)
t(json.dumps, [1, 2], indent='--')
t(json.dumps, [1, {'a': 2}], separators=(',', ':'))
t(json.dumps, [1, {'a': 2}], indent=0)
t(json.dumps, 'é', ensure_ascii=False)
t(json.dumps, float('nan'))
t(json.dumps, float('inf'), allow_nan=False)
t(json.dumps, {1: 2, None: 3, True: 4, 1.5: 6, 'x': 7})
t(json.dumps, 1j, default=lambda o: str(o))
t(json.dumps, {1, 2}, default=list)
t(json.dumps, [1], cls=json.JSONEncoder)
each(json.dumps, [(1, (2,))], [10 ** 30], [b'x'])
t(json.dumps, {'a': 1, 2: 3}, sort_keys=True)
a = []
a.append(a)
t(json.dumps, a)
t(json.dumps, a, check_circular=True)
d = {}
d['x'] = d
t(json.dumps, d)
class E(json.JSONEncoder):

    def default(self, o):
        if isinstance(o, complex):
            return [o.real, o.imag]
        return super().default(o)
t(json.dumps, {'z': 1j}, cls=E)
t(json.dumps, {'z': {1}}, cls=E)
print(list(E(indent=1).iterencode([1j, 2])))
print(E().encode('x'))
for s in ['', '{', '[1,]', '{"a":}', '{"a" 1}', '{a:1}', '[1 2]', '"abc', '"\\x"', '"\\u12"', '"\n"', '01', '1.', '-', '.5', '1e', 'nul', 'NaN', 'Infinity', '-Infinity', '[1]x', ' [1] ', '{"a":1,}', '{"a":1 "b":2}', '"\\ud83d\\ude00"', '"\\ud800"', '\ufeff[]', '{"a":1,"a":2}', '[', '[[[', 'true', 'tru', '1E400', '123456789012345678901234567890', '1.0e5', '"\\/"', '{,}', '[,]', '{"a"}', '"\x01"']:
    t(json.loads, s)
try:
    json.loads('[1,\n2,\n x]')
except json.JSONDecodeError as e:
    print(e.msg, e.doc, e.pos, e.lineno, e.colno, e.args, isinstance(e, ValueError))
t(json.loads, b'[1]')
t(json.loads, bytearray(b'{"a":1}'))
t(json.loads, '[1.5,2]', parse_float=str)
t(json.loads, '[1.5,2]', parse_int=float)
t(json.loads, '[NaN,Infinity]', parse_constant=lambda x: 'C' + x)
t(json.loads, '{"a":{"b":1}}', object_hook=lambda d: list(d.items()))
t(json.loads, '{"a":{"b":1}}', object_pairs_hook=lambda p: p)
t(json.loads, '"\n"', strict=False)
t(json.loads, '[1]'.encode('utf-16'))
t(json.loads, '["é"]'.encode('utf-32-le'))
import io
f = io.StringIO()
json.dump({'a': [1]}, f, indent=1)
print(f.getvalue())
print(json.load(io.StringIO('{"x":[1,2]}')))
dec = json.JSONDecoder()
print(dec.raw_decode('[1] tail'), dec.raw_decode('  5', 2))
t(dec.raw_decode, ' 5')
class S(str):
    pass
class I(int):

    def __repr__(s):
        return 'I!'
class F(float):

    def __repr__(s):
        return 'F!'
t(json.dumps, [S('a'), I(3), F(1.5)])
t(json.dumps, {S('k'): 1, I(3): 2, F(1.5): 3})
import enum
class En(enum.IntEnum):
    A = 3
t(json.dumps, [En.A, {En.A: En.A}])
from collections import OrderedDict, namedtuple, defaultdict
t(json.dumps, OrderedDict(b=1, a=2))
t(json.dumps, namedtuple('P', 'x y')(1, 2))
t(json.dumps, defaultdict(int, a=1))
t(json.dumps, [[1, 2], [3, 4]], indent=4, separators=(', ', ': '))
