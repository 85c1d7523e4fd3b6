"""Wrapping and indenting of text."""
import re

__all__ = ["TextWrapper", "wrap", "fill", "dedent", "indent", "shorten"]

_whitespace = "\t\n\x0b\x0c\r "


class TextWrapper:
    """Wraps text to lines of at most `width` characters; the options are attributes."""

    wordsep_re = re.compile(
        r"([\t\n\x0b\x0c\r\ ]+"
        r"|(?<=[\w!\"'&.,?])-{2,}(?=\w)"
        r"|[^\t\n\x0b\x0c\r\ ](?:(?![\t\n\x0b\x0c\r\ ]).)*?(?:"
        r"-(?:(?<=[^\d\W]{2}-)|(?<=[^\d\W]-[^\d\W]-))(?=[^\d\W]-?[^\d\W])"
        r"|(?=[\t\n\x0b\x0c\r\ ]|\Z)"
        r"|(?<=[\w!\"'&.,?])(?=-{2,}\w)"
        r"))")
    wordsep_simple_re = re.compile(r"([\t\n\x0b\x0c\r\ ]+)")
    sentence_end_re = re.compile(r"[a-z][\.\!\?][\"\']?\Z")

    def __init__(self, width=70, initial_indent="", subsequent_indent="", expand_tabs=True,
                 replace_whitespace=True, fix_sentence_endings=False, break_long_words=True,
                 drop_whitespace=True, break_on_hyphens=True, tabsize=8, *, max_lines=None,
                 placeholder=" [...]"):
        self.width = width
        self.initial_indent = initial_indent
        self.subsequent_indent = subsequent_indent
        self.expand_tabs = expand_tabs
        self.replace_whitespace = replace_whitespace
        self.fix_sentence_endings = fix_sentence_endings
        self.break_long_words = break_long_words
        self.drop_whitespace = drop_whitespace
        self.break_on_hyphens = break_on_hyphens
        self.tabsize = tabsize
        self.max_lines = max_lines
        self.placeholder = placeholder

    def _munge_whitespace(self, text):
        if self.expand_tabs:
            text = text.expandtabs(self.tabsize)
        if self.replace_whitespace:
            text = text.translate({ord(c): " " for c in _whitespace})
        return text

    def _split(self, text):
        splitter = self.wordsep_re if self.break_on_hyphens else self.wordsep_simple_re
        return [c for c in splitter.split(text) if c]

    def _fix_sentence_endings(self, chunks):
        for i in range(len(chunks) - 1):
            if chunks[i + 1] == " " and self.sentence_end_re.search(chunks[i]):
                chunks[i + 1] = "  "

    def _handle_long_word(self, chunks, line, used, width):
        space = 1 if width < 1 else width - used
        if self.break_long_words:
            chunk = chunks[-1]
            end = space
            if self.break_on_hyphens and len(chunk) > space:
                hyphen = chunk.rfind("-", 0, space)
                if hyphen > 0 and any(c != "-" for c in chunk[:hyphen]):
                    end = hyphen + 1
            line.append(chunk[:end])
            chunks[-1] = chunk[end:]
        elif not line:
            line.append(chunks.pop())

    def _wrap_chunks(self, chunks):
        lines = []
        if self.width <= 0:
            raise ValueError("invalid width %r (must be > 0)" % self.width)
        if self.max_lines is not None:
            indent = self.subsequent_indent if self.max_lines > 1 else self.initial_indent
            if len(indent) + len(self.placeholder.lstrip()) > self.width:
                raise ValueError("placeholder too large for max width")
        chunks.reverse()
        while chunks:
            line = []
            used = 0
            indent = self.subsequent_indent if lines else self.initial_indent
            width = self.width - len(indent)
            if self.drop_whitespace and lines and not chunks[-1].strip():
                chunks.pop()
            while chunks and used + len(chunks[-1]) <= width:
                used += len(chunks[-1])
                line.append(chunks.pop())
            if chunks and len(chunks[-1]) > width:
                self._handle_long_word(chunks, line, used, width)
                used = sum(map(len, line))
            if self.drop_whitespace and line and not line[-1].strip():
                used -= len(line.pop())
            if not line:
                continue
            if (self.max_lines is None or len(lines) + 1 < self.max_lines
                    or (not chunks or self.drop_whitespace and len(chunks) == 1
                        and not chunks[0].strip()) and used <= width):
                lines.append(indent + "".join(line))
                continue
            while line:
                if line[-1].strip() and used + len(self.placeholder) <= width:
                    line.append(self.placeholder)
                    lines.append(indent + "".join(line))
                    break
                used -= len(line.pop())
            else:
                if lines:
                    last = lines[-1].rstrip()
                    if len(last) + len(self.placeholder) <= self.width:
                        lines[-1] = last + self.placeholder
                        break
                lines.append(indent + self.placeholder.lstrip())
            break
        return lines

    def wrap(self, text):
        chunks = self._split(self._munge_whitespace(text))
        if self.fix_sentence_endings:
            self._fix_sentence_endings(chunks)
        return self._wrap_chunks(chunks)

    def fill(self, text):
        return "\n".join(self.wrap(text))


def wrap(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).wrap(text)


def fill(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).fill(text)


def shorten(text, width, **kwargs):
    wrapper = TextWrapper(width=width, max_lines=1, **kwargs)
    return wrapper.fill(" ".join(text.strip().split()))


def dedent(text):
    """Removes the blanks that all lines begin with."""
    lines = text.split("\n")
    margin = None
    for i, line in enumerate(lines):
        rest = line.lstrip(" \t")
        if not rest:
            lines[i] = ""
            continue
        lead = line[:len(line) - len(rest)]
        if margin is None:
            margin = lead
        else:
            n = 0
            while n < len(margin) and n < len(lead) and margin[n] == lead[n]:
                n += 1
            margin = margin[:n]
    if margin:
        lines = [line[len(margin):] if line else line for line in lines]
    return "\n".join(lines)


def indent(text, prefix, predicate=None):
    if predicate is None:
        predicate = str.strip
    return "".join([prefix + line if predicate(line) else line
                    for line in text.splitlines(True)])
