// A rule: who a release reaches. The tree that policy/text parses, and its evaluation. Immutable
// and shared, so that copies are cheap; any thread may evaluate.
//
// Truth has three values (Kleene): a condition on an attribute that the device did not send is
// unknown, `not` keeps unknown, and only a rule that is true matches. So a missing attribute never
// lets a device in, under `not` neither.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "policy/target/attributes.h"

namespace ferry::target {

enum class Comparison {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kInRange,  // of versions, "in" before one string
  kCall
};
std::string_view ComparisonText(Comparison comparison);  // "==", ..., "in" (both), "" for kCall

class Predicate;

// One leaf: app_version >= "1.2.0", device_class in ("high", "mid"), tag("beta"), percent(20).
// `values` holds the texts; a number keeps its decimal text and its unit, "4 GiB". In
// extra("battery") > 20 the first value is the key.
struct Condition {
  const Predicate* predicate = nullptr;  // a row of predicates/list.inc; lives for ever
  Comparison comparison = Comparison::kEqual;
  std::vector<std::string> values;
  bool number = false;  // the value after the comparison is a number, not a string
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  enum class Kind { kAll, kCondition, kNot, kAnd, kOr };
  Kind kind = Kind::kAll;
  Condition condition;            // kCondition
  std::vector<NodePtr> children;  // one for kNot, two or more for kAnd and kOr
};

// The default rule is `all`: every device.
class Rule {
 public:
  Rule();
  explicit Rule(NodePtr root) : root_(std::move(root)) {}
  const NodePtr& root() const { return root_; }

 private:
  NodePtr root_;
};

// Node makers. And / Or take two or more.
NodePtr AllNode();
NodePtr ConditionNode(Condition condition);
NodePtr NotNode(NodePtr child);
NodePtr AndNode(std::vector<NodePtr> children);
NodePtr OrNode(std::vector<NodePtr> children);

enum class Truth { kFalse, kUnknown, kTrue };

struct Explanation {
  bool matches = false;
  // Not matching: the first condition that failed, in words, such as
  // `app_version is "0.9.0", needed app_version >= "1.2.0"`. Matching: "matches".
  std::string reason;
};

// What the rule is for the device; Matches is that it is kTrue.
Truth TruthOf(const Rule& rule, const Attributes& device, std::string_view salt);
// `salt` is the release's: percent(..) without a salt of its own uses it.
bool Matches(const Rule& rule, const Attributes& device, std::string_view salt);
Explanation Explain(const Rule& rule, const Attributes& device, std::string_view salt);

}  // namespace ferry::target
