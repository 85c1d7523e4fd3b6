#---- one call after another
import textwrap

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


t(lambda: textwrap.wrap('The quick brown fox jumps over the lazy dog',20))
t(lambda: textwrap.fill('a b c d e f',5))
t(lambda: textwrap.shorten('Hello  world!',12))
t(lambda: textwrap.shorten('Hello  world!',11))
t(lambda: textwrap.shorten('Hello world',10,placeholder='...'))
t(lambda: textwrap.dedent('  a\n    b\n  c'))
t(lambda: textwrap.dedent('\ta\n\t b\n'))
t(lambda: textwrap.indent('a\nb\n\nc','  '))
t(lambda: textwrap.indent('a\n\nb','> ',lambda l:True))
t(lambda: textwrap.wrap('aaaaaaaaaaaaaaaa b',5))
t(lambda: textwrap.wrap('aaaaaaaaaaaa',5,break_long_words=False))
t(lambda: textwrap.wrap('a-b-c-d-e-f',4))
t(lambda: textwrap.wrap('a-b c',3,break_on_hyphens=False))
t(lambda: textwrap.wrap('a  b   c',10))
t(lambda: textwrap.wrap('x y z',5,initial_indent='> ',subsequent_indent='  '))
t(lambda: textwrap.wrap('a b c d e f g',5,max_lines=2))
t(lambda: textwrap.wrap('Hello. World.  Bye',80,fix_sentence_endings=True))
t(lambda: textwrap.wrap('a\tb',10))
t(lambda: textwrap.wrap('a\tb',10,expand_tabs=False))
t(lambda: textwrap.wrap('',5))
t(lambda: textwrap.wrap(' a ',5,drop_whitespace=False))
t(lambda: textwrap.TextWrapper(width=7).wrap('hello there you'))
t(lambda: textwrap.wrap('a\nb',5,replace_whitespace=False))
t(lambda: textwrap.wrap('a',0))
t(lambda: textwrap.wrap('abc def',3,max_lines=1,placeholder='.....'))
#---- textwrap
import textwrap
t = "The quick brown fox jumped over the lazy dog, isn't it? Well-known hyphen-ated words -- and averyveryveryverylongword.  End."
for w in (10, 20, 40): print(textwrap.wrap(t, w))
print(textwrap.fill(t, 30, initial_indent='* ', subsequent_indent='  ')); print(textwrap.shorten(t, 40), textwrap.shorten(t, 20, placeholder='...'))
print(repr(textwrap.dedent('  a\n    b\n\n  c\n')), repr(textwrap.dedent('\ta\n\t  b')), repr(textwrap.dedent('  a\n b')), repr(textwrap.indent('a\n\nb\n', '> ')), repr(textwrap.indent('a\n\nb', '> ', lambda l: True)))
print(textwrap.wrap('aaa bbb', 3), textwrap.wrap('', 5), textwrap.wrap('abcdefghij', 4, break_long_words=False), textwrap.wrap('a-b c-d', 3, break_on_hyphens=False), textwrap.wrap('x  y', 10, drop_whitespace=False), textwrap.wrap('One. two', 20, fix_sentence_endings=True), textwrap.wrap('a b c d e f', 5, max_lines=2, placeholder='~'))
for f in [lambda: textwrap.wrap('a', 0), lambda: textwrap.wrap('a b', 3, max_lines=1, placeholder='....')]:
    try: print(f())
    except ValueError as e: print(e)
