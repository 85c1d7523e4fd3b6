// Normalization: what a text is made into before it is cut. Source: the behaviour of Hugging Face's
// tokenizers library and of sentencepiece.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/tokenizer/text/arena.h"
#include "device-runtime/llm/tokenizer/text/charsmap.h"
#include "device-runtime/llm/tokenizer/text/expression.h"

namespace ferry::llm {

inline constexpr size_t kMaxNormalSteps = 32;
inline constexpr size_t kMaxInsertBytes = 256;  // of a prefix or replacement

// One step on what the step before left. The numbers stand in model files.
struct NormalStep {
  enum Kind : uint8_t {
    kNfc = 0,
    kNfd = 1,
    kNfkc = 2,
    kNfkd = 3,
    kLower = 4,
    kDropMarks = 5,    // flags 1: nonspacing ones only
    kStrip = 6,        // flags 1: left, 2: right
    kExpression = 7,   // each match of `pattern` becomes `content`
    kLiteral = 8,      // each `pattern` becomes `content`
    kPrepend = 9,      // `content` before a text that is not empty; flags 1: before the first alone
    kClean = 10,       // no control characters, spaces for all white space
    kIdeographs = 11,  // spaces around ideographs
    kSqueeze = 12,     // no spaces at the ends, of several one
    kCharsmap = 13,    // `pattern`: SentencePiece's compiled form
    kLast = kCharsmap,
  };
  Kind kind = kNfc;
  uint8_t flags = 0;
  std::string pattern;
  std::string content;

  friend bool operator==(const NormalStep&, const NormalStep&) = default;
};

// Immutable; any thread.
class Normalizer {
 public:
  // kUnsupported, kLimitExceeded, kMalformed.
  static Result<Normalizer> Create(std::vector<NormalStep> steps);

  // What one encoding needs.
  struct Scratch {
    explicit Scratch(size_t text_bytes) : budget(text_bytes) {}
    ExpressionBudget budget;
    std::vector<Expression::Scratch> expressions;
  };
  // The normalized form of `text` (valid UTF-8): itself, or a text of `arena`. `first`: it begins
  // the whole text. kLimitExceeded when it grows past `most` bytes or an expression takes too long.
  Result<std::string_view> Apply(std::string_view text, bool first, size_t most, Scratch& scratch,
                                 TextArena& arena) const;

  const std::vector<NormalStep>& steps() const { return steps_; }

 private:
  // Appends to `out` and returns true, or false when nothing changes.
  Result<bool> RunStep(size_t index, std::string_view text, bool first, Scratch& scratch,
                       std::string& out) const;
  Result<bool> Replace(size_t index, std::string_view text, Scratch& scratch,
                       std::string& out) const;

  std::vector<NormalStep> steps_;
  std::vector<std::unique_ptr<Expression>> expressions_;  // by step; null but for kExpression
  std::vector<std::unique_ptr<Charsmap>> charsmaps_;      // by step; null but for kCharsmap
};

}  // namespace ferry::llm
