#include "policy/target/predicates/make.h"

namespace ferry::target {

std::unique_ptr<Predicate> MakeOs() {
  return MakeTextAttribute("os", &Attributes::os);
}

}  // namespace ferry::target
