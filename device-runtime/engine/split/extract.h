// A part of a program as a program of its own.
#pragma once

#include <vector>

#include "device-runtime/ir/program.h"

namespace ferry::engine {

struct ExtractedPart {
  ir::Program program;
  std::vector<ir::BufferId> inputs, outputs;  // buffers of the whole program, roots
};
// The step that reads each buffer last, by root; SIZE_MAX for outputs, 0 for what nobody reads.
std::vector<size_t> LastReads(const ir::Program& program);
// Steps [begin, end). Its inputs are what it reads and others make; its outputs what it makes and
// others read.
ExtractedPart Extract(const ir::Program& program, const std::vector<size_t>& last_reads,
                      size_t begin, size_t end);

}  // namespace ferry::engine
