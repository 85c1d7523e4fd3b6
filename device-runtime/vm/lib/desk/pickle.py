"""Values as bytes and back, protocols 0 to 5. What is named in the bytes is looked up in the modules that are loaded."""
import _ferry
import _sys
import builtins
import copyreg
import io
import struct
from copyreg import dispatch_table as _registered

__all__ = ['PickleError', 'PicklingError', 'UnpicklingError', 'Pickler', 'Unpickler', 'dump',
           'dumps', 'load', 'loads', 'HIGHEST_PROTOCOL', 'DEFAULT_PROTOCOL']
HIGHEST_PROTOCOL = 5
DEFAULT_PROTOCOL = 4
format_version = '4.0'
_BATCH = 1000
_FRAME_MIN, _FRAME_TARGET = 4, 64 * 1024
_bytearray = _ferry.lookup('', 'bytearray', bytes)
# What Python 2 calls modules and names: protocols below 3 are for it.
_OLD_MODULES = {'builtins': '__builtin__', 'copyreg': 'copy_reg'}
_OLD_NAMES = {('builtins', 'range'): ('__builtin__', 'xrange'),
              ('builtins', 'str'): ('__builtin__', 'unicode'),
              ('builtins', 'int'): ('__builtin__', 'long'),
              ('builtins', 'chr'): ('__builtin__', 'unichr'),
              ('builtins', 'map'): ('itertools', 'imap'),
              ('builtins', 'filter'): ('itertools', 'ifilter'),
              ('builtins', 'zip'): ('itertools', 'izip'),
              ('functools', 'reduce'): ('__builtin__', 'reduce')}
_SINCE_3 = frozenset({
    'BlockingIOError', 'BrokenPipeError', 'ChildProcessError', 'ConnectionAbortedError',
    'ConnectionError', 'ConnectionRefusedError', 'ConnectionResetError', 'FileExistsError',
    'FileNotFoundError', 'InterruptedError', 'IsADirectoryError', 'NotADirectoryError',
    'PermissionError', 'ProcessLookupError', 'TimeoutError'})
_NOT_IN_2 = frozenset({'BaseExceptionGroup', 'ExceptionGroup', 'RecursionError', 'ResourceWarning',
                       'StopAsyncIteration', 'EncodingWarning'})
_NEW_NAMES = {old: new for new, old in _OLD_NAMES.items()}
_NEW_MODULES = {'__builtin__': 'builtins', 'copy_reg': 'copyreg', 'exceptions': 'builtins'}
_FUNCTION = type(lambda: 0)
_UNSET = object()


class PickleError(Exception):
    pass


class PicklingError(PickleError):
    pass


class UnpicklingError(PickleError):
    pass


def _walk(obj, name):
    for part in name.split('.'):
        if part == '<locals>':
            raise AttributeError(f"Can't get local attribute {name!r} on {obj!r}")
        try:
            parent, obj = obj, getattr(obj, part)
        except AttributeError:
            raise AttributeError(f"Can't get attribute {name!r} on {obj!r}") from None
    return obj, parent


def _module_of(obj, name):
    module = getattr(obj, '__module__', None)
    if module is not None:
        return module
    for key, one in _sys.modules().items():
        if key in ('__main__', '__mp_main__') or one is None:
            continue
        try:
            if _walk(one, name)[0] is obj:
                return key
        except AttributeError:
            pass
    return '__main__'


def encode_long(x):
    if x == 0:
        return b''
    size = (x.bit_length() >> 3) + 1
    data = x.to_bytes(size, 'little', signed=True)
    if x < 0 and size > 1 and data[-1] == 0xff and data[-2] & 0x80:
        data = data[:-1]
    return data


def decode_long(data):
    return int.from_bytes(data, 'little', signed=True)


