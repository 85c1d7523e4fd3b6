// The makers of all predicates, one a row of list.inc, and two forms that several share.
#pragma once

#include <memory>
#include <optional>

#include "policy/target/predicate.h"

namespace ferry::target {

#define FERRY_PREDICATE(Name) std::unique_ptr<Predicate> Make##Name();
#include "policy/target/predicates/list.inc"
#undef FERRY_PREDICATE

using Field = std::optional<std::string> Attributes::*;

// An attribute that is compared as text: == != in.
std::unique_ptr<Predicate> MakeTextAttribute(std::string_view name, Field field);
// An attribute that is compared as a semantic version: == != < <= > >= in. A device whose value is
// no version counts as one that did not send it.
std::unique_ptr<Predicate> MakeVersionAttribute(std::string_view name, Field field);

inline Truth ToTruth(bool value) {
  return value ? Truth::kTrue : Truth::kFalse;
}

}  // namespace ferry::target
