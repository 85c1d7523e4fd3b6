// Descriptions of language models and texts of families: what travels in model files and what
// --arch takes. What is accepted says the same of itself when it is written and read again.
#include "common/base/check.h"
#include "common/base/json.h"
#include "device-runtime/llm/arch/describe/family.h"
#include "device-runtime/llm/arch/describe/tensors.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

// The members that most families read.
Json SeedConfig(const char* model_type) {
  return {{"model_type", model_type}, {"vocab_size", 96},
          {"hidden_size", 32},        {"intermediate_size", 48},
          {"num_hidden_layers", 2},   {"num_attention_heads", 4},
          {"num_key_value_heads", 2}, {"max_position_embeddings", 64},
          {"rms_norm_eps", 1e-6},     {"num_experts", 4},
          {"num_experts_per_tok", 2}, {"moe_intermediate_size", 8}};
}

void Use(const llm::Description& description) {
  (void)llm::TensorsOf(description).ok();
  const Json written = llm::DescriptionToJson(description);
  const auto again = llm::DescriptionFromJson(written);
  CHECK(again.ok()) << again.status().ToString();
  CHECK(*again == description);
}

void RunDescription(ByteView bytes) {
  const std::string_view text = AsText(bytes);
  if (!text.empty() && text.front() == '{') {
    const Result<Json> json = ParseJson(text);
    if (!json.ok()) return;
    const auto description = llm::DescriptionFromJson(*json);
    if (description.ok()) Use(*description);
    return;
  }
  const auto family = llm::Family::Parse("given", text);
  if (!family.ok()) return;
  const auto described = family->Describe(SeedConfig("qwen3_moe"));
  if (described.ok()) Use(described->description);
}

std::vector<Bytes> DescriptionSeeds() {
  std::vector<Bytes> seeds;
  for (const char* name : {"qwen3_moe", "gemma3", "qwen3_next", "deepseek_v3"}) {
    seeds.push_back(ToBytes(llm::FamilyTextOf(name).value()));
  }
  seeds.push_back(ToBytes("base: llama\nlet x = 3\nwindow = x * i\nrotary.form: interleaved\n"));
  for (const char* type : {"qwen3", "qwen3_moe"}) {
    const auto described = llm::FindFamily(type).value()->Describe(SeedConfig(type)).value();
    seeds.push_back(ToBytes(WriteJson(llm::DescriptionToJson(described.description))));
  }
  return seeds;
}

}  // namespace

const Target kLlmDescriptionTarget = {"llm_description", RunDescription, DescriptionSeeds};

}  // namespace ferry::fuzz
