"""Streams in memory."""

__all__ = ["StringIO", "BytesIO", "IOBase", "RawIOBase", "BufferedIOBase", "TextIOBase",
           "UnsupportedOperation", "SEEK_SET", "SEEK_CUR", "SEEK_END", "DEFAULT_BUFFER_SIZE"]

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
        if self._closed:
            raise ValueError("I/O operation on closed file.")

    def _unsupported(self, name):
        raise UnsupportedOperation(name)

    @property
    def closed(self):
        return self._closed

    def close(self):
        self._closed = True

    def flush(self):
        self._check()

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

    def readline(self, size=-1):
        self._unsupported("readline")

    def readlines(self, hint=-1):
        if hint is None or hint <= 0:
            return list(self)
        lines = []
        total = 0
        for line in self:
            lines.append(line)
            total += len(line)
            if total >= hint:
                break
        return lines

    def writelines(self, lines):
        self._check()
        for line in lines:
            self.write(line)


class RawIOBase(IOBase):
    __module__ = "io"


class BufferedIOBase(IOBase):
    __module__ = "io"


class TextIOBase(IOBase):
    __module__ = "io"
    encoding = None
    errors = None
    newlines = None


def _size(size, what="integer"):
    if size is None:
        return -1
    if not hasattr(size, "__index__"):
        raise TypeError(f"argument should be integer or None, not '{type(size).__name__}'")
    return size.__index__()


class StringIO(TextIOBase):
    """Text in memory. What is written at the end is joined when somebody looks."""

    __module__ = "_io"

    def __init__(self, initial_value="", newline="\n"):
        if newline is not None and not isinstance(newline, str):
            raise TypeError(f"newline must be str or None, not {type(newline).__name__}")
        if newline not in (None, "", "\n", "\r", "\r\n"):
            raise ValueError(f"illegal newline value: {newline!r}")
        if initial_value is not None and not isinstance(initial_value, str):
            raise TypeError("initial_value must be str or None, not "
                            f"{type(initial_value).__name__}")
        self._text = ""
        self._parts = []
        self._pos = 0
        self._end = 0
        self._closed = False
        self._newline = newline
        if initial_value:
            self.write(initial_value)
            self._pos = 0

    def _join(self):
        if self._parts:
            self._parts.insert(0, self._text)
            self._text = "".join(self._parts)
            self._parts = []
        return self._text

    def _check(self):
        if self._closed:
            raise ValueError("I/O operation on closed file")

    def __enter__(self):
        IOBase._check(self)
        return self

    @property
    def line_buffering(self):
        return False

    def getvalue(self):
        self._check()
        return self._join()

    def readable(self):
        self._check()
        return True

    writable = seekable = readable

    def write(self, s, /):
        if not isinstance(s, str):
            raise TypeError(f"string argument expected, got '{type(s).__name__}'")
        self._check()
        given = len(s)
        newline = self._newline
        if newline is None:
            if "\r" in s:
                s = s.replace("\r\n", "\n").replace("\r", "\n")
        elif newline not in ("", "\n"):
            s = s.replace("\n", newline)
        if not s:
            return given
        size = len(s)
        if self._pos == self._end:
            self._parts.append(s)
        else:
            text = self._join()
            if self._pos > self._end:
                text += "\0" * (self._pos - self._end)
            self._text = text[:self._pos] + s + text[self._pos + size:]
        self._pos += size
        self._end = max(self._end, self._pos)
        return given

    def read(self, size=-1, /):
        self._check()
        size = _size(size)
        text = self._join()
        start = self._pos
        stop = len(text) if size < 0 else min(start + size, len(text))
        if start >= stop:
            return ""
        self._pos = stop
        return text[start:stop]

    def _line_end(self, text, start):
        newline = self._newline
        if newline == "":
            for i in range(start, len(text)):
                c = text[i]
                if c == "\n":
                    return i + 1
                if c == "\r":
                    return i + 2 if text[i + 1:i + 2] == "\n" else i + 1
            return len(text)
        mark = newline or "\n"
        i = text.find(mark, start)
        return len(text) if i < 0 else i + len(mark)

    def readline(self, size=-1, /):
        self._check()
        size = _size(size)
        text = self._join()
        start = self._pos
        if start >= len(text):
            return ""
        stop = self._line_end(text, start)
        if size >= 0:
            stop = min(stop, start + size)
        self._pos = stop
        return text[start:stop]

    def seek(self, pos, whence=0, /):
        self._check()
        if whence not in (0, 1, 2):
            raise ValueError(f"Invalid whence ({whence}, should be 0, 1 or 2)")
        if whence == 0 and pos < 0:
            raise ValueError(f"Negative seek position {pos}")
        if whence and pos:
            raise OSError("Can't do nonzero cur-relative seeks")
        if whence == 1:
            pos = self._pos
        elif whence == 2:
            pos = self._end
        self._pos = pos
        return pos

    def tell(self):
        self._check()
        return self._pos

    def truncate(self, pos=None, /):
        self._check()
        if pos is None:
            pos = self._pos
        elif not hasattr(pos, "__index__"):
            raise TypeError(f"argument should be integer or None, not '{type(pos).__name__}'")
        if pos < 0:
            raise ValueError(f"Negative size value {pos}")
        text = self._join()
        if pos < len(text):
            self._text = text[:pos]
            self._end = pos
        return pos

    def close(self):
        self._closed = True
        self._text = ""
        self._parts = []


