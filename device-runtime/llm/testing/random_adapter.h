// Random adapters of a model as PEFT folders, and models into which they are merged. For tests and
// benchmarks only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/adapter/adapter.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm::testing {

struct RandomAdapterOptions {
  uint64_t seed = 1;
  int64_t rank = 4;
  double alpha = 8;
  std::string dtype = "F32";  // or "BF16", "F16"
  double spread = 0.5;        // of what it adds, beside products that keep their rows' size
  // Which tensors it changes; empty: all that products read.
  std::function<bool(const std::string& name)> takes;
};

// adapter_config.json and the tensors, as PEFT writes them.
Json PeftConfigOf(const RandomAdapterOptions& options);
std::vector<TinyTensor> RandomAdapterTensors(const Model& base,
                                             const RandomAdapterOptions& options = {});
Status WriteAdapterFolder(sys::FileSystem& fs, const std::string& folder, const Json& config,
                          const std::vector<TinyTensor>& tensors);

// `numbers` of the tensor that `change` is of, as its checkpoint stores it, plus factor * scale *
// B A; `transposed`: stored [columns][rows].
void MergeInto(const LowRank& change, double factor, bool transposed, std::vector<float>* numbers);

}  // namespace ferry::llm::testing
