// The standard modules that are written in Python, as bytecode: a library for every runtime
// (lib/py) and one for the desk (desk.h), compiled when Ferry is built. They lie in groups, each
// compressed as one: modules have much in common, and what is alike in them (the parts of a
// bytecode file) stands together.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "device-runtime/vm/bytecode/format.h"

namespace ferry::vm {

// Unpacked it is a table, then what its rows and columns say the size of: for the heads of the
// modules, then for each part of their bytecode, a row of 4-byte sizes, little-endian.
struct EmbeddedGroup {
  uint32_t modules = 0;
  size_t size = 0;          // of what is packed
  std::string_view packed;  // by zlib
  std::once_flag once;
  // Unpacked when a process first asks for a module of the group, and kept for its other isolates.
  const std::string* bytes = nullptr;
};

inline constexpr uint32_t kFilePieces = 1 + kFileParts;

struct EmbeddedModule {
  const char* name;
  EmbeddedGroup* group;
  uint32_t column;  // of the group's table
};

// The modules that one folder was compiled to. Never changes but for groups that are unpacked, each
// once; any thread.
struct EmbeddedLibrary {
  std::span<EmbeddedGroup> groups;
  std::span<const EmbeddedModule> modules;  // by name

  // nullptr: there is none of this name.
  const EmbeddedModule* Find(std::string_view name) const;
  // Whether there are modules below it ("json" of "json.decoder").
  bool IsPackage(std::string_view name) const;
  // All groups now, so that no later import in this process pays for it.
  void Unpack() const;
};

// The bytecode of a module; empty when its bytes are not what the build made.
std::string Unpacked(const EmbeddedModule& module);

// ---- runtime.cc ----
// The library that every runtime has; that of the compiler which makes it is empty.
const EmbeddedLibrary& RuntimeLibrary();

}  // namespace ferry::vm
