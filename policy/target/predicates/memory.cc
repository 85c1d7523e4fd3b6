#include "policy/target/predicates/make.h"

namespace ferry::target {

std::unique_ptr<Predicate> MakeMemory() {
  return MakeSizeAttribute("memory", &Attributes::memory_bytes);
}

}  // namespace ferry::target
