#define PCRE2_CODE_UNIT_WIDTH 8
#include "device-runtime/llm/tokenizer/text/expression.h"

#include <pcre2.h>

namespace ferry::llm {
namespace {

constexpr uint32_t kFirstSteps = 1 << 8;  // of one search; doubled until it ends
constexpr uint32_t kMaxSteps = 1u << 31;
constexpr uint32_t kMaxHeapKib = 64 << 10;  // of the interpreter's backtracking
constexpr uint32_t kMaxNesting = 64;        // of brackets

}  // namespace

struct Expression::Scratch::State {
  pcre2_match_data* data = nullptr;
  pcre2_match_context* context = nullptr;
};

Expression::Scratch::Scratch() : state_(std::make_unique<State>()) {}

Expression::Scratch::~Scratch() {
  if (state_ == nullptr) return;
  pcre2_match_data_free(state_->data);
  pcre2_match_context_free(state_->context);
}

Expression::Scratch::Scratch(Scratch&&) noexcept = default;

Result<std::unique_ptr<Expression>> Expression::Compile(std::string_view pattern, bool literal) {
  if (pattern.size() > kMaxExpressionBytes) {
    return Status::Of(Code::kLimitExceeded, "an expression of {} bytes, at most {}", pattern.size(),
                      kMaxExpressionBytes);
  }
  std::string text(pattern);
  if (!literal) {
    FERRY_ASSIGN_OR_RETURN(text, TranslateExpression(pattern));
  }
  std::unique_ptr<Expression> expression(new Expression);
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  if (context == nullptr) return Status(Code::kOutOfMemory, "compiling an expression");
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  pcre2_set_parens_nest_limit(context, kMaxNesting);
  const uint32_t options = literal
                               ? PCRE2_UTF | PCRE2_LITERAL
                               : PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), options,
                                   &error, &offset, context);
  pcre2_compile_context_free(context);
  if (code == nullptr) {
    PCRE2_UCHAR message[160] = "";
    pcre2_get_error_message(error, message, sizeof(message));
    return Status::Of(Code::kUnsupported, "expression {:?}: {}", pattern,
                      reinterpret_cast<const char*>(message));
  }
  expression->code_ = code;
  expression->compiled_ = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;
  return expression;
}

Expression::~Expression() {
  pcre2_code_free(static_cast<pcre2_code*>(code_));
}

Expression::Found Expression::Find(std::string_view text, size_t from, Scratch& scratch,
                                   ExpressionBudget& budget, Range& match) const {
  const auto* code = static_cast<const pcre2_code*>(code_);
  Scratch::State& state = *scratch.state_;
  if (state.data == nullptr) state.data = pcre2_match_data_create(1, nullptr);
  if (state.context == nullptr) {
    state.context = pcre2_match_context_create(nullptr);
    if (state.context != nullptr) pcre2_set_heap_limit(state.context, kMaxHeapKib);
  }
  if (state.data == nullptr || state.context == nullptr) return Found::kTooLong;
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  bool use_compiled = compiled_;
  for (uint32_t steps = kFirstSteps; budget.Spend(steps);) {
    pcre2_set_match_limit(state.context, steps);
    // The text is known to be UTF-8: checking it again at each search would be quadratic.
    const int found =
        use_compiled
            ? pcre2_jit_match(code, subject, text.size(), from, 0, state.data, state.context)
            : pcre2_match(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                          state.data, state.context);
    if (found >= 0) {
      const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(state.data);
      match = {ends[0], ends[1]};
      // \K in a lookahead could put the start behind the end; TranslateExpression refuses \K.
      return match.begin <= match.end && match.begin >= from ? Found::kMatch : Found::kTooLong;
    }
    if (found == PCRE2_ERROR_NOMATCH) return Found::kNone;
    if (found == PCRE2_ERROR_JIT_STACKLIMIT && use_compiled) {
      use_compiled = false;  // the interpreter keeps its stack on the heap
      continue;
    }
    if (found != PCRE2_ERROR_MATCHLIMIT || steps >= kMaxSteps) break;
    steps *= 2;
  }
  budget.Drain();
  return Found::kTooLong;
}

}  // namespace ferry::llm
