#include "policy/target/predicates/make.h"

namespace ferry::target {

// Whoever says so, the operator or the device itself.
std::unique_ptr<Predicate> MakeTag() {
  return MakeTagSet("tag", "the device has no tags",
                    {&Attributes::operator_tags, &Attributes::tags});
}

}  // namespace ferry::target
