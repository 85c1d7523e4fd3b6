// TokenizerParts in the serialized form, version 2. Model files hold it for ever: never change what
// is here, add a version.
//
//   u32 normalizers, each: u8 kind, u8 flags, u32 length and pattern, u32 length and content
//   u32 steps, each: u8 kind, u8 behavior, u8 invert, u8 mark, u32 length and pattern
//   u8 style, u8 flags (1 bytes, 2 drop first space, 4 clean up), u32 length and affix
//   u32 tokens, each: u8 kind; then each: u16 length; then the texts
//   u32 added tokens, each: u32 id, u8 flags, u32 length and content
// Behind it stands the kind's own section.
#pragma once

#include "device-runtime/llm/tokenizer/pipeline/parts.h"
#include "device-runtime/llm/tokenizer/pipeline/serial.h"

namespace ferry::llm {

void WriteTokenizerParts(const TokenizerParts& parts, SerialWriter& writer);
// Checks lengths and kinds only; PipelineTokenizer::Create the rest. kMalformed.
Result<TokenizerParts> ReadTokenizerParts(SerialReader& reader);

// Pieces of both versions.
void WriteTokens(const std::vector<Token>& tokens, SerialWriter& writer);
Status ReadTokens(SerialReader& reader, std::vector<Token>& tokens);
void WriteAdded(const std::vector<AddedToken>& added, SerialWriter& writer);
Status ReadAdded(SerialReader& reader, std::vector<AddedToken>& added);
Status WrongSerial(const SerialReader& reader, std::string_view what);
// Errors when the reader ran behind the end or has not come to it.
Status EndSerial(const SerialReader& reader);

}  // namespace ferry::llm
