// What is wrong with an adapter is said with file and tensor, and nothing of it stays.
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/adapter/adapter.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/random_adapter.h"
#include "device-runtime/llm/testing/random_model.h"

namespace ferry::llm {
namespace {

using ::testing::HasSubstr;

constexpr int kAdapterRounds = 3000;
constexpr const char* kQuery = "base_model.model.model.layers.0.self_attn.q_proj";

class BadAdapter : public ::testing::Test {
 protected:
  void SetUp() override {
    base_ = Load("m", "llama", 7);
    testing::RandomAdapterOptions options;
    options.takes = [](const std::string& name) { return name.find("layers.0.") != name.npos; };
    config_ = testing::PeftConfigOf(options);
    tensors_ = testing::RandomAdapterTensors(*base_, options);
  }

  std::shared_ptr<const Model> Load(const std::string& folder, const std::string& type,
                                    uint64_t seed) {
    const Json config = testing::SmallConfig(type);
    EXPECT_TRUE(
        testing::WriteModelFolder(fs_, folder, config, testing::RandomTensors(config, seed).value())
            .ok());
    return Model::Load(fs_, folder).value();
  }

  Result<std::shared_ptr<const Adapter>> Read() {
    EXPECT_TRUE(testing::WriteAdapterFolder(fs_, "a", config_, tensors_).ok());
    return Adapter::Load(fs_, "a", base_);
  }
  void Refused(Code code, const std::string& says) {
    const auto adapter = Read();
    EXPECT_EQ(adapter.code(), code) << adapter.status().ToString();
    EXPECT_THAT(adapter.status().message(), HasSubstr(says));
  }
  testing::TinyTensor& Tensor(const std::string& name) {
    for (testing::TinyTensor& tensor : tensors_) {
      if (tensor.name == name) return tensor;
    }
    ADD_FAILURE() << name;
    return tensors_[0];
  }

