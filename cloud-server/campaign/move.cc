#include "cloud-server/campaign/move.h"

#include <algorithm>

namespace ferry::server {
namespace {

bool IsGood(ReleaseState state) {
  return state == ReleaseState::kComplete || state == ReleaseState::kSuperseded;
}

bool IsIn(const std::vector<std::string>& list, const std::string& id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

// The move that is being put together.
class Making {
 public:
  Making(const CampaignSpec& spec, const CampaignRow& row, const std::vector<ReleaseSeen>& seen)
      : spec_(spec), seen_(seen) {
    move_.row = row;
  }

  // What the state asks of the releases is done by the next move: a crash in between loses nothing,
  // and what was done of it is not taken for something that happened.
  void Go(CampaignState state, const std::string& kind, const std::string& reason) {
    CampaignRow& row = move_.row;
    row.state = state;
    row.reason = reason;
    row.pending = state == CampaignState::kPaused || state == CampaignState::kStopped ||
                  state == CampaignState::kHalted || state == CampaignState::kKilled;
    move_.event = kind;
    move_.text = reason;
    if (state != CampaignState::kPaused && state != CampaignState::kStopped) return;
    row.paused.clear();
    // A draft is started with the campaign; one that a person paused is the person's.
    for (const ReleaseSeen& release : seen_)
      if (IsInMotion(release.state) && release.state != ReleaseState::kPaused &&
          release.state != ReleaseState::kDraft)
        row.paused.push_back(release.id);
  }
  void Do(Act act, const std::string& release, const std::string& why) {
    move_.actions.push_back({act, release, why});
  }
  // What is pending.
  void CarryOut() {
    CampaignRow& row = move_.row;
    row.pending = false;
    for (const ReleaseSeen& release : seen_) {
      const ReleaseState state = release.state;
      const bool in_motion = IsInMotion(state);
      const bool on_no_device = state == ReleaseState::kDraft || state == ReleaseState::kSimulating;
      if (row.state == CampaignState::kHalted && in_motion) Do(Act::kHalt, release.id, row.reason);
      if (row.state == CampaignState::kKilled) {
        if (on_no_device) {
          Do(Act::kHalt, release.id, row.reason);
        } else if (in_motion || state == ReleaseState::kComplete ||
                   state == ReleaseState::kStopped) {
          Do(Act::kKill, release.id, row.reason);
        }
      }
      if (IsIn(row.paused, release.id) && in_motion && state != ReleaseState::kPaused)
        Do(Act::kPause, release.id, row.reason);
    }
  }
  // Orders back what was not, the newest first; whether all of it is back.
  bool BringBack() {
    bool done = true;
    for (auto release = seen_.rbegin(); release != seen_.rend(); ++release) {
      const ReleaseState state = release->state;
      if (state == ReleaseState::kRollingBack) done = false;
      // A superseded one stands again when those above it are taken back.
      const bool over = state == ReleaseState::kRolledBack || state == ReleaseState::kSuperseded ||
                        state == ReleaseState::kFailedSimulation;
      if (state == ReleaseState::kRollingBack || over) continue;
      if (state == ReleaseState::kStopped && IsIn(move_.row.back, release->id)) continue;
      done = false;
      Do(Act::kRollback, release->id, move_.row.reason);
      if (!IsIn(move_.row.back, release->id)) move_.row.back.push_back(release->id);
    }
    return done;
  }
  const ReleaseSeen* FindBad() const {
    for (const ReleaseSeen& release : seen_)
      if (!IsInMotion(release.state) && !IsGood(release.state)) return &release;
    return nullptr;
  }
  bool StartsNext() const {
    if (seen_.size() >= spec_.releases.size()) return false;
    if (seen_.empty()) return true;
    const ReleaseSeen& before = seen_.back();
    if (IsGood(before.state)) return true;
    return spec_.releases[seen_.size()].after == After::kFirstStage && before.past_first_stage;
  }
  Move Take() { return std::move(move_); }
  CampaignRow& row() { return move_.row; }
  Move& move() { return move_; }

 private:
  const CampaignSpec& spec_;
  const std::vector<ReleaseSeen>& seen_;
  Move move_;
};

// One of its releases stopped.
void StopWith(const CampaignSpec& spec, const ReleaseSeen& bad, Making& making) {
  const std::string why =
      fmt::format("release {} is {}: {}", bad.id, NameOf(bad.state), bad.reason);
  if (spec.on_stop == OnStop::kRollbackAll)
    return making.Go(CampaignState::kRollingBack, "stopped", why + "; every release goes back");
  making.Go(CampaignState::kStopped, "stopped", why);
}

std::string Progress(const CampaignSpec& spec, const std::vector<ReleaseSeen>& seen) {
  if (seen.empty()) return "no release is started yet";
  return fmt::format("release {} of {}: {} is {}", seen.size(), spec.releases.size(),
                     seen.back().id, NameOf(seen.back().state));
}

void Run(const CampaignSpec& spec, const std::vector<ReleaseSeen>& seen, Making& making) {
  CampaignRow& row = making.row();
  for (const ReleaseSeen& release : seen) {
    if (release.state == ReleaseState::kDraft) making.Do(Act::kStart, release.id, "");
    if (release.state == ReleaseState::kPaused && IsIn(row.paused, release.id))
      making.Do(Act::kResume, release.id, "");
  }
  row.paused.clear();
  if (!making.move().actions.empty()) return;
  const bool all_good = seen.size() == spec.releases.size() &&
                        std::all_of(seen.begin(), seen.end(),
                                    [](const ReleaseSeen& each) { return IsGood(each.state); });
  if (all_good) return making.Go(CampaignState::kComplete, "complete", "every release is complete");
  if (making.StartsNext()) return making.Do(Act::kCreate, "", "");
  row.reason = Progress(spec, seen);
}

Status Refuse(const CampaignRow& row, Order order) {
  return Status::Of(Code::kFailedPrecondition, "campaign {} is {}: \"{}\" does not fit", row.id,
                    NameOf(row.state), NameOf(order));
}

bool Allows(CampaignState state, Order order) {
  switch (order) {
    case Order::kPause:
      return state == CampaignState::kWaiting || state == CampaignState::kRunning;
    case Order::kResume:
      return state == CampaignState::kPaused;
    case Order::kHalt:
      return state == CampaignState::kWaiting || state == CampaignState::kRunning ||
             state == CampaignState::kPaused || state == CampaignState::kStopped;
    case Order::kRollback:
      return state != CampaignState::kRollingBack && state != CampaignState::kRolledBack;
    case Order::kKill:
      return state != CampaignState::kRollingBack && state != CampaignState::kRolledBack &&
             state != CampaignState::kKilled;
  }
  return false;
}

}  // namespace

bool IsInMotion(ReleaseState state) {
  return state == ReleaseState::kDraft || state == ReleaseState::kSimulating ||
         state == ReleaseState::kBeta || state == ReleaseState::kGray ||
         state == ReleaseState::kFull || state == ReleaseState::kPaused;
}

const char* NameOf(Order order) {
  switch (order) {
    case Order::kPause:
      return "pause";
    case Order::kResume:
      return "resume";
    case Order::kHalt:
      return "halt";
    case Order::kRollback:
      return "rollback";
    case Order::kKill:
      return "kill";
  }
  return "";
}

Move MoveOf(const CampaignSpec& spec, const CampaignRow& row, const std::vector<ReleaseSeen>& seen,
            int64_t now_ms) {
  Making making(spec, row, seen);
  if (row.pending) {
    making.CarryOut();
    return making.Take();
  }
  if (row.state == CampaignState::kRollingBack) {
    if (making.BringBack())
      making.Go(CampaignState::kRolledBack, "rolled_back", "every release went back");
    return making.Take();
  }
  if (!IsOpen(row.state)) return making.Take();
  if (const ReleaseSeen* bad = making.FindBad()) {
    StopWith(spec, *bad, making);
    return making.Take();
  }
  if (spec.deadline_ms != 0 && now_ms >= spec.deadline_ms) {
    making.Go(CampaignState::kStopped, "deadline", "the deadline has passed");
    return making.Take();
  }
  if (row.state == CampaignState::kWaiting && now_ms >= spec.start_ms) {
    making.Go(CampaignState::kRunning, "started", "no release is started yet");
  } else if (row.state == CampaignState::kRunning) {
    Run(spec, seen, making);
  }
  return making.Take();
}

Result<Move> MoveByOrder(const CampaignSpec& spec, const CampaignRow& row,
                         const std::vector<ReleaseSeen>& seen, Order order, const std::string& by,
                         const std::string& why, int64_t now_ms) {
  if (!Allows(row.state, order)) return Refuse(row, order);
  Making making(spec, row, seen);
  const auto text = [&](const char* what) {
    return fmt::format("{} by {}{}{}", what, by, why.empty() ? "" : ": ", why);
  };
  switch (order) {
    case Order::kPause:
      making.Go(CampaignState::kPaused, "paused", text("paused"));
      break;
    case Order::kResume: {
      const bool waits = seen.empty() && now_ms < spec.start_ms;
      making.Go(waits ? CampaignState::kWaiting : CampaignState::kRunning, "resumed",
                text("resumed"));
      break;
    }
    case Order::kHalt:
      making.Go(CampaignState::kHalted, "halted", text("halted"));
      break;
    case Order::kRollback:
      making.Go(CampaignState::kRollingBack, "rollback", text("rolled back"));
      break;
    case Order::kKill:
      making.Go(CampaignState::kKilled, "killed", text("killed"));
      break;
  }
  return making.Take();
}

}  // namespace ferry::server
