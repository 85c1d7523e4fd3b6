#include "common/base/json.h"
#include "pipeline/event/members.h"
#include "pipeline/operator/operator.h"
#include "pipeline/privacy/privacy.h"

namespace ferry::privacy {
namespace {

Result<std::string> ClassOf(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object()) return Status(Code::kMalformed, "a class is \"local\" or \"public\"");
  constexpr std::string_view kMembers[] = {"class", "k"};
  FERRY_TRY(event::CheckMembers(json, kMembers));
  return GetString(json, "class");
}

Result<int64_t> LeastRowsOf(const Json& json) {
  if (!json.is_object()) return kDefaultLeastRows;
  FERRY_ASSIGN_OR_RETURN(const int64_t k, GetIntOr(json, "k", kDefaultLeastRows));
  if (k >= 2 && k <= operators::kMaxMinRows) return k;
  return Status::Of(Code::kMalformed, "k {} is not from 2 to {}", k, operators::kMaxMinRows);
}

}  // namespace

Result<std::vector<LocalField>> FieldsFromJson(const Json& task) {
  std::vector<LocalField> out;
  FERRY_ASSIGN_OR_RETURN(const Json* fields, GetObjectOrNull(task, "fields"));
  if (fields == nullptr) return out;
  if (fields->size() > kMaxFields)
    return Status::Of(Code::kLimitExceeded, "fields: {} fields, the limit is {}", fields->size(),
                      kMaxFields);
  for (const auto& [name, json] : fields->items()) {
    if (name.empty() || name == "_time_ms")
      return Status::Of(Code::kMalformed, "fields: \"{}\" has no class: it leaves with every row",
                        name);
    FERRY_ASSIGN_OR_RETURN(const std::string text, ClassOf(json).Context("field {}", name));
    FERRY_ASSIGN_OR_RETURN(const int64_t k, LeastRowsOf(json).Context("field {}", name));
    if (text == "local")
      out.push_back({name, k});
    else if (text != "public")
      return Status::Of(Code::kMalformed, "field {}: class \"{}\" is not local or public", name,
                        text);
  }
  return out;
}

std::string Finding::ToString() const {
  return fmt::format(
      "stream {}: field {} carries {}, which is local: it leaves only as count, distinct, mean or "
      "sum of a final window with min_rows {} or more, through bucket(x, size) or keyed_hash(x)",
      stream, field, local, least_rows);
}

Status Check(const Report& report) {
  if (report.findings.empty()) return OkStatus();
  return Status(Code::kPermissionDenied, report.findings[0].ToString());
}

}  // namespace ferry::privacy
