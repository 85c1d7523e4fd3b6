// What a completion call asks for, read from its JSON body. Pure. Source: fields after OpenAI's API
// reference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/sampler/sampler.h"
#include "device-runtime/llm/template/chat_template.h"

namespace ferry::cli {

inline constexpr size_t kMaxMessages = 4096;
inline constexpr size_t kMaxStops = 16;
inline constexpr size_t kMaxStopBytes = 256;

enum class CompletionKind { kText, kChat };  // /v1/completions, /v1/chat/completions

struct CompletionRequest {
  CompletionKind kind = CompletionKind::kText;
  std::string model;                       // empty: whichever is served
  std::vector<llm::ChatMessage> messages;  // kChat
  std::string prompt;                      // kText; or ids
  std::vector<llm::TokenId> prompt_ids;
  llm::SamplerOptions sampler;  // temperature 1 unless given
  std::optional<uint64_t> seed;
  std::optional<int64_t> max_tokens;  // at least 1
  std::vector<std::string> stop;
  bool stream = false;
  bool include_usage = false;
};

// kMalformed for what is no JSON object, kInvalidArgument for a field; `param` then is its name.
// What would change the answer and is not supported (n, tools, logprobs ...) is refused, not
// ignored; unknown fields are ignored.
Result<CompletionRequest> ParseCompletion(CompletionKind kind, std::string_view body,
                                          std::string* param);

}  // namespace ferry::cli
