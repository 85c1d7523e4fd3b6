#include "cloud-server/campaign/campaigns.h"

#include "cloud-server/core/apply.h"
#include "cloud-server/core/tally.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

// Moves of one campaign in one tick: each release takes two, and the campaign itself a few.
constexpr size_t kMaxMoves = 2 * kMaxCampaignReleases + 8;

// Whether the release has left the first stage that reaches devices.
Result<bool> PastFirstStage(const ReleaseRow& row) {
  if (row.state == ReleaseState::kComplete || row.state == ReleaseState::kSuperseded) return true;
  FERRY_ASSIGN_OR_RETURN(const stage::Plan plan, PlanOf(row));
  const bool simulates = plan.stages[0].kind == stage::Kind::kSimulation;
  return row.stage > (simulates ? 1 : 0);
}

Result<Command> CommandOf(const Action& action, const std::string& by) {
  switch (action.act) {
    case Act::kStart:
      return Command(command::Start{by});
    case Act::kPause:
      return Command(command::Pause{by, action.why});
    case Act::kResume:
      return Command(command::Resume{by});
    case Act::kHalt:
      return Command(command::Halt{by, action.why});
    case Act::kRollback:
      return Command(command::Rollback{by, action.why});
    case Act::kKill:
      return Command(command::Kill{by, action.why});
    case Act::kCreate:
      break;
  }
  return Status(Code::kInternal, "making a release is no command");
}

// Errors of making a release that another try may not have.
bool MayPass(Code code) {
  return code == Code::kFailedPrecondition || code == Code::kUnavailable ||
         code == Code::kConflict || code == Code::kDiskFull || code == Code::kIo;
}

}  // namespace

Campaigns::Campaigns(const Options& options) : options_(options) {}

Campaigns::~Campaigns() {
  std::lock_guard lock(mutex_);
  stopping_ = true;
  if (options_.ticker != nullptr) options_.ticker->Cancel(timer_);
}

void Campaigns::Start() {
  ScheduleTick();
}

void Campaigns::ScheduleTick() {
  if (options_.ticker == nullptr) return;
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  timer_ = options_.ticker->PostAfter(options_.tick_ms, [this] {
    Status status = RunOnce(options_.once, [this] { return Tick(); });
    if (!status.ok()) LogError("campaign", "tick: {}", status.ToString());
    ScheduleTick();
  });
}

Result<Campaigns::View> Campaigns::Load(Transaction& tx, const CampaignRow& row) {
  View view;
  view.row = row;
  FERRY_ASSIGN_OR_RETURN(view.spec, SpecFromText(row.spec_json).Context("campaign {}", row.id));
  for (const std::string& id : row.releases) {
    FERRY_ASSIGN_OR_RETURN(ReleaseRow release, tx.releases().Get(id));
    FERRY_ASSIGN_OR_RETURN(const bool past, PastFirstStage(release));
    view.seen.push_back({id, release.state, past, release.reason});
    view.releases.push_back(std::move(release));
  }
  return view;
}

Result<CampaignRow> Campaigns::Create(const New& from) {
  FERRY_ASSIGN_OR_RETURN(const CampaignSpec spec, SpecFromJson(from.spec));
  CampaignRow row;
  FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
    row = CampaignRow();
    FERRY_ASSIGN_OR_RETURN(const std::vector<CampaignRow> open, tx.campaigns().Open());
    if (open.size() >= kMaxOpenCampaigns)
      return Status::Of(Code::kLimitExceeded, "{} campaigns are open already", open.size());
    for (size_t i = 0; i < spec.releases.size(); ++i) {
      const NewRelease& release = spec.releases[i].release;
      FERRY_TRY(
          AsStatus(tx.packages().Get(release.package, release.version).Context("releases[{}]", i)));
    }
    FERRY_ASSIGN_OR_RETURN(row.number, tx.campaigns().NextNumber());
    row.id = fmt::format("{}-{}", spec.name, row.number);
    row.name = spec.name;
    row.spec_json = WriteJson(from.spec);
    row.account = from.by;
    row.groups = from.groups;
    row.created_ms = options_.clock->NowUnixMs();
    row.reason = "waits for its start";
    FERRY_TRY(tx.campaigns().Put(row));
    const std::string text = fmt::format("{} releases, by {}{}{}", spec.releases.size(), from.by,
                                         from.why.empty() ? "" : ": ", from.why);
    return tx.campaigns().AddEvent(row.id, row.created_ms, "created", text);
  }));
  FERRY_TRY(Advance(row.id));
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.campaigns().Get(row.id));
    return OkStatus();
  }));
  return row;
}

Status Campaigns::MakeNext(const View& view) {
  const size_t index = view.seen.size();
  NewRelease release = view.spec.releases[index].release;
  // With the release in one transaction: a crash in between neither loses nor doubles it.
  release.along = [this, &view](Transaction& tx, const ReleaseRow& made) -> Status {
    FERRY_ASSIGN_OR_RETURN(CampaignRow row, tx.campaigns().Get(view.row.id));
    if (row.row_version != view.row.row_version)
      return Status::Of(Code::kFailedPrecondition, "campaign {} was changed in between", row.id);
    row.releases.push_back(made.id);
    row.reason = fmt::format("release {} of {}: {}", row.releases.size(), view.spec.releases.size(),
                             made.id);
    FERRY_TRY(tx.campaigns().Put(row));
    if (row.groups) FERRY_TRY(tx.accounts().PutReleaseGroups(made.id, *row.groups));
    return tx.campaigns().AddEvent(row.id, options_.clock->NowUnixMs(), "release",
                                   row.reason + " begins");
  };
  return AsStatus(options_.rollout->Create(release));
}

