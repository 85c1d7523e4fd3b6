// When a device may install: windows of the week by its own clock and zone, what its host must be
// at, and a deadline. Pure. Source: own; the conditions are those of Android's JobScheduler
// (setRequiresDeviceIdle, setRequiresCharging, NETWORK_TYPE_UNMETERED).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::when {

inline constexpr size_t kMaxWindows = 32;
inline constexpr size_t kMaxWhenBytes = 4096;  // as JSON
inline constexpr int kDayMinutes = 24 * 60;
inline constexpr int kWeekMinutes = 7 * kDayMinutes;
inline constexpr int kMaxOffsetMinutes = 18 * 60;  // of a time zone, either way

// From `from` up to, but without, `to`; where `to` is not after `from` it ends on the next day.
struct Window {
  uint8_t days = 0x7f;  // on which it begins; bit 0 is Monday
  int from = 0;         // minutes since midnight
  int to = 0;
  bool operator==(const Window&) const = default;
};

struct When {
  std::vector<Window> windows;  // none: at any time
  bool idle = false;
  bool charging = false;
  bool unmetered = false;
  int64_t deadline_ms = 0;  // Unix time from which on nothing is started; 0: never
  bool empty() const { return *this == When(); }
  bool operator==(const When&) const = default;
};

// What the host says of itself at one moment.
struct Host {
  bool idle = true;
  bool charging = true;
  bool unmetered = true;
  int utc_offset_minutes = 0;  // of local time, as it is now: summer time is in it
};

// {"windows":[{"days":["mon",..],"from":"22:00","to":"06:00"}],"idle":bool,"charging":bool,
// "unmetered":bool,"deadline_ms":n}; every member but from and to may be missing. kMalformed names
// the member that is wrong, kLimitExceeded the one past a limit. Members that are not known are
// errors where an operator wrote them (`strict`), and nothing on a device.
Result<When> WhenFromJson(const Json& json, bool strict);
// The same from its text; an empty text is no condition at all.
Result<When> WhenFromText(std::string_view text, bool strict);
Json WhenToJson(const When& when);

// Minutes since Monday, 00:00, of local time.
int MinuteOfWeek(int64_t unix_ms, int utc_offset_minutes);
bool IsOpen(const std::vector<Window>& windows, int minute_of_week);
// When the next window opens, or `unix_ms` itself where one is open or there is none at all. Whole
// minutes; under the offset of now.
int64_t NextOpenMs(const std::vector<Window>& windows, int64_t unix_ms, int utc_offset_minutes);

struct Answer {
  bool may_start = true;
  bool too_late = false;  // past the deadline: it never will
  std::string why;        // "the window opens at Sat 22:00", "the device is in use"; what it is not
  int64_t look_again_ms = 0;  // Unix time before which windows change nothing; 0: at any time
};
Answer MayStart(const When& when, const Host& host, int64_t now_ms);

}  // namespace ferry::when
