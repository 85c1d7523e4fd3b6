#include "device-runtime/formats/gguf/cursor.h"

namespace ferry::formats {

size_t GgufItemBytes(GgufType type) {
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool:
      return 1;
    case GgufType::kU16:
    case GgufType::kI16:
      return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32:
      return 4;
    case GgufType::kU64:
    case GgufType::kI64:
    case GgufType::kF64:
      return 8;
    case GgufType::kText:
    case GgufType::kArray:
      break;
  }
  return 0;
}

Status GgufCursor::Error(std::string_view what) const {
  return Status::Of(Code::kMalformed, "{} at byte {}", what, at_);
}

Result<std::string_view> GgufCursor::Text() {
  FERRY_ASSIGN_OR_RETURN(const uint64_t size, Number<uint64_t>());
  if (size > left()) return Error(fmt::format("a text of {} bytes passes the end", size));
  at_ += size;
  return AsText(bytes_.subspan(at_ - size, size));
}

Result<std::string_view> GgufCursor::Name() {
  FERRY_ASSIGN_OR_RETURN(const std::string_view name, Text());
  if (name.empty()) return Error("an empty name");
  if (name.size() <= kMaxGgufNameBytes) return name;
  return Status::Of(Code::kLimitExceeded, "a name of {} bytes before byte {}, at most {}",
                    name.size(), at_, kMaxGgufNameBytes);
}

Result<GgufType> GgufCursor::Type() {
  FERRY_ASSIGN_OR_RETURN(const uint32_t type, Number<uint32_t>());
  if (type > static_cast<uint32_t>(GgufType::kF64)) {
    return Error(fmt::format("a value of type {}", type));
  }
  return static_cast<GgufType>(type);
}

Status GgufCursor::SkipItems(GgufType item, uint64_t count, int nesting) {
  if (const size_t bytes = GgufItemBytes(item); bytes > 0) {
    if (count > left() / bytes) return Error(fmt::format("{} items pass the end", count));
    if (item == GgufType::kBool) {
      for (size_t i = 0; i < count; ++i) {
        if (bytes_[at_ + i] > 1) return Error("a truth value that is neither 0 nor 1");
      }
    }
    at_ += count * bytes;
    return OkStatus();
  }
  if (count > left() / 8) return Error(fmt::format("{} items pass the end", count));
  for (uint64_t i = 0; i < count; ++i) {
    if (item == GgufType::kText) {
      FERRY_TRY(Text());
    } else {
      FERRY_TRY(Array(nesting + 1));
    }
  }
  return OkStatus();
}

Result<GgufValue> GgufCursor::Array(int nesting) {
  if (nesting > kMaxGgufNesting) {
    return Status::Of(Code::kLimitExceeded, "arrays nested deeper than {} at byte {}",
                      kMaxGgufNesting, at_);
  }
  FERRY_ASSIGN_OR_RETURN(const GgufType item, Type());
  FERRY_ASSIGN_OR_RETURN(const uint64_t count, Number<uint64_t>());
  if (count > kMaxGgufItems) {
    return Status::Of(Code::kLimitExceeded, "an array of {} items at byte {}, at most {}", count,
                      at_, kMaxGgufItems);
  }
  const size_t begin = at_;
  FERRY_TRY(SkipItems(item, count, nesting));
  return GgufValue(item, count, bytes_.subspan(begin, at_ - begin));
}

Result<GgufValue> GgufCursor::Value() {
  FERRY_ASSIGN_OR_RETURN(const GgufType type, Type());
  if (type == GgufType::kArray) return Array(1);
  const size_t begin = at_;
  FERRY_TRY(SkipItems(type, 1, 0));
  return GgufValue(type, bytes_.subspan(begin, at_ - begin));
}

}  // namespace ferry::formats
