#---- exceptions
def f(kind):
    try:
        if kind == 0:
            return 1 / 0
        if kind == 1:
            return {}["k"]
        if kind == 2:
            raise ValueError("bad", 2)
        return "ok"
    except ZeroDivisionError as e:
        return f"zero: {e}"
    except (KeyError, IndexError) as e:
        return f"key: {e} {e!r}"
    else:
        return "never"
    finally:
        print("finally", kind)

for k in (0, 1, 3):
    print(f(k))
try:
    f(2)
except ValueError as e:
    print(e, e.args)
class MyError(Exception):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code
try:
    try:
        raise MyError(7)
    except MyError as e:
        raise RuntimeError("outer") from e
except RuntimeError as e:
    print(e, repr(e.__cause__), e.__cause__.code, e.__context__ is e.__cause__)
def loop():
    for i in range(5):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            print("body", i)
        finally:
            print("fin", i)
    return "end"
print(loop())
for bad in ("'a' + 1", "x"):
    pass
def attempt(fn):
    try:
        fn()
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda: "a" + 1)
attempt(lambda: 1 + "a")
attempt(lambda: [1][5])
attempt(lambda: None.x)
attempt(lambda: len(5))
attempt(lambda: int("x"))
attempt(lambda: undefined_name)
attempt(lambda: (lambda a: a)())
attempt(lambda: (lambda a: a)(1, 2))
attempt(lambda: (lambda a: a)(b=1))
attempt(lambda: [] < 3)
attempt(lambda: {}[[]])
attempt(lambda: 5())
attempt(lambda: next(iter([])))
def unbound():
    if False:
        v = 1
    return v
attempt(unbound)
def unpack():
    a, b = [1, 2, 3]
attempt(unpack)
try:
    assert 1 == 2, "math"
except AssertionError as e:
    print("assert", e)
class Manager:
    def __enter__(self):
        print("enter")
        return self
    def __exit__(self, kind, value, trace):
        print("exit", kind and kind.__name__, value)
        return kind is ValueError
with Manager() as m, Manager():
    raise ValueError("inside")
def early():
    with Manager():
        return "returned"
print(early())
def reraise():
    try:
        try:
            raise KeyError("k")
        except KeyError:
            raise
    except KeyError as e:
        return repr(e)
print(reraise())
raise MyError(3)
#---- chaining
try:
    try: 1 / 0
    except ZeroDivisionError as e: raise KeyError('k') from e
except KeyError as e:
    print(repr(e.__cause__), e.__context__ is e.__cause__, e.__suppress_context__)
try:
    try: 1 / 0
    except ZeroDivisionError: raise KeyError('k')
except KeyError as e:
    print(e.__cause__, repr(e.__context__), e.__suppress_context__)
try:
    try: 1 / 0
    except ZeroDivisionError: raise KeyError('k') from None
except KeyError as e:
    print(e.__cause__, repr(e.__context__), e.__suppress_context__)
#---- context in callee
def f():
    try: raise KeyError('inner')
    except KeyError as e: return e
try: raise ValueError('outer')
except ValueError:
    e = f()
print(repr(e.__context__))
#---- context cycle
a, b = ValueError('a'), KeyError('b')
try:
    try: raise a
    except ValueError:
        try: raise b
        except KeyError: raise a
except ValueError as e:
    print(repr(e.__context__), repr(e.__context__.__context__))
#---- bare raise
def f():
    try: raise ValueError(1)
    except ValueError:
        try: raise
        except ValueError as e: print('again', e, e.__context__)
        raise
try: f()
except ValueError as e: print('out', e)
try: raise
except RuntimeError as e: print(e)
#---- raise class and bad raises
class E(Exception):
    def __init__(self, x=7): super().__init__(x)
try: raise E
except E as e: print(e.args)
for bad in (3, 'x', None, int, [ValueError]):
    try: raise bad
    except TypeError as e: print(e)
try: raise ValueError from 3
except TypeError as e: print(e)
class New(Exception):
    def __new__(cls): return 5
try: raise New
except TypeError as e: print(e)
#---- except with bad classes
def f(cls):
    try:
        try: raise ValueError('v')
        except cls: print('caught')
    except TypeError as e: print(e, repr(e.__context__))
f(ValueError); f((KeyError, ValueError)); f(int); f(3); f((KeyError, 3)); f(())if False else None
#---- name is unbound after
e = 'before'
try: raise ValueError
except ValueError as e: pass
try: print(e)
except NameError as x: print(x)
def f():
    for i in range(2):
        try: raise ValueError(i)
        except ValueError as q:
            if i: break
    try: return q
    except UnboundLocalError as x: return str(x)
print(f())
#---- else finally order
def f(x):
    out = []
    try:
        out.append('try')
        if x == 1: raise ValueError
        if x == 2: return out
        if x == 3: 1 / 0
    except ValueError: out.append('except')
    else: out.append('else')
    finally: out.append('finally')
    out.append('end')
    return out
