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
