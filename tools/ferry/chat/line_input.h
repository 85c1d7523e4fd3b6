// Lines from standard input, on a terminal or from a pipe, that a signal can interrupt.
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"
#include "tools/ferry/signals.h"

namespace ferry::cli {

inline constexpr size_t kMaxLineBytes = 1 << 20;

// One thread. Borrows the signals.
class LineInput {
 public:
  enum class Got { kLine, kEnd, kSignal };
  LineInput(int descriptor, Signals& signals) : descriptor_(descriptor), signals_(signals) {}

  // kLine: `line` without its end (a last line without one counts). kSignal: one came;
  // their count says how many. kLimitExceeded for a line over kMaxLineBytes; kIo.
  Result<Got> Next(std::string* line);
  // Without waiting: takes the next line if it is there whole and begins with `prefix`.
  bool TakeIf(std::string_view prefix, std::string* line);
  // A line that came whole during a TakeIf and was not taken.
  bool TakeHeld(std::string* line);

 private:
  Status Read();

  int descriptor_;
  Signals& signals_;
  std::string held_;
  bool ended_ = false;
};

}  // namespace ferry::cli
