"""Messages with levels, from loggers in a tree to handlers. They go to streams; there are no files."""
import sys
import time
import traceback

CRITICAL = FATAL = 50
ERROR = 40
WARNING = WARN = 30
INFO = 20
DEBUG = 10
NOTSET = 0
_names = {50: 'CRITICAL', 40: 'ERROR', 30: 'WARNING', 20: 'INFO', 10: 'DEBUG', 0: 'NOTSET'}
_levels = {**{name: level for level, name in _names.items()}, 'FATAL': 50, 'WARN': 30}
BASIC_FORMAT = '%(levelname)s:%(name)s:%(message)s'
_started = time.perf_counter()
raiseExceptions = True
logThreads = logMultiprocessing = logProcesses = logAsyncioTasks = True


def getLevelName(level):
    found = _names.get(level, _levels.get(level))
    return f'Level {level}' if found is None else found


def getLevelNamesMapping():
    return dict(_levels)


def addLevelName(level, levelName):
    _names[level] = levelName
    _levels[levelName] = level


def _checkLevel(level):
    if isinstance(level, int):
        return level
    if not isinstance(level, str):
        raise TypeError(f'Level not an integer or a valid string: {level!r}')
    if level not in _levels:
        raise ValueError(f'Unknown level: {level!r}')
    return _levels[level]


class LogRecord:
    def __init__(self, name, level, pathname, lineno, msg, args, exc_info, func=None, sinfo=None,
                 **kwargs):
        self.name, self.msg = name, msg
        if args and len(args) == 1 and isinstance(args[0], dict) and args[0]:
            args = args[0]
        self.args = args
        self.levelname, self.levelno = getLevelName(level), level
        self.pathname, self.lineno, self.funcName = pathname, lineno, func
        self.filename = pathname.rpartition('/')[2]
        self.module = self.filename.rpartition('.')[0] or self.filename
        self.exc_info, self.exc_text, self.stack_info = exc_info, None, sinfo
        try:
            self.created = time.time()
        except Exception:  # the host may keep the date to itself
            self.created = 0.0
        self.msecs = int((self.created - int(self.created)) * 1000) + 0.0
        self.relativeCreated = (time.perf_counter() - _started) * 1000
        self.thread, self.threadName, self.process, self.processName = 1, 'MainThread', 1, 'MainProcess'
        self.taskName = None

    def __repr__(self):
        return (f'<LogRecord: {self.name}, {self.levelno}, {self.pathname}, {self.lineno}, '
                f'"{self.msg}">')

    def getMessage(self):
        text = str(self.msg)
        return text % self.args if self.args else text


def makeLogRecord(dict):
    made = LogRecord(None, 0, '', 0, '', (), None, None)
    made.__dict__.update(dict)
    return made


class Formatter:
    default_time_format = '%Y-%m-%d %H:%M:%S'
    default_msec_format = '%s,%03d'
    converter = time.localtime

    def __init__(self, fmt=None, datefmt=None, style='%', validate=True, *, defaults=None):
        if style not in ('%', '{', '$'):
            raise ValueError('Style must be one of: %,{,$')
        self._style = style
        self._fmt = fmt or {'%': '%(message)s', '{': '{message}', '$': '${message}'}[style]
        self.datefmt, self._defaults = datefmt, defaults or {}

    def usesTime(self):
        return {'%': '%(asctime)', '{': '{asctime', '$': '$asctime'}[self._style] in self._fmt

    def formatTime(self, record, datefmt=None):
        parts = time.localtime(record.created)
        if datefmt:
            return time.strftime(datefmt, parts)
        return self.default_msec_format % (time.strftime(self.default_time_format, parts),
                                           record.msecs)

    def formatException(self, ei):
        return ''.join(traceback.format_exception(*ei)).rstrip('\n')

    def formatStack(self, stack_info):
        return stack_info

    def formatMessage(self, record):
        values = {**self._defaults, **record.__dict__}
        if self._style == '%':
            return self._fmt % values
        if self._style == '{':
            return self._fmt.format(**values)
        from string import Template
        return Template(self._fmt).substitute(values)

    def format(self, record):
        record.message = record.getMessage()
        if self.usesTime():
            record.asctime = self.formatTime(record, self.datefmt)
        text = self.formatMessage(record)
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        for more in (record.exc_text, record.stack_info):
            if more:
                text += ('' if text.endswith('\n') else '\n') + more
        return text


_plain = Formatter()


class Filter:
    def __init__(self, name=''):
        self.name = name

    def filter(self, record):
        return not self.name or (record.name + '.').startswith(self.name + '.')


class Filterer:
    def __init__(self):
        self.filters = []

    def addFilter(self, filter):
        if filter not in self.filters:
            self.filters.append(filter)

    def removeFilter(self, filter):
        if filter in self.filters:
            self.filters.remove(filter)

    def filter(self, record):
        return all(f.filter(record) if hasattr(f, 'filter') else f(record) for f in self.filters)