class Pickler:
    def __init__(self, file, protocol=None, *, fix_imports=True, buffer_callback=None):
        protocol = DEFAULT_PROTOCOL if protocol is None else protocol
        if protocol < 0:
            protocol = HIGHEST_PROTOCOL
        elif protocol > HIGHEST_PROTOCOL:
            raise ValueError(f'pickle protocol must be <= {HIGHEST_PROTOCOL}')
        if buffer_callback is not None and protocol < 5:
            raise ValueError('buffer_callback needs protocol >= 5')
        if not hasattr(file, 'write'):
            raise TypeError("file must have a 'write' attribute")
        self._file = file
        self.proto = int(protocol)
        self.bin = protocol >= 1
        self.fast = 0
        self.fix_imports = fix_imports and protocol < 3
        self.memo = {}

    def clear_memo(self):
        self.memo.clear()

    def dump(self, obj):
        self._out = []
        self._size = 0
        self._done = []
        if self.proto >= 2:
            self._done.append(b'\x80' + bytes([self.proto]))
        self._save(obj)
        self._put(b'.')
        self._flush()
        self._file.write(b''.join(self._done))

    def _put(self, *parts):
        for part in parts:
            self._out.append(part)
            self._size += len(part)
        if self.proto >= 4 and self._size >= _FRAME_TARGET:
            self._flush()

    def _flush(self):
        if self._size >= _FRAME_MIN and self.proto >= 4:
            self._done.append(b'\x95' + struct.pack('<Q', self._size))
        self._done.extend(self._out)
        self._out = []
        self._size = 0

    def _large(self, head, data):
        # Large data stands outside of frames.
        if self.proto >= 4 and len(data) >= _FRAME_TARGET:
            self._flush()
            self._done.append(head)
            self._done.append(data)
        else:
            self._put(head, data)

    def _remember(self, obj):
        if self.fast:
            return
        place = len(self.memo)
        self.memo[id(obj)] = place, obj
        if self.proto >= 4:
            self._put(b'\x94')
        elif not self.bin:
            self._put(b'p%d\n' % place)
        elif place < 256:
            self._put(b'q', bytes([place]))
        else:
            self._put(b'r', struct.pack('<I', place))

    def _get(self, place):
        if not self.bin:
            self._put(b'g%d\n' % place)
        elif place < 256:
            self._put(b'h', bytes([place]))
        else:
            self._put(b'j', struct.pack('<I', place))

    def persistent_id(self, obj):
        return None

    def _save(self, obj):
        pid = self.persistent_id(obj)
        if pid is not None:
            if self.bin:
                self._save(pid)
                self._put(b'Q')
            else:
                text = str(pid)
                if not text.isascii():
                    raise PicklingError('persistent IDs in protocol 0 must be ASCII strings')
                self._put(b'P', text.encode('ascii'), b'\n')
            return
        cls = type(obj)
        atom = _ATOMS.get(cls)
        if atom is not None:
            atom(self, obj)
            return
        known = self.memo.get(id(obj))
        if known is not None:
            self._get(known[0])
            return
        saver = _SAVERS.get(cls)
        if saver is not None and not hasattr(self, 'reducer_override'):
            saver(self, obj)
            return
        self._save_other(obj, cls, saver)

    def _save_other(self, obj, cls, saver):
        reduced = NotImplemented
        override = getattr(self, 'reducer_override', None)
        if override is not None:
            reduced = override(obj)
            if reduced is NotImplemented and saver is not None:
                saver(self, obj)
                return
        if reduced is NotImplemented:
            reduce = getattr(self, 'dispatch_table', _registered).get(cls)
            if reduce is not None:
                reduced = reduce(obj)
            elif issubclass(cls, type):
                self._save_type(obj)
                return
            else:
                reduce = getattr(obj, '__reduce_ex__', None)
                if reduce is not None:
                    reduced = reduce(self.proto)
                else:
                    raise PicklingError(f"Can't pickle {cls.__name__!r} object: {obj!r}")
        if isinstance(reduced, str):
            self._save_global(obj, reduced)
            return
        if not isinstance(reduced, tuple):
            raise PicklingError('__reduce__ must return a string or tuple')
        if not 2 <= len(reduced) <= 6:
            raise PicklingError('tuple returned by __reduce__ must contain 2 through 6 elements')
        self._save_reduced(obj, *reduced)

    def _save_reduced(self, obj, make, args, state=None, items=None, pairs=None, setter=None):
        if not isinstance(args, tuple):
            raise PicklingError('second item of the tuple returned by __reduce__ must be a tuple')
        if not callable(make):
            raise PicklingError('first item of the tuple returned by __reduce__ must be callable')
        name = getattr(make, '__name__', '')
        if self.proto >= 2 and name in ('__newobj__', '__newobj_ex__'):
            self._save_new(obj, name, args)
        else:
            self._save(make)
            self._save(args)
            self._put(b'R')
        known = self.memo.get(id(obj))
        if known is not None:
            self._put(b'0')
            self._get(known[0])
        else:
            self._remember(obj)
        if items is not None:
            self._batch(items, b'a', b'e', 1)
        if pairs is not None:
            self._batch(pairs, b's', b'u', 2)
        if state is None:
            return
        if setter is None:
            self._save(state)
            self._put(b'b')
        else:
            self._save(setter)
            self._save(obj)
            self._save(state)
            self._put(b'\x86R0')

    def _save_new(self, obj, name, args):
        cls = args[0]
        if not hasattr(cls, '__new__'):
            raise PicklingError(f'args[0] from {name} args has no __new__')
        if obj is not None and cls is not obj.__class__:
            raise PicklingError(f'args[0] from {name} args has the wrong class')
        if name == '__newobj__':
            self._save(cls)
            self._save(args[1:])
            self._put(b'\x81')
            return
        cls, args, kwargs = args
        if self.proto >= 4:
            self._save(cls)
            self._save(args)
            self._save(kwargs)
            self._put(b'\x92')
            return
        self._save(copyreg.__newobj_ex__)
        self._save((cls, args, kwargs))
        self._put(b'R')

    def _batch(self, items, one, many, width):
        items = iter(items)
        more = True
        while more:
            batch = []
            for item in items:
                batch.append(item)
                if len(batch) == (_BATCH if self.bin else 1):
                    break
            else:
                more = False
            if not batch:
                return
            several = self.bin and len(batch) > 1
            if several:
                self._put(b'(')
            for item in batch:
                if width == 1:
                    self._save(item)
                else:
                    key, value = item
                    self._save(key)
                    self._save(value)
            self._put(many if several else one)

    def _save_none(self, obj):
        self._put(b'N')

    def _save_bool(self, obj):
        if self.proto >= 2:
            self._put(b'\x88' if obj else b'\x89')
        else:
            self._put(b'I01\n' if obj else b'I00\n')

    def _save_int(self, obj):
        if not self.bin:
            text = str(obj).encode('ascii')
            self._put(b'I%s\n' % text if -0x80000000 <= obj <= 0x7fffffff else b'L%sL\n' % text)
        elif 0 <= obj <= 0xff:
            self._put(b'K', bytes([obj]))
        elif 0 <= obj <= 0xffff:
            self._put(b'M', struct.pack('<H', obj))
        elif -0x80000000 <= obj <= 0x7fffffff:
            self._put(b'J', struct.pack('<i', obj))
        elif self.proto >= 2:
            data = encode_long(obj)
            if len(data) < 256:
                self._put(b'\x8a', bytes([len(data)]), data)
            else:
                self._put(b'\x8b', struct.pack('<i', len(data)), data)
        else:
            self._put(b'L%sL\n' % str(obj).encode('ascii'))

    def _save_float(self, obj):
        if self.bin:
            self._put(b'G', struct.pack('>d', obj))
        else:
            self._put(b'F%s\n' % repr(obj).encode('ascii'))

    def _save_str(self, obj):
        if not self.bin:
            text = obj
            for c in ('\\', '\0', '\n', '\r', '\x1a'):
                text = text.replace(c, f'\\u{ord(c):04x}')
            parts = []
            for c in text:
                n = ord(c)
                parts.append(c.encode('latin-1') if n < 256 else
                             b'\\u%04x' % n if n < 0x10000 else b'\\U%08x' % n)
            self._put(b'V', b''.join(parts), b'\n')
        else:
            data = obj.encode('utf-8', 'surrogatepass')
            size = len(data)
            if size < 256 and self.proto >= 4:
                self._put(b'\x8c', bytes([size]), data)
            elif size > 0xffffffff and self.proto >= 4:
                self._large(b'\x8d' + struct.pack('<Q', size), data)
            else:
                self._large(b'X' + struct.pack('<I', size), data)
        self._remember(obj)

    def _save_bytes(self, obj):
        if self.proto < 3:
            if not obj:
                self._save_reduced(obj, bytes, ())
            else:
                self._save_reduced(obj, _encode, (str(obj, 'latin-1'), 'latin1'))
            return
        size = len(obj)
        if size < 256:
            self._put(b'C', bytes([size]), obj)
        elif size > 0xffffffff and self.proto >= 4:
            self._large(b'\x8e' + struct.pack('<Q', size), obj)
        else:
            self._large(b'B' + struct.pack('<I', size), obj)
        self._remember(obj)

    def _save_bytearray(self, obj):
        if self.proto < 5:
            if not obj:
                self._save_reduced(obj, _bytearray, ())
            else:
                self._save_reduced(obj, _bytearray, (bytes(obj),))
            return
        self._large(b'\x96' + struct.pack('<Q', len(obj)), bytes(obj))
        self._remember(obj)

    def _save_tuple(self, obj):
        size = len(obj)
        if size == 0:
            self._put(b')' if self.bin else b'(t')
            return
        short = size <= 3 and self.proto >= 2
        if not short:
            self._put(b'(')
        for item in obj:
            self._save(item)
        known = self.memo.get(id(obj))
        if known is not None:
            # It contains itself by way of an item, which has saved it.
            if short:
                self._put(b'0' * size)
            else:
                self._put(b'1' if self.bin else b'0' * (size + 1))
            self._get(known[0])
            return
        self._put((b'', b'\x85', b'\x86', b'\x87')[size] if short else b't')
        self._remember(obj)

    def _save_list(self, obj):
        self._put(b']' if self.bin else b'(l')
        self._remember(obj)
        self._batch(obj, b'a', b'e', 1)

    def _save_dict(self, obj):
        self._put(b'}' if self.bin else b'(d')
        self._remember(obj)
        self._batch(obj.items(), b's', b'u', 2)

    def _save_set(self, obj):
        if self.proto < 4:
            self._save_reduced(obj, set, (list(obj),))
            return
        self._put(b'\x8f')
        self._remember(obj)
        items = list(obj)
        for at in range(0, len(items), _BATCH):
            self._put(b'(')
            for item in items[at:at + _BATCH]:
                self._save(item)
            self._put(b'\x90')

    def _save_frozenset(self, obj):
        if self.proto < 4:
            self._save_reduced(obj, frozenset, (list(obj),))
            return
        self._put(b'(')
        for item in obj:
            self._save(item)
        known = self.memo.get(id(obj))
        if known is not None:
            self._put(b'1')
            self._get(known[0])
            return
        self._put(b'\x91')
        self._remember(obj)

    def _save_type(self, obj):
        for value, name in ((None, 'None'), (NotImplemented, 'NotImplemented'),
                            (Ellipsis, 'Ellipsis')):
            if obj is type(value):
                self._save_reduced(obj, type, (value,))
                return
        self._save_global(obj)

    def _save_global(self, obj, name=None):
        if name is None:
            name = getattr(obj, '__qualname__', None) or obj.__name__
        module_name = _module_of(obj, name)
        if module_name == 'builtins' and name.startswith('types.'):
            module_name, name = name.split('.')
        if obj is _encode:
            self._put_name(obj, '_codecs', 'encode')
            return
        if '<locals>' in name.split('.'):
            raise AttributeError(f"Can't pickle local object {name!r}")
        try:
            module = _ferry.load(module_name)
            found, parent = _walk(module, name)
        except (ImportError, AttributeError):
            raise PicklingError(
                f"Can't pickle {obj!r}: attribute lookup {name} on {module_name} failed") from None
        if found is not obj:
            raise PicklingError(
                f"Can't pickle {obj!r}: it's not the same object as {module_name}.{name}")
        if self.proto >= 2:
            code = copyreg._extension_registry.get((module_name, name))
            if code is not None:
                self._put(b'\x82' + bytes([code]) if code <= 0xff else
                          b'\x83' + struct.pack('<H', code) if code <= 0xffff else
                          b'\x84' + struct.pack('<i', code))
                return
        if self.proto < 4 and parent is not module:
            self._save_reduced(obj, getattr, (parent, name.rpartition('.')[2]))
        else:
            self._put_name(obj, module_name, name)

    def _old_name(self, module_name, name):
        known = _OLD_NAMES.get((module_name, name))
        if known is not None:
            return known
        if module_name == 'builtins':
            found = getattr(builtins, name, None)
            if isinstance(found, type) and issubclass(found, BaseException) \
                    and name not in _NOT_IN_2:
                return 'exceptions', ('OSError' if name in _SINCE_3 else
                                      'ImportError' if name == 'ModuleNotFoundError' else name)
        return _OLD_MODULES.get(module_name, module_name), name

    def _put_name(self, obj, module_name, name):
        if self.proto >= 4:
            self._save(_sys.intern(module_name))
            self._save(name)
            self._put(b'\x93')
        else:
            if self.fix_imports:
                module_name, name = self._old_name(module_name, name)
            self._put(b'c', module_name.encode('utf-8'), b'\n', name.encode('utf-8'), b'\n')
        self._remember(obj)


