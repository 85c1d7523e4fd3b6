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

int64_t CountPlanned(const Work& work, int64_t index) {
  int64_t planned = 0;
  for (const DeviceRow& device : work.rows.devices) {
    if (device.blocked) continue;
    if (stage::Includes(work.plan, static_cast<size_t>(index), AttributesOf(device),
                        work.release.salt)
            .matches)
      ++planned;
  }
  return planned;
}

}  // namespace

void EnterStage(Work& work, int64_t index) {
  StageRow& left = work.stages[static_cast<size_t>(work.release.stage)];
  if (left.entered_ms != 0) left.left_ms = work.now_ms;
  if (index >= static_cast<int64_t>(work.stages.size())) {
    work.release.state = ReleaseState::kComplete;
    work.release.reason = "every stage passed its gates";
    work.completed = true;
    work.AddEvent("complete", "every stage passed its gates",
                  Json({{"members", work.members.size()}}));
    return;
  }
  const stage::Stage& stage = work.plan.stages[static_cast<size_t>(index)];
  StageRow& entered = work.stages[static_cast<size_t>(index)];
  work.release.stage = index;
  work.release.stage_since_ms = work.now_ms;
  work.release.state = StateOf(stage.kind);
  entered.entered_ms = work.now_ms;
  entered.planned = stage.kind == stage::Kind::kSimulation ? 0 : CountPlanned(work, index);
  std::string text = fmt::format("stage {} of {}: {}", index + 1, work.stages.size(), stage.name);
  if (stage.kind == stage::Kind::kSimulation) {
    text += ", before any device gets it";
    work.run_simulation = true;
  } else {
    text += fmt::format(", reaches {} of {} devices", entered.planned, work.rows.devices.size());
  }
  work.release.reason = text;
  work.AddEvent("stage", text,
                Json({{"stage", index},
                      {"planned", entered.planned},
                      {"devices", work.rows.devices.size()},
                      {"members_before", work.members.size()}}));
}

}  // namespace ferry::server
