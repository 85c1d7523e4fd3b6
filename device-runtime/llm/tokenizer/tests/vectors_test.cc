// Published vocabularies and their encode vectors, exact.
#include <map>
#include <sstream>

#include "common/base/json.h"
#include "device-runtime/llm/tokenizer/sources/pre_tokenizers.h"
#include "device-runtime/llm/tokenizer/tests/archive.h"
#include "device-runtime/llm/tokenizer/tests/naive.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {
namespace {

class TokenizerVectors : public testing::TokenizerArchive {
 protected:
  // `name`.inp: texts, each followed by a line; `name`.out: their ids, a line each.
  static void Check(const Tokenizer& tokenizer, const std::string& name, size_t expected_texts) {
    constexpr std::string_view kEnd = "\n__ggml_vocab_test__\n";
    const std::string inputs = Text(name + ".inp");
    const std::string outputs = Text(name + ".out");
    std::string_view input = inputs;
    std::string_view output = outputs;
    size_t texts = 0;
    for (size_t end = input.find(kEnd); end != std::string_view::npos; end = input.find(kEnd)) {
      const std::string text(input.substr(0, end));
      input.remove_prefix(end + kEnd.size());
      const size_t line = output.find('\n');
      ASSERT_NE(line, std::string_view::npos) << "text " << texts;
      std::vector<TokenId> ids;
      for (size_t at = 0; at < line;) {
        char* after = nullptr;
        ids.push_back(static_cast<TokenId>(std::strtol(output.data() + at, &after, 10)));
        at = static_cast<size_t>(after - output.data());
        if (ids.size() == 1 && at > line) ids.clear();  // an empty line
      }
      output.remove_prefix(line + 1);
      const auto got = tokenizer.Encode(text, Specials::kAsText);
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      EXPECT_EQ(*got, ids) << name << ": " << text;
      EXPECT_EQ(Decode(tokenizer, *got), text);
      ++texts;
    }
    EXPECT_EQ(texts, expected_texts);
  }
  static std::unique_ptr<Tokenizer> Load(const std::string& name) {
    auto tokenizer = LoadTokenizerFile(sys::SystemFileSystem(), Path(name));
    EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
    return tokenizer.ok() ? std::move(*tokenizer) : nullptr;
  }
};

TEST_F(TokenizerVectors, Qwen2FromVocabAndMerges) {
  const auto tokenizer = LoadTokenizerFolder(sys::SystemFileSystem(), Path("qwen2"));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  Check(**tokenizer, "qwen2/ggml-vocab-qwen2.gguf", 46);
  const auto again = TokenizerFromSerialized(SerializeTokenizer(**tokenizer));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->digest(), (*tokenizer)->digest());
  Check(**again, "qwen2/ggml-vocab-qwen2.gguf", 46);
}

TEST_F(TokenizerVectors, EveryGgufVocabulary) {
  const auto names = sys::SystemFileSystem().List(Path(""));
  ASSERT_TRUE(names.ok());
  int vocabularies = 0;
  for (const std::string& name : *names) {
    if (!name.ends_with(".gguf")) continue;
    const auto tokenizer = Load(name);
    ASSERT_NE(tokenizer, nullptr) << name;
    Check(*tokenizer, name, 46);
    const auto again = TokenizerFromSerialized(SerializeTokenizer(*tokenizer));
    ASSERT_TRUE(again.ok()) << name << ": " << again.status().ToString();
    EXPECT_EQ((*again)->digest(), tokenizer->digest()) << name;
    Check(**again, name, 46);
    ++vocabularies;
  }
  EXPECT_EQ(vocabularies, 7);
}

TEST_F(TokenizerVectors, TokenizerJsonFiles) {
  // Both use GPT-2's merges and cutting, with other ids: equal pieces.
  const auto load = [](const std::string& name) {
    return TokenizerFromJson(AsBytes(Text("hf/" + name + ".tokenizer.json")));
  };
  const auto whisper = load("whisper.tiny");
  const auto roberta = load("roberta-base");
  ASSERT_TRUE(whisper.ok()) << whisper.status().ToString();
  ASSERT_TRUE(roberta.ok()) << roberta.status().ToString();
  EXPECT_EQ((*whisper)->SpecialId("<|startoftranscript|>"), 50258);
  const auto gpt2 = Load("ggml-vocab-gpt-2.gguf");
  ASSERT_NE(gpt2, nullptr);
  const std::string text = Text("ggml-vocab-gpt-2.gguf.inp");
  const auto expected = gpt2->Encode(text);
  const auto ids = (*roberta)->Encode(text);
  ASSERT_TRUE(ids.ok() && expected.ok());
  ASSERT_EQ(ids->size(), expected->size());
  for (size_t i = 0; i < ids->size(); ++i) {
    ASSERT_EQ((*roberta)->TokenBytes((*ids)[i]), gpt2->TokenBytes((*expected)[i])) << i;
  }
  EXPECT_EQ(Decode(**whisper, *(*whisper)->Encode(text)), text);
  EXPECT_EQ(*(*roberta)->Encode("Hello <mask>"), (std::vector<TokenId>{31414, 50264}));
}

