// Regular expressions that must fit all of a text: RE2's syntax, run by PCRE2 under limits. (PCRE2
// knows more, such as references back, and does not refuse it.) Source: RE2's Syntax document.
#pragma once

#include <memory>
#include <string_view>

#include "common/base/status.h"

namespace ferry::ops {

inline constexpr size_t kMaxPatternBytes = 64 << 10;

// Immutable; any thread.
class FullMatch {
 public:
  // kBadModel with the reason for what is no pattern, kLimitExceeded; kUnsupported where Ferry is
  // built without FERRY_OPS_TEXT or PCRE2 is missing.
  static Result<std::unique_ptr<FullMatch>> Compile(std::string_view pattern);
  ~FullMatch();

  // kMalformed for a text that is no UTF-8; kLimitExceeded when matching takes too many steps.
  Result<bool> Fits(std::string_view text) const;

 private:
  FullMatch() = default;
  void* code_ = nullptr;  // pcre2_code
};

}  // namespace ferry::ops
