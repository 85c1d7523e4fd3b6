"""Values laid out over lines."""
import collections as _collections
import dataclasses as _dataclasses
import re as _re
import sys as _sys
import types as _types
from io import StringIO as _StringIO

__all__ = ['pprint', 'pformat', 'isreadable', 'isrecursive', 'saferepr', 'PrettyPrinter', 'pp']


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True,
           underscore_numbers=False):
    PrettyPrinter(indent, width, depth, stream, compact=compact, sort_dicts=sort_dicts,
                  underscore_numbers=underscore_numbers).pprint(object)


def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True,
            underscore_numbers=False):
    return PrettyPrinter(indent, width, depth, compact=compact, sort_dicts=sort_dicts,
                         underscore_numbers=underscore_numbers).pformat(object)


def pp(object, *args, sort_dicts=False, **kwargs):
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)


def saferepr(object):
    return PrettyPrinter()._safe(object, {}, None, 0)[0]


def isreadable(object):
    return PrettyPrinter().isreadable(object)


def isrecursive(object):
    return PrettyPrinter().isrecursive(object)


class _Key:
    __slots__ = ('value',)

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        try:
            return self.value < other.value
        except TypeError:
            return ((str(type(self.value)), id(self.value))
                    < (str(type(other.value)), id(other.value)))


def _pair(item):
    return _Key(item[0]), _Key(item[1])


def _recursion(object):
    return f'<Recursion on {type(object).__name__} with id={id(object)}>'


