"""Dates and times, by the proleptic Gregorian calendar."""
import math as _math
from operator import index as _index

import _days
import _time
from _timetext import (DAYS as _DAYS, MONTHS as _MONTHS, days_in_month as _days_in_month,
                       first_iso_monday as _first_iso_monday, format_time as _format_time,
                       from_ordinal as _from_ordinal, iso_calendar as _iso_calendar,
                       parse_time as _parse_time, to_ordinal as _to_ordinal)

__all__ = ("date", "datetime", "time", "timedelta", "timezone", "tzinfo", "MINYEAR", "MAXYEAR",
           "UTC")

MINYEAR, MAXYEAR = 1, 9999
_MAX_ORDINAL = 3652059
_DAY_US = 86400000000


def _name(self, plain):
    cls = type(self)
    return "datetime." + plain.__name__ if cls is plain else cls.__name__


def _half_away(x):
    whole = _math.floor(abs(x) + 0.5)
    return whole if x >= 0 else -whole


def _divide_half_even(a, b):
    q, r = divmod(a, b)
    r *= 2
    if (r > b if b > 0 else r < b) or (r == b and q % 2):
        q += 1
    return q


def _plural(n):
    return "" if abs(n) == 1 else "s"


class timedelta:
    __slots__ = ("_days", "_seconds", "_microseconds")

    def __new__(cls, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0,
                weeks=0):
        made = _days.new_delta(cls, days, seconds, microseconds, milliseconds, minutes, hours,
                               weeks)
        if made is not None:
            return made
        total = 0
        left = 0.0
        for name, value, factor in (("microseconds", microseconds, 1),
                                    ("milliseconds", milliseconds, 1000),
                                    ("seconds", seconds, 1000000),
                                    ("minutes", minutes, 60000000),
                                    ("hours", hours, 3600000000), ("days", days, _DAY_US),
                                    ("weeks", weeks, 7 * _DAY_US)):
            if isinstance(value, int):
                total += value * factor
            elif isinstance(value, float):
                part, whole = _math.modf(value)
                total += int(whole) * factor
                if part:
                    part, whole = _math.modf(part * factor)
                    total += int(whole)
                    left += part
            else:
                raise TypeError("unsupported type for timedelta %s component: %s"
                                % (name, type(value).__name__))
        if left:
            whole = _half_away(left)
            if abs(whole - left) == 0.5:
                odd = total & 1
                whole = 2 * _half_away((left + odd) * 0.5) - odd
            total += whole
        return _delta(total, cls)

    days = property(lambda self: self._days, None, None, "Number of days.")
    seconds = property(lambda self: self._seconds, None, None,
                       "Number of seconds (>= 0 and less than 1 day).")
    microseconds = property(lambda self: self._microseconds, None, None,
                            "Number of microseconds (>= 0 and less than 1 second).")

    def _us(self):
        return (self._days * 86400 + self._seconds) * 1000000 + self._microseconds

    def total_seconds(self):
        return self._us() / 10 ** 6

    def __repr__(self):
        parts = []
        if self._days:
            parts.append("days=%d" % self._days)
        if self._seconds:
            parts.append("seconds=%d" % self._seconds)
        if self._microseconds:
            parts.append("microseconds=%d" % self._microseconds)
        return "%s(%s)" % (_name(self, timedelta), ", ".join(parts) or "0")

    def __str__(self):
        minutes, seconds = divmod(self._seconds, 60)
        text = "%d:%02d:%02d" % (minutes // 60, minutes % 60, seconds)
        if self._days:
            text = "%d day%s, %s" % (self._days, _plural(self._days), text)
        if self._microseconds:
            text += ".%06d" % self._microseconds
        return text

    def __add__(self, other):
        if isinstance(other, timedelta):
            return _days.added(self, other, 1, timedelta)
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return _days.added(self, other, -1, timedelta)
        return NotImplemented

    def __rsub__(self, other):
        if isinstance(other, timedelta):
            return _days.added(other, self, -1, timedelta)
        return NotImplemented

    def __neg__(self):
        return _delta(-self._us())

    def __pos__(self):
        return _delta(self._us())

    def __abs__(self):
        return _delta(abs(self._us()))

    def __mul__(self, other):
        if isinstance(other, int):
            return _delta(self._us() * other)
        if isinstance(other, float):
            a, b = other.as_integer_ratio()
            return _delta(_divide_half_even(self._us() * a, b))
        return NotImplemented

    __rmul__ = __mul__

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return self._us() // other._us()
        if isinstance(other, int):
            return _delta(self._us() // other)
        return NotImplemented

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return self._us() / other._us()
        if isinstance(other, int):
            if other == 0:
                raise ZeroDivisionError("integer division or modulo by zero")
            return _delta(_divide_half_even(self._us(), other))
        if isinstance(other, float):
            a, b = other.as_integer_ratio()
            if a == 0:
                raise ZeroDivisionError("integer division or modulo by zero")
            return _delta(_divide_half_even(b * self._us(), a))
        return NotImplemented

    def __mod__(self, other):
        if isinstance(other, timedelta):
            return _delta(self._us() % other._us())
        return NotImplemented

    def __divmod__(self, other):
        if isinstance(other, timedelta):
            q, r = divmod(self._us(), other._us())
            return q, _delta(r)
        return NotImplemented

    def __eq__(self, other):
        return (_days.order(self, other, 0) == 0 if isinstance(other, timedelta)
                else NotImplemented)

    def __lt__(self, other):
        return (_days.order(self, other, 0) < 0 if isinstance(other, timedelta)
                else NotImplemented)

    def __le__(self, other):
        return (_days.order(self, other, 0) <= 0 if isinstance(other, timedelta)
                else NotImplemented)

    def __gt__(self, other):
        return (_days.order(self, other, 0) > 0 if isinstance(other, timedelta)
                else NotImplemented)

    def __ge__(self, other):
        return (_days.order(self, other, 0) >= 0 if isinstance(other, timedelta)
                else NotImplemented)

    def __hash__(self):
        return hash((self._days, self._seconds, self._microseconds))

    def __bool__(self):
        return self._us() != 0

    def __reduce__(self):
        return type(self), (self._days, self._seconds, self._microseconds)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _delta(us, cls=timedelta):
    days, us = divmod(us, _DAY_US)
    if abs(days) > 2147483647:
        raise OverflowError("Python int too large to convert to C int")
    if not -999999999 <= days <= 999999999:
        raise OverflowError("days=%d; must have magnitude <= 999999999" % days)
    self = object.__new__(cls)
    self._days = days
    self._seconds, self._microseconds = divmod(us, 1000000)
    return self


timedelta.min = timedelta(-999999999)
timedelta.max = timedelta(days=999999999, hours=23, minutes=59, seconds=59, microseconds=999999)
timedelta.resolution = timedelta(microseconds=1)


def _check_time(hour, minute, second, micro, fold):
    hour, minute, second, micro = _index(hour), _index(minute), _index(second), _index(micro)
    if not 0 <= hour <= 23:
        raise ValueError("hour must be in 0..23")
    if not 0 <= minute <= 59:
        raise ValueError("minute must be in 0..59")
    if not 0 <= second <= 59:
        raise ValueError("second must be in 0..59")
    if not 0 <= micro <= 999999:
        raise ValueError("microsecond must be in 0..999999")
    if fold not in (0, 1):
        raise ValueError("fold must be either 0 or 1")
    return hour, minute, second, micro


def _check_zone(tz):
    if tz is not None and not isinstance(tz, tzinfo):
        raise TypeError("tzinfo argument must be None or of a tzinfo subclass, not type '%s'"
                        % type(tz).__name__)


def _zone_name(tz, dt):
    name = None if tz is None else tz.tzname(dt)
    if name is not None and not isinstance(name, str):
        raise TypeError("tzinfo.tzname() must return None or a string, not '%s'"
                        % type(name).__name__)
    return name


def _check_offset(name, offset):
    if offset is None:
        return
    if not isinstance(offset, timedelta):
        raise TypeError("tzinfo.%s() must return None or timedelta, not '%s'"
                        % (name, type(offset).__name__))
    if not -timedelta(1) < offset < timedelta(1):
        raise ValueError("offset must be a timedelta strictly between -timedelta(hours=24) and "
                         "timedelta(hours=24).")


def _offset_text(offset, separator=":"):
    if offset is None:
        return ""
    sign = "-" if offset.days < 0 else "+"
    offset = abs(offset)
    hours, rest = divmod(offset.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    text = "%s%02d%s%02d" % (sign, hours, separator, minutes)
    if seconds or offset.microseconds:
        text += "%s%02d" % (separator, seconds)
        if offset.microseconds:
            text += ".%06d" % offset.microseconds
    return text


def _time_text(hour, minute, second, micro, spec):
    if not isinstance(spec, str):
        raise TypeError("isoformat() argument 1 must be str, not %s" % type(spec).__name__)
    if spec == "auto":
        spec = "microseconds" if micro else "seconds"
    if spec == "hours":
        return "%02d" % hour
    if spec == "minutes":
        return "%02d:%02d" % (hour, minute)
    if spec == "seconds":
        return "%02d:%02d:%02d" % (hour, minute, second)
    if spec == "milliseconds":
        return "%02d:%02d:%02d.%03d" % (hour, minute, second, micro // 1000)
    if spec == "microseconds":
        return "%02d:%02d:%02d.%06d" % (hour, minute, second, micro)
    raise ValueError("Unknown timespec value")


def _number(text, at, count):
    part = text[at:at + count]
    if len(part) != count or not (part.isascii() and part.isdigit()):
        raise ValueError
    return int(part)


def _iso_date(text):
    """YYYY-MM-DD, YYYYMMDD, YYYY-Www-D and its shorter forms; ValueError."""
    year = _number(text, 0, 4)
    dash = text[4:5] == "-"
    at = 5 if dash else 4
    if text[at:at + 1] == "W":
        week = _number(text, at + 1, 2)
        at += 3
        day = 1
        if at < len(text):
            if (text[at] == "-") != dash:
                raise ValueError
            at += dash
            day = _number(text, at, 1)
            at += 1
        if at != len(text):
            raise ValueError
        return _from_iso_week(year, week, day)
    month = _number(text, at, 2)
    at += 2
    if (text[at:at + 1] == "-") != dash:
        raise ValueError
    at += dash
    day = _number(text, at, 2)
    if at + 2 != len(text):
        raise ValueError
    return year, month, day


def _clock(text):
    """HH[:MM[:SS[.ffffff]]] or without colons: four numbers."""
    parts = [0, 0, 0]
    at = 0
    colon = text[2:3] == ":"
    for i in range(3):
        parts[i] = _number(text, at, 2)
        at += 2
        if at >= len(text):
            return parts[0], parts[1], parts[2], 0
        if i < 2:
            if colon:
                if text[at] != ":":
                    raise ValueError
                at += 1
    if text[at] not in ".,":
        raise ValueError
    digits = text[at + 1:]
    if not digits or not (digits.isascii() and digits.isdigit()):
        raise ValueError
    return parts[0], parts[1], parts[2], int(digits[:6].ljust(6, "0"))


def _iso_time(text):
    """Hour, minute, second, microsecond and a timezone or None."""
    zone = None
    place = max(text.find("+"), text.find("-"), text.find("Z"))
    if place >= 0:
        tail = text[place + 1:]
        if text[place] == "Z":
            if tail:
                raise ValueError
            zone = timezone.utc
        else:
            h, m, s, us = _clock(tail)
            if len(tail) in (1, 3):
                raise ValueError
            offset = timedelta(hours=h, minutes=m, seconds=s, microseconds=us)
            if text[place] == "-":
                offset = -offset
            zone = timezone(offset) if offset else timezone.utc
            if not offset.seconds % 60 and not offset.microseconds:
                _zones[offset.days * 1440 + offset.seconds // 60] = zone
        text = text[:place]
    return _clock(text) + (zone,)


def _from_iso_week(year, week, day):
    if not MINYEAR <= year <= MAXYEAR:
        raise ValueError("Year is out of range: %d" % year)
    if not 0 < week < 53:
        first = (_to_ordinal(year, 1, 1) + 6) % 7
        leap = _days_in_month(year, 2) == 29
        if week != 53 or not (first == 3 or (first == 2 and leap)):
            raise ValueError("Invalid week: %d" % week)
    if not 0 < day < 8:
        raise ValueError("Invalid day: %d (range is [1, 7])" % day)
    return _from_ordinal(_first_iso_monday(year) + (week - 1) * 7 + day - 1)


def _missing(year, month):
    raise TypeError("function missing required argument '%s' (pos %d)"
                    % (("year", 1) if year is None else ("month", 2) if month is None
                       else ("day", 3)))


def _plain_date(v):
    return isinstance(v, date) and not isinstance(v, datetime)


class IsoCalendarDate(tuple):
    __slots__ = ()
    year = property(lambda self: self[0])
    week = property(lambda self: self[1])
    weekday = property(lambda self: self[2])

    def __repr__(self):
        return "datetime.IsoCalendarDate(year=%s, week=%s, weekday=%s)" % tuple(self)


class date:
    __slots__ = ("_year", "_month", "_day")

    def __new__(cls, year=None, month=None, day=None):
        if month is None or day is None or year is None:
            _missing(year, month)
        return _days.new_date(cls, year, month, day)

    @classmethod
    def today(cls):
        return cls.fromtimestamp(_time.time())

    @classmethod
    def fromtimestamp(cls, t):
        return cls(*_time.local(_timestamp_us(t) // 1000000)[:3])

    @classmethod
    def fromordinal(cls, n):
        n = _index(n)
        if n < 1:
            raise ValueError("ordinal must be >= 1")
        if n > _MAX_ORDINAL:
            raise ValueError("year 10000 is out of range")
        return cls(*_from_ordinal(n))

    @classmethod
    def fromisoformat(cls, text):
        if not isinstance(text, str):
            raise TypeError("fromisoformat: argument must be str")
        if len(text) == 10 and (parts := _days.iso(text)) is not None:
            return cls(*parts[:3])
        try:
            if len(text) not in (7, 8, 10):
                raise ValueError
            parts = _iso_date(text)
        except ValueError as error:
            if error.args:
                raise
            raise ValueError("Invalid isoformat string: %r" % text) from None
        return cls(*parts)

    @classmethod
    def fromisocalendar(cls, year, week, day):
        year, week, day = _index(year), _index(week), _index(day)
        return cls(*_from_iso_week(year, week, day))

    year = property(lambda self: self._year)
    month = property(lambda self: self._month)
    day = property(lambda self: self._day)

    def __repr__(self):
        return "%s(%d, %d, %d)" % (_name(self, date), self._year, self._month, self._day)

    def isoformat(self):
        return "%04d-%02d-%02d" % (self._year, self._month, self._day)

    __str__ = isoformat

    def ctime(self):
        return "%s %s %2d 00:00:00 %04d" % (_DAYS[self.weekday()][:3],
                                            _MONTHS[self._month - 1][:3], self._day, self._year)

    def strftime(self, form):
        return _format_time(form, self._fields())

    def __format__(self, form):
        if not isinstance(form, str):
            raise TypeError("__format__() argument 1 must be str, not %s" % type(form).__name__)
        return self.strftime(form) if form else str(self)

    def _fields(self):
        return (self._year, self._month, self._day, 0, 0, 0, self.weekday(), self._yearday())

    def _yearday(self):
        return self.toordinal() - _to_ordinal(self._year, 1, 1) + 1

    def timetuple(self):
        from time import struct_time
        return struct_time(self._fields() + (-1,))

    toordinal = _days.toordinal
    weekday = _days.weekday

    def isoweekday(self):
        return self.weekday() + 1

    def isocalendar(self):
        return IsoCalendarDate(_iso_calendar(self._year, self._month, self._day))

    def replace(self, year=None, month=None, day=None):
        return type(self)(self._year if year is None else year,
                          self._month if month is None else month,
                          self._day if day is None else day)

    def __eq__(self, other):
        return _days.order(self, other, 3) == 0 if _plain_date(other) else NotImplemented

    def __lt__(self, other):
        return _days.order(self, other, 3) < 0 if _plain_date(other) else NotImplemented

    def __le__(self, other):
        return _days.order(self, other, 3) <= 0 if _plain_date(other) else NotImplemented

    def __gt__(self, other):
        return _days.order(self, other, 3) > 0 if _plain_date(other) else NotImplemented

    def __ge__(self, other):
        return _days.order(self, other, 3) >= 0 if _plain_date(other) else NotImplemented

    def __hash__(self):
        return hash((self._year, self._month, self._day))

    def __add__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        return _days.after(self, other.days, _date_class)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return _days.after(self, -other.days, _date_class)
        if _plain_date(other):
            return _days.new_delta(timedelta, self.toordinal() - other.toordinal(), 0, 0, 0, 0, 0,
                                   0)
        return NotImplemented

    def __reduce__(self):
        return type(self), (self._year, self._month, self._day)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


date.min, date.max = date(1, 1, 1), date(9999, 12, 31)
date.resolution = timedelta(days=1)


class tzinfo:
    __slots__ = ()

    def tzname(self, dt):
        raise NotImplementedError("a tzinfo subclass must implement tzname()")

    def utcoffset(self, dt):
        raise NotImplementedError("a tzinfo subclass must implement utcoffset()")

    def dst(self, dt):
        raise NotImplementedError("a tzinfo subclass must implement dst()")

    def fromutc(self, dt):
        if not isinstance(dt, datetime):
            raise TypeError("fromutc: argument must be a datetime")
        if dt.tzinfo is not self:
            raise ValueError("fromutc: dt.tzinfo is not self")
        offset = dt.utcoffset()
        if offset is None:
            raise ValueError("fromutc: non-None utcoffset() result required")
        dst = dt.dst()
        if dst is None:
            raise ValueError("fromutc: non-None dst() result required")
        delta = offset - dst
        if delta:
            dt += delta
            dst = dt.dst()
            if dst is None:
                raise ValueError("fromutc: tz.dst() gave inconsistent results; cannot convert")
        return dt + dst


class timezone(tzinfo):
    __slots__ = ("_offset", "_name")

    def __new__(cls, offset, name=_time):
        if not isinstance(offset, timedelta):
            raise TypeError("timezone() argument 1 must be datetime.timedelta, not %s"
                            % type(offset).__name__)
        if name is _time:
            if not offset:
                return cls.utc
            name = None
        elif not isinstance(name, str):
            raise TypeError("timezone() argument 2 must be str, not %s" % type(name).__name__)
        if not -timedelta(1) < offset < timedelta(1):
            raise ValueError("offset must be a timedelta strictly between -timedelta(hours=24) "
                             "and timedelta(hours=24), not %r." % offset)
        return cls._make(offset, name)

    @classmethod
    def _make(cls, offset, name=None):
        self = tzinfo.__new__(cls)
        self._offset, self._name = offset, name
        return self

    def __eq__(self, other):
        return self._offset == other._offset if isinstance(other, timezone) else NotImplemented

    def __hash__(self):
        return hash(self._offset)

    def __repr__(self):
        if self is timezone.utc:
            return "datetime.timezone.utc"
        if self._name is None:
            return "datetime.timezone(%r)" % self._offset
        return "datetime.timezone(%r, %r)" % (self._offset, self._name)

    def __str__(self):
        return self.tzname(None)

    def _checked(self, dt, name):
        if dt is not None and not isinstance(dt, datetime):
            raise TypeError("%s(dt) argument must be a datetime instance or None, not %s"
                            % (name, type(dt).__name__))

    def utcoffset(self, dt):
        self._checked(dt, "utcoffset")
        return self._offset

    def tzname(self, dt):
        self._checked(dt, "tzname")
        if self._name is not None:
            return self._name
        return "UTC" + _offset_text(self._offset) if self._offset else "UTC"

    def dst(self, dt):
        self._checked(dt, "dst")
        return None

    def fromutc(self, dt):
        if not isinstance(dt, datetime):
            raise TypeError("fromutc: argument must be a datetime")
        if dt.tzinfo is not self:
            raise ValueError("fromutc: dt.tzinfo is not self")
        return dt + self._offset

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return timezone, (self._offset,) if self._name is None else (self._offset, self._name)


UTC = timezone.utc = timezone._make(timedelta(0))
timezone.min = timezone._make(-timedelta(hours=23, minutes=59))
timezone.max = timezone._make(timedelta(hours=23, minutes=59))


class time:
    __slots__ = ("_hour", "_minute", "_second", "_microsecond", "_tzinfo", "_fold")

    def __new__(cls, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0):
        parts = _check_time(hour, minute, second, microsecond, fold)
        _check_zone(tzinfo)
        self = object.__new__(cls)
        self._hour, self._minute, self._second, self._microsecond = parts
        self._tzinfo = tzinfo
        self._fold = fold
        return self

    hour = property(lambda self: self._hour)
    minute = property(lambda self: self._minute)
    second = property(lambda self: self._second)
    microsecond = property(lambda self: self._microsecond)
    tzinfo = property(lambda self: self._tzinfo)
    fold = property(lambda self: self._fold)

    @classmethod
    def fromisoformat(cls, text):
        if not isinstance(text, str):
            raise TypeError("fromisoformat: argument must be str")
        try:
            h, m, s, us, zone = _iso_time(text[1:] if text.startswith("T") else text)
        except ValueError as error:
            if error.args:
                raise
            raise ValueError("Invalid isoformat string: %r" % text) from None
        return cls(h, m, s, us, zone)

    def _us(self):
        """Microseconds of the day, at UTC when the offset is known."""
        us = ((self._hour * 60 + self._minute) * 60 + self._second) * 1000000 + self._microsecond
        offset = self.utcoffset()
        return us if offset is None else us - offset._us()

    def _order(self, other, equality):
        mine, others = self.utcoffset(), other.utcoffset()
        if (mine is None) != (others is None):
            if equality:
                return 2
            raise TypeError("can't compare offset-naive and offset-aware times")
        a, b = self._us(), other._us()
        return -1 if a < b else int(a > b)

    def __eq__(self, other):
        return self._order(other, True) == 0 if isinstance(other, time) else NotImplemented

    def __lt__(self, other):
        return self._order(other, False) < 0 if isinstance(other, time) else NotImplemented

    def __le__(self, other):
        return self._order(other, False) <= 0 if isinstance(other, time) else NotImplemented

    def __gt__(self, other):
        return self._order(other, False) > 0 if isinstance(other, time) else NotImplemented

    def __ge__(self, other):
        return self._order(other, False) >= 0 if isinstance(other, time) else NotImplemented

    def __hash__(self):
        return hash((self._us(), self.utcoffset() is None))

    def __repr__(self):
        parts = [self._hour, self._minute]
        if self._second or self._microsecond:
            parts.append(self._second)
        if self._microsecond:
            parts.append(self._microsecond)
        text = ", ".join("%d" % part for part in parts)
        if self._tzinfo is not None:
            text += ", tzinfo=%r" % self._tzinfo
        if self._fold:
            text += ", fold=1"
        return "%s(%s)" % (_name(self, time), text)

    def isoformat(self, timespec="auto"):
        return (_time_text(self._hour, self._minute, self._second, self._microsecond, timespec)
                + _offset_text(self.utcoffset()))

    def __str__(self):
        return self.isoformat()

    def strftime(self, form):
        return _format_time(form, (1900, 1, 1, self._hour, self._minute, self._second, 0, 1),
                            self._microsecond, _offset_text(self.utcoffset(), ""),
                            self.tzname() or "")

    def __format__(self, form):
        if not isinstance(form, str):
            raise TypeError("__format__() argument 1 must be str, not %s" % type(form).__name__)
        return self.strftime(form) if form else str(self)

    def utcoffset(self):
        if self._tzinfo is None:
            return None
        offset = self._tzinfo.utcoffset(None)
        _check_offset("utcoffset", offset)
        return offset

    def tzname(self):
        return _zone_name(self._tzinfo, None)

    def dst(self):
        if self._tzinfo is None:
            return None
        offset = self._tzinfo.dst(None)
        _check_offset("dst", offset)
        return offset

    def replace(self, hour=None, minute=None, second=None, microsecond=None, tzinfo=True, *,
                fold=None):
        return type(self)(self._hour if hour is None else hour,
                          self._minute if minute is None else minute,
                          self._second if second is None else second,
                          self._microsecond if microsecond is None else microsecond,
                          self._tzinfo if tzinfo is True else tzinfo,
                          fold=self._fold if fold is None else fold)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


_time_class = time
time.min, time.max = time(0, 0, 0), time(23, 59, 59, 999999)
time.resolution = timedelta(microseconds=1)
_EPOCH = 719163


# The zones that were read, by minutes.
_zones = {0: timezone.utc}


class datetime(date):
    __slots__ = ("_hour", "_minute", "_second", "_microsecond", "_tzinfo", "_fold")

    def __new__(cls, year=None, month=None, day=None, hour=0, minute=0, second=0, microsecond=0,
                tzinfo=None, *, fold=0):
        if month is None or day is None or year is None:
            _missing(year, month)
        self = _days.new_datetime(cls, year, month, day, hour, minute, second, microsecond,
                                  tzinfo, fold)
        if tzinfo is not None:
            _check_zone(tzinfo)
        return self

    hour = property(lambda self: self._hour)
    minute = property(lambda self: self._minute)
    second = property(lambda self: self._second)
    microsecond = property(lambda self: self._microsecond)
    tzinfo = property(lambda self: self._tzinfo)
    fold = property(lambda self: self._fold)

    @classmethod
    def _at(cls, t, utc, tz):
        """t in microseconds since 1970."""
        seconds, us = divmod(t, 1000000)
        if utc:
            days, rest = divmod(seconds, 86400)
            n = days + _EPOCH
            if not 0 < n <= _MAX_ORDINAL:
                raise ValueError("year %d is out of range"
                                 % (1970 + days * 400 // 146097))
            y, m, d = _from_ordinal(n)
            return cls(y, m, d, rest // 3600, rest // 60 % 60, rest % 60, us, tz)
        p = _time.local(seconds)
        return cls(p[0], p[1], p[2], p[3], p[4], min(p[5], 59), us, tz)

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        _check_zone(tz)
        us = _timestamp_us(timestamp)
        if tz is None:
            return cls._at(us, False, None)
        return tz.fromutc(cls._at(us, True, tz))

    @classmethod
    def utcfromtimestamp(cls, t):
        return cls._at(_timestamp_us(t), True, None)

    @classmethod
    def now(cls, tz=None):
        _check_zone(tz)
        us = _time.time_ns() // 1000
        return cls._at(us, False, None) if tz is None else tz.fromutc(cls._at(us, True, tz))

    @classmethod
    def utcnow(cls):
        return cls._at(_time.time_ns() // 1000, True, None)

    @classmethod
    def combine(cls, date, time, tzinfo=True):
        if not isinstance(date, _date_class):
            raise TypeError("combine() argument 1 must be datetime.date, not %s"
                            % type(date).__name__)
        if not isinstance(time, _time_class):
            raise TypeError("combine() argument 2 must be datetime.time, not %s"
                            % type(time).__name__)
        return cls(date.year, date.month, date.day, time.hour, time.minute, time.second,
                   time.microsecond, time.tzinfo if tzinfo is True else tzinfo, fold=time.fold)

    @classmethod
    def fromisoformat(cls, text):
        if not isinstance(text, str):
            raise TypeError("fromisoformat: argument must be str")
        if cls is datetime and (made := _days.iso_datetime(cls, text, _zones)) is not None:
            return made
        if (parts := _days.iso(text)) is not None:
            return cls(*parts)
        try:
            return cls._from_iso(text)
        except ValueError as error:
            if error.args:
                raise
            raise ValueError("Invalid isoformat string: %r" % text) from None

    @classmethod
    def _from_iso(cls, text):
        if len(text) < 7:
            raise ValueError
        # Where the date ends: it has seven, eight or ten characters.
        if text[4] == "-":
            if text[5:6] == "W":
                end = 10 if text[8:9] == "-" and text[9:10].isdigit() else 8
            else:
                end = 10
        elif text[4] == "W":
            end = 7
            while end < len(text) and text[end].isdigit():
                end += 1
            end = 7 if end >= 9 and end % 2 else min(end, 8)
        else:
            end = 8
        parts = _iso_date(text[:end])
        if len(text) <= end:
            if len(text) < end:
                raise ValueError
            return cls(*parts)
        h, m, s, us, zone = _iso_time(text[end + 1:])
        return cls(*parts, h, m, s, us, zone)

    @classmethod
    def strptime(cls, text, form):
        for place, given in ((1, text), (2, form)):
            if not isinstance(given, str):
                raise TypeError("strptime() argument %d must be str, not %s"
                                % (place, type(given).__name__))
        from time import tzname
        t, us, offset, zone = _parse_time(text, form, tzname)
        tz = None
        if offset is not None:
            delta = timedelta(seconds=offset[0], microseconds=offset[1])
            tz = timezone(delta, zone) if zone else timezone(delta)
        return cls(*t[:6], us, tz)

    def _fields(self):
        return (self._year, self._month, self._day, self._hour, self._minute, self._second,
                self.weekday(), self._yearday())

    def timetuple(self):
        from time import struct_time
        dst = self.dst()
        return struct_time(self._fields() + (-1 if dst is None else 1 if dst else 0,))

    def utctimetuple(self):
        from time import struct_time
        offset = self.utcoffset()
        return struct_time((self - offset if offset else self)._fields() + (0,))

    def _local_us(self):
        return (((self.toordinal() * 24 + self._hour) * 60 + self._minute) * 60
                + self._second) * 1000000 + self._microsecond

    def timestamp(self):
        if self._tzinfo is not None:
            return (self - _UNIX).total_seconds()
        f = self._fields()
        seconds = _time.from_local(*f[:6], -1)
        if self._fold:
            later = _time.from_local(*f[:6], 0)
            seconds = max(seconds, later) if _time.local(later)[3:6] == f[3:6] else seconds
        return seconds + self._microsecond / 1e6

    def date(self):
        return _date_class(self._year, self._month, self._day)

    def time(self):
        return _time_class(self._hour, self._minute, self._second, self._microsecond,
                           fold=self._fold)

    def timetz(self):
        return _time_class(self._hour, self._minute, self._second, self._microsecond,
                           self._tzinfo, fold=self._fold)

    def replace(self, year=None, month=None, day=None, hour=None, minute=None, second=None,
                microsecond=None, tzinfo=True, *, fold=None):
        return type(self)(self._year if year is None else year,
                          self._month if month is None else month,
                          self._day if day is None else day,
                          self._hour if hour is None else hour,
                          self._minute if minute is None else minute,
                          self._second if second is None else second,
                          self._microsecond if microsecond is None else microsecond,
                          self._tzinfo if tzinfo is True else tzinfo,
                          fold=self._fold if fold is None else fold)

    def _local_zone(self):
        seconds = (_math.floor(self.timestamp()) if self._tzinfo is None
                   else (self - _UNIX) // timedelta(seconds=1))
        p = _time.local(seconds)
        return timezone(timedelta(seconds=p[9]), p[10])

    def astimezone(self, tz=None):
        if tz is None:
            tz = self._local_zone()
        else:
            _check_zone(tz)
        mine = self._tzinfo
        if mine is None:
            mine = self._local_zone()
            offset = mine.utcoffset(self)
        else:
            offset = mine.utcoffset(self)
            if offset is None:
                mine = self.replace(tzinfo=None)._local_zone()
                offset = mine.utcoffset(self)
        if tz is mine:
            return self
        return tz.fromutc((self - offset).replace(tzinfo=tz))

    def ctime(self):
        return "%s %s %2d %02d:%02d:%02d %04d" % (
            _DAYS[self.weekday()][:3], _MONTHS[self._month - 1][:3], self._day, self._hour,
            self._minute, self._second, self._year)

    def isoformat(self, sep="T", timespec="auto"):
        if not isinstance(sep, str):
            raise TypeError("isoformat() argument 1 must be a unicode character, not %s"
                            % type(sep).__name__)
        if len(sep) != 1:
            raise TypeError("isoformat() argument 1 must be a unicode character, not str")
        return ("%04d-%02d-%02d%s" % (self._year, self._month, self._day, sep)
                + _time_text(self._hour, self._minute, self._second, self._microsecond, timespec)
                + _offset_text(self.utcoffset()))

    def __str__(self):
        return self.isoformat(" ")

    def __repr__(self):
        parts = [self._year, self._month, self._day, self._hour, self._minute]
        if self._second or self._microsecond:
            parts.append(self._second)
        if self._microsecond:
            parts.append(self._microsecond)
        text = ", ".join("%d" % part for part in parts)
        if self._fold:
            text += ", fold=1"
        if self._tzinfo is not None:
            text += ", tzinfo=%r" % self._tzinfo
        return "%s(%s)" % (_name(self, datetime), text)

    def strftime(self, form):
        return _format_time(form, self._fields(), self._microsecond,
                            _offset_text(self.utcoffset(), ""), self.tzname() or "")

    def utcoffset(self):
        if self._tzinfo is None:
            return None
        offset = self._tzinfo.utcoffset(self)
        _check_offset("utcoffset", offset)
        return offset

    def tzname(self):
        return _zone_name(self._tzinfo, self)

    def dst(self):
        if self._tzinfo is None:
            return None
        offset = self._tzinfo.dst(self)
        _check_offset("dst", offset)
        return offset

    def _order(self, other, equality):
        if self._tzinfo is not other._tzinfo:
            mine, others = self.utcoffset(), other.utcoffset()
            if (mine is None) != (others is None):
                if equality:
                    return 2
                raise TypeError("can't compare offset-naive and offset-aware datetimes")
            if mine is not None and mine != others:
                a, b = self._local_us() - mine._us(), other._local_us() - others._us()
                return -1 if a < b else int(a > b)
        return _days.order(self, other, 7)

    def _other(self, other):
        if isinstance(other, datetime):
            return True
        if isinstance(other, date):
            raise TypeError("can't compare %s to %s" % (_name(self, datetime),
                                                         _name(other, _date_class)))
        return False

    def __eq__(self, other):
        if isinstance(other, datetime):
            return self._order(other, True) == 0
        return False if isinstance(other, date) else NotImplemented

    def __lt__(self, other):
        return self._order(other, False) < 0 if self._other(other) else NotImplemented

    def __le__(self, other):
        return self._order(other, False) <= 0 if self._other(other) else NotImplemented

    def __gt__(self, other):
        return self._order(other, False) > 0 if self._other(other) else NotImplemented

    def __ge__(self, other):
        return self._order(other, False) >= 0 if self._other(other) else NotImplemented

    def __hash__(self):
        offset = (self.replace(fold=0) if self._fold else self).utcoffset()
        return hash(self._local_us() - (0 if offset is None else offset._us()))

    def __add__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        return _days.moved(self, other, 1, datetime)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return _days.moved(self, other, -1, datetime)
        if not isinstance(other, datetime):
            return NotImplemented
        if self._tzinfo is other._tzinfo:
            return _days.between(self, other, timedelta)
        difference = self._local_us() - other._local_us()
        mine, others = self.utcoffset(), other.utcoffset()
        if (mine is None) != (others is None):
            raise TypeError("can't subtract offset-naive and offset-aware datetimes")
        if mine is not None:
            difference += others._us() - mine._us()
        return _delta(difference)

    def __reduce__(self):
        parts = self._fields()[:6] + (self._microsecond,)
        return type(self), parts if self._tzinfo is None else parts + (self._tzinfo,)


def _timestamp_us(t):
    """Seconds as microseconds, halves to even."""
    if abs(t) > 1e17 if isinstance(t, (int, float)) else False:
        raise OverflowError("timestamp out of range for platform time_t")
    if isinstance(t, int):
        return t * 1000000
    if not isinstance(t, float):
        t = _index(t)
        return t * 1000000
    if t != t:
        raise ValueError("Invalid value NaN (not a number)")
    part, whole = _math.modf(t)
    return int(whole) * 1000000 + round(part * 1e6)


_date_class, _tzinfo_class = date, tzinfo
datetime.min = datetime(1, 1, 1)
datetime.max = datetime(9999, 12, 31, 23, 59, 59, 999999)
datetime.resolution = timedelta(microseconds=1)
_UNIX = datetime(1970, 1, 1, tzinfo=timezone.utc)
