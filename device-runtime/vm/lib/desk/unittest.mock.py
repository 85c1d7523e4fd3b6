"""Objects that remember how they were used, and names replaced for a while."""
import contextlib
import functools
import inspect
import sys

__all__ = ['Mock', 'MagicMock', 'patch', 'sentinel', 'DEFAULT', 'ANY', 'call', 'AsyncMock',
           'NonCallableMock', 'NonCallableMagicMock', 'PropertyMock', 'mock_open']


class _Sentinel:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f'sentinel.{self.name}'


class _Sentinels:
    def __init__(self):
        self._made = {}

    def __getattr__(self, name):
        if name == '__bases__':
            raise AttributeError
        return self._made.setdefault(name, _Sentinel(name))


sentinel = _Sentinels()
DEFAULT = sentinel.DEFAULT


class _Any:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __repr__(self):
        return '<ANY>'

    __hash__ = None


ANY = _Any()


def _shown(name, args, kwargs):
    parts = [repr(a) for a in args] + [f'{k}={v!r}' for k, v in kwargs.items()]
    return f'{name}({", ".join(parts)})'


class _Call(tuple):
    def __new__(cls, name='', args=(), kwargs=None, two=False):
        self = tuple.__new__(cls, (args, kwargs or {}) if two else (name, args, kwargs or {}))
        self._name, self._parts = name, (args, kwargs or {})
        return self

    args = property(lambda self: self._parts[0])
    kwargs = property(lambda self: self._parts[1])

    def __eq__(self, other):
        if isinstance(other, _Call):
            return self._parts == other._parts and self._name == other._name
        if not isinstance(other, tuple):
            return NotImplemented
        args, kwargs, name = (), {}, ''
        for part in other:
            if isinstance(part, str):
                name = part
            elif isinstance(part, tuple):
                args = part
            else:
                kwargs = part
        return (name, (args, kwargs)) == (self._name, self._parts)

    __hash__ = None

    def __ne__(self, other):
        return not self == other

    def __repr__(self):
        name = 'call'
        if self._name:
            name = f'call{self._name}' if self._name.startswith('()') else f'call.{self._name}'
        return _shown(name, *self._parts)

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return _Call(f'{self._name}.{name}' if self._name else name)

    def __call__(self, /, *args, **kwargs):
        return _Call(self._name, args, kwargs)


call = _Call()


class _CallList(list):
    def __contains__(self, value):
        if not isinstance(value, list):
            return list.__contains__(self, value)
        size = len(value)
        return any(self[i:i + size] == value for i in range(len(self) - size + 1))


_OWN = ('return_value', 'side_effect', 'called', 'call_count', 'call_args', 'call_args_list',
        'method_calls', 'mock_calls')


