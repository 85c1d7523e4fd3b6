"""Random expressions of a wanted type. What they print is the same on every run of Python 3.11: no addresses, no order of
string hashes, no clock."""

TYPES = ["int", "float", "str", "bool", "list", "dict", "tuple", "bytes", "set", "complex"]
WORDS = ["", "a", "Ab", "x y", "\u00e9t\u00e9", "12", "-3.5", "a,b,,c", "\\n\\t", "0x1f", "\u4e2d\u6587", "\U0001f600!", "  pad ", "%d%%", "{}"]
FLOATS = ["0.0", "-0.0", "1.5", "2.5e-7", "1e300", "0.1", "-7.25", "123456789.125", "1e16", "float('inf')", "float('nan')"]
SPECS = {
    "int": ["", "d", "5d", "<6d", "^+9d", "08d", "x", "#o", "b", ",", "_d", "e", ".2f", "c", "+,d", "=8d", "s"],
    "float": ["", ".3f", "10.2e", "g", ".10g", "%", "+.1f", "<12", "010.3f", ",.2f", "n", ".0f", "d"],
    "str": ["", ">8", "^9", "*<5", ".2", "8.3s", "-^4", "d"],
    "bool": ["", "d", ">6"], "complex": ["", ".2f", ">20"],
}
METHODS = {
    "str": ["upper()", "title()", "swapcase()", "strip()", "split()", "split(',')", "splitlines()", "zfill(6)", "center(9, '*')", "partition('b')",
            "rsplit(None, 1)", "replace('a', 'bb')", "find('b')", "count('')", "encode()", "isidentifier()", "casefold()", "expandtabs(4)",
            "isalnum()", "startswith(('a', 'x'))", "rpartition(',')", "ljust(7)", "removeprefix('a')", "index('b')", "capitalize()", "isspace()"],
    "list": ["copy()", "count(1)", "index(2)", "__len__()", "__contains__(3)", "__add__([1])"],
    "dict": ["copy()", "items()", "keys()", "get('a')", "get('zz', 9)", "values()", "__len__()", "pop('a', None)", "setdefault('q', 1)"],
    "int": ["bit_length()", "bit_count()", "to_bytes(9, 'big', signed=True)", "as_integer_ratio()", "conjugate()", "__neg__()"],
    "float": ["hex()", "is_integer()", "as_integer_ratio()", "__trunc__()"],
    "bytes": ["hex()", "upper()", "split()", "decode('latin-1')", "find(b'a')", "startswith(b'a')", "replace(b'a', b'xx')"],
    "tuple": ["count(1)", "index(1)", "__len__()"], "set": ["copy()", "isdisjoint({1})", "__len__()"], "complex": ["conjugate()"], "bool": ["bit_length()"],
}


