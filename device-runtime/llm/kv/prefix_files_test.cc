// Prefixes that one session leaves on the disk and another finds.
#include "device-runtime/llm/kv/prefix_files.h"

#include <gtest/gtest.h>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/testing/random_model.h"

namespace ferry::llm {
namespace {

class Prefixes : public ::testing::Test {
 protected:
  std::shared_ptr<const Model> Make(const std::string& type) {
    const Json config = testing::SmallConfig(type);
    const auto tensors = testing::RandomTensors(config, 7).value();
    EXPECT_TRUE(testing::WriteModelFolder(fs_, type, config, tensors).ok());
    return Model::Load(fs_, type).value();
  }
  std::unique_ptr<Session> Open(const std::shared_ptr<const Model>& model, bool cached = true,
                                kernels::KvType type = kernels::KvType::kF32) {
    SessionOptions options{.kv = {.type = type}, .prefill_chunk = 16, .share_prefixes = false};
    if (cached) options.prefix_files = files_;
    return Session::Create(model, options).value();
  }
  // Logits of the last of `ids`, and how many chunks were read to have them.
  std::vector<float> Last(Session& session, std::span<const TokenId> ids, int* chunks) {
    *chunks = 0;
    EXPECT_TRUE(session.Append(ids, [&] { return ++*chunks > 0; }).ok());
    const auto logits = session.logits().value();
    return {logits.begin(), logits.end()};
  }
  std::vector<TokenId> Text(size_t count) const {
    std::vector<TokenId> ids;
    for (size_t i = 0; i < count; ++i) ids.push_back(static_cast<TokenId>(i * 37 % 61));
    return ids;
  }
  std::vector<std::string> Pages() { return fs_.List("cache").value_or({}); }

  sys::SimFileSystem fs_;
  std::shared_ptr<const PrefixFiles> files_ = std::make_shared<PrefixFiles>(fs_, "cache");
};

TEST_F(Prefixes, AnotherSessionReadsTheRestOnly) {
  for (const char* type : {"qwen3", "gemma3_text", "deepseek_v2", "lfm2"}) {
    SCOPED_TRACE(type);
    const auto model = Make(type);
    for (const auto kv : {kernels::KvType::kF32, kernels::KvType::kQ8}) {
      const std::vector<TokenId> ids = Text(200);
      int chunks = 0;
      const std::vector<float> wanted = Last(*Open(model, false, kv), ids, &chunks);
      EXPECT_EQ(chunks, 13);
      EXPECT_EQ(Last(*Open(model, true, kv), ids, &chunks), wanted);
      EXPECT_EQ(chunks, 13);
      EXPECT_EQ(Last(*Open(model, true, kv), ids, &chunks), wanted);
      EXPECT_EQ(chunks, 1);
      // A text that goes on otherwise has its own numbers; what is common is found.
      std::vector<TokenId> other = ids;
      other[196] = 5;
      const std::vector<float> others = Last(*Open(model, false, kv), other, &chunks);
      EXPECT_NE(others, wanted);
      EXPECT_EQ(Last(*Open(model, true, kv), other, &chunks), others);
      EXPECT_EQ(chunks, 1);
    }
    // Types are kept apart.
    int chunks = 0;
    (void)Last(*Open(model, true, kernels::KvType::kF16), Text(200), &chunks);
    EXPECT_EQ(chunks, 13);
  }
}

TEST_F(Prefixes, OtherModelsFindNothing) {
  int chunks = 0;
  (void)Last(*Open(Make("qwen3")), Text(100), &chunks);
  EXPECT_EQ(Pages().size(), 6u);
  (void)Last(*Open(Make("llama")), Text(100), &chunks);
  EXPECT_EQ(chunks, 7);
}

TEST_F(Prefixes, DamageIsReadAgain) {
  const auto model = Make("qwen3");
  int chunks = 0;
  const std::vector<float> wanted = Last(*Open(model), Text(100), &chunks);
  const std::vector<std::string> pages = Pages();
  ASSERT_EQ(pages.size(), 6u);
  for (const std::string& page : pages) {
    const std::string path = "cache/" + page;
    const Bytes good = sys::ReadFile(fs_, path).value();
    for (const size_t at : {size_t{3}, size_t{15}, size_t{20}, size_t{70}, good.size() - 1}) {
      Bytes bad = good;
      bad[at] ^= 1;
      ASSERT_TRUE(sys::WriteFileAtomically(fs_, path, bad).ok());
      EXPECT_EQ(Last(*Open(model), Text(100), &chunks), wanted);
      EXPECT_GT(chunks, 1);
      EXPECT_EQ(sys::ReadFile(fs_, path).value(), good) << "the session wrote it anew";
    }
    for (const size_t size : {size_t{0}, size_t{40}, good.size() - 1}) {
      ASSERT_TRUE(sys::WriteFileAtomically(fs_, path, ByteView(good).first(size)).ok());
      EXPECT_EQ(Last(*Open(model), Text(100), &chunks), wanted);
    }
  }
}

TEST_F(Prefixes, AFullDiskIsNoError) {
  const auto model = Make("qwen3");
  fs_.SetCapacity(1);
  int chunks = 0;
  (void)Last(*Open(model), Text(100), &chunks);
  EXPECT_TRUE(Pages().empty());
}

TEST_F(Prefixes, TheFolderKeepsToItsLimit) {
  const auto model = Make("qwen3");
  int chunks = 0;
  (void)Last(*Open(model), Text(100), &chunks);
  const int64_t page = static_cast<int64_t>(fs_.Stat("cache/" + Pages()[0])->size);
  files_ = std::make_shared<PrefixFiles>(fs_, "cache", 8 * page);
  std::vector<TokenId> other = Text(100);
  other[0] = 60;
  (void)Last(*Open(model), other, &chunks);
  EXPECT_EQ(Pages().size(), 8u);
  (void)Last(*Open(model), other, &chunks);
  EXPECT_EQ(chunks, 1);
}

// Layers with states have no prefixes.
TEST_F(Prefixes, StatesAreReadAgain) {
  const auto model = Make("qwen3_next");
  int chunks = 0;
  for (int i = 0; i < 2; ++i) {
    (void)Last(*Open(model), Text(100), &chunks);
    EXPECT_EQ(chunks, 7);
  }
  EXPECT_TRUE(Pages().empty());
}

}  // namespace
}  // namespace ferry::llm
