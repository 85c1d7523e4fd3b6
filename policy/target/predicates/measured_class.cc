#include "policy/target/predicates/make.h"

namespace ferry::target {

std::unique_ptr<Predicate> MakeMeasuredClass() {
  return MakeTextAttribute("measured_class", &Attributes::measured_class);
}

}  // namespace ferry::target
