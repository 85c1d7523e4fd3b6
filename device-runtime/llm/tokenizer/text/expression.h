// Regular expressions of pre-tokenizers: Oniguruma's dialect (what Hugging Face's library runs) on
// PCRE2. Source: Oniguruma's RE document, PCRE2's pattern and API documents.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::llm {

inline constexpr size_t kMaxExpressionBytes = 8 << 10;

// What an expression may spend on a text, in PCRE2's match steps: a hostile one ends in an error.
class ExpressionBudget {
 public:
  explicit ExpressionBudget(size_t text_bytes)
      : steps_(kBaseSteps + kStepsPerByte * static_cast<int64_t>(text_bytes)) {}
  // False when it is used up.
  bool Spend(uint32_t steps) { return (steps_ -= steps) >= 0; }
  void Drain() { steps_ = 0; }

 private:
  static constexpr int64_t kBaseSteps = 1 << 24;
  static constexpr int64_t kStepsPerByte = 1 << 9;
  int64_t steps_;
};

// The PCRE2 text of Oniguruma's `pattern`; kUnsupported names what means something else there.
Result<std::string> TranslateExpression(std::string_view pattern);

// A compiled expression; immutable, any thread.
class Expression {
 public:
  // `literal`: the text itself. kUnsupported with PCRE2's message, kLimitExceeded.
  static Result<std::unique_ptr<Expression>> Compile(std::string_view pattern, bool literal);
  ~Expression();

  // What finding needs besides the expression; one thread, any number of texts.
  class Scratch {
   public:
    Scratch();
    ~Scratch();
    Scratch(Scratch&&) noexcept;

   private:
    friend class Expression;
    struct State;
    std::unique_ptr<State> state_;
  };

  enum class Found { kMatch, kNone, kTooLong };
  struct Range {
    size_t begin, end;
  };
  // The first match in `text` (valid UTF-8) that begins at `from` or later.
  Found Find(std::string_view text, size_t from, Scratch& scratch, ExpressionBudget& budget,
             Range& match) const;

 private:
  Expression() = default;
  void* code_ = nullptr;   // pcre2_code
  bool compiled_ = false;  // to machine code
};

}  // namespace ferry::llm
