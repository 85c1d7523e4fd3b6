// What makes a model, wherever it was read from, and the step from there to a Model.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/load/config.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/template/chat_template.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "device-runtime/tensor/buffer.h"

namespace ferry::llm {

// A tensor as a file has it; borrows bytes of one of ModelParts::owners.
struct StoredTensor {
  MatrixType type;
  std::vector<int64_t> shape;
  ByteView values;                    // row-major, or a packed matrix; any alignment
  const uint8_t* scales = nullptr;    // kI8: float32, one a row
  std::string where;                  // the file, for messages
  std::optional<Digest> checksum;     // of its section (file/format.h), when known
  std::shared_ptr<const void> owner;  // of bytes that were made from the file's; null: the file
};

// Checkpoints of models that also see and hear, and some older ones, begin names in other ways.
struct NameBeginning {
  std::string_view usual, other;
};
inline constexpr NameBeginning kNameBeginnings[] = {{"", ""},
                                                    {"model.", "model.language_model."},
                                                    {"model.", "language_model.model."},
                                                    {"lm_head.", "language_model.lm_head."},
                                                    {"transformer.", ""}};

// Tensors of one model by name. kNotFound for a shard that is missing, null for an unknown tensor.
class TensorSource {
 public:
  virtual ~TensorSource() = default;
  virtual Result<std::optional<StoredTensor>> Find(const std::string& name) const = 0;
};

struct ModelParts {
  std::string source;  // for messages
  ReadModelConfig config;
  std::unique_ptr<TensorSource> tensors;
  bool quantized = false;  // weights of few bits: an import keeps them unless told
  // Errors here are those of Model::tokenizer and chat_template: a model runs without them.
  Result<std::unique_ptr<Tokenizer>> tokenizer = Status(Code::kFailedPrecondition, "none");
  Result<std::unique_ptr<ChatTemplate>> chat_template = Status(Code::kFailedPrecondition, "none");
  std::vector<std::shared_ptr<const void>> owners;
  // What is left to be checked before the model is used (Model::Ready), beside that its numbers are
  // finite; null: nothing is, and the numbers are looked at while the model is built.
  std::function<Status()> check;
};

// Checks that all tensors are there (kBadModel lists those missing), have their shapes and are
// finite, and builds the network.
Result<std::shared_ptr<const Model>> BuildModel(ModelParts parts, const LoadOptions& options);

// A Hugging Face folder.
// `family` as in LoadOptions.
Result<ModelParts> ReadFolder(sys::FileSystem& fs, const std::string& folder,
                              const std::string& family);

struct Model::State {
  ReadModelConfig config;
  std::vector<TensorSpec> specs;
  std::vector<std::optional<Digest>> checksums;  // of the specs' sections, as far as known
  Weights weights;
  std::vector<std::shared_ptr<const void>> owners;
  std::vector<tensor::Buffer> copies;  // widened vectors, and tensors that lay misaligned
  Result<std::unique_ptr<Tokenizer>> tokenizer = Status(Code::kFailedPrecondition, "none");
  Result<std::unique_ptr<ChatTemplate>> chat_template = Status(Code::kFailedPrecondition, "none");
  std::unique_ptr<Network> network;
  const Device* device = nullptr;
  kernels::Isa isa{};  // of its table
  bool exact = false;  // LoadOptions
  MatrixType weight_type;
  bool quantized = false;  // as in ModelParts
  int64_t parameters = 0;
  int64_t weight_bytes = 0;

  // Of Model::Ready. `remember` is called once all is found sound.
  mutable std::once_flag ready_once;
  mutable std::function<Status()> check;
  mutable std::function<void()> remember;
  mutable Status ready;

  mutable std::once_flag digest_once;
  mutable Digest digest{};
};

}  // namespace ferry::llm
