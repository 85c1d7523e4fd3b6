#include "pipeline/log/block/bytes.h"

#include <boost/crc.hpp>

namespace ferry::log {

void ByteWriter::U32(uint32_t value) {
  uint8_t bytes[4];
  PutU32(bytes, value);
  Raw(AsText(bytes));
}

void ByteWriter::U64(uint64_t value) {
  uint8_t bytes[8];
  PutU64(bytes, value);
  Raw(AsText(bytes));
}

void ByteWriter::Varint(uint64_t value) {
  for (; value >= 128; value >>= 7) U8(static_cast<uint8_t>(value | 128));
  U8(static_cast<uint8_t>(value));
}

void ByteWriter::Signed(int64_t value) {
  Varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

void ByteWriter::Text(std::string_view text) {
  Varint(text.size());
  Raw(text);
}

std::string_view ByteReader::Raw(uint64_t size) {
  if (size > rest_.size()) ok_ = false;
  if (!ok_) return {};
  const std::string_view out = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return out;
}

uint8_t ByteReader::U8() {
  const std::string_view byte = Raw(1);
  return byte.empty() ? 0 : static_cast<uint8_t>(byte[0]);
}

uint32_t ByteReader::U32() {
  const std::string_view bytes = Raw(4);
  return bytes.empty() ? 0 : GetU32(AsBytes(bytes).data());
}

uint64_t ByteReader::U64() {
  const std::string_view bytes = Raw(8);
  return bytes.empty() ? 0 : GetU64(AsBytes(bytes).data());
}

uint64_t ByteReader::Varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && ok_; shift += 7) {
    const uint8_t byte = U8();
    value |= uint64_t{byte & 127u} << shift;
    if (byte < 128) return value;
  }
  ok_ = false;
  return 0;
}

int64_t ByteReader::Signed() {
  const uint64_t value = Varint();
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

std::string_view ByteReader::Text() {
  return Raw(Varint());
}

uint32_t Checksum(std::string_view salt, std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(salt.data(), salt.size());
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace ferry::log
