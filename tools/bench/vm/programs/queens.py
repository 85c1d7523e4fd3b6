"""All ways to set queens: recursion, sets and generators of permutations."""


def place(n):
    columns, rising, falling = set(), set(), set()
    found = []
    board = []

    def row(i):
        if i == n:
            found.append(tuple(board))
            return
        for column in range(n):
            up, down = i + column, i - column
            if column in columns or up in rising or down in falling:
                continue
            columns.add(column)
            rising.add(up)
            falling.add(down)
            board.append(column)
            row(i + 1)
            board.pop()
            columns.remove(column)
            rising.remove(up)
            falling.remove(down)

    row(0)
    return found


def orders(items):
    if len(items) <= 1:
        yield tuple(items)
        return
    for i in range(len(items)):
        rest = items[:i] + items[i + 1:]
        for order in orders(rest):
            yield (items[i],) + order


def by_orders(n):
    count = 0
    for columns in orders(list(range(n))):
        if n == len(set(columns[i] + i for i in range(n))) == len(set(columns[i] - i for i in range(n))):
            count += 1
    return count


for _ in range(4):
    solutions = place(9)
    print(len(solutions), solutions[0], solutions[-1])
    print(by_orders(8))
