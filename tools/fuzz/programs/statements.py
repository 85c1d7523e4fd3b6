"""Random functions and classes over expressions.py: a program is a row of functions that run one after the other."""
import warnings

from expressions import METHODS, TYPES, Expressions

HEAD = '''def show(*values):
    for v in values:
        if isinstance(v, (set, frozenset)):
            v = (type(v).__name__, sorted(map(repr, v)))
        if callable(v):
            v = getattr(v, "__name__", "callable")  # no addresses
        print(repr(v)[:300], end=" ")
    print()
def guard(f, *args):
    try:
        show(f(*args))
    except Exception as e:
        print(f.__name__, type(e).__name__, e)
def end(g):
    for _ in range(99):
        try:
            return g.close()
        except RuntimeError as e:  # it yields on
            print(e)
class Manager:
    def __init__(self, name, swallow=False):
        self.name, self.swallow = name, swallow
    def __enter__(self):
        print("enter", self.name)
        return self
    def __exit__(self, kind, value, trace):
        print("exit", self.name, kind and kind.__name__, value)
        return self.swallow
class Box:
    def __init__(self, v): self.v = v
    def __repr__(self): return f"Box({self.v!r})"
    def __eq__(self, o): return isinstance(o, Box) and self.v == o.v
    def __lt__(self, o): return self.v < o.v
    def __hash__(self): return hash(self.v)
    def __add__(self, o): return Box(self.v + (o.v if isinstance(o, Box) else o))
    def __radd__(self, o): return Box(o + self.v)
    def __getitem__(self, i): return self.v[i]
    def __call__(self, *a, **k): return a, k
class Decorators:
    def plain(f):
        print("plain", end=" ")
        return f
    def method(self, f):
        print("method", end=" ")
        return f
    def make(*a, **k):
        print("make", len(a), k, end=" ")
        return lambda f: f
decorators = [Decorators.plain, lambda f: f]
'''
ERRORS = ["ValueError", "KeyError", "TypeError", "ZeroDivisionError", "IndexError", "(TypeError, AttributeError)", "ArithmeticError", "Exception", "LookupError"]


