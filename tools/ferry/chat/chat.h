// The loop of `ferry chat`: lines in, answers out as they come.
#pragma once

#include <string>

#include "tools/ferry/command.h"
#include "tools/ferry/llm/prompt_options.h"
#include "tools/ferry/llm/serve/responders.h"

namespace ferry::cli {

struct ChatOptions {
  ResponderOptions responder;
  SamplingOptions sampling;
  std::string system;
  std::string use_template = "auto";  // "auto", "on", "off"
  int64_t max_new = 512;
  bool history = true;  // of lines typed at a terminal, in ChatHistoryPath()
};

// On a terminal lines are edited as they are typed (line_editor.h); elsewhere they are taken as
// they come. Reads standard input until its end, /quit or a second Ctrl-C. Answers go to standard
// output as they come (with `json`, all turns at the end); remarks to standard error.
// Output::failed is the first turn's error, when no one at a terminal has seen it.
Result<Output> Chat(const ChatOptions& options, bool json);

}  // namespace ferry::cli
