// Encoding and decoding on small tokenizers: against a naive reference, and rule by rule.
#include <gtest/gtest.h>

#include "device-runtime/llm/tokenizer/tests/tiny.h"
#include "device-runtime/llm/tokenizer/text/normal_form.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

using namespace std::string_view_literals;

using testing::Make;
using testing::MakeTiny;
using testing::NaiveBpe;
using testing::Tiny;

std::vector<TokenId> Ids(const Tokenizer& tokenizer, std::string_view text,
                         Specials specials = Specials::kParse) {
  auto ids = tokenizer.Encode(text, specials);
  EXPECT_TRUE(ids.ok()) << ids.status().ToString();
  return ids.ok() ? *ids : std::vector<TokenId>();
}

TEST(ByteBpe, EqualsTheNaiveDefinition) {
  std::mt19937 random(7);
  int pieces = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const Tiny tiny = MakeTiny(seed, "abcd", 20 + 4 * static_cast<int>(seed), seed % 2 == 0);
    const auto tokenizer = Make(tiny.json);
    for (int round = 0; round < 20; ++round) {
      std::string text;
      std::vector<TokenId> expected;
      for (int word = 0; word < 12; ++word) {
        // From one letter to past the length where the heap takes over.
        std::string piece(1 + random() % (word == 0 ? 120 : 40), ' ');
        for (char& c : piece) c = "abcd"[random() % 4];
        for (const std::string& part : {std::string(1, ' '), piece}) {
          const auto ids = NaiveBpe(tiny, part);
          expected.insert(expected.end(), ids.begin(), ids.end());
          text += part;
          ++pieces;
        }
      }
      ASSERT_EQ(Ids(*tokenizer, text), expected) << text;
    }
  }
  EXPECT_EQ(pieces, 20 * 20 * 24);
}

TEST(ByteBpe, RepeatedWordsOfALongTextAreTheSameAsAlone) {
  const Tiny tiny = MakeTiny(3, "abcd", 60);
  const auto tokenizer = Make(tiny.json);
  std::mt19937 random(1);
  std::vector<std::string> words;
  for (int i = 0; i < 300; ++i) {
    std::string word(1 + random() % 9, 'a');
    for (char& c : word) c = "abcd"[random() % 4];
    words.push_back(word);
  }
  std::string text;
  std::vector<TokenId> expected;
  for (int i = 0; i < 20000; ++i) {
    const std::string& word = words[random() % words.size()];
    for (const std::string& part : {std::string(" "), word}) {
      text += part;
      const auto ids = Ids(*tokenizer, part);  // too short to be remembered
      expected.insert(expected.end(), ids.begin(), ids.end());
    }
  }
  EXPECT_EQ(Ids(*tokenizer, text), expected);
}

TEST(ByteBpe, DecodeOfEncodeIsTheNormalizedText) {
  const auto tokenizer = Make(MakeTiny(5, "abcdefgh", 100).json);
  std::mt19937 random(11);
  const std::u32string_view letters =
      U"ab ch\u00e9\u0301\u0323\u0327e\u1100\u1161\u11a8\u4e2d\U0001f600\n\0"sv;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = random() % 40; i > 0; --i) AppendUtf8(letters[random() % letters.size()], text);
    std::string normal;
    if (!AppendNfc(text, normal)) normal = text;
    ASSERT_EQ(Decode(*tokenizer, Ids(*tokenizer, text)), normal);
  }
}

TEST(ByteBpe, EmptyTextNulAndBrokenUtf8) {
  const auto tokenizer = Make(MakeTiny(1, "ab", 5).json);
  EXPECT_TRUE(Ids(*tokenizer, "").empty());
  const std::string nul("a\0b", 3);
  EXPECT_EQ(Decode(*tokenizer, Ids(*tokenizer, nul)), nul);
  const std::pair<std::string, int> broken[] = {
      {"\xff", 0},
      {"abc\xc3", 3},
      {"a\xed\xa0\x80", 1},  // a surrogate
      {"\xc0\x80", 0},
      {"ok \xf5\x80\x80\x80", 3},
      {"\xe2\x82", 0},
      {"12345678\x80", 8},
      {"\xf4\x90\x80\x80", 0},
  };
  for (const auto& [text, offset] : broken) {
    const auto ids = tokenizer->Encode(text);
    ASSERT_EQ(ids.code(), Code::kMalformed);
    EXPECT_NE(ids.status().message().find(fmt::format("byte {}", offset)), std::string::npos)
        << ids.status().message();
  }
}

