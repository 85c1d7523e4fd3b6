// Damaged tokenizers: an error or a tokenizer that works, never a crash, whatever the bytes.
#include <gtest/gtest.h>

#include "common/base/memory.h"
#include "device-runtime/llm/tokenizer/tests/tiny.h"

namespace ferry::llm {
namespace {

using testing::Make;
using testing::MakeTiny;

constexpr std::string_view kText = "abba <|end|> cab\xc3\xa9 <tool> 12";

// What every tokenizer that loads must be able to do.
void Use(const Tokenizer& tokenizer) {
  for (const Specials specials : {Specials::kParse, Specials::kAsText}) {
    const auto ids = tokenizer.Encode(kText, specials);
    if (!ids.ok()) continue;  // an expression may take too long
    for (const TokenId id : *ids) {
      ASSERT_GE(id, 0);
      ASSERT_LT(id, tokenizer.vocabulary());
    }
    (void)Decode(tokenizer, *ids);
  }
  const auto again = TokenizerFromSerialized(SerializeTokenizer(tokenizer));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  ASSERT_EQ((*again)->digest(), tokenizer.digest());
}

// Changes, doubles, drops or swaps some bytes.
Bytes Damaged(Bytes bytes, std::mt19937& random) {
  for (int i = 1 + static_cast<int>(random() % 4); i > 0 && !bytes.empty(); --i) {
    const size_t at = random() % bytes.size();
    const size_t count = std::min<size_t>(1 + random() % 8, bytes.size() - at);
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<uint8_t>(random());
        break;
      case 1:
        bytes[at] ^= static_cast<uint8_t>(1 << random() % 8);
        break;
      case 2:
        bytes.erase(bytes.begin() + at, bytes.begin() + at + count);
        break;
      case 3: {
        const Bytes copy(bytes.begin() + at, bytes.begin() + at + count);
        bytes.insert(bytes.begin() + random() % bytes.size(), copy.begin(), copy.end());
        break;
      }
      default:
        for (size_t j = at; j < at + count; ++j) bytes[j] = random() % 2 == 0 ? 0x00 : 0xff;
    }
  }
  return bytes;
}

TEST(TokenizerFuzz, Serialized) {
  const Bytes good = SerializeTokenizer(*Make(MakeTiny(8, "abc", 20).json));
  std::mt19937 random(1);
  int loaded = 0;
  for (int round = 0; round < 6000; ++round) {
    const auto tokenizer = TokenizerFromSerialized(Damaged(good, random));
    if (!tokenizer.ok()) {
      ASSERT_FALSE(tokenizer.status().message().empty());
      continue;
    }
    ++loaded;
    Use(**tokenizer);
  }
  EXPECT_GT(loaded, 0);
  EXPECT_LT(loaded, 6000);
}

TEST(TokenizerFuzz, JsonBytes) {
  const Bytes good = ToBytes(WriteJson(MakeTiny(8, "abc", 20).json));
  std::mt19937 random(2);
  int loaded = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto tokenizer = TokenizerFromJson(Damaged(good, random));
    if (!tokenizer.ok()) continue;
    ++loaded;
    Use(**tokenizer);
  }
  EXPECT_GT(loaded, 0);
  EXPECT_LT(loaded, 3000);
}

// A value somewhere in the tree becomes another, so that damage gets past the JSON parser.
void ChangeOne(Json& json, std::mt19937& random) {
  Json* at = &json;
  while (at->is_structured() && !at->empty() && random() % 8 != 0) {
    auto member = at->begin();
    std::advance(member, random() % at->size());
    at = &*member;
  }
  const Json values[] = {nullptr,
                         true,
                         -1,
                         0,
                         300,
                         1e300,
                         "",
                         "a",
                         "(a|aa)+$",
                         "ByteLevel",
                         Json::array(),
                         Json::object(),
                         Json::array({"a", "b"}),
                         4294967296};
  *at = values[random() % std::size(values)];
}

TEST(TokenizerFuzz, JsonValues) {
  const Json good = MakeTiny(8, "abc", 20).json;
  std::mt19937 random(3);
  int loaded = 0;
  for (int round = 0; round < 3000; ++round) {
    Json json = good;
    for (int i = 1 + static_cast<int>(random() % 3); i > 0; --i) ChangeOne(json, random);
    const auto tokenizer = TokenizerFromJson(AsBytes(WriteJson(json)));
    if (!tokenizer.ok()) continue;
    ++loaded;
    Use(**tokenizer);
  }
  EXPECT_GT(loaded, 0);
  EXPECT_LT(loaded, 3000);
}

TEST(TokenizerFuzz, OutOfMemoryIsAStatus) {
  const auto tokenizer = Make(MakeTiny(1, "ab", 5).json);
  const std::string text(2 << 20, ' ');
  const FailAllocations fail(1);
  EXPECT_EQ(tokenizer->Encode(text).code(), Code::kOutOfMemory);
  EXPECT_TRUE(fail.fired());
}

}  // namespace
}  // namespace ferry::llm
