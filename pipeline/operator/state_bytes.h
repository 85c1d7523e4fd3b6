// The bytes of state: little-endian numbers, strings after their length. A reader of bytes that
// were cut or changed says so once, at the end; what it gives after the fault is zero or empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace ferry::operators {

class ByteWriter {
 public:
  explicit ByteWriter(std::string* out) : out_(out) {}
  void U64(uint64_t value);
  void I64(int64_t value) { U64(static_cast<uint64_t>(value)); }
  void F64(double value);
  void Text(std::string_view bytes);
  void Value(const Json& value) { Text(WriteJson(value)); }

 private:
  std::string* out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  uint64_t U64();
  int64_t I64() { return static_cast<int64_t>(U64()); }
  double F64();
  std::string_view Text();  // borrowed
  Json Value();
  // Whether all was read and nothing was missing.
  bool Done() const { return ok_ && rest_.empty(); }
  bool ok() const { return ok_; }
  size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// Eight bytes whose order as bytes is the order of the numbers: for keys of state.
std::string OrderedBytes(uint64_t value);

}  // namespace ferry::operators
