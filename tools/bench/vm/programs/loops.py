"""Loops over integers, branches, bit operations, floats."""


def collatz(limit):
    best, longest = 0, 0
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            steps += 1
        if steps > longest:
            best, longest = start, steps
    return best, longest


def mandelbrot(width, height, turns):
    inside = 0
    for py in range(height):
        y0 = py / height * 2 - 1
        for px in range(width):
            x0 = px / width * 3 - 2
            x = y = 0.0
            for _ in range(turns):
                xx, yy = x * x, y * y
                if xx + yy > 4:
                    break
                x, y = xx - yy + x0, 2 * x * y + y0
            else:
                inside += 1
    return inside


def bits(n):
    x, total = 88172645463325252, 0
    for i in range(n):
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 7
        x ^= x << 17 & 0xFFFFFFFF
        x &= 0xFFFFFFFFFF
        total += (x >> 3 & 255) | i & 1
    return x, total


def primes(n):
    count = 0
    for i in range(2, n):
        k = 2
        while k * k <= i:
            if i % k == 0:
                break
            k += 1
        else:
            count += 1
    return count


print(collatz(20000))
print(mandelbrot(150, 100, 80))
print(bits(300000))
print(primes(25000))
