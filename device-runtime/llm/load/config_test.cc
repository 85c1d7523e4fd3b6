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
  EXPECT_EQ(config.context, 512);
  const LayerDescription& layer = read->description.layers[1];
  EXPECT_EQ(layer.attention.heads, 4);
  EXPECT_EQ(layer.attention.kv_heads, 2);
  EXPECT_EQ(layer.attention.head_dim, 16);
  EXPECT_EQ(layer.attention.norm, HeadNorm::kHead);
  EXPECT_EQ(layer.dense.width, 64);
  EXPECT_EQ(layer.rotary.theta, 10000);
  EXPECT_EQ(layer.rotary.dims, 16);
  EXPECT_EQ(read->description.norm_eps, 1e-6);
  EXPECT_EQ(read->description.head, "");
  const Json written = WriteConfig(*read);
  const auto again = ReadConfig(written, nullptr);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(WriteJson(WriteConfig(*again)), WriteJson(written));
  EXPECT_EQ(again->description, read->description);
}

double Theta(const Json& json) {
  return ReadConfig(json, nullptr).value().description.layers[0].rotary.theta;
}

TEST(Config, RotaryBaseAtTheTopOrInRopeParameters) {
  Json json = Good();
  json.erase("rope_theta");
  json.erase("rope_scaling");
  json["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 1000000}};
  EXPECT_EQ(Theta(json), 1e6);
  json.erase("rope_parameters");
  EXPECT_EQ(Theta(json), 10000);
  json["rope_theta"] = 5e5;
  json["rope_scaling"] = {{"type", "default"}};
  EXPECT_EQ(Theta(json), 5e5);
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
    {"model_type", "\"qwen9\"", Code::kUnsupported, "the nearest is \"qwen2\""},
    {"model_type", "3", Code::kMalformed, "model_type"},
    {"hidden_size", "", Code::kBadModel, "hidden_size"},
    {"hidden_size", "0", Code::kBadModel, "hidden_size"},
    {"hidden_size", "-5", Code::kBadModel, "hidden is -5"},
    {"hidden_size", "65537", Code::kLimitExceeded, "hidden is 65537, wanted 1 to 65536"},
    {"hidden_size", "32.5", Code::kMalformed, "hidden_size"},
    {"vocab_size", "1048577", Code::kLimitExceeded, "vocab_size"},
    {"num_hidden_layers", "1025", Code::kLimitExceeded, "num_hidden_layers"},
    {"num_hidden_layers", "0", Code::kBadModel, "no layer"},
    {"max_position_embeddings", "16777217", Code::kLimitExceeded, "max_position_embeddings"},
    {"num_attention_heads", "1025", Code::kLimitExceeded, "attention.heads is 1025"},
    {"num_key_value_heads", "3", Code::kBadModel, "no multiple of attention.kv_heads 3"},
    {"num_key_value_heads", "18446744073709551615", Code::kMalformed, "attention.kv_heads is 1.8"},
    {"head_dim", "15", Code::kBadModel, "rotary.dims is 15"},
    {"head_dim", "2048", Code::kLimitExceeded, "head_dim"},
    {"intermediate_size", "262145", Code::kLimitExceeded, "intermediate_size"},
    {"rms_norm_eps", "0", Code::kBadModel, "rms_norm_eps"},
    {"rms_norm_eps", "\"x\"", Code::kMalformed, "rms_norm_eps"},
    {"rope_theta", "-1", Code::kBadModel, "rotary.theta is -1"},
    {"rope_theta", "[]", Code::kMalformed, "rope_theta"},
    {"rope_scaling", R"({"rope_type":"spiral","factor":4})", Code::kUnsupported,
     "rotary.scaling is \"spiral\"; supported: default"},
    {"rope_scaling", R"({"rope_type":"longrope","short_factor":[1],"long_factor":[1]})",
     Code::kBadModel, "1 and 1 factors, wanted 8"},
    {"partial_rotary_factor", "3", Code::kBadModel, "rotary.dims is 48"},
    {"eos_token_id", "287", Code::kBadModel, "eos_token_id 287"},
    {"eos_token_id", "-1", Code::kBadModel, "eos_token_id -1"},
    {"eos_token_id", "[0,\"x\"]", Code::kBadModel, "eos_token_id \"x\""},
    {"hidden_act", "\"geluu\"", Code::kUnsupported, "dense.activation is \"geluu\""},
};
INSTANTIATE_TEST_SUITE_P(Cases, BadConfig, ::testing::ValuesIn(kBad));

TEST(Config, TooManyEndTokens) {
  Json json = Good();
  json["eos_token_id"] = std::vector<int>(kMaxEndTokens + 1, 1);
  EXPECT_EQ(ReadConfig(json, nullptr).code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::llm