TEST(ByteBpe, TextOverTheLimit) {
  const auto tokenizer = Make(MakeTiny(1, "ab", 5).json);
  EXPECT_EQ(tokenizer->Encode(std::string(kMaxEncodeBytes + 1, 'a')).code(), Code::kLimitExceeded);
  // One piece may not be that long.
  EXPECT_EQ(tokenizer->Encode(std::string(17 << 20, 'a')).code(), Code::kLimitExceeded);
}

TEST(ByteBpe, SpecialsAreParsedOrText) {
  const Tiny tiny = MakeTiny(1, "ab", 5);
  const auto tokenizer = Make(tiny.json);
  const TokenId end = tokenizer->SpecialId("<|end|>");
  ASSERT_EQ(end, static_cast<TokenId>(tiny.vocab.size()));
  EXPECT_EQ(tokenizer->SpecialId("<tool>"), -1);  // added, but not special
  EXPECT_EQ(tokenizer->vocabulary(), end + 2);
  EXPECT_TRUE(tokenizer->IsSpecial(end));
  EXPECT_FALSE(tokenizer->IsSpecial(end + 1));
  const auto parsed = Ids(*tokenizer, "z<|end|><tool>z");
  EXPECT_EQ(parsed, (std::vector<TokenId>{'z', end, end + 1, 'z'}));
  EXPECT_EQ(Decode(*tokenizer, parsed), "z<|end|><tool>z");
  EXPECT_EQ(Decode(*tokenizer, parsed, /*skip_specials=*/true), "z<tool>z");
  const auto text = Ids(*tokenizer, "z<|end|><tool>z", Specials::kAsText);
  EXPECT_EQ(std::count(text.begin(), text.end(), end), 0);
  EXPECT_EQ(std::count(text.begin(), text.end(), end + 1), 1);
  EXPECT_EQ(Decode(*tokenizer, text), "z<|end|><tool>z");
}

TEST(ByteBpe, WholePieceDoesNotMakeASpecialOfText) {
  Tiny tiny = MakeTiny(1, "ab", 0);
  // The special token stands in the vocabulary too, and whole pieces are looked up there.
  tiny.json["model"]["vocab"]["<|end|>"] = 256;
  tiny.json["model"]["vocab"]["zzz"] = 300;
  tiny.json["model"]["ignore_merges"] = true;
  const auto tokenizer = Make(tiny.json);
  EXPECT_EQ(Ids(*tokenizer, "zzz"), std::vector<TokenId>{300});
  EXPECT_EQ(Ids(*tokenizer, "<|end|>"), std::vector<TokenId>{256});
  EXPECT_EQ(Ids(*tokenizer, "<|end|>", Specials::kAsText).size(), 7u);
}

TEST(ByteBpe, FlagsOfAddedTokens) {
  Tiny tiny = MakeTiny(1, "ab", 0);
  const auto add = [&tiny](int id, const char* content, const char* flag) {
    Json token = {{"id", id}, {"content", content}, {"special", true}, {"normalized", false}};
    token[flag] = true;
    tiny.json["added_tokens"].push_back(token);
  };
  add(300, "[L]", "lstrip");
  add(301, "[R]", "rstrip");
  add(302, "word", "single_word");
  add(303, "<|end", "special");          // a prefix of another: the longest counts
  add(304, "e\xcc\x81x", "normalized");  // looked for in normalized text
  const auto tokenizer = Make(tiny.json);
  EXPECT_EQ(Ids(*tokenizer, "a \n[L] b"), (std::vector<TokenId>{'a', 300, ' ', 'b'}));
  EXPECT_EQ(Ids(*tokenizer,
                "a [R] \xe3\x80\x80"
                "b"),
            (std::vector<TokenId>{'a', ' ', 301, 'b'}));
  EXPECT_EQ(Ids(*tokenizer, "[R] [L]"), (std::vector<TokenId>{301, 300}));
  EXPECT_EQ(Ids(*tokenizer, "word-word"), (std::vector<TokenId>{302, '-', 302}));
  EXPECT_EQ(Ids(*tokenizer, "words").size(), 5u);
  EXPECT_EQ(Ids(*tokenizer, "\xc3\xa9word").size(), 6u);
  EXPECT_EQ(Ids(*tokenizer, "<|end|>"), std::vector<TokenId>{256});
  EXPECT_EQ(Ids(*tokenizer, "<|end|"), (std::vector<TokenId>{303, '|'}));
  EXPECT_EQ(Ids(*tokenizer, "\xc3\xa9x"), std::vector<TokenId>{304});
  EXPECT_EQ(Ids(*tokenizer, "e\xcc\x81x"), std::vector<TokenId>{304});
}

