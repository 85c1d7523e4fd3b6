// Each kind of tokenizer against its definition, on random small vocabularies.
#include <gtest/gtest.h>

#include "common/base/json.h"
#include "device-runtime/llm/tokenizer/bpe/byte_bpe.h"
#include "device-runtime/llm/tokenizer/bpe/sp_bpe.h"
#include "device-runtime/llm/tokenizer/tests/naive.h"
#include "device-runtime/llm/tokenizer/unigram/unigram.h"
#include "device-runtime/llm/tokenizer/wordpiece/wordpiece.h"

namespace ferry::llm {
namespace {

using testing::Characters;
using testing::NaiveJoin;
using testing::NaiveUnigram;
using testing::NaiveWordPiece;
using testing::RandomText;

using Names = std::vector<std::string>;

constexpr double kApart = std::numeric_limits<double>::infinity();
const Names kLetters = {"a", "b", "c", "\xc3\xa9", std::string(kSpaceMark), "\xe4\xb8\xad"};
// Three that no vocabulary here has, one of them of one byte.
const Names kStrange = {"x", "\xc3\xb1", "\xf0\x9f\x98\x80"};

Names WithStrange() {
  Names all = kLetters;
  all.insert(all.end(), kStrange.begin(), kStrange.end());
  return all;
}

// Random tokens of several characters, each once; the letters that `missing` leaves, too.
Names RandomTokens(std::mt19937& random, size_t count, size_t missing) {
  Names tokens(kLetters.begin(), kLetters.end() - static_cast<std::ptrdiff_t>(missing));
  for (size_t tries = 0; tries < 3 * count; ++tries) {
    const std::string token = RandomText(random, kLetters, 2 + random() % 4);
    if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
  }
  return tokens;
}

std::vector<TokenId> Encoded(const Result<std::unique_ptr<Tokenizer>>& tokenizer,
                             std::string_view text) {
  if (!tokenizer.ok()) {
    ADD_FAILURE() << tokenizer.status().ToString();
    return {};
  }
  const auto ids = (*tokenizer)->Encode(text);
  EXPECT_TRUE(ids.ok()) << ids.status().ToString();
  return ids.ok() ? *ids : std::vector<TokenId>();
}

// After a round trip through the serialized form, which ends anywhere else in an error.
std::unique_ptr<Tokenizer> Again(const Tokenizer& tokenizer) {
  const Bytes bytes = SerializeTokenizer(tokenizer);
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 97) {
    EXPECT_FALSE(TokenizerFromSerialized(ByteView(bytes).first(size)).ok()) << size;
  }
  auto again = TokenizerFromSerialized(bytes);
  EXPECT_TRUE(again.ok()) << again.status().ToString();
  if (!again.ok()) return nullptr;
  EXPECT_EQ((*again)->digest(), tokenizer.digest());
  return std::move(*again);
}

void AppendTokens(const Names& names, TokenizerParts& parts) {
  for (const std::string& name : names) parts.tokens.push_back({Token::kMatched, name});
}

// Ids of `parts`: unknown characters become bytes (`byte_base` on) or one fused or single unknown.
std::vector<TokenId> IdsOf(const Names& parts, const Names& names, const Fallback& fallback,
                           int byte_base) {
  std::vector<TokenId> ids;
  bool unknown = false;
  for (const std::string& part : parts) {
    const auto found = std::find(names.begin(), names.end(), part);
    if (found != names.end()) {
      ids.push_back(static_cast<TokenId>(found - names.begin()));
      unknown = false;
    } else if (fallback.bytes) {
      for (const char c : part) ids.push_back(byte_base + static_cast<uint8_t>(c));
    } else {
      if (!unknown || !fallback.fuse) ids.push_back(static_cast<TokenId>(fallback.unknown));
      unknown = true;
    }
  }
  return ids;
}

int AppendByteTokens(TokenizerParts& parts) {
  const int base = static_cast<int>(parts.tokens.size());
  for (int byte = 0; byte < 256; ++byte) {
    parts.tokens.push_back({Token::kPlain, fmt::format("<0x{:02X}>", byte)});
  }
  return base;
}

TEST(SpBpe, ByScoresEqualsTheNaiveDefinition) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    SpBpeParts parts;
    const Names names = RandomTokens(random, 40, random() % 3);
    AppendTokens(names, parts);
    parts.by_scores = true;
    std::map<std::string, float> scores;
    for (const std::string& name : names) {
      parts.scores.push_back(-static_cast<float>(random() % 30));  // with equal ones
      scores[name] = parts.scores.back();
    }
    parts.tokens.push_back({Token::kPlain, "<unk>"});
    parts.fallback.unknown = static_cast<uint32_t>(names.size());
    parts.fallback.fuse = round % 3 != 0;
    parts.fallback.bytes = round % 3 == 1;
    const Fallback fallback = parts.fallback;
    const int byte_base = AppendByteTokens(parts);
    const auto tokenizer = SpBpe::Create(std::move(parts));
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
    for (int i = 0; i < 40; ++i) {
      // From nothing to past where a heap takes over and where long pieces are cut.
      const std::string text =
          RandomText(random, WithStrange(), random() % (i % 8 == 0 ? 300 : 12));
      const Names expected =
          NaiveJoin(Characters(text), [&](const std::string& a, const std::string& b) {
            const auto score = scores.find(a + b);
            return score == scores.end() ? kApart : -static_cast<double>(score->second);
          });
      ASSERT_EQ(Encoded(tokenizer, text), IdsOf(expected, names, fallback, byte_base)) << text;
    }
    if (round < 6) {
      ASSERT_NE(Again(**tokenizer), nullptr);
    }
  }
}

