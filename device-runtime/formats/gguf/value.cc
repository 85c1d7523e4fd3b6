#include <limits>

#include "device-runtime/formats/gguf/cursor.h"

namespace ferry::formats {
namespace {

template <typename T>
T NumberAt(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

std::optional<int64_t> IntegerAt(GgufType type, const uint8_t* at) {
  switch (type) {
    case GgufType::kU8:
      return at[0];
    case GgufType::kI8:
      return NumberAt<int8_t>(at);
    case GgufType::kU16:
      return NumberAt<uint16_t>(at);
    case GgufType::kI16:
      return NumberAt<int16_t>(at);
    case GgufType::kU32:
      return NumberAt<uint32_t>(at);
    case GgufType::kI32:
      return NumberAt<int32_t>(at);
    case GgufType::kI64:
      return NumberAt<int64_t>(at);
    case GgufType::kU64: {
      const auto value = NumberAt<uint64_t>(at);
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
      return static_cast<int64_t>(value);
    }
    default:
      return std::nullopt;
  }
}

std::optional<double> RealAt(GgufType type, const uint8_t* at) {
  if (type == GgufType::kF32) return NumberAt<float>(at);
  if (type == GgufType::kF64) return NumberAt<double>(at);
  if (type == GgufType::kU64) return static_cast<double>(NumberAt<uint64_t>(at));
  const std::optional<int64_t> integer = IntegerAt(type, at);
  if (!integer) return std::nullopt;
  return static_cast<double>(*integer);
}

// All items by `read`, or nothing when one is none.
template <typename T, typename Read>
std::optional<std::vector<T>> Items(GgufType item, uint64_t count, ByteView bytes, Read read) {
  const size_t size = GgufItemBytes(item);
  if (size == 0) return std::nullopt;
  std::vector<T> items;
  items.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const std::optional<T> one = read(item, bytes.data() + i * size);
    if (!one) return std::nullopt;
    items.push_back(*one);
  }
  return items;
}

}  // namespace

std::optional<int64_t> GgufValue::Integer() const {
  return bytes_.empty() ? std::nullopt : IntegerAt(type_, bytes_.data());
}

std::optional<double> GgufValue::Number() const {
  return bytes_.empty() ? std::nullopt : RealAt(type_, bytes_.data());
}

std::optional<bool> GgufValue::Bool() const {
  if (type_ != GgufType::kBool) return std::nullopt;
  return bytes_[0] == 1;
}

std::optional<std::string_view> GgufValue::Text() const {
  if (type_ != GgufType::kText) return std::nullopt;
  return AsText(bytes_.subspan(8));
}

std::optional<std::vector<int64_t>> GgufValue::Integers() const {
  if (type_ != GgufType::kArray) return std::nullopt;
  return Items<int64_t>(item_, count_, bytes_, IntegerAt);
}

std::optional<std::vector<double>> GgufValue::Numbers() const {
  if (type_ != GgufType::kArray) return std::nullopt;
  return Items<double>(item_, count_, bytes_, RealAt);
}

std::optional<std::vector<std::string_view>> GgufValue::Texts() const {
  if (type_ != GgufType::kArray || item_ != GgufType::kText) return std::nullopt;
  std::vector<std::string_view> texts;
  texts.reserve(count_);
  GgufCursor cursor(bytes_);
  for (uint64_t i = 0; i < count_; ++i) {
    const auto text = cursor.Text();
    if (!text.ok()) return std::nullopt;  // was checked when the file was read
    texts.push_back(*text);
  }
  return texts;
}

std::optional<ByteView> GgufValue::ItemBytes() const {
  const bool bytes =
      type_ == GgufType::kArray && (item_ == GgufType::kU8 || item_ == GgufType::kI8);
  return bytes ? std::optional<ByteView>(bytes_) : std::nullopt;
}

}  // namespace ferry::formats
