#include "common/trust/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace ferry::trust {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr int64_t kLastSecond = 253402300799;  // 9999-12-31T23:59:59Z

// The digits of text[from, from + count), or -1.
int Digits(std::string_view text, size_t from, size_t count) {
  int value = 0;
  for (size_t i = from; i < from + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

}  // namespace

std::string FormatTime(int64_t unix_ms) {
  const int64_t seconds = std::clamp<int64_t>(unix_ms / 1000, 0, kLastSecond);
  const std::chrono::year_month_day date{sys_days(days(seconds / 86400))};
  const int64_t rest = seconds % 86400;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     rest / 3600, rest / 60 % 60, rest % 60);
}

Result<int64_t> ParseTime(std::string_view text) {
  const Status bad =
      Status::Of(Code::kMalformed, "time \"{}\", wanted like 2026-01-31T00:00:00Z", text);
  if (text.size() != 20) return bad;
  const int year = Digits(text, 0, 4), month = Digits(text, 5, 2), day = Digits(text, 8, 2);
  const int hour = Digits(text, 11, 2), minute = Digits(text, 14, 2), second = Digits(text, 17, 2);
  if (year < 1970 || month < 1 || day < 1 || hour < 0 || minute < 0 || second < 0) return bad;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return bad;
  const int64_t seconds = int64_t{86400} * sys_days(date).time_since_epoch().count() + 3600 * hour +
                          60 * minute + second;
  // Writing it again settles separators and ranges in one comparison.
  if (FormatTime(seconds * 1000) != text) return bad;
  return seconds * 1000;
}

}  // namespace ferry::trust
