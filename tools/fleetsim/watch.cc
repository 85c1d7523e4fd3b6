// What becomes of the releases: their states, the curve, and the figures at the end.
#include <sys/resource.h>

#include <algorithm>

#include "cloud-server/core/tally.h"
#include "common/base/json.h"
#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/sim.h"
#include "tools/fleetsim/small/fleet.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {
namespace {

constexpr int64_t kCurvePoints = 600;  // of a whole run, about
constexpr size_t kReplayedEvents = 40;

bool IsOver(server::ReleaseState state) {
  return server::IsFinal(state) || state == server::ReleaseState::kComplete ||
         state == server::ReleaseState::kSuperseded || state == server::ReleaseState::kPaused ||
         state == server::ReleaseState::kKilled;
}

bool IsStop(server::ReleaseState state) {
  return state == server::ReleaseState::kRollingBack ||
         state == server::ReleaseState::kRolledBack || state == server::ReleaseState::kStopped ||
         state == server::ReleaseState::kKilled || state == server::ReleaseState::kFailedSimulation;
}

CurvePoint PointOf(const server::Counts& counts) {
  CurvePoint point;
  point.offered = counts.members();
  point.failed = counts.failed;
  point.silent = counts.overdue;
  point.back = counts.returned;
  return point;
}

}  // namespace

void Sim::LookAtReleases() {
  const int64_t minute = now_ms() / kMinuteMs;
  const int64_t step = std::max<int64_t>(1, scenario().hours * 60 / kCurvePoints);
  for (size_t i = 0; i < releases_.size(); ++i) {
    ReleaseState& state = releases_[i];
    if (state.id.empty()) continue;
    server::ReleaseRow row;
    server::Tallies tallies;
    const Status read = backend_->store->Read([&](server::Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(row, tx.releases().Get(state.id));
      FERRY_ASSIGN_OR_RETURN(tallies, tx.releases().TalliesOf(state.id));
      return OkStatus();
    });
    if (!read.ok() && !HasPower()) return;
    if (!read.ok()) return Violate("store", read.ToString());
    const std::string name(server::NameOf(row.state));
    ReleaseOutcome& outcome = outcome_.releases[i];
    outcome.stopped_slices = row.stopped_slices;
    outcome.stop_reason = row.reason;
    if (state.stopped_after < 0 && (IsStop(row.state) || !row.stopped_slices.empty()))
      state.stopped_after = server::TotalOf(tallies).members();
    state.ended = IsOver(row.state);
    if (state.decided_ms < 0 && state.ended) state.decided_ms = now_ms();
    const int64_t stage = row.stage * 100 + static_cast<int64_t>(row.state);
    if (name != state.state || !Same(i, stage)) {
      state.state = name;
      Note(EventKind::kStage, -1, static_cast<int64_t>(i), stage);
    }
    if (minute % step == 0) NoteCurve(i, tallies);
  }
}

bool Sim::Same(size_t release, int64_t stage) {
  const auto [at, fresh] = stages_.try_emplace(release, stage);
  return !fresh && std::exchange(at->second, stage) == stage;
}

void Sim::NoteCurve(size_t number, const server::Tallies& tallies) {
  std::map<std::string, server::Counts> by_slice;
  for (const auto& [key, counts] : tallies) {
    if (server::IsCell(key.slice)) continue;
    if (key.control && key.slice != "all") continue;
    by_slice[key.control ? "control" : key.slice].Add(counts);
  }
  for (const auto& [slice, counts] : by_slice) {
    CurvePoint point = PointOf(counts);
    point.virtual_ms = now_ms();
    for (size_t p = 0; p < scenario().profiles.size(); ++p) {
      const Profile& profile = scenario().profiles[p];
      const bool in = slice == "all" || slice == "os=" + profile.os ||
                      slice == "device_class=" + profile.device_class ||
                      slice == "app_version=" + profile.app_version;
      if (!in) continue;
      point.pulled += coverage_[number][p][0];
      point.confirmed += coverage_[number][p][1];
    }
    outcome_.releases[number].curve[slice].push_back(point);
  }
}

