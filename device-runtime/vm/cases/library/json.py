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
