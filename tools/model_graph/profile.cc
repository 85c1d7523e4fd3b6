#include "tools/model_graph/profile.h"

#include <map>

#include "common/base/json.h"

namespace ferry::model_graph {
namespace {

constexpr std::string_view kModelEnd = ".fm";

// Microseconds by node; steps that were not timed are left out.
Result<std::map<std::string, double>> TimesIn(const Json& profile) {
  FERRY_ASSIGN_OR_RETURN(const Json* explained, GetObject(profile, "explain"));
  FERRY_ASSIGN_OR_RETURN(const Json* steps, GetArray(*explained, "steps"));
  std::map<std::string, double> times;
  for (const Json& step : *steps) {
    FERRY_ASSIGN_OR_RETURN(const std::string node, GetString(step, "node"));
    FERRY_ASSIGN_OR_RETURN(const double us, GetNumber(step, "measured_us"));
    if (us >= 0) times[node] += us;
  }
  return times;
}

}  // namespace

std::string ProfileNameOf(std::string_view model) {
  if (model.ends_with(kModelEnd)) model.remove_suffix(kModelEnd.size());
  return std::string(model).append(kProfileSuffix);
}

Status AddProfile(ByteView profile, Json& graph) {
  if (profile.size() > kMaxProfileBytes)
    return Status::Of(Code::kLimitExceeded, "a profile of {} bytes; at most {} are read",
                      profile.size(), kMaxProfileBytes);
  FERRY_ASSIGN_OR_RETURN(const Json parsed, ParseJson(AsText(profile)));
  FERRY_ASSIGN_OR_RETURN(auto times, TimesIn(parsed));
  double sum = 0;
  int64_t nodes = 0;
  for (Json& node : graph["nodes"]) {
    const std::string name = GetStringOr(node, "name", "").value_or("");
    const auto found = times.find(name);
    if (name.empty() || found == times.end()) continue;
    node["reported_us"] = found->second;
    sum += found->second;
    ++nodes;
    times.erase(found);  // a second node of that name had no time of its own
  }
  double elsewhere = 0;
  for (const auto& [name, us] : times) elsewhere += us;
  graph["reported"] = {{"us", sum}, {"of", nodes}, {"elsewhere_us", elsewhere}};
  return OkStatus();
}

}  // namespace ferry::model_graph
