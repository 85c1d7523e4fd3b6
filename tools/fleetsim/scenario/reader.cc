#include "tools/fleetsim/scenario/reader.h"

#include <fmt/format.h>

#include "tools/fleetsim/scenario/place.h"

namespace ferry::fleetsim {

ScenarioText ScenarioText::Below(const std::string& piece) const {
  ScenarioText below = *this;
  below.path.push_back(piece);
  return below;
}

Status ScenarioText::Wrong(const std::string& what, bool key) const {
  const Place place = PlaceOf(text, path, key);
  return Status::Of(Code::kInvalidArgument, "line {}, column {}: {}", place.line, place.column,
                    what);
}

ObjectReader::ObjectReader(const Json& object, ScenarioText at)
    : object_(object), at_(std::move(at)) {
  if (!object_.is_object()) status_ = at_.Wrong("wanted an object");
}

const Json* ObjectReader::Value(const char* name) {
  known_.insert(name);
  if (!status_.ok()) return nullptr;
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void ObjectReader::Fail(const char* name, const std::string& what) {
  if (status_.ok()) status_ = at_.Below(name).Wrong(fmt::format("{}: {}", name, what));
}

void ObjectReader::Number(const char* name, double least, double most, double* out) {
  const Json* value = Value(name);
  if (value == nullptr) return;
  if (!value->is_number()) return Fail(name, "wanted a number");
  const double number = value->get<double>();
  if (!(number >= least && number <= most))
    return Fail(name, fmt::format("{} is not from {} to {}", number, least, most));
  *out = number;
}

void ObjectReader::Whole(const char* name, int64_t least, int64_t most, int64_t* out) {
  const Json* value = Value(name);
  if (value == nullptr) return;
  if (!value->is_number_integer()) return Fail(name, "wanted a whole number");
  const auto number = value->get<int64_t>();
  if (number < least || number > most)
    return Fail(name, fmt::format("{} is not from {} to {}", number, least, most));
  *out = number;
}

void ObjectReader::Text(const char* name, std::string* out) {
  const Json* value = Value(name);
  if (value == nullptr) return;
  if (!value->is_string()) return Fail(name, "wanted a text");
  *out = value->get<std::string>();
}

void ObjectReader::Flag(const char* name, bool* out) {
  const Json* value = Value(name);
  if (value == nullptr) return;
  if (!value->is_boolean()) return Fail(name, "wanted true or false");
  *out = value->get<bool>();
}

void ObjectReader::Texts(const char* name, std::vector<std::string>* out) {
  const Json* value = Value(name);
  if (value == nullptr) return;
  if (!value->is_array()) return Fail(name, "wanted an array");
  for (const Json& text : *value) {
    if (!text.is_string()) return Fail(name, "wanted an array of texts");
    out->push_back(text.get<std::string>());
  }
}

void ObjectReader::Choice(const char* name, const std::vector<std::string>& names, size_t* out) {
  std::string text;
  Text(name, &text);
  if (!status_.ok() || Value(name) == nullptr) return;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != text) continue;
    *out = i;
    return;
  }
  Fail(name, fmt::format("\"{}\" is none of {}", text, fmt::join(names, ", ")));
}

Status ObjectReader::Finish() {
  if (!status_.ok()) return status_;
  for (const auto& [name, value] : object_.items())
    if (!known_.contains(name))
      return at_.Below(name).Wrong(fmt::format("\"{}\" is no member here", name), true);
  return OkStatus();
}

}  // namespace ferry::fleetsim
