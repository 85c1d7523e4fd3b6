// Which tensors a description needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/arch/describe/description.h"

namespace ferry::llm {

// A tensor under its name in the checkpoint. Of two extents: a matrix, kept as it is stored. Of
// one: a vector, kept as float32.
struct TensorSpec {
  std::string name;
  std::vector<int64_t> shape;
  bool exact = false;     // small and read as numbers: an import leaves its type alone
  bool in_layer = false;  // of a layer, not of embedding or head
  int64_t layer = -1;     // which
  bool is_norm = false;   // weights of a norm: ImportRules::norm_offset
};

inline constexpr size_t kMaxTensors = size_t{1} << 17;

// Each name once, in the order in which they are used. kBadModel for a name that stands for two
// things, kLimitExceeded past kMaxTensors.
Result<std::vector<TensorSpec>> TensorsOf(const Description& description);

// `name` with the numbers of layer and expert in place of "{i}" and "{e}".
std::string TensorName(std::string_view name, int64_t layer, int64_t expert = 0);
// The name of the bias that belongs to a weight: ".weight" becomes ".bias".
std::string BiasName(std::string_view name);

}  // namespace ferry::llm
