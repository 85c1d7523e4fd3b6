#---- text that is not ASCII: places and slices
import random
import zlib
random.seed(9)
letters = 'abc žů€𝄞 \n.,x'
for turn in range(40):
    pool = letters if turn % 2 else 'ab c\n.,xX1'
    s = ''.join(random.choice(pool) for _ in range(random.choice([0, 1, 2, 5, 20, 100, 300, 700])))
    n = len(s)
    a, b, c = [random.choice([None, random.randrange(-n - 3, n + 4)]) for _ in range(3)]
    w = random.choice([s[a:b], random.choice(letters), 'a', 'ž', ' ', 'ab'])
    log = [s[a:b], s[a:b:c or 1], s[::-1], w in s, s.find(w), s.rfind(w), s.count(w),
           s.find(w, a, b), s.split(), s.splitlines(), s.splitlines(True), s.strip(), s.lower(),
           s.upper(), s.title(), s.swapcase(), s.replace('a', 'b'), s.replace('a', 'ů', 2),
           s.replace(w, '<>'), s.startswith(w), list(s), s.rsplit(None, 1), s.isalpha(),
           s.casefold(), s.capitalize(), s < w, s == w, s >= w, list(reversed(s)), repr(s),
           s.encode(), s.encode().decode(), [s[i] for i in range(0, n, 7)], s.lstrip(), s.rstrip(),
           [s[i:i + 3] for i in range(n - 1, -1, -13)], [s[-i] for i in range(1, n, 11)]]
    print(turn, n, zlib.crc32(str(log).encode()))
#---- patterns
import random
import re
import zlib
random.seed(11)
patterns = [r'\w+', r'[a-c]+', r'a.*x', r'a.*?x', r'(a|b)+c?', r'ab', r'\s+', r'[^a ]+', r'(\w)\1',
            r'x{2,3}', r'x{2,}?', r'(?i)X+', r'.+', r'^.*$', r'(?m)^.*$', r'(?s).*', r'a?b*c+',
            r'(?:ab|a)(?:c|bcd)?', r'\bx', r'[ů-ž]+', r'(?=a)\w', r'(?<=a)b', r'a|b|c', r'(a)(b)?',
            r'', r'x*', r'(?:x|)+', r'[\d.]+', r'c\s*a', r'.{2,3}', r'abca?', r'(ab)c', r'ž+a']
for turn in range(4):
    pool = 'abc žů€𝄞 \n.,x' if turn % 2 else 'ab c\n.,xX1'
    s = ''.join(random.choice(pool) for _ in range(random.choice([0, 3, 10, 40, 120])))
    log = []
    for p in patterns:
        log += [[m.span() for m in re.finditer(p, s)], re.findall(p, s), re.sub(p, '-', s),
                bool(re.match(p, s)), bool(re.fullmatch(p, s)), re.split(p, s)]
    for p in (rb'\w+', rb'a.*x', rb'[\x80-\xff]+', rb'ab', rb'.+?a', b'\xc5'):
        log.append([m.span() for m in re.finditer(p, s.encode())])
    print(turn, zlib.crc32(str(log).encode()))
#---- large integers
import random
import zlib
random.seed(13)
for turn in range(150):
    a = random.getrandbits(random.choice([10, 47, 48, 63, 64, 65, 100, 128, 500, 2000]))
    b = random.getrandbits(random.choice([3, 31, 32, 33, 48, 63, 64, 65, 128, 700]))
    a *= random.choice([1, -1])
    b *= random.choice([1, -1])
    log = [a + b, a - b, a * b, a & b, a | b, a ^ b, a == b, a < b, hash(a), a >> 7, a << 9,
           a // 10, a % 1000000007, a // (2**32 - 1), a // 2**32, a % (2**63 + 5), a % (2**64 - 1)]
    if b:
        log += [a // b, a % b, divmod(a, b)]
    print(turn, zlib.crc32(str(log).encode()))
for base in range(-5, 13):
    print([base**n for n in range(50)], [base**n % 97 for n in (46, 47, 48, 61, 62, 63, 64)])
#---- iteration by natives
print([*{1: 2, 3: 4}.items()], list({1: 2}.values()), list({1: 2}.keys()), list('ažb'), list({5, 6}),
      list(range(3, 20, 4)), list(range(2**60, 2**60 + 3)), [*range(-3, 0)], list(range(5, 5)))
print(list(reversed(range(0))), list(reversed(range(0, 10, 3))), list(reversed(range(10, 0, -4))),
      list(reversed(range(-2**62, 2**62, 2**62))), type(reversed(range(3))).__name__)
items = [1, 2, 3]
back = reversed(items)
items.append(4)
print(next(back), list(back), list(back))
back = reversed(items)
next(back)
items.clear()
print(list(back))
items.extend(items)
items += (1, 2)
items.extend(items)
print(items)
print(min([3, 1, 2]), max('abc'), min(['b', 'a']), max([1, 2.5, 2]), min((2, 1), (1, 5)),
      sum([1, 2.5]), sum([[1], [2]], []), any([0, '', 3]), all([1, 'a', []]), sum({1: 2, 3: 4}),
      max({'a': 1, 'b': 2}.items()), sum(range(10)), max([[1], [2]]))
print(list(zip([1, 2], 'ab', (3, 4))), list(enumerate('ab', 5)), list(map(max, [1, 5], [3, 2])),
      list(filter(None, [0, 1, '', 'a', [], [0]])), list(zip()), list(map(str, range(3))))
for a, b in {1: 2, 3: 4}.items():
    print(a, b)
d = {i: i for i in range(5)}
try:
    for a, b in d.items():
        d[a + 10] = b
except RuntimeError as e:
    print(e)
print([1, 2] == [1, 2.0], (1, 'a') < (1, 'b'), [1, [2, 3]] < [1, [2, 4]], (1, 2) < (1, 2, 3),
      (lambda n: [n] == [n])(float('nan')), b'a' == b'a', [1, 2] != [1, 3], (1,) > (0, 5), [] < [1],
      ('a' * 100, 1) == ('a' * 100, 1), 'x' * 70 < 'x' * 71, (1, None) == (1, None), [True] == [1])
try:
    print((1, None) < (1, 2))
except TypeError as e:
    print(e)
