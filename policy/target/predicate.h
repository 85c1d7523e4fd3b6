// What a kind of condition is: one file each under predicates/, one row each in
// predicates/list.inc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/target/rule.h"

namespace ferry::target {

struct Outcome {
  Truth truth = Truth::kFalse;
  std::string found;  // what the device has, in words: `os is "ios"`, "app_version is not known"
};

// Stateless; one object each, alive for ever; any thread.
class Predicate {
 public:
  enum class Form {
    kAttribute,  // name <comparison> "value", name in ("a", "b")
    kCall,       // name("value", ..)
    kKeyed,      // name("key", "value", ..), or name("key") and what follows an attribute's name
  };
  virtual ~Predicate() = default;
  virtual std::string_view name() const = 0;
  virtual Form form() const = 0;
  // kBadRule when comparison or values do not suit. The parser calls it for every condition.
  virtual Status Check(const Condition& condition) const = 0;
  // `condition` has passed Check.
  virtual Outcome Test(const Condition& condition, const Attributes& device,
                       std::string_view salt) const = 0;
  // The truth of Test without its words: asked of whole fleets at once.
  virtual Truth Decide(const Condition& condition, const Attributes& device,
                       std::string_view salt) const {
    return Test(condition, device, salt).truth;
  }
};

// nullptr when there is none of that name.
const Predicate* FindPredicate(std::string_view name);
const std::vector<const Predicate*>& AllPredicates();  // in the order of list.inc

// The text of one condition as rules write it: `device_class in ("high", "mid")`.
std::string PrintCondition(const Condition& condition);
// A quoted string with \" and \\ escaped.
std::string Quote(std::string_view text);

}  // namespace ferry::target
