#include "pipeline/operator/fields.h"

#include <set>

#include "pipeline/operator/value.h"

namespace ferry::operators {
namespace {

const Json kNoValue;

// The row's fields with the hidden ones among them.
Json WithHidden(const Row& row, const std::vector<FieldRef>& hidden) {
  Json fields = row.fields.is_object() ? row.fields : Json::object();
  for (const FieldRef& field : hidden) {
    Json scratch;
    fields[field.name()] = field.Of(row, &scratch);
  }
  return fields;
}

}  // namespace

FieldRef::FieldRef(std::string name) : name_(std::move(name)) {
  if (name_ == "_event") kind_ = Kind::kEvent;
  if (name_ == "_page") kind_ = Kind::kPage;
  if (name_ == "_time_ms") kind_ = Kind::kTime;
}

const Json& FieldRef::Of(const Row& row, Json* scratch) const {
  if (kind_ == Kind::kTime) return *scratch = row.time_ms;
  if (kind_ != Kind::kField && row.origin != nullptr)
    return *scratch = kind_ == Kind::kEvent ? row.origin->event : row.origin->page;
  const auto* object = row.fields.get_ptr<const Json::object_t*>();
  if (object == nullptr) return kNoValue;
  const Json* found = expression::FindMember(*object, name_);
  return found == nullptr ? kNoValue : *found;
}

KeyFields::KeyFields(const std::vector<std::string>& names)
    : scratch_(names.size()), values_(names.size(), &kNoValue) {
  for (const std::string& name : names) fields_.emplace_back(name);
}

void KeyFields::Read(const Row& row) {
  for (size_t k = 0; k < fields_.size(); ++k) values_[k] = &fields_[k].Of(row, &scratch_[k]);
}

bool KeyFields::has_null() const {
  for (const Json* value : values_)
    if (value->is_null()) return true;
  return false;
}

uint64_t KeyFields::Hash() const {
  uint64_t hash = 0;
  for (const Json* value : values_) hash = MixHash(hash, HashValue(*value));
  return hash;
}

bool KeyFields::Equals(const Json& key) const {
  const auto* list = key.get_ptr<const Json::array_t*>();
  if (list == nullptr || list->size() != values_.size()) return false;
  for (size_t k = 0; k < values_.size(); ++k)
    if (!SameValue(*values_[k], (*list)[k])) return false;
  return true;
}

void KeyFields::ToCanonical(Json* key) const {
  if (!key->is_array()) *key = Json::array();
  auto& list = *key->get_ptr<Json::array_t*>();
  list.resize(values_.size());
  for (size_t k = 0; k < list.size(); ++k) list[k] = Canonical(*values_[k]);
}

Result<std::vector<std::string>> ReadKeyNames(const Json& spec) {
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> names, GetStringsOr(spec, "key"));
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
    return Status(Code::kMalformed, "key names a field twice");
  return names;
}

RowExpression::RowExpression(expression::Expression expression, std::string_view hash_key)
    : expression_(std::move(expression)), hash_key_(hash_key) {
  for (const char* name : {"_event", "_page", "_time_ms"})
    if (expression_.text().find(name) != std::string::npos) hidden_.emplace_back(name);
}

Result<RowExpression> RowExpression::Parse(std::string_view text, std::string_view hash_key) {
  FERRY_ASSIGN_OR_RETURN(expression::Expression expression, expression::Expression::Parse(text));
  return RowExpression(std::move(expression), hash_key);
}

Result<Json> RowExpression::Evaluate(const Row& row) const {
  if (hidden_.empty()) return expression_.Evaluate({.fields = &row.fields, .hash_key = hash_key_});
  const Json fields = WithHidden(row, hidden_);
  return expression_.Evaluate({.fields = &fields, .hash_key = hash_key_});
}

Result<bool> RowExpression::Test(const Row& row) const {
  if (hidden_.empty()) return expression_.Test({.fields = &row.fields, .hash_key = hash_key_});
  const Json fields = WithHidden(row, hidden_);
  return expression_.Test({.fields = &fields, .hash_key = hash_key_});
}

}  // namespace ferry::operators
