#include "pipeline/operator/operator.h"

#include <algorithm>

#include "pipeline/operator/operators/make.h"

namespace ferry::operators {
namespace {

struct Entry {
  std::string_view name;
  Result<std::unique_ptr<Operator>> (*make)(const Json&);
};
constexpr Entry kEntries[] = {
#define FERRY_OPERATOR(Name, text) {text, Make##Name},
#include "pipeline/operator/operators/list.inc"
#undef FERRY_OPERATOR
};

}  // namespace

Status CheckMembers(const Json& object, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return Status::Of(Code::kMalformed, "there is no member \"{}\"", key);
  return OkStatus();
}

Result<std::unique_ptr<Operator>> MakeOperator(const Json& spec) {
  if (!spec.is_object()) return Status(Code::kMalformed, "an operator is a JSON object");
  FERRY_ASSIGN_OR_RETURN(std::string name, GetString(spec, "op"));
  for (const Entry& entry : kEntries)
    if (entry.name == name) return entry.make(spec).Context("{}", name);
  return Status::Of(Code::kMalformed, "there is no operator \"{}\"; known are: {}", name,
                    fmt::join(OperatorNames(), " "));
}

std::vector<std::string_view> OperatorNames() {
  std::vector<std::string_view> out;
  for (const Entry& entry : kEntries) out.push_back(entry.name);
  return out;
}

}  // namespace ferry::operators
