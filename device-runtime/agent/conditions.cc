#include "device-runtime/agent/conditions.h"

#include <cstdlib>
#include <ctime>

#include "common/base/json.h"
#include "common/base/log.h"

namespace ferry::agent {
namespace {

// The first line of a small file; empty when it cannot be read.
std::string LineOf(sys::FileSystem& fs, const std::string& path) {
  const auto bytes = sys::ReadFile(fs, path, kMaxConditionsBytes);
  if (!bytes.ok()) return {};
  const std::string text(AsText(*bytes));
  return text.substr(0, text.find('\n'));
}

bool IsCharging(sys::FileSystem& fs, const std::string& power) {
  bool has_battery = false;
  for (const std::string& name : fs.List(power).value_or({})) {
    const std::string folder = sys::JoinPath(power, name);
    if (LineOf(fs, sys::JoinPath(folder, "type")) == "Battery") {
      has_battery = true;
      const std::string status = LineOf(fs, sys::JoinPath(folder, "status"));
      if (status == "Charging" || status == "Full") return true;
    } else if (LineOf(fs, sys::JoinPath(folder, "online")) == "1") {
      return true;
    }
  }
  return !has_battery;
}

Status ReadFileInto(sys::FileSystem& fs, const std::string& path, when::Host* host) {
  const auto bytes = sys::ReadFile(fs, path, kMaxConditionsBytes);
  if (bytes.code() == Code::kNotFound) return OkStatus();
  FERRY_TRY(bytes);
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(*bytes)));
  return ReadConditionsInto(json, host);
}

}  // namespace

Status ReadConditionsInto(const Json& json, when::Host* host) {
  if (!json.is_object()) return Status(Code::kMalformed, "conditions are a JSON object");
  when::Host said = *host;
  FERRY_ASSIGN_OR_RETURN(said.idle, GetBoolOr(json, "idle", said.idle));
  FERRY_ASSIGN_OR_RETURN(said.charging, GetBoolOr(json, "charging", said.charging));
  FERRY_ASSIGN_OR_RETURN(said.unmetered, GetBoolOr(json, "unmetered", said.unmetered));
  FERRY_ASSIGN_OR_RETURN(const int64_t offset,
                         GetIntOr(json, "utc_offset_minutes", said.utc_offset_minutes));
  if (std::abs(offset) > when::kMaxOffsetMinutes)
    return Status::Of(Code::kMalformed, "utc_offset_minutes {} is no time zone", offset);
  said.utc_offset_minutes = static_cast<int>(offset);
  *host = said;
  return OkStatus();
}

int UtcOffsetMinutes(int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm local{};
  if (::localtime_r(&seconds, &local) == nullptr) return 0;
  return static_cast<int>(local.tm_gmtoff / 60);
}

when::Host ReadConditions(sys::FileSystem& fs, const std::string& power, const std::string& path,
                          int64_t now_ms) {
  when::Host host;
  host.charging = IsCharging(fs, power);
  host.utc_offset_minutes = UtcOffsetMinutes(now_ms);
  if (path.empty()) return host;
  if (const Status read = ReadFileInto(fs, path, &host); !read.ok()) {
    LogWarn("agent", "conditions in {}: {}", path, read.ToString());
    host.idle = host.charging = host.unmetered = false;
  }
  return host;
}

}  // namespace ferry::agent
