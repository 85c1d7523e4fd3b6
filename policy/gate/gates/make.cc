#include "policy/gate/gates/make.h"

namespace ferry::gate {

SliceCounts AllOf(const Input& input) {
  for (const SliceCounts& counts : input.slices)
    if (counts.slice == "all") return counts;
  return {"all"};
}

}  // namespace ferry::gate
