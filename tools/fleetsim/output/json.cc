#include <algorithm>

#include "common/base/json.h"
#include "tools/fleetsim/fleetsim.h"

namespace ferry::fleetsim {
namespace {

Json CurveToJson(const std::map<std::string, std::vector<CurvePoint>>& curve) {
  Json out = Json::object();
  for (const auto& [slice, points] : curve) {
    Json& rows = out[slice] = Json::array();
    for (const CurvePoint& p : points)
      rows.push_back({p.virtual_ms, p.offered, p.pulled, p.confirmed, p.failed, p.silent, p.back});
  }
  return out;
}

Json ReleaseToJson(const ReleaseOutcome& r) {
  Json out = {{"id", r.id},
              {"version", r.version},
              {"state", r.state},
              {"offered", r.offered},
              {"pulled", r.pulled},
              {"confirmed", r.confirmed},
              {"failed", r.failed},
              {"silent", r.silent},
              {"told_back", r.told_back},
              {"back", r.back},
              {"stopped_after", nullptr},
              {"stop_reason", r.stop_reason},
              {"stopped_slices", r.stopped_slices},
              {"decided_ms", nullptr},
              {"curve", CurveToJson(r.curve)}};
  if (r.stopped_after >= 0) out["stopped_after"] = r.stopped_after;
  if (r.decided_ms >= 0) out["decided_ms"] = r.decided_ms - r.started_ms;
  return out;
}

std::string TimeText(int64_t ms) {
  if (ms < 0) return "-";
  return fmt::format("{}h {:02}m", ms / kHourMs, ms / kMinuteMs % 60);
}

}  // namespace

Json OutcomeToJson(const Outcome& o) {
  Json releases = Json::array(), violations = Json::array();
  for (const ReleaseOutcome& release : o.releases) releases.push_back(ReleaseToJson(release));
  for (const Violation& v : o.violations)
    violations.push_back({{"invariant", v.invariant},
                          {"event", v.event},
                          {"virtual_ms", v.virtual_ms},
                          {"text", v.text}});
  const double seconds = std::max<double>(1, static_cast<double>(o.wall_ms)) / 1000;
  Json out = {{"scenario", o.scenario},
              {"devices", o.devices},
              {"agents", o.agents},
              {"seed", o.seed},
              {"trace_sha256", o.trace_sha256},
              {"virtual_ms", o.virtual_ms},
              {"wall_ms", o.wall_ms},
              {"max_rss_bytes", o.max_rss_bytes},
              {"events", o.events},
              {"faults", o.faults},
              {"curve_columns",
               {"virtual_ms", "offered", "pulled", "confirmed", "failed", "silent", "back"}},
              {"releases", std::move(releases)},
              {"polls", o.polls},
              {"reports", o.reports},
              {"reports_per_s", static_cast<double>(o.reports) / seconds},
              {"bytes_served", o.bytes_served},
              {"invariants", {{"checked", o.checked}, {"violations", std::move(violations)}}},
              {"unmet", o.unmet},
              {"interrupted", o.interrupted}};
  if (!o.shrunk.empty()) out["shrunk"] = ParseJson(o.shrunk).value_or(Json());
  return out;
}

std::string OutcomeToText(const Outcome& o) {
  std::string out = fmt::format(
      "{}: {} devices, {} of them whole agents, seed {}\n"
      "  {} of virtual time in {:.1f} s, {} events, {} reports ({:.0f} a second), {} polls\n"
      "  {:.1f} GiB of memory at most, trace {}\n",
      o.scenario, o.devices, o.agents, o.seed, TimeText(o.virtual_ms),
      static_cast<double>(o.wall_ms) / 1000, o.events, o.reports,
      static_cast<double>(o.reports) * 1000 / std::max<double>(1, static_cast<double>(o.wall_ms)),
      o.polls, static_cast<double>(o.max_rss_bytes) / (1 << 30), o.trace_sha256);
  for (const ReleaseOutcome& r : o.releases) {
    out += fmt::format("{} is {}{}{}\n", r.version, r.state, r.stop_reason.empty() ? "" : ": ",
                       r.stop_reason);
    out +=
        fmt::format("  offered {}, pulled {}, confirmed {}, failed {}, silent {}, back {} of {}\n",
                    r.offered, r.pulled, r.confirmed, r.failed, r.silent, r.back, r.told_back);
    if (r.decided_ms >= 0)
      out += fmt::format("  decided after {}\n", TimeText(r.decided_ms - r.started_ms));
    if (r.stopped_after >= 0)
      out += fmt::format("  stopped when {} devices had been offered it\n", r.stopped_after);
  }
  std::string faults;
  for (const auto& [name, count] : o.faults)
    faults += fmt::format("{}{} {}", faults.empty() ? "" : ", ", name, count);
  out += fmt::format("faults: {}\n", faults.empty() ? "none" : faults);
  out += fmt::format("invariants: looked at {} times, {} broken\n", o.checked, o.violations.size());
  for (const Violation& v : o.violations)
    out += fmt::format("  {} at event {} ({}): {}\n    --seed {} --replay {}:{}\n", v.invariant,
                       v.event, TimeText(v.virtual_ms), v.text, o.seed, o.seed, v.event);
  for (const std::string& unmet : o.unmet) out += fmt::format("not as expected: {}\n", unmet);
  if (o.interrupted) out += "interrupted: this is how far it came\n";
  if (!o.shrunk.empty())
    out += fmt::format("the shortest scenario that shows it (run it with --faults none):\n{}\n",
                       o.shrunk);
  return out + o.replayed;
}

}  // namespace ferry::fleetsim
