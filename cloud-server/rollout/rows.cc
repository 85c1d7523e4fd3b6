#include "cloud-server/rollout/rows.h"

#include <algorithm>

namespace ferry::server {
namespace {

Result<ReleaseRows> LoadCommon(Transaction& tx, const std::string& release) {
  ReleaseRows rows;
  FERRY_ASSIGN_OR_RETURN(rows.release, tx.releases().Get(release));
  FERRY_ASSIGN_OR_RETURN(rows.stages, tx.releases().Stages(release));
  FERRY_ASSIGN_OR_RETURN(rows.tallies, tx.releases().TalliesOf(release));
  FERRY_ASSIGN_OR_RETURN(rows.measured, tx.releases().MeasuredOf(release));
  if (const std::string& fallback = rows.release.fallback_version; !fallback.empty()) {
    FERRY_ASSIGN_OR_RETURN(const std::vector<ArtefactRow> artefacts,
                           tx.packages().Artefacts(rows.release.package, fallback));
    rows.has_fallback = !artefacts.empty();
  }
  FERRY_ASSIGN_OR_RETURN(int64_t last, tx.releases().LastEventSeq(release));
  rows.next_event_seq = last + 1;
  return rows;
}

// Counting a large fleet takes longer than all the rest: both are asked when they are needed.
void AddPlanned(Transaction& tx, ReleaseRows* rows) {
  rows->devices = [&tx, tenant = rows->release.tenant] {
    const Result<int64_t> count = tx.devices().CountInProfiles(tenant);
    return count.ok() ? *count : 0;
  };
  rows->planned = [&tx](const ReleaseRow& release, size_t index) {
    return CountPlanned(tx, release, index);
  };
}

}  // namespace

Result<ReleaseRows> LoadForCommand(Transaction& tx, const std::string& release) {
  FERRY_ASSIGN_OR_RETURN(ReleaseRows rows, LoadCommon(tx, release));
  AddPlanned(tx, &rows);
  return rows;
}

namespace {

// Members whose window may be over, beside those that are there.
Status AddOpenWindows(Transaction& tx, const stage::Plan& plan, int64_t now_ms, ReleaseRows* rows) {
  if (!HoldsBack(plan)) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const gate::Settings settings, SettingsOf(rows->release));
  int64_t shortest_ms = INT64_MAX;
  for (const stage::Stage& stage : plan.stages)
    shortest_ms = std::min(shortest_ms,
                           gate::WindowMs(settings, stage.min_healthy_ms, stage.report_timeout_ms));
  FERRY_ASSIGN_OR_RETURN(
      std::vector<MemberRow> open,
      tx.releases().OpenWindows(rows->release.id, now_ms - shortest_ms, kMaxUndecided));
  std::set<std::string> there;
  for (const MemberRow& member : rows->members) there.insert(member.device);
  for (MemberRow& member : open)
    if (!there.contains(member.device)) rows->members.push_back(std::move(member));
  return OkStatus();
}

}  // namespace

Result<ReleaseRows> LoadForTick(Transaction& tx, const std::string& release, int64_t now_ms,
                                UndecidedCursor* cursor) {
  FERRY_ASSIGN_OR_RETURN(ReleaseRows rows, LoadForCommand(tx, release));
  if (rows.release.state == ReleaseState::kRollingBack) {
    FERRY_ASSIGN_OR_RETURN(rows.waits_for_devices,
                           tx.releases().WaitsForReturn(release, now_ms - kDarkMs));
    return rows;
  }
  FERRY_ASSIGN_OR_RETURN(
      const std::vector<ReleaseRepository::SeenMember> undecided,
      tx.releases().Undecided(release, INT64_MAX, cursor->after_ms, cursor->after, kMaxUndecided));
  for (const ReleaseRepository::SeenMember& seen : undecided) {
    rows.members.push_back(seen.member);
    rows.last_seen_ms[seen.member.device] = seen.last_seen_ms;
  }
  const bool more = undecided.size() == kMaxUndecided;
  *cursor = more ? UndecidedCursor{undecided.back().member.step_ms, undecided.back().member.device}
                 : UndecidedCursor();
  FERRY_ASSIGN_OR_RETURN(const stage::Plan plan, PlanOf(rows.release));
  FERRY_TRY(AddOpenWindows(tx, plan, now_ms, &rows));
  const auto stage = static_cast<size_t>(rows.release.stage);
  const int64_t timeout_ms = stage < plan.stages.size() ? plan.stages[stage].report_timeout_ms : 0;
  if (timeout_ms <= 0) return rows;
  FERRY_ASSIGN_OR_RETURN(const int64_t silent_ms, tx.releases().SilentSince(release));
  if (silent_ms > 0) rows.next_overdue_ms = silent_ms + timeout_ms;
  return rows;
}

