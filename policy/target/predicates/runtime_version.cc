#include "policy/target/predicates/make.h"

namespace ferry::target {

std::unique_ptr<Predicate> MakeRuntimeVersion() {
  return MakeVersionAttribute("runtime_version", &Attributes::runtime_version);
}

}  // namespace ferry::target
