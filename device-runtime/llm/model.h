// A language model: configuration, weights in their stored form (mapped, never copied), tokenizer
// and chat template. Source: layout of folders after Hugging Face.
//
//   FERRY_ASSIGN_OR_RETURN(auto model, llm::Model::Load(fs, "pair/target", {}));
//   FERRY_ASSIGN_OR_RETURN(auto session, llm::Session::Create(model, {}));
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/sys/executor.h"
#include "common/sys/filesystem.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/kernels/isa.h"
#include "device-runtime/llm/matrix.h"

namespace ferry::llm {

using TokenId = int32_t;
using Digest = std::array<uint8_t, 32>;  // SHA-256

class Device;
class KvPool;
struct KvOptions;
class Workspace;
class AdapterSet;
class ChatTemplate;
struct Description;
class KvSequence;
class Network;
class Tokenizer;
class Workspace;

// What a layer keeps of a sequence: a key and a value of each head and position, or, for a layer
// that steps (gated delta rule), a state and the inputs that led to it.
struct KvLayer {
  int64_t heads = 0;
  int64_t key_dim = 0;
  int64_t value_dim = 0;  // 0: keys are rows, and values parts of them
  int64_t state_floats = 0;
  int64_t input_floats = 0;  // of one position
  int64_t window = 0;        // the last positions that it reads; 0: all
  bool exact = false;        // numbers are kept as they are, in float32
};

// The scratch memory of a forward pass, in floats a token.
struct WorkspaceShape {
  int64_t hidden = 0;
  int64_t scratch = 0;          // of the block that needs most
  int64_t angles = 0;           // of all kinds of rotary positions
  int64_t quantized_bytes = 0;  // bytes: of the widest row in 8 bits that a product reads
  int64_t vocabulary = 0;
};

// What callers ask of a model; arch/describe has all of it.
struct ModelConfig {
  std::string architecture;  // the family's name: "qwen3"
  int64_t vocabulary = 0;
  int64_t hidden = 0;
  int64_t layers = 0;
  int64_t context = 0;              // most positions of one sequence
  int64_t outputs = 0;              // logits of a token: the vocabulary, if no encoder
  bool encoder = false;             // reads a text in one pass and continues none
  std::vector<TokenId> end_tokens;  // generation stops after any of them
  std::vector<KvLayer> kv;          // [layers]
  kernels::KvType kv_type = kernels::KvType::kF32;  // of caches that are not told another
  int64_t kv_bytes = 0;         // most bytes of caches that are not told; 0: KvOptions says
  std::string kv_spill_folder;  // of caches that are not told: KvOptions::spill_folder
  WorkspaceShape workspace;
};

// Limits of what a file may say.
inline constexpr int64_t kMaxVocabulary = 1 << 20;
inline constexpr int64_t kMaxHidden = 1 << 16;
inline constexpr int64_t kMaxLayers = 1 << 10;
inline constexpr int64_t kMaxContext = int64_t{1} << 24;

// Tokens that one sequence appends in a forward pass.
struct Chunk {
  KvSequence* kv = nullptr;  // its length grows by tokens.size()
  std::span<const TokenId> tokens;
  int64_t logits_from = 0;  // logits are wanted for tokens [logits_from, size); size: for none
  float* logits = nullptr;  // [tokens.size() - logits_from][outputs], row-major
  const AdapterSet* adapters = nullptr;  // of this model (adapter/adapter.h); null: none
};

inline constexpr int64_t kMaxChunkTokens = 512;  // of all chunks of one forward pass together

struct LoadOptions {
  std::optional<kernels::Isa> isa;  // none: kernels::ChooseIsa()
  // What the model runs on (device/device.h); null: the processor, with `isa`. Outlives the model.
  const Device* device = nullptr;
  // Whether weights of few bits meet float32 rows; else rows of 8 bits, which is faster and has an
  // error of its own.
  bool exact = false;
  // A family (arch/describe/family.h) or a description (JSON) in place of the one that config.json
  // names; empty: none. kInvalidArgument for a
  // file.
  std::string family;
  // Most memory for weights, caches and all else that the process holds, bytes; 0: no limit. What
  // does not fit of a mapped file's weights is read from it in each pass. Caches have `kv_bytes` of
  // it, 0: a quarter. kOutOfMemory says what is needed at least.
  int64_t memory_bytes = 0;
  int64_t kv_bytes = 0;
  // What caches keep beyond that lies in a file of this folder (KvOptions::spill_folder): what was
  // said, in plain, on the disk until the process ends. Empty: nothing does.
  std::string spill_folder;
  // A folder that remembers which files were found sound, by their identity in the file system;
  // empty: none. Made when needed; one that cannot be written is as none. The file system that it
  // lies in outlives the model.
  std::string checked;
};

// Immutable and shared: any number of sessions on any threads.
class Model {
 public:
  // A Hugging Face folder, a GGUF file or a Ferry model file (".flm"). Errors name file and thing:
  // kNotFound (a missing shard), kBadModel (wrong shapes, NaN weights, damaged file), kUnsupported
  // (an unknown architecture; lists those supported), kMalformed (JSON). Of a model file the header
  // and what is small are read; its tensors are checked on first use (Ready).
  static Result<std::shared_ptr<const Model>> Load(sys::FileSystem& fs, const std::string& path,
                                                   const LoadOptions& options = {});
  // A Ferry model file or a GGUF file in memory that lives as long as `owner` (a mapped package,
  // say).
  static Result<std::shared_ptr<const Model>> FromBytes(ByteView file,
                                                        std::shared_ptr<const void> owner,
                                                        const LoadOptions& options = {});
  ~Model();

