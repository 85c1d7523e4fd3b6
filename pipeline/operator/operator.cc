#include "pipeline/operator/operator.h"

#include "pipeline/operator/operators/make.h"

namespace ferry::operators {
namespace {

struct OperatorEntry {
  std::string_view name;
  Result<std::unique_ptr<Operator>> (*make)(const Json&, const Surroundings&);
};
constexpr OperatorEntry kOperatorEntries[] = {
#define FERRY_OPERATOR(Name, text) {text, Make##Name},
#include "pipeline/operator/operators/list.inc"
#undef FERRY_OPERATOR
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeOperator(const Json& spec, const Surroundings& around) {
  if (!spec.is_object()) return Status(Code::kMalformed, "an operator is a JSON object");
  FERRY_ASSIGN_OR_RETURN(std::string name, GetString(spec, "op"));
  for (const OperatorEntry& entry : kOperatorEntries)
    if (entry.name == name) return entry.make(spec, around).Context("{}", name);
  return Status::Of(Code::kMalformed, "there is no operator \"{}\"; known are: {}", name,
                    fmt::join(OperatorNames(), " "));
}

std::vector<std::string_view> OperatorNames() {
  std::vector<std::string_view> out;
  for (const OperatorEntry& entry : kOperatorEntries) out.push_back(entry.name);
  return out;
}

}  // namespace ferry::operators
