// Scales that are folded change nothing but what rounding costs.
#include "device-runtime/llm/quantize/awq.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/random_model.h"

namespace ferry::llm {
namespace {

using testing::AllLogits;

std::vector<TokenId> CalibrationText(uint32_t seed, size_t length) {
  std::mt19937 random(seed);
  std::vector<TokenId> ids;
  for (size_t i = 0; i < length; ++i) ids.push_back(static_cast<TokenId>(random() % 96));
  return ids;
}

// Of the difference, over that of what is wanted.
double RootMeanSquare(const std::vector<float>& found, const std::vector<float>& wanted) {
  double difference = 0, all = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    difference += std::pow(double{found[i]} - double{wanted[i]}, 2);
    all += std::pow(double{wanted[i]}, 2);
  }
  return std::sqrt(difference / all);
}

// A model some of whose channels carry much, as trained ones have: in norms, values and ups.
void WriteSpiky(sys::SimFileSystem& fs, const char* type) {
  Json config = testing::SmallConfig(type);
  config["hidden_size"] = 128;
  config["intermediate_size"] = 192;
  config["use_sliding_window"] = false;
  config["num_hidden_layers"] = 2;
  auto tensors = testing::RandomTensors(config, 5).value();
  for (auto& tensor : tensors) {
    const bool norm = tensor.name.ends_with("layernorm.weight");
    const bool rows = tensor.name.ends_with("up_proj.weight");
    if (!norm && !rows) continue;
    std::vector<float> numbers = testing::NumbersOf(tensor);
    const size_t each = norm ? 1 : static_cast<size_t>(tensor.shape[1]);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (i / each % 37 != 5) continue;
      numbers[i] = norm ? numbers[i] + 6 : 6 * numbers[i];
    }
    tensor = testing::TensorOf(tensor.name, tensor.shape, numbers);
  }
  ASSERT_TRUE(testing::WriteModelFolder(fs, "m", config, tensors).ok());
}

StoreOptions FourBits() {
  StoreOptions store;
  store.matrices.packed = kernels::PackedForm{.bits = 4, .group = 64};
  store.embedding = MatrixType{};
  return store;
}

TEST(Awq, FoldingKeepsTheModelAndHelpsFewBits) {
  for (const char* type : {"qwen2", "phi3", "gemma2", "llama"}) {
    SCOPED_TRACE(type);
    sys::SimFileSystem fs;
    ASSERT_NO_FATAL_FAILURE(WriteSpiky(fs, type));
    const auto model = Model::Load(fs, "m");
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    StoreOptions store = FourBits();
    const auto folded = SearchScales(
        **model, CalibrationText(1, 400),
        [&](const TensorSpec& spec) { return StoredTypeOf((*model)->state(), store, spec); },
        sys::SerialParallel());
    ASSERT_TRUE(folded.ok()) << folded.status().ToString();
    EXPECT_FALSE(folded->columns.empty());
    const std::vector<TokenId> ids = CalibrationText(2, 60);
    const std::vector<float> wanted = AllLogits(**model, ids);
    const auto error = [&](const StoreOptions& how) {
      EXPECT_TRUE(WriteModelFile(fs, **model, "m.flm", how).ok());
      const auto stored = Model::Load(fs, "m.flm", {.exact = true});
      EXPECT_TRUE(stored.ok()) << stored.status().ToString();
      return RootMeanSquare(AllLogits(**stored, ids), wanted);
    };
    StoreOptions plain;  // float32
    plain.folded = &*folded;
    EXPECT_LT(error(plain), 1e-6);
    const double without = error(store);
    store.folded = &*folded;
    const double with = error(store);
    fmt::print("{}: error of 4 bits {:.4f}, scaled {:.4f}\n", type, without, with);
    EXPECT_LT(with, without);
  }
}

TEST(Awq, ShortTextsAreRefused) {
  sys::SimFileSystem fs;
  ASSERT_NO_FATAL_FAILURE(WriteSpiky(fs, "qwen2"));
  const auto model = Model::Load(fs, "m").value();
  const auto none = [](const TensorSpec&) { return MatrixType(); };
  EXPECT_EQ(SearchScales(*model, CalibrationText(1, 63), none, sys::SerialParallel()).code(),
            Code::kInvalidArgument);
  const auto folded =
      SearchScales(*model, CalibrationText(1, 64), none, sys::SerialParallel()).value();
  EXPECT_TRUE(folded.columns.empty() && folded.rows.empty());  // nothing is packed
}

}  // namespace
}  // namespace ferry::llm