def _encode(text, encoding):
    return text.encode(encoding)


_ATOMS = {type(None): Pickler._save_none, bool: Pickler._save_bool, int: Pickler._save_int,
          float: Pickler._save_float}
_SAVERS = {str: Pickler._save_str, bytes: Pickler._save_bytes, tuple: Pickler._save_tuple,
           list: Pickler._save_list, dict: Pickler._save_dict, set: Pickler._save_set,
           frozenset: Pickler._save_frozenset, _bytearray: Pickler._save_bytearray,
           _FUNCTION: Pickler._save_global, type: Pickler._save_type}


class Unpickler:
    def __init__(self, file, *, fix_imports=True, encoding='ASCII', errors='strict', buffers=None):
        self._file = file
        self._read_from = file.read
        self._line_from = file.readline
        self.encoding = encoding
        self.errors = errors
        self.fix_imports = fix_imports
        self._buffers = None if buffers is None else iter(buffers)
        self.memo = {}

    def persistent_load(self, pid):
        raise UnpicklingError('unsupported persistent id encountered')

    def find_class(self, module, name):
        if self.proto < 3 and self.fix_imports:
            module, name = _NEW_NAMES.get((module, name),
                                          (_NEW_MODULES.get(module, module), name))
        if module == '_codecs' and name == 'encode':
            return _encode
        found = _ferry.load(module)
        if self.proto >= 4:
            return _walk(found, name)[0]
        try:
            return getattr(found, name)
        except AttributeError:
            raise AttributeError(f"Can't get attribute {name!r} on {found!r}") from None

    def _read(self, n):
        data = self._read_from(n)
        if len(data) < n:
            raise EOFError('Ran out of input') if not data else \
                UnpicklingError('pickle data was truncated')
        return data

    def _line(self):
        data = self._line_from()
        if not data.endswith(b'\n'):
            raise EOFError('Ran out of input') if not data else \
                UnpicklingError('pickle data was truncated')
        return data[:-1]

    def _number(self, n):
        return int.from_bytes(self._read(n), 'little')

    def _marked(self):
        items = self.stack
        if not self._marks:
            raise UnpicklingError('could not find MARK')
        self.stack = self._marks.pop()
        return items

    def load(self):
        self._marks = []
        self.stack = []
        self.proto = 0
        try:
            while True:
                op = self._read(1)
                if op == b'.':
                    return self.stack.pop()
                act = _LOADERS.get(op)
                if act is None:
                    shown = repr(op)[2:-1]
                    raise UnpicklingError(f"invalid load key, '{shown}'.")
                act(self)
        except IndexError:
            if self.stack:
                raise
            raise UnpicklingError('unpickling stack underflow') from None

    def _build(self):
        state = self.stack.pop()
        obj = self.stack[-1]
        setstate = getattr(obj, '__setstate__', _UNSET)
        if setstate is not _UNSET:
            setstate(state)
            return
        slots = None
        if isinstance(state, tuple) and len(state) == 2:
            state, slots = state
        if state:
            into = obj.__dict__
            for key, value in state.items():
                into[key] = value
        if slots:
            for key, value in slots.items():
                setattr(obj, key, value)

    def _extension(self, size):
        code = self._number(size)
        found = copyreg._extension_cache.get(code, _UNSET)
        if found is _UNSET:
            key = copyreg._inverted_registry.get(code)
            if key is None:
                raise ValueError(f'unregistered extension code {code}')
            found = self.find_class(*key)
            copyreg._extension_cache[code] = found
        self.stack.append(found)

    def _appends(self):
        items = self._marked()
        into = self.stack[-1]
        extend = getattr(into, 'extend', None)
        if extend is not None:
            extend(items)
        else:
            for item in items:
                into.append(item)

    def _set_items(self):
        items = self._marked()
        into = self.stack[-1]
        for at in range(0, len(items), 2):
            into[items[at]] = items[at + 1]

    def _int_line(self):
        text = self._line()
        self.stack.append(False if text == b'00' else True if text == b'01' else int(text, 0))

    def _long_line(self):
        text = self._line()
        self.stack.append(int(text[:-1] if text.endswith(b'L') else text, 0))

    def _text_line(self):
        data = self._line()
        out, at = [], 0
        text = data.decode('latin-1')
        while True:
            next = text.find('\\', at)
            if next < 0:
                out.append(text[at:])
                break
            out.append(text[at:next])
            size = {'u': 4, 'U': 8}.get(text[next + 1:next + 2])
            if size is None:
                out.append('\\')
                at = next + 1
            else:
                out.append(chr(int(text[next + 2:next + 2 + size], 16)))
                at = next + 2 + size
        self.stack.append(''.join(out))

    def _string(self, data):
        if self.encoding == 'bytes':
            self.stack.append(data)
        else:
            self.stack.append(data.decode(self.encoding, self.errors))

    def _string_line(self):
        data = self._line()
        if len(data) < 2 or data[:1] != data[-1:] or data[:1] not in b'"\'':
            raise UnpicklingError('the STRING opcode argument must be quoted')
        self._string(data[1:-1].replace(b'\\n', b'\n').replace(b"\\'", b"'")
                     .replace(b'\\\\', b'\\'))

    def _reduce(self):
        args = self.stack.pop()
        self.stack[-1] = self.stack[-1](*args)

    def _new(self):
        args = self.stack.pop()
        cls = self.stack.pop()
        self.stack.append(cls.__new__(cls, *args))

    def _new_ex(self):
        kwargs = self.stack.pop()
        args = self.stack.pop()
        cls = self.stack.pop()
        self.stack.append(cls.__new__(cls, *args, **kwargs))

    def _make(self, cls, args):
        if args or not isinstance(cls, type) or hasattr(cls, '__getinitargs__'):
            self.stack.append(cls(*args))
        else:
            self.stack.append(cls.__new__(cls))

    def _inst(self):
        module = self._line().decode('ascii')
        name = self._line().decode('ascii')
        self._make(self.find_class(module, name), self._marked())

    def _obj(self):
        args = self._marked()
        self._make(args.pop(0), args)

    def _global(self):
        module = self._line().decode('utf-8')
        name = self._line().decode('utf-8')
        self.stack.append(self.find_class(module, name))

    def _stack_global(self):
        name = self.stack.pop()
        module = self.stack.pop()
        if type(name) is not str or type(module) is not str:
            raise UnpicklingError('STACK_GLOBAL requires str')
        self.stack.append(self.find_class(module, name))

    def _get(self, place):
        if place not in self.memo:
            raise UnpicklingError(f'Memo value not found at index {place}')
        self.stack.append(self.memo[place])

    def _put(self, place):
        if place < 0:
            raise ValueError('negative PUT argument')
        self.memo[place] = self.stack[-1]

    def _mark(self):
        self._marks.append(self.stack)
        self.stack = []

    def _pop(self):
        if self.stack:
            self.stack.pop()
        else:
            self._marked()

    def _protocol(self):
        self.proto = self._number(1)
        if self.proto > HIGHEST_PROTOCOL:
            raise ValueError(f'unsupported pickle protocol: {self.proto}')

    def _take(self, count):
        items = self.stack[-count:]
        if len(items) < count:
            raise IndexError
        del self.stack[-count:]
        self.stack.append(tuple(items))

    def _set_item(self):
        value = self.stack.pop()
        key = self.stack.pop()
        self.stack[-1][key] = value

    def _append(self):
        value = self.stack.pop()
        self.stack[-1].append(value)

    def _add_items(self):
        items = self._marked()
        into = self.stack[-1]
        if isinstance(into, set):
            into.update(items)
        else:
            for item in items:
                into.add(item)

    def _dict(self):
        items = self._marked()
        self.stack.append({items[at]: items[at + 1] for at in range(0, len(items), 2)})

    def _next_buffer(self):
        if self._buffers is None:
            raise UnpicklingError('pickle stream refers to out-of-band data but no *buffers* '
                                  'argument was given')
        try:
            self.stack.append(next(self._buffers))
        except StopIteration:
            raise UnpicklingError('not enough out-of-band buffers') from None

    def _push(self, v):
        self.stack.append(v)


