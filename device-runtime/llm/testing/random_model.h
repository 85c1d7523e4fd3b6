// A random model of any family as a Hugging Face folder. For tests and benchmarks only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm::testing {

// The tensors that the model of `config` has, as its checkpoint stores them, float32: products
// spread so that rows keep their size, norms near 1.
Result<std::vector<TinyTensor>> RandomTensors(const Json& config, uint64_t seed);
// config.json and model.safetensors in `folder`, which is made.
Status WriteModelFolder(sys::FileSystem& fs, const std::string& folder, const Json& config,
                        const std::vector<TinyTensor>& tensors);

// A small config.json of a model_type: a few layers of each of its kinds, a vocabulary of 96.
Json SmallConfig(const std::string& model_type);
// The model_types that SmallConfig knows: one of each family.
std::vector<std::string> SmallModelTypes();

// The numbers of a float32 tensor, and back.
std::vector<float> NumbersOf(const TinyTensor& tensor);
TinyTensor TensorOf(const std::string& name, std::vector<int64_t> shape,
                    const std::vector<float>& numbers);

}  // namespace ferry::llm::testing
