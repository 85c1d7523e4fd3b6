#---- StringIO
import io
s = io.StringIO()
print(s.write('hello\nworld\n'), s.tell(), s.getvalue(), s.read(), s.seek(0), s.readline(), s.read(3), s.readlines(), s.truncate(4), s.getvalue())
s = io.StringIO('a\nb\r\nc')
print(list(s), s.seek(2), s.write('XY'), s.getvalue(), s.seek(0, 2), s.write('é'), s.tell(), s.readable(), s.writable(), s.seekable(), s.isatty(), s.closed)
s.seek(20); s.write('z'); print(repr(s.getvalue()))
for nl in (None, '', '\n', '\r', '\r\n'):
    s = io.StringIO('a\nb\rc\r\nd', newline=nl); print(repr(nl), s.readlines(), repr(s.getvalue()), s.write('x\ny'), repr(s.getvalue()))
for f in [lambda: io.StringIO(1), lambda: io.StringIO('', 'x'), lambda: io.StringIO().write(b'x'), lambda: io.StringIO().seek(-1), lambda: io.StringIO().seek(1, 1), lambda: io.StringIO().seek(0, 5), lambda: io.StringIO().truncate(-1), lambda: io.StringIO().fileno(), lambda: io.StringIO().read('x')]:
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
with io.StringIO('x') as s: pass
for f in [s.read, s.getvalue, lambda: s.write('a'), s.tell, lambda: s.__enter__()]:
    try: f()
    except ValueError as e: print(e)
print(s.closed, s.close(), issubclass(io.UnsupportedOperation, (OSError, ValueError)), isinstance(s, io.TextIOBase), isinstance(s, io.IOBase))
s = io.StringIO('abc\ndef'); print(s.readline(2), s.readline(10), s.readline(), repr(s.readline()), s.seek(0), s.readlines(2), s.read(None))
#---- BytesIO
import io
b = io.BytesIO(b'ab\ncd')
print(b.read(1), b.readline(), b.read(), b.read(), b.seek(0), list(b), b.seek(-1, 2), b.write(b'XYZ'), b.getvalue(), b.tell(), b.seek(10), b.write(b'!'), b.getvalue(), b.truncate(3), b.getvalue(), b.readable())
for f in [lambda: io.BytesIO('x'), lambda: io.BytesIO().write('x'), lambda: io.BytesIO().seek(-1), lambda: io.BytesIO().seek(0, 9)]:
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
b.close()
try: b.read()
except ValueError as e: print(e)
#---- print
import io, sys
f = io.StringIO()
print('a', 1, None, sep='-', end='!', file=f, flush=True); print(f.getvalue())
class W:
    def write(self, s): out.append(s)
    def flush(self): out.append('F')
out = []
print(1, 'x', file=W()); print(file=W(), end=''); print('q', file=W(), flush=True); print(out)
old = sys.stdout; sys.stdout = f; print('hidden'); sys.stdout = old; print(repr(f.getvalue()))
for g in [lambda: print(sep=1), lambda: print(end=2), lambda: print(foo=3), lambda: print('x', file=5)]:
    try: g()
    except Exception as e: print(type(e).__name__, e)
print('a', 'b', sep=None, end=None); print(*range(3), sep=', '); print(); print('é日', end='\n\n'); sys.stdout.write('w\n'); print(file=None)
try: print('x\ud800')
except UnicodeEncodeError as e: print(e)
#---- one call after another
import io
def w(f,*a,**k):
    s=io.StringIO(*a,**k); r=f(s); return r,(None if s.closed else s.getvalue()),(None if s.closed else s.tell())
def b(f,*a):
    s=io.BytesIO(*a); r=f(s); return r,(None if s.closed else s.getvalue()),(None if s.closed else s.tell())
class SS(io.StringIO):
    def write(s,x): return super().write(x.upper())
class RR(io.RawIOBase):
    def __init__(s,d): s.d=d; s.p=0
    def readable(s): return True
    def readinto(s,buf):
        n=min(len(buf),len(s.d)-s.p); buf[:n]=s.d[s.p:s.p+n]; s.p+=n; return n
class IB(io.IOBase):
    def __init__(s): s.l=[b'a\n',b'b']
    def read(s,n=-1):
        return s.l.pop(0)[:1] if s.l else b''

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))


