#---- remembered_attributes
from collections import *
P=namedtuple('P','x y')
p=P(1,2)
def f():
    t=0
    for i in range(10): t+=p.x+p.y
    return t
print(f(),P.x.__doc__,P(x=3,y=4),p._replace(x=9),p._asdict(),P._make([5,6]))
try: p.x=3
except AttributeError as e: print(e)
class Q(P):
    def __getitem__(self,i): return 'no'
q=Q(1,2)
for i in range(3): print(q.x,q[0])
bad=tuple.__new__(P,(1,))
for i in range(2):
    try: print(bad.x); print(bad.y)
    except IndexError as e: print(e)
try: P(1)
except TypeError as e: print(e)
d=defaultdict(list); d['a'].append(1); d[2].append(3); print(d, d.default_factory)
d=defaultdict(int,{'a':1},b=2); d['c']+=1; print(d)
try: defaultdict(5)
except TypeError as e: print(e)
try: defaultdict()[1]
except KeyError as e: print('KeyError',e)
class DD(defaultdict):
    def __init__(self,*a): super().__init__(list,*a); self.n=1
    def __setitem__(self,k,v): print('set',k,v); super().__setitem__(k,v)
x=DD({1:2}); x[5].append(1); print(x,x.n)
o=OrderedDict.fromkeys('abcde'); o.move_to_end('b'); print(o); o.move_to_end('b',last=False); print(list(o)); o.move_to_end('e',False); print(list(o))
try: o.move_to_end('zz')
except KeyError as e: print(repr(e))
o=OrderedDict({1:2,3:4}); o.move_to_end(True); print(o)
ba=bytearray(b'ab')
for i in range(3): ba.append(65)
print(ba)
dq=deque(maxlen=3)
for i in range(5): dq.append(i)
print(dq)
class L(list):
    z=5
    def __init__(self): super().__init__(); self.k=3
    @property
    def p(self): return self.k*2
    def push(self,x): self.append(x)
l=L()
for i in range(4): l.push(i); l.k+=1
print(l,l.k,l.p,l.z)
L.z=7
def g(o): return o.z
print(g(l)); l.z=9; print(g(l)); del l.z; print(g(l)); L.z=1; print(g(l))
def h(o): return o.count(1)
print(h(l)); L.count=lambda s,x:'own'; print(h(l)); l.count=lambda x:'inst'; print(h(l))
#---- bytes_items
b=b'hello'; ba=bytearray(b'hello')
print([b[i] for i in range(-5,5)],[ba[i] for i in range(-5,5)])
for x in (b,ba):
    for i in (5,-6,True,None,'a'):
        try: print(x[i])
        except Exception as e: print(type(e).__name__,e)
for v in (0,255,256,-1,True,'a',2.5,2**70):
    try: ba[1]=v; print(ba)
    except Exception as e: print(type(e).__name__,e)
try: b[0]=1
except TypeError as e: print(e)
try: ba[9]=1
except IndexError as e: print(e)
class B(bytes):
    def __getitem__(self,i): return 'own'
print(B(b'abc')[0], list(B(b'abc')), bytes(B(b'xy')))
class BA(bytearray):
    def __setitem__(self,i,v): print('set',i,v); super().__setitem__(i,v)
x=BA(b'abc'); x[0]=5; print(x)
print(list(b),list(ba),tuple(ba),sum(ba),max(b),sorted(ba),set(b)=={104,101,108,111})
it=iter(ba); next(it); ba.append(1); print(list(it))
it=iter(bytearray(b'ab')); print(list(it),list(it))
ba=bytearray(range(20))
for i in ba:
    if len(ba)>10: ba.pop()
print(ba)
z=bytearray(30); z[3::4]=b'\1'*len(z[3::4]); print(z); z[::-3]=bytes(range(10)); print(z)
try: z[::2]=b'123'
except ValueError as e: print(e)
print(bytes([1,2,3]),bytearray([255,0]),bytes([]))
for l in ([256],[-1],['a'],[1.5],[True,False],[2**80]):
    try: print(bytes(l))
    except Exception as e: print(type(e).__name__,e)
print(b'ab'+b'cd',b''+b'',b'a'+bytearray(b'b'),bytearray(b'x')+b'y')
print(104 in b, 0 in b, b'el' in b, b'' in b)
try: print(256 in b)
except ValueError as e: print(e)
print(b.hex(),b''.hex(),ba.hex(':'),b.hex('-',2))
from array import array
a=array('i',[1,2,3]); print(a[0],a[-1],a[-3],sum(a))
for i in (3,-4,None):
    try: print(a[i])
    except Exception as e: print(type(e).__name__,e)