class Expressions:
    """Makes expressions from `random`; `names` maps a type to the variables that hold it."""

    def __init__(self, random):
        self.random, self.names, self.fresh = random, {}, 0

    def one(self, *choices):
        return self.random.choice(choices)

    def chance(self, part):
        return self.random.random() < part

    def name(self):
        self.fresh += 1
        return f"v{self.fresh}"

    def any(self, depth):
        return self.of(self.random.choice(TYPES), depth)

    def of(self, kind, depth):
        """An expression that mostly gives a `kind`; what raises instead is fine."""
        held = self.names.get(kind)
        if held and self.chance(.45):
            return self.random.choice(held)
        if depth <= 0:
            return self.leaf(kind)
        if self.chance(.06):
            return f"({self.of(kind, depth - 1)} if {self.of('bool', depth - 1)} else {self.of(kind, depth - 1)})"
        if self.chance(.05):
            return f"({self.any(depth - 1)} {self.one('and', 'or')} {self.of(kind, depth - 1)})"
        if self.chance(.04):
            name = self.name()
            return f"({name} := {self.of(kind, depth - 1)})"
        if self.chance(.03):
            return f"(lambda p, q=2: {self.of(kind, depth - 1)})({self.any(depth - 1)})"
        if self.chance(.03):
            return f"({self.of(self.random.choice(TYPES), depth - 1)}).{self.random.choice(METHODS[self.random.choice(TYPES)])}"
        return getattr(self, "make_" + kind)(depth - 1)

    def leaf(self, kind):
        return {
            "int": lambda: str(self.one(0, 1, 2, 3, -1, 7, 10, 255, -128, 1 << 40, 1 << 47, -(1 << 63), 10 ** 20)),
            "float": lambda: self.random.choice(FLOATS), "str": lambda: repr(self.random.choice(WORDS)),
            "bool": lambda: self.one("True", "False"), "list": lambda: self.one("[]", "[1, 2, 3]", "['a', 'b']", "[0.5, None]"),
            "dict": lambda: self.one("{}", "{'a': 1, 'b': 2}", "{1: 'x', (2, 3): []}"), "tuple": lambda: self.one("()", "(1,)", "(1, 'a', 2.5)"),
            "bytes": lambda: self.one("b''", "b'abc'", "b'\\x00\\xff a'"), "set": lambda: self.one("set()", "{1, 2, 3}", "frozenset({1})"),
            "complex": lambda: self.one("1j", "(2+3j)", "(-0.5-1e3j)"),
        }[kind]()

    def make_int(self, depth):
        a, b = (lambda: self.of("int", depth)), self.of("int", depth)
        return self.one(
            lambda: f"({a()} {self.one('+', '-', '*', '//', '%', '&', '|', '^')} {b})", lambda: f"({a()} {self.one('<<', '>>')} {self.random.randrange(70)})",
            lambda: f"({a()} ** {self.random.randrange(-2, 9)})", lambda: f"{self.one('-', '~', '+')}{a()}", lambda: f"len({self.any(depth)})",
            lambda: f"int({self.of(self.one('float', 'str', 'bool'), depth)})", lambda: f"{self.one('abs', 'hash', 'round')}({a()})",
            lambda: f"sum({self.of('list', depth)})", lambda: f"{self.one('max', 'min')}({a()}, {b})", lambda: f"divmod({a()}, {b})[1]",
            lambda: f"pow({a()}, {self.random.randrange(9)}, {b})", lambda: f"ord({self.of('str', depth)}[0])", lambda: f"round({a()}, {self.one(-1, -2, 1)})",
        )()

    def make_float(self, depth):
        return self.one(
            lambda: f"({self.of('float', depth)} {self.one('+', '-', '*', '/', '//', '%')} {self.of(self.one('float', 'int'), depth)})",
            lambda: f"({self.of('int', depth)} / {self.of('int', depth)})", lambda: f"float({self.of(self.one('int', 'str'), depth)})",
            lambda: f"round({self.of('float', depth)}, {self.one(0, 1, 2, -1)})", lambda: f"({self.of('float', depth)} ** {self.one(2, 0.5, -1)})",
            lambda: f"abs({self.of(self.one('float', 'complex'), depth)})",
        )()

    def make_complex(self, depth):
        return f"({self.of('complex', depth)} {self.one('+', '-', '*', '/')} {self.of(self.one('complex', 'int', 'float'), depth)})"

    def make_str(self, depth):
        kind = self.one("int", "float", "str", "bool")
        spec = self.random.choice(SPECS[kind])
        return self.one(
            lambda: f"({self.of('str', depth)} + {self.of('str', depth)})", lambda: f"({self.of('str', depth)} * {self.random.randrange(4)})",
            lambda: f"{self.of('str', depth)}{self.slice()}", lambda: f"{self.one('str', 'repr', 'ascii')}({self.any(depth)})",
            lambda: f"format({self.of(kind, depth)}, {spec!r})", lambda: f"'{self.one('%s', '%r', '%5.1f', '%x', '%-4d|', '%+d', '%c')}' % ({self.any(depth)},)",
            lambda: "f'{" + self.of(kind, 0).replace("'", '"') + (":" + spec if self.chance(.5) else self.one("", "!r", "=")) + "}'",
            lambda: f"'-'.join(map(str, {self.of('list', depth)}))", lambda: f"({self.of('str', depth)}).{self.random.choice(METHODS['str'][:4])}",
            lambda: "'{0!r:>6}|{1}'.format(" + self.any(depth) + ", " + self.any(depth) + ")", lambda: f"hex({self.of('int', depth)})",
        )()

    def make_bool(self, depth):
        kind = self.random.choice(TYPES)
        return self.one(
            lambda: f"({self.of(kind, depth)} {self.one('==', '!=', '<', '<=', '>', '>=')} {self.of(kind, depth)})", lambda: f"(not {self.any(depth)})",
            lambda: f"({self.any(depth)} {self.one('in', 'not in')} {self.of(self.one('list', 'str', 'dict', 'tuple', 'set'), depth)})",
            lambda: f"isinstance({self.any(depth)}, {self.one('int', 'str', '(list, tuple)', 'bool', 'float')})", lambda: f"bool({self.any(depth)})",
            lambda: f"{self.one('any', 'all')}({self.of('list', depth)})", lambda: f"({self.of('int', depth)} < {self.of('int', depth)} <= {self.of('float', depth)})",
            lambda: f"callable({self.any(depth)})",
        )()

    def make_list(self, depth):
        n = self.name()
        over = self.one(f"range({self.random.randrange(-2, 6)})", self.of("list", depth), self.of("str", depth), f"enumerate({self.of('tuple', depth)})",
                        f"zip({self.of('list', depth)}, {self.of('str', depth)})", f"sorted({self.of('set', depth)}, key=repr)", f"{self.of('dict', depth)}.items()")
        return self.one(
            lambda: f"[{', '.join(self.any(depth - 1) for _ in range(self.random.randrange(4)))}]", lambda: f"[{n} for {n} in {over}]",
            lambda: f"[({n}, {self.any(depth - 1)}) for {n} in {over} if {n}]", lambda: f"({self.of('list', depth)} + {self.of('list', depth)})",
            lambda: f"({self.of('list', depth)} * {self.random.randrange(3)})", lambda: f"{self.of('list', depth)}{self.slice()}", lambda: f"list({over})",
            lambda: f"sorted({over}, key={self.one('repr', 'str')}, reverse={self.one('True', 'False')})", lambda: f"[*{self.of('list', depth)}, *{self.of('tuple', depth)}]",
            lambda: f"list(map({self.one('str', 'repr', 'type', 'bool')}, {over}))", lambda: f"list(reversed({self.of('list', depth)}))", lambda: f"list(filter(None, {over}))",
        )()

    def make_dict(self, depth):
        n = self.name()
        return self.one(
            lambda: "{" + ", ".join(f"{self.of(self.one('str', 'int', 'tuple'), 0)}: {self.any(depth - 1)}" for _ in range(self.random.randrange(4))) + "}",
            lambda: f"{{{n}: {self.any(depth - 1)} for {n} in {self.of(self.one('str', 'tuple'), depth)}}}", lambda: f"{{**{self.of('dict', depth)}, 'k': {self.any(depth - 1)}}}",
            lambda: f"({self.of('dict', depth)} | {self.of('dict', depth)})", lambda: f"dict(a={self.any(depth - 1)}, b={self.any(depth - 1)})",
            lambda: f"dict.fromkeys({self.of('str', depth)}, {self.any(depth - 1)})", lambda: f"dict(zip({self.of('str', depth)}, {self.of('list', depth)}))",
        )()

    def make_tuple(self, depth):
        return self.one(
            lambda: f"({self.any(depth - 1)}, {self.any(depth - 1)})", lambda: f"tuple({self.of('list', depth)})", lambda: f"({self.of('tuple', depth)} + {self.of('tuple', depth)})",
            lambda: f"{self.of('tuple', depth)}{self.slice()}", lambda: f"divmod({self.of('int', depth)}, {self.of('int', depth)})", lambda: f"({self.any(depth - 1)}, *{self.of('list', depth)})",
        )()

    def make_bytes(self, depth):
        return self.one(lambda: f"({self.of('bytes', depth)} + {self.of('bytes', depth)})", lambda: f"{self.of('bytes', depth)}{self.slice()}",
                        lambda: f"bytes({self.of('list', depth)})", lambda: f"{self.of('str', depth)}.encode()", lambda: f"bytes({self.random.randrange(4)})")()

    def make_set(self, depth):
        return self.one(lambda: f"({self.of('set', depth)} {self.one('|', '&', '-', '^')} {self.of('set', depth)})", lambda: f"{{{self.of('int', depth)}, {self.of('int', depth)}}}",
                        lambda: f"set(range({self.random.randrange(5)}))", lambda: f"frozenset({self.of('tuple', depth)})")()

    def slice(self):
        bound = lambda: self.one("", "", "0", "1", "-1", "2", "-3", "10")
        return f"[{bound()}:{bound()}{self.one('', ':', ':2', ':-1', ':-2', ':0')}]" if self.chance(.7) else f"[{self.one(0, 1, -1, 5)}]"