// The ids of `line` behind the JSON text that it begins with.
std::vector<TokenId> IdsBehind(const std::string& line, size_t at) {
  std::vector<TokenId> ids;
  while (at < line.size()) {
    char* after = nullptr;
    ids.push_back(static_cast<TokenId>(std::strtol(line.c_str() + at, &after, 10)));
    at = static_cast<size_t>(after - line.c_str());
  }
  return ids;
}

TEST_F(TokenizerVectors, IdsOfHuggingFacesOwn) {
  const auto file = sys::ReadFile(
      sys::SystemFileSystem(),
      std::string(FERRY_SOURCE_DIR) + "/device-runtime/llm/tokenizer/tests/hf_vectors.txt");
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  std::istringstream lines{std::string(AsText(*file))};
  std::unique_ptr<Tokenizer> tokenizer;
  int vectors = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    if (line.starts_with("@ ")) {
      tokenizer = Load("hf/" + line.substr(2) + ".tokenizer.json");
      ASSERT_NE(tokenizer, nullptr) << line;
      continue;
    }
    const size_t end = line.rfind('"') + 1;
    const auto text = ParseJson("[" + line.substr(0, end) + "]");
    ASSERT_TRUE(text.ok()) << line;
    const auto ids = tokenizer->Encode((*text)[0].get<std::string>());
    ASSERT_TRUE(ids.ok()) << line;
    EXPECT_EQ(*ids, IdsBehind(line, end)) << line;
    ++vectors;
  }
  EXPECT_EQ(vectors, 4 * 23);
}

// The pieces of published texts by SentencePiece's own trainer's models: what they decode to is the
// text, and no piece is unknown.
TEST_F(TokenizerVectors, SentencePieceModels) {
  const auto english = Load("sentencepiece/test_model.model");
  const auto japanese = Load("sentencepiece/test_ja_model.model");
  ASSERT_TRUE(english != nullptr && japanese != nullptr);
  EXPECT_EQ(english->vocabulary(), 1000);
  const std::string text = "This is a test of the emergency broadcast system.";
  const auto ids = english->Encode(text);
  ASSERT_TRUE(ids.ok()) << ids.status().ToString();
  EXPECT_EQ(Decode(*english, *ids), text);
  // Spaces at the ends and in a row do not count; forms of compatibility are plain ones.
  EXPECT_EQ(*english->Encode("  This  is a test of the emergency broadcast system. "), *ids);
  EXPECT_EQ(
      *english->Encode("\uff34\uff48\uff49\uff53 is a test of the emergency broadcast system."),
      *ids);
  const std::string other = "\u543e\u8f29\u306f\u732b\u3067\u3042\u308b";
  const auto other_ids = japanese->Encode(other);
  ASSERT_TRUE(other_ids.ok());
  EXPECT_EQ(Decode(*japanese, *other_ids), other);
}

// Ranks, cut by the published expression and merged word for word.
TEST_F(TokenizerVectors, TiktokenEqualsTheNaiveDefinition) {
  for (const std::string name : {"cl100k_base", "o200k_base"}) {
    const auto tokenizer = Load("tiktoken/" + name + ".tiktoken");
    ASSERT_NE(tokenizer, nullptr);
    std::map<std::string, double> ranks;
    for (TokenId id = 0; id < tokenizer->vocabulary(); ++id) {
      const std::string_view bytes = tokenizer->TokenBytes(id);
      if (!bytes.empty() && !tokenizer->IsSpecial(id)) ranks.emplace(bytes, id);
    }
    auto splitter = Splitter::Create(StepsOf(*FindPreTokenizer(name)));
    ASSERT_TRUE(splitter.ok());
    const std::string text = Text("ggml-vocab-gpt-2.gguf.inp");
    Splitter::Scratch scratch(text.size());
    std::vector<TokenId> expected;
    ASSERT_TRUE(splitter
                    ->Split(text, true, scratch,
                            [&](std::string_view piece) {
                              std::vector<std::string> bytes;
                              for (const char c : piece) bytes.emplace_back(1, c);
                              const auto rank = [&](const std::string& a, const std::string& b) {
                                const auto found = ranks.find(a + b);
                                return found == ranks.end()
                                           ? std::numeric_limits<double>::infinity()
                                           : found->second;
                              };
                              for (const auto& part : testing::NaiveJoin(bytes, rank)) {
                                expected.push_back(static_cast<TokenId>(ranks.at(part)));
                              }
                            })
                    .ok());
    EXPECT_EQ(*tokenizer->Encode(text, Specials::kAsText), expected) << name;
    EXPECT_EQ(Decode(*tokenizer, expected), text);
  }
  // Facts of the encodings: their own published examples.
  EXPECT_EQ(*Load("tiktoken/cl100k_base.tiktoken")->Encode("tiktoken is great!"),
            (std::vector<TokenId>{83, 1609, 5963, 374, 2294, 0}));
  EXPECT_EQ(*Load("tiktoken/cl100k_base.tiktoken")->Encode("<|endoftext|>"),
            std::vector<TokenId>{100257});
}

}  // namespace
}  // namespace ferry::llm
