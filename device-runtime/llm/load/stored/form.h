// Stored forms of checkpoints: each file beside this one finds tensors in one of them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/sys/executor.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/load/stored/raw.h"

namespace ferry::llm {

// What config.json's quantization_config says.
struct Quantization {
  std::string method;  // "gptq", "awq", "compressed-tensors", "fp8", "mxfp4"; empty: none
  int bits = 0;
  int64_t group = 0;                          // columns that share a scale; 0: the whole row
  bool zeros_less_one = true;                 // gptq: stored zero points are less 1
  int64_t block_rows = 0, block_columns = 0;  // fp8
};

// kUnsupported names a method (or a version of it) that is not read; kBadModel a number that cannot
// be.
Result<Quantization> ReadQuantization(const Json& config);

struct FormContext {
  const RawTensors& raw;
  const Quantization& quantization;
  const ImportRules& rules;
  std::function<sys::Parallel&()> parallel;  // threads, started when first wanted
};

// The tensor `name` ("model.layers.0.mlp.up_proj.weight") in one form; nothing when the checkpoint
// has it not so. kBadModel names what does not fit.
using FindStored = Result<std::optional<StoredTensor>> (*)(const FormContext& context,
                                                           const std::string& name);
#define FERRY_STORED_FORM(Name)                                              \
  Result<std::optional<StoredTensor>> Find##Name(const FormContext& context, \
                                                 const std::string& name);
#include "device-runtime/llm/load/stored/forms.inc"
#undef FERRY_STORED_FORM

// Tensors of a checkpoint in whichever form each is.
class StoredTensors final : public TensorSource {
 public:
  StoredTensors(std::unique_ptr<RawTensors> raw, Quantization quantization, ImportRules rules);
  ~StoredTensors() override;
  Result<std::optional<StoredTensor>> Find(const std::string& name) const override;

 private:
  sys::Parallel& Threads() const;

  std::unique_ptr<RawTensors> raw_;
  Quantization quantization_;
  ImportRules rules_;
  mutable std::unique_ptr<sys::Parallel> threads_;
  mutable std::map<std::string, StoredTensor> made_;  // what was made once is not made again
};

// Of scales: F16, BF16 or F32; else kBadModel.
Result<kernels::PackedScale> ScaleTypeOf(const RawTensor& scales);
// "model.layers.0.mlp.up_proj" of "model.layers.0.mlp.up_proj.weight"; empty for other names.
std::string WithoutWeight(const std::string& name);

}  // namespace ferry::llm
