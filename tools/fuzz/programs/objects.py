"""Random classes, what they override, and what is asked of their objects."""
import statements
from expressions import Expressions

BUILTIN = ["int", "str", "list", "dict", "tuple", "float", "Exception", "bytes", "bytearray"]
# Special methods and their parameters; each prints its name, so the order of calls shows.
SPECIAL = {
    "__repr__": "", "__str__": "", "__len__": "", "__bool__": "", "__hash__": "", "__index__": "", "__int__": "", "__float__": "", "__iter__": "", "__next__": "",
    "__reversed__": "", "__neg__": "", "__abs__": "", "__invert__": "", "__call__": ", *a, **k", "__enter__": "", "__exit__": ", *a", "__getattr__": ", n",
    "__getattribute__": ", n", "__setattr__": ", n, v", "__delattr__": ", n", "__getitem__": ", i", "__setitem__": ", i, v", "__delitem__": ", i", "__contains__": ", x",
    "__missing__": ", k", "__format__": ", s", "__round__": ", n=None", "__eq__": ", o", "__ne__": ", o", "__lt__": ", o", "__le__": ", o", "__gt__": ", o", "__add__": ", o",
    "__radd__": ", o", "__iadd__": ", o", "__mul__": ", o", "__rmul__": ", o", "__sub__": ", o", "__rsub__": ", o", "__truediv__": ", o", "__mod__": ", o", "__divmod__": ", o",
    "__pow__": ", o, m=None", "__or__": ", o", "__ror__": ", o", "__and__": ", o", "__matmul__": ", o", "__lshift__": ", o", "__init__": ", *a, **k", "__length_hint__": "",
    "__get__": ", o, t=None", "__set__": ", o, v", "__set_name__": ", o, n", "__dir__": "", "__sizeof__": "", "__complex__": "", "__trunc__": "",
}
# `new`, `subclass` and `item` stand for what is no plain method.
OTHER = {
    "new": ["def __new__(cls, *a, **k):", "    print('new', cls.__name__, end=' ')", "    return super().__new__(cls, *a[:1])"],
    "subclass": ["def __init_subclass__(cls, tag=None, **k):", "    print('subclass', cls.__name__, tag, end=' ')", "    super().__init_subclass__(**k)"],
    "item": ["def __class_getitem__(cls, i):", "    return cls.__name__, i"],
    "property": ["@property", "def prop(self): return 'prop', self.shared", "@prop.setter", "def prop(self, v): print('set', v, end=' ')"],
    "static": ["@staticmethod", "def helper(*a): return a"],
    "class": ["@classmethod", "def helper(cls, *a): return cls.__name__, a"],
    "plain": ["def helper(self, *a, **k): return type(self).__name__, a, k"],
    "chain": ["def chain(self): return [__class__.__name__] + (super().chain() if hasattr(super(), 'chain') else [])"],
    "slots": ["__slots__ = ('x', 'y')"],
    "match": ["__match_args__ = ('x', 'shared')"],
    "unhashable": ["__hash__ = None"],
    "none": ["__iter__ = None"],
}
# Addresses are not the same.
HEAD = statements.HEAD + """
def plain(v):
    return re.sub(" at 0x[0-9a-f]+", "", v)[:300]
def show(*values):
    print(*(plain(repr(v)) for v in values))
def guard(f):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, plain(str(e)))
"""
USES = """o + 1 ;; 1 + o ;; o * 2 ;; 2 * o ;; o - o ;; o / 2 ;; o % 2 ;; divmod(o, 2) ;; o ** 2 ;; pow(o, 2, 5) ;; o | o ;; {} | o ;; o & o ;; o @ o ;; o << 1 ;; -o ;; abs(o) ;; ~o ;; o == o ;; o == p ;; o != p ;; o < p
o <= p ;; o > p ;; o in [p, o] ;; 1 in o ;; len(o) ;; bool(o) ;; not o ;; hash(o) == hash(o) ;; int(o) ;; float(o) ;; complex(o) ;; range(5)[o] ;; list(o) ;; iter(o) is o ;; list(reversed(o)) ;; o() ;; o(1, *[2], k=3) ;; o[0] ;; o['k'] ;; o[1:2]
o.x ;; o.missing ;; o.shared ;; o.prop ;; o.helper(1) ;; o.helper(*[1], k=2) ;; o.chain() ;; getattr(o, 'nothing', 5) ;; hasattr(o, 'x') ;; setattr(o, 'x', 5) ;; setattr(o, 'prop', 5) ;; delattr(o, 'x') ;; delattr(o, 'y') ;; vars(o)
repr(o) ;; str(o) ;; f'{o}' ;; f'{o!r:>10}' ;; format(o, '5') ;; '%s %r' % (o, p) ;; round(o) ;; round(o, 1) ;; isinstance(o, C0) ;; issubclass(type(o), C1) ;; type(o).__mro__[1:] ;; type(o).__name__ ;; o.__class__.__qualname__
type(o)['i'] ;; type(o).shared ;; type(o).helper ;; o.__doc__ ;; type(o).__dict__.get('shared') ;; sorted(n for n in dir(o) if n[:1] != '_') ;; [*o] ;; {**o} ;; max(o, p) ;; sum([o, p]) ;; sorted([p, o]) ;; min([o, p], key=str) ;; dict(zip(o, o))
[x for x in o] ;; a, b = o ;; with o as w: show(w) ;; o += 1; show(o) ;; o[0] = 9; show(o) ;; del o[0] ;; o.x = 1; o.x += 1; show(o.x) ;; del o.x ;; o.prop = 3; show(o.prop) ;; raise o ;; for i in o: show(i) ;; d = {o: 1}; show(d.get(o), d.get(p))
type(o).late = lambda self: 'late'; show(o.late()) ;; o.late = 1; show(o.late) ;; o.__class__ = type(p); show(type(o).__name__) ;; type(o).shared = 7; show(o.shared, p.shared) ;; o.helper = len; show(o.helper('ab')) ;; super(type(o), o).chain()
copy.copy(o) ;; copy.deepcopy(o) ;; copy.copy(o) == o ;; json.dumps(o) ;; bytes(o) ;; str(o, 'ascii') ;; ''.join(o) ;; list(zip(o, p)) ;; list(map(str, o)) ;; enumerate(o).__next__() ;; o.__add__(1) ;; o.__len__() ;; type(o).__len__(o) ;; C0.__repr__(o)
o.__init__(3) ;; o.append(1); show(o) ;; o.update(a=1); show(o) ;; o.upper() ;; o.real ;; o.args ;; o.keys() ;; o.__getattribute__('shared') ;; operator.index(o) ;; operator.length_hint(o, 3) ;; next(o) ;; isinstance(o, type(p)) ;; o is copy.copy(o)"""
VALUES = ["1", "'s'", "[1, 2]", "None", "True", "self.shared", "NotImplemented", "self", "iter([1, 2])", "2.5", "(1, 'a')", "0", "-1", "{}", "b'b'"]


