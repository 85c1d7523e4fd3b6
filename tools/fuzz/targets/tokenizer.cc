#include "device-runtime/llm/tokenizer/tokenizer.h"

#include "common/base/check.h"
#include "device-runtime/formats/testing/gguf_writer.h"
#include "device-runtime/llm/tokenizer/sources/sources.h"
#include "device-runtime/llm/tokenizer/tests/sp_model.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr std::string_view kText = "Hello, w\xc3\xb6rld 123\n\t<s> a'll";

void Use(const Result<std::unique_ptr<llm::Tokenizer>>& tokenizer) {
  if (!tokenizer.ok()) return;
  auto ids = (*tokenizer)->Encode(kText);
  if (ids.ok()) (void)llm::Decode(**tokenizer, *ids);
  CHECK(llm::TokenizerFromSerialized((*tokenizer)->Serialize()).ok());
}

void RunTokenizer(ByteView bytes) {
  Use(llm::TokenizerFromJson(bytes));
  Use(llm::TokenizerFromSerialized(bytes));
  Use(llm::TokenizerFromSentencePiece(bytes));
  Use(llm::TokenizerFromTiktoken(bytes, "gpt2.tiktoken"));
  const auto gguf = formats::Gguf::Read(bytes, "fuzz");
  if (gguf.ok()) Use(llm::TokenizerFromGguf(*gguf));
}

Bytes GgufTokenizerSeed() {
  using formats::GgufType;
  formats::GgufWriter writer;
  writer.Add("tokenizer.ggml.model", "llama");
  writer.AddArray<std::string_view>("tokenizer.ggml.tokens", GgufType::kText,
                                    {"<unk>", "\xe2\x96\x81", "a", "l", "al"});
  writer.AddArray<float>("tokenizer.ggml.scores", GgufType::kF32, {0, -1, -2, -3, -1});
  writer.AddArray<int32_t>("tokenizer.ggml.token_type", GgufType::kI32, {2, 1, 1, 1, 1});
  return writer.Take();
}

Bytes SentencePieceSeed() {
  llm::testing::SpModelWriter writer;
  writer.Piece("<unk>", 0, 2).Piece("</s>", 0, 3).Piece("a", -2).Piece("al", -1);
  return ToBytes(writer.Take(2));
}

std::vector<Bytes> TokenizerSeeds() {
  return {
      GgufTokenizerSeed(), SentencePieceSeed(), ToBytes(std::string_view("YQ== 0\nbGw= 1\n")),
      ToBytes(std::string_view(R"({"normalizer":{"type":"Replace","pattern":{"String":" "},)"
                               R"("content":"_"},"decoder":{"type":"Fuse"},"model":{"type":)"
                               R"("Unigram","unk_id":0,"vocab":[["u",0],["a",-1],["al",-2]]}})")),
      ToBytes(std::string_view(
          R"({"added_tokens":[{"id":4,"content":"<s>","special":true}],"normalizer":null,)"
          R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"use_regex":true},)"
          R"("decoder":{"type":"ByteLevel"},"model":{"type":"BPE","vocab":{"a":0,"l":1,"al":2,)"
          R"("all":3,"<s>":4},"merges":["a l","al l"]}})"))};
}

}  // namespace

const Target kTokenizerTarget = {"tokenizer", RunTokenizer, TokenizerSeeds};

}  // namespace ferry::fuzz
