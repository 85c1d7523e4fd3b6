// config.json to a description and back. Members are Hugging Face's, of today and of before; which
// mean what is the family's (arch/describe/family.h).
#pragma once

#include <string_view>

#include "common/base/json.h"
#include "common/base/status.h"
#include "device-runtime/llm/arch/describe/family.h"
#include "device-runtime/llm/arch/network.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

inline constexpr size_t kMaxEndTokens = 64;

struct ReadModelConfig {
  Description description;
  ImportRules rules;     // what is done as tensors are read
  bool may_tie = false;  // a head that is not there is the embedding
  ModelConfig config;    // but for what networks say: kv and workspace
};

// `generation` is generation_config.json or null: its end tokens win. `family` as in LoadOptions.
// Also reads what WriteConfig wrote. kMalformed, kBadModel (a value that cannot be),
// kLimitExceeded, kUnsupported; each names the member.
Result<ReadModelConfig> ReadConfig(const Json& config, const Json* generation,
                                   std::string_view family = {});

// The description and the end tokens, for a model file; equal models give equal text (WriteJson).
Json WriteConfig(const ReadModelConfig& config);

}  // namespace ferry::llm
