// spdlog from its headers alone, with the {fmt} of formatting.cc: no library of either is needed.
#define SPDLOG_HEADER_ONLY
#define SPDLOG_FMT_EXTERNAL
#define SPDLOG_NO_EXCEPTIONS

#include "common/base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>

namespace ferry {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

std::shared_ptr<spdlog::logger> MakeLogger() {
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>("ferry", sink);
  logger->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      "%Y-%m-%dT%H:%M:%S.%eZ %L %v", spdlog::pattern_time_type::utc));
  const char* wanted = std::getenv("FERRY_LOG");
  logger->set_level(spdlog::level::from_str(wanted != nullptr ? wanted : "info"));
  logger->flush_on(spdlog::level::debug);
  return logger;
}

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = MakeLogger();
  return *logger;
}

}  // namespace

void SetLogLevel(LogLevel level) {
  Logger().set_level(ToSpdlog(level));
}

bool LogEnabled(LogLevel level) {
  return Logger().should_log(ToSpdlog(level));
}

void LogLine(LogLevel level, std::string_view room, std::string_view text) {
  // A text, not a pattern: spdlog would bring a copy of the formatter for that.
  Logger().log(ToSpdlog(level), fmt::format("{}: {}", room, text));
}

}  // namespace ferry
