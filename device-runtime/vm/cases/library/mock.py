#---- calls
from unittest.mock import Mock, MagicMock, call, ANY, sentinel, DEFAULT
m = Mock(return_value=5)
print(m(1, a=2), m.called, m.call_count, m.call_args, m.mock_calls, m.call_args.args, m.call_args.kwargs)
def tried(do, *args, **kwargs):
    try:
        return do(*args, **kwargs)
    except (AssertionError, AttributeError, StopIteration, ValueError) as e:
        return type(e).__name__, str(e).split('\nActual')[0].split('\n  Actual')[0]
print(tried(m.assert_called_once_with, 1, a=2), tried(m.assert_called_with, 1, b=2))
print(m.assert_called(), m.assert_called_once(), m.assert_any_call(1, a=2), m.assert_has_calls([call(1, a=2)]))
print(tried(m.assert_not_called), tried(m.assert_any_call, 3), tried(m.assert_has_calls, [call(5)]))
print(tried(Mock().assert_called), tried(Mock().assert_called_with, 1), tried(Mock(name='n').assert_called_once))
m = Mock()
m.foo.bar(1)
m.foo.baz.qux(k=2)
m.foo()
print(m.mock_calls, m.method_calls, m.foo.mock_calls, m.foo.method_calls, m.foo.call_count)
print(m.mock_calls == [call.foo.bar(1), call.foo.baz.qux(k=2), call.foo()], call.a.b(3), call() == call(), call(1) == call(2))
print(ANY == 5, [ANY, 1] == [7, 1], sentinel.foo, sentinel.foo is sentinel.foo, call('x', k=ANY) == call('x', k=9))
name, args, kwargs = m.mock_calls[0]
print(name, args, kwargs)
m.reset_mock()
print(m.mock_calls, m.foo.called)
#---- effects and specifications
from unittest.mock import Mock, DEFAULT
def tried(do, *args):
    try:
        return do(*args)
    except Exception as e:
        return type(e).__name__, str(e)
m = Mock(side_effect=[1, 2, ValueError('x')])
print(m(), m(), tried(m), tried(m), tried(Mock(side_effect=KeyError('k'))))
print(Mock(side_effect=lambda x: x * 2)(4), Mock(side_effect=lambda: DEFAULT, return_value=9)())
class C:
    attr = 1
    def meth(self, a): return a
m = Mock(spec=['a', 'b'])
m.d = 5
print(m.a is m.a, tried(getattr, m, 'c'), tried(setattr, Mock(spec_set=['a']), 'z', 1), tried(getattr, Mock(), 'assert_foo'))
print(isinstance(Mock(spec=C), C), Mock(spec=C()).__class__ is C, tried(getattr, Mock(spec=C), 'nope'), isinstance(Mock(), Mock), type(Mock()).__name__)
m = Mock(**{'a.b.return_value': 3, 'c': 4})
print(m.a.b(), m.c, repr(Mock(name='nm').foo().bar)[:28])
del m.y
print(tried(getattr, m, 'y'))
w = Mock(wraps=C())
print(w.meth(5), w.meth.call_args)
#---- special methods
from unittest.mock import MagicMock, Mock, PropertyMock, AsyncMock, mock_open, patch
import asyncio
m = MagicMock()
m.__len__.return_value = 3
m.__getitem__.return_value = 'item'
m.__iter__.return_value = iter([1, 2])
print(len(m), m[5], list(m), bool(m), int(m), 5 in m, m.__getitem__.call_args, m.__len__.called, float(m))
with m as entered: entered.x()
print(m.__enter__.called, m.__exit__.call_args is not None)
m = Mock()
m.__len__ = lambda self: 7
print(len(m))
class P:
    @property
    def p(self): return 1
with patch.object(P, 'p', new_callable=PropertyMock) as p:
    p.return_value = 42
    print(P().p, p.call_count)
a = AsyncMock(return_value=3)
print(asyncio.run(a(1)), a.await_count, a.call_args, a.assert_awaited_once())
m = mock_open(read_data='l1\nl2')
print(m('f').readlines(), m.call_args)
#---- names replaced
from unittest import mock
from unittest.mock import patch
import json
class C:
    attr = 1
    def meth(self): return 'own'
with patch('json.dumps') as p:
    p.return_value = 'patched'
    print(json.dumps(1), p.call_args)
with patch('json.dumps', lambda x: 'new'): print(json.dumps(1))
print(json.dumps(1))
@patch('json.loads', return_value=7)
@patch('json.dumps')
def f(dumps, loads): return json.loads('x'), dumps is json.dumps, loads is json.loads
print(f(), f.__name__)
with mock.patch.object(C, 'attr', 9), patch.object(C, 'meth', return_value='pm') as m: print(C.attr, C().meth(), m.call_args)
print(C.attr, C().meth())
try:
    with patch('json.nope'): pass
except AttributeError as e:
    print(str(e)[-36:])
with patch('json.nope', create=True): print(hasattr(json, 'nope'))
print(hasattr(json, 'nope'))
d = {'a': 1}
with patch.dict(d, {'b': 2}): print(d)
with patch.dict(d, clear=True, z=1): print(d)
print(d)
p = patch.object(C, 'attr', 'started')
p.start()
print(C.attr)
p.stop()
@patch.object(C, 'attr', 5)
class T:
    def test_a(self): return C.attr
    def other(self): return C.attr
print(T().test_a(), T().other())
