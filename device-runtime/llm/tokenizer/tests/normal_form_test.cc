// NFC piece by piece against utf8proc on the whole text, and known cases.
#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdlib>
#include <random>

#include "device-runtime/llm/tokenizer/text/byte_alphabet.h"
#include "device-runtime/llm/tokenizer/text/normal_form.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

std::string Nfc(std::string_view text) {
  std::string out;
  return AppendNfc(text, out) ? out : std::string(text);
}

TEST(NormalForm, KnownCases) {
  EXPECT_EQ(Nfc("e\xcc\x81"), "\xc3\xa9");                     // e and an acute
  EXPECT_EQ(Nfc("\xe2\x84\xab"), "\xc3\x85");                  // the sign of Angstrom
  EXPECT_EQ(Nfc("\xe0\xa5\x98"), "\xe0\xa4\x95\xe0\xa4\xbc");  // excluded from composition
  EXPECT_EQ(Nfc("\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8"), "\xea\xb0\x81");  // Hangul
  EXPECT_EQ(Nfc("a\xcc\x81\xcc\xa3"), "\xe1\xba\xa1\xcc\x81");  // the dot below comes first
  EXPECT_EQ(Nfc("\xef\xac\x81"), "\xef\xac\x81");               // a ligature is no other letter
  EXPECT_EQ(Nfc(std::string("a\0\xcc\x81", 4)), std::string("a\0\xcc\x81", 4));
  std::string out = "kept";
  EXPECT_FALSE(AppendNfc("plain \xc3\xa9", out));
  EXPECT_EQ(out, "kept");
}

TEST(NormalForm, EqualsTheWholeTextAtOnce) {
  std::mt19937 random(5);
  const std::pair<char32_t, char32_t> ranges[] = {
      {0x20, 0x7e},     {0xa0, 0x17f},    {0x300, 0x36f},   {0x300, 0x330},     {0x370, 0x4ff},
      {0x590, 0x6ff},   {0x900, 0xdff},   {0x1100, 0x11ff}, {0x1e00, 0x1fff},   {0x2000, 0x2fff},
      {0x3040, 0x30ff}, {0x4e00, 0x4e80}, {0xac00, 0xad00}, {0x11000, 0x11fff}, {0x1d100, 0x1d1ff}};
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    // Some texts are longer than one working piece.
    const int count = round % 200 == 0 ? 20000 : 1 + static_cast<int>(random() % 60);
    const size_t first = random() % std::size(ranges);
    for (int i = 0; i < count; ++i) {
      const auto [low, high] = ranges[random() % 3 == 0 ? random() % std::size(ranges) : first];
      AppendUtf8(low + random() % (high - low + 1), text);
    }
    utf8proc_uint8_t* whole = nullptr;
    const utf8proc_ssize_t size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                     static_cast<utf8proc_ssize_t>(text.size()), &whole,
                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    ASSERT_GE(size, 0);
    const std::string expected(reinterpret_cast<const char*>(whole), static_cast<size_t>(size));
    std::free(whole);
    ASSERT_EQ(Nfc(text), expected) << round;
  }
}

TEST(ByteAlphabet, IsOneToOne) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(BytesOfAlphabet(AlphabetOfBytes(all)), all);
  EXPECT_EQ(AlphabetOfBytes(" a\n"),
            "\xc4\xa0"
            "a\xc4\x8a");
  EXPECT_FALSE(BytesOfAlphabet(" ").has_value());
  EXPECT_FALSE(BytesOfAlphabet("\xe4\xb8\xad").has_value());
}

}  // namespace
}  // namespace ferry::llm
