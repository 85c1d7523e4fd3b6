#include "policy/target/rule.h"

#include "policy/target/predicate.h"

namespace ferry::target {
namespace {

struct Judged {
  Truth truth;
  // Why it is not true (when it is not), or why it is not false (asked for under `not`).
  std::string why;
};

NodePtr Make(Node::Kind kind, std::vector<NodePtr> children) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->children = std::move(children);
  return node;
}

class Evaluator {
 public:
  Evaluator(const Attributes& device, std::string_view salt, bool explain)
      : device_(device), salt_(salt), explain_(explain) {}

  // `negated`: under an odd number of nots, where a true child is what fails.
  Judged Judge(const Node& node, bool negated) const {
    switch (node.kind) {
      case Node::Kind::kAll:
        return {Truth::kTrue, negated ? "`all` matches every device" : ""};
      case Node::Kind::kCondition:
        return JudgeCondition(node.condition, negated);
      case Node::Kind::kNot:
        return JudgeNot(node, negated);
      case Node::Kind::kAnd:
        return JudgeMany(node, Truth::kFalse, Truth::kTrue, negated);
      case Node::Kind::kOr:
        return JudgeMany(node, Truth::kTrue, Truth::kFalse, negated);
    }
    return {Truth::kUnknown, ""};
  }

 private:
  Judged JudgeCondition(const Condition& condition, bool negated) const {
    if (!explain_) return {condition.predicate->Decide(condition, device_, salt_), {}};
    Outcome outcome = condition.predicate->Test(condition, device_, salt_);
    return {outcome.truth, fmt::format("{}, needed {}{}", outcome.found, negated ? "not " : "",
                                       PrintCondition(condition))};
  }

  Judged JudgeNot(const Node& node, bool negated) const {
    Judged child = Judge(*node.children[0], !negated);
    if (child.truth == Truth::kTrue)
      child.truth = Truth::kFalse;
    else if (child.truth == Truth::kFalse)
      child.truth = Truth::kTrue;
    return child;
  }

  // And: one false decides; or: one true decides. Otherwise one unknown makes it unknown.
  Judged JudgeMany(const Node& node, Truth decides, Truth neutral, bool negated) const {
    const Truth good = negated ? Truth::kFalse : Truth::kTrue;
    Truth truth = neutral;
    std::vector<std::string> failed;
    for (const NodePtr& child : node.children) {
      Judged judged = Judge(*child, negated);
      if (judged.truth == Truth::kUnknown) truth = Truth::kUnknown;
      if (explain_ && judged.truth != good) failed.push_back(std::move(judged.why));
      if (judged.truth == decides) {
        truth = decides;
        break;
      }
    }
    return {truth, explain_ ? Join(failed, decides != good) : ""};
  }

  // Of an `and` the first failure says it all; of an `or` every branch failed.
  static std::string Join(const std::vector<std::string>& failed, bool first_only) {
    if (failed.empty()) return "";
    if (first_only || failed.size() == 1) return failed[0];
    constexpr size_t kShown = 5;
    std::string out = "none of: ";
    for (size_t k = 0; k < failed.size() && k < kShown; ++k)
      out += (k > 0 ? "; or " : "") + failed[k];
    if (failed.size() > kShown) out += fmt::format("; and {} more", failed.size() - kShown);
    return out;
  }

  const Attributes& device_;
  std::string_view salt_;
  bool explain_;
};

}  // namespace

std::string_view ComparisonText(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEqual:
      return "==";
    case Comparison::kNotEqual:
      return "!=";
    case Comparison::kLess:
      return "<";
    case Comparison::kLessEqual:
      return "<=";
    case Comparison::kGreater:
      return ">";
    case Comparison::kGreaterEqual:
      return ">=";
    case Comparison::kIn:
    case Comparison::kInRange:
      return "in";
    case Comparison::kCall:
      return "";
  }
  return "";
}

Rule::Rule() : root_(AllNode()) {}

NodePtr AllNode() {
  static const NodePtr* const kAll = new NodePtr(Make(Node::Kind::kAll, {}));
  return *kAll;
}

NodePtr ConditionNode(Condition condition) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kCondition;
  node->condition = std::move(condition);
  return node;
}

NodePtr NotNode(NodePtr child) {
  return Make(Node::Kind::kNot, {std::move(child)});
}
NodePtr AndNode(std::vector<NodePtr> children) {
  return Make(Node::Kind::kAnd, std::move(children));
}
NodePtr OrNode(std::vector<NodePtr> children) {
  return Make(Node::Kind::kOr, std::move(children));
}

Truth TruthOf(const Rule& rule, const Attributes& device, std::string_view salt) {
  return Evaluator(device, salt, false).Judge(*rule.root(), false).truth;
}

bool Matches(const Rule& rule, const Attributes& device, std::string_view salt) {
  return TruthOf(rule, device, salt) == Truth::kTrue;
}

Explanation Explain(const Rule& rule, const Attributes& device, std::string_view salt) {
  Judged judged = Evaluator(device, salt, true).Judge(*rule.root(), false);
  if (judged.truth == Truth::kTrue) return {true, "matches"};
  return {false, std::move(judged.why)};
}

}  // namespace ferry::target
