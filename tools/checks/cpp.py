"""C++ as the checks read it: tokens with their lines, and what is declared and defined at the scopes of a file.

This is no compiler. Macros are not expanded and types are not known; what it does not understand it passes over, so
that a check built on it may miss something but seldom reports what is not so.
"""
import dataclasses
import re

TOKEN = re.compile(r'''
    (?P<space>[ \t\r\n]+|\\\n)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>(?:u8|u|U|L)?R"(?P<mark>[^()\s\\"]*)\(.*?\)(?P=mark)")
  | (?P<string>(?:u8|u|U|L)?"(?:[^"\\\n]|\\.)*")
  | (?P<number>\.?\d(?:[eEpP][+-]|'[0-9a-fA-F]|[\w.])*)
  | (?P<char>(?:u8|u|U|L)?'(?:[^'\\\n]|\\.)*')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<other>::|->|\[\[|\]\]|.)
''', re.X | re.S)
DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w*)")


@dataclasses.dataclass
class Token:
    kind: str  # name, number, string, char, comment or other
    text: str
    line: int


@dataclasses.dataclass
class Function:
    name: str  # with its namespaces and classes: ferry::vm::Vm::Raise
    line: int
    defined: bool  # there is a body here
    heading: object  # (line, text) of the comment "// ---- .." that it stands under, or None


def braces(line):
    """How many more braces the line opens than it closes, strings and comments apart."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|//.*', "", line)
    return line.count("{") - line.count("}")


def without_directives(text):
    """The text with directives blank; of branches that do not close what they open only the first is left."""
    lines = text.split("\n")
    groups, kept, i = [], list(lines), 0

    def close(group):
        if any(balance for balance, _ in group):
            for _, numbers in group[1:]:
                for number in numbers:
                    kept[number] = ""

    while i < len(lines):
        match = DIRECTIVE.match(lines[i])
        if match is None:
            for group in groups:
                group[-1][1].append(i)
            if groups:
                balance, numbers = groups[-1][-1]
                groups[-1][-1] = (balance + braces(lines[i]), numbers)
            i += 1
            continue
        word = match.group(1)
        if word in ("if", "ifdef", "ifndef"):
            groups.append([(0, [])])
        elif word in ("else", "elif") and groups:
            groups[-1].append((0, []))
        elif word == "endif" and groups:
            close(groups.pop())
        while lines[i].endswith("\\") and i + 1 < len(lines):
            kept[i] = ""
            i += 1
        kept[i] = ""
        i += 1
    return "\n".join(kept)


def tokens(text):
    """All tokens but space; comments are among them."""
    found, line = [], 1
    for match in TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup != "mark" else "raw"
        if kind != "space":
            found.append(Token("string" if kind == "raw" else kind, match.group(), line))
        line += match.group().count("\n")
    return found


COMMENT_OR_LITERAL = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\s\\"]*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"
    |(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])|'(?:[^'\\\n]|\\.)*'""", re.S | re.X)


def comments(text):
    """(line, text) of each comment, the text with its slashes."""
    line, at = 1, 0
    for match in COMMENT_OR_LITERAL.finditer(text):
        if match.group().startswith("/"):
            line += text.count("\n", at, match.start())
            at = match.start()
            yield line, match.group()


def matching(items, i, open_mark, close_mark):
    """The index of the mark that closes the one at i, or the last index."""
    depth = 0
    for k in range(i, len(items)):
        if items[k].text == open_mark:
            depth += 1
        elif items[k].text == close_mark:
            depth -= 1
            if depth == 0:
                return k
    return len(items) - 1


def closing_angle(items, i):
    """The index of the ">" that closes the "<" at i, or None when it is a comparison."""
    depth, k = 0, i
    while k < len(items):
        text = items[k].text
        if text == "<":
            depth += 1
        elif text == ">":
            depth -= 1
            if depth == 0:
                return k
        elif text == "(":
            k = matching(items, k, "(", ")")
        elif text in (";", "{", "}"):
            return None
        k += 1
    return None


def plain(statement):
    """The statement without attributes, alignas, template headers and the arguments of templates."""
    out, i = [], 0
    while i < len(statement):
        text = statement[i].text
        if text == "[[":
            i = matching(statement, i, "[[", "]]")
        elif text in ("__attribute__", "alignas", "requires") and i + 1 < len(statement) and \
                statement[i + 1].text == "(":
            i = matching(statement, i + 1, "(", ")")
        elif text == "template":
            pass
        elif text == "<" and not (out and out[-1].text == "operator"):
            end = closing_angle(statement, i)
            if end is None:
                out.append(statement[i])
            else:
                i = end
        else:
            out.append(statement[i])
        i += 1
    return out


NOT_NAMES = {"if", "for", "while", "switch", "return", "sizeof", "decltype", "static_assert", "noexcept", "explicit",
             "void", "bool", "int", "char", "auto", "const", "typeid", "alignof", "catch", "do", "else", "new"}