print(f(0), f(1), f(2))
try: f(3)
except ZeroDivisionError: print('propagates')
#---- return in finally
def f():
    try: return 'try'
    finally: return 'finally'
def g():
    try: 1 / 0
    finally: return 'swallowed'
def h():
    for i in range(3):
        try: continue
        finally: print('f', i)
    for i in range(3):
        try: 1 / 0
        finally: break
    return i
def k():
    x = 1
    try: return x
    finally: x = 2
print(f(), g(), h(), k())
#---- nested finally
def f():
    try:
        try:
            try: raise ValueError('a')
            finally: print(1)
        finally:
            print(2)
            raise KeyError('b')
    except KeyError as e: print(repr(e), repr(e.__context__))
f()
#---- notes
e = ValueError('x')
e.add_note('one'); e.add_note('two')
print(e.__notes__)
try: e.add_note(3)
except TypeError as x: print(x)
#---- args and str
print(str(ValueError()), repr(ValueError()), str(ValueError(1)), str(ValueError(1, 'a')), repr(ValueError('x')), str(KeyError('k')), str(KeyError()), str(KeyError(1, 2)))
e = ValueError('a'); e.args = (1, 2); print(e, e.args)
class My(ValueError):
    def __init__(self, a, b): self.a = a
print(My(1, 2).args, str(My(1, 2)), My(3, 4).a)
class S(Exception):
    def __str__(self): return 'custom'
print(S('x'), repr(S('x')))
try: ValueError(x=1)
except TypeError as e: print(e)
#---- hierarchy
for c in (KeyError, IndexError, ModuleNotFoundError, FileNotFoundError, ConnectionResetError, RecursionError, UnicodeDecodeError, TabError, BlockingIOError, ExceptionGroup, BaseExceptionGroup, StopAsyncIteration, DeprecationWarning, UserWarning):
    print(c.__name__, [x.__name__ for x in c.__mro__])
print(IOError is OSError, EnvironmentError is OSError)
#---- oserror
e = OSError(2, 'No such file', 'f.txt')
print(type(e).__name__, e, e.errno, e.strerror, e.filename, e.args)
print(OSError('x'), OSError('x').errno, repr(OSError(13, 'p')), OSError(1, 2, 3, None, 5))
#---- special attributes
try: next(iter([]))
except StopIteration as e: print(e.value, e.args)
print(StopIteration(5).value, SystemExit(3).code, SystemExit().code, SystemExit('a', 'b').code)
e = ImportError('m', name='n', path='p'); print(e, e.name, e.path, e.args)
e = AttributeError('m', name='n', obj=3); print(e, e.name, e.obj)
print(NameError('m', name='q').name)
e = SyntaxError('bad', ('file.py', 3, 4, 'text\n')); print(e, e.msg, e.filename, e.lineno, e.offset, e.text)
#---- with_traceback
try: raise ValueError('t')
except ValueError as e:
    tb = e.__traceback__
    print(tb.tb_lineno, tb.tb_next, tb.tb_frame.f_code.co_name)
    print(e.with_traceback(None) is e, e.__traceback__)
def f(): 1 / 0
try: f()
except ZeroDivisionError as e:
    tb = e.__traceback__
    print(tb.tb_lineno, tb.tb_next.tb_lineno, tb.tb_next.tb_frame.f_code.co_name, tb.tb_next.tb_next)
print(ValueError().__traceback__)
#---- with statement
class M:
    def __init__(self, n, swallow=False): self.n, self.swallow = n, swallow
    def __enter__(self):
        print('enter', self.n)
        return self.n
    def __exit__(self, t, v, tb):
        print('exit', self.n, t and t.__name__, v, tb is not None)
        return self.swallow
with M('a') as a, M('b') as b: print(a, b)
with M('a', True), M('b'): 1 / 0
with (M('x') as x, M('y')): print(x)
def f():
    with M('r'): return 'ret'
print(f())
for i in range(2):
    with M(i):
        if i == 0: continue
        break
#---- with errors
class NoExit:
    def __enter__(self): return 1
class NoEnter:
    def __exit__(self, *a): pass
for m in (3, NoExit(), NoEnter()):
    try:
        with m: pass
    except TypeError as e: print(e)
class Bad:
    def __enter__(self): raise ValueError('enter')
    def __exit__(self, *a): print('never')
try:
    with Bad(): pass
except ValueError as e: print(e)
class Raises:
    def __enter__(self): return self
    def __exit__(self, t, v, tb): raise KeyError('exit')
try:
    with Raises(): raise ValueError('body')
except KeyError as e: print(repr(e), repr(e.__context__))
#---- target in with
class M:
    def __enter__(self): return (1, [2, 3])
    def __exit__(self, *a): return False
