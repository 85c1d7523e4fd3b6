// The kinds of tokenizers: list.inc names them all. A new one is a file here that defines
// k<Name>Kind, and a row there.
#pragma once

#include "common/base/status.h"
#include "device-runtime/llm/tokenizer/json/tokenizer_json.h"
#include "device-runtime/llm/tokenizer/pipeline/serial.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {

struct TokenizerKind {
  const char* name;  // in the serialized form; never reused
  // Whether a tokenizer.json is of this kind, which then explains what it does not support.
  bool (*claims)(const TokenizerJson& json);
  Result<std::unique_ptr<Tokenizer>> (*from_json)(const TokenizerJson& json);
  // From what its Serialize wrote after a header of this version; must read to the end.
  Result<std::unique_ptr<Tokenizer>> (*from_serialized)(uint32_t version, SerialReader& reader);
};

inline constexpr uint32_t kLastTokenizerVersion = 2;

#define FERRY_TOKENIZER_KIND(Name) extern const TokenizerKind k##Name##Kind;
#include "device-runtime/llm/tokenizer/kinds/list.inc"
#undef FERRY_TOKENIZER_KIND

// What every serialized tokenizer begins with.
void WriteTokenizerHeader(const TokenizerKind& kind, uint32_t version, SerialWriter& writer);

}  // namespace ferry::llm