Result<ReleaseRows> LoadForReports(Transaction& tx, const std::string& release,
                                   const std::set<std::string>& devices) {
  FERRY_ASSIGN_OR_RETURN(ReleaseRows rows, LoadCommon(tx, release));
  FERRY_ASSIGN_OR_RETURN(rows.members, tx.batches().Members(release, devices));
  std::set<std::string> back;
  for (const MemberRow& member : rows.members)
    if (member.back) back.insert(member.device);
  if (back.empty()) return rows;
  FERRY_ASSIGN_OR_RETURN(const auto assignments, tx.batches().Assignments(back));
  for (const std::string& device : back) {
    const auto assignment = assignments.find(device);
    rows.told_epochs[device] = assignment == assignments.end() ? 0 : assignment->second.counter;
  }
  return rows;
}

namespace {

Status Give(Transaction& tx, const std::string& release, const Command& command, int64_t now_ms) {
  FERRY_ASSIGN_OR_RETURN(ReleaseRows rows, LoadCommon(tx, release));
  FERRY_ASSIGN_OR_RETURN(Changes changes, Apply(rows, command, now_ms));
  Effects none;
  return StoreChanges(tx, rows, changes, now_ms, &none);
}

Status SupersedeOlder(Transaction& tx, const ReleaseRow& newer, int64_t now_ms) {
  FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
  for (const ReleaseRow& older : releases) {
    if (older.package != newer.package || older.number >= newer.number) continue;
    if (older.state != ReleaseState::kComplete) continue;
    FERRY_TRY(Give(tx, older.id, command::Supersede{newer.id}, now_ms));
  }
  return OkStatus();
}

// The newest release below that was superseded, unless another one stands between.
Status ReinstateOlder(Transaction& tx, const ReleaseRow& taken_back, int64_t now_ms) {
  FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
  for (const ReleaseRow& row : releases) {  // newest first
    if (row.package != taken_back.package || row.id == taken_back.id) continue;
    if (row.state == ReleaseState::kComplete) return OkStatus();
    if (row.number > taken_back.number || row.state != ReleaseState::kSuperseded) continue;
    return Give(tx, row.id, command::Reinstate{taken_back.id}, now_ms);
  }
  return OkStatus();
}

}  // namespace

namespace {

// Whether PutReported writes all that differs.
bool IsReported(const MemberRow& before, const MemberRow& after) {
  MemberRow same = before;
  same.outcome = after.outcome;
  same.overdue = after.overdue;
  same.done = after.done;
  same.step = after.step;
  same.step_ms = after.step_ms;
  same.error_code = after.error_code;
  same.error_text = after.error_text;
  same.bytes_pulled = after.bytes_pulled;
  same.was_delta = after.was_delta;
  same.by_push = after.by_push;
  same.metrics = after.metrics;
  return same == after;
}

// Those of `changed` are among `before`, in the same order.
Status PutMembers(Transaction& tx, const std::vector<MemberRow>& before,
                  const std::vector<MemberRow>& changed) {
  std::vector<bool> is_reported;
  auto at = before.begin();
  for (const MemberRow& row : changed) {
    while (at->device != row.device) ++at;
    is_reported.push_back(IsReported(*at, row));
  }
  // Nearly always: without a copy.
  if (std::find(is_reported.begin(), is_reported.end(), false) == is_reported.end())
    return tx.batches().PutReported(changed);
  std::vector<MemberRow> reported, others;
  for (size_t i = 0; i < changed.size(); ++i)
    (is_reported[i] ? reported : others).push_back(changed[i]);
  FERRY_TRY(tx.batches().PutReported(reported));
  return tx.batches().PutMembers(others);
}

}  // namespace

Status StoreChanges(Transaction& tx, const ReleaseRows& rows, const Changes& changes,
                    int64_t now_ms, Effects* effects) {
  if (changes.empty()) return OkStatus();
  effects->changed = true;
  effects->look = effects->look || changes.look;
  if (changes.release) FERRY_TRY(tx.releases().Put(*changes.release));
  for (const StageRow& row : changes.stages) FERRY_TRY(tx.releases().PutStage(row));
  FERRY_TRY(PutMembers(tx, rows.members, changes.members));
  FERRY_TRY(tx.releases().AddTallies(changes.tallies));
  FERRY_TRY(tx.releases().AddMetricTallies(changes.metric_tallies));
  for (const EventRow& row : changes.events) FERRY_TRY(tx.releases().AddEvent(row));
  if (changes.run_simulation) effects->simulate.push_back(rows.release.id);
  if (changes.completed) FERRY_TRY(SupersedeOlder(tx, rows.release, now_ms));
  if (changes.taken_back) FERRY_TRY(ReinstateOlder(tx, rows.release, now_ms));
  return OkStatus();
}

}  // namespace ferry::server
