// Expressions over the fields of a row or an event: small, safe, bounded. Grammar:
//
//   or: and {"or" and}   and: not {"and" not}   not: "not" not | comparison
//   comparison: sum [("=="|"!="|"<"|"<="|">"|">=") sum]   sum: product {("+"|"-") product}
//   product: unary {("*"|"/"|"%") unary}   unary: "-" unary | primary
//   primary: number | "string" | true | false | null | field{.field} | function(..) | (or)
//
// Functions: abs floor ceil round min max len, bucket(x, size): the largest multiple of size not
// above x (null unless size > 0), keyed_hash(x): 16 hexadecimal digits, the same for equal values
// under the caller's key. A missing field is null. Null in arithmetic or in an ordering gives null;
// null == null is true. Numbers are doubles or 64-bit integers (+ - * of integers stay integers, an
// overflow becomes a double); + also joins strings. A division by zero is null. Comparing a string
// with a number: == is false, an ordering is an error.
//
// _page, _event and _time_ms are names of the event itself, where the caller gives them. Where the
// caller names captures (lists of earlier events), NAME.field is the field of the list's last
// event, null when it is empty, and four functions are over the whole list: count(NAME),
// sum(NAME.field), min(NAME.field), max(NAME.field). They pass over null; sum of nothing is 0.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace ferry::expression {

inline constexpr size_t kMaxExpressionBytes = 4096;
inline constexpr int kMaxExpressionDepth = 50;
inline constexpr size_t kMaxStringResult = 64 << 10;

class ExpressionNode;

// What an expression is about; borrowed. Without `named`, _page and the like are fields.
struct Subject {
  const Json* fields = nullptr;
  bool named = false;
  std::string_view event = {}, page = {};
  int64_t time_ms = 0;
  std::string_view hash_key = {};  // of keyed_hash; empty: there is none
};

// The lists that an expression's captures mean, by their places in what Parse was given.
class Captures {
 public:
  virtual ~Captures() = default;
  virtual size_t Count(size_t capture) const = 0;
  virtual Subject At(size_t capture, size_t index) const = 0;
};

// A capture that an expression names, and the column (from 1) where it does.
struct CaptureUse {
  size_t capture = 0;
  size_t column = 1;
};

inline constexpr size_t kNoCaptureUse = SIZE_MAX;

// A field that an expression names; `capture`: of which list, kNoCaptureUse: of the row itself.
struct FieldUse {
  std::vector<std::string> path;
  size_t capture = kNoCaptureUse;
};

enum class Ordering { kEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

// A comparison of a field with a constant that must hold for the expression to be true.
struct Bound {
  std::vector<std::string> path;
  Ordering ordering = Ordering::kEqual;
  Json value;  // a number, or for kEqual also a string or a bool
};

// Three answers of a condition: an error (types do not fit) is neither true nor false.
enum class Answer { kFalse, kTrue, kError };

// A parsed expression; immutable, shared by copies; any thread.
class Expression {
 public:
  // kMalformed: "column 5: expected ..."; kLimitExceeded. `captures` are names of lists.
  static Result<Expression> Parse(std::string_view text,
                                  std::span<const std::string> captures = {});
  // Takes as much of the beginning of `text` as is an expression; `*end`: where it ends.
  static Result<Expression> ParsePrefix(std::string_view text,
                                        std::span<const std::string> captures, size_t* end);
  // The value for one row's fields; kInvalidArgument when types do not fit, naming column,
  // operator and types.
  Result<Json> Evaluate(const Json& fields) const;
  Result<Json> Evaluate(const Subject& subject, const Captures* captures = nullptr) const;
  // True only for the value true; null counts as false; another type is an error.
  Result<bool> Test(const Json& fields) const;
  Result<bool> Test(const Subject& subject, const Captures* captures = nullptr) const;
  // The same without the error's text: allocates nothing but strings that + makes.
  Answer Decide(const Subject& subject, const Captures* captures = nullptr) const;

  const std::string& text() const { return text_; }
  // One text for all ways to write the same tree.
  std::string Canonical() const;
  const std::vector<CaptureUse>& captures() const { return captures_; }
  // Bounds joined by `and` at the top; `*complete`: the expression is nothing but them.
  std::vector<Bound> Bounds(bool* complete) const;
  // The fields that the value may tell: all that it names, but for those inside of keyed_hash and
  // of bucket with a constant size.
  std::vector<FieldUse> Carried() const;
  // Whether it has a keyed_hash.
  bool needs_key() const;

 private:
  std::shared_ptr<const ExpressionNode> root_;
  std::string text_;
  std::vector<CaptureUse> captures_;
};

// The member of this name, or null; borrowed. Rows have few members, and looking at each costs less
// than the comparisons that order them.
inline const Json* FindMember(const Json::object_t& object, std::string_view name) {
  constexpr size_t kFew = 12;
  if (object.size() > kFew || name.empty()) {
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &found->second;
  }
  for (const auto& [key, value] : object)
    if (key.size() == name.size() && key[0] == name[0] &&
        std::char_traits<char>::compare(key.data(), name.data(), name.size()) == 0)
      return &value;
  return nullptr;
}
// The member of `fields` that a path of names means, or null; borrowed.
const Json* FindField(const Json& fields, std::span<const std::string> path);

}  // namespace ferry::expression
