// As much of the GGUF format as a vocabulary needs. Source: the format's specification (ggml
// docs/gguf.md).
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "common/base/check.h"

namespace ferry::llm::testing {

struct GgufVocabulary {
  std::vector<std::string> tokens;
  std::vector<std::string> merges;
  std::vector<int> kinds;  // 1 normal, 3 control, 4 user defined
};

// Reads the file of a test, which is trusted to be right.
class GgufReader {
 public:
  explicit GgufReader(const std::string& file) : file_(file) {}

  GgufVocabulary Read() {
    GgufVocabulary vocabulary;
    CHECK(file_.starts_with("GGUF"));
    at_ = 4 + 4 + 8;  // magic, version, number of tensors
    for (uint64_t left = Number<uint64_t>(); left > 0; --left) {
      const std::string key = String();
      const uint32_t type = Number<uint32_t>();
      if (key == "tokenizer.ggml.tokens") {
        Strings(vocabulary.tokens);
      } else if (key == "tokenizer.ggml.merges") {
        Strings(vocabulary.merges);
      } else if (key == "tokenizer.ggml.token_type") {
        Number<uint32_t>();
        for (uint64_t n = Number<uint64_t>(); n > 0; --n) {
          vocabulary.kinds.push_back(Number<int32_t>());
        }
      } else {
        Skip(type);
      }
    }
    return vocabulary;
  }

 private:
  template <typename T>
  T Number() {
    T value;
    CHECK(at_ + sizeof(T) <= file_.size());
    std::memcpy(&value, file_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::string String() {
    const uint64_t size = Number<uint64_t>();
    at_ += size;
    CHECK(at_ <= file_.size());
    return file_.substr(at_ - size, size);
  }
  void Strings(std::vector<std::string>& out) {
    Number<uint32_t>();
    for (uint64_t n = Number<uint64_t>(); n > 0; --n) out.push_back(String());
  }
  void Skip(uint32_t type) {
    constexpr int kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    if (type == 8) {
      String();
    } else if (type == 9) {
      const uint32_t item = Number<uint32_t>();
      for (uint64_t n = Number<uint64_t>(); n > 0; --n) Skip(item);
    } else {
      at_ += kSizes[type];
    }
  }

  const std::string& file_;
  size_t at_ = 0;
};

}  // namespace ferry::llm::testing
