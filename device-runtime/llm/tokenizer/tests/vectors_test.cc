// Published vocabularies and their encode vectors, exact.
#include "common/base/json.h"
#include "device-runtime/llm/tokenizer/tests/archive.h"
#include "device-runtime/llm/tokenizer/tests/gguf.h"
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

  // tokenizer.json of a vocabulary without one, cut as `pre_tokenizer` says.
  static std::unique_ptr<Tokenizer> FromGguf(const std::string& name, const Json& pre_tokenizer) {
    const std::string file = Text(name);
    const testing::GgufVocabulary gguf = testing::GgufReader(file).Read();
    Json vocab = Json::object();
    Json added = Json::array();
    for (size_t id = 0; id < gguf.tokens.size(); ++id) {
      vocab[gguf.tokens[id]] = id;
      if (gguf.kinds[id] == 1) continue;
      added.push_back({{"id", id}, {"content", gguf.tokens[id]}, {"special", gguf.kinds[id] == 3}});
    }
    const Json json = {{"added_tokens", added},
                       {"pre_tokenizer", pre_tokenizer},
                       {"decoder", {{"type", "ByteLevel"}}},
                       {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", gguf.merges}}}};
    auto tokenizer = TokenizerFromJson(AsBytes(WriteJson(json)));
    EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
    return tokenizer.ok() ? std::move(*tokenizer) : nullptr;
  }
};

const Json kByteLevel = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
const Json kBytesOnly = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};

Json Split(const std::string& expression) {
  return {{"type", "Split"}, {"pattern", {{"Regex", expression}}}, {"behavior", "Isolated"}};
}

Json Sequence(Json parts) {
  return {{"type", "Sequence"}, {"pretokenizers", std::move(parts)}};
}

TEST_F(TokenizerVectors, Qwen2FromVocabAndMerges) {
  const auto tokenizer = LoadTokenizerFolder(sys::SystemFileSystem(), Path("qwen2"));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  Check(**tokenizer, "qwen2/ggml-vocab-qwen2.gguf", 46);
  const auto again = TokenizerFromSerialized(SerializeTokenizer(**tokenizer));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->digest(), (*tokenizer)->digest());
  Check(**again, "qwen2/ggml-vocab-qwen2.gguf", 46);
}

TEST_F(TokenizerVectors, Gpt2) {
  const auto tokenizer = FromGguf("ggml-vocab-gpt-2.gguf", kByteLevel);
  ASSERT_NE(tokenizer, nullptr);
  Check(*tokenizer, "ggml-vocab-gpt-2.gguf", 46);
}

TEST_F(TokenizerVectors, Mpt) {
  const auto tokenizer = FromGguf("ggml-vocab-mpt.gguf", kByteLevel);
  ASSERT_NE(tokenizer, nullptr);
  Check(*tokenizer, "ggml-vocab-mpt.gguf", 46);
}

TEST_F(TokenizerVectors, Starcoder) {
  const Json digits = {{"type", "Digits"}, {"individual_digits", true}};
  const auto tokenizer =
      FromGguf("ggml-vocab-starcoder.gguf", Sequence(Json::array({digits, kByteLevel})));
  ASSERT_NE(tokenizer, nullptr);
  Check(*tokenizer, "ggml-vocab-starcoder.gguf", 46);
}

TEST_F(TokenizerVectors, Falcon) {
  const Json punctuation = {{"type", "Punctuation"}, {"behavior", "Contiguous"}};
  const Json words =
      Split(R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)");
  const auto tokenizer =
      FromGguf("ggml-vocab-falcon.gguf",
               Sequence(Json::array({punctuation, words, Split("[0-9][0-9][0-9]"), kBytesOnly})));
  ASSERT_NE(tokenizer, nullptr);
  Check(*tokenizer, "ggml-vocab-falcon.gguf", 46);
}

TEST_F(TokenizerVectors, DeepseekCoder) {
  const Json digits = {{"type", "Digits"}, {"individual_digits", true}};
  const auto tokenizer =
      FromGguf("ggml-vocab-deepseek-coder.gguf",
               Sequence(Json::array({Split("[\r\n]"), Split(R"(\s?\p{L}+)"), Split(R"(\s?\p{P}+)"),
                                     Split(R"([\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+)"), digits,
                                     kBytesOnly})));
  ASSERT_NE(tokenizer, nullptr);
  Check(*tokenizer, "ggml-vocab-deepseek-coder.gguf", 46);
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
  const auto gpt2 = FromGguf("ggml-vocab-gpt-2.gguf", kByteLevel);
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
  EXPECT_TRUE(load("clip").ok());
  EXPECT_EQ(load("t5-small").code(), Code::kUnsupported);
}

}  // namespace
}  // namespace ferry::llm
