// Published vocabularies and their encode vectors, exact.
#include "common/base/json.h"
#include "device-runtime/llm/tokenizer/tests/archive.h"
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

}  // namespace
}  // namespace ferry::llm
