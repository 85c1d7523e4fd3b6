// The trained pair against reference outputs made elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/shared.h"

namespace ferry::llm {
namespace {

using testing::AllLogits;
using testing::Golden;
using testing::LargestError;
using testing::SharedPath;

std::shared_ptr<const Model> LoadOn(const std::string& path, kernels::Isa isa) {
  auto model = Model::Load(sys::SystemFileSystem(), path, {.isa = isa});
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return model.ok() ? *model : nullptr;
}

// That each token of `text` behind the prompt is the likeliest. Logits do not depend on chunks: one
// pass over the text shows each step's choice.
void ExpectGreedy(const Model& model, const std::vector<TokenId>& text, size_t prompt) {
  ASSERT_GT(text.size(), prompt);
  const auto vocabulary = model.config().vocabulary;
  const std::vector<float> logits = AllLogits(model, text);
  for (size_t i = prompt; i < text.size(); ++i) {
    const auto row = logits.begin() + static_cast<int64_t>(i - 1) * vocabulary;
    ASSERT_EQ(std::max_element(row, row + vocabulary) - row, text[i]) << "place " << i;
  }
}

class PairLogits : public ::testing::TestWithParam<const char*> {};

TEST_P(PairLogits, GoldenLogitsOnEveryInstructionSet) {
  FERRY_NEEDS_SHARED("lm-pair");
  const std::string folder = SharedPath("lm-pair/") + GetParam();
  const Golden golden(folder + "/golden.safetensors");
  for (kernels::Isa isa : kernels::RunningIsas()) {
    const auto model = LoadOn(folder, isa);
    ASSERT_NE(model, nullptr);
    double worst = 0;
    for (int k = 0; k < 4; ++k) {
      const auto ids = golden.Get<TokenId>(fmt::format("ids_{}", k));
      const auto wanted = golden.Get<float>(fmt::format("logits_{}", k));
      ASSERT_FALSE(ids.empty());
      worst = std::max(worst, LargestError(AllLogits(*model, ids), wanted));
    }
    fmt::print("{} on {}: {:.2e} of the largest |logit|\n", GetParam(), kernels::IsaName(isa),
               worst);
    EXPECT_LE(worst, 2e-5) << kernels::IsaName(isa);
  }
}

TEST_P(PairLogits, GreedyTextsTokenForToken) {
  FERRY_NEEDS_SHARED("lm-pair");
  const std::string folder = SharedPath("lm-pair/") + GetParam();
  const Golden golden(folder + "/golden.safetensors");
  for (kernels::Isa isa : kernels::RunningIsas()) {
    if (isa == kernels::Isa::kReference) continue;
    const auto model = LoadOn(folder, isa);
    ASSERT_NE(model, nullptr);
    for (int k = 0; k < 4; ++k) {
      const size_t prompt = golden.Get<TokenId>(fmt::format("ids_{}", k)).size();
      ExpectGreedy(*model, golden.Get<TokenId>(fmt::format("greedy_{}", k)), prompt);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Models, PairLogits, ::testing::Values("target", "draft"));

}  // namespace
}  // namespace ferry::llm
