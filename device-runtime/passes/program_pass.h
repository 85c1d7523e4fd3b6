// The passes over programs of primitives, in the order that plans run them.
#pragma once

#include <span>
#include <string_view>

#include "device-runtime/ir/program.h"

namespace ferry::passes {

struct ProgramPass {
  std::string_view name;
  int (*run)(ir::Program&);  // how many places it changed
};
std::span<const ProgramPass> ProgramPasses();

}  // namespace ferry::passes
