// Writes GGUF files for tests and fuzz seeds.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/base/bytes.h"
#include "device-runtime/formats/gguf.h"

namespace ferry::formats {

class GgufWriter {
 public:
  template <typename T>
  GgufWriter& Add(std::string_view key, GgufType type, T value) {
    Begin(key, type);
    Put(entries_, value);
    return *this;
  }
  GgufWriter& Add(std::string_view key, std::string_view text) {
    Begin(key, GgufType::kText);
    PutText(entries_, text);
    return *this;
  }
  template <typename T>
  GgufWriter& AddArray(std::string_view key, GgufType item, const std::vector<T>& items) {
    Begin(key, GgufType::kArray);
    Put(entries_, static_cast<uint32_t>(item));
    Put(entries_, static_cast<uint64_t>(items.size()));
    for (const T& one : items) {
      if constexpr (std::is_arithmetic_v<T>) {
        Put(entries_, one);
      } else {
        PutText(entries_, one);
      }
    }
    return *this;
  }
  // `extents`: the first varies fastest, as the file has them.
  GgufWriter& AddTensor(std::string_view name, const std::vector<uint64_t>& extents, uint32_t type,
                        uint64_t offset) {
    ++tensor_count_;
    PutText(tensors_, name);
    Put(tensors_, static_cast<uint32_t>(extents.size()));
    for (const uint64_t extent : extents) Put(tensors_, extent);
    Put(tensors_, type);
    Put(tensors_, offset);
    return *this;
  }
  Bytes Take(size_t data_bytes = 0, uint32_t version = 3, size_t alignment = 32) const {
    Bytes file = ToBytes(std::string_view("GGUF"));
    Put(file, version);
    Put(file, tensor_count_);
    Put(file, entry_count_);
    file.insert(file.end(), entries_.begin(), entries_.end());
    file.insert(file.end(), tensors_.begin(), tensors_.end());
    if (data_bytes > 0) file.resize((file.size() + alignment - 1) / alignment * alignment);
    for (size_t i = 0; i < data_bytes; ++i) file.push_back(static_cast<uint8_t>(i));
    return file;
  }

 private:
  template <typename T>
  static void Put(Bytes& out, T value) {
    uint8_t bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.insert(out.end(), bytes, bytes + sizeof(T));
  }
  static void PutText(Bytes& out, std::string_view text) {
    Put(out, static_cast<uint64_t>(text.size()));
    out.insert(out.end(), text.begin(), text.end());
  }
  void Begin(std::string_view key, GgufType type) {
    ++entry_count_;
    PutText(entries_, key);
    Put(entries_, static_cast<uint32_t>(type));
  }

  uint64_t entry_count_ = 0;
  uint64_t tensor_count_ = 0;
  Bytes entries_;
  Bytes tensors_;
};

}  // namespace ferry::formats
