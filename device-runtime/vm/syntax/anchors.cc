#include "device-runtime/vm/syntax/anchors.h"

#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {

bool FindAnchors(std::string_view expression, size_t* left, size_t* right) {
  constexpr size_t kMaxExpression = 10'000;
  if (expression.size() > kMaxExpression) return false;
  Arena arena;
  auto body = Parse({expression, ""}, &arena);
  if (!body.ok() || body->size() != 1 || (*body)[0]->kind != Kind::kExpression) return false;
  const Node* node = (*body)[0]->a;
  const auto offset = [](Position at) { return static_cast<size_t>(at.column - 1); };
  if (node->kind == Kind::kIndex) {
    *left = offset(node->a->end);
    *right = offset(node->b->end) + 1;
    return true;
  }
  if (node->kind != Kind::kBinary) return false;
  const auto blank = [&](size_t i) { return expression[i] == ' ' || expression[i] == '\t'; };
  const size_t end = offset(node->b->at);
  for (size_t i = offset(node->a->end); i < end && i < expression.size(); ++i) {
    if (blank(i)) continue;
    *left = i;
    *right = i + 1;
    if (i + 1 < end && !blank(i + 1)) ++*right;
    return true;
  }
  return false;
}

}  // namespace ferry::vm
