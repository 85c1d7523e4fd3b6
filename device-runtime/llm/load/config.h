// config.json to ModelConfig and back. Source: members after Hugging Face's configuration classes,
// both of today (rope_parameters) and before (rope_theta, rope_scaling).
#pragma once

#include "common/base/json.h"
#include "common/base/status.h"
#include "device-runtime/llm/arch/network.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

// Further limits of what a file may say, beside those in model.h.
inline constexpr int64_t kMaxHeads = 1 << 10;
inline constexpr int64_t kMaxHeadDim = 1 << 10;
inline constexpr int64_t kMaxFfn = 1 << 18;
inline constexpr size_t kMaxEndTokens = 64;

struct ReadModelConfig {
  const Architecture* architecture = nullptr;
  ModelConfig config;
  Json settings;  // Architecture::ReadSettings
};

// `generation` is generation_config.json or null: its end tokens win. kMalformed, kBadModel (a
// value that cannot be), kLimitExceeded, kUnsupported; each names the member.
Result<ReadModelConfig> ReadConfig(const Json& config, const Json* generation);

// A config.json that ReadConfig reads to the same; equal models give equal text (WriteJson).
Json WriteConfig(const ModelConfig& config, const Json& settings);

}  // namespace ferry::llm
