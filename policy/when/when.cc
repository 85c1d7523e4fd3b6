#include "policy/when/when.h"

#include <algorithm>
#include <array>

namespace ferry::when {
namespace {

constexpr int64_t kMinuteMs = 60'000;
// 1970-01-01 was a Thursday.
constexpr int64_t kEpochMinute = 3 * int64_t{kDayMinutes};
constexpr std::array<std::string_view, 7> kDayNames = {"Mon", "Tue", "Wed", "Thu",
                                                       "Fri", "Sat", "Sun"};

int64_t FloorDiv(int64_t value, int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

bool BeginsOn(const Window& window, int day) {
  return (window.days >> day & 1) != 0;
}

int LengthOf(const Window& window) {
  return window.to > window.from ? window.to - window.from : window.to + kDayMinutes - window.from;
}

std::string DayAndTime(int minute_of_week) {
  const int minute = minute_of_week % kDayMinutes;
  return fmt::format("{} {:02}:{:02}", kDayNames[static_cast<size_t>(minute_of_week / kDayMinutes)],
                     minute / 60, minute % 60);
}

}  // namespace

int MinuteOfWeek(int64_t unix_ms, int utc_offset_minutes) {
  const int64_t minutes = FloorDiv(unix_ms, kMinuteMs) + utc_offset_minutes + kEpochMinute;
  return static_cast<int>(minutes - FloorDiv(minutes, kWeekMinutes) * kWeekMinutes);
}

bool IsOpen(const std::vector<Window>& windows, int minute_of_week) {
  if (windows.empty()) return true;
  for (const Window& window : windows) {
    for (int day = 0; day < 7; ++day) {
      if (!BeginsOn(window, day)) continue;
      // How long ago it began, in a week that is a ring.
      const int begin = day * kDayMinutes + window.from;
      const int since = (minute_of_week - begin + kWeekMinutes) % kWeekMinutes;
      if (since < LengthOf(window)) return true;
    }
  }
  return false;
}

int64_t NextOpenMs(const std::vector<Window>& windows, int64_t unix_ms, int utc_offset_minutes) {
  const int now = MinuteOfWeek(unix_ms, utc_offset_minutes);
  if (IsOpen(windows, now)) return unix_ms;
  int wait = kWeekMinutes;
  for (const Window& window : windows) {
    for (int day = 0; day < 7; ++day) {
      if (!BeginsOn(window, day)) continue;
      const int begin = day * kDayMinutes + window.from;
      wait = std::min(wait, (begin - now + kWeekMinutes) % kWeekMinutes);
    }
  }
  return (FloorDiv(unix_ms, kMinuteMs) + wait) * kMinuteMs;
}

Answer MayStart(const When& when, const Host& host, int64_t now_ms) {
  Answer answer;
  if (when.deadline_ms > 0 && now_ms >= when.deadline_ms) {
    answer.may_start = false;
    answer.too_late = true;
    answer.why = "the deadline has passed";
    return answer;
  }
  const int offset = std::clamp(host.utc_offset_minutes, -kMaxOffsetMinutes, kMaxOffsetMinutes);
  const auto refuse = [&answer](std::string why) {
    answer.may_start = false;
    answer.why += (answer.why.empty() ? "" : "; ") + why;
  };
  if (!IsOpen(when.windows, MinuteOfWeek(now_ms, offset))) {
    answer.look_again_ms = NextOpenMs(when.windows, now_ms, offset);
    refuse("the window opens at " + DayAndTime(MinuteOfWeek(answer.look_again_ms, offset)));
  }
  if (when.idle && !host.idle) refuse("the device is in use");
  if (when.charging && !host.charging) refuse("the device is not charging");
  if (when.unmetered && !host.unmetered) refuse("the network is metered");
  return answer;
}

}  // namespace ferry::when