class O: pass
o = O(); d = {}
with M() as (a, [b, c]), M() as o.x, M() as d['k']: print(a, b, c, o.x, d)
#---- groups
eg = ExceptionGroup('msg', [ValueError(1), TypeError('t'), ExceptionGroup('in', [KeyError('k'), ValueError(2)])])
print(eg, repr(eg), eg.message, eg.exceptions, eg.args)
print(eg.split(ValueError))
print(eg.subgroup(KeyError), eg.subgroup(OSError), eg.subgroup((KeyError, TypeError)))
print(eg.subgroup(lambda e: isinstance(e, ValueError)))
print(type(BaseExceptionGroup('b', [ValueError()])).__name__, type(BaseExceptionGroup('b', [KeyboardInterrupt()])).__name__)
print(eg.derive([KeyError()]))
for args in ((), ('m',), (1, [ValueError()]), ('m', []), ('m', 3), ('m', [3]), ('m', [KeyboardInterrupt()]), ('m', [ValueError], 1)):
    try: print(repr(ExceptionGroup(*args)))
    except Exception as e: print(type(e).__name__, e)
#---- except star
def f(excs):
    try:
        raise ExceptionGroup('g', excs)
    except* ValueError as e: print('V', repr(e))
    except* (TypeError, KeyError) as e: print('TK', repr(e))
    else: print('else')
    finally: print('finally')
f([ValueError(1)])
f([ValueError(1), KeyError(2), TypeError(3)])
try: f([OSError(1), ValueError(2)])
except ExceptionGroup as e: print('left', repr(e))
#---- except star naked
try: raise ValueError('naked')
except* ValueError as e: print(repr(e))
try:
    try: raise KeyError('other')
    except* ValueError: print('no')
except KeyError as e: print('through', e)
#---- except star raising
try:
    try: raise ExceptionGroup('g', [ValueError(1), TypeError(2), OSError(3)])
    except* ValueError: raise KeyError('new')
    except* TypeError: raise
except ExceptionGroup as e: print(repr(e), repr(e.exceptions[0].__context__))
#---- except star nested
eg = ExceptionGroup('o', [ExceptionGroup('i', [ValueError(1), KeyError(2)]), ValueError(3)])
try:
    try: raise eg
    except* KeyError as e: print(repr(e))
except ExceptionGroup as e: print(repr(e))
#---- except star errors
for t in (ExceptionGroup, 3, (ValueError, 3)):
    try:
        try: raise ValueError(1)
        except* t: print('no')
    except TypeError as e: print(e)
#---- group subclass
class MyGroup(ExceptionGroup):
    def __new__(cls, m, e, code=0):
        self = super().__new__(cls, m, e)
        self.code = code
        return self
    def derive(self, excs): return MyGroup(self.message, excs, self.code)
g = MyGroup('m', [ValueError(1), TypeError(2)], 42)
m, r = g.split(ValueError)
print(repr(m), m.code, repr(r), r.code)
#---- unbound and name errors
def f():
    print(x)
    x = 1
def g():
    def h(): return y
    h()
    y = 1
for fn in (f, g, lambda: undefined_name):
    try: fn()
    except NameError as e: print(type(e).__name__, e)
def d():
    z = 1
    del z
    return z
try: d()
except UnboundLocalError as e: print(e)
try: del nope
except NameError as e: print(e)
#---- assertion
try: assert 1 == 2, ('tuple', 3)
except AssertionError as e: print(e.args, e)
try: assert 0
except AssertionError as e: print(e.args, repr(str(e)))
#---- exception in except
def f():
    try:
        try: raise ValueError(1)
        except ValueError: raise TypeError(2)
        finally: print('cleanup')
    except TypeError as e:
        return repr(e.__context__)
print(f())
#---- deleting exception name in handler
try: raise ValueError(1)
except ValueError as e: del e
print('fine')
try: raise ValueError(1)
except ValueError as e: e = 5
try: e
except NameError: print('gone')
#---- functions in a finally, which stands twice in the code
def outer(leave):
    def note(*values):
        print('note', values)
    try:
        if leave:
            return 'left'
    finally:
        def helper(base):
            try:
                def inner(value, other=()):
                    return value, other, base
                note(inner(*()))
            except TypeError as error:
                print(error)
            return [note, inner(*[1]), {k: base for k in 'ab'}]
        print(helper(3)[1:])
        class Local:
            def method(self, *items):
                total = sum(items)
                return [total + i for i in items if i]
        print(Local().method(*range(4)))
    return 'stayed'
print(outer(True), outer(False))
#---- try forms
def g(x):
    try:
        if x == 0:
            return 'ret'
        if x == 1:
            raise ValueError('v')
        if x == 2:
            raise KeyError('k')
        if x == 3:
            1 / 0
        print('body')
    except ValueError as e:
        print('VE', e)
        return 've'
    except (KeyError, IndexError) as e:
        print('KE', repr(e))
        raise RuntimeError('from') from e
    else:
        print('else')
        return 'else'
    finally:
        print('finally', x)
    return 'end'