  // kFailedPrecondition for an encoder, whose outputs are no next tokens.
  Status CheckContinues() const;

  // Whether what the model was read from is sound: checksums of all sections hold and all numbers
  // are finite. Found out once, on all cores, before a model is used (sessions and batchers ask);
  // not again for a file that LoadOptions::checked knows. kBadModel names section or tensor.
  Status Ready() const;

  const ModelConfig& config() const;
  // What it runs on, and what sessions have of that: a cache (`options` over what the model says),
  // memory for passes of up to `tokens` tokens. Errors: the device's.
  const Device& device() const;
  Result<std::shared_ptr<KvPool>> NewKvPool(const KvOptions& options) const;
  Result<Workspace> NewWorkspace(int64_t tokens) const;
  const Description& description() const;
  const MatrixType& weight_type() const;  // of the largest matrix
  // Whether the source has weights of few bits already: to quantise them again would round twice.
  bool quantized() const;
  int64_t parameters() const;
  int64_t weight_bytes() const;
  // Of these, what leaves memory in each pass (LoadOptions::memory_bytes).
  int64_t streamed_bytes() const;
  // kFailedPrecondition when the folder has none: tokens by id only.
  Result<const Tokenizer*> tokenizer() const;
  Result<const ChatTemplate*> chat_template() const;
  // SHA-256 over configuration and weights: equal for equal models, whatever their file.
  const Digest& digest() const;

  // Runs the chunks together: appends their keys and values, writes the wanted logits. Each row's
  // bits are those it would have alone. The caller has reserved KV room (KvSequence::Reserve) and
  // checked token ids and context (CheckTokens). One thread at a time a workspace and a sequence.
  void Forward(std::span<const Chunk> chunks, Workspace& workspace, sys::Parallel& parallel) const;
  // kInvalidArgument names the first id outside the vocabulary; kLimitExceeded when `length` +
  // tokens pass the context.
  Status CheckTokens(std::span<const TokenId> tokens, int64_t length) const;
  // Bytes of a workspace for forward passes of up to `tokens` tokens.
  int64_t WorkspaceBytes(int64_t tokens) const;

  struct State;  // of load/parts.h, for the files in load/ and file/
  const State& state() const { return *state_; }
  explicit Model(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ferry::llm
