// The standard modules that are written in Python, as bytecode. Source: lib/py, compiled when
// Ferry is built. They lie in groups, each compressed as one: modules have much in common, and what
// is alike in them (the parts of a bytecode file) stands together.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace ferry::vm {

struct EmbeddedGroup {
  size_t size = 0;          // of what is packed
  std::string_view packed;  // by zlib
  std::once_flag once;
  // Unpacked when a process first asks for a module of the group, and kept for its other isolates.
  const std::string* bytes = nullptr;
};

struct EmbeddedModule {
  static constexpr int kPieces = 6;  // head and parts of its bytecode
  struct Piece {
    uint32_t begin, size;  // within the group
  };
  std::string_view name;
  EmbeddedGroup* group;
  Piece pieces[kPieces];
};

// nullptr: there is none of this name.
const EmbeddedModule* FindEmbedded(std::string_view name);
// The bytecode of a module; empty when its bytes are not what the build made.
std::string Unpacked(const EmbeddedModule& module);
// All groups now, so that no later import in this process pays for it.
void UnpackGroups();

}  // namespace ferry::vm
