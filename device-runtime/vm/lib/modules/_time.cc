// The clocks below the modules time and datetime. That of the day is there when the host grants it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "common/sys/clock.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/real.h"

namespace ferry::vm {
namespace {

constexpr int64_t kNapNs = 2'000'000;  // between looks at the limits
constexpr double kLongestSleep = 1e9;  // seconds

Value MonotonicNs(Vm& vm, Args& args) {
  return Expect(vm, args, "monotonic_ns", 0, 0) ? vm.NewInt(vm.clock().MonotonicNs()) : Value();
}
Value Monotonic(Vm& vm, Args& args) {
  return Expect(vm, args, "monotonic", 0, 0)
             ? Value::Float(static_cast<double>(vm.clock().MonotonicNs()) * 1e-9)
             : Value();
}

bool Granted(Vm& vm) {
  if (vm.options.wall_clock) return true;
  vm.Raise(Error::kPermissionError, "this task is not granted the clock");
  return false;
}
// The machine's own has nanoseconds.
int64_t UnixNs(Vm& vm) {
  if (vm.options.clock != nullptr) return vm.options.clock->NowUnixMs() * 1'000'000;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}
Value Time(Vm& vm, Args& args) {
  if (!Expect(vm, args, "time", 0, 0) || !Granted(vm)) return Value();
  return Value::Float(static_cast<double>(UnixNs(vm)) / 1e9);
}
Value TimeNs(Vm& vm, Args& args) {
  if (!Expect(vm, args, "time_ns", 0, 0) || !Granted(vm)) return Value();
  return vm.NewInt(UnixNs(vm));
}

Value CpuNs(Vm& vm, Args& args) {
  timespec now{};
  if (!Expect(vm, args, "process_time_ns", 0, 0)) return Value();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return vm.NewInt(int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec);
}

Value Sleep(Vm& vm, Args& args) {
  double seconds;
  if (!Expect(vm, args, "sleep", 1, 1)) return Value();
  if (!ToReal(vm, args[0], &seconds)) {
    if (vm.TakePending(Error::kTypeError))
      vm.Throw(Error::kTypeError, "'{}' object cannot be interpreted as an integer",
               vm.TypeName(args[0]));
    return Value();
  }
  if (std::isnan(seconds)) return vm.Raise(Error::kValueError, "Invalid value NaN (not a number)");
  if (seconds < 0) return vm.Raise(Error::kValueError, "sleep length must be non-negative");
  if (seconds > kLongestSleep)
    return vm.Raise(Error::kOverflowError, "timestamp too large to convert to C _PyTime_t");
  const int64_t end = vm.clock().MonotonicNs() + static_cast<int64_t>(seconds * 1e9);
  for (;;) {
    const int64_t now = vm.clock().MonotonicNs();
    if (now >= end) return Value::None();
    if ((vm.interrupted || now >= vm.deadline_ns) && !vm.RefillSteps()) return Value();
    vm.Sleep(std::min(end - now, kNapNs));
  }
}

// (seconds since 1970) -> the nine fields of the local time, offset and name of the zone.
Value Local(Vm& vm, Args& args) {
  int64_t seconds;
  if (!Expect(vm, args, "local", 1, 1) || !vm.ToIndex(args[0], &seconds, "seconds")) return Value();
  const time_t when = seconds;
  tm parts{};
  if (localtime_r(&when, &parts) == nullptr)
    return vm.Raise(Error::kOverflowError, "timestamp out of range for platform time_t");
  const int64_t fields[] = {int64_t{parts.tm_year} + 1900,
                            parts.tm_mon + 1,
                            parts.tm_mday,
                            parts.tm_hour,
                            parts.tm_min,
                            parts.tm_sec,
                            (parts.tm_wday + 6) % 7,
                            parts.tm_yday + 1,
                            parts.tm_isdst,
                            parts.tm_gmtoff};
  Value values[11];
  for (size_t i = 0; i < 10; ++i) values[i] = Value::SmallInt(fields[i]);
  values[10] = vm.NewString(parts.tm_zone == nullptr ? "" : parts.tm_zone);
  return values[10].empty() ? Value() : vm.NewTuple(values, 11);
}

// Year, month, day, hour, minute, second, flag of summer time -> seconds since 1970.
Value FromLocal(Vm& vm, Args& args) {
  int64_t fields[7];
  if (!Expect(vm, args, "from_local", 7, 7)) return Value();
  for (uint32_t i = 0; i < 7; ++i) {
    if (!vm.ToIndex(args[i], &fields[i], "field")) return Value();
    if (std::abs(fields[i]) > INT32_MAX / 2)
      return vm.Raise(Error::kOverflowError, "mktime argument out of range");
  }
  tm parts{};
  parts.tm_year = static_cast<int>(fields[0] - 1900);
  parts.tm_mon = static_cast<int>(fields[1] - 1);
  parts.tm_mday = static_cast<int>(fields[2]);
  parts.tm_hour = static_cast<int>(fields[3]);
  parts.tm_min = static_cast<int>(fields[4]);
  parts.tm_sec = static_cast<int>(fields[5]);
  parts.tm_isdst = static_cast<int>(fields[6]);
  parts.tm_wday = -1;
  const time_t out = std::mktime(&parts);
  if (out == -1 && parts.tm_wday == -1)
    return vm.Raise(Error::kOverflowError, "mktime argument out of range");
  return vm.NewInt(out);
}

constexpr BuiltinRow kRows[] = {{"from_local", FromLocal},
                                {"local", Local},
                                {"monotonic", Monotonic},
                                {"monotonic_ns", MonotonicNs},
                                {"process_time_ns", CpuNs},
                                {"sleep", Sleep},
                                {"time", Time},
                                {"time_ns", TimeNs}};

}  // namespace

Value MakeTime(Vm& vm) {
  return MakeModule(vm, "_time", kRows);
}

}  // namespace ferry::vm
