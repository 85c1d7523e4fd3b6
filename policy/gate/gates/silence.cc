#include <algorithm>

#include "policy/gate/gates/make.h"

namespace ferry::gate {
namespace {

// Where silence counts, most devices of the stage have to answer before it passes: of a stage that
// still takes devices some have always not.
constexpr int64_t kMostPendingDivisor = 10;

// Waits for devices of the present stage that have not answered, until their windows end and their
// silence is a failure. How many are silent is judged by the failure gate.
class Silence : public Gate {
 public:
  std::string_view name() const override { return "silence"; }

  Verdict Judge(const Settings&, const Input& input) const override {
    const Counts& all = PresentAll(input).treated;
    Verdict verdict;
    verdict.slice = kAllSlice;
    verdict.value = static_cast<double>(all.pending);
    verdict.failed = all.failed;
    verdict.healthy = all.healthy;
    if (input.next_overdue_ms == 0 || all.pending * kMostPendingDivisor <= all.exposed) {
      verdict.reason = all.silent == 0
                           ? "no device is late with its report"
                           : fmt::format("{} devices are silent and count as failed", all.silent);
      return verdict;
    }
    verdict.decision = Decision::kWait;
    const int64_t left_ms = std::max<int64_t>(input.next_overdue_ms - input.now_ms, 0);
    verdict.threshold = static_cast<double>(left_ms);
    verdict.reason = fmt::format("{} devices have not reported yet; the oldest has {:.1f} s left",
                                 all.pending, static_cast<double>(left_ms) / 1000);
    return verdict;
  }
};

}  // namespace

std::unique_ptr<Gate> MakeSilence() {
  return std::make_unique<Silence>();
}

}  // namespace ferry::gate
