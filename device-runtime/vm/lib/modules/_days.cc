// _days: what lib/py/datetime.py does most often. Its objects keep their parts in slots, in the
// order of their names. Scripts may write into these, so nothing here trusts them.
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

constexpr int64_t kLastDay = 3652059, kDaySeconds = 86400, kMillion = 1000000;
enum : uint32_t { kYear, kMonth, kDay, kHour, kMinute, kSecond, kMicro, kZone, kFold, kParts };
// Where they lie: _day, _month, _year; _fold, _hour, _microsecond, _minute, _second, _tzinfo.
constexpr uint8_t kSlots[kParts] = {2, 1, 0, 4, 6, 7, 5, 8, 3};
constexpr uint8_t kDeltaSlots[] = {0, 2, 1};  // _days, _microseconds, _seconds

int64_t FloorDivide(int64_t a, int64_t b, int64_t* rest) {
  int64_t q = a / b;
  *rest = a % b;
  if (*rest < 0) {
    *rest += b;
    --q;
  }
  return q;
}

bool IsLeap(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}
int64_t DaysBefore(int64_t year, int64_t month) {
  static constexpr int kBefore[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  return kBefore[month - 1] + (month > 2 && IsLeap(year));
}
bool ToOrdinal(Vm& vm, const int64_t* parts, int64_t* out) {
  if (parts[kMonth] < 1 || parts[kMonth] > 12)
    return !vm.Raise(Error::kValueError, "month must be in 1..12").empty();
  const int64_t y = parts[kYear] - 1;
  *out =
      y * 365 + y / 4 - y / 100 + y / 400 + DaysBefore(parts[kYear], parts[kMonth]) + parts[kDay];
  return true;
}
// `n` in [1, kLastDay].
void FromOrdinal(int64_t n, int64_t* parts) {
  int64_t year = (n - 1) * 400 / 146097 + 1;
  const auto before = [](int64_t y) {
    --y;
    return y * 365 + y / 4 - y / 100 + y / 400;
  };
  while (before(year) >= n) --year;
  while (before(year + 1) < n) ++year;
  const int64_t day = n - before(year);  // from 1
  int64_t month = std::min<int64_t>((day - 1) / 29 + 1, 12);
  while (DaysBefore(year, month) >= day) --month;
  parts[kYear] = year;
  parts[kMonth] = month;
  parts[kDay] = day - DaysBefore(year, month);
}

// The first `count` parts of an object, whole numbers.
bool Parts(Vm& vm, Value v, uint32_t count, int64_t* out, const uint8_t* slots = kSlots) {
  const uint32_t needed = count > 3 ? uint32_t{kParts} : 3;
  bool ok = Is(v, Type::kInstance) && As<Instance>(v)->shape->count >= needed;
  for (uint32_t i = 0; ok && i < count; ++i) {
    const Value part = As<Instance>(v)->slots[slots[i]];
    ok = part.IsSmallInt();
    if (ok) out[i] = part.AsSmallInt();
  }
  if (!ok) vm.Raise(Error::kTypeError, "not a date or time");
  return ok;
}

// An object of the class; `zone` and `fold` are those of a datetime.
Value Filled(Vm& vm, Value cls, const int64_t* parts, uint32_t count, Value zone = Value(),
             Value fold = Value(), const uint8_t* places = kSlots) {
  const uint32_t needed = zone.empty() ? count : uint32_t{kParts};
  if (!Is(cls, Type::kClass) || As<Class>(cls)->layout != Type::kInstance ||
      As<Class>(cls)->members < needed)
    return vm.Raise(Error::kTypeError, "not a class of dates or times");
  const Value made = NewInstance(vm, As<Class>(cls));
  if (made.empty()) return made;
  Value* slots = As<Instance>(made)->slots;
  for (uint32_t i = 0; i < count; ++i) slots[places[i]] = Value::SmallInt(parts[i]);
  if (!zone.empty()) {
    slots[places[kZone]] = zone;
    slots[places[kFold]] = fold;
  }
  return made;
}

Value Delta(Vm& vm, Value cls, int64_t days, int64_t seconds, int64_t micros) {
  int64_t parts[3];
  seconds += FloorDivide(micros, kMillion, &parts[2]);
  parts[0] = days + FloorDivide(seconds, kDaySeconds, &parts[1]);
  if (parts[0] < INT32_MIN || parts[0] > INT32_MAX)
    return vm.Raise(Error::kOverflowError, "Python int too large to convert to C int");
  if (parts[0] < -999999999 || parts[0] > 999999999)
    return vm.Throw(Error::kOverflowError, "days={}; must have magnitude <= 999999999", parts[0]);
  return Filled(vm, cls, parts, 3, Value(), Value(), kDeltaSlots);
}

struct Range {
  const char* error;
  int64_t low, high;
};

// Whole numbers from `args`, in their ranges.
bool Checked(Vm& vm, const Args& args, uint32_t count, int64_t* parts) {
  static constexpr Range kRanges[] = {{"", 1, 9999},
                                      {"month must be in 1..12", 1, 12},
                                      {"day is out of range for month", 1, 31},
                                      {"hour must be in 0..23", 0, 23},
                                      {"minute must be in 0..59", 0, 59},
                                      {"second must be in 0..59", 0, 59},
                                      {"microsecond must be in 0..999999", 0, 999999}};
  for (uint32_t from = 0, to = 3; from < count; from = to, to = count) {
    for (uint32_t i = from; i < to; ++i)
      if (!vm.ToIndex(args[1 + i], &parts[i], "date", true)) return false;
    for (uint32_t i = from; i < to; ++i) {
      const Range& range = kRanges[i];
      int64_t high = range.high;
      if (i == kDay && parts[kMonth] < 12)
        high =
            DaysBefore(parts[kYear], parts[kMonth] + 1) - DaysBefore(parts[kYear], parts[kMonth]);
      if (parts[i] >= range.low && parts[i] <= high) continue;
      if (i == kYear) {
        vm.Throw(Error::kValueError, "year {} is out of range", parts[i]);
      } else {
        vm.Raise(Error::kValueError, range.error);
      }
      return false;
    }
  }
  return true;
}

// new_date(cls, year, month, day)
Value NewDate(Vm& vm, Args& args) {
  int64_t parts[3];
  return Expect(vm, args, "new_date", 4, 4) && Checked(vm, args, 3, parts)
             ? Filled(vm, args[0], parts, 3)
             : Value();
}
// new_datetime(cls, year .. microsecond, zone, fold)
Value NewDateTime(Vm& vm, Args& args) {
  int64_t parts[7], fold;
  if (!Expect(vm, args, "new_datetime", 10, 10) || !Checked(vm, args, 7, parts)) return Value();
  if (!SmallOf(args[9], &fold) || (fold != 0 && fold != 1))
    return vm.Raise(Error::kValueError, "fold must be either 0 or 1");
  return Filled(vm, args[0], parts, 7, args[8], args[9]);
}
// new_delta(cls, days, seconds, microseconds, milliseconds, minutes, hours, weeks); None: they are
// no small integers.
Value NewDelta(Vm& vm, Args& args) {
  int64_t n[7];
  if (!Expect(vm, args, "new_delta", 8, 8)) return Value();
  for (uint32_t i = 0; i < 7; ++i) {
    if (!args[i + 1].IsSmallInt()) return Value::None();
    n[i] = args[i + 1].AsSmallInt();
    if (std::abs(n[i]) >> 40 != 0) return Value::None();
  }
  return Delta(vm, args[0], n[0] + 7 * n[6], n[1] + 60 * n[4] + 3600 * n[5], n[2] + 1000 * n[3]);
}

Value OrdinalOf(Vm& vm, Args& args) {
  int64_t parts[3], n;
  return Expect(vm, args, "toordinal", 1, 1) && Parts(vm, args[0], 3, parts) &&
                 ToOrdinal(vm, parts, &n)
             ? Value::SmallInt(n)
             : Value();
}
Value Weekday(Vm& vm, Args& args) {
  const Value n = OrdinalOf(vm, args);
  return n.empty() ? n : Value::SmallInt((n.AsSmallInt() + 6) % 7);
}
// to_ordinal(year, month, day), from_ordinal(n): days since 31 December of the year 0.
Value OrdinalOfParts(Vm& vm, Args& args) {
  int64_t parts[3], n;
  if (!Expect(vm, args, "to_ordinal", 3, 3)) return Value();
  for (uint32_t i = 0; i < 3; ++i)
    if (!vm.ToIndex(args[i], &parts[i], "date", true)) return Value();
  if (parts[kYear] < -100000 || parts[kYear] > 100000 || std::abs(parts[kDay]) > kLastDay)
    return vm.Raise(Error::kValueError, "year is out of range");
  return ToOrdinal(vm, parts, &n) ? Value::SmallInt(n) : Value();
}
Value PartsOfOrdinal(Vm& vm, Args& args) {
  int64_t n, parts[3];
  if (!Expect(vm, args, "from_ordinal", 1, 1) || !vm.ToIndex(args[0], &n, "ordinal", true))
    return Value();
  if (n < 1 || n > kLastDay) return vm.Raise(Error::kValueError, "year is out of range");
  FromOrdinal(n, parts);
  const Value items[] = {Value::SmallInt(parts[0]), Value::SmallInt(parts[1]),
                         Value::SmallInt(parts[2])};
  return vm.NewTuple(items, 3);
}

// An object like `self` with other parts: of derived classes as a script would make it.
Value Like(Vm& vm, Value self, Value plain, const int64_t* parts, uint32_t count, Value zone) {
  Class* cls = vm.ClassOf(self);
  if (Value::Of(cls) == plain) return Filled(vm, plain, parts, count, zone, Value::SmallInt(0));
  Value all[kParts];
  for (uint32_t i = 0; i < count; ++i) all[i] = Value::SmallInt(parts[i]);
  if (!zone.empty()) all[count] = zone;
  return vm.Call(Value::Of(cls), all, count + !zone.empty());
}

// after(date, days, date's class), moved(datetime, timedelta, sign, datetime's class)
Value After(Vm& vm, Args& args) {
  int64_t parts[3], n, days;
  if (!Expect(vm, args, "after", 3, 3) || !vm.ToIndex(args[1], &days, "days", true) ||
      !Parts(vm, args[0], 3, parts) || !ToOrdinal(vm, parts, &n))
    return Value();
  if (std::abs(days) > kLastDay || n + days < 1 || n + days > kLastDay)
    return vm.Raise(Error::kOverflowError, "date value out of range");
  FromOrdinal(n + days, parts);
  return Like(vm, args[0], args[2], parts, 3, Value());
}
Value Moved(Vm& vm, Args& args) {
  int64_t parts[7], by[3], sign, days, rest;
  if (!Expect(vm, args, "moved", 4, 4) || !vm.ToIndex(args[2], &sign, "sign", true) ||
      !Parts(vm, args[0], 7, parts) || !Parts(vm, args[1], 3, by, kDeltaSlots) ||
      !ToOrdinal(vm, parts, &days))
    return Value();
  sign = sign < 0 ? -1 : 1;
  const int64_t micros = parts[kMicro] + sign * by[2];
  int64_t seconds = (parts[kHour] * 60 + parts[kMinute]) * 60 + parts[kSecond] + sign * by[1];
  seconds += FloorDivide(micros, kMillion, &parts[kMicro]);
  days += sign * by[0] + FloorDivide(seconds, kDaySeconds, &rest);
  if (days < 1 || days > kLastDay)
    return vm.Raise(Error::kOverflowError, "date value out of range");
  FromOrdinal(days, parts);
  parts[kHour] = rest / 3600;
  parts[kMinute] = rest / 60 % 60;
  parts[kSecond] = rest % 60;
  const Value zone = As<Instance>(args[0])->slots[kSlots[kZone]];
  return Like(vm, args[0], args[3], parts, 7, zone.empty() ? Value::None() : zone);
}

// between(datetime, datetime, timedelta's class): the difference, without zones.
Value Between(Vm& vm, Args& args) {
  int64_t a[7], b[7], m, n;
  if (!Expect(vm, args, "between", 3, 3) || !Parts(vm, args[0], 7, a) ||
      !Parts(vm, args[1], 7, b) || !ToOrdinal(vm, a, &m) || !ToOrdinal(vm, b, &n))
    return Value();
  const auto seconds = [](const int64_t* p) {
    return (p[kHour] * 60 + p[kMinute]) * 60 + p[kSecond];
  };
  return Delta(vm, args[2], m - n, seconds(a) - seconds(b), a[kMicro] - b[kMicro]);
}
// added(timedelta, timedelta, sign, class)
Value Added(Vm& vm, Args& args) {
  int64_t a[3], b[3], sign;
  if (!Expect(vm, args, "added", 4, 4) || !vm.ToIndex(args[2], &sign, "sign", true) ||
      !Parts(vm, args[0], 3, a, kDeltaSlots) || !Parts(vm, args[1], 3, b, kDeltaSlots))
    return Value();
  if (sign < 0)
    for (int64_t& part : b) part = -part;
  return Delta(vm, args[3], a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}
// order(a, b, parts): -1, 0 or 1; of two timedeltas with 0 parts.
Value Order(Vm& vm, Args& args) {
  int64_t a[7], b[7], count;
  if (!Expect(vm, args, "order", 3, 3) || !vm.ToIndex(args[2], &count, "parts", true))
    return Value();
  const uint32_t size = count == 7 ? 7 : 3;
  const uint8_t* slots = count == 0 ? kDeltaSlots : kSlots;
  if (!Parts(vm, args[0], size, a, slots) || !Parts(vm, args[1], size, b, slots)) return Value();
  for (uint32_t i = 0; i < size; ++i)
    if (a[i] != b[i]) return Value::SmallInt(a[i] < b[i] ? -1 : 1);
  return Value::SmallInt(0);
}

// The seven parts of "YYYY-MM-DD", "YYYY-MM-DDTHH:MM" and longer with seconds and three or six
// digits of them; false: something else.
bool ReadIso(std::string_view s, int64_t* parts) {
  // A digit of part 0 ...; what is no letter stands for itself, '*' for any character of ASCII.
  static constexpr std::string_view kForm = "aaaa-bb-cc*dd:ee:ff.gggggg";
  const size_t size = s.size();
  if (size != 10 && size != 16 && size != 19 && size != 23 && size != 26) return false;
  std::fill_n(parts, 7, 0);
  for (size_t i = 0; i < size; ++i) {
    if (kForm[i] >= 'a') {
      if (s[i] < '0' || s[i] > '9') return false;
      int64_t& part = parts[kForm[i] - 'a'];
      part = part * 10 + (s[i] - '0');
    } else if (kForm[i] == '*' ? static_cast<unsigned char>(s[i]) >= 0x80 : s[i] != kForm[i]) {
      return false;
    }
  }
  if (size == 23) parts[6] *= 1000;
  return true;
}

// Takes "Z" or "+HH:MM" off the end of what begins with "YYYY-MM-DDTHH:MM": its minutes; false:
// there is something else.
bool TakeOffset(std::string_view* s, int64_t* minutes) {
  const std::string_view all = *s;
  if (all.size() > 16 && all.back() == 'Z') {
    *minutes = 0;
    s->remove_suffix(1);
    return true;
  }
  if (all.size() < 22) return false;
  const std::string_view tail = all.substr(all.size() - 6);
  const auto digit = [&](size_t i) {
    return tail[i] >= '0' && tail[i] <= '9' ? tail[i] - '0' : 99;
  };
  const int hours = digit(1) * 10 + digit(2), rest = digit(4) * 10 + digit(5);
  if ((tail[0] != '+' && tail[0] != '-') || tail[3] != ':' || hours > 23 || rest > 59) return false;
  *minutes = (tail[0] == '-' ? -1 : 1) * (hours * 60 + rest);
  s->remove_suffix(6);
  return true;
}

// iso_datetime(class, text, zones): a datetime of the class itself, whose zone is that of the
// minutes in `zones`; None: text or zone are others.
Value IsoDateTime(Vm& vm, Args& args) {
  if (!Expect(vm, args, "iso_datetime", 3, 3) || !IsStr(args[1]) || !IsExact(args[2], Type::kDict))
    return Value::None();
  std::string_view s = Text(args[1]);
  int64_t parts[7], minutes;
  Value zone = Value::None(), given[8];
  if (TakeOffset(&s, &minutes)) {
    bool failed = false;
    const Value* known = vm.DictFind(As<Dict>(args[2]), Value::SmallInt(minutes), &failed);
    if (known == nullptr) return Value::None();
    zone = *known;
  }
  if (!ReadIso(s, parts)) return Value::None();
  for (size_t i = 0; i < 7; ++i) given[i + 1] = Value::SmallInt(parts[i]);
  return Checked(vm, {given, 8}, 7, parts) ? Filled(vm, args[0], parts, 7, zone, Value::SmallInt(0))
                                           : Value();
}

// iso(text): the seven parts, or None.
Value IsoParts(Vm& vm, Args& args) {
  int64_t parts[7];
  if (!Expect(vm, args, "iso", 1, 1) || !IsStr(args[0]) || !ReadIso(Text(args[0]), parts))
    return Value::None();
  Value values[7];
  for (size_t i = 0; i < 7; ++i) values[i] = Value::SmallInt(parts[i]);
  return vm.NewTuple(values, 7);
}

constexpr BuiltinRow kRows[] = {{"added", Added},
                                {"after", After, true},
                                {"between", Between},
                                {"from_ordinal", PartsOfOrdinal},
                                {"iso", IsoParts},
                                {"iso_datetime", IsoDateTime},
                                {"moved", Moved, true},
                                {"new_date", NewDate},
                                {"new_datetime", NewDateTime},
                                {"new_delta", NewDelta},
                                {"order", Order},
                                {"to_ordinal", OrdinalOfParts}};
constexpr BuiltinRow kMethods[] = {{"toordinal", OrdinalOf}, {"weekday", Weekday}};

}  // namespace

Value MakeDays(Vm& vm) {
  const Value module = MakeModule(vm, "_days", kRows);
  for (const BuiltinRow& row : kMethods) {
    const Value native =
        module.empty() ? module : vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty()) return native;
    As<Native>(native)->owner = vm.classes[kObjectClass];
    if (!vm.SetVariable(As<Module>(module), row.name, native)) return Value();
  }
  return module;
}

}  // namespace ferry::vm
