#include "pipeline/operator/state_bytes.h"

#include <bit>

#include "common/base/bytes.h"

namespace ferry::operators {

void ByteWriter::U64(uint64_t value) {
  uint8_t bytes[8];
  PutU64(bytes, value);
  out_->append(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

void ByteWriter::F64(double value) {
  U64(std::bit_cast<uint64_t>(value));
}

void ByteWriter::Text(std::string_view bytes) {
  U64(bytes.size());
  out_->append(bytes);
}

uint64_t ByteReader::U64() {
  if (rest_.size() < 8) {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  const uint64_t value = GetU64(reinterpret_cast<const uint8_t*>(rest_.data()));
  rest_.remove_prefix(8);
  return value;
}

double ByteReader::F64() {
  return std::bit_cast<double>(U64());
}

std::string_view ByteReader::Text() {
  const uint64_t size = U64();
  if (size > rest_.size()) {
    ok_ = false;
    rest_ = {};
    return {};
  }
  const std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return text;
}

Json ByteReader::Value() {
  auto value = ParseJson(Text());
  if (value.ok()) return std::move(*value);
  ok_ = false;
  return nullptr;
}

std::string OrderedBytes(uint64_t value) {
  std::string out(8, '\0');
  for (size_t k = 0; k < 8; ++k) out[k] = static_cast<char>(value >> (56 - 8 * k));
  return out;
}

}  // namespace ferry::operators
