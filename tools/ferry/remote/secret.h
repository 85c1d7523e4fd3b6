// Passwords as people give them: never an argument, which other users of the machine could see.
#pragma once

#include <string>

#include "common/base/status.h"

namespace ferry::cli {

// From the environment's `variable`; else, where standard input is a terminal, typed after `prompt`
// without being shown; else the next line of standard input. The terminal shows letters again on
// every way out, also when a signal (Ctrl-C) ends the program here. kInvalidArgument for none,
// kLimitExceeded, kIo.
Result<std::string> ReadSecret(const char* variable, const std::string& prompt);

}  // namespace ferry::cli