each(w, [lambda s:s.write('abc')], [lambda s:s.read(), 'abc'], [lambda s:s.read(2), 'abc'],
     [lambda s:s.read(-1), 'abc'], [lambda s:s.read(None), 'abc'], [lambda s:s.readline(), 'a\nb'],
     [lambda s:s.readlines(), 'a\nb\n'], [lambda s:s.readlines(2), 'a\nb\nc'],
     [lambda s:list(s), 'a\nb'], [lambda s:s.seek(1), 'abc'], [lambda s:s.seek(0,2), 'abc'],
     [lambda s:s.tell(), 'abc'], [lambda s:s.truncate(1), 'abc'], [lambda s:s.truncate(), 'abc'],
     [lambda s:(s.seek(1),s.truncate()), 'abc'], [lambda s:s.writelines(['a','b'])],
     [lambda s:s.close()], [lambda s:s.readline(1), 'abc'],
     [lambda s:(s.seek(5),s.write('x')), 'ab'], [lambda s:s.write('Z'), 'abc'])
t(lambda: w(lambda s:s.getvalue(),'x\r\ny',newline=None))
t(lambda: w(lambda s:s.readlines(),'a\r\nb\rc\n',newline=''))
t(lambda: w(lambda s:s.readlines(),'a\r\nb\rc\n',newline=None))
t(lambda: w(lambda s:s.readlines(),'a\r\nb\rc\n'))
t(lambda: w(lambda s:s.readlines(),'a\r\nb\rc\n',newline='\r'))
t(lambda: w(lambda s:s.write('a\nb'),newline='\r\n'))
each(w, [lambda s:next(s), 'a\nb'], [lambda s:s.flush()], [lambda s:s.seek(0,1), 'a'],
     [lambda s:s.read(5), ''], [lambda s:s.__enter__() is s],
     [lambda s:print('x',5,file=s,sep='-')], [lambda s:s.seek(99), 'a'],
     [lambda s:(s.seek(99),s.read()), 'a'], [lambda s:s.write(5)], [lambda s:s.write(b'a')],
     [lambda s:s.seek(-1)], [lambda s:s.seek(1,1)], [lambda s:s.seek(1,2)], [lambda s:s.seek(0,5)],
     [lambda s:s.seek('a')], [lambda s:s.truncate(-1)], [lambda s:s.truncate('a')],
     [lambda s:s.read('a')], [lambda s:s.read(1.5)], [lambda s:s.fileno()], [lambda s:s.detach()],
     [lambda s:(s.close(),s.read())], [lambda s:(s.close(),s.write('a'))],
     [lambda s:(s.close(),s.getvalue())], [lambda s:(s.close(),s.__enter__())],
     [lambda s:(s.close(),s.tell())], [lambda s:(s.close(),s.readable())],
     [lambda s:(s.close(),s.isatty())], [lambda s:(s.close(),s.close())],
     [lambda s:(s.close(),next(s))], [lambda s:(s.close(),s.flush())], [lambda s:next(s)],
     [lambda s:s.foo], [lambda s:s.writelines(5)], [lambda s:s.writelines([5])], [lambda s:0, 5])
t(lambda: w(lambda s:0,'a',newline='x'))
t(lambda: w(lambda s:0,'a',newline=5))
each(w, [lambda s:0, None], [lambda s:s.buffer], [lambda s:s.name], [lambda s:s.mode])
each(b, [lambda s:s.write(b'abc')], [lambda s:s.read(), b'abc'], [lambda s:s.read(2), b'abc'],
     [lambda s:s.read1(2), b'abc'], [lambda s:s.readline(), b'a\nb'],
     [lambda s:s.readlines(), b'a\nb'], [lambda s:list(s), b'a\nb'],
     [lambda s:s.readinto(bytearray(2)), b'abc'], [lambda s:s.readinto1(bytearray(2)), b'abc'],
     [lambda s:s.getbuffer().tobytes(), b'abc'], [lambda s:s.seek(-1,2), b'abc'],
     [lambda s:s.seek(1,1), b'abc'], [lambda s:s.truncate(1), b'abc'],
     [lambda s:(s.seek(5),s.write(b'x')), b'ab'], [lambda s:s.write(bytearray(b'q'))],
     [lambda s:s.write(memoryview(b'q'))], [lambda s:s.writelines([b'a',bytearray(b'b')])],
     [lambda s:(s.readable(),s.writable(),s.seekable(),s.isatty(),s.closed)],
     [lambda s:s.read(-5), b'abc'], [lambda s:s.read(None), b'abc'], [lambda s:s.read1(), b'abc'],
     [lambda s:s.close()], [lambda s:s.readline(1), b'abc'])
