"""A scanner, a parser and an interpreter of small languages, character by character."""


src = '\ndef foo(a, b): return a+b*(c - 12.5) / "str\\n" # comment\nwhile x1 <= 100 and not (y == \'abc\'): x1 += foo(x1, 3)\n' * 60
KW = {'def', 'return', 'while', 'and', 'not'}


def tokenize(s):
    i = 0
    n = len(s)
    out = []
    while i < n:
        c = s[i]
        if c in ' \t\n':
            i += 1
        elif c.isalpha() or c == '_':
            j = i + 1
            while j < n and (s[j].isalnum() or s[j] == '_'):
                j += 1
            w = s[i:j]
            out.append(('KW' if w in KW else 'ID', w))
            i = j
        elif '0' <= c <= '9':
            j = i
            while j < n and (s[j].isdigit() or s[j] == '.'):
                j += 1
            out.append(('NUM', float(s[i:j])))
            i = j
        elif c == '"' or c == "'":
            j = i + 1
            while s[j] != c:
                if s[j] == '\\':
                    j += 1
                j += 1
            out.append(('STR', s[i + 1:j]))
            i = j + 1
        elif c == '#':
            while i < n and s[i] != '\n':
                i += 1
        else:
            two = s[i:i + 2]
            if two in ('<=', '==', '+=', '>='):
                out.append(('OP', two))
                i += 2
            else:
                out.append(('OP', c))
                i += 1
    return out


class Parser:

    def __init__(self, text):
        self.toks = text.replace('(', ' ( ').replace(')', ' ) ').split()
        self.pos = 0

    def peek(self):
        return self.toks[self.pos] if self.pos < len(self.toks) else None

    def next(self):
        t = self.peek()
        self.pos += 1
        return t

    def expr(self):
        v = self.term()
        while self.peek() in ('+', '-'):
            op = self.next()
            r = self.term()
            v = v + r if op == '+' else v - r
        return v

    def term(self):
        v = self.factor()
        while self.peek() in ('*', '/'):
            op = self.next()
            r = self.factor()
            v = v * r if op == '*' else v / r
        return v

    def factor(self):
        t = self.next()
        if t == '(':
            v = self.expr()
            self.next()
            return v
        if t == '-':
            return -self.factor()
        return int(t)
counts = {}
for k in range(8):
    for kind, v in tokenize(src):
        counts[kind] = counts.get(kind, 0) + 1
print(counts)
e = '1 + 2 * ( 3 - 4 * ( 5 + 6 ) ) - 7 * 8 + ( 9 - 2 ) * 3 '
print(sum((Parser(e * 1).expr() for i in range(2500))))


def bf(prog, inp):
    jump = {}
    st = []
    for i, c in enumerate(prog):
        if c == '[':
            st.append(i)
        elif c == ']':
            j = st.pop()
            jump[i] = j
            jump[j] = i
    tape = [0] * 300
    p = pc = 0
    out = []
    while pc < len(prog):
        c = prog[pc]
        if c == '>':
            p += 1
        elif c == '<':
            p -= 1
        elif c == '+':
            tape[p] = tape[p] + 1 & 255
        elif c == '-':
            tape[p] = tape[p] - 1 & 255
        elif c == '.':
            out.append(chr(tape[p]))
        elif c == '[':
            if tape[p] == 0:
                pc = jump[pc]
        elif c == ']':
            if tape[p]:
                pc = jump[pc]
        pc += 1
    return ''.join(out)
print(bf('++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.>++.' + '>++++++++[<++++++++[<++++++++[<++++++++[<+>-]>-]>-]>-]'.replace('<', '<'), ''))