def _signed(self, size):
    return int.from_bytes(self._read(size), 'little', signed=True)


_U = Unpickler
_LOADERS = {
    b'(': _U._mark, b'0': _U._pop, b'1': _U._marked, b'2': lambda u: u._push(u.stack[-1]),
    b'F': lambda u: u._push(float(u._line())), b'I': _U._int_line,
    b'J': lambda u: u._push(_signed(u, 4)), b'K': lambda u: u._push(u._number(1)),
    b'L': _U._long_line, b'M': lambda u: u._push(u._number(2)), b'N': lambda u: u._push(None),
    b'P': lambda u: u._push(u.persistent_load(u._line().decode('ascii'))),
    b'Q': lambda u: u._push(u.persistent_load(u.stack.pop())), b'R': _U._reduce,
    b'S': _U._string_line, b'T': lambda u: u._string(u._read(u._number(4))),
    b'U': lambda u: u._string(u._read(u._number(1))), b'V': _U._text_line,
    b'X': lambda u: u._push(u._read(u._number(4)).decode('utf-8', 'surrogatepass')),
    b'a': _U._append, b'b': _U._build, b'c': _U._global, b'd': _U._dict,
    b'}': lambda u: u._push({}), b'e': _U._appends, b'g': lambda u: u._get(int(u._line())),
    b'h': lambda u: u._get(u._number(1)), b'i': _U._inst, b'j': lambda u: u._get(u._number(4)),
    b'l': lambda u: u._push(u._marked()), b']': lambda u: u._push([]), b'o': _U._obj,
    b'p': lambda u: u._put(int(u._line())), b'q': lambda u: u._put(u._number(1)),
    b'r': lambda u: u._put(u._number(4)), b's': _U._set_item,
    b't': lambda u: u._push(tuple(u._marked())), b')': lambda u: u._push(()), b'u': _U._set_items,
    b'G': lambda u: u._push(struct.unpack('>d', u._read(8))[0]), b'\x80': _U._protocol,
    b'\x81': _U._new, b'\x82': lambda u: u._extension(1), b'\x83': lambda u: u._extension(2),
    b'\x84': lambda u: u._extension(4), b'\x85': lambda u: u._take(1),
    b'\x86': lambda u: u._take(2), b'\x87': lambda u: u._take(3),
    b'\x88': lambda u: u._push(True), b'\x89': lambda u: u._push(False),
    b'\x8a': lambda u: u._push(decode_long(u._read(u._number(1)))),
    b'\x8b': lambda u: u._push(decode_long(u._read(u._number(4)))),
    b'B': lambda u: u._push(u._read(u._number(4))), b'C': lambda u: u._push(u._read(u._number(1))),
    b'\x8c': lambda u: u._push(u._read(u._number(1)).decode('utf-8', 'surrogatepass')),
    b'\x8d': lambda u: u._push(u._read(u._number(8)).decode('utf-8', 'surrogatepass')),
    b'\x8e': lambda u: u._push(u._read(u._number(8))), b'\x8f': lambda u: u._push(set()),
    b'\x90': _U._add_items, b'\x91': lambda u: u._push(frozenset(u._marked())),
    b'\x92': _U._new_ex, b'\x93': _U._stack_global,
    b'\x94': lambda u: u._put(len(u.memo)), b'\x95': lambda u: u._number(8) and None,
    b'\x96': lambda u: u._push(_bytearray(u._read(u._number(8)))), b'\x97': _U._next_buffer,
    b'\x98': lambda u: None}


def dump(obj, file, protocol=None, *, fix_imports=True, buffer_callback=None):
    Pickler(file, protocol, fix_imports=fix_imports, buffer_callback=buffer_callback).dump(obj)


def dumps(obj, protocol=None, *, fix_imports=True, buffer_callback=None):
    file = io.BytesIO()
    Pickler(file, protocol, fix_imports=fix_imports, buffer_callback=buffer_callback).dump(obj)
    return file.getvalue()


def load(file, *, fix_imports=True, encoding='ASCII', errors='strict', buffers=None):
    return Unpickler(file, fix_imports=fix_imports, encoding=encoding, errors=errors,
                     buffers=buffers).load()


def loads(data, /, *, fix_imports=True, encoding='ASCII', errors='strict', buffers=None):
    if isinstance(data, str):
        raise TypeError("a bytes-like object is required, not 'str'")
    return Unpickler(io.BytesIO(data), fix_imports=fix_imports, encoding=encoding, errors=errors,
                     buffers=buffers).load()


_Pickler, _Unpickler, _dump, _dumps, _load, _loads = Pickler, Unpickler, dump, dumps, load, loads
