#include "policy/gate/gates/make.h"

namespace ferry::gate {
namespace {

// Waits until the stage has lasted its least healthy time and enough devices reported well: at
// least one where the release has reached any.
class Soak : public Gate {
 public:
  std::string_view name() const override { return "soak"; }

  Verdict Judge(const Settings&, const Input& input) const override {
    const SliceCounts all = AllOf(input);
    const int64_t lasted_ms = input.now_ms - input.stage_since_ms;
    Verdict verdict;
    verdict.slice = "all";
    verdict.value = static_cast<double>(lasted_ms);
    verdict.threshold = static_cast<double>(input.min_healthy_ms);
    verdict.failed = all.failed + all.overdue;
    verdict.healthy = all.healthy;
    if (lasted_ms < input.min_healthy_ms) {
      verdict.decision = Decision::kWait;
      verdict.reason =
          fmt::format("healthy for {:.1f} of {:.1f} s", static_cast<double>(lasted_ms) / 1000,
                      static_cast<double>(input.min_healthy_ms) / 1000);
    } else if (all.healthy < input.min_reports) {
      verdict.decision = Decision::kWait;
      verdict.reason =
          fmt::format("{} of {} devices have reported well", all.healthy, input.min_reports);
    } else if (all.healthy == 0 && all.failed + all.overdue + all.pending > 0) {
      // Silence is no evidence, also where no least number of reports is asked for.
      verdict.decision = Decision::kWait;
      verdict.reason = "no device that was reached has reported well yet";
    } else {
      verdict.reason = fmt::format("healthy for {:.1f} s with {} good reports",
                                   static_cast<double>(lasted_ms) / 1000, all.healthy);
    }
    return verdict;
  }
};

}  // namespace

std::unique_ptr<Gate> MakeSoak() {
  return std::make_unique<Soak>();
}

}  // namespace ferry::gate