for i in range(5):
    try:
        print(g(i))
    except Exception as e:
        print(type(e).__name__, e, repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
def h():
    for i in range(3):
        try:
            if i == 1:
                continue
            if i == 2:
                break
            print('i', i)
        finally:
            print('f', i)
    else:
        print('no')
    try:
        return 1
    finally:
        return 2
print(h())
def k():
    try:
        try:
            raise ValueError(1)
        finally:
            raise KeyError(2)
    except KeyError as e:
        return repr(e.__context__)
print(k())
def m():
    while True:
        try:
            return 'a'
        finally:
            break
    return 'b'
print(m())
def n():
    e = 'outer'
    try:
        raise ValueError
    except ValueError as e:
        pass
    try:
        return e
    except UnboundLocalError as x:
        return str(x)
print(n())
try:
    try:
        raise A
    except NameError:
        raise
except NameError as e:
    print(e)
try:
    raise
except RuntimeError as e:
    print(e)
try:
    raise ValueError from None
except ValueError as e:
    print(e.__cause__, e.__suppress_context__)
class E(Exception):

    def __init__(self, a, b=1):
        super().__init__(a)
        self.b = b

    def __str__(self):
        return f'E({self.args}, {self.b})'
try:
    raise E(5, b=2)
except E as e:
    print(e, repr(e), e.args)
try:
    raise E
except TypeError as e:
    print(e)
print(repr(ValueError('a', 1)), str(ValueError()), str(ValueError('a', 'b')), repr(KeyError('k')), str(KeyError('k')), str(OSError(2, 'x')), repr(OSError(2, 'x', 'f')), str(OSError(2, 'x', 'f')), OSError(2, 'x').errno, type(OSError(2, 'x')), str(UnicodeDecodeError('utf8', b'\xff', 0, 1, 'r')), SystemExit(3).code, StopIteration(5).value, repr(StopIteration()), ImportError('m', name='n', path='p').name, AttributeError('a', name='n', obj=1).obj)
e = ValueError('x')
e.add_note('n1')
e.add_note('n2')
print(e.__notes__)
try:
    e.add_note(5)
except TypeError as x:
    print(x)
#---- exception groups
def show(e, ind=0):
    print(' ' * ind + repr(e), e.args)
    if isinstance(e, BaseExceptionGroup):
        for x in e.exceptions:
            show(x, ind + 2)
try:
    try:
        raise ExceptionGroup('g', [ValueError(1), TypeError(2), ExceptionGroup('h', [ValueError(3), OSError(4)])])
    except* ValueError as e:
        print('VE')
        show(e)
    except* TypeError as e:
        print('TE')
        show(e)
        raise KeyError('new')
    else:
        print('else')
    finally:
        print('fin')
except BaseException as e:
    show(e)
    print(repr(e.__context__), repr(e.__cause__))
try:
    try:
        raise ValueError('naked')
    except* ValueError as e:
        show(e)
        raise
except BaseException as e:
    show(e)
eg = ExceptionGroup('m', [ValueError(1), KeyError(2), ExceptionGroup('n', [ValueError(3)])])
show(eg.subgroup(ValueError))
print(eg.split(KeyError))
print(eg.subgroup(lambda e: isinstance(e, KeyError)))
print(eg.derive([OSError()]), eg.message, eg.exceptions, str(eg))
for a in [('m',), ('m', []), ('m', [1]), (1, [ValueError()]), ('m', ValueError()), ('m', [BaseException()])]:
    try:
        print(ExceptionGroup(*a))
    except Exception as e:
        print(type(e).__name__, e)
print(repr(BaseExceptionGroup('m', [ValueError()])), repr(BaseExceptionGroup('m', [KeyboardInterrupt()])))
class MyG(ExceptionGroup):

    def derive(self, excs):
        return MyG(self.message + '!', excs)
show(MyG('q', [ValueError(1), KeyError(2)]).split(ValueError)[0])
try:
    try:
        raise ExceptionGroup('g', [ValueError(1), TypeError(2)])
    except* (ValueError, TypeError) as e:
        print(len(e.exceptions))
except Exception as e:
    print('left', e)
try:
    try:
        pass
    except* ExceptionGroup:
        pass
except TypeError as e:
    print(e)
try:
    try:
        raise ExceptionGroup('g', [ValueError()])
    except* ExceptionGroup:
        pass
except TypeError as e:
    print(e)
def f():
    try:
        raise ExceptionGroup('a', [ValueError(), OSError()])
    except* ValueError:
        print('v')
try:
    f()
except ExceptionGroup as e:
    print(repr(e))
