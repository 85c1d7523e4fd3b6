#include "device-runtime/engine/model/crc64.h"

#include <array>

namespace ferry::engine {
namespace {

constexpr uint64_t kPolynomial = 0xc96c5795d7870f42;  // 0x42f0e1eba9ea3693, bits reversed

// kTables[k][b]: byte b with k zero bytes behind it.
using Tables = std::array<std::array<uint64_t, 256>, 8>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (uint64_t byte = 0; byte < 256; ++byte) {
    uint64_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint64_t shorter = tables[k - 1][byte];
      tables[k][byte] = (shorter >> 8) ^ tables[0][shorter & 255];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

}  // namespace

uint64_t Crc64(ByteView bytes, uint64_t before) {
  uint64_t crc = ~before;
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {  // eight bytes at once, one table each
    crc ^= GetU64(bytes.data() + at);
    uint64_t next = 0;
    for (size_t k = 0; k < 8; ++k) next ^= kTables[7 - k][crc >> (8 * k) & 255];
    crc = next;
  }
  for (; at < bytes.size(); ++at) crc = (crc >> 8) ^ kTables[0][(crc ^ bytes[at]) & 255];
  return ~crc;
}

}  // namespace ferry::engine