def function_name(statement):
    """(the qualified name, the index of its parameters) if the plain statement declares a function, else None."""
    words = [token.text for token in statement]
    if not words or words[0] in ("using", "typedef", "friend", "static_assert", "enum", "namespace"):
        return None
    for i, text in enumerate(words):
        if text == "operator":
            k = i + 1
            if words[k:k + 2] == ["(", ")"]:
                k += 2
            while k < len(words) and words[k] != "(":
                k += 1
            name, start, params = "operator" + "".join(words[i + 1:k]), i, k
            break
        if text in ("=", "{"):
            return None
        if text == "(":
            if i == 0 or statement[i - 1].kind != "name" or words[i - 1] in NOT_NAMES:
                return None
            if words[i + 1:i + 2] == ["*"] and ")" in words[i:i + 4]:
                return None  # a pointer to a function
            name, start, params = words[i - 1], i - 1, i
            if start > 0 and words[start - 1] == "~":
                name, start = "~" + name, start - 1
            break
    else:
        return None
    if params >= len(words):
        return None
    while start > 1 and words[start - 1] == "::" and statement[start - 2].kind == "name":
        name, start = words[start - 2] + "::" + name, start - 2
    return name, params


def constructs(name, scope):
    """Whether a declaration without a type is that of a constructor or destructor, not the use of a macro."""
    parts = name.split("::")
    owner = parts[-2] if len(parts) > 1 else scope.split("::")[-1]
    return parts[-1].lstrip("~") == owner


def functions(text):
    """The functions declared and defined in namespaces and classes; not those that only this file can name."""
    items = tokens(without_directives(text))
    found = []
    Scanner(items, found).scope(0, "", None, hidden=False)
    return found


class Scanner:
    """Walks over the scopes of a file."""

    def __init__(self, items, found):
        self.items, self.found = items, found

    def scope(self, i, name, heading, hidden):
        """Reads from i to the brace that closes the scope; gives the index behind it."""
        items, statement = self.items, []
        while i < len(items):
            token = items[i]
            if token.kind == "comment":
                match = re.match(r"// ----+ *(.*?)[ -]*$", token.text)
                if match:
                    heading = (token.line, match.group(1))
                i += 1
            elif token.text == "}":
                return i + 1
            elif token.text == ";":
                self.declaration(statement, name, heading, hidden)
                statement, i = [], i + 1
            elif token.text == ":" and [t.text for t in statement] in (["public"], ["private"], ["protected"]):
                statement, i = [], i + 1
            elif token.text == "{":
                i, statement = self.block(i, statement, name, heading, hidden)
            elif token.text == "(":
                end = matching(items, i, "(", ")")
                statement += [t for t in items[i:end + 1] if t.kind != "comment"]
                i = end + 1
            else:
                statement.append(token)
                i += 1
        return i

    def block(self, i, statement, name, heading, hidden):
        """What an opening brace begins: (the index behind it, what the statement is then)."""
        items, bare = self.items, plain(statement)
        words = [t.text for t in bare]
        if "namespace" in words:
            inner = "".join(w for w in words[words.index("namespace") + 1:] if w != "inline")
            path = "::".join(part for part in (name, inner) if part)
            return self.scope(i + 1, path, heading, hidden or not inner), []
        if words[:1] == ["extern"] and len(words) == 2:
            return self.scope(i + 1, name, heading, hidden), []
        kind = next((w for w in words if w in ("class", "struct", "union", "enum")), None)
        if kind is not None and "(" not in words and "=" not in words:
            if kind == "enum":
                return matching(items, i, "{", "}") + 1, statement
            after = words[words.index(kind) + 1:]
            after = after[:after.index(":")] if ":" in after else after
            inner = "".join(w for w in after if w != "final")
            path = "::".join(part for part in (name, inner) if part)
            # An object may follow: the words in front of it are no declaration of their own.
            return self.scope(i + 1, path, heading, hidden or not inner), [t for t in bare if t.text == "friend"]
        declared = function_name(bare)
        end = matching(items, i, "{", "}")
        if declared is None:
            return end + 1, statement + [t for t in items[i:end + 1] if t.kind != "comment"]
        if self.initializes(bare, declared[1]) and bare[-1].kind == "name":
            return end + 1, statement + [t for t in items[i:end + 1] if t.kind != "comment"]
        self.record(bare, declared, name, heading, hidden, True)
        return end + 1, []

    @staticmethod
    def initializes(bare, params):
        """Whether the statement has come to the list of members that a constructor initialises."""
        depth = 0
        for token in bare[params:]:
            depth += (token.text == "(") - (token.text == ")")
            if depth == 0 and token.text == ":":
                return True
        return False

    def declaration(self, statement, name, heading, hidden):
        bare = plain(statement)
        words = [t.text for t in bare]
        defaulted = words[-2:] == ["=", "default"]
        if words[-2:] in (["=", "delete"], ["=", "0"]):
            return
        declared = function_name(bare)
        if declared is not None:
            self.record(bare, declared, name, heading, hidden, defaulted)

    def record(self, bare, declared, name, heading, hidden, defined):
        own, params = declared
        words = [t.text for t in bare[:params]]
        typed = len(words) - (2 * own.count("::") + 1 + own.count("~")) > 0 or own.startswith("operator")
        if not typed and not constructs(own, name):
            return
        if hidden or (words[:1] == ["static"] and not self.in_class(name)):
            return
        full = "::".join(part for part in (name, own) if part)
        self.found.append(Function(full, bare[params].line, defined, heading))

    @staticmethod
    def in_class(name):
        return bool(re.search(r"(^|::)[A-Z]\w*$", name))
