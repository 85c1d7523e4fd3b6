// The equation of Einsum.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "device-runtime/ops/node_context.h"

namespace ferry::ops {

// One label an axis: a letter, or, for the axes of an ellipsis, 0 for the last of them, 1 for the
// one before it, and so on.
using Labels = std::vector<char>;

struct EinsumEquation {
  std::vector<Labels> operands;
  Labels output;
  std::map<char, int64_t> extents;  // of each label; broadcast ones: the larger
};

// Parses attribute `equation` and fits it to the inputs' shapes. kBadModel for a malformed one,
// kShapeMismatch for one that does not fit. Source: ONNX operator Einsum (numpy.einsum).
Result<EinsumEquation> ParseEinsum(const NodeContext& c);

}  // namespace ferry::ops
