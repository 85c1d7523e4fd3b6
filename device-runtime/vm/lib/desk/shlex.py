"""Words of a command line."""
import re as _re

__all__ = ['split', 'quote', 'join']


def split(s, comments=False, posix=True):
    words, word, quote = [], None, ''
    i = 0
    while i < len(s):
        c = s[i]
        i += 1
        if quote:
            if c == quote:
                quote = ''
                if not posix:
                    word += c
                    words.append(word)
                    word = None
            elif posix and c == '\\' and quote == '"':
                if i == len(s):
                    raise ValueError('No escaped character')
                word += s[i] if s[i] in '"\\' else c + s[i]
                i += 1
            else:
                word += c
        elif c in ' \t\r\n':
            if word is not None:
                words.append(word)
            word = None
        elif comments and c == '#':
            while i < len(s) and s[i] != '\n':
                i += 1
        elif c in '\'"' and (posix or word is None):
            quote = c
            word = (word or '') + ('' if posix else c)
        elif posix and c == '\\':
            if i == len(s):
                raise ValueError('No escaped character')
            word = (word or '') + s[i]
            i += 1
        else:
            word = (word or '') + c
    if quote:
        raise ValueError('No closing quotation')
    if word is not None:
        words.append(word)
    return words


_unsafe = _re.compile(r'[^\w@%+=:,./-]', _re.ASCII).search


def quote(s):
    if not s:
        return "''"
    return s if _unsafe(s) is None else "'" + s.replace("'", "'\"'\"'") + "'"


def join(split_command):
    return ' '.join(quote(word) for word in split_command)
