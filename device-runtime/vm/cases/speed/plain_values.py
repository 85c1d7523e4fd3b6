#---- formats of numbers and strings
specs = ['', '5', '05', '<5', '>5', '^7', '*^9', '+', '+5', '+.2f', '.2f', '8.3f', '08.3f', ',',
         '10,', ',.2f', 'x', 'X', 'o', 'b', '08b', '#x', 'd', '05d', '.0f', '.1f', '.15f', '%',
         '.3e', 'g', '.4g', 's', '10s', '=+8', '0=8', 'c', '_', '+08.2f', '<08.2f', ' d', 'z.1f',
         '-5', '15.10f', '101', '120d', '.16f']
values = [0, 1, -1, 42, -42, 987654321, 2**46, -2**46, 2**47, 10**20, True, 0.0, -0.0, 1.5, -1.5,
          0.5, 2.5, 0.125, 1e15, 1e16, 123456.789, 1e-5, -1e-9, 1e22, 1e300, float('inf'),
          float('nan'), 2.675, 1.005, 99.995, 999999.9999999, 5e-324, 'abc', '', 'ž']
for v in values:
    row = [str(v), repr(v), f'{v}', f'{v!r:>12}']
    for spec in specs:
        try:
            row.append(format(v, spec))
        except Exception as e:
            row.append(f'{type(e).__name__}: {e}')
    for form in ['%d', '%5d', '%05d', '%-5d|', '%+d', '%x', '%#x', '%s', '%10s', '%-10s|', '%.2s',
                 '%f', '%.2f', '%-8.2f|', '%08.2f', '%+.1f', '%.0f', '%g', '% d', '%.3d', '%120d']:
        try:
            row.append(form % (v,))
        except Exception as e:
            row.append(f'{type(e).__name__}: {e}')
    print(row)
#---- decimals round as the exact value says
import random
import zlib
random.seed(5)
seen = 0
for turn in range(900):
    x = random.choice([random.uniform(-1000, 1000), random.random(), random.uniform(-1e12, 1e12),
                       random.randrange(-10**6, 10**6) / 8, random.randrange(10**9) / 1000])
    text = f'{"%.*f" % (turn % 16, x)} {x:.{turn % 16}f} {x:12.2f} {x} {x:,.3f}'
    seen = zlib.crc32(text.encode(), seen)
    if turn % 100 == 0:
        print(text, seen)
#---- sorting by kinds of keys
import random
import zlib
random.seed(7)
for n in list(range(12)) + [20, 43, 63, 64, 65, 300]:
    rows = [[random.randrange(n * 2 + 1) for _ in range(n)],
            [random.random() for _ in range(n)],
            [str(random.randrange(n * 3 + 1)) for _ in range(n)],
            [(random.randrange(5), str(i)) for i in range(n)],
            list(range(n)), list(range(n, 0, -1)),
            [random.choice([1, 1.5, 2**60, -3, 0.25, True]) for _ in range(n)],
            ['common-' + random.choice('abc') * random.randrange(5) + 'ž' * random.randrange(2)
             for _ in range(n)],
            [(random.choice('abc') * 3, random.random(), i) for i in range(n)],
            [i // 7 for i in range(n)] + [random.randrange(n + 1)]]
    for row in rows:
        places = list(range(len(row)))
        again = row[:]
        again.sort(key=str)
        shown = str([sorted(row), sorted(row, reverse=True), sorted(places, key=lambda i: row[i]),
                     sorted(places, key=row.__getitem__, reverse=True), again])
        print(n, zlib.crc32(shown.encode()), shown[:60])
#---- what sort asks, in which order
class Asked:
    log = []

    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        Asked.log.append((self.x, other.x))
        return self.x < other.x


for n in (2, 3, 5, 17, 40, 63):
    Asked.log = []
    items = [Asked((i * 7919) % 13) for i in range(n)]
    items.sort()
    print(n, Asked.log, [a.x for a in items])
nan = float('nan')
print(sorted([3.0, nan, 1.0, 2.0, nan, 0.5]), sorted([3, nan, 1]), sorted([-0.0, 0.0, -1.0]))
print(max(1.0, nan), max(nan, 1.0), min([nan, 2.0, 1.0]), max([1, True]), min([True, 1]))


def grow(x):
    items.append(1)
    return x


items = [3, 2, 1]
try:
    items.sort(key=grow)
except ValueError as e:
    print(e, items)
for bad in ([1, 'a'], ['a', 1, 2], [(1, 2), (1, 'a')], [None, 1], [(1,), 2], [1j, 2j]):
    try:
        print(sorted(bad))
    except TypeError as e:
        print(e)
