"""What functions, classes and objects are made of."""
import types as _types
from collections import OrderedDict as _OrderedDict, namedtuple as _namedtuple
import functools as _functools

CO_OPTIMIZED, CO_NEWLOCALS, CO_VARARGS, CO_VARKEYWORDS = 1, 2, 4, 8
CO_NESTED, CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR = 16, 32, 128, 512
GEN_CREATED, GEN_RUNNING, GEN_SUSPENDED, GEN_CLOSED = ('GEN_CREATED', 'GEN_RUNNING',
                                                       'GEN_SUSPENDED', 'GEN_CLOSED')


class _empty:
    pass


def ismodule(object):
    return isinstance(object, _types.ModuleType)


def isclass(object):
    return isinstance(object, type)


def ismethod(object):
    return isinstance(object, _types.MethodType) and isinstance(object.__func__,
                                                                _types.FunctionType)


def isfunction(object):
    return isinstance(object, _types.FunctionType)


def isbuiltin(object):
    return isinstance(object, _types.BuiltinFunctionType)


def isroutine(object):
    return (isbuiltin(object) or isfunction(object) or ismethod(object)
            or isinstance(object, (_types.MethodDescriptorType, _types.WrapperDescriptorType)))


def _flag(object, flag):
    while isinstance(object, (_types.MethodType, _functools.partial)):
        object = object.func if isinstance(object, _functools.partial) else object.__func__
    return isfunction(object) and bool(object.__code__.co_flags & flag)


def isgeneratorfunction(obj):
    return _flag(obj, CO_GENERATOR)


def iscoroutinefunction(obj):
    return _flag(obj, CO_COROUTINE)


def isasyncgenfunction(obj):
    return _flag(obj, CO_ASYNC_GENERATOR)


def isgenerator(object):
    return isinstance(object, _types.GeneratorType)


def iscoroutine(object):
    return isinstance(object, _types.CoroutineType)


def isasyncgen(object):
    return isinstance(object, _types.AsyncGeneratorType)


def isawaitable(object):
    return iscoroutine(object) or hasattr(type(object), '__await__')


def istraceback(object):
    return isinstance(object, _types.TracebackType)


def iscode(object):
    return type(object).__name__ == 'code'


def isframe(object):
    return type(object).__name__ == 'frame'


def isabstract(object):
    return isclass(object) and bool(getattr(object, '__abstractmethods__', None))


def isdatadescriptor(object):
    if isclass(object) or ismethod(object) or isfunction(object):
        return False
    return hasattr(type(object), '__set__') or hasattr(type(object), '__delete__') or isinstance(
        object, property)


def ismethoddescriptor(obj):
    if isclass(obj) or ismethod(obj) or isfunction(obj):
        return False
    return hasattr(type(obj), '__get__') and not hasattr(type(obj), '__set__')


def getmro(cls):
    return cls.__mro__


def getmembers(object, predicate=None):
    made = []
    for name in dir(object):
        try:
            value = getattr(object, name)
        except AttributeError:
            continue
        if predicate is None or predicate(value):
            made.append((name, value))
    return sorted(made, key=lambda pair: pair[0])


def getmodule(object):
    import sys
    return sys.modules.get(getattr(object, '__module__', None))


