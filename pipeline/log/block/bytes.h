// Numbers and texts in byte strings, as blocks and heads are made of. Internal to the room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/bytes.h"

namespace ferry::log {

class ByteWriter {
 public:
  void U8(uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void U32(uint32_t value);
  void U64(uint64_t value);
  void Varint(uint64_t value);       // seven bits a byte, the lowest first
  void Signed(int64_t value);        // zigzag
  void Text(std::string_view text);  // its length first
  void Raw(std::string_view bytes) { out_.append(bytes); }
  const std::string& out() const { return out_; }
  std::string Take() { return std::move(out_); }
  size_t size() const { return out_.size(); }

 private:
  std::string out_;
};

// After a read past the end everything is zero, and ok() false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  uint8_t U8();
  uint32_t U32();
  uint64_t U64();
  uint64_t Varint();
  int64_t Signed();
  std::string_view Text();
  std::string_view Raw(uint64_t size);
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  size_t left() const { return rest_.size(); }
  void Fail() { ok_ = false; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// CRC-32C (Castagnoli) of `bytes`, begun with `salt`, which writers of events do not know: bytes
// inside an event are then never taken for a block.
uint32_t Checksum(std::string_view salt, std::string_view bytes);

}  // namespace ferry::log
