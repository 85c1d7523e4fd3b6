// The groups of a fleet. A group is a fixed list of devices, which the server keeps beside the
// devices (Attributes::groups), or a saved rule. A saved rule may name fixed lists and no other
// saved rule, so that no cycle is possible and what one look at a device costs stays bounded.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "policy/target/attributes.h"
#include "policy/target/rule.h"

namespace ferry::target {

inline constexpr size_t kMaxGroups = 256;  // of a fleet
inline constexpr size_t kMaxGroupNameBytes = 64;

// 1 to kMaxGroupNameBytes characters of [A-Za-z0-9._-], not starting with a dot; kInvalidArgument.
Status CheckGroupName(std::string_view name);

// The names in group("..") of a rule.
std::set<std::string> GroupsNamedBy(const Rule& rule);

// Immutable; any thread.
class Groups {
 public:
  // By name: a saved rule, or nullopt for a fixed list. kBadRule for a saved rule that names
  // another saved rule or what is no group; kLimitExceeded past kMaxGroups; as CheckGroupName.
  static Result<std::shared_ptr<const Groups>> Make(
      std::map<std::string, std::optional<Rule>, std::less<>> groups);

  bool Has(std::string_view name) const { return groups_.find(name) != groups_.end(); }
  // Null for a fixed list and for what is no group.
  const Rule* RuleOf(std::string_view name) const;

 private:
  std::map<std::string, std::optional<Rule>, std::less<>> groups_;
};

// Whether the device is in the group, and in words why or why not. kUnknown where a saved rule
// tests what is not known of the device, and where there is no such group. percent(..) in a saved
// rule is salted with the group's name: who is in a group does not depend on who asks.
struct Membership {
  Truth truth = Truth::kUnknown;
  std::string found;
};
Membership MembershipOf(std::string_view group, const Attributes& device);

}  // namespace ferry::target