def parses(lines):
    """Whether Python takes the statement in a loop of a function; a random one may bind a name twice, for example."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile("def f():\n  while 1:\n    " + "\n    ".join(lines), "", "exec")
    except SyntaxError:
        return False
    return True


class Program(Expressions):
    def __init__(self, random):
        super().__init__(random)
        self.loops = self.depth = 0
        self.generator = False

    def text(self, functions):
        lines = [HEAD]
        for number in range(functions):
            while True:
                function = self.one(self.function, self.function, self.function, self.generator_function, self.class_function, self.closure)(f"f{number}")
                if parses(function):
                    break
            lines += function
        return "\n".join(lines) + "\n"

    def block(self, lines):
        return ["    " + line for line in lines]

    def body(self, size):
        lines = []
        for _ in range(size):
            statement = self.statement()
            if not parses(statement):
                continue
            # Else most functions would end early.
            lines += self.guarded(statement) if self.chance(.75) else statement
        return lines or ["pass"]

    def nested(self, size=2):
        """The body of a compound statement: what it binds may not be bound afterwards, which is part of the test."""
        self.depth += 1
        kept = {kind: list(names) for kind, names in self.names.items()}
        lines = self.block(self.body(1 + self.random.randrange(size)))
        if self.chance(.85):
            self.names = kept
        self.depth -= 1
        return lines

    def guarded(self, lines):
        return ["try:"] + self.block(lines) + ["except Exception as error:", "    print('!', type(error).__name__, error)"]

    def bind(self, kind):
        name = self.random.choice(self.names[kind]) if self.names.get(kind) and self.chance(.4) else self.name()
        self.names.setdefault(kind, [])
        if name not in self.names[kind]:
            self.names[kind].append(name)
        return name

    def statement(self):
        simple = [self.assign, self.assign, self.assign, self.augment, self.show, self.show, self.unpack, self.mutate, self.call_method]
        if self.loops:
            simple.append(self.leave_loop)
        if self.generator:
            simple += [self.yield_] * 3
        if self.depth >= 3 or self.chance(.6):
            return self.random.choice(simple)()
        return self.one(self.if_, self.for_, self.while_, self.try_, self.try_, self.with_, self.inner, self.match, self.raise_, self.return_)()

    def assign(self):
        kind = self.random.choice(TYPES)
        value = self.of(kind, 3)
        return [f"{self.bind(kind)} = {value}"]

    def augment(self):
        kind = self.one("int", "float", "str", "list", "set", "dict", "tuple", "bytes")
        if not self.names.get(kind):
            return self.assign()
        operator = {"int": self.one("+=", "-=", "*=", "//=", "%=", "|=", "^="), "float": self.one("+=", "*=", "/="), "set": self.one("|=", "&=", "-="), "dict": "|="}.get(kind, "+=")
        name = self.random.choice(self.names[kind])
        value = self.of(kind, 1)
        if kind in ("str", "list", "tuple", "bytes") and self.chance(.3):
            operator, value = "*=", self.one("-1", "0", "1", "2", "3", "True", "1.5", "'a'")
        if self.chance(.5):
            return [f"{name} {operator} {value}"]
        # Whether the other name sees the change, too.
        other = self.name()
        same = f", {name} is {other}" if kind in ("list", "set", "dict") else ""
        return [f"{other} = {name}", f"{name} {operator} {value}", f"show({name}, {other}{same})"]

    def show(self):
        return [f"show({self.any(3)}, {self.any(2)})"]

    def unpack(self):
        a, b = self.name(), self.name()
        value = self.of(self.one("tuple", "list", "str", "dict"), 2)
        return [self.one(f"{a}, {b} = {value}", f"{a}, *{b} = {value}", f"*{a}, {b} = {value}", f"[{a}, ({b}, *_)] = {value}"), f"show({a}, {b})"]

    def mutate(self):
        kind = self.one("list", "dict")
        if not self.names.get(kind):
            return self.assign()
        name = self.random.choice(self.names[kind])
        item = self.any(1)
        if kind == "dict":
            return [self.one(f"{name}[{self.of('str', 1)}] = {item}", f"del {name}[{self.of('str', 0)}]", f"{name}.update(z={item})", f"{name}.setdefault('s', []).append({item})", f"{name}.popitem()")]
        return [self.one(f"{name}.append({item})", f"{name}[{self.one(0, -1, 2)}] = {item}", f"{name}{self.slice()} = {self.of('list', 1)}", f"del {name}[{self.one('0', '1:', '::2', '-1')}]",
                         f"{name}.insert({self.one(0, 1, -1, 99)}, {item})", f"{name}.sort(key=repr)", f"{name}.extend({self.of('str', 1)})", f"{name}.pop({self.one('', 0, 5)})", f"{name}.reverse()")]

    def call_method(self):
        kind = self.random.choice(TYPES)
        return [f"show(({self.of(kind, 1)}).{self.random.choice(METHODS[kind])})"]

    def leave_loop(self):
        return [f"if {self.of('bool', 2)}:", f"    {self.one('break', 'continue')}"]

    def yield_(self):
        name = self.name()
        return [self.one(f"{name} = yield {self.any(2)}", f"yield {self.any(2)}", f"yield from {self.of(self.one('list', 'str', 'tuple'), 1)}")] + ([] if self.chance(.5) else self.show())

    def if_(self):
        lines = [f"if {self.of('bool', 2)}:"] + self.nested()
        if self.chance(.4):
            lines += [f"elif {self.any(2)}:"] + self.nested()
        return lines + (["else:"] + self.nested() if self.chance(.5) else [])

    def loop(self, head):
        self.loops += 1
        lines = [head] + self.nested(3)
        self.loops -= 1
        return lines + (["else:"] + self.nested(1) if self.chance(.2) else [])

    def for_(self):
        over = self.one(f"range({self.random.randrange(5)})", self.of("list", 1), self.of("str", 1), self.of("tuple", 1))
        return self.loop(f"for {self.bind('int')} in {over}:")

    def while_(self):
        name = self.name()
        lines = self.loop(f"while ({name} := {name} + 1) < {self.random.randrange(5)}:")
        return [f"{name} = 0"] + lines

    def try_(self):
        kept, self.loops = self.loops, self.loops if self.chance(.5) else 0
        lines = ["try:"] + self.nested(3)
        final = self.chance(.4)
        if not final or self.chance(.6):
            name = self.name()
            lines += [f"except {self.random.choice(ERRORS)} as {name}:", f"    show(type({name}).__name__, str({name}))"] + self.nested(1)
            if self.chance(.3):
                lines += ["else:"] + self.nested(1)
        if final:
            lines += ["finally:"] + self.nested(1)
        self.loops = kept
        return lines

    def with_(self):
        return [f"with Manager({self.name()!r}, {self.one('True', 'False')}) as {self.name()}" + (f", Manager({self.name()!r}):" if self.chance(.3) else ":")] + self.nested()

    def raise_(self):
        error = self.one("ValueError", "KeyError", "TypeError", "IndexError")
        return [f"if {self.of('bool', 1)}:", f"    raise {error}({self.any(1)})" + self.one("", "", " from None", " from ValueError('cause')")]

    def return_(self):
        return [f"if {self.of('bool', 1)}:", f"    return {self.any(2)}"]

    def inner(self):
        name, parameter = self.name(), self.name()
        decorators = ["@" + self.one("decorators[0]", "decorators[-1]", "Decorators.plain", "Decorators().method", "Decorators.make(1)", "Decorators().make(*[1], k=2)", "(lambda f: f)")
                      for _ in range(self.random.randrange(4))] if self.chance(.4) else []
        head = self.one(f"def {name}({parameter}=1, *rest, key=None):", f"def {name}({parameter}, /, *, key='k', **more):", f"def {name}({parameter}, other=()):")
        kept = self.names, self.loops, self.generator
        self.names, self.loops, self.generator = {"int": [parameter]}, 0, False
        lines = decorators + [head] + self.nested() + [f"    return {self.any(2)}"]
        self.names, self.loops, self.generator = kept
        call = self.one(f"{name}({self.any(1)})", f"{name}()", f"{name}({self.any(1)}, key={self.any(0)})", f"{name}(*{self.of('tuple', 1)})", f"{name}(1, **{self.of('dict', 1)})")
        return lines + [f"show({call})"]

    def match(self):
        name = self.name()
        lines = [f"match {self.any(2)}:"]
        patterns = ["0 | 1", "int()", f"[{name}, *_]", f"(_, {name})", "{'a': 1, **rest}", "str() as text if text", "[]", "None", "True", f"Box(v={name})", "float() | complex()", "'a' | 'Ab'"]
        for pattern in self.random.sample(patterns, 3):
            lines += [f"    case {pattern}:", f"        show({pattern!r})"]
        return lines + ["    case _:", "        show('other')"]

    def start(self, generator=False):
        self.names, self.loops, self.depth, self.generator = {}, 0, 0, generator

    def function(self, name):
        self.start()
        self.names = {"int": ["a"], "list": ["b"]}
        return [f"def {name}(a, b):"] + self.block(self.body(4 + self.random.randrange(8))) + [f"    return {self.any(2)}", f"guard({name}, {self.leaf('int')}, {self.leaf('list')})"]

    def generator_function(self, name):
        self.start(True)
        lines = [f"def {name}():"] + self.block(self.body(3 + self.random.randrange(5))) + ["    yield 'last'"]
        # A generator that is left suspended is closed: when one that nothing refers to ends is not the same (REFERENCE.md).
        uses = self.one("list(g)", "[x for x, _ in zip(g, range(3))]", "next(g)", "(next(g), g.send(5))", "(next(g), g.throw(ValueError('thrown')))",
                        "sum(1 for _ in g)")
        drive = f"(lambda g: ({uses}, end(g)))({name}())"
        return lines + [f"guard(lambda: {drive})"]

    def class_function(self, name):
        self.start()
        base = self.one("", "(Box)", "(Box, Manager)", "(dict)", "(list)", "(Exception)", "(str)", "(int)")
        lines = [f"class C{name}{base}:", f"    shared = {self.any(1)}", f"    def method(self, x={self.any(0)}):"]
        self.names = {}
        lines += self.block(self.block(self.body(2) + [f"return {self.any(1)}"]))
        lines += self.one([], ["    @property", "    def prop(self):", f"        return {self.any(1)}"], ["    def __len__(self): return 3"], ["    def __getattr__(self, name): return name * 2"],
                          ["    @staticmethod", "    def prop(): return 's'"], ["    @classmethod", "    def prop(cls): return cls.__name__"], ["    def __iter__(self): return iter('xyz')"])
        make = f"C{name}({'1' if 'Box' in base or 'int' in base else ''})"
        lines = self.guarded(lines)
        uses = ["o.method()", "o.prop", "o.prop()", "C%s.shared" % name, "len(o)", "list(o)", "o.missing", "o == o", f"o + {self.any(1)}", "bool(o)", "[c.__name__ for c in type(o).__mro__]", "o[1]", "isinstance(o, Box)", "vars(o)"]
        return lines + [f"guard(lambda: (lambda o: {use})({make}))" for use in self.random.sample(uses, 5)]

    def closure(self, name):
        self.start()
        first, second = self.name(), self.name()
        return [f"def {name}():", f"    {first} = {self.of('int', 1)}", f"    {second} = []", "    def inner(step):", f"        nonlocal {first}", f"        {first} = {first} {self.one('+', '-', '*', '^')} step",
                f"        {second}.append(({first}, step))", f"        return {first}", f"    fs = [lambda i=i: inner(i) for i in range(3)] + [lambda: inner(j) for j in range(2)]",
                f"    return [f() for f in fs], {second}, {first}", f"guard({name})"]
