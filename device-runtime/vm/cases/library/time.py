#---- one call after another
import time

def t(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


def each(f, *calls):
    for args in calls:
        t(lambda: f(*args))
t(lambda: time.perf_counter_ns().__class__)
t(lambda: time.time_ns().__class__)
t(lambda: time.sleep(0))
t(lambda: time.strftime('%Y-%m-%d',(2024,2,29,1,2,3,3,60,0)))
t(lambda: time.gmtime(0))
t(lambda: time.localtime(0))
t(lambda: time.mktime((1970,1,1,0,0,0,3,1,0)))
t(lambda: time.asctime(time.gmtime(0)))
t(lambda: time.ctime(0))
t(lambda: time.strptime('2024','%Y'))
t(lambda: time.timezone)
t(lambda: time.tzname)
t(lambda: time.daylight)
t(lambda: time.altzone)
t(lambda: time.gmtime(1e9).tm_year)
t(lambda: time.struct_time(range(9)))
t(lambda: time.gmtime(0).tm_zone)
t(lambda: time.gmtime(0).tm_gmtoff)
t(lambda: time.gmtime(0)[0:3])
t(lambda: time.sleep(-1))
t(lambda: time.sleep('a'))
each(time.strftime, [5], ['%Y', (1,2)], ['%Y', 5])
t(lambda: time.struct_time((1,2)))
t(lambda: time.struct_time(5))
t(lambda: time.gmtime('a'))
t(lambda: time.gmtime(1e30))
t(lambda: time.mktime((1,2)))
t(lambda: time.asctime((2024,2,29,1,2,3,3,60,0)))
t(lambda: time.asctime((2024,13,29,1,2,3,3,60,0)))
t(lambda: time.strftime('%Y',(2024,13,29,1,2,3,3,60,0)))
t(lambda: time.strptime('x','%Y'))
t(lambda: time.clock_gettime(time.CLOCK_MONOTONIC).__class__)
