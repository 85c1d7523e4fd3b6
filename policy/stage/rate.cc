#include "policy/stage/rate.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "common/base/json.h"

namespace ferry::stage {
namespace {

constexpr int64_t kMinuteSeconds = 60;
constexpr int64_t kBurstSeconds = 10;

Status CheckMembers(const Json& json, std::initializer_list<std::string_view> known) {
  if (!json.is_object()) return Status(Code::kMalformed, "it is no object");
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return Status::Of(Code::kMalformed, "there is no member \"{}\"", key);
  return OkStatus();
}

Status CheckIn(std::string_view what, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "{} {} is not from {} to {}", what, value, least, most);
}

}  // namespace

Result<Rate> RateFromJson(const Json& json) {
  FERRY_TRY(CheckMembers(json, {"per_minute", "factor", "after_succeeded", "max_per_minute"}));
  Rate rate;
  FERRY_ASSIGN_OR_RETURN(rate.per_minute, GetInt(json, "per_minute"));
  FERRY_TRY(CheckIn("per_minute", rate.per_minute, 1, kMaxPerMinute));
  const bool grows = json.contains("factor") || json.contains("after_succeeded");
  FERRY_ASSIGN_OR_RETURN(rate.max_per_minute, GetIntOr(json, "max_per_minute", rate.per_minute));
  FERRY_TRY(CheckIn("max_per_minute", rate.max_per_minute, rate.per_minute, kMaxPerMinute));
  if (!grows) return rate;
  FERRY_ASSIGN_OR_RETURN(rate.factor, GetNumber(json, "factor"));
  if (!(rate.factor > 1 && rate.factor <= kMaxRateFactor))
    return Status::Of(Code::kInvalidArgument, "factor {} is not above 1, up to {}", rate.factor,
                      kMaxRateFactor);
  FERRY_ASSIGN_OR_RETURN(rate.after_succeeded, GetInt(json, "after_succeeded"));
  FERRY_TRY(CheckIn("after_succeeded", rate.after_succeeded, 1, kMaxPerMinute));
  if (!json.contains("max_per_minute"))
    return Status(Code::kMalformed, "max_per_minute is missing: up to where it grows");
  return rate;
}

Json RateToJson(const Rate& rate) {
  Json json = {{"per_minute", rate.per_minute}};
  if (rate.after_succeeded > 0) {
    json["factor"] = rate.factor;
    json["after_succeeded"] = rate.after_succeeded;
  }
  if (rate.max_per_minute != rate.per_minute) json["max_per_minute"] = rate.max_per_minute;
  return json;
}

int64_t PerMinute(const Rate& rate, int64_t succeeded) {
  if (rate.after_succeeded <= 0 || succeeded < rate.after_succeeded) return rate.per_minute;
  const double grown = static_cast<double>(rate.per_minute) *
                       std::pow(rate.factor, static_cast<double>(succeeded / rate.after_succeeded));
  const auto most = static_cast<double>(rate.max_per_minute);
  return grown >= most ? rate.max_per_minute : static_cast<int64_t>(grown);
}

Rate LargeFleetRate() {
  return {100, 2, 500, kMaxPerMinute};
}

Result<Retries> RetriesFromJson(const Json& json) {
  FERRY_TRY(CheckMembers(json, {"count", "backoff_ms"}));
  Retries retries;
  FERRY_ASSIGN_OR_RETURN(retries.count, GetInt(json, "count"));
  FERRY_TRY(CheckIn("count", retries.count, 0, kMaxRetryCount));
  FERRY_ASSIGN_OR_RETURN(retries.backoff_ms, GetIntOr(json, "backoff_ms", retries.backoff_ms));
  FERRY_TRY(CheckIn("backoff_ms", retries.backoff_ms, 0, kMaxBackoffMs));
  return retries;
}

Json RetriesToJson(const Retries& retries) {
  return {{"count", retries.count}, {"backoff_ms", retries.backoff_ms}};
}

Result<Pace> Pace::FromText(std::string_view text) {
  Pace pace;
  if (text.empty()) return pace;
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text).Context("pace"));
  for (const Json& item : json) {
    const bool formed = item.is_array() && item.size() == 2 && item[0].is_number_integer() &&
                        item[1].is_number_integer();
    if (!formed) return Status(Code::kMalformed, "pace: an item is no pair of numbers");
    pace.came_.emplace_back(item[0].get<int64_t>(), item[1].get<int64_t>());
  }
  return pace;
}

std::string Pace::ToText() const {
  Json json = Json::array();
  for (const auto& [second, count] : came_) json.push_back({second, count});
  return WriteJson(json);
}

// A clock that was set back counts those of its future for as long as a minute.
int64_t Pace::Since(int64_t now_s, int64_t seconds) const {
  int64_t sum = 0;
  for (const auto& [second, count] : came_)
    if (std::abs(now_s - second) <= seconds) sum += count;
  return sum;
}

int64_t Pace::Free(int64_t per_minute, int64_t now_ms) const {
  const int64_t now_s = now_ms / 1000;
  const int64_t burst = std::max<int64_t>(1, per_minute * kBurstSeconds / kMinuteSeconds);
  const int64_t free =
      std::min(per_minute - Since(now_s, kMinuteSeconds), burst - Since(now_s, kBurstSeconds));
  return std::max<int64_t>(0, free);
}

void Pace::Take(int64_t now_ms) {
  const int64_t now_s = now_ms / 1000;
  std::erase_if(
      came_, [now_s](const auto& item) { return std::abs(now_s - item.first) > kMinuteSeconds; });
  if (came_.empty() || came_.back().first != now_s) came_.emplace_back(now_s, 0);
  ++came_.back().second;
}

}  // namespace ferry::stage
