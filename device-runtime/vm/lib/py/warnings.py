"""Warnings: filters, and who sees them."""
import sys
import re as _re
import _ferry

filters = []
defaultaction = 'default'
_once = {}


class WarningMessage:
    def __init__(self, message, category, filename, lineno, file=None, line=None, source=None):
        self.message = message
        self.category = category
        self.filename = filename
        self.lineno = lineno
        self.file = file
        self.line = line
        self.source = source
        self._category_name = category.__name__ if category else None

    def __str__(self):
        return ('{message : %r, category : %r, filename : %r, lineno : %s, line : %r}'
                % (self.message, self._category_name, self.filename, self.lineno, self.line))


def formatwarning(message, category, filename, lineno, line=None):
    text = f'{filename}:{lineno}: {category.__name__}: {message}\n'
    return text + f'  {line.strip()}\n' if line else text


def showwarning(message, category, filename, lineno, file=None, line=None):
    (file or sys.stderr).write(formatwarning(message, category, filename, lineno, line))


def _insert(item, append):
    if append:
        if item not in filters:
            filters.append(item)
    else:
        if item in filters:
            filters.remove(item)
        filters.insert(0, item)


def _check_action(action):
    if action not in ('error', 'ignore', 'always', 'default', 'module', 'once'):
        raise AssertionError(f'invalid action: {action!r}')


def filterwarnings(action, message='', category=Warning, module='', lineno=0, append=False):
    _check_action(action)
    _insert((action, _re.compile(message, _re.I) if message else None, category,
             _re.compile(module) if module else None, lineno), append)


def simplefilter(action, category=Warning, lineno=0, append=False):
    _check_action(action)
    _insert((action, None, category, None, lineno), append)


def resetwarnings():
    filters[:] = []


def warn(message, category=None, stacklevel=1, source=None):
    if isinstance(message, Warning):
        category = message.__class__
    category = UserWarning if category is None else category
    if not (isinstance(category, type) and issubclass(category, Warning)):
        raise TypeError(f"category must be a Warning subclass, not '{type(category).__name__}'")
    file, line, module = _ferry.place(stacklevel)
    warn_explicit(message, category, file, line, module, source=source)


def warn_explicit(message, category, filename, lineno, module=None, registry=None,
                  module_globals=None, source=None):
    if isinstance(message, Warning):
        text = str(message)
        category = message.__class__
    else:
        text = message
        message = category(message)
    action = defaultaction
    for how, pattern, cls, place, line in filters:
        if ((pattern is None or pattern.match(text)) and issubclass(category, cls)
                and (place is None or place.match(module or '')) and line in (0, lineno)):
            action = how
            break
    if action == 'ignore':
        return
    if action == 'error':
        raise message
    if action != 'always':
        key = (text, category) if action == 'once' else (text, category, filename,
                                                         0 if action == 'module' else lineno)
        if key in _once:
            return
        _once[key] = 1
    if _recorders:
        _recorders[-1].append(WarningMessage(message, category, filename, lineno, source=source))
    else:
        showwarning(message, category, filename, lineno)


_recorders = []


class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None, category=Warning, lineno=0,
                 append=False):
        self._record = record
        self._entered = False
        self._filter = None if action is None else (action, category, lineno, append)

    def __enter__(self):
        global _once
        if self._entered:
            raise RuntimeError(f'Cannot enter {self!r} twice')
        self._entered = True
        self._saved = (list(filters), _once, showwarning)
        _once = {}
        if self._filter is not None:
            simplefilter(*self._filter)
        self._log = [] if self._record else None
        if self._record:
            _recorders.append(self._log)
        return self._log

    def __exit__(self, *info):
        global _once, showwarning
        if not self._entered:
            raise RuntimeError(f'Cannot exit {self!r} without entering first')
        filters[:], _once, showwarning = self._saved
        if self._record:
            _recorders.remove(self._log)


for _category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
    simplefilter('ignore', _category, append=True)
_insert(('default', None, DeprecationWarning, _re.compile('__main__'), 0), False)
