#include "policy/target/predicates/make.h"

namespace ferry::target {

std::unique_ptr<Predicate> MakeAppVersion() {
  return MakeVersionAttribute("app_version", &Attributes::app_version);
}

}  // namespace ferry::target