t(lambda: b(lambda s:0,bytearray(b'x')))
each(b, [lambda s:0, None], [lambda s:s.seek(0,io.SEEK_END), b'ab'],
     [lambda s:s.readlines(1), b'a\nb\n'], [lambda s:next(s), b'a\n'], [lambda s:s.write('a')],
     [lambda s:s.write(5)], [lambda s:s.seek(-1)], [lambda s:s.seek(0,5)],
     [lambda s:s.seek(-5,2), b'abc'], [lambda s:s.truncate(-1)], [lambda s:s.read('a')],
     [lambda s:s.fileno()], [lambda s:s.detach()], [lambda s:(s.close(),s.read())],
     [lambda s:(s.close(),s.getvalue())], [lambda s:(s.close(),s.getbuffer())],
     [lambda s:0, 'abc'], [lambda s:0, 5], [lambda s:s.readinto(b'abc')], [lambda s:s.foo],
     [lambda s:s.writelines(['a'])])
t(lambda: SS('x').write('abc'))
t(lambda: io.StringIO(initial_value='a',newline='\n').read())
t(lambda: io.BytesIO(initial_bytes=b'a').read())
t(lambda: repr(io.StringIO())[:12])
t(lambda: repr(io.BytesIO())[:11])
t(lambda: io.StringIO.__module__)
t(lambda: isinstance(io.StringIO(),io.TextIOBase))
t(lambda: isinstance(io.StringIO(),io.IOBase))
t(lambda: isinstance(io.BytesIO(),io.BufferedIOBase))
t(lambda: io.SEEK_SET)
t(lambda: io.DEFAULT_BUFFER_SIZE)
t(lambda: io.UnsupportedOperation.__mro__)
t(lambda: RR(b'abc\ndef').read())
t(lambda: RR(b'abc').read(2))
t(lambda: RR(b'abc\nd').readline())
t(lambda: RR(b'abc\nd').readlines())
t(lambda: RR(b'abc').readall())
t(lambda: list(RR(b'a\nb')))
t(lambda: RR(b'').read())
t(lambda: IB().readline())
t(lambda: IB().readlines())
t(lambda: list(IB()))
t(lambda: io.BufferedReader(RR(b'abc\ndef')).read())
t(lambda: io.BufferedReader(RR(b'abc\ndef')).readline())
t(lambda: io.BufferedReader(RR(b'abcdef')).peek(1))
t(lambda: io.TextIOWrapper(io.BytesIO(b'a\xc3\xa9\nb')).read())
t(lambda: io.TextIOWrapper(io.BytesIO(b'a\nb'),encoding='ascii').readlines())
t(lambda: io.BufferedWriter(io.BytesIO()).write(b'abc'))
t(lambda: io.IOBase().readable())
t(lambda: io.IOBase().closed)
t(lambda: io.RawIOBase().writable())
t(lambda: io.RawIOBase().read())
t(lambda: io.IOBase().seek(0))
t(lambda: io.IOBase().fileno())
t(lambda: io.RawIOBase().readinto(bytearray(1)))
t(lambda: io.BufferedIOBase().read())
t(lambda: io.TextIOBase().read())
t(lambda: io.TextIOBase().write('a'))
#---- ends_of_lines
import io
for newline in (None, '', '\n', '\r', '\r\n'):
    w = io.TextIOWrapper(io.BytesIO(b'a\r\nb\rc\nd'), newline=newline)
    print(repr(newline), list(w), w.readline())
    w.seek(0)
    print(repr(w.readline(1)), repr(w.readline(2)), repr(w.read(3)), repr(w.read()))
    out = io.BytesIO()
    w = io.TextIOWrapper(out, newline=newline)
    print(w.write('x\ny\r\nz'), out.getvalue())
    w.flush()
    print(out.getvalue())
#---- layers
import io
class Raw(io.RawIOBase):
    def __init__(self, data):
        self.data = bytearray(data)
        self.at = 0
    def readable(self): return True
    def writable(self): return True
    def seekable(self): return True
    def readinto(self, b):
        n = min(len(b), len(self.data) - self.at, 4)
        b[:n] = self.data[self.at:self.at + n]
        self.at += n
        return n
    def write(self, b):
        self.data[self.at:self.at + len(b)] = b
        self.at += len(b)
        print('raw', bytes(b))
        return len(b)
    def seek(self, pos, whence=0):
        self.at = (0, self.at, len(self.data))[whence] + pos
        return self.at
