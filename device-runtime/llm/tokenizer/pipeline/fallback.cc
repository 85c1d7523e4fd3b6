#include "device-runtime/llm/tokenizer/pipeline/fallback.h"

#include <algorithm>
#include <iterator>

#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"

namespace ferry::llm {

void WriteFallback(const Fallback& fallback, SerialWriter& writer) {
  writer.U8(static_cast<uint8_t>((fallback.bytes ? 1 : 0) | (fallback.fuse ? 2 : 0)));
  writer.U32(fallback.unknown);
}

Result<Fallback> ReadFallback(SerialReader& reader) {
  const uint8_t flags = reader.U8();
  if (flags > 3) return WrongSerial(reader, "an unknown fallback");
  return Fallback{(flags & 1) != 0, (flags & 2) != 0, reader.U32()};
}

Result<FallbackIds> FallbackIds::Create(const Fallback& fallback, const Vocabulary& vocabulary) {
  if (fallback.unknown != kNoToken && fallback.unknown >= vocabulary.size()) {
    return Status::Of(Code::kMalformed, "the unknown token {} is not in the vocabulary of {}",
                      fallback.unknown, vocabulary.size());
  }
  FallbackIds ids;
  ids.fallback_ = fallback;
  std::fill(std::begin(ids.byte_ids_), std::end(ids.byte_ids_), kNoToken);
  for (uint32_t id = 0; id < vocabulary.size() && fallback.bytes; ++id) {
    const int byte = ByteOfToken(vocabulary.text(id));
    if (byte >= 0) ids.byte_ids_[byte] = id;
  }
  return ids;
}

}  // namespace ferry::llm
