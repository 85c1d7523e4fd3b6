"""Streams in memory."""
import _io

__all__ = ["BlockingIOError", "IOBase", "RawIOBase", "BytesIO", "StringIO", "BufferedIOBase",
           "BufferedReader", "BufferedWriter", "BufferedRWPair", "BufferedRandom", "TextIOBase",
           "TextIOWrapper", "UnsupportedOperation", "SEEK_SET", "SEEK_CUR", "SEEK_END"]

BlockingIOError = BlockingIOError

SEEK_SET = 0
SEEK_CUR = 1
SEEK_END = 2
DEFAULT_BUFFER_SIZE = 8192


class UnsupportedOperation(OSError, ValueError):
    __module__ = "io"


class IOBase:
    """What all streams can do."""

    __module__ = "io"
    _closed = False

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, *args):
        self.close()

    def __iter__(self):
        self._check()
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def _check(self):
        if self.closed:
            raise ValueError("I/O operation on closed file.")

    def _unsupported(self, name):
        raise UnsupportedOperation(name)

    @property
    def closed(self):
        return self._closed

    def close(self):
        if not self._closed:
            try:
                self.flush()
            finally:
                self._closed = True

    def flush(self):
        if self._closed:
            raise ValueError("I/O operation on closed file.")

    def seek(self, pos, whence=0):
        self._unsupported("seek")

    def tell(self):
        return self.seek(0, 1)

    def truncate(self, pos=None):
        self._unsupported("truncate")

    def fileno(self):
        self._unsupported("fileno")

    def isatty(self):
        self._check()
        return False

    def readable(self):
        return False

    def writable(self):
        return False

    def seekable(self):
        return False

    def _checkReadable(self):
        if not self.readable():
            raise UnsupportedOperation("File or stream is not readable.")

    def _checkWritable(self):
        if not self.writable():
            raise UnsupportedOperation("File or stream is not writable.")

    def _checkSeekable(self):
        if not self.seekable():
            raise UnsupportedOperation("File or stream is not seekable.")

    def readline(self, size=-1, /):
        size = -1 if size is None else size
        line = bytearray()
        while (size < 0 or len(line) < size) and not line.endswith(b"\n"):
            more = self.read(1)
            if not more:
                break
            line += more
        return bytes(line)

    def readlines(self, hint=-1):
        if hint is None or hint <= 0:
            return list(self)
        lines = []
        total = 0
        for line in self:
            lines.append(line)
            total += len(line)
            if total > hint:
                break
        return lines

    def writelines(self, lines):
        self._check()
        for line in lines:
            self.write(line)


class RawIOBase(IOBase):
    __module__ = "io"

    def read(self, size=-1, /):
        if size is None or size < 0:
            return self.readall()
        buffer = bytearray(size)
        count = self.readinto(buffer)
        return None if count is None else bytes(buffer[:count])

    def readall(self):
        found = bytearray()
        while more := self.read(DEFAULT_BUFFER_SIZE):
            found += more
        return bytes(found) if found else more

    def readinto(self, buffer, /):
        raise NotImplementedError

    def write(self, data, /):
        raise NotImplementedError


class BufferedIOBase(IOBase):
    __module__ = "io"

    def read(self, size=-1, /):
        self._unsupported("read")

    def read1(self, size=-1, /):
        self._unsupported("read1")

    def readinto(self, buffer, /):
        return self._into(buffer, self.read)

    def readinto1(self, buffer, /):
        return self._into(buffer, self.read1)

    def _into(self, buffer, read):
        view = memoryview(buffer)
        data = read(len(view))
        view[:len(data)] = data
        return len(data)

    def write(self, data, /):
        self._unsupported("write")

    def detach(self):
        self._unsupported("detach")


class TextIOBase(IOBase):
    __module__ = "io"
    encoding = None
    errors = None
    newlines = None

    def read(self, size=-1, /):
        self._unsupported("read")

    def readline(self, size=-1, /):
        self._unsupported("readline")

    def write(self, text, /):
        self._unsupported("write")

    def detach(self):
        self._unsupported("detach")


class _Layer:
    # What lies over another stream.
    _below = None
    _gone = "raw stream has been detached"

    def _under(self):
        if self._below is None:
            raise ValueError(self._gone)
        return self._below

    def detach(self):
        below = self._under()
        self.flush()
        self._below = None
        return below

    def __repr__(self):
        try:
            return f"<{type(self).__module__}.{type(self).__qualname__} name={self.name!r}>"
        except Exception:
            return f"<{type(self).__module__}.{type(self).__qualname__}>"

    @property
    def closed(self):
        return self._under().closed

    @property
    def name(self):
        return self._under().name

    @property
    def mode(self):
        return self._under().mode

    def seekable(self):
        return self._under().seekable()

    def readable(self):
        return self._under().readable()

    def writable(self):
        return self._under().writable()

    def fileno(self):
        return self._under().fileno()

    def isatty(self):
        return self._under().isatty()

    def close(self):
        if self._below is not None and not self.closed:
            try:
                self.flush()
            finally:
                self._below.close()


