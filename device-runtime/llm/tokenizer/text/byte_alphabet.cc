#include "device-runtime/llm/tokenizer/text/byte_alphabet.h"

#include <array>

#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

constexpr int kLastPoint = 0x143;  // 256 + the 68 bytes without a printable Latin-1 character - 1

struct Alphabet {
  std::array<uint16_t, 256> point_of_byte;
  std::array<int16_t, kLastPoint + 1> byte_of_point;
};

constexpr bool Printable(int byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) ||
         (byte >= 0xae && byte <= 0xff);
}

constexpr Alphabet MakeAlphabet() {
  Alphabet alphabet{};
  alphabet.byte_of_point.fill(-1);
  int next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    const int point = Printable(byte) ? byte : next++;
    alphabet.point_of_byte[byte] = static_cast<uint16_t>(point);
    alphabet.byte_of_point[point] = static_cast<int16_t>(byte);
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = MakeAlphabet();

}  // namespace

std::optional<std::string> BytesOfAlphabet(std::string_view text) {
  std::string bytes;
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = NextUtf8(text, at);
    if (step.state != Utf8Step::kValid || step.point > kLastPoint) return std::nullopt;
    const int byte = kAlphabet.byte_of_point[step.point];
    if (byte < 0) return std::nullopt;
    bytes += static_cast<char>(byte);
    at += step.length;
  }
  return bytes;
}

std::string AlphabetOfBytes(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) AppendUtf8(kAlphabet.point_of_byte[static_cast<uint8_t>(c)], text);
  return text;
}

}  // namespace ferry::llm