class NonCallableMock:
    def __new__(cls, /, *args, **kwargs):
        # A class of its own: special methods are set in it.
        return object.__new__(type(cls.__name__, (cls,), {'__doc__': cls.__doc__,
                                                          '__module__': cls.__module__}))

    def __init__(self, spec=None, wraps=None, name=None, spec_set=None, parent=None,
                 _new_name='', side_effect=None, return_value=DEFAULT, **kwargs):
        d = self.__dict__
        spec = spec_set if spec is None else spec
        names = spec
        if spec is not None and not isinstance(spec, (list, tuple)):
            names = dir(spec)
            d['_spec_class'] = spec if isinstance(spec, type) else type(spec)
        d.update(_children={}, _parent=parent, _new_name=_new_name, _name=name, _wraps=wraps,
                 _names=names, _spec_set=spec_set is not None, _return=return_value,
                 _side=None, _deleted=set(), called=False, call_count=0, call_args=None,
                 call_args_list=_CallList(), method_calls=_CallList(), mock_calls=_CallList())
        self.side_effect = side_effect
        self.configure_mock(**kwargs)

    @property
    def __class__(self):
        return self.__dict__.get('_spec_class') or type(self)

    def configure_mock(self, /, **kwargs):
        for name, value in sorted(kwargs.items(), key=lambda item: item[0].count('.')):
            *path, last = name.split('.')
            target = self
            for part in path:
                target = getattr(target, part)
            setattr(target, last, value)

    def _child(self, **more):
        kind = type(self).__mro__[1]
        kind = {AsyncMock: AsyncMock, MagicMock: MagicMock, NonCallableMagicMock: MagicMock,
                NonCallableMock: Mock, PropertyMock: MagicMock}.get(kind, kind)
        return kind(**more)

    def _full_name(self, base='mock'):
        parts, one = [], self
        while one is not None:
            parts.append(one._name or base if one._parent is None else one._new_name)
            one = one._parent
        text = parts.pop()
        while parts:
            part = parts.pop()
            text += part if part == '()' else f'.{part}'
        return text

    @property
    def return_value(self):
        if self._return is DEFAULT:
            self.__dict__['_return'] = self._child(parent=self, _new_name='()')
        return self._return

    @return_value.setter
    def return_value(self, value):
        self.__dict__['_return'] = value
        self._adopt(value, '()')

    def _adopt(self, value, name):
        if isinstance(value, NonCallableMock) and value._parent is None and value._name is None:
            value.__dict__.update(_parent=self, _new_name=name)

    @property
    def side_effect(self):
        return self._side

    @side_effect.setter
    def side_effect(self, value):
        if value is not None and not callable(value) and not isinstance(value, BaseException):
            value = iter(value)
        self.__dict__['_side'] = value

    def __getattr__(self, name):
        if name in ('_children', '_names'):
            raise AttributeError(name)
        if name in self._deleted:
            raise AttributeError(name)
        if self._names is not None and name not in self._names:
            raise AttributeError(f'Mock object has no attribute {name!r}')
        if name.startswith('__') and name.endswith('__'):
            raise AttributeError(name)
        if name.startswith(('assert', 'assret', 'asert', 'aseert', 'assrt')):
            raise AttributeError(f'{name!r} is not a valid assertion. Use a spec for the mock if '
                                 f'{name!r} is meant to be an attribute.')
        if name not in self._children:
            wraps = None if self._wraps is None else getattr(self._wraps, name)
            self._children[name] = self._child(parent=self, _new_name=name, wraps=wraps)
        return self._children[name]

    def __setattr__(self, name, value):
        if name in ('return_value', 'side_effect'):
            object.__setattr__(self, name, value)
        elif name in _OWN or name.startswith('_') and not name.startswith('__'):
            self.__dict__[name] = value
        elif name.startswith('__') and name.endswith('__') and name not in ('__class__', '__dict__'):
            if not isinstance(value, NonCallableMock) and callable(value):
                function = value
                setattr(type(self), name, lambda self, *args, **kw: function(self, *args, **kw))
            else:
                self._adopt(value, name)
                setattr(type(self), name, lambda self, *args, **kw: value(*args, **kw))
            self._children[name] = value
        else:
            if self._spec_set and name not in self._names:
                raise AttributeError(f'Mock object has no attribute {name!r}')
            self._adopt(value, name)
            self._deleted.discard(name)
            self.__dict__[name] = value

    def __delattr__(self, name):
        if name in self._deleted:
            raise AttributeError(name)
        self.__dict__.pop(name, None)
        self._children.pop(name, None)
        self._deleted.add(name)

    def __dir__(self):
        return sorted({*object.__dir__(self), *self._children, *(self._names or ())})

    def __repr__(self):
        name = self._full_name() if self._name or self._parent is not None else ''
        name = f' name={name!r}' if name else ''
        spec = self.__dict__.get('_spec_class')
        spec = f' spec={spec.__name__!r}' if spec is not None else ''
        return f"<{type(self).__name__}{name}{spec} id='{id(self)}'>"

    def attach_mock(self, mock, attribute):
        mock.__dict__.update(_parent=None, _new_name='', _name=None)
        setattr(self, attribute, mock)

    def reset_mock(self, visited=None, *, return_value=False, side_effect=False):
        self.__dict__.update(called=False, call_count=0, call_args=None,
                             call_args_list=_CallList(), method_calls=_CallList(),
                             mock_calls=_CallList())
        if return_value:
            self.__dict__['_return'] = DEFAULT
        if side_effect:
            self.__dict__['_side'] = None
        for child in self._children.values():
            if isinstance(child, NonCallableMock):
                child.reset_mock()
        if isinstance(self._return, NonCallableMock) and self._return is not self:
            self._return.reset_mock()

    # How it was called.
    def _record(self, args, kwargs):
        d = self.__dict__
        d['called'], d['call_count'] = True, self.call_count + 1
        d['call_args'] = _Call('', args, kwargs, two=True)
        self.call_args_list.append(_Call('', args, kwargs, two=True))
        name, one, method = '', self, True
        one.mock_calls.append(_Call('', args, kwargs))
        while one._parent is not None:
            part = one._new_name
            name = part + name if not name or name.startswith('()') else f'{part}.{name}'
            method = method and part != '()'
            one = one._parent
            one.mock_calls.append(_Call(name, args, kwargs))
            if method:
                one.method_calls.append(_Call(name, args, kwargs))

    def _run(self, args, kwargs):
        effect = self._side
        if effect is not None:
            if isinstance(effect, BaseException) or isinstance(effect, type) and issubclass(
                    effect, BaseException):
                raise effect
            if not callable(effect):
                try:
                    result = next(effect)
                except StopIteration:
                    if isinstance(self, AsyncMock):
                        raise StopAsyncIteration from None
                    raise
                if isinstance(result, BaseException) or isinstance(result, type) and issubclass(
                        result, BaseException):
                    raise result
            else:
                result = effect(*args, **kwargs)
            if result is not DEFAULT:
                return result
        if self._return is DEFAULT and self._wraps is not None:
            return self._wraps(*args, **kwargs)
        return self.return_value

    def _fail_unless(self, ok, text):
        if not ok:
            raise AssertionError(text)

    def assert_called(self):
        self._fail_unless(self.call_count, f"Expected '{self._name or 'mock'}' to have been called.")

    def _times(self):
        return ('%s times' % self.call_count) + (
            f'.\nCalls: {self.mock_calls!r}.' if self.mock_calls else '.')

    def assert_called_once(self):
        self._fail_unless(self.call_count == 1, f"Expected '{self._name or 'mock'}' to have been "
                          f'called once. Called {self._times()}')

    def assert_not_called(self):
        self._fail_unless(not self.call_count, f"Expected '{self._name or 'mock'}' to not have "
                          f'been called. Called {self._times()}')

    def assert_called_with(self, /, *args, **kwargs):
        expected = _shown(self._name or 'mock', args, kwargs)
        if self.call_args is None:
            raise AssertionError(f'expected call not found.\nExpected: {expected}\n'
                                 '  Actual: not called.')
        actual = _shown(self._name or 'mock', *self.call_args._parts)
        self._fail_unless(self.call_args._parts == (args, kwargs),
                          f'expected call not found.\nExpected: {expected}\n  Actual: {actual}')

    def assert_called_once_with(self, /, *args, **kwargs):
        self._fail_unless(self.call_count == 1, f"Expected '{self._name or 'mock'}' to be called "
                          f'once. Called {self._times()}')
        self.assert_called_with(*args, **kwargs)

    def assert_any_call(self, /, *args, **kwargs):
        found = any(one._parts == (args, kwargs) for one in self.call_args_list)
        self._fail_unless(found, f'{_shown(self._name or "mock", args, kwargs)} call not found')

    def assert_has_calls(self, calls, any_order=False):
        wanted = list(calls)
        if not any_order:
            self._fail_unless(wanted in self.mock_calls,
                              f'Calls not found.\nExpected: {_CallList(wanted)!r}\n'
                              f'  Actual: {self.mock_calls!r}')
            return
        left = list(self.mock_calls)
        missing = []
        for one in wanted:
            if one in left:
                left.remove(one)
            else:
                missing.append(one)
        self._fail_unless(not missing, f'{tuple(missing)!r} does not contain all of '
                          f'{tuple(wanted)!r} in its call list, found {self.mock_calls!r} instead')


