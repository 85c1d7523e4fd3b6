// Every family against reference outputs made elsewhere, and what the rows of families promise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "device-runtime/llm/arch/describe/family.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/shared.h"

namespace ferry::llm {
namespace {

using testing::AllLogits;
using testing::Golden;
using testing::LargestError;
using testing::SharedPath;

constexpr const char* kArchive = "testdata/llm-golden.tar.xz";

constexpr const char* kModels[] = {
    "ernie4_5", "gemma2",        "gemma3",     "glm4",   "gpt2",
    "granite",  "hunyuan_dense", "lfm2",       "llama",  "minicpm3_like_deepseek_v3",
    "mistral",  "olmo2",         "phi3",       "qwen2",  "qwen3",
    "qwen3_5",  "qwen3_moe",     "qwen3_next", "smollm3"};

// The archive's models, unpacked once.
class GoldenModels {
 public:
  GoldenModels() {
    char name[] = "/tmp/ferry-llm-golden-XXXXXX";
    folder_ = mkdtemp(name);
    const std::string command = fmt::format("tar -xJf '{}' -C '{}'", SharedPath(kArchive), folder_);
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  ~GoldenModels() { (void)sys::SystemFileSystem().RemoveTree(folder_); }
  std::string Path(const std::string& model) const {
    const std::string path = folder_ + "/" + model;
    return sys::Exists(sys::SystemFileSystem(), path) ? path : folder_ + "/llm-golden/" + model;
  }

 private:
  std::string folder_;
};
const GoldenModels& Models() {
  static const GoldenModels models;
  return models;
}

class GoldenFamily : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenFamily, LogitsAndGreedyIdsOnEveryInstructionSet) {
  FERRY_NEEDS_SHARED(kArchive);
  const std::string folder = Models().Path(GetParam());
  const Golden golden(folder + "/golden.safetensors");
  std::vector<TokenId> ids;
  for (const int64_t id : golden.Get<int64_t>("input_ids")) ids.push_back(static_cast<TokenId>(id));
  if (golden.Find("input_ids")->dtype == "I32") ids = golden.Get<TokenId>("input_ids");
  std::vector<TokenId> text = ids;
  if (golden.Find("greedy_ids")->dtype == "I32") {
    for (const TokenId id : golden.Get<TokenId>("greedy_ids")) text.push_back(id);
  } else {
    for (const int64_t id : golden.Get<int64_t>("greedy_ids")) {
      text.push_back(static_cast<TokenId>(id));
    }
  }
  ASSERT_EQ(text.size(), ids.size() + 16);
  for (const kernels::Isa isa : kernels::RunningIsas()) {
    SCOPED_TRACE(kernels::IsaName(isa));
    const auto model = Model::Load(sys::SystemFileSystem(), folder, {.isa = isa});
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    const double difference = LargestError(AllLogits(**model, ids), golden.Get<float>("logits"));
    fmt::print("{} on {}: {:.1e} of the largest |logit|\n", GetParam(), kernels::IsaName(isa),
               difference);
    EXPECT_LE(difference, 2e-4);
    // Logits do not depend on chunks: one pass over the text shows each step's choice.
    const int64_t vocabulary = (*model)->config().vocabulary;
    const std::vector<float> logits = AllLogits(**model, text, 7);
    for (size_t i = ids.size(); i < text.size(); ++i) {
      const auto row = logits.begin() + static_cast<int64_t>(i - 1) * vocabulary;
      ASSERT_EQ(std::max_element(row, row + vocabulary) - row, text[i]) << "place " << i;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Models, GoldenFamily, ::testing::ValuesIn(kModels));

TEST(Families, AreRowsOfAtMostSixtyLines) {
  EXPECT_GE(Families().size(), 30u);
  for (const Family& family : Families()) {
    const auto text = FamilyTextOf(family.name());
    ASSERT_TRUE(text.ok());
    EXPECT_LE(std::count(text->begin(), text->end(), '\n'), 60) << family.name();
    EXPECT_EQ(text->substr(0, 2), "# ") << family.name();
  }
}

TEST(Families, AMistakeInATextIsNamedWithItsLine) {
  struct Case {
    const char* text;
    Code code;
    const char* message;
  };
  const Case cases[] = {
      {"base: nothing\n", Code::kUnsupported, "t:1: there is no family \"nothing\""},
      {"base: llama\nhiden = 3\n", Code::kUnsupported,
       "t:2: no member \"hiden\" is known; did you"},
      {"base: llama\n\nhidden\n", Code::kMalformed, "t:3: wanted"},
      {"base: llama\nlet Hidden = 3\n", Code::kMalformed, "cannot be let"},
      {"base: llama\nhidden =\n", Code::kMalformed, "hidden has no value"},
  };
  for (const Case& one : cases) {
    const auto family = Family::Parse("t", one.text);
    ASSERT_FALSE(family.ok()) << one.text;
    EXPECT_EQ(family.code(), one.code) << one.text;
    EXPECT_THAT(family.status().message(), ::testing::HasSubstr(one.message));
  }
}

}  // namespace
}  // namespace ferry::llm
