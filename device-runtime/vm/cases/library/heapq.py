#---- heapq
import heapq
h = []
for v in [5, 1, 4, 1, 5, 9, 2, 6]:
    heapq.heappush(h, v)
print(h, [heapq.heappop(h) for _ in range(len(h))])
h = [9, 8, 7, 6, 5, 4, 3]
heapq.heapify(h)
print(h, heapq.heapreplace(h, 10), h, heapq.heappushpop(h, 1), heapq.heappushpop(h, 6), h)
print(heapq.nlargest(3, [1, 5, 2, 8, 3]), heapq.nsmallest(2, [4, 1, 3]), heapq.nlargest(0, [1]), heapq.nlargest(10, [2, 1]))
print(heapq.nlargest(2, ['aa', 'b', 'cccc'], key=len), heapq.nsmallest(1, 'hello'), heapq.nsmallest(1, []))
print(list(heapq.merge([1, 4, 7], [2, 5, 8], [0, 9])), list(heapq.merge([7, 3], [5, 1], reverse=True)))
print(list(heapq.merge(['a', 'ccc'], ['bb'], key=len)), list(heapq.merge()))
h = [(2, 'b'), (1, 'z'), (2, 'a')]
heapq.heapify(h)
print([heapq.heappop(h) for _ in range(3)])
print(heapq.nlargest(3, ((i * 7) % 11 for i in range(11))), heapq.nsmallest(3, ((i * 7) % 11 for i in range(11)), key=lambda v: -v))
for f in (lambda: heapq.heappop([]), lambda: heapq.heapreplace([], 1), lambda: heapq.heappush((), 1), lambda: heapq.heapify([1, 'a']), lambda: heapq.heapify()):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
print(heapq.heappushpop([], 3))
#---- heap_objects
import heapq


class Job:
    def __init__(self, p, n):
        self.p, self.n = p, n

    def __lt__(self, other):
        return self.p < other.p


h = [Job(3, 'c'), Job(1, 'a'), Job(2, 'b')]
heapq.heapify(h)
heapq.heappush(h, Job(0, 'z'))
print([heapq.heappop(h).n for _ in range(4)])


class Evil:
    def __lt__(self, other):
        del big[:]
        return True


big = [Evil() for _ in range(10)]
try:
    heapq.heapify(big)
except Exception as e:
    print(type(e).__name__)
#---- one call after another
import heapq
def ex(f,*a,**k):
    return f(*a,**k)

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)
t(lambda: heapq.heapify([3,1,2]))
t(lambda: ex(lambda: (h:=[],heapq.heappush(h,3),heapq.heappush(h,1),heapq.heappop(h),h)[3:]))
t(lambda: heapq.nlargest(2,[1,3,2]))
t(lambda: heapq.nsmallest(2,[1,3,2]))
t(lambda: heapq.nlargest(2,'abc',key=ord))
t(lambda: list(heapq.merge([1,3],[2,4])))
t(lambda: list(heapq.merge([3,1],[4,2],reverse=True)))
t(lambda: list(heapq.merge('ac','b',key=ord)))
t(lambda: heapq.heappushpop([2,3],1))
t(lambda: heapq.heapreplace([2,3],1))
t(lambda: heapq.heappushpop([],1))
t(lambda: heapq.nlargest(0,[1]))
t(lambda: heapq.nsmallest(-1,[1]))
t(lambda: heapq.nlargest(10,[1,2]))
t(lambda: heapq.nsmallest(1,[]))
t(lambda: heapq._heapify_max([1,2]) if 0 else 0)
t(lambda: heapq.heappop([]))
t(lambda: heapq.heapreplace([],1))
t(lambda: heapq.heapify((1,)))
t(lambda: heapq.heappush((1,),1))
t(lambda: heapq.heapify([1,'a']))
t(lambda: heapq.nlargest('a',[1]))
t(lambda: heapq.nlargest(1,5))
t(lambda: heapq.heappush([1]))
t(lambda: list(heapq.merge([1],['a'])))
#---- one call after another 2
import heapq, bisect
def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
h = [5, 3, 8, 1]
heapq.heapify(h)
print(h)
heapq.heappush(h, 2)
print(h, heapq.heappop(h), heapq.heapreplace(h, 9), heapq.heappushpop(h, 0), h, heapq.nlargest(2, h), heapq.nsmallest(2, h, key=lambda x: -x), heapq.nlargest(0, h), heapq.nlargest(10, h), list(heapq.merge([1, 4], [2, 3])), list(heapq.merge([4, 1], [3, 2], reverse=True)), list(heapq.merge(['a', 'ccc'], ['bb'], key=len)))
t(lambda: heapq.heappush((), 1))
t(lambda: heapq.nlargest(2, 5))
t(lambda: heapq.nsmallest('a', [1]))
a = [1, 2, 2, 3]
bisect.insort(a, 2.5)
bisect.insort_left(a, 0)
print(a)
bisect.insort(a, 5, key=lambda x: x)
print(a)
