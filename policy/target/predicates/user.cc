#include "policy/target/predicates/make.h"

namespace ferry::target {

// user("plan") == "pro": what the app says of who uses it.
std::unique_ptr<Predicate> MakeUser() {
  return MakeKeyedAttribute("user", &Attributes::user);
}

}  // namespace ferry::target