class BytesIO(BufferedIOBase):
    """Bytes in memory."""

    __module__ = "_io"

    def __init__(self, initial_bytes=b""):
        if isinstance(initial_bytes, (str, int)):
            kind = type(initial_bytes).__name__
            raise TypeError(f"a bytes-like object is required, not '{kind}'")
        self._data = bytearray() if initial_bytes is None else bytearray(initial_bytes)
        self._pos = 0
        self._closed = False

    def _check(self):
        if self._closed:
            raise ValueError("I/O operation on closed file.")

    def getvalue(self):
        self._check()
        return bytes(self._data)

    def getbuffer(self):
        self._check()
        return memoryview(self._data)

    def readable(self):
        self._check()
        return True

    writable = seekable = readable

    def write(self, b, /):
        self._check()
        if isinstance(b, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        b = bytes(b) if not isinstance(b, (bytes, bytearray)) else b
        size = len(b)
        if not size:
            return 0
        end = len(self._data)
        if self._pos > end:
            self._data += b"\0" * (self._pos - end)
        self._data[self._pos:self._pos + size] = b
        self._pos += size
        return size

    def read(self, size=-1, /):
        self._check()
        size = _size(size)
        stop = len(self._data) if size < 0 else min(self._pos + size, len(self._data))
        if self._pos >= stop:
            return b""
        out = bytes(self._data[self._pos:stop])
        self._pos = stop
        return out

    def read1(self, size=-1, /):
        return self.read(size)

    def readinto(self, b, /):
        data = self.read(len(b))
        b[:len(data)] = data
        return len(data)

    readinto1 = readinto

    def readline(self, size=-1, /):
        self._check()
        size = _size(size)
        i = self._data.find(b"\n", self._pos)
        stop = len(self._data) if i < 0 else i + 1
        if size >= 0:
            stop = min(stop, self._pos + size)
        if self._pos >= stop:
            return b""
        out = bytes(self._data[self._pos:stop])
        self._pos = stop
        return out

    def seek(self, pos, whence=0, /):
        self._check()
        if whence == 0:
            if pos < 0:
                raise ValueError(f"negative seek value {pos}")
        elif whence == 1:
            pos = max(0, self._pos + pos)
        elif whence == 2:
            pos = max(0, len(self._data) + pos)
        else:
            raise ValueError(f"invalid whence ({whence}, should be 0, 1 or 2)")
        self._pos = pos
        return pos

    def tell(self):
        self._check()
        return self._pos

    def truncate(self, size=None, /):
        self._check()
        size = self._pos if size is None else _size(size)
        if size < 0:
            raise ValueError(f"negative size value {size}")
        del self._data[size:]
        return size

    def close(self):
        self._closed = True
        self._data = bytearray()
