// Pre-tokenization: a text cut into the pieces that BPE never crosses. Source: the behaviour of
// Hugging Face's tokenizers library.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/tokenizer/text/arena.h"
#include "device-runtime/llm/tokenizer/text/expression.h"

namespace ferry::llm {

inline constexpr size_t kMaxSplitSteps = 16;

// What SentencePiece writes for a space: U+2581.
inline constexpr std::string_view kSpaceMark = "\xe2\x96\x81";

// One step; each works on the pieces that the step before left. The numbers stand in model files.
struct SplitStep {
  enum Kind : uint8_t {
    kExpression = 0,
    kLiteral = 1,
    kSpaceBefore = 2,  // a space before each piece that begins with none
    kSpaceMarks = 3,   // spaces become kSpaceMark; `mark`, `invert`: see there
    kLastKind = kSpaceMarks,
  };
  enum Behavior : uint8_t {
    kIsolated = 0,            // matches and what is between them are pieces
    kRemoved = 1,             // matches are dropped
    kContiguous = 2,          // as isolated, and matches that touch are one piece
    kMergedWithPrevious = 3,  // a match ends the piece before it
    kMergedWithNext = 4,      // a match begins the piece behind it
    kLastBehavior = kMergedWithNext,
  };
  enum Mark : uint8_t {  // of kSpaceMarks: one before each piece that begins with none
    kNever = 0,
    kFirst = 1,  // before the piece that begins the whole text
    kAlways = 2,
  };
  Kind kind = kExpression;
  Behavior behavior = kIsolated;
  // What is between matches counts as the match, and the other way round. Of kSpaceMarks: each mark
  // begins a piece.
  bool invert = false;
  std::string pattern;  // of kExpression and kLiteral
  Mark mark = kNever;

  friend bool operator==(const SplitStep&, const SplitStep&) = default;
};

// Immutable; any thread.
class Splitter {
 public:
  // kUnsupported, kLimitExceeded, kMalformed.
  static Result<Splitter> Create(std::vector<SplitStep> steps);

  // What one encoding needs; pieces may point into its arena.
  struct Scratch {
    explicit Scratch(size_t text_bytes) : budget(text_bytes) {}
    ExpressionBudget budget;
    std::vector<Expression::Scratch> expressions;
    TextArena arena;
    const char* first = nullptr;  // where the whole text begins, when this is its beginning
  };
  using Emit = std::function<void(std::string_view)>;
  // Calls `emit` for each piece of `text` (valid UTF-8), which begins the whole text when `first`;
  // pieces live as long as text and scratch. kLimitExceeded when an expression takes too long.
  Status Split(std::string_view text, bool first, Scratch& scratch, const Emit& emit) const;

  const std::vector<SplitStep>& steps() const { return steps_; }

 private:
  Status RunStep(size_t index, std::string_view text, Scratch& scratch, const Emit& emit) const;
  Status RunMarks(size_t index, std::string_view text, Scratch& scratch, const Emit& emit) const;
  Status RunMatches(size_t index, std::string_view text, Scratch& scratch, const Emit& emit) const;

  std::vector<SplitStep> steps_;
  std::vector<std::unique_ptr<Expression>> expressions_;  // by step; null but for patterns
};

}  // namespace ferry::llm
