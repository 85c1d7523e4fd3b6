// What is probably wrong in a source that compiles: names that nothing defines, imports and
// variables that nothing uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::vm {

struct Finding {
  int line = 1, column = 1;  // from 1; the column in bytes
  std::string message;       // "undefined name 'x'"
};

// By place. kScriptSyntax when the source does not compile.
Result<std::vector<Finding>> Lint(std::string_view source, std::string_view file);

}  // namespace ferry::vm
