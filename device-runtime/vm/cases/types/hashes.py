#---- hashes
print(hash(0), hash(-1), hash(2 ** 61 - 1), hash(2 ** 61), hash(10 ** 30), hash(-10 ** 30), hash(True))
print(hash(0.5), hash(1.0), hash(-2.0), hash(1e300), hash(float('inf')), hash(float('-inf')), hash(3.14159), hash(5e-324))
print(hash(()), hash((1,)), hash((1, 2, 3)), hash((1, (2.5, 3))), hash(frozenset()), hash(frozenset([1, 2, 3])), hash(range(5)), hash(range(0)) == hash(range(5, 5)))
print(hash('a') == hash('a'), hash(b'x') == hash(b'x'), hash(1) == hash(1.0), hash((1, 2)) == hash((1.0, 2)))


class H:
    def __hash__(self):
        return -1


class Big:
    def __hash__(self):
        return 2 ** 70


print(hash(H()), hash(Big()), isinstance(hash(object()), int), hash(None) == hash(None))
