// Who makes and who reads the values of a program, and orders that respect it.
#pragma once

#include <span>
#include <vector>

#include "device-runtime/ir/program.h"

namespace ferry::engine {

// By root buffers, constants apart. Immutable.
struct Dataflow {
  struct Value {
    ir::BufferId root = -1;
    int producer = -1;         // a step; -1: an input of the program, which lies on the host
    std::vector<int> readers;  // steps, each once, in order
    bool is_output = false;    // of the program: the host reads it
    int64_t bytes = 0;
  };
  std::vector<Value> values;
  std::vector<std::vector<int>> after;  // of each step those that must run later, maybe twice

  explicit Dataflow(const ir::Program& program);
};

// An order of the steps that keeps what `after` asks, in which steps of one label stand together:
// label 0 runs all that it can before another label's turn comes. The number of turns of the others
// is the smallest there is where these are one label. Steps of a turn keep the program's order, so
// that one label alone leaves it as it is.
std::vector<int> GroupedOrder(const Dataflow& flow, std::span<const int> labels, int label_count);

}  // namespace ferry::engine
