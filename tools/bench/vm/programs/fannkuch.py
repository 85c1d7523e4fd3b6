"""Flips of pancakes over all permutations: lists of small integers, slices, swaps."""


def fannkuch(n):
    order = list(range(n))
    count = [0] * n
    best = checksum = turn = 0
    left = n
    while True:
        while left != 1:
            count[left - 1] = left
            left -= 1
        first = order[0]
        if first:
            work = order[:]
            flips = 0
            while first:
                work[:first + 1] = work[first::-1]
                flips += 1
                first = work[0]
            if flips > best:
                best = flips
            checksum += -flips if turn & 1 else flips
        while True:
            if left == n:
                return checksum, best
            moved = order[0]
            for i in range(left):
                order[i] = order[i + 1]
            order[left] = moved
            count[left] -= 1
            if count[left] > 0:
                break
            left += 1
        turn += 1


print(fannkuch(9))
