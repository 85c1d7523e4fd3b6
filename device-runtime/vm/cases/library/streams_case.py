#---- io_0
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


t(lambda: w(lambda s:s.write('abc')))
t(lambda: w(lambda s:s.read(),'abc'))
t(lambda: w(lambda s:s.read(2),'abc'))
t(lambda: w(lambda s:s.read(-1),'abc'))
t(lambda: w(lambda s:s.read(None),'abc'))
t(lambda: w(lambda s:s.readline(),'a\nb'))
t(lambda: w(lambda s:s.readlines(),'a\nb\n'))
t(lambda: w(lambda s:s.readlines(2),'a\nb\nc'))
t(lambda: w(lambda s:list(s),'a\nb'))
t(lambda: w(lambda s:s.seek(1),'abc'))
t(lambda: w(lambda s:s.seek(0,2),'abc'))
t(lambda: w(lambda s:s.tell(),'abc'))
t(lambda: w(lambda s:s.truncate(1),'abc'))
t(lambda: w(lambda s:s.truncate(),'abc'))
t(lambda: w(lambda s:(s.seek(1),s.truncate()),'abc'))
t(lambda: w(lambda s:s.writelines(['a','b'])))
t(lambda: w(lambda s:s.close()))
t(lambda: w(lambda s:s.readline(1),'abc'))
t(lambda: w(lambda s:(s.seek(5),s.write('x')),'ab'))
t(lambda: w(lambda s:s.write('Z'),'abc'))
t(lambda: w(lambda s:s.getvalue(),'x\r\ny',newline=None))
t(lambda: w(lambda s:s.readlines(),'a\r\nb\rc\n',newline=''))
t(lambda: w(lambda s:s.readlines(),'a\r\nb\rc\n',newline=None))
t(lambda: w(lambda s:s.readlines(),'a\r\nb\rc\n'))
t(lambda: w(lambda s:s.readlines(),'a\r\nb\rc\n',newline='\r'))
t(lambda: w(lambda s:s.write('a\nb'),newline='\r\n'))
t(lambda: w(lambda s:next(s),'a\nb'))
t(lambda: w(lambda s:s.flush()))
t(lambda: w(lambda s:s.seek(0,1),'a'))
t(lambda: w(lambda s:s.read(5),''))
t(lambda: w(lambda s:s.__enter__() is s))
t(lambda: w(lambda s:print('x',5,file=s,sep='-')))
t(lambda: w(lambda s:s.seek(99),'a'))
t(lambda: w(lambda s:(s.seek(99),s.read()),'a'))
t(lambda: w(lambda s:s.write(5)))
t(lambda: w(lambda s:s.write(b'a')))
t(lambda: w(lambda s:s.seek(-1)))
t(lambda: w(lambda s:s.seek(1,1)))
t(lambda: w(lambda s:s.seek(1,2)))
t(lambda: w(lambda s:s.seek(0,5)))
t(lambda: w(lambda s:s.seek('a')))
t(lambda: w(lambda s:s.truncate(-1)))
t(lambda: w(lambda s:s.truncate('a')))
t(lambda: w(lambda s:s.read('a')))
t(lambda: w(lambda s:s.read(1.5)))
t(lambda: w(lambda s:s.fileno()))
t(lambda: w(lambda s:s.detach()))
t(lambda: w(lambda s:(s.close(),s.read())))
t(lambda: w(lambda s:(s.close(),s.write('a'))))
t(lambda: w(lambda s:(s.close(),s.getvalue())))
t(lambda: w(lambda s:(s.close(),s.__enter__())))
t(lambda: w(lambda s:(s.close(),s.tell())))
t(lambda: w(lambda s:(s.close(),s.readable())))
t(lambda: w(lambda s:(s.close(),s.isatty())))
t(lambda: w(lambda s:(s.close(),s.close())))
t(lambda: w(lambda s:(s.close(),next(s))))
t(lambda: w(lambda s:(s.close(),s.flush())))
t(lambda: w(lambda s:next(s)))
t(lambda: w(lambda s:s.foo))
t(lambda: w(lambda s:s.writelines(5)))
t(lambda: w(lambda s:s.writelines([5])))
t(lambda: w(lambda s:0,5))
t(lambda: w(lambda s:0,'a',newline='x'))
t(lambda: w(lambda s:0,'a',newline=5))
t(lambda: w(lambda s:0,None))
t(lambda: w(lambda s:s.buffer))
t(lambda: w(lambda s:s.name))
t(lambda: w(lambda s:s.mode))
t(lambda: b(lambda s:s.write(b'abc')))
t(lambda: b(lambda s:s.read(),b'abc'))
t(lambda: b(lambda s:s.read(2),b'abc'))
t(lambda: b(lambda s:s.read1(2),b'abc'))
t(lambda: b(lambda s:s.readline(),b'a\nb'))
t(lambda: b(lambda s:s.readlines(),b'a\nb'))
t(lambda: b(lambda s:list(s),b'a\nb'))
t(lambda: b(lambda s:s.readinto(bytearray(2)),b'abc'))
t(lambda: b(lambda s:s.readinto1(bytearray(2)),b'abc'))
t(lambda: b(lambda s:s.getbuffer().tobytes(),b'abc'))
t(lambda: b(lambda s:s.seek(-1,2),b'abc'))
t(lambda: b(lambda s:s.seek(1,1),b'abc'))
t(lambda: b(lambda s:s.truncate(1),b'abc'))
t(lambda: b(lambda s:(s.seek(5),s.write(b'x')),b'ab'))
t(lambda: b(lambda s:s.write(bytearray(b'q'))))
t(lambda: b(lambda s:s.write(memoryview(b'q'))))
t(lambda: b(lambda s:s.writelines([b'a',bytearray(b'b')])))
t(lambda: b(lambda s:(s.readable(),s.writable(),s.seekable(),s.isatty(),s.closed)))
t(lambda: b(lambda s:s.read(-5),b'abc'))
t(lambda: b(lambda s:s.read(None),b'abc'))
t(lambda: b(lambda s:s.read1(),b'abc'))
t(lambda: b(lambda s:s.close()))
t(lambda: b(lambda s:s.readline(1),b'abc'))
t(lambda: b(lambda s:0,bytearray(b'x')))
t(lambda: b(lambda s:0,None))
t(lambda: b(lambda s:s.seek(0,io.SEEK_END),b'ab'))
t(lambda: b(lambda s:s.readlines(1),b'a\nb\n'))
t(lambda: b(lambda s:next(s),b'a\n'))
t(lambda: b(lambda s:s.write('a')))
t(lambda: b(lambda s:s.write(5)))
t(lambda: b(lambda s:s.seek(-1)))
t(lambda: b(lambda s:s.seek(0,5)))
t(lambda: b(lambda s:s.seek(-5,2),b'abc'))
t(lambda: b(lambda s:s.truncate(-1)))
t(lambda: b(lambda s:s.read('a')))
t(lambda: b(lambda s:s.fileno()))
t(lambda: b(lambda s:s.detach()))
t(lambda: b(lambda s:(s.close(),s.read())))
t(lambda: b(lambda s:(s.close(),s.getvalue())))
t(lambda: b(lambda s:(s.close(),s.getbuffer())))
t(lambda: b(lambda s:0,'abc'))
t(lambda: b(lambda s:0,5))
t(lambda: b(lambda s:s.readinto(b'abc')))
t(lambda: b(lambda s:s.foo))
t(lambda: b(lambda s:s.writelines(['a'])))
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
#---- io_1
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


t(lambda: io.IOBase().fileno())
t(lambda: io.RawIOBase().readinto(bytearray(1)))
t(lambda: io.BufferedIOBase().read())
t(lambda: io.TextIOBase().read())
t(lambda: io.TextIOBase().write('a'))
