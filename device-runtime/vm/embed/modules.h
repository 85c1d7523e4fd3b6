// The standard modules that are written in Python, as bytecode. Source: lib/py, compiled when
// Ferry is built.
#pragma once

#include <span>
#include <string_view>

namespace ferry::vm {

struct EmbeddedModule {
  std::string_view name;
  std::string_view bytes;
};

// Sorted by name.
std::span<const EmbeddedModule> EmbeddedModules();

}  // namespace ferry::vm