class PrettyPrinter:
    def __init__(self, indent=1, width=80, depth=None, stream=None, *, compact=False,
                 sort_dicts=True, underscore_numbers=False):
        indent, width = int(indent), int(width)
        if indent < 0:
            raise ValueError('indent must be >= 0')
        if depth is not None and depth <= 0:
            raise ValueError('depth must be > 0')
        if not width:
            raise ValueError('width must be != 0')
        self._depth, self._step, self._width, self._stream = depth, indent, width, stream
        self._compact, self._sort, self._underscores = bool(compact), sort_dicts, underscore_numbers

    def pprint(self, object):
        stream = _sys.stdout if self._stream is None else self._stream
        stream.write(self.pformat(object) + '\n')

    def pformat(self, object):
        out = _StringIO()
        self._format(object, out, 0, 0, {}, 0)
        return out.getvalue()

    def isreadable(self, object):
        _, readable, recursive = self.format(object, {}, self._depth, 0)
        return readable and not recursive

    def isrecursive(self, object):
        return self.format(object, {}, self._depth, 0)[2]

    def format(self, object, context, maxlevels, level):
        return self._safe(object, context, maxlevels, level)

    def _repr(self, object, context, level):
        return self.format(object, context.copy(), self._depth, level)[0]

    def _format(self, object, out, indent, allowance, context, level):
        key = id(object)
        if key in context:
            out.write(_recursion(object))
            return
        text = self._repr(object, context, level)
        if len(text) > self._width - indent - allowance:
            method = self._methods.get(type(object).__repr__)
            if method is not None:
                context[key] = 1
                method(self, object, out, indent, allowance, context, level + 1)
                del context[key]
                return
            if (_dataclasses.is_dataclass(object) and not isinstance(object, type)
                    and object.__dataclass_params__.repr
                    and object.__repr__.__code__.co_filename == '<lib>/dataclasses.py'):
                context[key] = 1
                name = object.__class__.__name__
                indent += len(name) + 1
                items = [(f.name, getattr(object, f.name)) for f in _dataclasses.fields(object)
                         if f.repr]
                out.write(name + '(')
                self._names(items, out, indent, allowance, context, level)
                out.write(')')
                del context[key]
                return
        out.write(text)

    def _dict(self, object, out, indent, allowance, context, level):
        out.write('{')
        if self._step > 1:
            out.write((self._step - 1) * ' ')
        if object:
            items = sorted(object.items(), key=_pair) if self._sort else object.items()
            self._dict_items(items, out, indent, allowance + 1, context, level)
        out.write('}')

    def _ordered(self, object, out, indent, allowance, context, level):
        if not object:
            out.write(repr(object))
            return
        name = object.__class__.__name__
        out.write(name + '(')
        self._format(list(object.items()), out, indent + len(name) + 1, allowance + 1, context,
                     level)
        out.write(')')

    def _list(self, object, out, indent, allowance, context, level):
        out.write('[')
        self._items(object, out, indent, allowance + 1, context, level)
        out.write(']')

    def _tuple(self, object, out, indent, allowance, context, level):
        out.write('(')
        end = ',)' if len(object) == 1 else ')'
        self._items(object, out, indent, allowance + len(end), context, level)
        out.write(end)

    def _set(self, object, out, indent, allowance, context, level):
        if not object:
            out.write(repr(object))
            return
        if object.__class__ is set:
            out.write('{')
            end = '}'
        else:
            name = object.__class__.__name__
            out.write(name + '({')
            end = '})'
            indent += len(name) + 1
        self._items(sorted(object, key=_Key), out, indent, allowance + len(end), context, level)
        out.write(end)

    def _str(self, object, out, indent, allowance, context, level):
        if not object:
            out.write(repr(object))
            return
        chunks = []
        lines = object.splitlines(True)
        if level == 1:
            indent += 1
            allowance += 1
        most = room = self._width - indent
        for i, line in enumerate(lines):
            text = repr(line)
            if i == len(lines) - 1:
                room -= allowance
            if len(text) <= room:
                chunks.append(text)
                continue
            parts = _re.findall(r'\S*\s*', line)
            parts.pop()
            left = most
            current = ''
            for j, part in enumerate(parts):
                longer = current + part
                if j == len(parts) - 1 and i == len(lines) - 1:
                    left -= allowance
                if len(repr(longer)) > left:
                    if current:
                        chunks.append(repr(current))
                    current = part
                else:
                    current = longer
            if current:
                chunks.append(repr(current))
        if len(chunks) == 1:
            out.write(text)
            return
        if level == 1:
            out.write('(')
        out.write(('\n' + ' ' * indent).join(chunks))
        if level == 1:
            out.write(')')

    def _bytes(self, object, out, indent, allowance, context, level):
        if len(object) <= 4:
            out.write(repr(object))
            return
        inside = level == 1
        if inside:
            indent += 1
            allowance += 1
            out.write('(')
        between = ''
        for text in self._wrapped(object, self._width - indent, allowance):
            out.write(between + text)
            between = '\n' + ' ' * indent
        if inside:
            out.write(')')

    def _bytearray(self, object, out, indent, allowance, context, level):
        out.write('bytearray(')
        self._bytes(bytes(object), out, indent + 10, allowance + 1, context, level + 1)
        out.write(')')

    def _wrapped(self, object, width, allowance):
        current = b''
        last = len(object) // 4 * 4
        for i in range(0, len(object), 4):
            part = object[i:i + 4]
            if i == last:
                width -= allowance
            if len(repr(current + part)) > width:
                if current:
                    yield repr(current)
                current = part
            else:
                current += part
        if current:
            yield repr(current)

    def _proxy(self, object, out, indent, allowance, context, level):
        out.write('mappingproxy(')
        self._format(object.copy(), out, indent + 13, allowance + 1, context, level)
        out.write(')')

    def _namespace(self, object, out, indent, allowance, context, level):
        name = 'namespace' if type(object) is _types.SimpleNamespace else type(object).__name__
        indent += len(name) + 1
        out.write(name + '(')
        self._names(object.__dict__.items(), out, indent, allowance, context, level)
        out.write(')')

    def _counter(self, object, out, indent, allowance, context, level):
        name = object.__class__.__name__
        out.write(name + '({')
        if self._step > 1:
            out.write((self._step - 1) * ' ')
        self._dict_items(object.most_common(), out, indent + len(name) + 1, allowance + 2, context,
                         level)
        out.write('})')

    def _defaultdict(self, object, out, indent, allowance, context, level):
        if not object:
            out.write(repr(object))
            return
        factory = self._repr(object.default_factory, context, level)
        name = object.__class__.__name__
        indent += len(name) + 1
        out.write(f'{name}({factory},\n{" " * indent}')
        self._dict(object, out, indent, allowance + 1, context, level)
        out.write(')')

    def _deque(self, object, out, indent, allowance, context, level):
        if not object:
            out.write(repr(object))
            return
        name = object.__class__.__name__
        indent += len(name) + 1
        out.write(f'{name}([')
        if object.maxlen is None:
            self._items(object, out, indent, allowance + 2, context, level)
            out.write('])')
        else:
            self._items(object, out, indent, 2, context, level)
            longest = self._repr(object.maxlen, context, level)
            out.write(f'],\n{" " * indent}maxlen={longest})')

    def _dict_items(self, items, out, indent, allowance, context, level):
        indent += self._step
        between = ',\n' + ' ' * indent
        last = len(items) - 1
        for i, (key, value) in enumerate(items):
            text = self._repr(key, context, level)
            out.write(text + ': ')
            self._format(value, out, indent + len(text) + 2, allowance if i == last else 1, context,
                         level)
            if i != last:
                out.write(between)

    def _names(self, items, out, indent, allowance, context, level):
        between = ',\n' + ' ' * indent
        last = len(items) - 1
        for i, (name, value) in enumerate(items):
            out.write(name + '=')
            if id(value) in context:
                out.write('...')
            else:
                self._format(value, out, indent + len(name) + 1, allowance if i == last else 1,
                             context, level)
            if i != last:
                out.write(between)

    def _items(self, items, out, indent, allowance, context, level):
        indent += self._step
        if self._step > 1:
            out.write((self._step - 1) * ' ')
        new = ',\n' + ' ' * indent
        between = ''
        width = most = self._width - indent + 1
        items = list(items)
        for i, item in enumerate(items):
            if i == len(items) - 1:
                most -= allowance
                width -= allowance
            if self._compact:
                text = self._repr(item, context, level)
                w = len(text) + 2
                if width < w:
                    width = most
                    if between:
                        between = new
                if width >= w:
                    width -= w
                    out.write(between + text)
                    between = ', '
                    continue
            out.write(between)
            between = new
            self._format(item, out, indent, allowance if i == len(items) - 1 else 1, context, level)

    def _safe(self, object, context, maxlevels, level):
        kind = type(object)
        if kind in (str, bytes, bytearray, float, complex, bool, type(None)):
            return repr(object), True, False
        how = kind.__repr__
        if issubclass(kind, int) and how is int.__repr__:
            return (f'{object:_d}' if self._underscores else repr(object)), True, False
        is_dict = issubclass(kind, dict) and how is dict.__repr__
        is_list = issubclass(kind, list) and how is list.__repr__
        if not is_dict and not is_list and not (issubclass(kind, tuple) and how is tuple.__repr__):
            text = repr(object)
            return text, bool(text) and not text.startswith('<'), False
        if not object:
            return ('{}' if is_dict else '[]' if is_list else '()'), True, False
        key = id(object)
        if maxlevels and level >= maxlevels:
            return ('{...}' if is_dict else '[...]' if is_list else '(...)'), False, key in context
        if key in context:
            return _recursion(object), False, True
        context[key] = 1
        readable, recursive, parts = True, False, []
        if is_dict:
            items = sorted(object.items(), key=_pair) if self._sort else object.items()
        else:
            items = ((item,) for item in object)
        for item in items:
            texts = []
            for v in item:
                text, ok, loop = self.format(v, context, maxlevels, level + 1)
                texts.append(text)
                readable, recursive = readable and ok, recursive or loop
            parts.append(': '.join(texts))
        del context[key]
        form = ('{%s}' if is_dict else '[%s]' if is_list
                else '(%s,)' if len(object) == 1 else '(%s)')
        return form % ', '.join(parts), readable, recursive

    _methods = {dict.__repr__: _dict, list.__repr__: _list, tuple.__repr__: _tuple,
                set.__repr__: _set, frozenset.__repr__: _set, str.__repr__: _str,
                bytes.__repr__: _bytes, bytearray.__repr__: _bytearray,
                _collections.OrderedDict.__repr__: _ordered,
                _types.MappingProxyType.__repr__: _proxy,
                _types.SimpleNamespace.__repr__: _namespace,
                _collections.Counter.__repr__: _counter,
                _collections.defaultdict.__repr__: _defaultdict,
                _collections.deque.__repr__: _deque}