class _Buffered(_Layer, BufferedIOBase):
    def __init__(self, raw, buffer_size=DEFAULT_BUFFER_SIZE):
        if buffer_size <= 0:
            raise ValueError("buffer size must be strictly positive")
        self._below = raw
        self._size = buffer_size
        self._ahead = b""
        self._late = bytearray()

    raw = property(lambda self: self._under())

    def flush(self):
        if self.closed:
            raise ValueError("flush of closed file")
        while self._late:
            count = self._below.write(bytes(self._late))
            if count is None:
                raise BlockingIOError(11, "write could not complete without blocking", 0)
            del self._late[:count]
        self._below.flush()

    def tell(self):
        return self._under().tell() - len(self._ahead) + len(self._late)

    def seek(self, pos, whence=0, /):
        if whence not in (0, 1, 2):
            raise ValueError(f"whence value {whence} unsupported")
        self._checkSeekable()
        self.flush()
        if whence == 1:
            pos -= len(self._ahead)
        self._ahead = b""
        return self._below.seek(pos, whence)

    def truncate(self, pos=None, /):
        self.flush()
        return self._below.truncate(self.tell() if pos is None else pos)


class BufferedReader(_Buffered):
    __module__ = "_io"

    def __init__(self, raw, buffer_size=DEFAULT_BUFFER_SIZE):
        if not raw.readable():
            raise UnsupportedOperation("File or stream is not readable.")
        _Buffered.__init__(self, raw, buffer_size)

    def _ready(self, name):
        if self.closed:
            raise ValueError(name + " of closed file")
        if self._late:
            self.flush()

    def _fill(self):
        if not self._ahead:
            self._ahead = self._below.read(self._size) or b""

    def _take(self, count):
        taken, self._ahead = self._ahead[:count], self._ahead[count:]
        return taken

    def read(self, size=-1, /):
        if size is not None and size < -1:
            raise ValueError("read length must be non-negative or -1")
        self._ready("read")
        if size is None or size < 0:
            return self._take(len(self._ahead)) + (self._below.read() or b"")
        found = self._take(size)
        while len(found) < size:
            more = self._below.read(max(self._size, size - len(found)))
            if not more:
                break
            self._ahead = more
            found += self._take(size - len(found))
        return found

    def read1(self, size=-1, /):
        self._ready("read1")
        if size < 0:
            size = self._size
        if size:
            self._fill()
        return self._take(size)

    def peek(self, size=0, /):
        self._ready("peek")
        self._fill()
        return self._ahead

    def readline(self, size=-1, /):
        self._ready("readline")
        size = -1 if size is None else size
        line = b""
        while size < 0 or len(line) < size:
            self._fill()
            if not self._ahead:
                break
            end = self._ahead.find(b"\n") + 1 or len(self._ahead)
            line += self._take(end if size < 0 else min(end, size - len(line)))
            if line.endswith(b"\n"):
                break
        return line