def cleandoc(doc):
    lines = doc.expandtabs().split('\n')
    margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    lines = [lines[0].lstrip()] + [line[margin:] for line in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return '\n'.join(lines)


def getdoc(object):
    doc = getattr(object, '__doc__', None)
    if doc is None and isclass(object):
        doc = next((c.__doc__ for c in object.__mro__[1:] if c.__doc__ and c is not _object), None)
    elif doc is None and ismethod(object):
        for cls in type(object.__self__).__mro__:
            doc = getattr(cls.__dict__.get(object.__name__), '__doc__', None)
            if doc is not None:
                break
    return cleandoc(doc) if isinstance(doc, str) else None


_object = object


def getcallargs(func, /, *positional, **named):
    bound = signature(func).bind(*positional, **named)
    bound.apply_defaults()
    return bound.arguments


def get_annotations(obj, *, globals=None, locals=None, eval_str=False):
    found = (obj.__dict__ if isinstance(obj, type) else vars(obj) if ismodule(obj) else None)
    if found is not None:
        found = found.get('__annotations__')
    elif callable(obj):
        found = getattr(obj, '__annotations__', None)
    else:
        raise TypeError(f'{obj!r} is not a module, class, or callable.')
    if not found:
        return {}
    if eval_str:
        from typing import get_type_hints
        hints = get_type_hints(obj, globals, locals, include_extras=True)
        return {name: hints[name] for name in found}
    return dict(found)


def unwrap(func, *, stop=None):
    seen = {id(func)}
    while hasattr(func, '__wrapped__') and not (stop is not None and stop(func)):
        func = func.__wrapped__
        if id(func) in seen:
            raise ValueError(f'wrapper loop when unwrapping {func!r}')
        seen.add(id(func))
    return func


def getattr_static(obj, attr, default=_empty):
    if not isclass(obj):
        try:
            return object.__getattribute__(obj, '__dict__')[attr]
        except (AttributeError, KeyError):
            pass
    for cls in (obj if isclass(obj) else type(obj)).__mro__:
        if attr in cls.__dict__:
            return cls.__dict__[attr]
    if default is not _empty:
        return default
    raise AttributeError(attr)


def currentframe():
    import sys
    return sys._getframe(1)


Traceback = _namedtuple('Traceback', 'filename lineno function code_context index')
FrameInfo = _namedtuple('FrameInfo', 'frame filename lineno function code_context index')


def getframeinfo(frame, context=1):
    import _ferry
    line = frame.tb_lineno if istraceback(frame) else frame.f_lineno
    text = _ferry.frame_text(frame).split('\n')
    if istraceback(frame):
        frame = frame.tb_frame
    lines = [text[1].strip() + '\n'] if context > 0 and len(text) > 2 else None
    return Traceback(frame.f_code.co_filename, line, frame.f_code.co_name, lines,
                     None if lines is None else 0)


def getouterframes(frame, context=1):
    made = []
    while frame is not None:
        made.append(FrameInfo(frame, *getframeinfo(frame, context)))
        frame = frame.f_back
    return made


def getinnerframes(tb, context=1):
    made = []
    while tb is not None:
        made.append(FrameInfo(tb.tb_frame, *getframeinfo(tb, context)))
        tb = tb.tb_next
    return made


def stack(context=1):
    import sys
    return getouterframes(sys._getframe(1), context)


def trace(context=1):
    import sys
    return getinnerframes(sys.exc_info()[2], context)


def getmembers_static(object, predicate=None):
    made = []
    for name in dir(object):
        try:
            value = getattr_static(object, name)
        except AttributeError:
            continue
        if predicate is None or predicate(value):
            made.append((name, value))
    return sorted(made, key=lambda pair: pair[0])


ClosureVars = _namedtuple('ClosureVars', 'nonlocals globals builtins unbound')
CORO_CREATED, CORO_RUNNING, CORO_SUSPENDED, CORO_CLOSED = ('CORO_CREATED', 'CORO_RUNNING',
                                                           'CORO_SUSPENDED', 'CORO_CLOSED')


def getcoroutinestate(coroutine):
    if coroutine.cr_running:
        return CORO_RUNNING
    if coroutine.cr_frame is None:
        return CORO_CLOSED
    return CORO_SUSPENDED if coroutine.cr_suspended else CORO_CREATED


def getcoroutinelocals(coroutine):
    return coroutine.cr_frame.f_locals if coroutine.cr_frame is not None else {}


def getgeneratorlocals(generator):
    if not isgenerator(generator):
        raise TypeError(f'{generator!r} is not a Python generator')
    return generator.gi_frame.f_locals if generator.gi_frame is not None else {}


def ismemberdescriptor(object):
    return isinstance(object, _types.MemberDescriptorType)


def isgetsetdescriptor(object):
    return type(object).__name__ == 'getset_descriptor'


def ismethodwrapper(object):
    return isinstance(object, _types.MethodWrapperType)


def getfile(object):
    import sys
    if ismodule(object):
        if getattr(object, '__file__', None):
            return object.__file__
        raise TypeError(f'{object!r} is a built-in module')
    if isclass(object):
        found = getattr(sys.modules.get(object.__module__), '__file__', None)
        if found and not object.__module__ == 'builtins':
            return found
        raise TypeError(f'{object!r} is a built-in class')
    object = getattr(object, '__func__', object)
    if istraceback(object):
        object = object.tb_frame
    object = getattr(object, '__code__', getattr(object, 'f_code', object))
    if iscode(object):
        return object.co_filename
    raise TypeError('module, class, method, function, traceback, frame, or code object was '
                    f'expected, got {type(object).__name__}')


def getgeneratorstate(generator):
    if generator.gi_running:
        return GEN_RUNNING
    if generator.gi_frame is None:
        return GEN_CLOSED
    return GEN_SUSPENDED if generator.gi_suspended else GEN_CREATED


def formatannotation(annotation, base_module=None):
    if getattr(annotation, '__module__', None) == 'typing':
        return repr(annotation).replace('typing.', '')
    if isinstance(annotation, type) and not isinstance(annotation, _types.GenericAlias):
        if annotation.__module__ in ('builtins', base_module):
            return annotation.__qualname__
        return annotation.__module__ + '.' + annotation.__qualname__
    return repr(annotation)


class _Kind(int):
    def __new__(cls, value, name, description):
        self = int.__new__(cls, value)
        self.name, self.description = name, description
        return self

    def __str__(self):
        return self.name

    def __repr__(self):
        return f'<_ParameterKind.{self.name}: {int(self)}>'


_KINDS = [_Kind(i, name, text) for i, (name, text) in enumerate((
    ('POSITIONAL_ONLY', 'positional-only'), ('POSITIONAL_OR_KEYWORD', 'positional or keyword'),
    ('VAR_POSITIONAL', 'variadic positional'), ('KEYWORD_ONLY', 'keyword-only'),
    ('VAR_KEYWORD', 'variadic keyword')))]


class Parameter:
    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = _KINDS
    empty = _empty

    def __init__(self, name, kind, *, default=_empty, annotation=_empty):
        self._kind = _KINDS[kind]
        if default is not _empty and kind in (2, 4):
            raise ValueError(f'{self._kind.description} parameters cannot have default values')
        if not isinstance(name, str):
            raise TypeError(f'name must be a str, not a {type(name).__name__}')
        if not name.isidentifier():
            raise ValueError(f'{name!r} is not a valid parameter name')
        self._name, self._default, self._annotation = name, default, annotation

    name = property(lambda self: self._name)
    kind = property(lambda self: self._kind)
    default = property(lambda self: self._default)
    annotation = property(lambda self: self._annotation)

    def replace(self, *, name=_empty, kind=_empty, annotation=_empty, default=_empty):
        return type(self)(self._name if name is _empty else name,
                          self._kind if kind is _empty else kind,
                          default=self._default if default is _empty else default,
                          annotation=self._annotation if annotation is _empty else annotation)

    def __str__(self):
        text = self._name
        if self._annotation is not _empty:
            text += ': ' + formatannotation(self._annotation)
        if self._default is not _empty:
            text += (' = ' if self._annotation is not _empty else '=') + repr(self._default)
        return {2: '*', 4: '**'}.get(int(self._kind), '') + text

    def __repr__(self):
        return f'<Parameter "{self}">'

    def _key(self):
        return (self._name, self._kind, self._default, self._annotation)

    def __eq__(self, other):
        return self._key() == other._key() if isinstance(other, Parameter) else NotImplemented

    def __hash__(self):
        return hash(self._key())


class BoundArguments:
    def __init__(self, signature, arguments):
        self.arguments, self._signature = arguments, signature

    signature = property(lambda self: self._signature)

    @property
    def args(self):
        made = []
        for name, p in self._signature.parameters.items():
            if p.kind in (3, 4) or name not in self.arguments:
                break
            if p.kind == 2:
                made.extend(self.arguments[name])
            else:
                made.append(self.arguments[name])
        return tuple(made)

    @property
    def kwargs(self):
        made, started = {}, False
        for name, p in self._signature.parameters.items():
            started = started or p.kind in (3, 4) or name not in self.arguments
            if not started or name not in self.arguments:
                continue
            if p.kind == 4:
                made.update(self.arguments[name])
            else:
                made[name] = self.arguments[name]
        return made

    def apply_defaults(self):
        made = {}
        for name, p in self._signature.parameters.items():
            if name in self.arguments:
                made[name] = self.arguments[name]
            elif p.default is not _empty:
                made[name] = p.default
            elif p.kind in (2, 4):
                made[name] = () if p.kind == 2 else {}
        self.arguments = made

    def __eq__(self, other):
        return (self._signature == other._signature and self.arguments == other.arguments
                if isinstance(other, BoundArguments) else NotImplemented)

    def __repr__(self):
        items = ', '.join(f'{k}={v!r}' for k, v in self.arguments.items())
        return f'<BoundArguments ({items})>'


class Signature:
    empty = _empty

    def __init__(self, parameters=None, *, return_annotation=_empty, __validate_parameters__=True):
        made = _OrderedDict()
        kind, default = 0, False
        for p in parameters or ():
            if p.kind < kind:
                raise ValueError(f'wrong parameter order: {_KINDS[kind].description} parameter '
                                 f'before {p.kind.description} parameter')
            kind = p.kind
            if p.kind in (0, 1):
                if p.default is _empty and default:
                    raise ValueError('non-default argument follows default argument')
                default = default or p.default is not _empty
            if p.name in made:
                raise ValueError(f'duplicate parameter name: {p.name!r}')
            made[p.name] = p
        self._parameters = _types.MappingProxyType(made)
        self._return = return_annotation

    parameters = property(lambda self: self._parameters)
    return_annotation = property(lambda self: self._return)

    @classmethod
    def from_callable(cls, obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False):
        return _signature(obj, follow_wrapped)

    def replace(self, *, parameters=_empty, return_annotation=_empty):
        return type(self)(self._parameters.values() if parameters is _empty else parameters,
                          return_annotation=self._return if return_annotation is _empty
                          else return_annotation)

    def _bind(self, args, kwargs, partial=False):
        arguments, args = {}, list(args)
        for name, p in self._parameters.items():
            if p.kind == 2:
                if args:
                    arguments[name] = tuple(args)
                args = []
            elif p.kind == 4:
                if kwargs:
                    arguments[name] = kwargs
                kwargs = {}
            elif args and p.kind != 3:
                if name in kwargs and p.kind == 1:
                    raise TypeError(f'multiple values for argument {name!r}')
                arguments[name] = args.pop(0)
            elif name in kwargs and p.kind != 0:
                arguments[name] = kwargs.pop(name)
            elif name in kwargs:
                raise TypeError(f'{name!r} parameter is positional only, but was passed as a '
                                'keyword')
            elif p.default is _empty and not partial:
                raise TypeError('missing a required argument: ' + repr(name))
        if args:
            raise TypeError('too many positional arguments')
        if kwargs:
            raise TypeError(f'got an unexpected keyword argument {next(iter(kwargs))!r}')
        return BoundArguments(self, arguments)

    def bind(self, /, *args, **kwargs):
        return self._bind(args, kwargs)

    def bind_partial(self, /, *args, **kwargs):
        return self._bind(args, kwargs, True)

    def _key(self):
        return (tuple(p for p in self._parameters.values() if p.kind != 3),
                {p.name: p for p in self._parameters.values() if p.kind == 3}, self._return)

    def __eq__(self, other):
        return self._key() == other._key() if isinstance(other, Signature) else NotImplemented

    def __hash__(self):
        return hash(tuple(self._parameters.values()))

    def __str__(self):
        parts, only, star = [], False, True
        for p in self._parameters.values():
            if p.kind == 0:
                only = True
            elif only:
                parts.append('/')
                only = False
            if p.kind == 2:
                star = False
            elif p.kind == 3 and star:
                parts.append('*')
                star = False
            parts.append(str(p))
        if only:
            parts.append('/')
        text = f'({", ".join(parts)})'
        return text if self._return is _empty else f'{text} -> {formatannotation(self._return)}'

    def __repr__(self):
        return f'<{type(self).__name__} {self}>'


def _of_function(function):
    code = function.__code__
    names = code.co_varnames
    count, only, keywords = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    notes = function.__annotations__
    defaults = function.__defaults__ or ()
    kwdefaults = function.__kwdefaults__ or {}
    made = []

    def add(name, kind, default=_empty):
        made.append(Parameter(name, kind, default=default, annotation=notes.get(name, _empty)))
    for i, name in enumerate(names[:count]):
        at = i - (count - len(defaults))
        add(name, 0 if i < only else 1, defaults[at] if at >= 0 else _empty)
    at = count + keywords
    if code.co_flags & CO_VARARGS:
        add(names[at], 2)
        at += 1
    for name in names[count:count + keywords]:
        add(name, 3, kwdefaults.get(name, _empty))
    if code.co_flags & CO_VARKEYWORDS:
        add(names[at], 4)
    return Signature(made, return_annotation=notes.get('return', _empty))


def _without_first(made):
    parameters = list(made.parameters.values())
    if not parameters or parameters[0].kind in (3, 4):
        raise ValueError('invalid method signature')
    if parameters[0].kind in (0, 1):
        parameters.pop(0)
    return made.replace(parameters=parameters)


def _of_partial(obj):
    made = _signature(obj.func)
    bound = made.bind_partial(*obj.args, **obj.keywords)
    parameters, keyword = [], False
    for name, p in made.parameters.items():
        if name in bound.arguments and p.kind in (0, 1, 3):
            if name not in obj.keywords:
                continue
            p = p.replace(kind=3, default=obj.keywords[name])
            keyword = True
        elif keyword and p.kind == 1:
            p = p.replace(kind=3)
        elif keyword and p.kind == 2:
            continue
        parameters.append(p)
    return made.replace(parameters=parameters)


def _of_builtin(obj):
    from _signatures import parameters
    cls = obj
    if isclass(obj):
        cls = next(c for c in obj.__mro__ if c.__module__ == 'builtins')
    module = getattr(cls, '__module__', None)
    name = cls.__qualname__ if module in (None, 'builtins') else None
    found = parameters(name)
    if found is None:
        kind = 'builtin type' if isclass(obj) and obj is not type else 'builtin'
        raise ValueError(f'no signature found for {kind} {obj!r}')
    bound = isbuiltin(obj) and '.' in name
    return Signature([Parameter(n, kind, default=given[0] if given else _empty)
                      for n, kind, given in found[bound:]])


def _signature(obj, follow=True):
    if not callable(obj):
        raise TypeError(f'{obj!r} is not a callable object')
    if isinstance(obj, _types.MethodType) and hasattr(obj, '__func__'):
        return _without_first(_signature(obj.__func__, follow))
    if follow:
        obj = unwrap(obj, stop=lambda f: hasattr(f, '__signature__'))
    own = getattr(obj, '__signature__', None)
    if own is not None:
        return own
    if isinstance(obj, _functools.partial):
        return _of_partial(obj)
    if isfunction(obj):
        return _of_function(obj)
    if isclass(obj):
        for name in ('__new__', '__init__'):
            method = getattr(obj, name)
            if isfunction(method):
                return _without_first(_of_function(method))
        if obj.__module__ == 'builtins' or any(c.__module__ == 'builtins'
                                               for c in obj.__mro__[:-1]):
            return _of_builtin(obj)
        if object in obj.__bases__ or obj.__init__ is object.__init__:
            return Signature()
    call = getattr(type(obj), '__call__', None)
    if isfunction(call):
        return _without_first(_signature(call))
    return _of_builtin(obj)


def signature(obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False):
    return _signature(obj, follow_wrapped)


FullArgSpec = _namedtuple('FullArgSpec', 'args, varargs, varkw, defaults, kwonlyargs, '
                                         'kwonlydefaults, annotations')


def getfullargspec(func):
    code = getattr(func, '__func__', func).__code__
    names, count, keywords = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    at = count + keywords
    rest = names[at] if code.co_flags & CO_VARARGS else None
    more = names[at + (rest is not None)] if code.co_flags & CO_VARKEYWORDS else None
    notes = func.__annotations__
    order = ('return', *names[:count], rest, *names[count:at], more)
    return FullArgSpec(list(names[:count]), rest, more, func.__defaults__, list(names[count:at]),
                       func.__kwdefaults__, {k: notes[k] for k in order if k in notes})
