#include "policy/target/predicates/make.h"

namespace ferry::target {

std::unique_ptr<Predicate> MakeOperatorTag() {
  return MakeTagSet("operator_tag", "the operator gave the device no tags",
                    {&Attributes::operator_tags});
}

}  // namespace ferry::target
