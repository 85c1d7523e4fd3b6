// Standard input, output and error of this process.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/status.h"

namespace ferry::cli {

// Opens those of the three that whoever started the program has closed, so that no file or socket
// gets their numbers: input is at its end then, and writing fails. Call it first.
void OpenClosedStreams();
// All of standard input. kLimitExceeded past `limit` bytes, no more of which are read; kIo.
Result<std::string> ReadStandardInput(size_t limit);

}  // namespace ferry::cli