r = io.BufferedReader(Raw(b'line 1\nline 2\nrest'))
print(r.peek(2), r.read(3), r.readline(), r.tell(), r.readlines(), r.read(), r.closed)
r.close()
try: r.read()
except ValueError as e: print(e)
w = io.BufferedWriter(Raw(b''), 8)
print(w.write(b'abc'), w.write(b'defgh'), w.tell())
w.write(b'ijk')
w.flush()
x = io.BufferedRandom(Raw(b'0123456789'))
print(x.read(2), x.seek(5), x.write(b'AB'), x.seek(0), x.read())
t = io.TextIOWrapper(io.BytesIO('é\nü'.encode()), encoding='utf-8')
print(t.read(1), t.encoding, t.errors, t.buffer.tell() > 0, t.readline(), t.readline(), t.line_buffering)
d = t.detach()
print(type(d).__name__)
try: t.read()
except ValueError as e: print(e)
try: io.BufferedReader(io.BytesIO(b'')).write(b'')
except Exception as e: print(type(e).__name__, e)
for cls in (io.RawIOBase, io.BufferedIOBase, io.TextIOBase, io.IOBase):
    for name in ('read', 'write', 'readline', 'seek', 'fileno', 'detach'):
        try: print(cls.__name__, name, getattr(cls(), name)(*(['x'] if name == 'write' else [0] if name == 'seek' else [])))
        except Exception as e: print(cls.__name__, name, type(e).__name__)
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
#---- one call after another 2
import io
def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
s = io.StringIO('line1\nline2\r\nlast')
t(s.readline)
t(s.tell)
t(lambda: s.read(3))
t(s.readlines)
t(s.read)
t(lambda: s.seek(0))
t(lambda: list(s))
each(s.seek, [2, 0], [1, 1], [0, 2], [-1], [0, 5])
t(lambda: s.write('abc'))
t(s.getvalue)
t(lambda: s.write(b'x'))
t(lambda: s.truncate(4))
t(s.getvalue)
t(lambda: s.truncate(-1))
t(s.readable)
t(s.writable)
t(s.seekable)
t(s.isatty)
t(s.fileno)
t(lambda: s.closed)
t(lambda: s.line_buffering)
t(lambda: s.newlines)
t(lambda: s.encoding)
t(lambda: s.errors)
each(s.writelines, [['x', 'y']], [[1]], [5])
t(s.flush)
t(s.close)
t(s.read)
t(lambda: s.write('x'))
t(s.getvalue)
t(lambda: s.closed)
t(s.close)
t(lambda: next(s))
t(lambda: io.StringIO(5))
t(lambda: io.StringIO(None).read())
t(lambda: io.StringIO('a\r\nb\rc', newline=None).read())
t(lambda: io.StringIO('a\r\nb', newline='').readlines())
t(lambda: io.StringIO('a\r\nb', newline='\r').readlines())
t(lambda: io.StringIO('a\nb', newline='\r\n').getvalue())
t(lambda: io.StringIO(newline='x'))
t(lambda: io.StringIO('abc').read(-1))
t(lambda: io.StringIO('abc').read(None))
t(lambda: io.StringIO('abc').read('a'))
t(lambda: io.StringIO('abc\ndef').readline(2))
t(lambda: io.StringIO('a\nb\nc').readlines(2))
with io.StringIO() as f:
    print('x', 1, file=f, sep='-', end='!')
    print(f.getvalue())
print(f.closed)
s = io.StringIO()
s.write('hello')
s.seek(10)
s.write('x')
t(s.getvalue)
print(isinstance(s, io.TextIOBase), isinstance(s, io.IOBase), io.StringIO.__mro__[1].__name__, s) if 0 else print(isinstance(s, io.TextIOBase))
b = io.BytesIO(b'line1\nline2\nx')
t(b.readline)
t(lambda: b.read(2))
t(lambda: b.read1(2))
t(b.readlines)
t(lambda: b.seek(-3, 2))
t(b.read)
t(lambda: b.seek(0))
ba = bytearray(4)
t(lambda: b.readinto(ba))
print(ba)
t(lambda: b.write(b'zz'))
t(lambda: b.write('x'))
t(lambda: b.write(bytearray(b'q')))
t(b.getvalue)
t(lambda: bytes(b.getbuffer()[1:3]))
t(lambda: b.truncate(3))
t(b.getvalue)
t(lambda: b.seek(-5))
t(lambda: b.seek(-5, 1))
t(lambda: b.tell())
t(lambda: io.BytesIO('x'))
t(lambda: io.BytesIO(5))
t(lambda: io.BytesIO(bytearray(b'ab')).read())
b.close()
t(b.read)
t(lambda: io.BytesIO(b'abc').readinto(bytearray(10)))
t(lambda: list(io.BytesIO(b'a\nb')))
t(lambda: io.UnsupportedOperation.__mro__[1:3])
