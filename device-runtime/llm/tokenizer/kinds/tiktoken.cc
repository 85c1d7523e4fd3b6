// Byte-level BPE by the ranks of tiktoken's files, which are ids. No tokenizer.json is of this
// kind.
#include "device-runtime/llm/tokenizer/bpe/byte_bpe.h"
#include "device-runtime/llm/tokenizer/kinds/kinds.h"
#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"

namespace ferry::llm {
namespace {

bool ClaimsTiktoken(const TokenizerJson&) {
  return false;
}

Result<std::unique_ptr<Tokenizer>> TiktokenFromJson(const TokenizerJson&) {
  return Status(Code::kUnsupported, "a tokenizer.json of ranks");
}

Result<std::unique_ptr<Tokenizer>> TiktokenFromSerialized(uint32_t, SerialReader& reader) {
  FERRY_ASSIGN_OR_RETURN(TokenizerParts parts, ReadTokenizerParts(reader));
  FERRY_TRY(EndSerial(reader));
  return ByteBpe::CreateByIds(std::move(parts));
}

}  // namespace

const TokenizerKind kTiktokenKind = {"tiktoken", ClaimsTiktoken, TiktokenFromJson,
                                     TiktokenFromSerialized};

}  // namespace ferry::llm
