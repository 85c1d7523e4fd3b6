#include "cloud-server/list/row.h"

#include <algorithm>
#include <memory>

#include "policy/target/number.h"

namespace ferry::server::list {
namespace {

using target::Comparison;
using target::Condition;
using target::Truth;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// The run of digits at `at`, without leading zeros; `at` moves behind it.
std::string_view Digits(std::string_view text, size_t* at) {
  size_t begin = *at;
  while (*at < text.size() && IsDigit(text[*at])) ++*at;
  while (begin + 1 < *at && text[begin] == '0') ++begin;
  return text.substr(begin, *at - begin);
}

std::strong_ordering CompareNatural(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (IsDigit(a[i]) && IsDigit(b[j])) {
      const std::string_view x = Digits(a, &i), y = Digits(b, &j);
      if (x.size() != y.size()) return x.size() <=> y.size();
      if (x != y) return x <=> y;
      continue;
    }
    if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) <=> static_cast<unsigned char>(b[j]);
    ++i;
    ++j;
  }
  // "01" and "1" are the same number; texts are the same only when they are.
  const auto rest = (a.size() - i) <=> (b.size() - j);
  return rest != 0 ? rest : a <=> b;
}

bool HoldsFor(std::strong_ordering order, Comparison comparison) {
  switch (comparison) {
    case Comparison::kNotEqual:
      return order != 0;
    case Comparison::kLess:
      return order < 0;
    case Comparison::kLessEqual:
      return order <= 0;
    case Comparison::kGreater:
      return order > 0;
    case Comparison::kGreaterEqual:
      return order >= 0;
    default:
      return order == 0;
  }
}

Truth TruthFrom(bool value) {
  return value ? Truth::kTrue : Truth::kFalse;
}

// A whole number, with or without a unit of sizes.
Result<int64_t> NumberFrom(const std::string& text) {
  if (text.find(' ') != std::string::npos) return target::ParseSize(text);
  FERRY_ASSIGN_OR_RETURN(const target::Number number, target::ParseNumber(text));
  constexpr size_t kMaxDigits = 18;
  if (!number.fraction.empty() || number.whole.size() > kMaxDigits)
    return Status::Of(Code::kBadRule, "{} is no whole number of up to {} digits", text, kMaxDigits);
  const int64_t value = number.whole.empty() ? 0 : std::stoll(number.whole);
  return number.negative ? -value : value;
}

class ColumnPredicate : public target::Predicate {
 public:
  ColumnPredicate(Column column, size_t index) : column_(column), index_(index) {}
  std::string_view name() const override { return column_.name; }
  Form form() const override { return Form::kAttribute; }

  Status Check(const Condition& condition) const override {
    if (condition.comparison == Comparison::kInRange)
      return Status::Of(Code::kBadRule, "{} is compared, or is in (..)", column_.name);
    if (column_.kind == ColumnKind::kNumber) {
      if (!condition.number)
        return Status::Of(Code::kBadRule, "{} is a number: it stands without quotes", column_.name);
      return AsStatus(NumberFrom(condition.values[0]));
    }
    if (condition.number)
      return Status::Of(Code::kBadRule, "{} is text: it stands in quotes", column_.name);
    if (column_.kind != ColumnKind::kFlag) return OkStatus();
    const bool plain =
        condition.comparison == Comparison::kEqual || condition.comparison == Comparison::kNotEqual;
    if (plain && (condition.values[0] == "true" || condition.values[0] == "false"))
      return OkStatus();
    return Status::Of(Code::kBadRule, "{0} is yes or no: {0} == \"true\", {0} == \"false\"",
                      column_.name);
  }

  target::Outcome Test(const Condition& condition, const target::Attributes& device,
                       std::string_view) const override {
    const Value value = static_cast<const Row&>(device).At(index_);
    if (value.kind == Value::Kind::kNone) return {Truth::kUnknown, {}};
    if (column_.kind == ColumnKind::kFlag) {
      const bool same = (value.number != 0) == (condition.values[0] == "true");
      return {TruthFrom(same == (condition.comparison == Comparison::kEqual)), {}};
    }
    if (column_.kind == ColumnKind::kNumber) {
      const int64_t bound = NumberFrom(condition.values[0]).value_or(0);  // passed Check
      return {TruthFrom(HoldsFor(value.number <=> bound, condition.comparison)), {}};
    }
    if (condition.comparison == Comparison::kIn)
      return {TruthFrom(std::find(condition.values.begin(), condition.values.end(), value.text) !=
                        condition.values.end()),
              {}};
    const auto order = Compare(value, Value::Of(condition.values[0]), column_.kind);
    return {TruthFrom(HoldsFor(order, condition.comparison)), {}};
  }

 private:
  const Column column_;
  const size_t index_;
};

class TextPredicate : public target::Predicate {
 public:
  explicit TextPredicate(const std::vector<Column>& columns) {
    for (size_t i = 0; i < columns.size(); ++i)
      if (columns[i].kind == ColumnKind::kText || columns[i].kind == ColumnKind::kVersion)
        texts_.push_back(i);
  }
  std::string_view name() const override { return "text"; }
  Form form() const override { return Form::kCall; }

  Status Check(const Condition& condition) const override {
    if (condition.values.size() == 1 && !condition.values[0].empty()) return OkStatus();
    return Status(Code::kBadRule, "text takes one part of a text: text(\"berlin\")");
  }

  target::Outcome Test(const Condition& condition, const target::Attributes& device,
                       std::string_view) const override {
    const auto& row = static_cast<const Row&>(device);
    for (const size_t column : texts_)
      if (ContainsText(row.At(column).text, condition.values[0])) return {Truth::kTrue, {}};
    return {Truth::kFalse, {}};
  }

 private:
  std::vector<size_t> texts_;
};

}  // namespace

std::strong_ordering Compare(const Value& a, const Value& b, ColumnKind kind) {
  if (a.kind != b.kind) return a.kind <=> b.kind;
  if (a.kind == Value::Kind::kNumber) return a.number <=> b.number;
  return kind == ColumnKind::kVersion ? CompareNatural(a.text, b.text) : a.text <=> b.text;
}

bool ContainsText(std::string_view text, std::string_view part) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

Vocabulary::Vocabulary(std::vector<Column> columns, std::vector<const target::Predicate*> more)
    : columns_(std::move(columns)), names_(std::move(more)) {
  const auto known = [this](std::string_view name) {
    return std::any_of(names_.begin(), names_.end(),
                       [&](const target::Predicate* one) { return one->name() == name; });
  };
  // As the predicates of rules they live for ever: parsed filters point at them.
  for (size_t i = 0; i < columns_.size(); ++i)
    if (!known(columns_[i].name)) names_.push_back(new ColumnPredicate(columns_[i], i));
  if (!known("text")) names_.push_back(new TextPredicate(columns_));
}

size_t Vocabulary::Find(std::string_view name) const {
  for (size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].name == name) return i;
  return npos;
}

}  // namespace ferry::server::list
