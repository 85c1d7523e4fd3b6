// Modules of a script that lie beside it, as Python finds them.
#pragma once

#include <string>

#include "device-runtime/vm/isolate.h"

namespace ferry::cli {

// Finds "a.b" as a/b.py, a/b/__init__.py or, as a package without code of its own, a/b/ below
// `folder`. Reads nothing outside of it, links apart.
vm::SourceLoader ScriptFolder(std::string folder);

}  // namespace ferry::cli
