// Mutated inputs end in a model or a Status, and a model that loads can run.
#include <gtest/gtest.h>

#include <random>

#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm {
namespace {

constexpr int kTextRounds = 3000;
constexpr int kFileRounds = 6000;
const std::vector<TokenId> kFuzzIds = {0, 3};

class LoadFuzz : public ::testing::Test {
 protected:
  LoadFuzz() {
    options_.hidden = 8;
    options_.layers = 1;
    options_.heads = 2;
    options_.kv_heads = 1;
    options_.head_dim = 4;
    options_.ffn = 8;
    options_.tokenizer = false;
  }

  Bytes Mutated(Bytes bytes, std::string_view alphabet) {
    const int edits = 1 + static_cast<int>(random_() % 3);
    for (int i = 0; i < edits && !bytes.empty(); ++i) {
      const size_t at = random_() % bytes.size();
      const auto place = bytes.begin() + static_cast<ptrdiff_t>(at);
      switch (random_() % 6) {
        case 0:
          bytes[at] = static_cast<uint8_t>(random_());
          break;
        case 1:
          bytes[at] ^= static_cast<uint8_t>(1 << random_() % 8);
          break;
        case 2:
          bytes.erase(place);
          break;
        case 3:
          bytes.resize(at);
          break;
        case 4:
          bytes[at] = static_cast<uint8_t>(alphabet[random_() % alphabet.size()]);
          break;
        default:
          bytes.insert(place, static_cast<uint8_t>(alphabet[random_() % alphabet.size()]));
          break;
      }
    }
    return bytes;
  }

  // Loads, and runs what loads when it is small.
  bool Try(const Result<std::shared_ptr<const Model>>& model) {
    if (!model.ok()) {
      EXPECT_FALSE(model.status().message().empty());
      return false;
    }
    if (!(*model)->Ready().ok()) return false;
    if ((*model)->CheckTokens(kFuzzIds, 0).ok()) {
      EXPECT_EQ(testing::AllLogits(**model, kFuzzIds, 2).size(),
                kFuzzIds.size() * static_cast<size_t>((*model)->config().vocabulary));
    }
    return true;
  }

  // Mutates the file `name` of the folder, `rounds` times.
  void FuzzFile(const std::string& name, int rounds) {
    ASSERT_TRUE(testing::WriteTinyModel(fs_, "m", options_).ok());
    const std::string path = "m/" + name;
    const Bytes good = sys::ReadFile(fs_, path).value();
    int loaded = 0;
    for (int i = 0; i < rounds; ++i) {
      const Bytes bad = Mutated(good, "0123456789{}[]\",:-.eE");
      ASSERT_TRUE(sys::WriteFileAtomically(fs_, path, bad).ok());
      loaded += Try(Model::Load(fs_, "m"));
    }
    EXPECT_GT(loaded, 0);
    EXPECT_LT(loaded, rounds);
  }

  std::mt19937 random_{11};
  testing::TinyModelOptions options_;
  sys::SimFileSystem fs_;
};

TEST_F(LoadFuzz, Config) {
  FuzzFile("config.json", kTextRounds);
}

TEST_F(LoadFuzz, GenerationConfig) {
  FuzzFile("generation_config.json", kTextRounds);
}

TEST_F(LoadFuzz, Index) {
  options_.shards = 3;
  FuzzFile("model.safetensors.index.json", kTextRounds);
}

TEST_F(LoadFuzz, Safetensors) {
  options_.bf16 = false;
  FuzzFile("model.safetensors", kTextRounds);
}

TEST_F(LoadFuzz, ModelFile) {
  ASSERT_TRUE(testing::WriteTinyModel(fs_, "m", options_).ok());
  const auto model = Model::Load(fs_, "m");
  ASSERT_TRUE(WriteModelFile(fs_, **model, "m.flm", kernels::WeightType::kI8).ok());
  const Bytes good = sys::ReadFile(fs_, "m.flm").value();
  ASSERT_TRUE(Try(Model::FromBytes(good, nullptr)));
  for (int i = 0; i < kFileRounds; ++i) {
    const Bytes bad = Mutated(good, "0123456789{}[]\",:-.");
    if (bad == good) continue;
    ASSERT_FALSE(Try(Model::FromBytes(bad, nullptr)));
  }
}

}  // namespace
}  // namespace ferry::llm
