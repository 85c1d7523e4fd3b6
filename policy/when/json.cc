#include <algorithm>
#include <array>

#include "common/base/json.h"
#include "policy/when/when.h"

namespace ferry::when {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

Status CheckKnown(const Json& object, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return Status::Of(Code::kMalformed, "there is no member \"{}\"", key);
  return OkStatus();
}

// "06:30"; "24:00" is the end of a day.
Result<int> MinutesOf(const Json& window, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(window, key));
  const auto digit = [&](size_t at) { return text[at] >= '0' && text[at] <= '9'; };
  const bool formed =
      text.size() == 5 && text[2] == ':' && digit(0) && digit(1) && digit(3) && digit(4);
  const int hours = formed ? (text[0] - '0') * 10 + text[1] - '0' : 99;
  const int minutes = formed ? (text[3] - '0') * 10 + text[4] - '0' : 99;
  const bool end = key == "to" && hours == 24 && minutes == 0;
  if ((hours > 23 || minutes > 59) && !end)
    return Status::Of(Code::kMalformed, "{} \"{:.20}\" is no time such as 22:30", key, text);
  return hours * 60 + minutes;
}

Result<uint8_t> DaysOf(const Json& window) {
  FERRY_ASSIGN_OR_RETURN(const Json* days, GetArrayOrNull(window, "days"));
  if (days == nullptr) return uint8_t{0x7f};
  unsigned mask = 0;
  for (const Json& day : *days) {
    const auto* name = day.get_ptr<const std::string*>();
    const auto found = name == nullptr ? kDays.end() : std::find(kDays.begin(), kDays.end(), *name);
    if (found == kDays.end())
      return Status::Of(Code::kMalformed,
                        "days: {:.20} is none of mon, tue, wed, thu, fri, sat, sun",
                        WriteJson(day));
    mask |= 1u << (found - kDays.begin());
  }
  if (mask == 0) return Status(Code::kMalformed, "days: none, so that it never opens");
  return static_cast<uint8_t>(mask);
}

Result<Window> WindowFromJson(const Json& json, bool strict) {
  if (!json.is_object()) return Status(Code::kMalformed, "it is no object");
  if (strict) FERRY_TRY(CheckKnown(json, {"days", "from", "to"}));
  Window window;
  FERRY_ASSIGN_OR_RETURN(window.days, DaysOf(json));
  FERRY_ASSIGN_OR_RETURN(window.from, MinutesOf(json, "from"));
  FERRY_ASSIGN_OR_RETURN(window.to, MinutesOf(json, "to"));
  if (window.from == window.to)
    return Status(Code::kMalformed, "from and to are the same; a whole day is 00:00 to 24:00");
  return window;
}

std::string TimeText(int minutes) {
  return fmt::format("{:02}:{:02}", minutes / 60, minutes % 60);
}

}  // namespace

Result<When> WhenFromJson(const Json& json, bool strict) {
  if (!json.is_object()) return Status(Code::kMalformed, "it is no object");
  if (strict)
    FERRY_TRY(CheckKnown(json, {"windows", "idle", "charging", "unmetered", "deadline_ms"}));
  When when;
  FERRY_ASSIGN_OR_RETURN(const Json* windows, GetArrayOrNull(json, "windows"));
  if (windows != nullptr && windows->size() > kMaxWindows)
    return Status::Of(Code::kLimitExceeded, "windows: {}, at most {}", windows->size(),
                      kMaxWindows);
  for (size_t i = 0; windows != nullptr && i < windows->size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(Window window,
                           WindowFromJson((*windows)[i], strict).Context("windows[{}]", i));
    when.windows.push_back(window);
  }
  FERRY_ASSIGN_OR_RETURN(when.idle, GetBoolOr(json, "idle", false));
  FERRY_ASSIGN_OR_RETURN(when.charging, GetBoolOr(json, "charging", false));
  FERRY_ASSIGN_OR_RETURN(when.unmetered, GetBoolOr(json, "unmetered", false));
  FERRY_ASSIGN_OR_RETURN(when.deadline_ms, GetIntOr(json, "deadline_ms", 0));
  if (when.deadline_ms < 0) return Status(Code::kMalformed, "deadline_ms is below zero");
  return when;
}

Result<When> WhenFromText(std::string_view text, bool strict) {
  if (text.empty()) return When();
  if (text.size() > kMaxWhenBytes)
    return Status::Of(Code::kLimitExceeded, "{} bytes, at most {}", text.size(), kMaxWhenBytes);
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  return WhenFromJson(json, strict);
}

Json WhenToJson(const When& when) {
  Json json = Json::object();
  for (const Window& window : when.windows) {
    Json days = Json::array();
    for (size_t day = 0; day < kDays.size(); ++day)
      if ((window.days >> day & 1) != 0) days.push_back(kDays[day]);
    json["windows"].push_back(
        {{"days", std::move(days)}, {"from", TimeText(window.from)}, {"to", TimeText(window.to)}});
  }
  if (when.idle) json["idle"] = true;
  if (when.charging) json["charging"] = true;
  if (when.unmetered) json["unmetered"] = true;
  if (when.deadline_ms > 0) json["deadline_ms"] = when.deadline_ms;
  return json;
}

}  // namespace ferry::when
