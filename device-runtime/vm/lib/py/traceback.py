"""Text of exceptions and of how they came by."""
import sys
import _ferry

__all__ = ['FrameSummary', 'StackSummary', 'TracebackException', 'extract_stack', 'extract_tb',
           'format_exc', 'format_stack', 'print_stack', 'walk_stack',
           'format_exception', 'format_exception_only', 'format_list', 'format_tb', 'print_exc',
           'print_exception', 'print_last', 'print_list', 'print_tb', 'walk_tb']
_absent = object()


class FrameSummary:
    def __init__(self, filename, lineno, name, *, lookup_line=True, locals=None, line=None,
                 end_lineno=None, colno=None, end_colno=None):
        self.filename = filename
        self.lineno = lineno
        self.name = name
        self._line = line
        self._text = None
        self.locals = None if locals is None else {k: repr(v) for k, v in locals.items()}

    @property
    def line(self):
        return self._line

    def _fields(self):
        return (self.filename, self.lineno, self.name, self.line)

    def __iter__(self):
        return iter(self._fields())

    def __getitem__(self, i):
        return self._fields()[i]

    def __len__(self):
        return 4

    def __eq__(self, other):
        if isinstance(other, FrameSummary):
            return self._fields() == other._fields()
        return self._fields() == other if isinstance(other, tuple) else NotImplemented

    def __repr__(self):
        return f'<FrameSummary file {self.filename}, line {self.lineno} in {self.name}>'


class StackSummary(list):
    @classmethod
    def from_list(cls, frames):
        return cls(f if isinstance(f, FrameSummary)
                   else FrameSummary(f[0], f[1], f[2], line=f[3]) for f in frames)

    def format_frame_summary(self, frame):
        if frame._text is not None:
            return frame._text
        text = f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}\n'
        return text + f'    {frame.line.strip()}\n' if frame.line else text

    def format(self):
        return [self.format_frame_summary(f) for f in self]


def walk_tb(tb):
    while tb is not None:
        yield tb.tb_frame, tb.tb_lineno
        tb = tb.tb_next


def walk_stack(f):
    if f is None:
        f = sys._getframe(2)
    while f is not None:
        yield f, f.f_lineno
        f = f.f_back


def extract_stack(f=None, limit=None):
    if f is None:
        f = sys._getframe(1)
    made = StackSummary()
    for frame, line in walk_stack(f):
        text = _ferry.frame_text(frame)
        lines = text.split('\n')
        one = FrameSummary(frame.f_code.co_filename, line, frame.f_code.co_name,
                           line=lines[1].strip() if len(lines) > 2 else '')
        made.append(one)
    made.reverse()
    if limit is None:
        return made
    return StackSummary(made[-limit:] if limit >= 0 else made[:-limit])


def format_stack(f=None, limit=None):
    return extract_stack(sys._getframe(1) if f is None else f, limit).format()


def print_stack(f=None, limit=None, file=None):
    made = extract_stack(sys._getframe(1) if f is None else f, limit)
    print(''.join(made.format()), file=file or sys.stderr, end='')


def extract_tb(tb, limit=None):
    made = StackSummary()
    while tb is not None:
        code = tb.tb_frame.f_code
        text = _ferry.frame_text(tb)
        lines = text.split('\n')
        line = lines[1].strip() if len(lines) > 2 else ''
        frame = FrameSummary(code.co_filename, tb.tb_lineno, code.co_name, line=line)
        frame._text = text
        made.append(frame)
        tb = tb.tb_next
    if limit is None:
        return made
    return StackSummary(made[:limit] if limit >= 0 else made[limit:])


def format_list(frames):
    return StackSummary.from_list(frames).format()


def print_list(frames, file=None):
    for text in format_list(frames):
        print(text, file=file or sys.stderr, end='')


def format_tb(tb, limit=None):
    return extract_tb(tb, limit).format()


def print_tb(tb, limit=None, file=None):
    print(''.join(format_tb(tb, limit)), file=file or sys.stderr, end='')


def _exception(exc, value):
    if (value is _absent):
        if exc is not None and not isinstance(exc, BaseException):
            raise TypeError(f'Exception expected for value, {type(exc).__name__} found')
        return exc
    return value


def format_exception_only(exc, /, value=_absent):
    exc = _exception(exc, value)
    if exc is None:
        return ['NoneType: None\n']
    return _ferry.exception_lines(exc).splitlines(True)


def format_exception(exc, /, value=_absent, tb=_absent, limit=None, chain=True):
    exc = _exception(exc, value)
    if exc is None:
        return ['NoneType: None\n']
    if chain and limit is None:
        lines = (_ferry.traceback(exc)).splitlines(True)
        if lines and not lines[-1].endswith('\n'):
            lines[-1] += '\n'
        made = []
        for line in lines:  # a frame is one item
            if made and made[-1].lstrip().startswith('File "') and line.startswith('    '):
                made[-1] += line
            else:
                made.append(line)
        return made
    if tb is _absent:
        tb = exc.__traceback__
    made = ['Traceback (most recent call last):\n'] if tb is not None else []
    return made + format_tb(tb, limit) + format_exception_only(exc)


def print_exception(exc, /, value=_absent, tb=_absent, limit=None, file=None, chain=True):
    text = ''.join(format_exception(exc, value, tb, limit, chain))
    print(text, file=file or sys.stderr, end='')


def format_exc(limit=None, chain=True):
    return ''.join(format_exception(sys.exception(), limit=limit, chain=chain))


def print_exc(limit=None, file=None, chain=True):
    print_exception(sys.exception(), limit=limit, file=file, chain=chain)


def print_last(limit=None, file=None, chain=True):
    raise ValueError('no last exception')


def clear_frames(tb):
    pass


class TracebackException:
    def __init__(self, exc_type, exc_value, exc_traceback, *, limit=None, **options):
        self._exception = exc_value
        self._limit = limit
        self.exc_type = exc_type
        self.stack = extract_tb(exc_traceback, limit)
        self._str = str(exc_value)
        cause, context = exc_value.__cause__, exc_value.__context__
        self.__suppress_context__ = exc_value.__suppress_context__
        self.__cause__ = None if cause is None else TracebackException.from_exception(cause)
        self.__context__ = None if context is None else TracebackException.from_exception(context)
        self.__notes__ = getattr(exc_value, '__notes__', None)

    @classmethod
    def from_exception(cls, exc, *args, **options):
        return cls(type(exc), exc, exc.__traceback__, *args, **options)

    def format_exception_only(self):
        yield from format_exception_only(self._exception)

    def format(self, *, chain=True):
        yield from format_exception(self._exception, limit=self._limit, chain=chain)

    def print(self, *, file=None, chain=True):
        print(''.join(self.format(chain=chain)), file=file or sys.stderr, end='')

    def __str__(self):
        return self._str
