// Rows of a list and their columns: what a filter tests and what they are sorted by. Pure.
// ---- row.cc
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/target/predicate.h"

namespace ferry::server::list {

// The text is borrowed from the row.
struct Value {
  enum class Kind { kNone, kNumber, kText };
  Kind kind = Kind::kNone;
  int64_t number = 0;
  std::string_view text;

  static Value Of(int64_t number) { return {Kind::kNumber, number, {}}; }
  static Value Of(std::string_view text) { return {Kind::kText, 0, text}; }
};

enum class ColumnKind {
  kNumber,
  kText,
  kVersion,  // text in whose order runs of digits count as numbers: "1.9.0" before "1.10.0"
  kFlag,     // a number, 0 or 1; filters say == "true" or == "false"
};

struct Column {
  std::string_view name;
  ColumnKind kind;
};

// What a filter sees of a row: the attributes of a device, where it is one, and its columns.
struct Row : target::Attributes {
  virtual ~Row() = default;
  virtual Value At(size_t column) const = 0;
};

// None before numbers before texts.
std::strong_ordering Compare(const Value& a, const Value& b, ColumnKind kind);

// Whether `part` is in `text`, letters of ASCII in either case.
bool ContainsText(std::string_view text, std::string_view part);

// The names that filters over such rows know. Made once for a list and alive for ever; any thread.
class Vocabulary {
 public:
  // Each column by its name, text("..") for a part of any text (letters of ASCII in either case),
  // and `more`. A name of `more` that is a column's too hides the column.
  explicit Vocabulary(std::vector<Column> columns, std::vector<const target::Predicate*> more = {});
  const std::vector<Column>& columns() const { return columns_; }
  // The index of the column; npos where there is none.
  size_t Find(std::string_view name) const;
  const std::vector<const target::Predicate*>& names() const { return names_; }

  static constexpr size_t npos = static_cast<size_t>(-1);

 private:
  std::vector<Column> columns_;
  std::vector<const target::Predicate*> names_;
};

}  // namespace ferry::server::list