void Sim::Finish() {
  if (!stopped_) {
    LookAtReleases();
    Note(EventKind::kEnd);
  }
  trace_.Update(trace_piece_);
  outcome_.trace_sha256 = ToHex(trace_.Finish());
  outcome_.scenario = scenario().name;
  outcome_.agents = agents_->size();
  outcome_.devices = small_->size() + agents_->size();
  outcome_.seed = options_.seed;
  outcome_.virtual_ms = now_ms();
  outcome_.events = events_;
  for (size_t i = 0; i < releases_.size(); ++i) {
    const ReleaseState& state = releases_[i];
    ReleaseOutcome& out = outcome_.releases[i];
    out.id = state.id;
    out.version = versions_[state.version].name;
    out.state = state.state.empty() ? "not_started" : state.state;
    out.started_ms = state.started_ms;
    out.decided_ms = state.decided_ms;
    out.stopped_after = state.stopped_after;
    if (state.id.empty()) continue;
    server::Tallies tallies;
    (void)backend_->store->Read([&](server::Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(tallies, tx.releases().TalliesOf(state.id));
      return OkStatus();
    });
    NoteCurve(i, tallies);
    if (out.curve["all"].empty()) continue;
    const CurvePoint& last = out.curve["all"].back();
    out.offered = last.offered;
    out.pulled = last.pulled;
    out.confirmed = last.confirmed;
    out.failed = last.failed;
    out.silent = last.silent;
    out.back = last.back;
    out.told_back = server::TotalOf(tallies).told_back;
    if (!IsOver(*server::ReleaseStateFromName(out.state)) && out.stopped_slices.empty())
      out.stop_reason.clear();
  }
  NoteUnmet();
  NoteReplay();
}

void Sim::NoteUnmet() {
  if (stopped_) return;
  for (const Expectation& wanted : scenario().expects) {
    for (const ReleaseOutcome& out : outcome_.releases) {
      if (out.version != wanted.version) continue;
      const auto unmet = [&](const std::string& text) {
        outcome_.unmet.push_back(fmt::format("{}: {}", out.version, text));
      };
      const auto& states = wanted.states;
      if (!states.empty() && std::find(states.begin(), states.end(), out.state) == states.end())
        unmet(fmt::format("is {} ({}), expected {}", out.state, out.stop_reason,
                          fmt::join(states, " or ")));
      if (out.offered > wanted.offered_at_most || out.offered < wanted.offered_at_least)
        unmet(fmt::format("reached {} devices, expected {} to {}", out.offered,
                          wanted.offered_at_least, wanted.offered_at_most));
      const auto& slices = out.stopped_slices;
      if (!wanted.stopped_slice.empty() &&
          std::find(slices.begin(), slices.end(), wanted.stopped_slice) == slices.end())
        unmet(fmt::format("stopped [{}] alone, expected {}", fmt::join(slices, ", "),
                          wanted.stopped_slice));
    }
  }
}

// The device of the event that --replay names, and what happened to it last.
void Sim::NoteReplay() {
  if (!options_.stop_event || last_.empty()) return;
  const Event& event = last_.back();
  std::string out =
      fmt::format("event {} at {} ms: {} device {} ({}, {})\n", event.number, event.virtual_ms,
                  NameOf(event.kind), event.device, event.a, event.b);
  std::vector<Event> of_device;
  for (const Event& before : last_)
    if (before.device == event.device) of_device.push_back(before);
  const size_t from = of_device.size() > kReplayedEvents ? of_device.size() - kReplayedEvents : 0;
  for (size_t i = from; i < of_device.size(); ++i)
    out += fmt::format("  {:>9} {:>12} ms  {:<9} {} {}\n", of_device[i].number,
                       of_device[i].virtual_ms, NameOf(of_device[i].kind), of_device[i].a,
                       of_device[i].b);
  if (event.device >= 0 && event.device < small_->size()) {
    const Small& small = (*small_)[event.device];
    const auto name = [&](uint8_t version) {
      return version < versions_.size() ? versions_[version].name : std::string("none");
    };
    out += fmt::format("device {}: runs {}, spare {}, epoch {}, {} reports wait, line {}\n",
                       small_->IdOf(event.device), name(small.running), name(small.spare),
                       small.finished_epoch, small.waiting, small.line_broken ? "broken" : "up");
  }
  outcome_.replayed = std::move(out);
}

Outcome Sim::TakeOutcome() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  outcome_.max_rss_bytes = int64_t{usage.ru_maxrss} * 1024;
  return std::move(outcome_);
}

}  // namespace ferry::fleetsim
