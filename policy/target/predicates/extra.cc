#include "policy/target/predicates/make.h"

namespace ferry::target {

// extra("region", "eu", "us"), extra("battery") > 20: the operator's own attributes.
std::unique_ptr<Predicate> MakeExtra() {
  return MakeKeyedAttribute("extra", &Attributes::extra);
}

}  // namespace ferry::target
