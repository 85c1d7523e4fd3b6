// The standard modules that are written in Python, as bytecode. Source: lib/py, compiled when
// Ferry is built.
#pragma once

#include <string>
#include <string_view>

namespace ferry::vm {

struct EmbeddedModule {
  std::string_view name;
  size_t size;              // of its bytecode
  std::string_view packed;  // the bytecode, compressed by zlib
};

// nullptr: there is none of this name.
const EmbeddedModule* FindEmbedded(std::string_view name);
// The bytecode of a module; empty when its bytes are not what the build made.
std::string Unpacked(const EmbeddedModule& module);

}  // namespace ferry::vm
