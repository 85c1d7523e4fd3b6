// Logging: one line to standard error, "2026-01-01T00:00:00.000Z W room: text". The level comes
// from FERRY_LOG (debug, info, warn, error, off), info unless told. Thin over spdlog, which only
// log.cc sees. Any thread.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace ferry {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };

void SetLogLevel(LogLevel level);
bool LogEnabled(LogLevel level);
void LogLine(LogLevel level, std::string_view room, std::string_view text);

template <typename... A>
void Log(LogLevel level, std::string_view room, fmt::format_string<A...> format, A&&... args) {
  if (LogEnabled(level)) LogLine(level, room, fmt::format(format, std::forward<A>(args)...));
}
template <typename... A>
void LogInfo(std::string_view room, fmt::format_string<A...> format, A&&... args) {
  Log(LogLevel::kInfo, room, format, std::forward<A>(args)...);
}
template <typename... A>
void LogWarn(std::string_view room, fmt::format_string<A...> format, A&&... args) {
  Log(LogLevel::kWarn, room, format, std::forward<A>(args)...);
}
template <typename... A>
void LogError(std::string_view room, fmt::format_string<A...> format, A&&... args) {
  Log(LogLevel::kError, room, format, std::forward<A>(args)...);
}

}  // namespace ferry
