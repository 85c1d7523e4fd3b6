"""The greatest singular value of a matrix given by a formula: calls and float sums."""


def element(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


def times(vector):
    n = len(vector)
    out = []
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += element(i, j) * vector[j]
        out.append(total)
    return out


def transposed_times(vector):
    n = len(vector)
    return [sum(element(j, i) * x for j, x in enumerate(vector)) for i in range(n)]


def norm(n, rounds):
    u = [1.0] * n
    v = u
    for _ in range(rounds):
        v = transposed_times(times(u))
        u = transposed_times(times(v))
    uv = vv = 0.0
    for a, b in zip(u, v):
        uv += a * b
        vv += b * b
    return (uv / vv) ** 0.5


print(f"{norm(200, 14):.9f}")
