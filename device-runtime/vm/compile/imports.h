// What a source would import, found without running it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::vm {

struct ImportStatement {
  std::string module;              // "a.b" of `import a.b` and `from ..a.b import c`; may be empty
  int level = 0;                   // dots before it
  std::vector<std::string> names;  // of `from module import names`; empty: `import module`
  int line = 1, column = 1;        // from 1; the column in bytes
  bool may_fail = false;           // in the body of a try statement that has handlers
};

// Every import of the source, by place; those inside of functions and classes too. Left out is what
// never runs in an imported module: below `if __name__ == "__main__"` and `if TYPE_CHECKING`.
// kScriptSyntax when the source does not compile; kUnsupported without a compiler.
Result<std::vector<ImportStatement>> Imports(std::string_view source, std::string_view file);

}  // namespace ferry::vm
