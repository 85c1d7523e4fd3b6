#include <numeric>

#include "pipeline/operator/window/slices.h"

namespace ferry::operators {

// size_ms and step_ms: windows [k step, k step + size), step at most size.
Result<std::unique_ptr<Operator>> MakeSlidingWindow(const Json& spec) {
  FERRY_ASSIGN_OR_RETURN(const int64_t size_ms, ReadDuration(spec, "size_ms", 1));
  FERRY_ASSIGN_OR_RETURN(const int64_t step_ms, ReadDuration(spec, "step_ms", 1));
  if (step_ms > size_ms)
    return Status::Of(Code::kMalformed, "step_ms {} is above size_ms {}", step_ms, size_ms);
  if (const int64_t slices = size_ms / std::gcd(size_ms, step_ms); slices > kMaxSlices)
    return Status::Of(Code::kLimitExceeded, "a window of {} slices of {} ms, the limit is {}",
                      slices, std::gcd(size_ms, step_ms), kMaxSlices);
  FERRY_ASSIGN_OR_RETURN(WindowSpec window, ReadWindow(spec, {"size_ms", "step_ms"}, {}));
  return std::unique_ptr<Operator>(std::make_unique<Slices>(std::move(window), size_ms, step_ms));
}

}  // namespace ferry::operators
