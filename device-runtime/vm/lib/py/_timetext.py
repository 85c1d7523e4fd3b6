"""What time and datetime share: dates as days, strftime and strptime without a locale."""
from _days import from_ordinal, to_ordinal

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December"]


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year, month):
    if month == 2:
        return 29 if is_leap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def first_iso_monday(year):
    first = to_ordinal(year, 1, 1)
    weekday = (first + 6) % 7
    monday = first - weekday
    return monday + 7 if weekday > 3 else monday


def iso_calendar(year, month, day):
    today = to_ordinal(year, month, day)
    monday = first_iso_monday(year)
    if today < monday:
        year -= 1
        monday = first_iso_monday(year)
    elif today >= first_iso_monday(year + 1):
        year += 1
        monday = first_iso_monday(year)
    week, weekday = divmod(today - monday, 7)
    return year, week + 1, weekday + 1


def format_time(form, t, micro=0, offset="", zone="", colon_offset=""):
    """strftime of (year, month, day, hour, minute, second, weekday, day of year)."""
    year, month, day, hour, minute, second, weekday, yearday = t[:8]
    out = []
    i, n = 0, len(form)
    while i < n:
        c = form[i]
        i += 1
        if c != "%":
            out.append(c)
            continue
        if i >= n:
            out.append("%")
            break
        c = form[i]
        i += 1
        if c == "-" and i < n:
            text = format_time("%" + form[i], t, micro, offset, zone).lstrip("0")
            out.append(text or "0")
            i += 1
        elif c == "Y":
            out.append(str(year))
        elif c == "m":
            out.append("%02d" % month)
        elif c == "d":
            out.append("%02d" % day)
        elif c == "H":
            out.append("%02d" % hour)
        elif c == "M":
            out.append("%02d" % minute)
        elif c == "S":
            out.append("%02d" % second)
        elif c == "f":
            out.append("%06d" % micro)
        elif c == "z":
            out.append(offset)
        elif c == "Z":
            out.append(zone)
        elif c == "a":
            out.append(DAYS[weekday][:3])
        elif c == "A":
            out.append(DAYS[weekday])
        elif c == "b" or c == "h":
            out.append(MONTHS[month - 1][:3])
        elif c == "B":
            out.append(MONTHS[month - 1])
        elif c == "y":
            out.append("%02d" % (year % 100))
        elif c == "C":
            out.append("%02d" % (year // 100))
        elif c == "I":
            out.append("%02d" % (hour % 12 or 12))
        elif c == "l":
            out.append("%2d" % (hour % 12 or 12))
        elif c == "k":
            out.append("%2d" % hour)
        elif c == "p":
            out.append("AM" if hour < 12 else "PM")
        elif c == "P":
            out.append("am" if hour < 12 else "pm")
        elif c == "j":
            out.append("%03d" % yearday)
        elif c == "e":
            out.append("%2d" % day)
        elif c == "w":
            out.append(str((weekday + 1) % 7))
        elif c == "u":
            out.append(str(weekday + 1))
        elif c == "U":
            out.append("%02d" % ((yearday + 6 - (weekday + 1) % 7) // 7))
        elif c == "W":
            out.append("%02d" % ((yearday + 6 - weekday) // 7))
        elif c in "GVg":
            iso = iso_calendar(year, month, day)
            out.append("%d" % iso[0] if c == "G" else
                       "%02d" % (iso[1] if c == "V" else iso[0] % 100))
        elif c == "n":
            out.append("\n")
        elif c == "t":
            out.append("\t")
        elif c == "%":
            out.append("%")
        elif c in LONG:
            out.append(format_time(LONG[c], t, micro, offset, zone))
        else:
            out.append("%" + c)
    return "".join(out)


LONG = {"c": "%a %b %e %H:%M:%S %Y", "x": "%m/%d/%y", "X": "%H:%M:%S", "D": "%m/%d/%y",
        "F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M", "r": "%I:%M:%S %p"}
DIGITS = {"d": (2, 1, 31), "H": (2, 0, 23), "I": (2, 1, 12), "j": (3, 1, 366), "m": (2, 1, 12),
          "M": (2, 0, 59), "S": (2, 0, 61), "U": (2, 0, 53), "W": (2, 0, 53), "V": (2, 1, 53),
          "w": (1, 0, 6), "u": (1, 1, 7), "y": (2, 0, 99), "Y": (4, 0, 9999), "G": (4, 0, 9999)}
PARSED_LONG = {"c": "%a %b %d %H:%M:%S %Y", "x": "%m/%d/%y", "X": "%H:%M:%S"}


def _name(text, at, names):
    """The longest of the names at a place, without regard to case: its number and its end."""
    best = -1
    for number, name in enumerate(names):
        if (text[at:at + len(name)].lower() == name.lower() and name
                and (best < 0 or len(name) > len(names[best]))):
            best = number
    return (best, at + len(names[best])) if best >= 0 else None


def _zone(text, at):
    """Z, or a sign, hours, minutes, perhaps seconds: seconds and microseconds of the offset."""
    if text[at:at + 1] == "Z":
        return 0, 0, at + 1
    if text[at:at + 1] not in ("+", "-"):
        return None
    sign = -1 if text[at] == "-" else 1
    i = at + 1
    parts = []
    colon = text[i + 2:i + 3] == ":"
    while len(parts) < 3:
        if parts:
            if colon:
                if text[i:i + 1] != ":":
                    break
                two = text[i + 1:i + 3]
                step = 3
            else:
                two = text[i:i + 2]
                step = 2
        else:
            two = text[i:i + 2]
            step = 2
        if len(two) != 2 or not two.isdigit() or (parts and int(two) > 59):
            break
        parts.append(int(two))
        i += step
    if len(parts) < 2:
        return None
    micro = 0
    if len(parts) == 3 and text[i:i + 1] == ".":
        j = i + 1
        while j < len(text) and j < i + 7 and text[j].isdigit():
            j += 1
        micro = int(text[i + 1:j].ljust(6, "0")) if j > i + 1 else 0
        i = j if j > i + 1 else i
    seconds = parts[0] * 3600 + parts[1] * 60 + (parts[2] if len(parts) == 3 else 0)
    return sign * seconds, sign * micro, i


def _match(text, at, form, k, found):
    """Reads text from `at` by form from `k`; gives the end or None. Numbers may be shorter than
    their width when the rest asks for it, so this goes back."""
    while k < len(form):
        c = form[k]
        if c.isspace():
            while k < len(form) and form[k].isspace():
                k += 1
            if not text[at:at + 1].isspace():
                return None
            while text[at:at + 1].isspace():
                at += 1
            continue
        if c != "%":
            if text[at:at + 1].lower() != c.lower():
                return None
            at += 1
            k += 1
            continue
        d = form[k + 1]
        k += 2
        if d == "%":
            if text[at:at + 1] != "%":
                return None
            at += 1
        elif d in DIGITS:
            width, low, high = DIGITS[d]
            if d in "YG":
                lengths = [4]
            else:
                lengths = range(width, 0, -1)
            for length in lengths:
                part = text[at:at + length]
                if len(part) == length and part.isdigit() and low <= int(part) <= high:
                    mine = dict(found)
                    mine[d] = int(part)
                    end = _match(text, at + length, form, k, mine)
                    if end is not None:
                        found.update(mine)
                        return end
            return None
        elif d == "f":
            for length in range(6, 0, -1):
                part = text[at:at + length]
                if len(part) == length and part.isdigit():
                    mine = dict(found)
                    mine["f"] = int(part.ljust(6, "0"))
                    end = _match(text, at + length, form, k, mine)
                    if end is not None:
                        found.update(mine)
                        return end
            return None
        elif d in "aAbBp":
            names = {"a": [n[:3] for n in DAYS], "A": DAYS, "b": [n[:3] for n in MONTHS],
                     "B": MONTHS, "p": ["am", "pm"]}[d]
            hit = _name(text, at, names)
            if hit is None:
                return None
            found["a" if d in "aA" else "m" if d in "bB" else "p"] = \
                hit[0] + (d in "bB")
            at = hit[1]
        elif d == "z":
            hit = _zone(text, at)
            if hit is None:
                return None
            found["z"] = hit[:2]
            at = hit[2]
        elif d == "Z":
            hit = _name(text, at, ["utc", "gmt"] + [n.lower() for n in found["names"]])
            if hit is None:
                return None
            found["Z"] = text[at:hit[1]]
            at = hit[1]
    return at


def parse_time(text, form, names=()):
    """strptime: (year, month, day, hour, minute, second, weekday, day of year), microseconds,
    (seconds, microseconds) of the offset or None, name of the zone or None."""
    for what, value in (("0", text), ("1", form)):
        if not isinstance(value, str):
            raise TypeError("strptime() argument %s must be str, not %s" % (what, type(value)))
    full = form
    for c in PARSED_LONG:
        full = full.replace("%" + c, PARSED_LONG[c])
    i = 0
    while i < len(full):
        if full[i] == "%":
            if i + 1 >= len(full):
                raise ValueError("stray %% in format '%s'" % form)
            d = full[i + 1]
            if d not in DIGITS and d not in "fzZaAbBp%":
                raise ValueError("'%s' is a bad directive in format '%s'" % (d, form))
            i += 1
        i += 1
    found = {"names": names}
    end = _match(text, 0, full, 0, found)
    if end is None:
        raise ValueError("time data %r does not match format %r" % (text, form))
    if end != len(text):
        raise ValueError("unconverted data remains: %s" % text[end:])
    return _settle(found, form)


def _settle(found, form):
    year = found.get("Y")
    if year is None and "y" in found:
        year = found["y"] + (2000 if found["y"] <= 68 else 1900)
    month, day = found.get("m", 1), found.get("d", 1)
    hour = found.get("H", 0)
    if "I" in found:
        hour = found["I"] % 12 + (12 if found.get("p") == 1 else 0)
    weekday = found.get("a")
    if "w" in found:
        weekday = (found["w"] - 1) % 7
    if "u" in found:
        weekday = found["u"] - 1
    yearday = found.get("j")
    iso_year = found.get("G")
    if iso_year is not None:
        if "j" in found:
            raise ValueError("Day of the year directive '%j' is not compatible with ISO year "
                             "directive '%G'. Use '%Y' instead.")
        if "V" not in found or weekday is None:
            raise ValueError("ISO year directive '%G' must be used with the ISO week directive "
                             "'%V' and a weekday directive ('%A', '%a', '%w', or '%u').")
    elif "V" in found:
        if weekday is None:
            raise ValueError("ISO week directive '%V' must be used with the ISO year directive "
                             "'%G' and a weekday directive ('%A', '%a', '%w', or '%u').")
        raise ValueError("ISO week directive '%V' is incompatible with the year directive '%Y'. "
                         "Use the ISO year '%G' instead.")
    leap_without_year = False
    if year is None and month == 2 and day == 29:
        year = 1904
        leap_without_year = True
    elif year is None:
        year = 1900
    if yearday is None and weekday is not None:
        if "U" in found or "W" in found:
            first = (to_ordinal(year, 1, 1) + 6) % 7
            if "U" in found:
                first = (first + 1) % 7
                day_of_week = (weekday + 1) % 7
            else:
                day_of_week = weekday
            week = found["U"] if "U" in found else found["W"]
            before = (7 - first) % 7
            if week == 0:
                yearday = 1 + day_of_week - first
            else:
                yearday = 1 + before + 7 * (week - 1) + day_of_week
        elif iso_year is not None:
            ordinal = first_iso_monday(iso_year) + 7 * (found["V"] - 1) + weekday
            year, month, day = from_ordinal(ordinal)
            yearday = ordinal - to_ordinal(year, 1, 1) + 1
    if yearday is not None and "d" not in found and iso_year is None:
        year, month, day = from_ordinal(to_ordinal(year, 1, 1) + yearday - 1)
    if day > days_in_month(year, month):
        raise ValueError("day is out of range for month")
    ordinal = to_ordinal(year, month, day)
    if yearday is None:
        yearday = ordinal - to_ordinal(year, 1, 1) + 1
    weekday = (ordinal + 6) % 7
    if leap_without_year:
        year = 1900
    return ((year, month, day, hour, found.get("M", 0), found.get("S", 0), weekday, yearday),
            found.get("f", 0), found.get("z"), found.get("Z"))
