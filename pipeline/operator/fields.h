// Fields of rows, found once by name when a spec is read. A row has three names that are not among
// its fields: _event and _page (of the event that it was made of) and _time_ms; a field of the
// same name is read where the row was made of no event.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/event/event.h"
#include "pipeline/expression/expression.h"

namespace ferry::operators {

using event::Row;

class FieldRef {
 public:
  FieldRef() = default;
  explicit FieldRef(std::string name);
  const std::string& name() const { return name_; }
  // Borrowed from the row, or from `scratch` for a name that is not among its fields; null when
  // the row lacks it.
  const Json& Of(const Row& row, Json* scratch) const;

 private:
  enum class Kind { kField, kEvent, kPage, kTime };
  std::string name_;
  Kind kind_ = Kind::kField;
};

// The values of some fields of a row.
class KeyFields {
 public:
  KeyFields() = default;
  explicit KeyFields(const std::vector<std::string>& names);
  // Reads the row's values; they are borrowed until the next call or the row's end.
  void Read(const Row& row);
  size_t size() const { return fields_.size(); }
  const std::string& name(size_t k) const { return fields_[k].name(); }
  const Json& value(size_t k) const { return *values_[k]; }
  bool has_null() const;
  uint64_t Hash() const;
  // Against a list of canonical values.
  bool Equals(const Json& key) const;
  // A list of canonical values; with `key` into its memory.
  Json ToCanonical() const {
    Json key;
    ToCanonical(&key);
    return key;
  }
  void ToCanonical(Json* key) const;

 private:
  std::vector<FieldRef> fields_;
  std::vector<Json> scratch_;
  std::vector<const Json*> values_;
};

// "key": field names, each once. kMalformed.
Result<std::vector<std::string>> ReadKeyNames(const Json& spec);

// An expression over a row, the three names included.
class RowExpression {
 public:
  // `hash_key`, of keyed_hash, outlives it.
  static Result<RowExpression> Parse(std::string_view text, std::string_view hash_key = {});
  Result<Json> Evaluate(const Row& row) const;
  Result<bool> Test(const Row& row) const;

 private:
  RowExpression(expression::Expression expression, std::string_view hash_key);
  expression::Expression expression_;
  std::string_view hash_key_;
  std::vector<FieldRef> hidden_;  // of the three, those that the text may name
};

}  // namespace ferry::operators
