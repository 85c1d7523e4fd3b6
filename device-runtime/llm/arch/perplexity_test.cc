// The trained pair's perplexities on unseen text, stored as bfloat16 and in 8 bits. The first
// windows only: FERRY_WINDOWS=20 runs those that the pair's README speaks of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/shared.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {
namespace {

using testing::AllLogits;
using testing::SharedPath;

constexpr size_t kWindow = 512;
constexpr int kAllWindows = 20;

struct Known {
  const char* model;
  double first_two;  // our own, while the full figure and the golden logits held
  double all;        // of the pair's README
};

// -log of the probability of the next token, summed over the window.
double WindowLoss(const Model& model, std::span<const TokenId> tokens, sys::Parallel& parallel,
                  const KvOptions& kv) {
  const auto vocabulary = static_cast<size_t>(model.config().vocabulary);
  const auto logits = AllLogits(model, tokens.first(kWindow), 128, parallel, nullptr, kv);
  double loss = 0;
  for (size_t i = 0; i < kWindow; ++i) {
    const float* row = logits.data() + i * vocabulary;
    const double largest = *std::max_element(row, row + vocabulary);
    double sum = 0;
    for (size_t k = 0; k < vocabulary; ++k) sum += std::exp(row[k] - largest);
    loss += largest + std::log(sum) - row[tokens[i + 1]];
  }
  return loss;
}

double Perplexity(const Model& model, std::span<const TokenId> ids, int windows,
                  const KvOptions& kv = {}) {
  const auto threads = sys::StartThreadPool(0);
  double loss = 0;
  for (int i = 0; i < windows; ++i) {
    const auto window = ids.subspan(static_cast<size_t>(i) * kWindow, kWindow + 1);
    loss += WindowLoss(model, window, *threads, kv);
  }
  return std::exp(loss / (windows * static_cast<double>(kWindow)));
}

class PairText : public ::testing::TestWithParam<Known> {};

TEST_P(PairText, BFloat16AndEightBits) {
  FERRY_NEEDS_SHARED("lm-pair");
  const char* set = std::getenv("FERRY_WINDOWS");
  const int windows = set != nullptr ? std::atoi(set) : 2;
  auto model = Model::Load(sys::SystemFileSystem(), SharedPath("lm-pair/") + GetParam().model);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const auto tokenizer = (*model)->tokenizer();
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  const auto text = sys::ReadFile(sys::SystemFileSystem(), SharedPath("lm-pair/valid_head.txt"));
  const auto ids = (*tokenizer)->Encode(AsText(text.value()));
  ASSERT_TRUE(ids.ok()) << ids.status().ToString();
  ASSERT_EQ(ids->size(), kAllWindows * kWindow + 1);
  const double exact = Perplexity(**model, *ids, windows);

  sys::SimFileSystem fs;
  ASSERT_TRUE(WriteModelFile(fs, **model, "8.flm", kernels::WeightType::kI8).ok());
  const auto small = Model::Load(fs, "8.flm");
  ASSERT_TRUE(small.ok()) << small.status().ToString();
  const double eight = Perplexity(**small, *ids, windows);
  fmt::print("{}, {} windows: bfloat16 {:.4f}, 8 bits {:.4f} ({:+.3f} %)\n", GetParam().model,
             windows, exact, eight, 100 * (eight / exact - 1));
  ASSERT_TRUE(windows == 2 || windows == kAllWindows);
  EXPECT_NEAR(exact, windows == 2 ? GetParam().first_two : GetParam().all, 0.01);
  EXPECT_NEAR(eight / exact, 1, 0.003);

  struct Kept {
    kernels::KvType type;
    double most;
  };
  for (const auto& [type, most] : {Kept{kernels::KvType::kF16, 0.0001},
                                   {kernels::KvType::kQ8, 0.001},
                                   {kernels::KvType::kQ4, 0.01}}) {
    const double kept = Perplexity(**model, *ids, windows, {.type = type});
    fmt::print("  keys and values in {}: {:.4f} ({:+.3f} %)\n", KvTypeName(type), kept,
               100 * (kept / exact - 1));
    EXPECT_LT(kept / exact, 1 + most);
  }
}
INSTANTIATE_TEST_SUITE_P(Pair, PairText,
                         ::testing::Values(Known{"target", 37.8348, 47.358},
                                           Known{"draft", 40.0104, 49.814}));

}  // namespace
}  // namespace ferry::llm
