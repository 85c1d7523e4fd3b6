#---- timedelta
from datetime import *
td = timedelta
print(td(1, 2, 3), td(days=-1), td(hours=25, minutes=61), td(weeks=1, milliseconds=1.5), td(microseconds=0.5), td(microseconds=1.5), td(0), td(seconds=1e-6), td(days=0.1), td(-1, 86399, 999999))
print(repr(td(1, 2, 3)), repr(td()), repr(td(seconds=-1)), td(1).days, td(1, 5).seconds, td(0, 0, 7).microseconds, td(1.5).total_seconds(), td.min, td.max, td.resolution)
print(td(1) + td(2), td(1) - td(hours=5), -td(1, 2), abs(td(-3)), td(1) * 2, 3 * td(1), td(1) * 0.5, td(5) / td(2), td(5) / 2, td(5) / 0.7, td(5) // td(2), td(5) // 3, td(5) % td(2), divmod(td(5), td(2)), +td(1), bool(td()), bool(td(1)))
print(td(1) < td(2), td(1) == td(hours=24), td(1) != 1, td(1) >= td(1), hash(td(1)) == hash(td(hours=24)), sorted([td(3), td(1)]), sum([td(1), td(2)], td()), max(td(1), td(2)))
for f in (lambda: td("x"), lambda: td(1) + 1, lambda: td(10**9), lambda: td.max + td.resolution, lambda: td(1) / 0, lambda: td(1) // td(), lambda: td(1) * "x", lambda: td(days=None), lambda: td(1) % 2):
    try:
        print(f())
    except (TypeError, OverflowError, ZeroDivisionError) as e:
        print(type(e).__name__, str(e).split("'")[0])
#---- date
from datetime import *
d = date(2024, 2, 29)
print(d, repr(d), d.year, d.month, d.day, d.weekday(), d.isoweekday(), d.isocalendar(), tuple(d.isocalendar()), d.toordinal(), date.fromordinal(738945), d.replace(year=2020), d.replace(month=1, day=5), d.ctime(), d.isoformat(), date.min, date.max, date.resolution)
print(d + timedelta(1), d - timedelta(days=366), d - date(2024, 1, 1), timedelta(1) + d, d < date(2025, 1, 1), d == date(2024, 2, 29), d != 5, d == "x", hash(d) == hash(date(2024, 2, 29)), sorted([date(2020, 1, 2), date(2019, 5, 1)]), {d: 1}[date(2024, 2, 29)])
print(d.strftime("%Y-%m-%d %a %A %b %B %j %U %W %w %u %y %d %e %G-W%V %x %D %F %% %H:%M %c %C %h"), f"{d:%d/%m/%y}", f"{d}", d.timetuple().tm_yday, d.timetuple()[:3], date.fromisoformat("2024-02-29"), date.fromisoformat("20240229"), date.fromisoformat("2024-W09-4"), date.fromisoformat("2024W094"), date.fromisocalendar(2024, 9, 4), date.fromisoformat("2024-W09"))
for y in (1, 4, 100, 400, 1582, 1900, 1999, 2000, 2001, 2004, 2100, 9999):
    for m, k in ((1, 1), (2, 28), (3, 1), (12, 31)):
        q = date(y, m, k)
        assert date.fromordinal(q.toordinal()) == q
    print(y, date(y, 12, 31).timetuple().tm_yday, date(y, 1, 1).isocalendar()[:2] if y > 1 else "", date(y, 12, 28).isocalendar()[1], date(y, 1, 1).weekday())
for f in (lambda: date(2023, 2, 29), lambda: date(0, 1, 1), lambda: date(2023, 13, 1), lambda: date(10000, 1, 1), lambda: date("x", 1, 1), lambda: date(2023), lambda: date.fromisoformat("2023-1-1"), lambda: date.fromisoformat(5), lambda: date.fromisoformat("2023-02-30"), lambda: date.max + timedelta(1), lambda: date.fromordinal(0), lambda: d.replace(day=31), lambda: date.fromisocalendar(2023, 54, 1), lambda: date.fromisocalendar(2023, 1, 8), lambda: d + 5, lambda: date(2023.5, 1, 1)):
    try:
        print(f())
    except (TypeError, ValueError, OverflowError) as e:
        print(type(e).__name__, str(e).replace("datetime.date", "date"))
#---- time
from datetime import *
t = time(13, 5, 9, 1234)
print(t, repr(t), time(), repr(time(1)), repr(time(1, 2)), time(1, 2, 3), t.hour, t.minute, t.second, t.microsecond, t.tzinfo, t.fold, t.replace(hour=0), t.isoformat("minutes"), t.isoformat(timespec="milliseconds"), time.min, time.max, t.strftime("%H:%M:%S.%f %p %I %X %r"), f"{t:%H-%M}", bool(time()))
print(time.fromisoformat("04:23"), time.fromisoformat("04:23:01.5"), time.fromisoformat("T0423"), time.fromisoformat("042301"), time.fromisoformat("04:23:01+04:00"), repr(time.fromisoformat("04:23Z")), time(1) < time(2), time(1) == time(1), time(1, tzinfo=timezone.utc) == time(2, tzinfo=timezone(timedelta(hours=1))), time(1, tzinfo=timezone.utc), repr(time(1, fold=1)))
for f in (lambda: time(24), lambda: time(0, 60), lambda: time(0, 0, 60), lambda: time(0, 0, 0, 10**6), lambda: time(fold=2), lambda: time("a"), lambda: time(1) < time(1, tzinfo=timezone.utc), lambda: time.fromisoformat("1:2"), lambda: time.fromisoformat("25:00"), lambda: time(1, tzinfo=5), lambda: t.isoformat("x")):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
#---- datetime
from datetime import *
d = datetime(2024, 2, 29, 13, 5, 9, 123456)
print(d, repr(d), d.date(), d.time(), d.isoformat(" ", "seconds"), d.isoformat(timespec="hours"), d.weekday(), d.timetuple()[:9], d.ctime(), d.replace(hour=1, microsecond=0), datetime(2024, 1, 1), repr(datetime(2024, 1, 1, 5)), d.strftime("%Y%m%dT%H%M%S.%f%z|%Z|%c|%I %p"), f"{d:%H:%M}", d.toordinal(), datetime.min, datetime.max)
print(d + timedelta(hours=20), d - timedelta(days=60), d - datetime(2024, 1, 1), d > datetime(2024, 1, 1), d == datetime(2024, 2, 29, 13, 5, 9, 123456), d == date(2024, 2, 29), datetime.combine(date(2020, 1, 2), time(3, 4)), datetime.fromordinal(738945), datetime.fromisoformat("2024-02-29T13:05:09.123456"), datetime.fromisoformat("2024-02-29"), datetime.fromisoformat("20240229T130509"), datetime.fromisoformat("2024-02-29 13:05+05:30"), datetime.fromisoformat("2024-W09-4T10"), datetime.fromisoformat("2024-02-29T10:00:00Z"))
u = datetime(2024, 2, 29, 12, tzinfo=timezone.utc)
e = timezone(timedelta(hours=-5), "EST")
print(u, repr(u), u.astimezone(e), repr(e), e, u.astimezone(e).tzname(), u.utcoffset(), u.dst(), u.timestamp(), datetime.fromtimestamp(1e9, timezone.utc), datetime.fromtimestamp(1234567890.123456, e), datetime.utcfromtimestamp(0.5), u == u.astimezone(e), u - u.astimezone(e), u.isoformat(), u.timetz(), u.utctimetuple()[:6], u.strftime("%z %Z"), timezone(timedelta(hours=5, minutes=30, seconds=15)), timezone.utc is UTC, timezone.min, timezone.max)
print(datetime.strptime("2024-02-29 13:05:09.5", "%Y-%m-%d %H:%M:%S.%f"), datetime.strptime("29/Feb/24 01:05 PM", "%d/%b/%y %I:%M %p"), datetime.strptime("2024-02-29T10:00:00+0530", "%Y-%m-%dT%H:%M:%S%z"), datetime.strptime("Thursday February 060 2024", "%A %B %j %Y"), datetime.strptime("2024 09 4", "%Y %W %w"), datetime.strptime("2024-W09-4", "%G-W%V-%u"), datetime.strptime("Thu Feb 29 13:05:09 2024", "%c"), datetime.strptime("12:30", "%H:%M"), datetime.strptime("20240229", "%Y%m%d"), datetime.strptime("1:2:3", "%H:%M:%S"))
for f in (lambda: datetime(2023, 2, 29), lambda: datetime(2023, 1, 1, 24), lambda: datetime.fromisoformat("x"), lambda: datetime.fromisoformat("2023-01-01T25:00"), lambda: u < d, lambda: u - d, lambda: d < date(2024, 1, 1), lambda: datetime.strptime("x", "%Y"), lambda: datetime.strptime("2024x", "%Y"), lambda: datetime.strptime("2024", "%Q"), lambda: datetime.strptime("2023-02-29", "%Y-%m-%d"), lambda: timezone(timedelta(1)), lambda: timezone(5), lambda: datetime.max + timedelta(1), lambda: datetime.fromtimestamp(float("nan")), lambda: datetime.combine(5, time()), lambda: d.replace(tzinfo=5), lambda: datetime(2023), lambda: tzinfo().utcoffset(None)):
    try:
        print(f())
    except (TypeError, ValueError, OverflowError, NotImplementedError) as e:
        print(type(e).__name__, e)
print(u == d, u != d, hash(u) == hash(u.astimezone(e)), d in {d: 1}, min(d, datetime(2020, 1, 1)), isinstance(d, date), type(d - d), type(d + timedelta(1)))
#---- zones of scripts
from datetime import *
class Zone(tzinfo):
    def utcoffset(self, dt):
        return timedelta(hours=2 if dt is not None and 3 < dt.month < 11 else 1)
    def dst(self, dt):
        return timedelta(hours=1 if dt is not None and 3 < dt.month < 11 else 0)
    def tzname(self, dt):
        return "SUMMER" if self.dst(dt) else "WINTER"
z = Zone()
w, s = datetime(2024, 1, 10, 12, tzinfo=z), datetime(2024, 7, 10, 12, tzinfo=z)
print(w, s, s - w, w.tzname(), s.strftime("%Z%z"), s.astimezone(timezone.utc), datetime(2024, 7, 1, 0, tzinfo=timezone.utc).astimezone(z), w.utcoffset(), s.dst(), w.timetuple().tm_isdst, s.timetuple().tm_isdst)
class D(date):
    def next(self):
        return self + timedelta(1)
q = D(2024, 12, 31)
print(q.next(), type(q.next()).__name__, repr(q), isinstance(q.replace(day=1), D), D.fromisoformat("2020-01-01").next())
#---- times of day with a zone, read from text
from datetime import datetime, timedelta

for text in ('2024-02-29T12:34:56+02:00', '2024-02-29T12:34:56+02:00', '2024-02-29 12:34-05:30', '2024-02-29T12:34:56.789Z',
             '2024-02-29T12:34:56.789012-00:00', '2024-02-29T12:34+24:00', '2024-02-29T12:34+01:60', '2024-02-30T12:34Z',
             '2024-02-29T25:34Z', '2024-02-29T12:34:56+02:00:01', '2024-02-29+02:00', '2024-02-29Z', '2024-02-29T12Z',
             '2024-02-29T12:34:56+0200', '2024-02-29T12:34:56+aa:00', '0000-02-29T12:34:56Z', '2024-02-29T12:34:56-23:59'):
    try:
        made = datetime.fromisoformat(text)
        print(repr(made), made.isoformat(), made.utcoffset())
    except ValueError as e:
        print(e)


class Day(datetime):
    pass


print(repr(Day.fromisoformat('2024-02-29T12:34:56+02:00')))
print(datetime.fromisoformat('2024-02-29T12:34+02:00') - datetime.fromisoformat('2024-02-29T12:34Z') == timedelta(hours=-2))