d=array('d',[1.5,2.5]); d[1]=7; print(d[1],list(d)); 
print(array('u','héllo')[1],array('Q',[2**64-1])[0],array('b',[-5])[0],array('f',[.5])[-1])
class BI(bytes): pass
print(float(b'1.5'),int(b'12'),int(b'12'+b'3'),float(b'1.'+b'25'))
s={1,2};t={3,4}; print(s.isdisjoint(t),s.isdisjoint([2]),frozenset('ab').isdisjoint('bc'))
#---- streams_in_memory
import io
from io import StringIO, BytesIO
def t(f,*a):
    try: r=f(*a); print(repr(r))
    except Exception as e: print(type(e).__name__,e)
s=StringIO('héllo\nwörld\n'); t(s.read,3); t(s.tell); t(s.readline); t(s.readline); t(s.readline); t(s.read)
s.seek(0); t(list,s); s.seek(2); s.write('XX'); t(s.getvalue); s.seek(20); s.write('end'); t(s.getvalue); t(s.tell)
s.seek(0); t(s.readline,2); t(s.readline,100); t(s.readlines); s.truncate(4); t(s.getvalue); t(s.tell); s.write('q'); t(s.getvalue)
t(s.truncate,-1); t(s.truncate,'a'); t(s.truncate,None); t(s.seek,-1); t(s.seek,1,1); t(s.seek,0,1); t(s.seek,0,2); t(s.seek,0,3); t(s.seek,'a'); t(s.write,b'a'); t(s.write,5); t(s.read,'a'); t(s.read,None); t(s.readline,None)
for nl in ('\n','',None,'\r','\r\n'):
    s=StringIO('a\nb\r\nc\rd',newline=nl); t(s.getvalue); t(list,s); s.seek(0); t(s.readline); t(s.write,'x\ny\r\nz\r'); t(s.getvalue); t(lambda: s.newlines) if nl!=None and nl!='' else 0
t(StringIO,5); t(StringIO,'a',5); t(StringIO,'a','x'); t(lambda: StringIO(newline='x')); t(lambda: StringIO(None).getvalue()); t(lambda: StringIO(initial_value='ab').read()); t(lambda: StringIO(foo=1))
with StringIO('x') as f: t(f.read)
t(f.read); t(f.getvalue); t(f.write,'a'); t(lambda: f.closed); t(f.__enter__); t(f.readable); t(iter,f); t(next,f); t(f.close); t(f.tell); t(f.seek,0); t(f.flush); t(f.readlines)
s=StringIO(); t(s.writelines,['a','b']); t(s.getvalue); t(s.isatty); t(s.readable); t(s.seekable); t(s.fileno); t(lambda:s.line_buffering); t(lambda: s.closed); t(lambda: s.encoding); t(lambda: s.errors)
print(type(s), isinstance(s,io.TextIOBase), isinstance(s,io.IOBase), StringIO.__name__, StringIO.__module__, StringIO.__qualname__)
try: s.closed=1
except AttributeError as e: print('AttributeError')
class U(StringIO):
    def readline(self,*a): return super().readline(*a).upper()
    def write(self,x): return super().write(x+'!')
u=U('a\nb\n'); print(list(u)); u.write('c'); print(u.getvalue(),file=u); print(u.getvalue()); u.zz=3; print(u.zz)
class V(StringIO):
    def __init__(self): pass
