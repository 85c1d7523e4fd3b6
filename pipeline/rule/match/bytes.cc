#include "pipeline/rule/match/bytes.h"

namespace ferry::rule {

void PutNumber(uint64_t value, std::string* out) {
  for (; value >= 128; value >>= 7) out->push_back(static_cast<char>(value | 128));
  out->push_back(static_cast<char>(value));
}

void PutSigned(int64_t value, std::string* out) {
  const auto bits = static_cast<uint64_t>(value);
  PutNumber((bits << 1) ^ (value < 0 ? ~uint64_t{0} : 0), out);
}

void PutText(std::string_view text, std::string* out) {
  PutNumber(text.size(), out);
  out->append(text);
}

uint64_t ByteReader::Number() {
  uint64_t value = 0;
  for (int shift = 0; ok_ && shift < 64; shift += 7) {
    if (rest_.empty()) break;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) return value;
  }
  ok_ = false;
  rest_ = {};
  return 0;
}

int64_t ByteReader::Signed() {
  const uint64_t bits = Number();
  return static_cast<int64_t>((bits >> 1) ^ ((bits & 1) != 0 ? ~uint64_t{0} : 0));
}

std::string_view ByteReader::Text() {
  const uint64_t size = Number();
  if (size > rest_.size()) {
    ok_ = false;
    rest_ = {};
    return {};
  }
  const std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return text;
}

}  // namespace ferry::rule
