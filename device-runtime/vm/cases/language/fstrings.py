#---- forms
x, y, s = 5, 2.5, 'té"x'
print(f'{x}', f'{x!r:>5}', f'{s!r}', f'{s!a}', f'{s!s:<7}|', f'{{}}', f'{{{x}}}', f'{x:{y:.0f}}|', f"{s:*^{x + 5}}")
print(f'{x=}', f'{x = }', f'{x=!s}', f'{x=:>4}', f'{s=}', f'{x+1=}', f'{ x  +  1 = }')
print(f'{x if x > 3 else 0}', f'{[i for i in range(3)]}', f'{ {1: 2}[1] }', f'{(lambda a: a + 1)(x)}', f'{x:,}', f'{10**6:_}')
print(f'{"nested"}', f"{'a' 'b'}", f'{x!r}{y}', f'a' 'b' f'{x}' "c{}")
print(f'''{
x
} and
{y}''')
#---- specs
print(f'{3.14159:.2f} {3:05d} {255:x} {255:#X} {1e10:g} {0.5:%} {-3:+} {3: } {True:d} {"a":>3}{"b":<3}{"c":^3}|')
w, p = 8, 3
print(f'{3.14159:{w}.{p}}|{"abc":{"<"}{w}}|')
#---- evaluation order
def f(n):
    print('f', n)
    return n
print(f'{f(1)}{f(2):{f(3)}}{f(4)}')
#---- not equal
a, b = 1, 2
print(f'{a != b}', f'{a == b}', f'{a <= b}', f'{a >= b!r}')
#---- format method
class A:
    def __format__(self, spec): return f'<{spec}>'
    def __str__(self): return 'str'
    def __repr__(self): return 'repr'
print(f'{A()}', f'{A():x y}', f'{A()!r}', f'{A()!s:>5}', f'{A()=}', format(A(), 'q'))
#---- raw and escapes
n = 3
print(rf'\n{n}\d', f'\x41{n}\t|', fr'{n}\{n}', f'\u00e9{n}')
#---- lambdas and braces
print(f'{(lambda: 3)()}', f'{ {"a": 1}["a"] }', f'{[*range(2)]}', f'{ {*()} }')
#---- in functions and scopes
def g():
    v = 'local'
    return [f'{v}{i}' for i in range(2)], (lambda: f'{v}')()
print(g())
class C:
    k = 'class'
    t = f'{k}'
print(C.t)
#---- nested quotes
d = {'key': 'v'}
print(f"{d['key']}", f'{d["key"]!r:>6}', f'''{d['key']}''')
#---- debug with objects
v = [1, 'a']
print(f'{v=} {len(v)=} {v[1]=!s} {v=!r:>12}')
#---- errors
for v, s in ((3, 'q'), ('a', 'd'), (1.5, 'x'), ([], 'd')):
    try: f'{v:{s}}'
    except (ValueError, TypeError) as e: print(type(e).__name__, e)
#---- empty and docstring
print(f'', repr(f''), f'' 'x')
