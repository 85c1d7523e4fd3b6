#---- pickle1
import pickle, copyreg
class P:
    def __init__(s,x): s.x=x
    def __eq__(s,o): return type(s) is type(o) and s.__dict__==o.__dict__
class S:
    __slots__=('a','b')
class L(list): pass
class D(dict): pass
class I(int): pass
class T(tuple): pass
class Str(str): pass
class Fs(frozenset): pass
class St(set): pass
def func(): pass
l=[1]; l.append(l)
vals=[None,True,False,0,1,-1,255,256,65535,65536,-2**31,2**31,2**100,-2**100,-128,-32768,1.5,float('inf'),'', 'abc','é\u1234\U0001f600','a\nb\\c',b'',b'abc',b'\xff'*300,bytearray(b''),bytearray(b'xyz'),(),(1,),(1,2),(1,2,3),(1,2,3,4),[],[1],[1,2],{}, {1:2},{'a':1,'b':2},set(),{1},frozenset(),frozenset([1]),1j,range(5),slice(1,2,3),...,NotImplemented,int,len,func,P,P(3),I(5),T((1,2)),Str('x'),type(None),ValueError('a'),OSError(2,'x'),KeyError, 'x'*300, ['a','a'], list(range(20)), [(1,2)]*3, list[int], [].append.__name__, {'k':[1,{'z':(None,)}]}, 1e100, -0.0, 2**1000, -2**63, range(2**70)]
for i, v in enumerate(vals):
    for p in ((i % 4, 4) if i % 5 else (0, 5)):
        d=pickle.dumps(v,p)
        r=pickle.loads(d)
        try: same = r==v
        except Exception as e: same=e
        print(repr(v).split(' at ')[0][:40], p, len(d), d[:60], type(r) is type(v), same)
s=S(); s.a=1
for p in range(2,6):
    r=pickle.loads(pickle.dumps(s,p)); print(r.a, hasattr(r,'b'), pickle.dumps(s,p))
for p in range(2):
    try: pickle.dumps(s,p)
    except TypeError as e: print(e)
l=[1]; l.append(l)
for p in range(6):
    r=pickle.loads(pickle.dumps(l,p)); print(r[1] is r, pickle.dumps(l,p))
t=([],); t[0].append(t)
for p in range(6):
    r=pickle.loads(pickle.dumps(t,p)); print(r[0][0] is r, pickle.dumps(t,p))
d={}; d[1]=d
for p in range(6):
    print(pickle.dumps(d,p))
x=L([0]); x.append(1); x.foo=3
for p in range(6):
    r=pickle.loads(pickle.dumps(x,p)); print(r, r.foo, pickle.dumps(x,p))
#---- pickle_err
import pickle
def f():
    class C: pass
    return C
for o in (lambda:1, (i for i in ()), f(), f()(), iter, print, [].append, memoryview(b'a'), {}.keys(), property(), type(lambda:1), pickle, object()):
    try: print(len(pickle.dumps(o))>0)
    except Exception as e: print(type(e).__name__, str(e).split(' at 0x')[0])
for b in (b'', b'abc', b'.', b'\x80\x09.', b'I1\n', b'(', b'cfoo\nbar\n.', b'N', b'h\x05.'):
    try: print(pickle.loads(b))
    except Exception as e: print(type(e).__name__, e)
#---- pickle_cls
import pickle, io
class P(pickle.Pickler):
    def persistent_id(self,o): return 'pid' if o=='special' else None
class U(pickle.Unpickler):
    def persistent_load(self,p): return 'loaded '+p
f=io.BytesIO(); P(f).dump([1,'special']); f.seek(0); print(U(f).load())
class G:
    def __getstate__(s): return 42
    def __setstate__(s,v): s.v=v
print(pickle.loads(pickle.dumps(G())).v)
class N:
    def __new__(cls,a,*,b=0): o=object.__new__(cls); o.a=a; o.b=b; return o
    def __getnewargs_ex__(s): return (s.a,),{'b':s.b}
for p in range(2,6): n=pickle.loads(pickle.dumps(N(1,b=2),p)); print(n.a,n.b)
class R:
    def __reduce__(s): return (complex,(1,2))
print(pickle.loads(pickle.dumps(R())))
class R:
    def __reduce__(s): return 5
try: pickle.dumps(R())
except pickle.PicklingError as e: print(e)
class Outer:
    class Inner:
        def m(self): return 5
for p in range(6): print(pickle.loads(pickle.dumps(Outer.Inner,p)) is Outer.Inner, pickle.dumps(Outer.Inner,p))
print(pickle.loads(pickle.dumps(Outer.Inner().m))())
import collections, datetime, decimal, fractions, enum
class Col(enum.Enum): R=1; B=2
Pt=collections.namedtuple('Pt','x y')
for o in (collections.OrderedDict(a=1), collections.Counter('aab'), collections.defaultdict(int,a=1), collections.deque([1,2],3), datetime.date(2020,1,2), datetime.datetime(2020,1,2,3), datetime.timedelta(1), decimal.Decimal('1.5'), fractions.Fraction(1,3), Col.R, Pt(1,2), ValueError('x',1), StopIteration(3), ExceptionGroup('a',[KeyError(1)]), UnicodeDecodeError('a',b'b',0,1,'c')):
    for p in range(6):
        r=pickle.loads(pickle.dumps(o,p)); print(r==o or r.args==o.args, type(r) is type(o), end=' ')
    print()
for it in (iter([1,2,3]), iter((1,2,3)), iter('abc'), iter('aéc'), iter(b'abc'), iter(range(3)), iter(range(2**70,2**70+3)), iter({1:2,3:4}), iter({1:2,3:4}.items()), reversed([1,2,3]), enumerate('abc'), zip('abc','def'), map(str,[1,2,3]), filter(None,[1,0,2]), reversed(range(3)), iter({7,8})):
    n=next(it); r=pickle.loads(pickle.dumps(it)); print(type(r).__name__, list(r), list(it))
e=KeyError('a'); e.foo=1
r=pickle.loads(pickle.dumps(e)); print(r.foo, r.args)
print(pickle.HIGHEST_PROTOCOL, pickle.DEFAULT_PROTOCOL)
import copy
print(list(copy.copy(iter([1,2]))), copy.deepcopy({1:[2]}), type(copy.copy(Outer())), copy.deepcopy(e).foo)
#---- setstate
i=iter([1,2,3]); i.__setstate__(2); print(list(i))
i=iter('aéc'); i.__setstate__(1); print(list(i))
i=iter(range(10)); i.__setstate__(4); print(list(i)); 
i=reversed([1,2,3]); i.__setstate__(0); print(list(i))
i=iter((1,2)); i.__setstate__(100); print(list(i))
i=iter([1,2]); list(i); i.__setstate__(0); print(list(i)); print(i.__reduce__())
#---- copyreg
import copyreg, copy, pickle
class C:
    def __init__(s,a): s.a=a
def red(c): print('red'); return C,(c.a,)
copyreg.pickle(C,red)
print(copy.copy(C(5)).a, pickle.loads(pickle.dumps(C(6))).a)
try: copyreg.pickle(C,5)
except TypeError as e: print(e)
try: copyreg.constructor(5)
except TypeError as e: print(e)
