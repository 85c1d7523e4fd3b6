#---- range_loops
for r in (range(3), range(2, 5), range(5, 0, -2), range(0), range(3, 3), range(2 ** 47 - 2, 2 ** 47 + 2), range(-2 ** 47 - 1, -2 ** 47 + 2)):
    print([i for i in r], sum(r), len(r))
for i in range(3):
    i *= 10
    print(i)
#---- list_changes_in_loop
x = [1, 2, 3]
for i in x:
    if i < 10: x.append(i + 10)
print(x)
x = [1, 2, 3, 4]
for i in x: x.remove(i)
print(x)
it = iter([1, 2])
print(list(it), list(it))
x = []
it = iter(x)
print(next(it, "end"))
x.append(1)
print(next(it, "end"))
#---- dict_changes_in_loop
d = {1: 1, 2: 2}
try:
    for k in d: d[k + 10] = 0
except RuntimeError as e:
    print(e)
try:
    for k in d: del d[k]
except RuntimeError as e:
    print(e)
for k, v in {1: "a", 2: "b"}.items(): print(k, v)
for k in {"x": 1, "y": 2}: print(k)
s = {1}
try:
    for v in s: s.add(v + 1)
except RuntimeError as e:
    print(e)
#---- enumerate_and_zip
for i, v in enumerate("abc", 5): print(i, v)
for a, b in zip([1, 2, 3], "ab"): print(a, b)
for a, b, c in zip(range(2), (5, 6, 7), {1: 0, 2: 0}): print(a, b, c)
for pair in zip([1], [2]): print(pair)
for (a, b), c in zip([(1, 2)], [3]): print(a, b, c)
for i, (a, b) in enumerate([(1, 2), (3, 4)]): print(i, a, b)
it = iter(range(10))
print([(a, b) for a, b in zip(it, it)], [(a, b) for a, b in zip(range(3), iter([]))])
try:
    for a, b in zip([1, 2], [1], strict=True): print(a, b)
except ValueError as e:
    print(e)
try:
    for a, b in enumerate([1], 2 ** 47 - 1): print(a, b)
    for a, b, c in enumerate([1]): print(a)
except ValueError as e:
    print(e)
first = iter([1, 2, 3])
print(list(zip(first, [9])), next(first))
#---- unpacking_errors
for v in ((1,), (1, 2, 3), [1], "a", "abc", {1: 2}, 5, None, iter([1])):
    try:
        a, b = v
        print(a, b)
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
#---- next_methods
class Count:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        self.n -= 1
        if self.n < 0: raise StopIteration("done")
        return self.n
class Bad:
    def __iter__(self): return self
    def __next__(self): raise ValueError("bad")
class Deep:
    def __iter__(self): return self
    def __next__(self): return next(iter([]))
print([i for i in Count(3)], list(Count(2)), sum(Count(4)), [(i, j) for i in Count(2) for j in Count(2)], [i for i in Deep()])
try:
    for i in Bad(): pass
except ValueError as e:
    print(e)
c = Count(1)
for i in c: print(i)
else: print("else")
try:
    next(c)
except StopIteration as e:
    print(e.value)
#---- break_else
for i in range(5):
    if i == 2: break
else:
    print("no")
for i in []: pass
else: print("else", i)
while i < 4:
    i += 1
    if i == 3: continue
else: print("while else", i)
#---- generators_in_loops
def up(n):
    for i in range(n):
        got = yield i
        if got is not None: print("got", got)
    return "result"
def twice(n):
    first = yield from up(n)
    for i in up(2): yield first, i
print(list(twice(2)), [x for x in up(3)], sum(up(4)), dict(enumerate(up(2))))
for x in up(5):
    if x == 2: break
g = up(3)
for x in g: break
for x in g: print(x)
print(next(g, "over"))
for a, b in zip(up(2), up(3)): print(a, b)
for i, x in enumerate(up(2)): print(i, x)
#---- generator_errors
def bad(n):
    try:
        yield n
        raise KeyError(n)
    finally:
        print("finally", n)
try:
    for x in bad(1): print(x)
except KeyError as e:
    print("caught", e)
def catches():
    for x in (1, 0):
        try:
            yield 1 // x
        except ZeroDivisionError as e:
            yield str(e)
print(list(catches()))
def again():
    for x in g: yield x
g = again()
try:
    for x in g: pass
except ValueError as e:
    print(e)
#---- nested_generators
def tree(n):
    if n > 0:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 1)
print(list(tree(4)))
def chain(*parts):
    for part in parts:
        for x in part: yield x
print(list(chain("ab", (1, 2), tree(2), chain([3], chain()))))
def deep(n):
    if n == 0:
        yield "bottom"
        return
    for x in deep(n - 1): yield x
print(list(deep(200)))
#---- generator_state
def g():
    local = [1]
    while True:
        local.append((yield len(local)))
        if len(local) > 4: return
x = g()
print(next(x), x.send("a"), [v for v in x])
def h():
    try:
        yield 1
    except GeneratorExit:
        print("closed")
        raise
y = h()
for v in y: break
y.close()
print([v for v in y])
#---- loops_over_text
for c in "aé€😀b": print(c, ord(c))
print([c for c in "añb"], [c for c in b"ab"], list("")) 
out = ""
for i, c in enumerate("xyz"): out = c + out + str(i)
print(out)
#---- loop_variables_stay
for i in range(3): pass
for j in []: pass
print(i, [k for k in range(2)])
def f():
    for x in (): pass
    try:
        return x
    except UnboundLocalError as e:
        return str(e)
print(f())
#---- sum_and_sort_of_loops
print(sum([0.1] * 10), sum([[1], [2]], []), sum(range(100), 5), sum([True, 2.5]), sum([2 ** 47, 2 ** 47]))
print(sorted([3, 1.5, True, -2]), sorted("bca", reverse=True), sorted([(2, "b"), (1, "z"), (2, "a")]), sorted(range(5), key=lambda v: -v))
#---- long_while
n, steps = 27, 0
while n != 1:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
    steps += 1
print(steps)
x, y, k = 0, 1, 0
while k < 100:
    x, y, k = y, x + y, k + 1
print(x)
