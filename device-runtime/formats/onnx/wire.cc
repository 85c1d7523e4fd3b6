#include "device-runtime/formats/onnx/wire.h"

#include <bit>

namespace ferry::formats {

float WireField::fixed_float() const {
  return std::bit_cast<float>(static_cast<uint32_t>(value));
}

WireReader WireReader::Inside(const WireField& field) {
  // The payload ends where the field ends; its length prefix is at most 10 bytes, so the offset is
  // near enough for a message.
  return WireReader(field.bytes, field.offset);
}

Status WireReader::Error(std::string_view what) const {
  return Status::Of(Code::kBadModel, "at byte {}: {}", base_ + at_, what);
}

Result<uint64_t> WireReader::Varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (AtEnd()) return Error("a number ends early");
    const uint8_t byte = message_[at_++];
    if (shift == 63 && byte > 1) return Error("a number is too long");
    value |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) return value;
  }
  return Error("a number is too long");
}

Result<WireField> WireReader::Next() {
  WireField field;
  field.offset = base_ + at_;
  FERRY_ASSIGN_OR_RETURN(uint64_t key, Varint());
  if (key >> 3 == 0 || key >> 3 > 0x1fffffff) return Error("a field number is out of range");
  field.number = static_cast<uint32_t>(key >> 3);
  field.type = static_cast<uint8_t>(key & 7);
  if (field.type == 0) {
    FERRY_ASSIGN_OR_RETURN(field.value, Varint());
    return field;
  }
  const size_t room = message_.size() - at_;
  const size_t size = field.type == 1 ? 8 : 4;
  if (field.type == 2) {
    FERRY_ASSIGN_OR_RETURN(uint64_t length, Varint());
    if (length > message_.size() - at_) return Error("a field is longer than its message");
    field.offset = base_ + at_;
    field.bytes = message_.subspan(at_, static_cast<size_t>(length));
    at_ += static_cast<size_t>(length);
    return field;
  }
  if (field.type != 1 && field.type != 5) return Error("an unknown wire type");
  if (size > room) return Error("a field is longer than its message");
  field.value = size == 8 ? GetU64(message_.data() + at_) : GetU32(message_.data() + at_);
  at_ += size;
  return field;
}

Status ExpectType(const WireField& field, uint8_t type) {
  if (field.type == type) return OkStatus();
  return Status::Of(Code::kBadModel, "at byte {}: field {} has wire type {} instead of {}",
                    field.offset, field.number, field.type, type);
}

Status AppendIntegers(const WireField& field, std::vector<int64_t>& out) {
  if (field.type != 2) {
    FERRY_TRY(ExpectType(field, 0));
    out.push_back(field.integer());
    return OkStatus();
  }
  // Packed numbers are bare varints: read each as the value of a field by hand.
  size_t at = 0;
  while (at < field.bytes.size()) {
    uint64_t value = 0;
    int shift = 0;
    bool more = true;
    while (more) {
      if (at >= field.bytes.size() || shift > 63) {
        return Status::Of(Code::kBadModel, "at byte {}: a packed number is broken",
                          field.offset + at);
      }
      const uint8_t byte = field.bytes[at++];
      value |= static_cast<uint64_t>(byte & 127) << shift;
      shift += 7;
      more = byte >= 128;
    }
    out.push_back(static_cast<int64_t>(value));
  }
  return OkStatus();
}

Status AppendFloats(const WireField& field, std::vector<float>& out) {
  if (field.type != 2) {
    FERRY_TRY(ExpectType(field, 5));
    out.push_back(field.fixed_float());
    return OkStatus();
  }
  if (field.bytes.size() % 4 != 0) {
    return Status::Of(Code::kBadModel, "at byte {}: packed floats are cut", field.offset);
  }
  for (size_t at = 0; at < field.bytes.size(); at += 4) {
    out.push_back(std::bit_cast<float>(GetU32(field.bytes.data() + at)));
  }
  return OkStatus();
}

Status AppendDoubles(const WireField& field, std::vector<double>& out) {
  if (field.type != 2) {
    FERRY_TRY(ExpectType(field, 1));
    out.push_back(std::bit_cast<double>(field.value));
    return OkStatus();
  }
  if (field.bytes.size() % 8 != 0) {
    return Status::Of(Code::kBadModel, "at byte {}: packed doubles are cut", field.offset);
  }
  for (size_t at = 0; at < field.bytes.size(); at += 8) {
    out.push_back(std::bit_cast<double>(GetU64(field.bytes.data() + at)));
  }
  return OkStatus();
}

}  // namespace ferry::formats