  sys::SimFileSystem fs_;
  std::shared_ptr<const Model> base_;
  Json config_;
  std::vector<testing::TinyTensor> tensors_;
};

TEST_F(BadAdapter, GoodAtFirst) {
  ASSERT_TRUE(Read().ok());
}

TEST_F(BadAdapter, MembersOfTheConfigurationThatChangeMore) {
  const Json good = config_;
  const std::pair<const char*, Json> members[] = {{"use_dora", true},
                                                  {"modules_to_save", {"lm_head"}},
                                                  {"lora_bias", true},
                                                  {"layer_replication", {{0, 1}}},
                                                  {"trainable_token_indices", {1, 2}},
                                                  {"alora_invocation_tokens", {5}},
                                                  {"use_qalora", true},
                                                  {"bias", "lora_only"},
                                                  {"init_lora_weights", "pissa_niter_4"},
                                                  {"peft_type", "IA3"}};
  for (const auto& [member, value] : members) {
    config_ = good;
    config_[member] = value;
    Refused(Code::kUnsupported, member);
  }
}

TEST_F(BadAdapter, MalformedConfiguration) {
  const Json good = config_;
  for (const char* member : {"r", "peft_type"}) {
    config_ = good;
    config_.erase(member);
    Refused(Code::kMalformed, member);
  }
  config_ = good;
  config_["rank_pattern"] = {{"q_proj", "four"}};
  Refused(Code::kMalformed, "rank_pattern");
  config_["rank_pattern"] = {{"q_(proj", 4}};
  Refused(Code::kUnsupported, "q_(proj");
  config_ = Json::array();
  Refused(Code::kMalformed, "wanted an object");
  ASSERT_TRUE(sys::WriteFileAtomically(fs_, "a/adapter_config.json", ToBytes("{")).ok());
  EXPECT_EQ(Adapter::Load(fs_, "a", base_).code(), Code::kMalformed);
}

TEST_F(BadAdapter, Ranks) {
  for (const double rank : {0.0, -1.0, 2.5, 513.0, 1e300}) {
    config_["r"] = rank;
    Refused(Code::kLimitExceeded, "rank");
  }
  config_["r"] = 5;
  Refused(Code::kBadModel, "model.layers.0.");
}

TEST_F(BadAdapter, Scale) {
  config_["lora_alpha"] = 1e300;
  Refused(Code::kBadModel, "scale");
}

TEST_F(BadAdapter, Shapes) {
  Tensor(std::string(kQuery) + ".lora_B.weight").shape = {4, 64};
  Refused(Code::kBadModel,
          "lora_B of tensor \"model.layers.0.self_attn.q_proj.weight\" has shape "
          "[4, 64], wanted [64, 4]");
}

TEST_F(BadAdapter, NotANumber) {
  testing::TinyTensor& tensor = Tensor(std::string(kQuery) + ".lora_A.weight");
  std::vector<float> numbers = testing::NumbersOf(tensor);
  numbers[5] = std::nanf("");
  tensor = testing::TensorOf(tensor.name, tensor.shape, numbers);
  Refused(Code::kBadModel,
          "lora_A of tensor \"model.layers.0.self_attn.q_proj.weight\" is NaN or infinite at "
          "element 5");
}

TEST_F(BadAdapter, UnknownTensor) {
  for (testing::TinyTensor& tensor : tensors_) {
    const size_t at = tensor.name.find("layers.0.self_attn.q_proj");
    if (at != tensor.name.npos) tensor.name.replace(at, 8, "layers.9");
  }
  Refused(Code::kBadModel,
          "the model (llama) has no tensor \"model.layers.9.self_attn.q_proj.weight\"");
}

TEST_F(BadAdapter, HalfAPair) {
  std::erase_if(tensors_, [](const testing::TinyTensor& tensor) {
    return tensor.name == std::string(kQuery) + ".lora_B.weight";
  });
  Refused(Code::kBadModel, "layers.0.self_attn.q_proj\" has no lora_B.weight");
}

TEST_F(BadAdapter, TensorsOfOtherKinds) {
  const auto good = tensors_;
  const std::pair<const char*, const char*> names[] = {
      {"base_model.model.model.embed_tokens.lora_embedding_A", "changes an embedding"},
      {"base_model.model.model.layers.0.self_attn.q_proj.lora_magnitude_vector", "belongs to DoRA"},
      {"base_model.model.lm_head.weight", "is no lora_A.weight"},
      {"base_model.model.model.layers.0.self_attn.q_proj.bias", "is no lora_A.weight"}};
  for (const auto& [name, says] : names) {
    tensors_ = good;
    tensors_.push_back(testing::TensorOf(name, {2}, {1, 2}));
    Refused(Code::kUnsupported, says);
    Refused(Code::kUnsupported, name);
  }
  tensors_ = good;
  Tensor(std::string(kQuery) + ".lora_A.weight").dtype = "I32";
  Refused(Code::kUnsupported, "dtype I32");
}

TEST_F(BadAdapter, WhatNoProductReads) {
  const std::vector<float> a(4 * 32, 0.1f);
  const std::vector<float> b(96 * 4, 0.1f);
  tensors_ = {testing::TensorOf("base_model.model.model.embed_tokens.lora_A.weight", {4, 32}, a),
              testing::TensorOf("base_model.model.model.embed_tokens.lora_B.weight", {96, 4}, b)};
  Refused(Code::kUnsupported, "model.embed_tokens.weight\" is read by no product");
  tensors_ = {testing::TensorOf("base_model.model.model.norm.lora_A.weight", {4, 32}, a),
              testing::TensorOf("base_model.model.model.norm.lora_B.weight", {96, 4}, b)};
  Refused(Code::kUnsupported, "model.norm.weight\" is read by no product");
}

TEST_F(BadAdapter, Nothing) {
  tensors_.clear();
  Refused(Code::kBadModel, "changes nothing");
}

TEST_F(BadAdapter, MissingFiles) {
  EXPECT_EQ(Adapter::Load(fs_, "nowhere", base_).code(), Code::kNotFound);
  ASSERT_TRUE(Read().ok());
  ASSERT_TRUE(fs_.Remove("a/adapter_model.safetensors").ok());
  EXPECT_EQ(Adapter::Load(fs_, "a", base_).code(), Code::kNotFound);
  ASSERT_TRUE(sys::WriteFileAtomically(fs_, "a/adapter_model.bin", ToBytes("x")).ok());
  const auto old = Adapter::Load(fs_, "a", base_);
  EXPECT_EQ(old.code(), Code::kUnsupported);
  EXPECT_THAT(old.status().message(), HasSubstr("adapter_model.bin"));
  // A model is no adapter.
  EXPECT_EQ(Adapter::Load(fs_, "m", base_).code(), Code::kNotFound);
}

TEST_F(BadAdapter, FileOfAnotherBase) {
  ASSERT_TRUE(WriteAdapterFile(fs_, **Read(), "a.fla").ok());
  ASSERT_TRUE(Adapter::Load(fs_, "a.fla", base_).ok());
  const auto other = Load("other", "llama", 8);
  const auto refused = Adapter::Load(fs_, "a.fla", other);
  EXPECT_EQ(refused.code(), Code::kBadModel);
  for (const std::string& said : {ToHex(base_->digest()), ToHex(other->digest())}) {
    EXPECT_THAT(refused.status().message(), HasSubstr(said));
  }
  EXPECT_THAT(refused.status().message(), HasSubstr("a.fla"));
  // A folder fits any base of its names and shapes, and no other.
  EXPECT_TRUE(Adapter::Load(fs_, "a", other).ok());
  EXPECT_EQ(Adapter::Load(fs_, "a", Load("third", "gpt2", 8)).code(), Code::kBadModel);
}

class AdapterFuzz : public BadAdapter {
 protected:
  Bytes Mutated(Bytes bytes) {
    constexpr std::string_view kLetters = "0123456789{}[]\",:-.eE";
    for (uint64_t i = 0; i < 1 + random_() % 3 && !bytes.empty(); ++i) {
      const size_t at = random_() % bytes.size();
      if (random_() % 4 == 0) {
        bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(at));
      } else if (random_() % 2 == 0) {
        bytes[at] = static_cast<uint8_t>(kLetters[random_() % kLetters.size()]);
      } else {
        bytes[at] ^= static_cast<uint8_t>(1 << random_() % 8);
      }
    }
    return bytes;
  }
  // Whether it loads; what loads can run.
  bool Try(const std::string& path) {
    const auto adapter = Adapter::Load(fs_, path, base_);
    if (!adapter.ok()) {
      EXPECT_FALSE(adapter.status().message().empty());
      return false;
    }
    const auto set = AdapterSet::Create(base_, {{*adapter, 1.0f}}).value();
    const std::vector<TokenId> ids = {1, 2};
    testing::AllLogits(*base_, ids, 2, sys::SerialParallel(), set.get());
    return true;
  }

