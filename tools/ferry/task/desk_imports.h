// Whether a task imports modules of the desk library (device-runtime/vm/lib/desk), which devices do
// not have.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::cli {

struct DeskImport {
  std::string path;          // of the script, below the task's folder
  int line = 1, column = 1;  // from 1
  std::string message;       // "FOLDER/PATH:LINE:COLUMN: module 'pickle' is only on the desk: ..."
};

// The text of the task's script at `path` ("lib/part.py"); absent when the task has none there.
using TaskSource = std::function<std::optional<std::string>(const std::string& path)>;

// Follows the imports of `script` through the task's own modules, as a device would run them, and
// gives every import of a desk module in what they reach. What only a task's tests import is not
// reached. A module of the task's own comes before the desk's of the same name; an import in the
// body of a `try` that has handlers may fail and is left to fail when it runs. kScriptSyntax when a
// script does not compile. `folder` is only for messages.
Result<std::vector<DeskImport>> FindDeskImports(const std::string& folder,
                                                const std::string& script,
                                                const TaskSource& source);

// The same for the one file `path` by itself; the modules around it on the disk are its own.
// Files of tests (test_*.py) may import all.
Result<std::vector<DeskImport>> FindDeskImportsOfFile(const std::string& path);

// Sources from the disk, below `folder`.
TaskSource SourcesBelow(std::string folder);

}  // namespace ferry::cli