class Handler(Filterer):
    def __init__(self, level=NOTSET):
        super().__init__()
        self.level, self.formatter, self._name = _checkLevel(level), None, None

    name = property(lambda self: self._name, lambda self, name: setattr(self, '_name', name))

    def get_name(self):
        return self._name

    def set_name(self, name):
        self._name = name

    def setLevel(self, level):
        self.level = _checkLevel(level)

    def setFormatter(self, fmt):
        self.formatter = fmt

    def format(self, record):
        return (self.formatter or _plain).format(record)

    def emit(self, record):
        raise NotImplementedError('emit must be implemented by Handler subclasses')

    def handle(self, record):
        passed = self.filter(record)
        if passed:
            self.emit(record)
        return passed

    def acquire(self):
        pass

    createLock = release = flush = close = acquire

    def handleError(self, record):
        if raiseExceptions:
            sys.stderr.write('--- Logging error ---\n')
            traceback.print_exc()

    def __repr__(self):
        return f'<{type(self).__name__} ({getLevelName(self.level)})>'


class StreamHandler(Handler):
    terminator = '\n'

    def __init__(self, stream=None):
        super().__init__()
        self.stream = stream or sys.stderr

    def flush(self):
        if hasattr(self.stream, 'flush'):
            self.stream.flush()

    def setStream(self, stream):
        old = self.stream
        self.stream = stream
        return None if old is stream else old

    def emit(self, record):
        try:
            self.stream.write(self.format(record) + self.terminator)
            self.flush()
        except RecursionError:
            raise
        except Exception:
            self.handleError(record)

    def __repr__(self):
        name = str(getattr(self.stream, 'name', ''))
        return f'<{type(self).__name__} {name + " " if name else ""}({getLevelName(self.level)})>'


class NullHandler(Handler):
    def handle(self, record):
        pass

    emit = handle


class _LastResort(StreamHandler):
    def __init__(self, level):
        Handler.__init__(self, level)

    stream = property(lambda self: sys.stderr)


lastResort = _LastResort(WARNING)


class Logger(Filterer):
    def __init__(self, name, level=NOTSET):
        super().__init__()
        self.name, self.level = name, _checkLevel(level)
        self.parent, self.propagate, self.handlers, self.disabled = None, True, [], False

    def setLevel(self, level):
        self.level = _checkLevel(level)

    def getEffectiveLevel(self):
        logger = self
        while logger is not None and not logger.level:
            logger = logger.parent
        return NOTSET if logger is None else logger.level

    def isEnabledFor(self, level):
        return not self.disabled and level > _disabled[0] and level >= self.getEffectiveLevel()

    def getChild(self, suffix):
        return getLogger(suffix if self is root else f'{self.name}.{suffix}')

    def addHandler(self, hdlr):
        if hdlr not in self.handlers:
            self.handlers.append(hdlr)

    def removeHandler(self, hdlr):
        if hdlr in self.handlers:
            self.handlers.remove(hdlr)

    def hasHandlers(self):
        logger = self
        while logger is not None:
            if logger.handlers:
                return True
            logger = logger.parent if logger.propagate else None
        return False

    def makeRecord(self, name, level, fn, lno, msg, args, exc_info, func=None, extra=None,
                   sinfo=None):
        made = LogRecord(name, level, fn, lno, msg, args, exc_info, func, sinfo)
        for key, value in (extra or {}).items():
            if key in ('message', 'asctime') or key in made.__dict__:
                raise KeyError(f'Attempt to overwrite {key!r} in LogRecord')
            made.__dict__[key] = value
        return made

    def _log(self, level, msg, args, exc_info=None, extra=None, stack_info=False, stacklevel=1):
        frame = sys._getframe(1)
        while frame.f_back is not None and (frame.f_code.co_filename == _file or stacklevel > 1):
            stacklevel -= frame.f_code.co_filename != _file
            frame = frame.f_back
        stack = None
        if stack_info:
            stack = 'Stack (most recent call last):\n' + ''.join(traceback.format_stack(frame))
            stack = stack.rstrip('\n')
        if isinstance(exc_info, BaseException):
            exc_info = (type(exc_info), exc_info, exc_info.__traceback__)
        elif exc_info and not isinstance(exc_info, tuple):
            exc_info = sys.exc_info()
        code = frame.f_code
        self.handle(self.makeRecord(self.name, level, code.co_filename, frame.f_lineno, msg, args,
                                    exc_info or None, code.co_name, extra, stack))

    def handle(self, record):
        if not self.disabled and self.filter(record):
            self.callHandlers(record)

    def callHandlers(self, record):
        logger, found = self, 0
        while logger is not None:
            for handler in list(logger.handlers):
                found += 1
                if record.levelno >= handler.level:
                    handler.handle(record)
            logger = logger.parent if logger.propagate else None
        if not found and lastResort is not None and record.levelno >= lastResort.level:
            lastResort.handle(record)

    def debug(self, msg, *args, **kwargs):
        if self.isEnabledFor(DEBUG):
            self._log(DEBUG, msg, args, **kwargs)

    def info(self, msg, *args, **kwargs):
        if self.isEnabledFor(INFO):
            self._log(INFO, msg, args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        if self.isEnabledFor(WARNING):
            self._log(WARNING, msg, args, **kwargs)

    def error(self, msg, *args, **kwargs):
        if self.isEnabledFor(ERROR):
            self._log(ERROR, msg, args, **kwargs)

    def critical(self, msg, *args, **kwargs):
        if self.isEnabledFor(CRITICAL):
            self._log(CRITICAL, msg, args, **kwargs)

    def exception(self, msg, *args, exc_info=True, **kwargs):
        self.error(msg, *args, exc_info=exc_info, **kwargs)

    def log(self, level, msg, *args, **kwargs):
        if not isinstance(level, int):
            raise TypeError('level must be an integer')
        if self.isEnabledFor(level):
            self._log(level, msg, args, **kwargs)

    fatal, warn = critical, warning

    def __repr__(self):
        level = getLevelName(self.getEffectiveLevel())
        return f'<{type(self).__name__} {self.name} ({level})>'

    def __reduce__(self):
        return getLogger, (self.name,)


class RootLogger(Logger):
    def __init__(self, level):
        super().__init__('root', level)

    def __reduce__(self):
        return getLogger, ()


class LoggerAdapter:
    def __init__(self, logger, extra=None):
        self.logger, self.extra = logger, extra

    def process(self, msg, kwargs):
        kwargs['extra'] = self.extra
        return msg, kwargs

    def log(self, level, msg, *args, **kwargs):
        if self.logger.isEnabledFor(level):
            msg, kwargs = self.process(msg, kwargs)
            self.logger.log(level, msg, *args, **kwargs)

    def debug(self, msg, *args, **kwargs):
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg, *args, **kwargs):
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        self.log(WARNING, msg, *args, **kwargs)

    def error(self, msg, *args, **kwargs):
        self.log(ERROR, msg, *args, **kwargs)

    def critical(self, msg, *args, **kwargs):
        self.log(CRITICAL, msg, *args, **kwargs)

    def exception(self, msg, *args, exc_info=True, **kwargs):
        self.log(ERROR, msg, *args, exc_info=exc_info, **kwargs)

    def __getattr__(self, name):
        return getattr(self.logger, name)