class Mock(NonCallableMock):
    def __call__(self, /, *args, **kwargs):
        self._record(args, kwargs)
        return self._run(args, kwargs)


_MAGIC = {'__len__': 0, '__bool__': True, '__int__': 1, '__contains__': False, '__float__': 1.0,
          '__complex__': 1j, '__index__': 1, '__exit__': False, '__aexit__': False}
_SUPPORTED = ('__enter__ __exit__ __getitem__ __setitem__ __delitem__ __iter__ __len__ __bool__ '
              '__int__ __contains__ __float__ __complex__ __index__ __add__ __sub__ __mul__ '
              '__truediv__ __floordiv__ __mod__ __and__ __or__ __xor__ __lshift__ __rshift__ '
              '__pow__ __matmul__ __neg__ __pos__ __invert__ __abs__ __round__ __trunc__ __floor__ '
              '__ceil__ __divmod__').split()


def _magic(name):
    def method(self, /, *args, **kwargs):
        children = self.__dict__['_children']
        if name not in children:
            made = children[name] = self._child(parent=self, _new_name=name)
            if name in _MAGIC:
                made.return_value = _MAGIC[name]
            elif name == '__iter__':
                made.return_value = []
        made = children[name](*args, **kwargs)
        return iter(made) if name == '__iter__' else made
    method.__name__ = name
    return method


