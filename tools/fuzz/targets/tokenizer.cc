#include "device-runtime/llm/tokenizer/tokenizer.h"

#include "common/base/check.h"
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
}

std::vector<Bytes> TokenizerSeeds() {
  return {ToBytes(std::string_view(
      R"({"added_tokens":[{"id":4,"content":"<s>","special":true}],"normalizer":null,)"
      R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"use_regex":true},)"
      R"("decoder":{"type":"ByteLevel"},"model":{"type":"BPE","vocab":{"a":0,"l":1,"al":2,"all":3,)"
      R"("<s>":4},"merges":["a l","al l"]}})"))};
}

}  // namespace

const Target kTokenizerTarget = {"tokenizer", RunTokenizer, TokenizerSeeds};

}  // namespace ferry::fuzz
