// What an expression says about itself: its one text, and comparisons that it rests on.
#include <algorithm>

#include "pipeline/expression/expression.h"
#include "pipeline/expression/node.h"

namespace ferry::expression {
namespace {

void Print(const ExpressionNode& node, std::string* out) {
  if (node.op == Op::kConstant) {
    out->append(WriteJson(node.constant));
    return;
  }
  if (node.op != Op::kField) out->append("(").append(OpText(node.op));
  if (node.capture != kNoCapture) out->append(" $").append(std::to_string(node.capture));
  for (const std::string& name : node.path) out->append(".").append(name);
  for (const auto& child : node.children) {
    out->append(" ");
    Print(*child, out);
  }
  if (node.op != Op::kField) out->append(")");
}

std::optional<Ordering> OrderingOf(Op op, bool mirrored) {
  switch (op) {
    case Op::kEqual:
      return Ordering::kEqual;
    case Op::kLess:
      return mirrored ? Ordering::kGreater : Ordering::kLess;
    case Op::kLessEqual:
      return mirrored ? Ordering::kGreaterEqual : Ordering::kLessEqual;
    case Op::kGreater:
      return mirrored ? Ordering::kLess : Ordering::kGreater;
    case Op::kGreaterEqual:
      return mirrored ? Ordering::kLessEqual : Ordering::kGreaterEqual;
    default:
      return std::nullopt;
  }
}

bool IsPlainField(const ExpressionNode& node) {
  return node.op == Op::kField && node.capture == kNoCapture && node.own == OwnName::kNone;
}

std::optional<Bound> BoundOf(const ExpressionNode& node) {
  if (node.children.size() != 2) return std::nullopt;
  const bool mirrored = node.children[0]->op == Op::kConstant;
  const ExpressionNode& field = *node.children[mirrored ? 1 : 0];
  const ExpressionNode& constant = *node.children[mirrored ? 0 : 1];
  const auto ordering = OrderingOf(node.op, mirrored);
  if (!ordering || !IsPlainField(field) || constant.op != Op::kConstant) return std::nullopt;
  const Value& value = constant.value;
  const bool only_equal = value.kind == Value::Kind::kText || value.kind == Value::Kind::kBool;
  if (!value.is_number() && !(only_equal && *ordering == Ordering::kEqual)) return std::nullopt;
  return Bound{field.path, *ordering, constant.constant};
}

// A size above zero that no field has a hand in.
bool IsWidth(const ExpressionNode& node) {
  return node.op == Op::kConstant && node.value.is_number() && node.value.AsDouble() > 0;
}

void CollectCarried(const ExpressionNode& node, std::vector<FieldUse>* out) {
  if (node.op == Op::kKeyedHash) return;
  if (node.op == Op::kBucket && IsWidth(*node.children[1])) return;
  if (!node.path.empty()) out->push_back({node.path, node.capture});
  for (const auto& child : node.children) CollectCarried(*child, out);
}

bool NeedsKey(const ExpressionNode& node) {
  return node.op == Op::kKeyedHash ||
         std::any_of(node.children.begin(), node.children.end(),
                     [](const auto& child) { return NeedsKey(*child); });
}

// True when all of the tree is bounds.
bool CollectBounds(const ExpressionNode& node, std::vector<Bound>* out) {
  if (node.op == Op::kAnd) {
    const bool left = CollectBounds(*node.children[0], out);
    return CollectBounds(*node.children[1], out) && left;
  }
  auto bound = BoundOf(node);
  if (!bound) return false;
  out->push_back(std::move(*bound));
  return true;
}

}  // namespace

std::string_view OpText(Op op) {
  static constexpr std::string_view kTexts[] = {
      "constant", "field", "or",  "and", "not",   "==",  "!=",     "<",         "<=",   ">",
      ">=",       "+",     "-",   "*",   "/",     "%",   "-",      "abs",       "ceil", "floor",
      "round",    "min",   "max", "len", "count", "sum", "bucket", "keyed_hash"};
  return kTexts[static_cast<size_t>(op)];
}

std::string Expression::Canonical() const {
  std::string out;
  Print(*root_, &out);
  return out;
}

std::vector<Bound> Expression::Bounds(bool* complete) const {
  std::vector<Bound> out;
  *complete = CollectBounds(*root_, &out);
  return out;
}

std::vector<FieldUse> Expression::Carried() const {
  std::vector<FieldUse> out;
  CollectCarried(*root_, &out);
  return out;
}

bool Expression::needs_key() const {
  return NeedsKey(*root_);
}

}  // namespace ferry::expression
