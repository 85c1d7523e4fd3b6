#include "device-runtime/llm/load/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm {
namespace {

using ::testing::HasSubstr;

Json Good() {
  return testing::TinyConfig({});
}

TEST(Config, ReadsAndWritesTheSame) {
  const auto read = ReadConfig(Good(), nullptr);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  const ModelConfig& config = read->config;
  EXPECT_EQ(config.architecture, "qwen3");
  EXPECT_EQ(config.vocabulary, testing::TinyVocabulary());
  EXPECT_EQ(config.hidden, 32);
  EXPECT_EQ(config.layers, 2);
  EXPECT_EQ(config.heads, 4);
  EXPECT_EQ(config.kv_heads, 2);
  EXPECT_EQ(config.head_dim, 16);
  EXPECT_EQ(config.ffn, 64);
  EXPECT_EQ(config.context, 512);
  EXPECT_FLOAT_EQ(config.norm_eps, 1e-6f);
  EXPECT_EQ(config.rope_theta, 10000);
  EXPECT_TRUE(config.tied_embeddings);
  const Json written = WriteConfig(config, read->settings);
  const auto again = ReadConfig(written, nullptr);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(WriteJson(WriteConfig(again->config, again->settings)), WriteJson(written));
  EXPECT_EQ(again->config.norm_eps, config.norm_eps);
}

TEST(Config, RotaryBaseAtTheTopOrInRopeParameters) {
  Json json = Good();
  json.erase("rope_theta");
  json.erase("rope_scaling");
  json["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 1000000}};
  EXPECT_EQ(ReadConfig(json, nullptr).value().config.rope_theta, 1e6);
  json.erase("rope_parameters");
  EXPECT_EQ(ReadConfig(json, nullptr).value().config.rope_theta, 10000);
  json["rope_theta"] = 5e5;
  json["rope_scaling"] = {{"type", "default"}};
  EXPECT_EQ(ReadConfig(json, nullptr).value().config.rope_theta, 5e5);
}

TEST(Config, EndTokensAreANumberOrAListAndGenerationConfigWins) {
  Json json = Good();
  json["eos_token_id"] = {3, 5};
  EXPECT_EQ(ReadConfig(json, nullptr).value().config.end_tokens, (std::vector<TokenId>{3, 5}));
  Json generation = {{"eos_token_id", 7}};
  EXPECT_EQ(ReadConfig(json, &generation).value().config.end_tokens, std::vector<TokenId>{7});
  generation = {{"eos_token_id", nullptr}};
  EXPECT_EQ(ReadConfig(json, &generation).value().config.end_tokens, (std::vector<TokenId>{3, 5}));
  json.erase("eos_token_id");
  EXPECT_TRUE(ReadConfig(json, nullptr).value().config.end_tokens.empty());
}

struct BadCase {
  const char* member;
  const char* value;  // JSON; empty: the member is taken away
  Code code;
  const char* message;
};
class BadConfig : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadConfig, NamesTheMember) {
  Json json = Good();
  if (*GetParam().value == 0) {
    json.erase(GetParam().member);
  } else {
    json[GetParam().member] = ParseJson(GetParam().value).value();
  }
  const auto read = ReadConfig(json, nullptr);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.code(), GetParam().code) << read.status().ToString();
  EXPECT_THAT(read.status().message(), HasSubstr(GetParam().message));
}
constexpr BadCase kBad[] = {
    {"model_type", "", Code::kMalformed, "model_type"},
    {"model_type", "\"mamba9\"", Code::kUnsupported,
     "\"mamba9\" is not supported; supported: qwen3"},
    {"model_type", "3", Code::kMalformed, "model_type"},
    {"hidden_size", "", Code::kMalformed, "hidden_size"},
    {"hidden_size", "0", Code::kBadModel, "hidden_size is 0"},
    {"hidden_size", "-5", Code::kBadModel, "hidden_size is -5"},
    {"hidden_size", "65537", Code::kLimitExceeded, "hidden_size is 65537, at most 65536"},
    {"hidden_size", "32.5", Code::kMalformed, "hidden_size"},
    {"vocab_size", "1048577", Code::kLimitExceeded, "vocab_size"},
    {"num_hidden_layers", "1025", Code::kLimitExceeded, "num_hidden_layers"},
    {"max_position_embeddings", "1048577", Code::kLimitExceeded, "max_position_embeddings"},
    {"num_attention_heads", "1025", Code::kLimitExceeded, "num_attention_heads"},
    {"num_key_value_heads", "3", Code::kBadModel, "num_key_value_heads 3"},
    {"num_key_value_heads", "18446744073709551615", Code::kMalformed, "num_key_value_heads"},
    {"head_dim", "15", Code::kBadModel, "head_dim is 15"},
    {"head_dim", "2048", Code::kLimitExceeded, "head_dim"},
    {"intermediate_size", "262145", Code::kLimitExceeded, "intermediate_size"},
    {"rms_norm_eps", "0", Code::kBadModel, "rms_norm_eps"},
    {"rms_norm_eps", "\"x\"", Code::kMalformed, "rms_norm_eps"},
    {"rope_theta", "-1", Code::kBadModel, "rope_theta"},
    {"rope_theta", "[]", Code::kMalformed, "rope_theta"},
    {"rope_scaling", R"({"rope_type":"yarn","factor":4})", Code::kUnsupported,
     "rope_scaling of type \"yarn\""},
    {"rope_scaling", R"({"type":"linear","factor":2})", Code::kUnsupported, "linear"},
    {"rope_parameters", R"({"rope_type":"llama3"})", Code::kUnsupported,
     "rope_parameters of type \"llama3\""},
    {"partial_rotary_factor", "0.5", Code::kUnsupported, "partial_rotary_factor"},
    {"tie_word_embeddings", "1", Code::kMalformed, "tie_word_embeddings"},
    {"eos_token_id", "287", Code::kBadModel, "eos_token_id 287"},
    {"eos_token_id", "-1", Code::kBadModel, "eos_token_id -1"},
    {"eos_token_id", "[0,\"x\"]", Code::kBadModel, "eos_token_id \"x\""},
    {"hidden_act", "\"gelu\"", Code::kUnsupported, "hidden_act \"gelu\""},
    {"attention_bias", "true", Code::kUnsupported, "attention_bias"},
    {"use_sliding_window", "true", Code::kUnsupported, "use_sliding_window"},
    {"layer_types", R"(["full_attention","sliding_attention"])", Code::kUnsupported,
     "\"sliding_attention\" for layer 1"},
    {"quantization_config", R"({"quant_method":"awq"})", Code::kUnsupported, "quantization_config"},
};
INSTANTIATE_TEST_SUITE_P(Cases, BadConfig, ::testing::ValuesIn(kBad));

TEST(Config, TooManyEndTokens) {
  Json json = Good();
  json["eos_token_id"] = std::vector<int>(kMaxEndTokens + 1, 1);
  EXPECT_EQ(ReadConfig(json, nullptr).code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::llm
