#include "cloud-server/store/sql/repositories.h"
#include "common/base/json.h"

namespace ferry::server {

std::string WriteTexts(const std::vector<std::string>& texts) {
  return WriteJson(Json(texts));
}

Result<std::vector<std::string>> ReadTexts(const std::string& json) {
  FERRY_ASSIGN_OR_RETURN(Json parsed, ParseJson(json).Context("a stored list"));
  std::vector<std::string> texts;
  if (!parsed.is_array()) return Status(Code::kInternal, "a stored list is no array");
  for (const Json& item : parsed) {
    const auto* text = item.get_ptr<const std::string*>();
    if (text == nullptr) return Status(Code::kInternal, "a stored list holds no text");
    texts.push_back(*text);
  }
  return texts;
}

std::string WriteNumbers(const std::map<std::string, double>& numbers) {
  return numbers.empty() ? std::string() : WriteJson(Json(numbers));
}

Result<std::map<std::string, double>> ReadNumbers(const std::string& json) {
  std::map<std::string, double> numbers;
  if (json.empty()) return numbers;
  FERRY_ASSIGN_OR_RETURN(const Json parsed, ParseJson(json).Context("stored numbers"));
  for (const auto& [name, value] : parsed.items())
    if (value.is_number()) numbers[name] = value.get<double>();
  return numbers;
}

Status Missing(std::string_view what, std::string_view name) {
  return Status::Of(Code::kNotFound, "there is no {} {}", what, name);
}

}  // namespace ferry::server
