// Runs graphs that cannot be planned as a whole: in parts, each planned when its inputs' types are
// known, with evaluated nodes between them.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "device-runtime/engine/plan.h"
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/passes/part.h"

namespace ferry::engine {

// One session's; one thread at a time. Plans are kept between runs within the limits of
// engine/plan.h; those of one place run in one arena.
class GraphRunner : public ops::BodyRunner {
 public:
  // All must outlive the runner; `parallel` may be given anew for each run.
  GraphRunner(const Model::State& model, const backends::CpuDevice& device,
              std::shared_ptr<tensor::MemoryBudget> budget, const PlanSettings& settings = {});
  ~GraphRunner() override;

  // Runs the model's graph on one value an input. Outputs may lie in memory of the runner or the
  // inputs: they stay valid until the next run.
  Result<std::vector<tensor::Value>> Run(std::vector<tensor::Value> inputs,
                                         sys::Parallel& parallel);

  // For EvaluateContext. The results own their elements; what owned them before is shared.
  Result<std::vector<tensor::Value>> RunBody(const ir::Graph& body,
                                             std::vector<tensor::Value> inputs) override;

  // One line a step of all plans that are kept; sizes of places add up.
  Session::PlanInfo Info() const;
  // Of all plans that are kept, appended; what runs node by node has no report.
  void Explain(std::vector<StepReport>& reports) const;

 private:
  struct PlannedPart;
  struct Place {
    std::vector<std::unique_ptr<PlannedPart>> parts;  // the latest used last
    std::shared_ptr<Arena> arena;                     // null: nothing was planned
  };
  class GraphRun;

  // Keeps a plan as the latest of its place; others go where there are too many.
  PlannedPart* Keep(Place& place, std::unique_ptr<PlannedPart> made);
  bool DropOldest();  // of all places; false when each is in use

  // Frees the plans in whose arenas no value of a present run lies; false when there was none.
  bool DropIdlePlans();

  const Model::State& model_;
  const backends::CpuDevice& device_;
  std::shared_ptr<tensor::MemoryBudget> budget_;
  const PlanSettings settings_;
  sys::Parallel* parallel_ = nullptr;
  std::map<std::pair<const ir::Graph*, size_t>, Place> places_;
  int64_t kept_bytes_ = 0;            // of all plans
  int64_t uses_ = 0;                  // of plans so far
  std::unique_ptr<GraphRun> latest_;  // of the model's graph: its outputs stay valid
};

}  // namespace ferry::engine
