// How much a step has to do, whatever way it runs.
#pragma once

#include <string>

#include "device-runtime/ir/program.h"

namespace ferry::engine {

struct Work {
  double flops = 0;        // multiplications and additions of the plain algorithm
  double bytes = 0;        // of all it reads and writes, each once
  bool is_counted = true;  // else flops are but the elements of its first output
  std::string sizes;       // "1x56x56x64 3x3 -> 56x56x64", for people
};

Work WorkOf(const ir::Program& program, const ir::Step& step);

}  // namespace ferry::engine