class Objects(Expressions):
    def method(self, name, parameters, base):
        """Prints the name, then gives a value, asks the class above or raises."""
        given = ", ".join(part.split("=")[0].strip() for part in parameters.split(",")[1:])
        above = f"super().{name}({given})"
        if name in ("__init__", "__new__"):
            value = f"super().{name}(*a[:1])" if base in BUILTIN else above
        elif name in ("__getattribute__", "__setattr__", "__delattr__"):
            value = above if self.chance(.9) else self.value()
        else:
            value = above if self.chance(.3) else self.likely(name)
        first = "" if name == "__getattribute__" else f"print('{name.strip('_')}', end=' '); "
        if self.chance(.05):
            return [f"def {name}(self{parameters}): {first}raise {self.one('AttributeError', 'TypeError', 'IndexError', 'StopIteration', 'KeyError')}('{name}')"]
        return [f"def {name}(self{parameters}): {first}return {value}" if name != "__init__" else f"def {name}(self{parameters}): {first}{value}"]

    def value(self):
        return self.random.choice(VALUES)

    def likely(self, name):
        """What the method should give, mostly."""
        if self.chance(.15):
            return self.value()
        return {"__repr__": "'<r>'", "__str__": "'str'", "__len__": self.one("0", "3"), "__bool__": self.one("True", "False"), "__hash__": "7", "__index__": "2", "__int__": "4",
                "__float__": "1.5", "__complex__": "1j", "__format__": "'f' + s", "__iter__": "iter('ab')", "__contains__": "x == 1", "__enter__": "self", "__exit__": self.one("True", "None")}.get(name, self.value())

    def class_(self, number):
        bases = [f"C{i}" for i in range(number)]
        chosen = self.random.sample(bases, min(len(bases), self.one(0, 1, 1, 2)))
        builtin = self.one(None, None, *BUILTIN) if number == 0 else None  # two of them have no common layout
        if builtin and not chosen or self.chance(.1):
            chosen.append(builtin or "object")
        chosen.sort(key=lambda base: bases.index(base) if base in bases else -1, reverse=True)
        if self.chance(.1):
            self.random.shuffle(chosen)
        keyword = self.one([], [], [], ["tag=1"])
        lines = [f"class C{number}({', '.join(chosen + keyword)}):", f"    shared = {self.one('1', '[1]', repr('s'), 'None')}"]
        for name in self.random.sample(sorted(SPECIAL), self.random.randrange(9)):
            lines += ["    " + line for line in self.method(name, SPECIAL[name], chosen[-1] if chosen else None)]
        for name in self.random.sample(sorted(OTHER), self.random.randrange(4)):
            lines += ["    " + line for line in OTHER[name]]
        if self.chance(.15):
            lines.append(f"    field = C{self.random.randrange(number)}()" if number else "    field = property(lambda self: 'field')")
        if self.chance(.1):
            lines[0:0] = [self.one("@dataclasses.dataclass", "@functools.total_ordering", "@dataclasses.dataclass(frozen=True, order=True)")]
            lines.append(f"    x: int = {self.one('1', '2')}")
        return ["try:"] + ["    " + line for line in lines] + ["except Exception as e:", f"    print('class C{number}', type(e).__name__, e)", f"    class C{number}:", "        shared = None"]

    def use(self, number):
        use = self.random.choice([use for line in USES.splitlines() for use in line.split(" ;; ")])
        first, second = self.random.randrange(number), self.random.randrange(number)
        make = lambda i: f"C{i}({self.one('', '', '', '', '', '1', repr('ab'), '[1, 2]', '1, 2', 'k=1')})"
        head = [f"def use(o, p):", f"    show({use})" if statements.parses([f"show({use})"]) else f"    {use}"]
        return head + [f"guard(lambda: use({make(first)}, {make(second) if self.chance(.5) else make(first)}))"]

    def text(self, uses):
        lines = ["import copy, dataclasses, functools, json, operator, re\n" + HEAD]
        number = 2 + self.random.randrange(4)
        for i in range(number):
            lines += self.class_(i)
        for _ in range(uses):
            lines += self.use(number)
        return "\n".join(lines) + "\n"
