// Weights that do not stay in memory: the same logits, and a plan that keeps to its budget.
#include "device-runtime/llm/arch/residency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "common/sys/filesystem.h"
#include "common/sys/memory.h"
#include "device-runtime/llm/arch/network.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm {
namespace {

class Streaming : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fs_.MakeDirectories(folder_).ok());
    ASSERT_TRUE(testing::WriteTinyModel(fs_, folder_ + "/m", {.tokenizer = false}).ok());
    StoreOptions store;
    store.matrices.packed = kernels::PackedForm{.bits = 4};
    ASSERT_TRUE(WriteModelFile(fs_, *Model::Load(fs_, folder_ + "/m").value(), path_, store).ok());
  }
  void TearDown() override { ASSERT_TRUE(fs_.RemoveTree(folder_).ok()); }

  Result<Residency> Plan(const Model& model, int64_t budget) {
    return Residency::Plan(model.state().specs, model.state().weights, model.config().layers,
                           budget);
  }

  sys::FileSystem& fs_ = sys::SystemFileSystem();
  const std::string folder_ = ::testing::TempDir() + "ferry_stream_" + std::to_string(::getpid());
  const std::string path_ = folder_ + "/m.flm";
  const std::vector<TokenId> ids_ = {1, 5, 9, 200, 3, 17, 42, 8, 77, 150, 2, 31};
};

TEST_F(Streaming, APlanKeepsToItsBudget) {
  const auto model = Model::Load(fs_, path_).value();
  int64_t all = 0;
  for (const auto& [name, matrix] : model->state().weights.matrices) all += matrix.bytes();
  EXPECT_FALSE(Plan(*model, all)->streams());
  int refused = 0;
  int64_t before = 0;
  for (int64_t budget = all; budget >= 0; budget -= all / 40 + 1) {
    const Result<Residency> plan = Plan(*model, budget);
    if (!plan.ok()) {
      EXPECT_EQ(plan.code(), Code::kOutOfMemory);
      EXPECT_THAT(plan.status().message(), ::testing::HasSubstr("the largest layer alone has"));
      ++refused;
      continue;
    }
    EXPECT_EQ(refused, 0) << "less was enough";
    EXPECT_GE(plan->streamed_bytes(), before);
    // What stays, and a layer on its way.
    EXPECT_LE(all - plan->streamed_bytes(), budget);
    before = plan->streamed_bytes();
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(before, all / 2);
}

TEST_F(Streaming, GivesTheSameLogits) {
  const std::vector<float> wanted = testing::AllLogits(*Model::Load(fs_, path_).value(), ids_);
  constexpr int64_t kKvBytes = 1 << 20;
  // The least that is enough: what the process holds otherwise is not known here.
  Result<std::shared_ptr<const Model>> model = Status(Code::kOutOfMemory, "none");
  for (int64_t more = 0; !model.ok() && more < (int64_t{1} << 30); more += 16 << 10) {
    model = Model::Load(
        fs_, path_,
        {.memory_bytes = sys::AnonymousMemory() + kKvBytes + more, .kv_bytes = kKvBytes});
    ASSERT_TRUE(model.ok() || model.code() == Code::kOutOfMemory) << model.status().ToString();
  }
  ASSERT_TRUE(model.ok());
  EXPECT_GT((*model)->streamed_bytes(), 0);
  ASSERT_TRUE((*model)->Ready().ok());
  for (int64_t chunk : {12, 5, 1}) EXPECT_EQ(testing::AllLogits(**model, ids_, chunk), wanted);
  EXPECT_EQ((*KvPool::Create((*model)->config()))->stats().limit_bytes, kKvBytes);
  // The head alone in pieces, for rows of every type.
  for (const bool packed : {true, false}) {
    const auto whole = Model::Load(fs_, packed ? path_ : folder_ + "/m").value();
    const int64_t step = kernels::kPackedTileRows;
    const Matrix& head = whole->state().weights.Matrix(whole->description().embedding);
    std::vector<float> row(static_cast<size_t>(head.columns()));
    std::vector<float> same(row.size());
    for (int64_t first = 0; first < head.rows(); first += step) {
      const Matrix part = RowsOf(head, first, std::min(step, head.rows() - first));
      for (int64_t r = 0; r < part.rows(); ++r) {
        WidenRow(part, r, row.data());
        WidenRow(head, first + r, same.data());
        ASSERT_EQ(row, same) << first + r;
      }
    }
  }
}

// Keys and values in a file give the logits that they give in memory, whatever their type.
TEST_F(Streaming, KeysAndValuesInAFile) {
  const auto model = Model::Load(fs_, path_).value();
  std::vector<TokenId> ids;
  for (TokenId i = 0; i < 200; ++i) ids.push_back((i * 37 + 11) % 250);
  for (const kernels::KvType type : {kernels::KvType::kF16, kernels::KvType::kQ8}) {
    const auto logits = [&](const KvOptions& options, int64_t chunk) {
      return testing::AllLogits(*model, ids, chunk, sys::SerialParallel(), nullptr, options);
    };
    const std::vector<float> wanted = logits({.type = type}, 64);
    auto pool = *KvPool::Create(model->config(), {.type = type});
    const KvOptions small = {.limit_bytes = 12 * pool->stats().page_bytes,
                             .type = type,
                             .spill_folder = ::testing::TempDir()};
    KvSequence kv = (*KvPool::Create(model->config(), small))->NewSequence();
    const Status room = kv.Reserve(200);
    if (!room.ok()) GTEST_SKIP() << room.ToString();
    for (int64_t chunk : {64, 7, 1}) EXPECT_EQ(logits(small, chunk), wanted) << chunk;
  }
}

TEST_F(Streaming, TooLittleMemoryIsRefusedWithWhatIsNeeded) {
  const auto model = Model::Load(fs_, path_, {.memory_bytes = 1 << 20});
  EXPECT_EQ(model.code(), Code::kOutOfMemory);
  EXPECT_THAT(model.status().message(), ::testing::HasSubstr("1048576 bytes of memory"));
}

}  // namespace
}  // namespace ferry::llm
