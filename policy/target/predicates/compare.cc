#include "policy/target/predicates/make.h"
#include "policy/target/range.h"

namespace ferry::target {

bool Holds(std::strong_ordering order, Comparison comparison) {
  switch (comparison) {
    case Comparison::kLess:
      return order < 0;
    case Comparison::kLessEqual:
      return order <= 0;
    case Comparison::kGreater:
      return order > 0;
    case Comparison::kGreaterEqual:
      return order >= 0;
    case Comparison::kNotEqual:
      return order != 0;
    default:
      return order == 0;
  }
}

Outcome TestRange(const std::string& range, const std::string& text, std::string found) {
  auto version = ParseVersion(text);
  auto wanted = ParseRange(range);
  if (!version.ok() || !wanted.ok())
    return {Truth::kUnknown, std::move(found) + ", which is no semantic version"};
  return {ToTruth(Contains(*wanted, *version)), std::move(found)};
}

}  // namespace ferry::target
