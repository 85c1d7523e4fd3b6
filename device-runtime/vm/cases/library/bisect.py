#---- one call after another
import bisect
def ex(f,*a,**k):
    return f(*a,**k)

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
t(lambda: bisect.bisect([1,2,3],2))
t(lambda: bisect.bisect_left([1,2,3],2))
t(lambda: bisect.bisect([1,2,3],2,0,1))
t(lambda: bisect.bisect([1,2,3],x=2))
t(lambda: bisect.bisect_left([3,2,1],-2,key=lambda x:-x))
t(lambda: bisect.bisect((1,2),5))
t(lambda: bisect.bisect('abc','b'))
t(lambda: ex(lambda: (l:=[1,3],bisect.insort(l,2),l)[2]))
t(lambda: ex(lambda: (l:=[1,3],bisect.insort_left(l,3,key=lambda x:x),l)[2]))
t(lambda: bisect.bisect([1,2,3],2,hi=1))
t(lambda: bisect.bisect(range(10**18),5))
t(lambda: bisect.bisect_right(a=[1],x=1,lo=0,hi=None))
each(bisect.bisect, [[1], 2, -1], [[1], 'a'], [5, 1], [[1]])
t(lambda: bisect.insort((1,),1))
t(lambda: bisect.bisect([1,2],1,0,10))
#---- one call after another 2
import bisect
def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
a = [1, 2, 2, 3]
print(bisect.bisect(a, 2), bisect.bisect_left(a, 2), bisect.bisect_right(a, 2, 0, 2), bisect.bisect_left([(1, 'a'), (2, 'b')], 2, key=lambda x: x[0]))
bisect.insort(a, 2.5)
bisect.insort_left(a, 0)
bisect.insort(a, 5, key=lambda x: x)
each(bisect.bisect, [a, 'x'], [a, 1, -1], [a, 1, 0, 100], [])
t(lambda: bisect.bisect(a, 1, lo='a'))
t(lambda: bisect.bisect(a, 1, hi=None))
#---- bisect
import bisect
a = [1, 2, 2, 3, 5]
print(bisect.bisect(a, 2), bisect.bisect_left(a, 2), bisect.bisect_right(a, 0), bisect.bisect_left(a, 9), bisect.bisect(a, 2, 0, 2), bisect.bisect_left(a, 2, lo=2, hi=4))
bisect.insort(a, 4)
bisect.insort_left(a, 2)
print(a, bisect.bisect([], 1), bisect.bisect_left(['a', 'c'], 'b'))
rows = [('x', 1), ('y', 3), ('z', 5)]
print(bisect.bisect_left(rows, 3, key=lambda r: r[1]), bisect.bisect_right(rows, 3, key=lambda r: r[1]))
bisect.insort(rows, ('w', 4), key=lambda r: r[1])
print(rows)


def grade(score, breakpoints=[60, 70, 80, 90], grades='FDCBA'):
    return grades[bisect.bisect(breakpoints, score)]


print([grade(s) for s in [33, 99, 77, 70, 89, 90, 100]])
for f in (lambda: bisect.bisect(a, 1, -1), lambda: bisect.bisect(a), lambda: bisect.bisect(5, 1), lambda: bisect.bisect([1], 'a'), lambda: bisect.insort((1,), 1)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
