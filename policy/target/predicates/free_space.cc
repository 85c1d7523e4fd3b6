#include "policy/target/predicates/make.h"

namespace ferry::target {

std::unique_ptr<Predicate> MakeFreeSpace() {
  return MakeSizeAttribute("free_space", &Attributes::free_bytes);
}

}  // namespace ferry::target