class BufferedWriter(_Buffered):
    __module__ = "_io"

    def __init__(self, raw, buffer_size=DEFAULT_BUFFER_SIZE):
        if not raw.writable():
            raise UnsupportedOperation("File or stream is not writable.")
        _Buffered.__init__(self, raw, buffer_size)

    def write(self, data, /):
        if isinstance(data, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        if self.closed:
            raise ValueError("write to closed file")
        if self._ahead:
            self._below.seek(-len(self._ahead), 1)
            self._ahead = b""
        data = bytes(memoryview(data))
        if len(self._late) + len(data) > self._size:
            self.flush()
        self._late += data
        if len(self._late) > self._size:
            self.flush()
        return len(data)


class BufferedRandom(BufferedWriter, BufferedReader):
    __module__ = "_io"

    def __init__(self, raw, buffer_size=DEFAULT_BUFFER_SIZE):
        raw._checkSeekable()
        BufferedReader.__init__(self, raw, buffer_size)
        raw._checkWritable()


class BufferedRWPair(BufferedIOBase):
    __module__ = "_io"

    def __init__(self, reader, writer, buffer_size=DEFAULT_BUFFER_SIZE, /):
        self._reader = BufferedReader(reader, buffer_size)
        self._writer = BufferedWriter(writer, buffer_size)
        for name in ("read", "read1", "peek", "readinto", "readinto1", "readable", "readline"):
            setattr(self, name, getattr(self._reader, name))
        for name in ("write", "writable", "flush"):
            setattr(self, name, getattr(self._writer, name))

    closed = property(lambda self: self._writer.closed)

    def isatty(self):
        return self._writer.isatty() or self._reader.isatty()

    def close(self):
        self._writer.close()
        self._reader.close()


class TextIOWrapper(_Layer, TextIOBase):
    __module__ = "_io"
    _gone = "underlying buffer has been detached"

    def __init__(self, buffer, encoding=None, errors=None, newline=None, line_buffering=False,
                 write_through=False):
        if newline is not None and not isinstance(newline, str):
            raise TypeError(f"illegal newline type: {type(newline).__name__}")
        if newline not in (None, "", "\n", "\r", "\r\n"):
            raise ValueError(f"illegal newline value: {newline!r}")
        self._below = buffer
        self._encoding = encoding or "UTF-8"
        "".encode(self._encoding)
        self._errors = errors or "strict"
        self._newline = newline
        self.line_buffering = bool(line_buffering)
        self.write_through = bool(write_through)
        self._late = bytearray()
        self._ahead = None

    buffer = property(lambda self: self._under())
    encoding = property(lambda self: self._encoding)
    errors = property(lambda self: self._errors)
    newlines = property(lambda self: None if self._ahead is None else self._ahead.newlines)

    def __repr__(self):
        text = "<_io.TextIOWrapper"
        for what in ("name", "mode"):
            try:
                text += f" {what}={getattr(self, what)!r}"
            except Exception:
                pass
        return f"{text} encoding={self._encoding!r}>"

    def reconfigure(self, *, encoding=None, errors=None, newline=..., line_buffering=None,
                    write_through=None):
        self.flush()
        if encoding is not None:
            self._encoding, self._errors = encoding, errors or "strict"
        elif errors is not None:
            self._errors = errors
        if newline is not ...:
            self._newline = newline
        if line_buffering is not None:
            self.line_buffering = bool(line_buffering)
        if write_through is not None:
            self.write_through = bool(write_through)

    def _ready(self):
        if self.closed:
            raise ValueError("I/O operation on closed file.")

    def _text(self):
        # All that is left below, as text.
        self._ready()
        if not self.readable():
            raise UnsupportedOperation("not readable")
        if self._ahead is None:
            self._send()
            text = (self._below.read() or b"").decode(self._encoding, self._errors)
            # Other ends of lines are looked for in readline().
            self._ahead = StringIO(text, None if self._newline is None else
                                   "\n" if self._newline else "")
            self._whole = text
        return self._ahead

    def _send(self):
        if self._late:
            data = bytes(self._late)
            self._late.clear()
            self._below.write(data)

    def _back(self):
        # Puts what nobody has read back where it came from.
        if self._ahead is not None:
            left = self._ahead.read()
            self._ahead = None
            if left and self._below.seekable():
                if self._newline is None:
                    kept = StringIO(self._whole, "")
                    done = len(StringIO(self._whole, None).getvalue()) - len(left)
                    while done > 0:
                        done -= 1
                        if kept.read(1) == "\r" and self._whole[kept.tell():kept.tell() + 1] == "\n":
                            kept.read(1)
                    left = kept.read()
                self._below.seek(-len(left.encode(self._encoding, self._errors)), 1)

    def read(self, size=-1, /):
        return self._text().read(-1 if size is None else size)

    def readline(self, size=-1, /):
        ahead = self._text()
        if self._newline not in ("\r", "\r\n"):
            return ahead.readline(size)
        start = ahead.tell()
        end = self._whole.find(self._newline, start)
        end = len(self._whole) if end < 0 else end + len(self._newline)
        size = -1 if size is None else size
        return ahead.read(end - start if size < 0 else min(size, end - start))

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def write(self, text, /):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._ready()
        if not self.writable():
            raise UnsupportedOperation("not writable")
        self._back()
        lines = "\n" in text
        out = text.replace("\n", self._newline) if self._newline and lines else text
        self._late += out.encode(self._encoding, self._errors)
        if (len(self._late) > DEFAULT_BUFFER_SIZE or self.write_through or
                self.line_buffering and (lines or "\r" in text)):
            self._send()
            if self.line_buffering:
                self._below.flush()
        return len(text)

    def flush(self):
        self._ready()
        self._send()
        self._below.flush()

    def tell(self):
        self._ready()
        if not self.seekable():
            raise UnsupportedOperation("underlying stream is not seekable")
        self.flush()
        self._back()
        return self._below.tell()

    def seek(self, cookie, whence=0, /):
        self._ready()
        if not self.seekable():
            raise UnsupportedOperation("underlying stream is not seekable")
        if cookie and whence == 1:
            raise UnsupportedOperation("can't do nonzero cur-relative seeks")
        if cookie and whence == 2:
            raise UnsupportedOperation("can't do nonzero end-relative seeks")
        if whence == 1:
            cookie, whence = self.tell(), 0
        self.flush()
        self._ahead = None
        return self._below.seek(cookie, whence)

    def truncate(self, pos=None, /):
        self.flush()
        return self._below.truncate(self.tell() if pos is None else pos)


class StringIO(_io.StringIO, TextIOBase):
    """Text in memory."""

    __module__ = "_io"


class BytesIO(_io.BytesIO, BufferedIOBase):
    """Bytes in memory."""

    __module__ = "_io"
