#include <algorithm>
#include <cmath>

#include "common/base/json.h"
#include "pipeline/event/event.h"
#include "pipeline/rule/rule.h"

namespace ferry::rule {
namespace {

// Doubles that are whole become integers, so that 1 and 1.0 are one key; also inside of arrays.
Json OneForm(const Json& value) {
  if (const auto* number = value.get_ptr<const Json::number_float_t*>()) {
    constexpr double kSigned = 9223372036854775808.0, kUnsigned = 18446744073709551616.0;
    if (std::floor(*number) != *number) return value;
    if (*number >= -kSigned && *number < kSigned) return static_cast<int64_t>(*number);
    if (*number >= kSigned && *number < kUnsigned) return static_cast<uint64_t>(*number);
    return value;
  }
  if (!value.is_structured()) return value;
  Json out = value;
  for (Json& item : out) item = OneForm(item);
  return out;
}

Json PartOf(const std::string& field, const event::Event& event) {
  if (field == "_page") return event.page;
  if (field == "_event") return event.id;
  const Json* at = &event.data;
  for (size_t begin = 0; begin <= field.size();) {
    const size_t end = std::min(field.find('.', begin), field.size());
    if (!at->is_object()) return nullptr;
    const auto found = at->find(field.substr(begin, end - begin));
    if (found == at->end()) return nullptr;
    at = &*found;
    begin = end + 1;
  }
  return OneForm(*at);
}

}  // namespace

std::string KeyText(std::span<const std::string> per, const event::Event& event) {
  if (per.empty()) return "[]";
  Json key = Json::array();
  for (const std::string& field : per) key.push_back(PartOf(field, event));
  return WriteJson(key);
}

}  // namespace ferry::rule