TEST(ByteBpe, SpaceBeforeEachText) {
  Tiny tiny = MakeTiny(1, "ab", 0);
  tiny.json["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", true}};
  const auto tokenizer = Make(tiny.json);
  EXPECT_EQ(Ids(*tokenizer, "a"), (std::vector<TokenId>{' ', 'a'}));
  EXPECT_EQ(Ids(*tokenizer, " a"), (std::vector<TokenId>{' ', 'a'}));
  EXPECT_EQ(Ids(*tokenizer, "a<|end|>b"), (std::vector<TokenId>{' ', 'a', 256, ' ', 'b'}));
}

TEST(StreamDecoder, NeverHalfACharacterAndTheWholeText) {
  const auto tokenizer = Make(MakeTiny(9, "abcdefgh\xc3\xa9", 80).json);
  std::mt19937 random(2);
  const std::string face = "\xf0\x9f\x98\x80";
  for (int round = 0; round < 3000; ++round) {
    std::vector<TokenId> ids;
    for (int i = random() % 30; i > 0; --i) {
      const int kind = random() % 4;
      if (kind == 0) {
        for (const char c : face.substr(0, 1 + random() % 4))
          ids.push_back(static_cast<uint8_t>(c));
      } else if (kind == 1) {
        ids.push_back(0xc0 + random() % 64);
      } else {
        ids.push_back(static_cast<TokenId>(random() % (tokenizer->vocabulary() + 2)));
      }
    }
    for (const bool skip : {false, true}) {
      StreamDecoder stream(*tokenizer, skip);
      std::string text;
      for (const TokenId id : ids) {
        const std::string piece = stream.Push(id);
        ASSERT_EQ(ValidUtf8Prefix(piece), piece.size());
        text += piece;
      }
      text += stream.Finish();
      ASSERT_EQ(text, Decode(*tokenizer, ids, skip));
    }
  }
}

TEST(Decode, BrokenBytesByMaximalSubparts) {
  const auto tokenizer = Make(MakeTiny(1, "ab", 0).json);
  const auto decode = [&tokenizer](std::string_view bytes) {
    std::vector<TokenId> ids;
    for (const char c : bytes) ids.push_back(static_cast<uint8_t>(c));
    return Decode(*tokenizer, ids);
  };
  const std::string r = "\xef\xbf\xbd";
  // The example of the Unicode standard, table 3-8 and those after it.
  EXPECT_EQ(decode("a\xf1\x80\x80\xe1\x80\xc2"
                   "b\x80"
                   "c\x80\xbf"
                   "d"),
            "a" + r + r + r + "b" + r + "c" + r + r + "d");
  EXPECT_EQ(decode("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"
                   "A"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(decode("\xed\xa0\x80"), r + r + r);
  EXPECT_EQ(decode("\xf4\x91\x92\x93\xff"), r + r + r + r + r);
  EXPECT_EQ(decode("x\xe2\x82"), "x" + r);
  EXPECT_EQ(tokenizer->TokenBytes(-1), "");
  EXPECT_EQ(tokenizer->TokenBytes(1 << 29), "");
  EXPECT_FALSE(tokenizer->IsSpecial(-1));
}

}  // namespace
}  // namespace ferry::llm
