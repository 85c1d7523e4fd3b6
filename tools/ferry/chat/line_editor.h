// A line that is edited as it is typed, with history: what arrow keys and the like say stays here.
// The one place that sees libedit.
#pragma once

#include <memory>
#include <string>

#include "common/base/status.h"
#include "tools/ferry/chat/line_input.h"
#include "tools/ferry/signals.h"

namespace ferry::cli {

inline constexpr int kMaxHistoryLines = 1000;

// Where the history of chats is kept: chat_history in the folder "ferry" of
// XDG_STATE_HOME, else of ~/.local/state; empty without a home.
std::string ChatHistoryPath();

// On standard input and output, which are a terminal. One thread. Borrows the signals. The terminal
// is as before between two lines, so that answers and what is typed meanwhile look as ever.
class LineEditor {
 public:
  // `history`: a file, made readable by this user alone; empty for none. What cannot be read or
  // written of it is a remark on standard error, and lines are edited without.
  static Result<std::unique_ptr<LineEditor>> Open(Signals& signals, std::string history);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // As LineInput::Next, after a prompt; a line that is not empty goes to the history.
  Result<LineInput::Got> Next(std::string* line);

 private:
  struct Parts;
  explicit LineEditor(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace ferry::cli
