"""Clocks, sleeping, and the calendar time of the machine."""
import _time
from _time import monotonic, monotonic_ns, sleep, time, time_ns
from _timetext import (DAYS, MONTHS, format_time as _format, from_ordinal as _from_ordinal,
                       parse_time as _parse, to_ordinal as _to_ordinal)

perf_counter = monotonic
perf_counter_ns = monotonic_ns
process_time_ns = thread_time_ns = _time.process_time_ns


def process_time():
    return _time.process_time_ns() * 1e-9


thread_time = process_time
CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID = range(4)


def clock_gettime_ns(clk_id, /):
    if clk_id not in (0, 1, 2, 3):
        raise OSError(22, 'Invalid argument')
    return (time_ns, monotonic_ns, process_time_ns, process_time_ns)[clk_id]()


def clock_gettime(clk_id, /):
    return clock_gettime_ns(clk_id) / 1e9


def clock_getres(clk_id, /):
    return 1e-09


def get_clock_info(name):
    from types import SimpleNamespace
    clocks = {'time': 'REALTIME', 'monotonic': 'MONOTONIC', 'perf_counter': 'MONOTONIC',
              'process_time': 'PROCESS_CPUTIME_ID', 'thread_time': 'THREAD_CPUTIME_ID'}
    if name not in clocks:
        raise ValueError('unknown clock')
    return SimpleNamespace(implementation=f'clock_gettime(CLOCK_{clocks[name]})',
                           monotonic=name != 'time', adjustable=name == 'time', resolution=1e-09)


_NAMES = ("tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday",
          "tm_isdst", "tm_zone", "tm_gmtoff")


class struct_time(tuple):
    n_fields, n_sequence_fields, n_unnamed_fields = 11, 9, 0
    __match_args__ = _NAMES[:9]

    def __new__(cls, sequence, more=None):
        if not hasattr(type(sequence), '__getitem__'):
            raise TypeError("constructor requires a sequence")
        items = tuple(sequence)
        if len(items) < 9:
            raise TypeError("time.struct_time() takes an at least 9-sequence (%d-sequence given)"
                            % len(items))
        if len(items) > 11:
            raise TypeError("time.struct_time() takes an at most 11-sequence (%d-sequence given)"
                            % len(items))
        self = tuple.__new__(cls, items[:9])
        self._zone = items[9] if len(items) > 9 else None
        self._offset = items[10] if len(items) > 10 else None
        return self

    tm_year = property(lambda self: self[0])
    tm_mon = property(lambda self: self[1])
    tm_mday = property(lambda self: self[2])
    tm_hour = property(lambda self: self[3])
    tm_min = property(lambda self: self[4])
    tm_sec = property(lambda self: self[5])
    tm_wday = property(lambda self: self[6])
    tm_yday = property(lambda self: self[7])
    tm_isdst = property(lambda self: self[8])
    tm_zone = property(lambda self: self._zone)
    tm_gmtoff = property(lambda self: self._offset)

    def __repr__(self):
        return "time.struct_time(%s)" % ", ".join(
            "%s=%r" % pair for pair in zip(_NAMES, self))


def _seconds(seconds):
    if seconds is None:
        return int(time() // 1)
    if isinstance(seconds, float):
        return int(seconds // 1)
    if not isinstance(seconds, int):
        raise TypeError("'%s' object cannot be interpreted as an integer" % type(seconds).__name__)
    return seconds


def gmtime(seconds=None):
    days, rest = divmod(_seconds(seconds), 86400)
    ordinal = days + 719163
    if abs(days) > 1 << 48:
        raise OverflowError("timestamp out of range for platform time_t")
    year, month, day = _from_ordinal(ordinal)
    return struct_time((year, month, day, rest // 3600, rest // 60 % 60, rest % 60,
                        (ordinal + 6) % 7, ordinal - _to_ordinal(year, 1, 1) + 1, 0, "GMT", 0))


def localtime(seconds=None):
    t = _time.local(_seconds(seconds))
    return struct_time(t[:9] + (t[10], t[9]))


def mktime(t):
    if not isinstance(t, tuple):
        raise TypeError("Tuple or struct_time argument required")
    if len(t) != 9:
        raise TypeError("mktime(): illegal time tuple argument")
    return float(_time.from_local(t[0], t[1], t[2], t[3], t[4], t[5], t[8]))


def _checked(t, name):
    if not isinstance(t, tuple):
        raise TypeError("Tuple or struct_time argument required")
    if len(t) != 9:
        raise TypeError("%s(): illegal time tuple argument" % name)
    year, month, day, hour, minute, second, weekday, yearday = t[:8]
    month, day, yearday = month or 1, day or 1, yearday or 1
    if not 1 <= month <= 12:
        raise ValueError("month out of range")
    if not 1 <= day <= 31:
        raise ValueError("day of month out of range")
    if not 0 <= hour <= 23:
        raise ValueError("hour out of range")
    if not 0 <= minute <= 59:
        raise ValueError("minute out of range")
    if not 0 <= second <= 61:
        raise ValueError("seconds out of range")
    if not 1 <= yearday <= 366:
        raise ValueError("day of year out of range")
    return year, month, day, hour, minute, second, weekday % 7, yearday


def strftime(form, t=None):
    if not isinstance(form, str):
        raise TypeError("strftime() argument 1 must be str, not %s" % type(form).__name__)
    t = localtime() if t is None else t
    _checked(t, "strftime")
    zone, offset = tzname[1 if t[8] > 0 else 0], -timezone
    if isinstance(t, struct_time) and t.tm_zone is not None:
        zone, offset = t.tm_zone, t.tm_gmtoff
    sign = "-" if offset < 0 else "+"
    text = "%s%02d%02d" % (sign, abs(offset) // 3600, abs(offset) // 60 % 60)
    return _format(form, _checked(t, "strftime"), 0, text, zone)


def strptime(text, form="%a %b %d %H:%M:%S %Y"):
    t, micro, offset, zone = _parse(text, form, tzname)
    flag = -1 if zone is None else 0
    return struct_time(t + (flag, zone, offset[0] if offset else None))


def asctime(t=None):
    y, mo, d, h, mi, s, w, _ = _checked(localtime() if t is None else t, "asctime")
    return "%s %s %2d %02d:%02d:%02d %d" % (DAYS[w][:3], MONTHS[mo - 1][:3], d, h, mi, s, y)


def ctime(seconds=None):
    return asctime(localtime(seconds))


_winter, _summer = _time.local(1704067200), _time.local(1719792000)
if _winter[8] > 0:
    _winter, _summer = _summer, _winter
timezone, altzone = -_winter[9], -_summer[9]
daylight = int(_winter[9] != _summer[9])
tzname = (_winter[10], _summer[10] if daylight else _winter[10])