TEST(SpBpe, ByMergesEqualsTheNaiveDefinition) {
  std::mt19937 random(4);
  for (int round = 0; round < 60; ++round) {
    SpBpeParts parts;
    Names names(kLetters.begin(), kLetters.end());
    std::map<std::pair<std::string, std::string>, double> ranks;
    while (parts.merges.size() < 40) {
      const auto left = static_cast<uint32_t>(random() % names.size());
      const auto right = static_cast<uint32_t>(random() % names.size());
      const std::string joined = names[left] + names[right];
      if (joined.size() > 16 || ranks.contains({names[left], names[right]})) continue;
      ranks[{names[left], names[right]}] = static_cast<double>(parts.merges.size());
      parts.merges.emplace_back(left, right);
      if (std::find(names.begin(), names.end(), joined) == names.end()) names.push_back(joined);
    }
    AppendTokens(names, parts);
    parts.tokens.push_back({Token::kPlain, "<unk>"});
    parts.fallback = {false, round % 2 == 0, static_cast<uint32_t>(names.size())};
    const Fallback fallback = parts.fallback;
    const auto tokenizer = SpBpe::Create(std::move(parts));
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
    for (int i = 0; i < 40; ++i) {
      const std::string text =
          RandomText(random, WithStrange(), random() % (i % 8 == 0 ? 300 : 12));
      const Names expected =
          NaiveJoin(Characters(text), [&](const std::string& a, const std::string& b) {
            const auto rank = ranks.find({a, b});
            return rank == ranks.end() ? kApart : rank->second;
          });
      ASSERT_EQ(Encoded(tokenizer, text), IdsOf(expected, names, fallback, 0)) << text;
    }
    if (round < 6) {
      ASSERT_NE(Again(**tokenizer), nullptr);
    }
  }
}

TEST(Unigram, EqualsTheNaiveDefinition) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    UnigramParts parts;
    const Names names = RandomTokens(random, 40, random() % 3);
    AppendTokens(names, parts);
    std::map<std::string, double> scores;
    double least = 0;
    for (const std::string& name : names) {
      // Sums of eighths are exact, so that equal ways are equal in any order of adding.
      parts.scores.push_back(-static_cast<double>(random() % 100) / 8);
      scores[name] = parts.scores.back();
      least = std::min(least, parts.scores.back());
    }
    parts.tokens.push_back({Token::kPlain, "<unk>"});
    parts.fallback.unknown = static_cast<uint32_t>(names.size());
    parts.fallback.fuse = true;
    parts.fallback.bytes = round % 2 == 1;
    const Fallback fallback = parts.fallback;
    const int byte_base = AppendByteTokens(parts);
    const auto tokenizer = Unigram::Create(std::move(parts));
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
    for (int i = 0; i < 40; ++i) {
      const std::string text =
          RandomText(random, WithStrange(), random() % (i % 8 == 0 ? 300 : 12));
      const Names expected = NaiveUnigram(text, scores, least - 10);
      ASSERT_EQ(Encoded(tokenizer, text), IdsOf(expected, names, fallback, byte_base)) << text;
    }
    if (round < 6) {
      ASSERT_NE(Again(**tokenizer), nullptr);
    }
  }
}

