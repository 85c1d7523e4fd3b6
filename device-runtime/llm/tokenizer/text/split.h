// Pre-tokenization: a text cut into the pieces that BPE never crosses. Source: the behaviour of
// Hugging Face's tokenizers library.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/tokenizer/text/expression.h"

namespace ferry::llm {

inline constexpr size_t kMaxSplitSteps = 16;

// One step; each works on the pieces that the step before left.
struct SplitStep {
  enum Kind : uint8_t { kExpression = 0, kLiteral = 1, kSpaceBefore = 2 };
  enum Behavior : uint8_t {
    kIsolated = 0,    // matches and what is between them are pieces
    kRemoved = 1,     // matches are dropped
    kContiguous = 2,  // as isolated, and matches that touch are one piece
  };
  Kind kind = kExpression;
  Behavior behavior = kIsolated;
  bool invert = false;  // what is between matches counts as the match, and the other way round
  std::string pattern;  // empty for kSpaceBefore: a space before each piece that begins with none

  friend bool operator==(const SplitStep&, const SplitStep&) = default;
};

// Immutable; any thread.
class Splitter {
 public:
  // kUnsupported, kLimitExceeded, kMalformed.
  static Result<Splitter> Create(std::vector<SplitStep> steps);

  // What one encoding needs; pieces may point into it.
  struct Scratch {
    explicit Scratch(size_t text_bytes) : budget(text_bytes) {}
    ExpressionBudget budget;
    std::vector<Expression::Scratch> expressions;
    std::deque<std::string> texts;
  };
  using Emit = std::function<void(std::string_view)>;
  // Calls `emit` for each piece of `text` (valid UTF-8); pieces live as long as text and scratch.
  // kLimitExceeded when an expression takes too long.
  Status Split(std::string_view text, Scratch& scratch, const Emit& emit) const;

  const std::vector<SplitStep>& steps() const { return steps_; }

 private:
  Status RunStep(size_t index, std::string_view text, Scratch& scratch, const Emit& emit) const;
  Status RunMatches(size_t index, std::string_view text, Scratch& scratch, const Emit& emit) const;

  std::vector<SplitStep> steps_;
  std::vector<std::unique_ptr<Expression>> expressions_;  // by step; null for kSpaceBefore
};

}  // namespace ferry::llm