_file = LoggerAdapter.__init__.__code__.co_filename
_disabled = [0]
_loggers = {}
root = RootLogger(WARNING)
_class = [Logger]


def getLogger(name=None):
    if not name or name == 'root':
        return root
    if not isinstance(name, str):
        raise TypeError('A logger name must be a string')
    if name not in _loggers:
        made = _loggers[name] = _class[0](name)
        made.parent = root
        before = name
        while '.' in before:
            before = before.rpartition('.')[0]
            if before in _loggers:
                made.parent = _loggers[before]
                break
        for other in _loggers.values():
            if other.name.startswith(name + '.') and not other.parent.name.startswith(name + '.'):
                other.parent = made
    return _loggers[name]


def getLoggerClass():
    return _class[0]


def setLoggerClass(klass):
    _class[0] = klass


def disable(level=CRITICAL):
    _disabled[0] = _checkLevel(level)


def basicConfig(*, force=False, filename=None, stream=None, handlers=None, format=None,
                datefmt=None, style='%', level=None, **more):
    if filename is not None:
        raise ValueError('there are no files to log to')
    if more:
        raise ValueError('Unrecognised argument(s): ' + ', '.join(more))
    if stream is not None and handlers is not None:
        raise ValueError("'stream' or 'filename' should not be specified together with 'handlers'")
    if force:
        root.handlers.clear()
    if root.handlers:
        return
    text = format or {'%': BASIC_FORMAT, '{': '{levelname}:{name}:{message}',
                      '$': '${levelname}:${name}:${message}'}[style]
    formatter = Formatter(text, datefmt, style)
    for handler in [StreamHandler(stream)] if handlers is None else handlers:
        if handler.formatter is None:
            handler.setFormatter(formatter)
        root.addHandler(handler)
    if level is not None:
        root.setLevel(level)


def _of_root(name):
    method = getattr(Logger, name)

    def call(msg, *args, **kwargs):
        if not root.handlers:
            basicConfig()
        method(root, msg, *args, **kwargs)
    call.__name__ = call.__qualname__ = name
    return call


debug, info, warning, error, critical, exception, log = [
    _of_root(name) for name in ('debug', 'info', 'warning', 'error', 'critical', 'exception', 'log')]
fatal, warn = critical, warning


def captureWarnings(capture):
    pass


def shutdown(handlerList=()):
    pass
