#include "policy/target/predicate.h"
#include "policy/text/rule_text.h"

namespace ferry::text {
namespace {

using target::Node;
using Kind = Node::Kind;

// `or` binds least, then `and`, then `not` and the rest.
int Strength(const Node& node) {
  if (node.kind == Kind::kOr) return 0;
  if (node.kind == Kind::kAnd) return 1;
  return 2;
}

std::string Print(const Node& node, int at_least) {
  if (Strength(node) < at_least) return "(" + Print(node, 0) + ")";
  switch (node.kind) {
    case Kind::kAll:
      return "all";
    case Kind::kCondition:
      return PrintCondition(node.condition);
    case Kind::kNot:
      return "not " + Print(*node.children[0], 2);
    case Kind::kAnd:
    case Kind::kOr:
      break;
  }
  const bool is_and = node.kind == Kind::kAnd;
  std::string out;
  for (const target::NodePtr& child : node.children) {
    if (!out.empty()) out += is_and ? " and " : " or ";
    out += Print(*child, is_and ? 2 : 1);
  }
  return out;
}

}  // namespace

std::string PrintRule(const target::Rule& rule) {
  return Print(*rule.root(), 0);
}

}  // namespace ferry::text
