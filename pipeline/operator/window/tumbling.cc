#include "pipeline/operator/window/slices.h"

namespace ferry::operators {

// size_ms: windows [k size, (k + 1) size).
Result<std::unique_ptr<Operator>> MakeTumblingWindow(const Json& spec) {
  FERRY_ASSIGN_OR_RETURN(const int64_t size_ms, ReadDuration(spec, "size_ms", 1));
  FERRY_ASSIGN_OR_RETURN(WindowSpec window, ReadWindow(spec, {"size_ms"}, {}));
  return std::unique_ptr<Operator>(std::make_unique<Slices>(std::move(window), size_ms, size_ms));
}

}  // namespace ferry::operators
