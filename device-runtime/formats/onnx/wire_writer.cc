#include "device-runtime/formats/onnx/wire_writer.h"

#include <bit>

namespace ferry::formats {
namespace {

constexpr size_t kCopiedBytes = 256;  // shorter strings are copied

}  // namespace

void WireMessage::Varint(uint64_t value) {
  for (; value >= 128; value >>= 7, ++size_) own_.push_back(static_cast<uint8_t>(value | 128));
  own_.push_back(static_cast<uint8_t>(value));
  ++size_;
}

WireMessage& WireMessage::Integer(uint32_t field, int64_t value) {
  Varint(field << 3);
  Varint(static_cast<uint64_t>(value));
  return *this;
}

WireMessage& WireMessage::Float(uint32_t field, float value) {
  Varint(field << 3 | 5);
  own_.resize(own_.size() + 4);
  PutU32(own_.data() + own_.size() - 4, std::bit_cast<uint32_t>(value));
  size_ += 4;
  return *this;
}

WireMessage& WireMessage::Text(uint32_t field, std::string_view text) {
  Varint(field << 3 | 2);
  Varint(text.size());
  own_.insert(own_.end(), text.begin(), text.end());
  size_ += text.size();
  return *this;
}

WireMessage& WireMessage::Raw(uint32_t field, ByteView bytes) {
  if (bytes.size() <= kCopiedBytes) return Text(field, AsText(bytes));
  Varint(field << 3 | 2);
  Varint(bytes.size());
  views_.push_back({own_.size(), bytes});
  size_ += bytes.size();
  return *this;
}

WireMessage& WireMessage::Sub(uint32_t field, const WireMessage& message) {
  Varint(field << 3 | 2);
  Varint(message.size_);
  for (const View& view : message.views_) views_.push_back({own_.size() + view.at, view.bytes});
  own_.insert(own_.end(), message.own_.begin(), message.own_.end());
  size_ += message.size_;
  return *this;
}

Status WireMessage::Read(const std::function<Status(ByteView)>& take) const {
  size_t at = 0;
  for (const View& view : views_) {
    FERRY_TRY(take(ByteView(own_).subspan(at, view.at - at)));
    FERRY_TRY(take(view.bytes));
    at = view.at;
  }
  return take(ByteView(own_).subspan(at));
}

}  // namespace ferry::formats
