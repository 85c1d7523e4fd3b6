// Tokenizers from other files than tokenizer.json: small ones made here, what is wrong with a file,
// and which file of a folder counts.
#include "device-runtime/llm/tokenizer/sources/sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/formats/testing/gguf_writer.h"
#include "device-runtime/llm/tokenizer/json/tokenizer_json.h"
#include "device-runtime/llm/tokenizer/tests/sp_model.h"

namespace ferry::llm {
namespace {

using formats::GgufType;
using formats::GgufWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Made = Result<std::unique_ptr<Tokenizer>>;
using testing::SpModelWriter;

constexpr int kSourceFuzzRounds = 3000;
const std::string kMarkText(kSpaceMark);

std::vector<TokenId> IdsBy(const Made& made, std::string_view text,
                           Specials specials = Specials::kParse) {
  if (!made.ok()) {
    ADD_FAILURE() << made.status().ToString();
    return {};
  }
  const auto ids = (*made)->Encode(text, specials);
  EXPECT_TRUE(ids.ok()) << ids.status().ToString();
  if (!ids.ok()) return {};
  const auto again = TokenizerFromSerialized(SerializeTokenizer(**made));
  EXPECT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*(*again)->Encode(text, specials), *ids);
  return *ids;
}

void ExpectWrong(const Made& made, Code code, const std::string& message) {
  ASSERT_FALSE(made.ok()) << message;
  EXPECT_EQ(made.code(), code) << made.status().ToString();
  EXPECT_THAT(made.status().message(), HasSubstr(message));
}

SpModelWriter SpPieces() {
  SpModelWriter writer;
  writer.Piece("<unk>", 0, 2).Piece("<s>", 0, 3).Piece("</s>", 0, 3).Piece("<sep>", 0, 4);
  writer.Piece(kMarkText, -3).Piece("a", -4).Piece("b", -4).Piece(kMarkText + "a", -1);
  writer.Piece("ab", -2).Piece("unused", -1, 5);
  return writer;
}

TEST(SentencePieceModel, Bpe) {
  const auto tokenizer = TokenizerFromSentencePiece(AsBytes(SpPieces().Take(2)));
  EXPECT_THAT(IdsBy(tokenizer, "ab"), ElementsAre(7, 6));  // the better score first
  EXPECT_THAT(IdsBy(tokenizer, "  b  ab "), ElementsAre(4, 6, 7, 6));
  EXPECT_THAT(IdsBy(tokenizer, "a<sep>ab"), ElementsAre(7, 3, 8));
  EXPECT_THAT(IdsBy(tokenizer, "xya"), ElementsAre(4, 0, 5));  // unknown ones fuse
  EXPECT_THAT(IdsBy(tokenizer, "<s>b"), ElementsAre(1, 6));
  EXPECT_THAT(IdsBy(tokenizer, "<s>b", Specials::kAsText), ElementsAre(4, 0, 6));
  EXPECT_EQ(Decode(**tokenizer, IdsBy(tokenizer, "a ab")), "a ab");
  EXPECT_EQ((*tokenizer)->SpecialId("</s>"), 2);
  const auto plain = TokenizerFromSentencePiece(AsBytes(SpPieces().Take(2, "", false, false)));
  EXPECT_THAT(IdsBy(plain, " ab  "), ElementsAre(7, 6, 4, 4));
  EXPECT_EQ(Decode(**plain, IdsBy(plain, " ab  ")), " ab  ");
}

TEST(SentencePieceModel, UnigramAndBytes) {
  const auto tokenizer = TokenizerFromSentencePiece(AsBytes(SpPieces().Take(1)));
  EXPECT_THAT(IdsBy(tokenizer, "ab"), ElementsAre(4, 8));  // -3 - 2 as -1 - 4: the longer last
  EXPECT_THAT(IdsBy(tokenizer, "bab"), ElementsAre(4, 6, 8));
  EXPECT_THAT(IdsBy(tokenizer, "unused"), ElementsAre(4, 0));
  SpModelWriter bytes = SpPieces();
  for (int byte = 0; byte < 256; ++byte) bytes.Piece(fmt::format("<0x{:02X}>", byte), 0, 6);
  const auto fallback = TokenizerFromSentencePiece(AsBytes(bytes.Take(2)));
  EXPECT_THAT(IdsBy(fallback, "\xc3\xa9"), ElementsAre(4, 10 + 0xc3, 10 + 0xa9));
  EXPECT_EQ(Decode(**fallback, IdsBy(fallback, "a \xc3\xa9")), "a \xc3\xa9");
}

TEST(SentencePieceModel, WhatIsWrongIsNamed) {
  ExpectWrong(TokenizerFromSentencePiece({}), Code::kMalformed, "without pieces");
  ExpectWrong(TokenizerFromSentencePiece(AsBytes("\x0a\x7f")), Code::kMalformed, "byte");
  ExpectWrong(TokenizerFromSentencePiece(AsBytes(SpPieces().Take(3))), Code::kUnsupported,
              "type 3");
  ExpectWrong(TokenizerFromSentencePiece(AsBytes(SpPieces().Take(1, "abcd"))), Code::kMalformed,
              "normalization");
  const std::string suffix =
      SpPieces().Take(1) + SpModelWriter::Field(2, SpModelWriter::Field(24, uint64_t{1}));
  ExpectWrong(TokenizerFromSentencePiece(AsBytes(suffix)), Code::kUnsupported, "suffix");
}

std::string Ranks() {
  std::string ranks;
  for (int byte = 0; byte < 256; ++byte) {
    const uint8_t one = static_cast<uint8_t>(byte);
    ranks += fmt::format("{} {}\n", ToBase64(ByteView(&one, 1)), byte);
  }
  return ranks + "YWI= 256\nYWJj 257\n";  // ab, abc
}

TEST(TiktokenRanks, ByName) {
  const auto tokenizer = TokenizerFromTiktoken(AsBytes(Ranks()), "cl100k_base.tiktoken");
  EXPECT_THAT(IdsBy(tokenizer, "abc abd"), ElementsAre(257, ' ', 256, 'd'));
  EXPECT_THAT(IdsBy(tokenizer, "<|endoftext|>a"), ElementsAre(100257, 'a'));
  EXPECT_EQ((*tokenizer)->vocabulary(), 100277);
  EXPECT_EQ((*TokenizerFromTiktoken(AsBytes(Ranks()), "tokenizer.model"))->SpecialId("<|eot_id|>"),
            128009);
  ExpectWrong(TokenizerFromTiktoken(AsBytes(Ranks()), "my.tiktoken"), Code::kUnsupported,
              "cl100k, gpt2, o200k");
  for (const char* line : {"YQ== x", "YQ==", "!!! 3", "YQ== -1", " 3", "YQ== 3 4"}) {
    ExpectWrong(TokenizerFromTiktoken(AsBytes(std::string(line)), "gpt2"), Code::kMalformed,
                "base64");
  }
  ExpectWrong(TokenizerFromTiktoken(AsBytes("YQ== 3\nYg== 3\n"), "gpt2"), Code::kMalformed,
              "rank 3");
  ExpectWrong(TokenizerFromTiktoken(AsBytes("YQ== 99999999\n"), "gpt2"), Code::kLimitExceeded,
              "rank");
}

TEST(VocabText, Bert) {
  const std::string vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\n,\nhello\n";
  const auto tokenizer = TokenizerFromVocabText(vocab, Json());
  EXPECT_THAT(IdsBy(tokenizer, "[CLS] H\xc3\xa9llo, UNaffable!"), ElementsAre(2, 8, 7, 4, 5, 6, 1));
  EXPECT_EQ(Decode(**tokenizer, IdsBy(tokenizer, "Hello, unaffable")), "hello, unaffable");
  const auto cased = TokenizerFromVocabText(vocab, {{"do_lower_case", false}});
  EXPECT_THAT(IdsBy(cased, "hello Hello"), ElementsAre(8, 1));
  ExpectWrong(TokenizerFromVocabText("a\nb\n", Json()), Code::kMalformed, "unknown token");
}

GgufWriter GgufOf(std::string_view model, const std::vector<std::string_view>& tokens,
                  const std::vector<int32_t>& types) {
  GgufWriter writer;
  writer.Add("tokenizer.ggml.model", model);
  writer.AddArray<std::string_view>("tokenizer.ggml.tokens", GgufType::kText, tokens);
  writer.AddArray<int32_t>("tokenizer.ggml.token_type", GgufType::kI32, types);
  return writer;
}

Made FromGguf(const GgufWriter& writer) {
  const Bytes file = writer.Take();
  const auto gguf = formats::Gguf::Read(file, "x.gguf");
  if (!gguf.ok()) return gguf.status();
  return TokenizerFromGguf(*gguf);
}

GgufWriter SmallGpt2(std::string_view pre = "gpt-2") {
  GgufWriter writer = GgufOf("gpt2",
                             {"a", "b", "\xc4\xa0", "ab",
                              "\xc4\xa0"  // NOLINT(bugprone-suspicious-missing-comma)
                              "ab",
                              "<e>"},
                             {1, 1, 1, 1, 1, 3});
  writer.Add("tokenizer.ggml.pre", pre);
  return writer;
}

TEST(GgufTokenizer, Gpt2) {
  GgufWriter writer = SmallGpt2();
  writer.AddArray<std::string_view>("tokenizer.ggml.merges", GgufType::kText,
                                    {"a b", "\xc4\xa0 ab"});
  EXPECT_THAT(IdsBy(FromGguf(writer), "ab ab<e>"), ElementsAre(3, 4, 5));
  ExpectWrong(FromGguf(SmallGpt2()), Code::kMalformed, "tokenizer.ggml.merges");
  ExpectWrong(FromGguf(SmallGpt2("new-one")), Code::kUnsupported,
              "\"new-one\"; known: chatglm-bpe");
}

TEST(GgufTokenizer, Llama) {
  GgufWriter writer =
      GgufOf("llama", {"<unk>", "<s>", kMarkText, "a", "b", "ab", "<0xC3>", "<0xA9>", "<tool>"},
             {2, 3, 1, 1, 1, 1, 6, 6, 4});
  writer.AddArray<float>("tokenizer.ggml.scores", GgufType::kF32, {0, 0, -1, -2, -2, -1, 0, 0, 0});
  EXPECT_THAT(IdsBy(FromGguf(writer), "ab a"), ElementsAre(2, 5, 2, 3));
  EXPECT_THAT(IdsBy(FromGguf(writer), "\xc3\xa9x"), ElementsAre(2, 6, 7, 0));
  EXPECT_THAT(IdsBy(FromGguf(writer), "<s>a<tool>b"), ElementsAre(1, 2, 3, 8, 2, 4));
  writer.Add<uint8_t>("tokenizer.ggml.add_space_prefix", GgufType::kBool, 0);
  EXPECT_THAT(IdsBy(FromGguf(writer), "ab a"), ElementsAre(5, 2, 3));
  ExpectWrong(FromGguf(GgufOf("llama", {"a"}, {1})), Code::kMalformed, "tokenizer.ggml.scores");
}

TEST(GgufTokenizer, T5AndBert) {
  GgufWriter t5 =
      GgufOf("t5", {"<pad>", "</s>", "<unk>", kMarkText, "a", "ab", "b"}, {3, 3, 2, 1, 1, 1, 1});
  t5.AddArray<float>("tokenizer.ggml.scores", GgufType::kF32, {0, 0, 0, -1, -2, -3, -2});
  t5.Add<uint8_t>("tokenizer.ggml.remove_extra_whitespaces", GgufType::kBool, 1);
  EXPECT_THAT(IdsBy(FromGguf(t5), " ab  axx "), ElementsAre(3, 5, 3, 4, 2));
  const GgufWriter bert = GgufOf(
      "bert", {"[UNK]", "[CLS]", kMarkText + "un", "able", kMarkText + ","}, {3, 3, 1, 1, 1});
  EXPECT_THAT(IdsBy(FromGguf(bert), "Unable, x"), ElementsAre(2, 3, 4, 0));
}

TEST(GgufTokenizer, WhatIsWrongIsNamed) {
  ExpectWrong(FromGguf(GgufWriter()), Code::kFailedPrecondition, "no tokenizer");
  ExpectWrong(FromGguf(GgufOf("rwkv", {"a"}, {1})), Code::kUnsupported, "\"rwkv\"");
  ExpectWrong(FromGguf(GgufOf("llama", {"a", "b"}, {1})), Code::kMalformed, "token_type");
  GgufWriter none;
  none.Add("tokenizer.ggml.model", "gpt2");
  ExpectWrong(FromGguf(none), Code::kMalformed, "tokenizer.ggml.tokens");
}

TEST(TokenizerFiles, AreToldByWhatTheyHold) {
  sys::SimFileSystem fs;
  ASSERT_TRUE(fs.MakeDirectories("m").ok());
  const auto write = [&fs](const std::string& name, std::string_view text) {
    ASSERT_TRUE(sys::WriteFileAtomically(fs, "m/" + name, AsBytes(text)).ok());
  };
  write("gpt2.tiktoken", Ranks());
  EXPECT_EQ((*LoadTokenizerFolder(fs, "m"))->SpecialId("<|endoftext|>"), 50256);
  write("o200k.tiktoken", Ranks());
  EXPECT_EQ(LoadTokenizerFolder(fs, "m").code(), Code::kInvalidArgument);
  EXPECT_TRUE(LoadTokenizerFile(fs, "m/o200k.tiktoken").ok());
  write("vocab.txt", "[UNK]\na\n");
  EXPECT_EQ((*LoadTokenizerFolder(fs, "m"))->SpecialId("[UNK]"), 0);
  write("tokenizer.model", SpPieces().Take(1));
  EXPECT_EQ((*LoadTokenizerFolder(fs, "m"))->SpecialId("</s>"), 2);
  write("tokenizer.model", Ranks());
  EXPECT_EQ((*LoadTokenizerFolder(fs, "m"))->SpecialId("<|eot_id|>"), 128009);
  GgufWriter gguf = SmallGpt2();
  gguf.AddArray<std::string_view>("tokenizer.ggml.merges", GgufType::kText, {"a b"});
  write("x.gguf", AsText(gguf.Take()));
  EXPECT_EQ((*LoadTokenizerFile(fs, "m/x.gguf"))->SpecialId("<e>"), 5);
  write("x.bin", "something else");
  ExpectWrong(LoadTokenizerFile(fs, "m/x.bin"), Code::kUnsupported, "m/x.bin");
  EXPECT_EQ(LoadTokenizerFile(fs, "m/none").code(), Code::kNotFound);
}

// As large as Gemma's: tokens of all texts of up to four of 16 letters, their merges spread out as
// the file's indentation does.
TEST(TokenizerFiles, OneOfThirtyThreeMegabytesLoads) {
  std::string vocab, merges;
  std::vector<std::string> level = {""};
  int id = 0;
  const std::string indent(155, ' ');
  for (int length = 1; length <= 4; ++length) {
    std::vector<std::string> next;
    for (const std::string& shorter : level) {
      for (char c = 'a'; c <= 'p'; ++c) next.push_back(shorter + c);
    }
    for (const std::string& token : next) {
      vocab += fmt::format("{}\"{}\": {}", id == 0 ? "" : ", ", token, id);
      ++id;
      for (size_t cut = 1; cut < token.size(); ++cut) {
        merges += fmt::format("{}[\n{}\"{}\",\"{}\"]", merges.empty() ? "" : ",", indent,
                              token.substr(0, cut), token.substr(cut));
      }
    }
    level = std::move(next);
  }
  const std::string json = "{\"model\":{\"type\":\"BPE\",\"vocab\":{" + vocab + "},\"merges\":[" +
                           merges + "]},\"decoder\":{\"type\":\"Fuse\"}}";
  EXPECT_GT(json.size(), 33u << 20);
  EXPECT_LT(json.size(), kMaxTokenizerJsonBytes);
  const auto tokenizer = TokenizerFromJson(AsBytes(json));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  EXPECT_EQ((*tokenizer)->vocabulary(), 16 + 256 + 4096 + 65536);
  EXPECT_EQ((*tokenizer)->Encode("abcdponm")->size(), 2u);
}

void UseTokenizer(const Made& made, int* accepted) {
  if (!made.ok()) {
    ASSERT_FALSE(made.status().message().empty());
    return;
  }
  ++*accepted;
  const auto ids = (*made)->Encode("ab <s>\xc3\xa9 ba");
  if (!ids.ok()) return;
  for (const TokenId id : *ids) {
    ASSERT_GE(id, 0);
    ASSERT_LT(id, (*made)->vocabulary());
  }
  (void)Decode(**made, *ids);
  ASSERT_TRUE(TokenizerFromSerialized(SerializeTokenizer(**made)).ok());
}

TEST(TokenizerSourcesFuzz, MutationsAreAnErrorOrWork) {
  GgufWriter gpt2 = SmallGpt2();
  gpt2.AddArray<std::string_view>("tokenizer.ggml.merges", GgufType::kText, {"a b"});
  GgufWriter t5 = GgufOf("t5", {"<unk>", "a", "ab"}, {2, 1, 1});
  t5.AddArray<float>("tokenizer.ggml.scores", GgufType::kF32, {0, -2, -3});
  const Bytes seeds[] = {ToBytes(SpPieces().Take(1)), ToBytes(SpPieces().Take(2)), gpt2.Take(),
                         t5.Take(), ToBytes(Ranks().substr(1900))};
  std::mt19937 random(9);
  int accepted = 0;
  for (int round = 0; round < kSourceFuzzRounds; ++round) {
    Bytes bytes = seeds[random() % std::size(seeds)];
    for (int i = 1 + static_cast<int>(random() % 3); i > 0; --i) {
      const size_t at = random() % bytes.size();
      if (random() % 8 == 0) {
        bytes.resize(at + 1);
      } else {
        bytes[at] =
            random() % 2 == 0 ? static_cast<uint8_t>(random()) : bytes[at] ^ (1 << random() % 8);
      }
    }
    if (formats::Gguf::IsGguf(bytes)) {
      const auto gguf = formats::Gguf::Read(bytes, "x");
      if (gguf.ok()) UseTokenizer(TokenizerFromGguf(*gguf), &accepted);
    } else if (LooksLikeTiktoken(bytes)) {
      UseTokenizer(TokenizerFromTiktoken(bytes, "gpt2"), &accepted);
    } else {
      UseTokenizer(TokenizerFromSentencePiece(bytes), &accepted);
    }
  }
  EXPECT_GT(accepted, 50);
  EXPECT_LT(accepted, kSourceFuzzRounds);
}

}  // namespace
}  // namespace ferry::llm