b=BytesIO(b'hello\nworld\nx'); t(b.read,3); t(b.readline); t(b.tell); t(b.readline,2); t(b.read); t(b.read); t(b.seek,0); t(list,b); t(b.seek,-3,2); t(b.read1); t(b.seek,-100,1); t(b.seek,-1); t(b.seek,0,5)
b.seek(15); t(b.write,b'zz'); t(b.getvalue); b.seek(1); t(b.write,bytearray(b'EL')); t(b.getvalue); t(b.write,'a'); t(b.write,5); t(b.write,memoryview(b'abc')[::2]); t(b.getvalue)
ba=bytearray(4); b.seek(0); t(b.readinto,ba); print(ba); t(b.readinto,b'abc'); t(b.truncate,3); t(b.getvalue); t(b.tell); t(b.truncate,-3); t(b.read,-5); t(b.read,'x')
v=b.getbuffer(); v[0]=65; print(b.getvalue()); b.seek(0,2); 
t(BytesIO,'a'); t(BytesIO,5); t(lambda:BytesIO(None).getvalue()); t(lambda:BytesIO(initial_bytes=b'q').getvalue()); t(lambda:BytesIO(bytearray(b'a')).read())
del v
b.close(); t(b.read); t(b.getvalue); t(lambda: b.closed); t(b.__enter__); t(list,b)
print(type(b), isinstance(b,io.BufferedIOBase)); 
s=StringIO()
for i in range(1000): s.write(str(i)); s.write(' é ' if i%7==0 else ' ')
v=s.getvalue(); print(len(v),hash(v)==hash(str(v)),v[-30:]); s.seek(500); print(s.read(20)); s.seek(3,0); s.write('~'); print(s.getvalue()[:10])
import csv; o=StringIO(); csv.writer(o).writerow([1,'a,b']); t(o.getvalue); t(list,csv.reader(StringIO('a,b\n1,2\n')))
import contextlib
with contextlib.redirect_stdout(StringIO()) as o: print('hi')
t(o.getvalue)
#---- dates
from datetime import *
def t(f,*a):
    try: print(repr(f(*a)))
    except Exception as e: print(type(e).__name__,e)
d=date(2024,2,29); t(lambda:d+timedelta(1)); t(lambda:d-timedelta(366)); t(lambda:timedelta(1)+d); t(lambda: d-date(2000,1,1)); t(lambda: d.toordinal()); t(lambda:d.weekday()); t(lambda: d.isoweekday()); t(lambda: d.isocalendar()); t(lambda:d.timetuple())
for n in (1,365,366,1461,36524,36525,146097,146098,730000,3652059,0,-5): t(date.fromordinal,n)
import random
random.seed(5)
for _ in range(300):
    n=random.randrange(1,3652060); x=date.fromordinal(n)
    assert x.toordinal()==n and date(x.year,x.month,x.day)==x, n
for n in range(730000,731500): assert date.fromordinal(n).toordinal()==n
for a in ((0,1,1),(10000,1,1),(2023,0,1),(2023,13,1),(2023,2,29),(2023,4,31),(2023,1,0),('a',1,1),(2023,1.5,1),(True,1,1),(2023,),(2023,1)): t(date,*a)
for a in ((2023,1,1,24),(2023,1,1,-1),(2023,1,1,1,60),(2023,1,1,1,1,60),(2023,1,1,1,1,1,10**6),(2023,1,1,1,1,1,1,5),(2023,2,30,99)): t(datetime,*a)
t(lambda: datetime(2023,1,1,fold=2)); t(lambda: datetime(2023,1,1,fold=1)); t(lambda: datetime(2023,1,1,tzinfo=timezone.utc)); t(lambda: datetime(2023,1,1,hour=5,minute=6)); 
a=datetime(2023,1,31,23,59,59,999999); t(lambda:a+timedelta(microseconds=1)); t(lambda:a-timedelta(days=40,seconds=86399,microseconds=5)); t(lambda:a-datetime(1,1,1)); t(lambda: datetime.max-datetime.min); t(lambda: datetime.max+timedelta(microseconds=1)); t(lambda: datetime.min-timedelta(microseconds=1)); t(lambda: a+timedelta(999999999)); t(lambda: date.max+timedelta(1)); t(lambda: date.min-timedelta(1)); t(lambda: a-timedelta.max); t(lambda: a+timedelta.min)
z=timezone(timedelta(hours=2)); b=datetime(2023,1,31,12,tzinfo=z); c=datetime(2023,1,31,12,tzinfo=timezone.utc); t(lambda:b-c); t(lambda:b<c); t(lambda:b==c); t(lambda:b+timedelta(1)); t(lambda: a-b); t(lambda: a<b); t(lambda: a==b); t(lambda:hash(b)==hash(datetime(2023,1,31,10,tzinfo=timezone.utc)))
class D(date):
    def __new__(cls,*a): print('new',a); return super().__new__(cls,*a)
    def f(self): return self.year