  std::mt19937_64 random_{5};
};

TEST_F(AdapterFuzz, Folder) {
  ASSERT_TRUE(Read().ok());
  for (const char* path : {"a/adapter_config.json", "a/adapter_model.safetensors"}) {
    const Bytes good = sys::ReadFile(fs_, path).value();
    int loaded = 0;
    for (int i = 0; i < kAdapterRounds; ++i) {
      ASSERT_TRUE(sys::WriteFileAtomically(fs_, path, Mutated(good)).ok());
      loaded += Try("a") ? 1 : 0;
    }
    ASSERT_TRUE(sys::WriteFileAtomically(fs_, path, good).ok());
    EXPECT_GT(loaded, 0);
    EXPECT_LT(loaded, kAdapterRounds);
  }
}

TEST_F(AdapterFuzz, File) {
  ASSERT_TRUE(WriteAdapterFile(fs_, **Read(), "a.fla").ok());
  const Bytes good = sys::ReadFile(fs_, "a.fla").value();
  for (int i = 0; i < kAdapterRounds; ++i) {
    const Bytes bad = Mutated(good);
    if (bad == good) continue;
    ASSERT_TRUE(sys::WriteFileAtomically(fs_, "b.fla", bad).ok());
    EXPECT_FALSE(Try("b.fla"));
  }
}

}  // namespace
}  // namespace ferry::llm
