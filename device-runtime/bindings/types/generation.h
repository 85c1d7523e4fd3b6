// What LanguageModel and LanguageSession share: prompts, options and memory of a generation by a
// script. For this folder only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device-runtime/llm/session.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "device-runtime/tensor/budget.h"
#include "device-runtime/vm/native.h"

namespace ferry::bindings {

inline constexpr int64_t kTokenSteps = 1000;  // what a token through a model counts, as a limit
inline constexpr int64_t kScriptPrefillChunk = 32;  // small: its work memory counts for the task
inline constexpr size_t kMaxStops = 16;
inline constexpr size_t kMaxStopBytes = 1024;  // of one of them
inline constexpr int64_t kDefaultMaxNew = 128;

// One sequence of at most capacity() tokens, with its KV cache, whose memory the task's budget
// holds for as long as it lives. One thread at a time.
class ScriptSequence {
 public:
  // kScriptMemory when it does not fit the isolate, kOutOfMemory when not the budget.
  static Result<std::unique_ptr<ScriptSequence>> Create(vm::CallContext& c,
                                                        std::shared_ptr<const llm::Model> model,
                                                        int64_t capacity);
  ~ScriptSequence();

  llm::Session& session() { return *session_; }
  int64_t capacity() const { return capacity_; }
  int64_t bytes() const { return bytes_; }
  // Reads `ids` behind what is there. kLimitExceeded past the capacity; kInvalidArgument.
  Status Append(vm::CallContext& c, std::span<const llm::TokenId> ids);

 private:
  ScriptSequence() = default;
  int64_t capacity_ = 0;
  int64_t bytes_ = 0;
  std::shared_ptr<tensor::MemoryBudget> budget_;  // holds bytes_, when there is one
  std::unique_ptr<llm::Session> session_;
};

// Text (through the tokenizer) or a list of token ids.
Result<std::vector<llm::TokenId>> ReadPrompt(vm::CallContext& c, const llm::Model& model,
                                             vm::Value prompt);

struct ScriptGeneration {
  llm::SamplerOptions sampler;
  llm::PrfKey key;
  int64_t max_new = kDefaultMaxNew;
  std::vector<std::string> stop;
};
// Names of the options, as scripts write them, in the order that ReadGeneration takes them.
inline constexpr const char* kGenerationNames[] = {"max_new", "temperature",        "seed", "top_k",
                                                   "top_p",   "repetition_penalty", "stop"};
inline constexpr size_t kGenerationOptions = std::size(kGenerationNames);
// `args`: kGenerationOptions values, Empty where the script gave none.
Result<ScriptGeneration> ReadGeneration(vm::CallContext& c, const vm::Value* args);

// Goes on from what the sequence holds (not empty), and returns the new text up to a stop text, an
// end token, max_new or the capacity. Counts steps token by token.
Result<std::string> GenerateText(vm::CallContext& c, ScriptSequence& sequence,
                                 const ScriptGeneration& request);

}  // namespace ferry::bindings
