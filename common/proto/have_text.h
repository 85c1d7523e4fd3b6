// Lines that an app carries between its device and the server inside of requests of its own: what
// the device has goes up, and what comes back says whether to pull. Letters, digits and dots alone,
// so that a line fits a header of HTTP or a query. Both sides read with what is here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::proto {

// "have1." and what the server sealed, in hex: a device keeps it and knows nothing of it but its
// name, the first letters after the mark, which no two texts of one server share.
inline constexpr std::string_view kHaveMark = "have1.";
inline constexpr size_t kHaveNameLetters = 24;
inline constexpr size_t kMaxHaveTextBytes = 256;

// The letters after the mark, or nothing where the text has another form.
std::string_view HaveBodyOf(std::string_view text);
// The name of a have text; empty where it has another form.
std::string_view HaveNameOf(std::string_view text);

// What answers a have text: pull at a moment of your choice within so many seconds.
struct TakeText {
  std::string name;  // of the have text that it answers
  int64_t within_s = 0;
  bool operator==(const TakeText&) const = default;
};
inline constexpr std::string_view kTakeMark = "take1.";
inline constexpr int64_t kMaxTakeS = 3600;

// "take1.<seconds>.<name>".
std::string ToText(const TakeText& take);
// kMalformed for anything that ToText would not write.
Result<TakeText> TakeFromText(std::string_view text);

}  // namespace ferry::proto
