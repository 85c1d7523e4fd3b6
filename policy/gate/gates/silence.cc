#include <algorithm>

#include "policy/gate/gates/make.h"

namespace ferry::gate {
namespace {

// Waits for devices that were offered the release and have not answered, until their report
// time-out makes them overdue. How many are overdue is judged by the failure gate.
class Silence : public Gate {
 public:
  std::string_view name() const override { return "silence"; }

  Verdict Judge(const Settings&, const Input& input) const override {
    const SliceCounts all = AllOf(input);
    Verdict verdict;
    verdict.slice = "all";
    verdict.value = static_cast<double>(all.pending);
    verdict.failed = all.failed + all.overdue;
    verdict.healthy = all.healthy;
    if (all.pending == 0 || input.next_overdue_ms == 0) {
      verdict.reason = all.overdue == 0
                           ? "no device is late with its report"
                           : fmt::format("{} devices are overdue and count as failed", all.overdue);
      return verdict;
    }
    verdict.decision = Decision::kWait;
    const int64_t left_ms = input.next_overdue_ms - input.now_ms;
    verdict.threshold = static_cast<double>(left_ms);
    verdict.reason =
        fmt::format("{} devices have not reported yet; the oldest has {:.1f} s left", all.pending,
                    static_cast<double>(std::max<int64_t>(left_ms, 0)) / 1000);
    return verdict;
  }
};

}  // namespace

std::unique_ptr<Gate> MakeSilence() {
  return std::make_unique<Silence>();
}

}  // namespace ferry::gate
