// Writes tokenizer.model files of sentencepiece for tests and fuzz seeds.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace ferry::llm::testing {

class SpModelWriter {
 public:
  // `type`: 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte.
  SpModelWriter& Piece(std::string_view text, float score, int type = 1) {
    std::string piece = Field(1, text);
    piece += '\x15';  // field 2, 32 bits
    char bytes[4];
    std::memcpy(bytes, &score, 4);
    piece.append(bytes, 4);
    if (type != 1) piece += Field(3, static_cast<uint64_t>(type));
    pieces_ += Field(1, piece);
    return *this;
  }
  // `model`: 1 unigram, 2 BPE.
  std::string Take(int model, std::string_view charsmap = "", bool prefix = true,
                   bool squeeze = true) const {
    const std::string trainer = Field(3, static_cast<uint64_t>(model)) + Field(24, uint64_t{0});
    std::string normalizer = Field(1, std::string_view("nmt_nfkc"));
    if (!charsmap.empty()) normalizer += Field(2, charsmap);
    normalizer += Field(3, uint64_t{prefix}) + Field(4, uint64_t{squeeze});
    return pieces_ + Field(2, trainer) + Field(3, normalizer);
  }

  static std::string Varint(uint64_t value) {
    std::string out;
    for (; value > 127; value >>= 7) out += static_cast<char>(value | 128);
    return out + static_cast<char>(value);
  }
  static std::string Field(uint32_t number, uint64_t value) {
    return Varint(number << 3) + Varint(value);
  }
  static std::string Field(uint32_t number, std::string_view bytes) {
    return Varint(number << 3 | 2) + Varint(bytes.size()) + std::string(bytes);
  }

 private:
  std::string pieces_;
};

}  // namespace ferry::llm::testing
