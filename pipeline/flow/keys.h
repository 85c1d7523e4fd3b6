// How keys of state begin, by the part of a flow that they belong to. Internal to the room.
#pragma once

#include <string>
#include <string_view>

namespace ferry::flow {

inline constexpr char kTriggerKey[] = "t/";  // and the owner
inline constexpr char kPlainRulesKey[] = "r/";
inline constexpr char kRowRulesKey[] = "s/";
inline constexpr char kGraphKey[] = "g/";  // and the owner, and a zero byte
inline constexpr char kClockKey[] = "c/";  // and the period

inline std::string GraphKeyOf(std::string_view owner) {
  return std::string(kGraphKey).append(owner).append(1, '\0');
}

}  // namespace ferry::flow
