#include "cloud-server/verify/view.h"

#include "common/base/json.h"

#include <cmath>

namespace ferry::server {
namespace {

double Rounded(double value) {
  return std::round(value * 1000) / 1000;
}

Json ToJson(const VerifySessionView& v) {
  Json json = {{"device", v.device},       {"session", v.session},
               {"target", v.target},       {"draft", v.draft},
               {"mode", v.mode},           {"connected", v.connected},
               {"length", v.length},       {"emitted", v.emitted},
               {"compared", v.compared},   {"accepted", v.accepted},
               {"rounds", v.rounds},       {"passes", v.passes},
               {"bytes_up", v.bytes_up},   {"bytes_down", v.bytes_down},
               {"kv_tokens", v.kv_tokens}, {"tokens_per_s", Rounded(v.tokens_per_s)},
               {"idle_ms", v.idle_ms},     {"round_trip_ms", nullptr},
               {"acceptance", nullptr}};
  if (v.round_trip_ms >= 0) json["round_trip_ms"] = Rounded(v.round_trip_ms);
  if (v.compared > 0) {
    json["acceptance"] = Rounded(static_cast<double>(v.accepted) / static_cast<double>(v.compared));
  }
  return json;
}

Json ToJson(const VerifyTargetView& v) {
  return {{"name", v.name},
          {"version", v.version},
          {"digest", v.digest},
          {"weights", v.weights},
          {"parameters", v.parameters},
          {"weight_bytes", v.weight_bytes},
          {"sessions", v.sessions},
          {"kv_used_bytes", v.kv_used_bytes},
          {"kv_kept_bytes", v.kv_kept_bytes},
          {"kv_limit_bytes", v.kv_limit_bytes},
          {"passes", v.passes},
          {"tokens", v.tokens},
          {"requests", v.requests},
          {"largest_batch", v.largest_batch},
          {"busy_ms", Rounded(v.busy_ms)}};
}

}  // namespace

Json VerifyTargetsJson(const VerifyView& view) {
  Json targets = Json::array();
  for (const auto& target : view.targets) targets.push_back(ToJson(target));
  return {{"targets", std::move(targets)}};
}

Json VerifySessionsJson(const VerifyView& view) {
  Json sessions = Json::array();
  for (const auto& session : view.sessions) sessions.push_back(ToJson(session));
  return {{"sessions", std::move(sessions)}, {"connections", view.connections},
          {"refused", view.refused},         {"dropped", view.dropped},
          {"evicted", view.evicted},         {"opened", view.opened}};
}

}  // namespace ferry::server