x=D(2020,1,1); t(lambda: x+timedelta(5)); t(lambda: type(x+timedelta(5))); t(lambda: x.f()); t(lambda:x-timedelta(1)); t(lambda: x==date(2020,1,1)); t(lambda: x<date(2021,1,1)); t(lambda: D.fromordinal(5))
class DT(datetime): pass
y=DT(2020,1,1,5,tzinfo=z); t(lambda: y+timedelta(hours=30)); t(lambda: (y+timedelta(1)).tzinfo); t(lambda: y-DT(2019,1,1,tzinfo=z)); t(lambda: y.replace(year=2000)); t(lambda: y.date()); t(lambda: y.isoformat()); t(lambda:y.weekday()); t(lambda: y.toordinal()); t(lambda:DT(2020,1,1)>datetime(2019,1,1))
t(lambda: d<a); t(lambda: a<d); t(lambda: d==a); t(lambda: a==d); t(lambda: d==5); 
t(lambda: timedelta(1,2,3)+timedelta(4,86399,999999)); t(lambda: timedelta(1)-timedelta(2,3)); t(lambda: -timedelta(1,2,3)); t(lambda: timedelta(days=1.5,hours=-3,weeks=2,milliseconds=5)); t(lambda: timedelta(999999999)+timedelta(1)); t(lambda: timedelta('a')); t(lambda: timedelta(True)); t(lambda: timedelta(1)<timedelta(2)); t(lambda: timedelta(1)==timedelta(hours=24)); t(lambda: timedelta(microseconds=-1)); t(lambda: timedelta(minutes=10**6,hours=10**6).total_seconds()); t(lambda: timedelta(-999999999)-timedelta(microseconds=1)); t(lambda: timedelta(0)==0); t(lambda:sorted([timedelta(3),timedelta(1),timedelta(2)]))
class TD(timedelta): pass
t(lambda: TD(1)+TD(2)); t(lambda: type(TD(1)+TD(2))); t(lambda: TD(hours=5)); t(lambda: d+TD(3))
t(lambda: max(d,date(2025,1,1))); t(lambda: len({d,date(2024,2,29)})); t(lambda: d.strftime('%j %U %A %Y')); t(lambda: datetime.strptime('2024-02-29 10:11','%Y-%m-%d %H:%M')); t(lambda: datetime.fromisoformat('2024-02-29T10:11:12.5+02:00')); t(lambda: a.timestamp()>0); t(lambda:datetime.fromtimestamp(86400*365,timezone.utc))
import copy; t(lambda: copy.copy(a)==a); t(lambda: d.replace(day=1)); t(lambda: datetime.combine(d,time(5,6)))
#---- digests
import hashlib
for n in (0,1,55,56,63,64,65,119,120,128,1000,5000):
    d=bytes(i*7%256 for i in range(n))
    for h in ('md5','sha1','sha224','sha256','sha384','sha512'): print(n,h,hashlib.new(h,d).hexdigest())
#---- keys_of_tuples
class K(str):
    def __hash__(self): return hash(str(self))
    def __eq__(self, o): return str(self) == str(o)
d = {}
for i in range(40): d[i % 7, 'a' * (i % 3)] = i
print(d, d.get((3, 'a')), d.get((3, 'zz')), (1, '') in d, d.pop((0, ''), None))
d[1, 2.0] = 'f'; d[1, 2] = 'i'; d[True, 2] = 't'; d[(1, (2, 3))] = 'n'
print(d[1, 2], d[1.0, 2.0], d[1, (2, 3)], len(d), d.setdefault((9, 9), 5), d.setdefault((9, 9), 6))
k = K('q'); d[k, 1] = 'k'
print(d['q', 1], d[(k, 1)], ('q', 1) in d, (K('q'), 1) in {('q', 1)})
s = set()
for i in range(50): s.add((i % 5, str(i % 3)))
print(len(s), (1, '1') in s, (9, '1') in s, sorted(s)[:3], s.discard((0, '0')), s.remove((1, '1')), len(s))
try: s.remove((1, '1'))
except KeyError as e: print(e)
print({(-1, -2): 1}[-1, -2], hash((1, 2, 3)) == hash((1, 2, 3.0)), {(): 1}[()], {-1, -2} == {-2, -1})
print(set([3, 1, 2, 1, -1, 10**30, 'a', (1, 2), 2.5]) == {1, 2, 3, -1, 10**30, 'a', (1, 2), 2.5}, set([]), frozenset([1, 1]))
class L(list): pass
print(set(L([1, 2])), {1}.union([2, 3], (4,), 'a') == {1, 2, 3, 4, 'a'})
l = [0]
class E:
    def __hash__(self): l.clear(); return 1
l.append(E()); l.append(5); print(len(set(l)))