class _Special:
    """The special methods of a MagicMock, each a mock when a script names it."""

    def __getattr__(self, name):
        if name in _SUPPORTED and '_children' in self.__dict__:
            if name not in self._children:
                made = self._children[name] = self._child(parent=self, _new_name=name)
                if name in _MAGIC:
                    made.return_value = _MAGIC[name]
            return self._children[name]
        return NonCallableMock.__getattr__(self, name)

    def __getattribute__(self, name):
        if name in _SUPPORTED:
            return type(self).__getattr__(self, name)
        return object.__getattribute__(self, name)


for _name in _SUPPORTED:
    setattr(_Special, _name, _magic(_name))


class NonCallableMagicMock(_Special, NonCallableMock):
    pass


class MagicMock(_Special, Mock):
    pass


class PropertyMock(Mock):
    def __get__(self, instance, owner=None):
        return self()

    def __set__(self, instance, value):
        self(value)


class AsyncMock(_Special, Mock):
    await_count = 0
    await_args = None

    def __call__(self, /, *args, **kwargs):
        self._record(args, kwargs)

        async def run():
            self.__dict__['await_count'] = self.await_count + 1
            self.__dict__['await_args'] = _Call('', args, kwargs, two=True)
            result = self._run(args, kwargs)
            return await result if inspect.isawaitable(result) else result
        return run()

    def _child(self, **more):
        return AsyncMock(**more) if more.get('_new_name') != '()' else MagicMock(**more)

    def assert_awaited(self):
        self._fail_unless(self.await_count, 'Expected mock to have been awaited.')

    def assert_awaited_once(self):
        self._fail_unless(self.await_count == 1, 'Expected mock to have been awaited once. Awaited '
                          f'{self.await_count} times.')

    def assert_not_awaited(self):
        self._fail_unless(not self.await_count, 'Expected mock to not have been awaited. Awaited '
                          f'{self.await_count} times.')

    def assert_awaited_with(self, /, *args, **kwargs):
        self._fail_unless(self.await_args == _Call('', args, kwargs), 'expected await not found.')


