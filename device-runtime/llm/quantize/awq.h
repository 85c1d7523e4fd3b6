// Activation-aware scaling: columns of weights that meet large activations are stored larger, so
// that few bits cost them less, and what makes these activations is made smaller by as much.
// Source: Lin et al., "AWQ" (2023).
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/arch/describe/tensors.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

// Factors by which the values of a tensor are multiplied as they are stored: of each column, of
// each row (of a vector: each number). A model with all of them computes what it did.
struct FoldedScales {
  std::map<std::string, std::vector<float>, std::less<>> columns, rows;
};

// Runs `text` through the model and searches, for each product whose input a norm or a product
// before it makes, the power of its mean activations that costs the outputs least. `type_of` says
// how a tensor will be stored: only packed ones are searched. kInvalidArgument for a text of less
// than kLeastCalibration tokens; kOutOfMemory.
Result<FoldedScales> SearchScales(const Model& model, std::span<const TokenId> text,
                                  const std::function<MatrixType(const TensorSpec&)>& type_of,
                                  sys::Parallel& parallel);

inline constexpr size_t kLeastCalibration = 64;
inline constexpr size_t kMostCalibration = 4096;  // tokens; those behind are not read

}  // namespace ferry::llm
