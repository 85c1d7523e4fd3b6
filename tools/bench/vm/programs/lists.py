"""Lists: sieve, matrix product, sorting, heaps by hand, comprehensions, slices."""


def sieve(n):
    flags = [True] * (n + 1)
    flags[0] = flags[1] = False
    i = 2
    while i * i <= n:
        if flags[i]:
            for k in range(i * i, n + 1, i):
                flags[k] = False
        i += 1
    return sum(flags)


def product(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def product_by_index(a, b):
    n, m, k = len(a), len(b[0]), len(b)
    out = [[0] * m for _ in range(n)]
    for i in range(n):
        row, into = a[i], out[i]
        for j in range(m):
            total = 0
            for t in range(k):
                total += row[t] * b[t][j]
            into[j] = total
    return out


def heap_sort(values):
    heap = []
    for value in values:
        heap.append(value)
        at = len(heap) - 1
        while at > 0:
            up = (at - 1) // 2
            if heap[up] <= heap[at]:
                break
            heap[up], heap[at] = heap[at], heap[up]
            at = up
    out = []
    while heap:
        out.append(heap[0])
        last = heap.pop()
        if not heap:
            break
        at, size = 0, len(heap)
        while True:
            child = 2 * at + 1
            if child >= size:
                break
            if child + 1 < size and heap[child + 1] < heap[child]:
                child += 1
            if last <= heap[child]:
                break
            heap[at] = heap[child]
            at = child
        heap[at] = last
    return out


def churn(n):
    queue, total = [], 0
    for i in range(n):
        queue.append((i, str(i)))
        if len(queue) > 50:
            number, text = queue.pop(0)
            total += number + len(text)
        if i % 1000 == 0:
            queue = [(a + 1, b) for a, b in queue[::2]] + queue[1::2]
            queue.reverse()
            queue.extend(queue[:5])
    return total


for _ in range(4):
    print(sieve(400000))
    n = 48
    a = [[(i * j) % 10 for j in range(n)] for i in range(n)]
    b = [[(i + j) % 10 for j in range(n)] for i in range(n)]
    print(sum(map(sum, product(a, b))), product_by_index(a, b) == product(a, b))
    seed, values = 42, []
    for _ in range(12000):
        seed = (seed * 1103515245 + 12345) % 2147483648
        values.append(seed)
    print(heap_sort(values) == sorted(values), sorted(values, key=lambda v: v % 1000)[:3], sorted(values, reverse=True)[0])
    print(churn(60000))
