#include "policy/target/predicates/make.h"

namespace ferry::target {

std::unique_ptr<Predicate> MakeDeviceClass() {
  return MakeTextAttribute("device_class", &Attributes::device_class);
}

}  // namespace ferry::target
