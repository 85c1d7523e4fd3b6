// Runs one case in this process. Source: the ONNX backend suite's rules.
#pragma once

#include <string>

#include "tools/conformance/find.h"

namespace ferry::conformance {

inline constexpr int kMaxDataSets = 1000;
inline constexpr int kMaxDataFiles = 1000;  // of one kind in a data set

struct RunOptions {
  // The instruction set of the kernels; "": the fastest, or what FERRY_ISA says.
  std::string isa;
  // The operators' naive references on the graph as imported, instead of sessions.
  bool naive = false;
};

// kInvalidArgument for an instruction set that nobody knows, kUnsupported for one that this program
// or processor does not run; both name those that run.
Status CheckIsa(const std::string& isa);

// Imports the model once and runs every data set. A session runs each twice, by Run and by
// RunValues, where all inputs and outputs are tensors. The error says why the case fails.
Status RunCase(const Case& c, const RunOptions& options);

}  // namespace ferry::conformance
