"""Streams in memory."""
import _io

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
        if self.closed:
            raise ValueError("I/O operation on closed file.")

    def _unsupported(self, name):
        raise UnsupportedOperation(name)

    @property
    def closed(self):
        return self._closed

    def close(self):
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
            if total > hint:
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


class StringIO(_io.StringIO, TextIOBase):
    """Text in memory."""

    __module__ = "_io"


class BytesIO(_io.BytesIO, BufferedIOBase):
    """Bytes in memory."""

    __module__ = "_io"
