#include "policy/gate/gates/make.h"
#include "policy/gate/weigh.h"

namespace ferry::gate {
namespace {

// Stops when a metric is worse than its bound allows or than the control cohort has it.
class Metric : public Gate {
 public:
  std::string_view name() const override { return "metric"; }

  Verdict Judge(const Settings& settings, const Input& input) const override {
    Verdict worst = WorstOf(settings, input, WeighMetrics(settings, input), WeighMetrics);
    if (worst.slice.empty()) worst.reason = "no metric is judged";
    return worst;
  }
};

}  // namespace

std::unique_ptr<Gate> MakeMetric() {
  return std::make_unique<Metric>();
}

}  // namespace ferry::gate