TEST(WordPiece, EqualsTheNaiveDefinition) {
  std::mt19937 random(6);
  const Names letters = {"a", "b", "c", "\xc3\xa9"};
  for (int round = 0; round < 60; ++round) {
    WordPieceParts parts;
    std::map<std::string, int> vocab = {{"[UNK]", 0}};
    Names names = {"[UNK]"};
    for (int i = 0; i < 60; ++i) {
      const std::string name =
          (random() % 2 == 0 ? "" : "##") + RandomText(random, letters, 1 + random() % 3);
      if (vocab.emplace(name, static_cast<int>(names.size())).second) names.push_back(name);
    }
    AppendTokens(names, parts);
    parts.unknown = 0;
    parts.most_characters = 20;
    const auto tokenizer = WordPiece::Create(std::move(parts));
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
    for (int i = 0; i < 60; ++i) {
      const std::string word = RandomText(random, letters, 1 + random() % 24);
      std::vector<TokenId> expected;
      if (Characters(word).size() <= 20) {
        for (const std::string& part : NaiveWordPiece(word, vocab)) {
          expected.push_back(vocab.at(part));
        }
      }
      if (expected.empty()) expected = {0};
      ASSERT_EQ(Encoded(tokenizer, word), expected) << word;
    }
    if (round < 6) {
      ASSERT_NE(Again(**tokenizer), nullptr);
    }
  }
}

TEST(Tiktoken, EqualsTheNaiveDefinition) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    TokenizerParts parts;
    Names names;
    for (int byte = 0; byte < 256; ++byte) names.emplace_back(1, static_cast<char>(byte));
    std::shuffle(names.begin(), names.end(), random);
    for (int tries = 0; tries < 60; ++tries) {
      const std::string token = RandomText(random, {"a", "b", "c", "d"}, 2 + random() % 4);
      if (std::find(names.begin(), names.end(), token) == names.end()) names.push_back(token);
    }
    AppendTokens(names, parts);
    std::map<std::string, double> ranks;
    for (size_t i = 0; i < names.size(); ++i) ranks[names[i]] = static_cast<double>(i);
    const auto tokenizer = ByteBpe::CreateByIds(std::move(parts));
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
    for (int i = 0; i < 40; ++i) {
      const std::string text =
          RandomText(random, {"a", "b", "c", "d", "\xc3\xa9"}, random() % (i % 8 == 0 ? 200 : 12));
      Names bytes;
      for (const char c : text) bytes.emplace_back(1, c);
      const Names joined = NaiveJoin(bytes, [&](const std::string& a, const std::string& b) {
        const auto rank = ranks.find(a + b);
        return rank == ranks.end() ? kApart : rank->second;
      });
      std::vector<TokenId> expected;
      // A piece that is a token is that token, however it would have joined.
      if (const auto whole = ranks.find(text); whole != ranks.end()) {
        expected = {static_cast<TokenId>(whole->second)};
      } else {
        for (const std::string& part : joined) {
          expected.push_back(static_cast<TokenId>(ranks.at(part)));
        }
      }
      ASSERT_EQ(Encoded(tokenizer, text), expected) << text;
    }
    if (round < 4) {
      ASSERT_NE(Again(**tokenizer), nullptr);
    }
  }
}

TEST(Kinds, SpecialTokensAreNoTextOfModels) {
  UnigramParts parts;
  AppendTokens({"a", "</s>", "<", "/", "s", ">"}, parts);
  parts.scores = {-1, 0, -1, -1, -1, -1};
  parts.added.push_back({1, "</s>", true});
  parts.fallback.unknown = 0;
  const auto tokenizer = Unigram::Create(std::move(parts));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  EXPECT_EQ(Encoded(tokenizer, "a</s>"), (std::vector<TokenId>{0, 1}));
  EXPECT_EQ(*(*tokenizer)->Encode("a</s>", Specials::kAsText),
            (std::vector<TokenId>{0, 2, 3, 4, 5}));
}

TEST(Kinds, WhatIsMalformedIsNamed) {
  const auto unigram = [](double score, uint32_t unknown) {
    UnigramParts parts;
    AppendTokens({"a"}, parts);
    parts.scores = {score};
    parts.fallback.unknown = unknown;
    return Unigram::Create(std::move(parts)).status();
  };
  EXPECT_TRUE(unigram(0, 0).ok());
  EXPECT_NE(unigram(std::nan(""), 0).message().find("score of token 0"), std::string::npos);
  EXPECT_NE(unigram(0, 7).message().find("unknown token 7"), std::string::npos);
  WordPieceParts word_piece;
  AppendTokens({"a"}, word_piece);
  EXPECT_EQ(WordPiece::Create(std::move(word_piece)).code(), Code::kMalformed);
  SpBpeParts long_token;
  AppendTokens({std::string(2000, 'a')}, long_token);
  long_token.by_scores = true;
  long_token.scores = {0};
  EXPECT_EQ(SpBpe::Create(std::move(long_token)).code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::llm
