// The makers of all predicates, one a row of list.inc, and the forms that several share.
#pragma once

#include <compare>
#include <map>
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
// An attribute that is compared as a semantic version: == != < <= > >= in, and in with a range. A
// device whose value is no version counts as one that did not send it.
std::unique_ptr<Predicate> MakeVersionAttribute(std::string_view name, Field field);

using SizeField = std::optional<int64_t> Attributes::*;

// An attribute in bytes, compared with a number and its unit: == != < <= > >=.
std::unique_ptr<Predicate> MakeSizeAttribute(std::string_view name, SizeField field);

using MapField = std::map<std::string, std::string> Attributes::*;

// name("key", "a", "b"), name("key") == "a", name("key") in ("a", "b"), name("key") > 20,
// name("key") in ">=1.2 <2".
std::unique_ptr<Predicate> MakeKeyedAttribute(std::string_view name, MapField field);

using TagsOf = std::vector<std::string> Attributes::*;

// A call with tags, one of which must be in one of `sets`, or stand above one that is: "eu/de" is
// met by "eu/de/berlin". `none`: what is said of a device without any.
std::unique_ptr<Predicate> MakeTagSet(std::string_view name, std::string_view none,
                                      std::vector<TagsOf> sets);

// ---- compare.cc
// Whether `order` is what the comparison asks for; kIn as kEqual.
bool Holds(std::strong_ordering order, Comparison comparison);
// Whether the version `text` is in the range; unknown when it is none. `found`: the words for it.
Outcome TestRange(const std::string& range, const std::string& text, std::string found);

inline Truth ToTruth(bool value) {
  return value ? Truth::kTrue : Truth::kFalse;
}

}  // namespace ferry::target
