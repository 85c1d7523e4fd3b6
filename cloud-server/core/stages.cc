#include "cloud-server/core/tally.h"
#include "cloud-server/core/work.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

ReleaseState StateOf(stage::Kind kind) {
  switch (kind) {
    case stage::Kind::kSimulation:
      return ReleaseState::kSimulating;
    case stage::Kind::kBeta:
      return ReleaseState::kBeta;
    case stage::Kind::kGray:
      return ReleaseState::kGray;
    case stage::Kind::kFull:
      return ReleaseState::kFull;
  }
  return ReleaseState::kFull;
}

}  // namespace

// What is planned counts its devices no more, so that no gate waits for them.
void StopSlice(Work& work, const gate::Judgement& judgement) {
  const std::string& slice = judgement.stopped_slice;
  work.release.stopped_slices.push_back(slice);
  work.look = true;
  for (size_t i = 0; i < work.stages.size(); ++i) {
    StageRow& stage = work.stages[i];
    const bool reaches = work.plan.stages[i].kind != stage::Kind::kSimulation;
    if (stage.entered_ms != 0 && reaches && work.rows.planned)
      stage.planned = work.rows.planned(work.release, i);
  }
  work.AddEvent("slice_stopped",
                fmt::format("{} is stopped alone, its devices go back to what they had: {}", slice,
                            judgement.reason),
                NumbersOf(judgement));
}

void EnterStage(Work& work, int64_t index) {
  StageRow& left = work.stages[static_cast<size_t>(work.release.stage)];
  if (left.entered_ms != 0) left.left_ms = work.now_ms;
  if (index >= static_cast<int64_t>(work.stages.size())) {
    work.release.state = ReleaseState::kComplete;
    work.release.reason = "every stage passed its gates";
    work.completed = true;
    work.AddEvent("complete", "every stage passed its gates",
                  Json({{"members", TotalOf(work.TalliesNow()).members()}}));
    work.look = true;
    return;
  }
  const stage::Stage& stage = work.plan.stages[static_cast<size_t>(index)];
  StageRow& entered = work.stages[static_cast<size_t>(index)];
  work.release.stage = index;
  work.release.stage_since_ms = work.now_ms;
  work.release.state = StateOf(stage.kind);
  entered.entered_ms = work.now_ms;
  const bool asks = stage.kind != stage::Kind::kSimulation && work.rows.planned;
  entered.planned = asks ? work.rows.planned(work.release, static_cast<size_t>(index)) : 0;
  const int64_t devices = work.rows.devices ? work.rows.devices() : 0;
  work.look = true;
  std::string text = fmt::format("stage {} of {}: {}", index + 1, work.stages.size(), stage.name);
  if (stage.kind == stage::Kind::kSimulation) {
    text += ", before any device gets it";
    work.run_simulation = true;
  } else {
    text += fmt::format(", reaches {} of {} devices", entered.planned, devices);
  }
  work.release.reason = text;
  work.AddEvent("stage", text,
                Json({{"stage", index},
                      {"planned", entered.planned},
                      {"devices", devices},
                      {"members_before", TotalOf(work.TalliesNow()).members()}}));
}

}  // namespace ferry::server
