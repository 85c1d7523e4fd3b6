// The tokenizer of ../shared/lm-pair: exact, and linear in the length of the text.
#include <gtest/gtest.h>

#include <ctime>
#include <iostream>

#include "common/base/json.h"
#include "device-runtime/llm/testing/shared.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {
namespace {

class PairTokenizer : public ::testing::Test {
 protected:
  void SetUp() override {
    FERRY_NEEDS_SHARED("lm-pair");
    auto tokenizer =
        LoadTokenizerFolder(sys::SystemFileSystem(), testing::SharedPath("lm-pair/draft"));
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
    tokenizer_ = std::move(*tokenizer);
    const auto text =
        sys::ReadFile(sys::SystemFileSystem(), testing::SharedPath("lm-pair/valid_head.txt"));
    ASSERT_TRUE(text.ok());
    prose_ = AsText(*text);
  }
  // Seconds of this thread's processor time, the least of three tries.
  double Seconds(const std::string& text) const {
    double least = 1e9;
    for (int i = 0; i < 3; ++i) {
      const double before = ThreadSeconds();
      const auto ids = tokenizer_->Encode(text);
      least = std::min(least, ThreadSeconds() - before);
      EXPECT_TRUE(ids.ok()) << ids.status().ToString();
    }
    return least;
  }
  static double ThreadSeconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  std::unique_ptr<Tokenizer> tokenizer_;
  std::string prose_;
};

TEST_F(PairTokenizer, UnseenText) {
  const auto ids = tokenizer_->Encode(prose_);
  ASSERT_TRUE(ids.ok());
  EXPECT_EQ(ids->size(), 20u * 512 + 1);
  EXPECT_EQ(Decode(*tokenizer_, *ids), prose_);
  EXPECT_EQ(tokenizer_->vocabulary(), 8192);
  EXPECT_EQ(tokenizer_->SpecialId("<|im_start|>"), 8185);
}

TEST_F(PairTokenizer, GoldenPrompts) {
  const auto stats =
      sys::ReadFile(sys::SystemFileSystem(), testing::SharedPath("lm-pair/stats.json"));
  ASSERT_TRUE(stats.ok());
  const Json json = *ParseJson(AsText(*stats));
  const auto prompts = GetStrings(json, "prompts");
  ASSERT_TRUE(prompts.ok());
  ASSERT_EQ(prompts->size(), 4u);
  for (const std::string model : {"draft", "target"}) {
    const testing::Golden golden(testing::SharedPath("lm-pair/" + model + "/golden.safetensors"));
    for (size_t k = 0; k < prompts->size(); ++k) {
      const auto ids = tokenizer_->Encode((*prompts)[k]);
      ASSERT_TRUE(ids.ok());
      const auto* tensor = golden.Find(fmt::format("ids_{}", k));
      ASSERT_NE(tensor, nullptr);
      std::vector<TokenId> expected;
      if (tensor->bytes.size() == ids->size() * sizeof(int64_t)) {
        for (const int64_t id : golden.Get<int64_t>(fmt::format("ids_{}", k))) {
          expected.push_back(static_cast<TokenId>(id));
        }
      } else {
        expected = golden.Get<TokenId>(fmt::format("ids_{}", k));
      }
      EXPECT_EQ(*ids, expected) << (*prompts)[k];
    }
  }
}

TEST_F(PairTokenizer, BothModelsHaveOneDigestInEveryForm) {
  const auto target =
      LoadTokenizerFolder(sys::SystemFileSystem(), testing::SharedPath("lm-pair/target"));
  ASSERT_TRUE(target.ok());
  EXPECT_EQ((*target)->digest(), tokenizer_->digest());
  const auto serialized = TokenizerFromSerialized(SerializeTokenizer(*tokenizer_));
  ASSERT_TRUE(serialized.ok());
  EXPECT_EQ((*serialized)->digest(), tokenizer_->digest());
}

// Eight times the text takes at most 32 times as long in the best of five tries: 8 when the time is
// linear, 64 when it grows with the square; the rest is for caches and for what else the machine
// does.
TEST_F(PairTokenizer, TimeIsLinear) {
  std::string prose;
  while (prose.size() < (8 << 20)) prose += prose_;
  std::string marks;  // in the wrong order: normalization has to sort them
  while (marks.size() < (1 << 20)) marks += marks.size() % 4 == 0 ? "\xcc\x81" : "\xcc\xa3";
  const std::pair<const char*, std::string> texts[] = {
      {"prose", prose.substr(0, 8 << 20)},
      {"one letter", std::string(1 << 20, 'e')},
      {"spaces", std::string(1 << 20, ' ')},
      {"space and newline", std::string(1 << 20, ' ') + "\n"},
      {"apostrophes", std::string(1 << 20, '\'')},
      {"combining marks", marks},
  };
  for (const auto& [name, text] : texts) {
    const std::string part = text.substr(0, text.size() / 8 / 4 * 4);
    double whole = Seconds(text), eighth = Seconds(part);
    for (int i = 1; i < 5 && whole >= 32 * std::max(eighth, 1e-3); ++i) {
      whole = std::min(whole, Seconds(text));
      eighth = std::max(eighth, Seconds(part));
    }
    std::cout << fmt::format("{}: {} bytes in {:.3f} s of processor time, {:.1f} MB/s\n", name,
                             text.size(), whole, 1e-6 * static_cast<double>(text.size()) / whole);
    EXPECT_LT(whole, 32 * std::max(eighth, 1e-3)) << name;
  }
}

}  // namespace
}  // namespace ferry::llm
