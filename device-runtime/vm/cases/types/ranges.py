#---- large
r = range(10**20, 10**20 + 10)
print(r, r[3], r[-1], r[2:5], r[::-1], list(r[::4]), 10**20 + 5 in r, 5 in r, True in r)
print(r.index(10**20 + 2), r.count(10**20 + 2), r.count(3), list(reversed(r))[:2], max(r), sum(r))
print(range(2**70), range(1, 2**66, 2**64), list(range(1, 2**66, 2**64)), range(5, -2**70, -2**69))
print(bool(range(2**70)), bool(range(2**70, 0)), len(range(2**63 - 1)), len(range(-2**70, -2**70 + 3)))
print(range(2**63)[2**63 - 1], range(-2**63, 2**63)[0], range(2**64)[-1], range(0, 2**65, 7).stop)
print(list(range(2**63 - 2, 2**63 + 2)), [*zip(range(2**64, 2**64 + 9), 'abc')])
print(range(0, 10**20, 3) == range(0, 10**20 + 1, 3), range(2**70, 2**70) == range(0), range(2**70) == range(3))
print(hash(range(10**20)) == hash((10**20, 0, 1)), hash(range(10**20, 10**20 + 1, 7)) == hash((1, 10**20, None)))
a, *b = range(2**80, 2**80 + 3)
print(a, b, 2**50 in range(2**60), range(2**60).index(2**50), 2**62 in range(0, 2**63 - 1, 2))
i = iter(range(2**70, 2**71))
print(next(i), next(i), type(i).__name__, iter(range(2**70, 2**70 + 4)).__length_hint__())
#---- errors
def tell(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
tell(lambda: len(range(2**63)))
tell(lambda: range(10**20)[10**20])
tell(lambda: range(10**20)[-10**20 - 1])
tell(lambda: range(10**20)['a'])
tell(lambda: range(10**20).index(-1))
tell(lambda: range(10**20).index(10**21))
tell(lambda: range(0, 10**20, 0))
tell(lambda: range(10**20, 1.5))
tell(lambda: range(10**20)[::0])
tell(lambda: range(10**20)[1.5:])
tell(lambda: setattr(range(3), 'start', 1))
tell(lambda: setattr(slice(3), 'stop', 1))
#---- edges
M = 2**63
for r in (range(M - 3, M - 1), range(-M, -M + 2), range(0, M - 1, M - 2), range(M - 1, -M, -(M - 1)), range(0, -M, -M),
          range(-M, M - 1, M - 1), range(M - 1)[:: M - 2], range(M - 1)[1::2][1::2][:2], range(10)[2**70:], range(10)[-2**70::3]):
    print(r, list(r), list(reversed(r)), r[::-1], [x in r for x in (M - 2, -M, 0, M)])
print(slice(2**70).indices(5), slice(0, 10, 2**70).indices(2**80), slice(None, None, -1).indices(2**80))
print(slice(-2**80, 2**80, 3).indices(10), slice(-3, None).indices(2**70))
class I:
    def __init__(self, v): self.v = v
    def __index__(self): return self.v
print(range(I(2**70), I(2**70 + 9), I(3))[I(1)], range(10)[I(2):I(8):I(3)], slice(I(1), I(2**70)).indices(I(4)))
