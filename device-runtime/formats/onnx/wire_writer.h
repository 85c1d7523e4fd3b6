// Writes protobuf's wire format: a message is its fields one after another. Long byte strings are
// not copied but kept as views until the end. Source: the protobuf encoding guide.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::formats {

class WireMessage {
 public:
  WireMessage& Integer(uint32_t field, int64_t value);
  WireMessage& Float(uint32_t field, float value);
  WireMessage& Text(uint32_t field, std::string_view text);
  // `bytes` must stay until the message has been read.
  WireMessage& Raw(uint32_t field, ByteView bytes);
  WireMessage& Sub(uint32_t field, const WireMessage& message);

  uint64_t size() const { return size_; }
  // Calls `take` with all bytes in order, piece by piece; stops at its first error.
  Status Read(const std::function<Status(ByteView)>& take) const;

 private:
  struct View {
    size_t at;  // where in own_ it belongs
    ByteView bytes;
  };
  void Varint(uint64_t value);

  Bytes own_;
  std::vector<View> views_;
  uint64_t size_ = 0;  // own_ and views_
};

}  // namespace ferry::formats
