// A model as a GGUF file, named and laid out as llama.cpp's converter does. For tests and fuzz
// seeds only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/json_fwd.h"
#include "device-runtime/formats/testing/gguf_writer.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm::testing {

// Values of one tensor as blocks of a type.
struct GgufEncoded {
  uint32_t type = formats::kGgufF32;
  Bytes bytes;
};
// Of row-major values; float32 by default.
using GgufEncoder = std::function<GgufEncoded(const std::string& name, int64_t columns,
                                              const std::vector<float>& values)>;

struct GgufOptions {
  std::string architecture;  // "llama"
  GgufEncoder encode;
  // Adds metadata or tensors of the architecture's own.
  std::function<void(formats::GgufWriter&)> more;
};

// `config` and `tensors` (float32) as RandomTensors has them.
Bytes GgufFile(const Json& config, const std::vector<TinyTensor>& tensors,
               const GgufOptions& options);

}  // namespace ferry::llm::testing
