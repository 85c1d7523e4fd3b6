// The kinds of tokenizers: list.inc names them all. A new one is a file here that defines
// k<Name>Kind, and a row there.
#pragma once

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "device-runtime/llm/tokenizer/serial.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {

struct TokenizerKind {
  const char* name;  // in the serialized form; never reused
  // Whether a tokenizer.json is of this kind, which then explains what it does not support.
  bool (*claims)(const Json& json);
  Result<std::unique_ptr<Tokenizer>> (*from_json)(const Json& json);
  // From what its Serialize wrote after the header; must read to the end.
  Result<std::unique_ptr<Tokenizer>> (*from_serialized)(SerialReader& reader);
};

#define FERRY_TOKENIZER_KIND(Name) extern const TokenizerKind k##Name##Kind;
#include "device-runtime/llm/tokenizer/kinds/list.inc"
#undef FERRY_TOKENIZER_KIND

// What every serialized tokenizer begins with.
void WriteTokenizerHeader(const TokenizerKind& kind, SerialWriter& writer);

}  // namespace ferry::llm
