#include "policy/target/predicates/make.h"

namespace ferry::target {

std::unique_ptr<Predicate> MakeOwnTag() {
  return MakeTagSet("own_tag", "the device gives itself no tags", {&Attributes::tags});
}

}  // namespace ferry::target
