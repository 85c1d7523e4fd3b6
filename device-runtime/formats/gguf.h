// Reader of GGUF files, in place. Source: the format's specification (ggml, docs/gguf.md), versions
// 2 and 3, little-endian.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/formats/gguf/tensor_type.h"

namespace ferry::formats {

inline constexpr uint64_t kMaxGgufEntries = 1 << 16;  // of metadata
inline constexpr uint64_t kMaxGgufTensors = 1 << 17;
inline constexpr uint64_t kMaxGgufNameBytes = 1 << 16;  // of a key, of a tensor's name
inline constexpr uint64_t kMaxGgufItems = 1 << 24;      // of one array
inline constexpr int kMaxGgufNesting = 4;               // of arrays
inline constexpr uint32_t kMaxGgufRank = 8;
inline constexpr uint32_t kMaxGgufAlignment = 1 << 20;

// Types of metadata, by their numbers in the file.
enum class GgufType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kText = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

// A value as the file has it; borrows the file's bytes. Each getter gives nothing when the value is
// of another type (or an integer does not fit).
class GgufValue {
 public:
  GgufValue() = default;
  // `bytes` are checked: those of the value alone. For arrays: of its items.
  GgufValue(GgufType type, ByteView bytes) : type_(type), bytes_(bytes) {}
  GgufValue(GgufType item, uint64_t count, ByteView bytes)
      : type_(GgufType::kArray), item_(item), count_(count), bytes_(bytes) {}

  GgufType type() const { return type_; }
  GgufType item_type() const { return item_; }  // of an array
  uint64_t count() const { return count_; }     // of an array's items

  std::optional<int64_t> Integer() const;  // of any integer type
  std::optional<double> Number() const;    // of any integer type or float
  std::optional<bool> Bool() const;
  std::optional<std::string_view> Text() const;  // any bytes
  std::optional<std::vector<int64_t>> Integers() const;
  std::optional<std::vector<double>> Numbers() const;
  std::optional<std::vector<std::string_view>> Texts() const;
  std::optional<ByteView> ItemBytes() const;  // of an array of 8-bit integers

 private:
  GgufType type_ = GgufType::kU8;
  GgufType item_ = GgufType::kU8;
  uint64_t count_ = 0;
  ByteView bytes_;
};

struct GgufEntry {
  std::string_view key;
  GgufValue value;
};

// Borrows the file's bytes.
struct GgufTensor {
  std::string_view name;
  uint32_t type = 0;           // number in the file; FindGgufTensorType has its row
  std::vector<int64_t> shape;  // row-major: the last extent varies fastest
  ByteView bytes;              // blocks in row-major order; empty for a type without a row
};

// Immutable; any thread. Lives no longer than the file's bytes.
class Gguf {
 public:
  // Checks everything: counts, types, texts, offsets, that tensors lie in the file and do not
  // overlap, that no name is there twice. kMalformed and kLimitExceeded name `file_name` and the
  // thing; kUnsupported for other versions.
  static Result<Gguf> Read(ByteView file, std::string_view file_name);

  uint32_t version() const { return version_; }
  const std::vector<GgufEntry>& metadata() const { return metadata_; }  // sorted by key
  const std::vector<GgufTensor>& tensors() const { return tensors_; }   // sorted by name
  const GgufValue* Find(std::string_view key) const;                    // or null
  const GgufTensor* FindTensor(std::string_view name) const;            // or null
  static bool IsGguf(ByteView file);                                    // by its first bytes

 private:
  uint32_t version_ = 0;
  std::vector<GgufEntry> metadata_;
  std::vector<GgufTensor> tensors_;
};

}  // namespace ferry::formats
