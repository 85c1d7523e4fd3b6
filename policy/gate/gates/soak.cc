#include "policy/gate/gates/make.h"

namespace ferry::gate {
namespace {

// Waits until the stage has lasted its least healthy time, and enough of the devices that it took
// itself reported well and were watched as long.
class Soak : public Gate {
 public:
  std::string_view name() const override { return "soak"; }

  Verdict Judge(const Settings&, const Input& input) const override {
    const Counts& all = PresentAll(input).treated;
    const int64_t lasted_ms = input.now_ms - input.stage_since_ms;
    const int64_t required = RequiredReports(input);
    Verdict verdict;
    verdict.slice = kAllSlice;
    verdict.value = static_cast<double>(lasted_ms);
    verdict.threshold = static_cast<double>(input.min_healthy_ms);
    verdict.failed = all.failed;
    verdict.healthy = all.healthy;
    if (lasted_ms < input.min_healthy_ms) {
      verdict.decision = Decision::kWait;
      verdict.reason =
          fmt::format("healthy for {:.1f} of {:.1f} s", static_cast<double>(lasted_ms) / 1000,
                      static_cast<double>(input.min_healthy_ms) / 1000);
    } else if (all.healthy < required) {
      verdict.decision = Decision::kWait;
      verdict.reason =
          fmt::format("{} of {} devices of this stage have reported well", all.healthy, required);
    } else {
      verdict.reason = fmt::format("healthy for {:.1f} s with {} good reports of this stage",
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