Status Campaigns::CarryOne(const View& view, const Action& action, const std::string& by) {
  if (action.act == Act::kCreate) return MakeNext(view);
  FERRY_ASSIGN_OR_RETURN(const Command command, CommandOf(action, by));
  const Status done = AsStatus(options_.rollout->Do(action.release, command));
  // It moved in between, or was done before a crash: what it is then is looked at again.
  if (done.code() != Code::kFailedPrecondition) return done;
  LogInfo("campaign", "{}: {}", view.row.id, done.message());
  return OkStatus();
}

Status Campaigns::Carry(const View& view, const Move& move, const std::string& by) {
  for (const Action& action : move.actions) FERRY_TRY(CarryOne(view, action, by));
  if (move.row == view.row) return OkStatus();
  FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.campaigns().Put(move.row));
    if (move.event.empty()) return OkStatus();
    return tx.campaigns().AddEvent(move.row.id, options_.clock->NowUnixMs(), move.event, move.text);
  }));
  options_.rollout->NoteChange();
  return OkStatus();
}

Status Campaigns::Advance(const std::string& id) {
  const std::lock_guard one(moves_);
  for (size_t moves = 0; moves < kMaxMoves; ++moves) {
    View view;
    FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(const CampaignRow row, tx.campaigns().Get(id));
      FERRY_ASSIGN_OR_RETURN(view, Load(tx, row));
      return OkStatus();
    }));
    Move move = MoveOf(view.spec, view.row, view.seen, options_.clock->NowUnixMs());
    if (move.actions.empty() && move.row == view.row) return OkStatus();
    const Status done = Carry(view, move, fmt::format("campaign {}", id));
    if (done.ok()) continue;
    const bool makes = !move.actions.empty() && move.actions[0].act == Act::kCreate;
    if (!makes) return done;
    // What it waits for, or why it cannot go on, is the campaign's reason.
    Move note;
    note.row = view.row;
    note.row.reason = fmt::format("release {} of {}: {}", view.seen.size() + 1,
                                  view.spec.releases.size(), done.message());
    if (!MayPass(done.code())) {
      note.row.state = CampaignState::kStopped;
      note.event = "stopped";
      note.text = note.row.reason;
    }
    return Carry(view, note, "");
  }
  return OkStatus();
}

Result<CampaignRow> Campaigns::Do(const std::string& id, Order order, const std::string& by,
                                  const std::string& why) {
  if (why.size() > kMaxReasonBytes)
    return Status::Of(Code::kLimitExceeded, "why: {} bytes, at most {}", why.size(),
                      kMaxReasonBytes);
  {
    const std::lock_guard one(moves_);
    View view;
    FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(const CampaignRow row, tx.campaigns().Get(id));
      FERRY_ASSIGN_OR_RETURN(view, Load(tx, row));
      return OkStatus();
    }));
    FERRY_ASSIGN_OR_RETURN(const Move move, MoveByOrder(view.spec, view.row, view.seen, order, by,
                                                        why, options_.clock->NowUnixMs()));
    FERRY_TRY(Carry(view, move, by));
  }
  FERRY_TRY(Advance(id));
  CampaignRow row;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.campaigns().Get(id));
    return OkStatus();
  }));
  return row;
}

Result<int64_t> Campaigns::Retry(const std::string& id, const std::string& by,
                                 const std::string& why) {
  std::vector<std::string> releases;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    releases.clear();
    FERRY_ASSIGN_OR_RETURN(const CampaignRow row, tx.campaigns().Get(id));
    for (const std::string& release : row.releases) {
      FERRY_ASSIGN_OR_RETURN(const Tallies tallies, tx.releases().TalliesOf(release));
      FERRY_ASSIGN_OR_RETURN(const ReleaseRow state, tx.releases().Get(release));
      const Counts total = TotalOf(tallies);
      const bool watched = TakesDevices(state.state) || state.state == ReleaseState::kPaused;
      if (watched && total.failed + total.device_cause > 0) releases.push_back(release);
    }
    return OkStatus();
  }));
  if (releases.empty())
    return Status::Of(Code::kFailedPrecondition,
                      "campaign {}: no device has failed in a release that goes on", id);
  for (const std::string& release : releases)
    FERRY_TRY(AsStatus(options_.rollout->Retry(release, "", by, why)));
  const auto count = static_cast<int64_t>(releases.size());
  FERRY_TRY(options_.store->Write([&](Transaction& tx) {
    return tx.campaigns().AddEvent(id, options_.clock->NowUnixMs(), "retried",
                                   fmt::format("devices that failed in {} releases try again, by "
                                               "{}{}{}",
                                               count, by, why.empty() ? "" : ": ", why));
  }));
  return count;
}

Status Campaigns::Tick() {
  std::vector<std::string> open;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    open.clear();
    FERRY_ASSIGN_OR_RETURN(const std::vector<CampaignRow> rows, tx.campaigns().Open());
    for (const CampaignRow& row : rows) open.push_back(row.id);
    return OkStatus();
  }));
  Status first;
  for (const std::string& id : open) {
    Status status = Advance(id);
    if (!status.ok() && first.ok()) first = status.Context("campaign {}", id);
  }
  return first;
}

}  // namespace ferry::server