class _Patch:
    def __init__(self, find, attribute, new, create, new_callable, options):
        self.find, self.attribute, self.new, self.create = find, attribute, new, create
        self.new_callable, self.options = new_callable, options

    def __enter__(self):
        self.target = target = self.find()
        name = self.attribute
        own = getattr(target, '__dict__', {})
        self.local = name in own
        old = own[name] if self.local else getattr(target, name, DEFAULT)
        if old is DEFAULT and not self.create:
            raise AttributeError(f'{target!r} does not have the attribute {name!r}')
        self.old = old
        new = self.new
        if new is DEFAULT:
            kind = self.new_callable or (AsyncMock if inspect.iscoroutinefunction(old)
                                         else MagicMock)
            options = dict(self.options)
            if isinstance(kind, type) and issubclass(kind, NonCallableMock):
                options.setdefault('name', name)
            new = kind(**options)
        setattr(target, name, new)
        return new

    def __exit__(self, *error):
        if self.local and self.old is not DEFAULT:
            setattr(self.target, self.attribute, self.old)
        else:
            delattr(self.target, self.attribute)
            if not self.create and not hasattr(self.target, self.attribute):
                setattr(self.target, self.attribute, self.old)
        return False

    start = __enter__

    def stop(self):
        return self.__exit__(None, None, None)

    def __call__(self, function):
        if isinstance(function, type):
            for name in dir(function):
                if name.startswith(patch.TEST_PREFIX) and callable(getattr(function, name)):
                    setattr(function, name, self(getattr(function, name)))
            return function
        if '_patches' in getattr(function, '__dict__', {}):
            function._patches.append(self)
            return function
        patches = [self]

        def made(stack):  # the one next to the function first
            news = [(one, stack.enter_context(one)) for one in patches]
            return [new for one, new in news if one.new is DEFAULT]
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def patched(*args, **kwargs):
                with contextlib.ExitStack() as stack:
                    return await function(*args, *made(stack), **kwargs)
        else:
            @functools.wraps(function)
            def patched(*args, **kwargs):
                with contextlib.ExitStack() as stack:
                    return function(*args, *made(stack), **kwargs)
        patched._patches = patches
        return patched


def _named(target):
    parts = target.split('.')
    found = _imported(parts[0])
    for i, part in enumerate(parts[1:], 1):
        try:
            found = getattr(found, part)
        except AttributeError:
            _imported('.'.join(parts[:i + 1]))
            found = getattr(found, part)
    return found


def _imported(name):
    if name in sys.modules:
        return sys.modules[name]
    import _ferry
    return _ferry.load(name)


def _patcher(find, attribute, new=DEFAULT, spec=None, create=False, spec_set=None, autospec=None,
             new_callable=None, **kwargs):
    if spec not in (None, True):
        kwargs['spec'] = spec
    if spec_set not in (None, True):
        kwargs['spec_set'] = spec_set
    return _Patch(find, attribute, new, create, new_callable, kwargs)


def patch(target, new=DEFAULT, spec=None, create=False, spec_set=None, autospec=None,
          new_callable=None, **kwargs):
    place, dot, attribute = target.rpartition('.')
    if not dot:
        raise TypeError('Need a valid target to patch. You supplied: ' + repr(target))
    import builtins
    create = create or place == '__main__' and attribute in dir(builtins)
    return _patcher(lambda: _named(place), attribute, new, spec, create, spec_set, autospec,
                    new_callable, **kwargs)


def _patch_object(target, attribute, new=DEFAULT, *args, **kwargs):
    return _patcher(lambda: target, attribute, new, *args, **kwargs)


class _PatchDict:
    def __init__(self, in_dict, values=(), clear=False, **kwargs):
        self.in_dict, self.clear, self.values = in_dict, clear, dict(values, **kwargs)

    def __enter__(self):
        if isinstance(self.in_dict, str):
            self.in_dict = _named(self.in_dict)
        self.old = dict(self.in_dict)
        if self.clear:
            self.in_dict.clear()
        self.in_dict.update(self.values)
        return self.in_dict

    def __exit__(self, *error):
        self.in_dict.clear()
        self.in_dict.update(self.old)
        return False

    start = __enter__

    def stop(self):
        return self.__exit__(None, None, None)

    def __call__(self, function):
        @functools.wraps(function)
        def patched(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return patched


patch.object, patch.dict, patch.TEST_PREFIX = _patch_object, _PatchDict, 'test'


def mock_open(mock=None, read_data=''):
    import io
    mock = mock or MagicMock(name='open')

    def opened(*args, **kwargs):
        file = io.BytesIO(read_data) if isinstance(read_data, bytes) else io.StringIO(read_data)
        handle = mock.return_value
        for name in ('read', 'readline', 'readlines'):
            getattr(handle, name).side_effect = getattr(file, name)
        handle.__enter__.return_value = handle
        handle.__iter__.side_effect = lambda: iter(file)
        return DEFAULT
    mock.side_effect = opened
    return mock
