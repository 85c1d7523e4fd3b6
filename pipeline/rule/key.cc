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

// The value that a path of members leads to; null: there is none.
const Json* ValueAt(const std::string& field, const Json& data) {
  const Json* at = &data;
  for (size_t begin = 0; begin <= field.size();) {
    const size_t end = std::min(field.find('.', begin), field.size());
    if (!at->is_object()) return nullptr;
    const bool whole = begin == 0 && end == field.size();
    const auto found = whole ? at->find(field) : at->find(field.substr(begin, end - begin));
    if (found == at->end()) return nullptr;
    at = &*found;
    begin = end + 1;
  }
  return at;
}

// Whether JSON text has it as it is.
bool IsBare(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

void PutQuoted(std::string_view text, std::string* out) {
  if (IsBare(text))
    out->append(1, '"').append(text).append(1, '"');
  else
    out->append(WriteJson(Json(text)));
}

void PutValue(const Json& value, std::string* out) {
  if (const auto* text = value.get_ptr<const Json::string_t*>())
    PutQuoted(*text, out);
  else if (const auto* whole = value.get_ptr<const Json::number_unsigned_t*>())
    out->append(std::to_string(*whole));
  else
    out->append(WriteJson(OneForm(value)));
}

}  // namespace

std::string KeyText(std::span<const std::string> per, const event::Event& event) {
  std::string out = "[";
  for (const std::string& field : per) {
    if (out.size() > 1) out.push_back(',');
    if (field == "_page")
      PutQuoted(event.page, &out);
    else if (field == "_event")
      PutQuoted(event.id, &out);
    else if (const Json* const value = ValueAt(field, event.data))
      PutValue(*value, &out);
    else
      out.append("null");
  }
  out.push_back(']');
  return out;
}

}  // namespace ferry::rule
