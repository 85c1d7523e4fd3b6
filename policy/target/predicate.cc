#include "policy/target/predicate.h"

#include "policy/target/predicates/make.h"

namespace ferry::target {

const std::vector<const Predicate*>& AllPredicates() {
  static const auto* const kAll = new std::vector<const Predicate*>{
#define FERRY_PREDICATE(Name) Make##Name().release(),
#include "policy/target/predicates/list.inc"
#undef FERRY_PREDICATE
  };
  return *kAll;
}

const Predicate* FindPredicate(std::string_view name) {
  for (const Predicate* predicate : AllPredicates())
    if (predicate->name() == name) return predicate;
  return nullptr;
}

std::string Quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string PrintCondition(const Condition& condition) {
  std::string name(condition.predicate->name()), values;
  const bool call = condition.comparison == Comparison::kCall;
  const bool keyed = !call && condition.predicate->form() == Predicate::Form::kKeyed;
  if (keyed) name += "(" + Quote(condition.values[0]) + ")";
  const bool share = name == "percent";
  for (size_t k = keyed ? 1 : 0; k < condition.values.size(); ++k) {
    if (!values.empty()) values += ", ";
    const bool plain = condition.number || (share && k == 0);
    values += plain ? condition.values[k] : Quote(condition.values[k]);
  }
  if (call) return fmt::format("{}({})", name, values);
  if (condition.comparison == Comparison::kIn) return fmt::format("{} in ({})", name, values);
  return fmt::format("{} {} {}", name, ComparisonText(condition.comparison), values);
}

}  // namespace ferry::target
