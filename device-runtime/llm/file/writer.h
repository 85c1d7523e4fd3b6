// Writer of Ferry's model file (format.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/quantize/awq.h"
#include "device-runtime/llm/quantize/quantize.h"

namespace ferry::llm {

// Matrices whose names match `pattern` (* stands for any letters) are stored as `type`.
struct StoreRule {
  std::string pattern;
  MatrixType type;
};

// How matrices are stored. Vectors are float32, and small tensors (routers, short convolutions)
// keep the type that they have.
struct StoreOptions {
  MatrixType matrices;
  bool keep = false;                    // matrices keep the types that they have: none of the below
  std::optional<MatrixType> embedding;  // none: as `matrices`
  std::optional<MatrixType> head;       // none: as the embedding; of tied models there is none
  std::vector<StoreRule> rules;         // the first that matches goes before all of these
  QuantizeMethod method = QuantizeMethod::kRtn;
  const FoldedScales* folded = nullptr;  // values are multiplied by these first; null: none
  sys::Parallel* parallel = nullptr;     // null: the calling thread
};

// How a tensor of the model is stored.
MatrixType StoredTypeOf(const Model::State& state, const StoreOptions& options,
                        const TensorSpec& spec);

// Bytes of tensors made so far and in all, at last the file's; called from the calling thread.
using WriteProgress = std::function<void(int64_t done, int64_t total)>;

// Writes `model` with tokenizer and chat template inside (if it has them), and returns the file's
// size. Beside `path` first, then renamed: the old file or the new. Each tensor is made once;
// memory beside: one packed tensor. Errors are the file system's, kOutOfRange and kBadModel for a
// number that a type cannot hold, kInvalidArgument for a form that a matrix cannot have, and those
// of a tokenizer or template that is there but cannot be read. The same model gives the same bytes,
// whatever the threads.
Result<int64_t> WriteModelFile(sys::FileSystem& fs, const Model& model, const std::string& path,
                               const StoreOptions& options, const WriteProgress& progress = {});
// All matrices of one type of rows.
Result<int64_t> WriteModelFile(sys::FileSystem& fs, const Model& model, const std::string& path,
                               kernels::WeightType type, const WriteProgress& progress = {});

}  // namespace ferry::llm
