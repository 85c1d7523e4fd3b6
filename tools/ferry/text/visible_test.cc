#include "tools/ferry/text/visible.h"

#include <gtest/gtest.h>

#include <random>

#include "tools/ferry/text/table.h"

namespace ferry::cli {
namespace {

TEST(Visible, EscapesWhatMovesOrHides) {
  EXPECT_EQ(Visible("a\x1b[2Jb\x07\x7f"), "a\\x1b[2Jb\\x07\\x7f");
  EXPECT_EQ(Visible("x\ny\rz\t"), "x\\ny\\rz\\t");
  EXPECT_EQ(Visible("\xc2\x9b"
                    "31m"),
            "\\u{9b}31m");  // CSI of C1
  for (const char* bidi : {"\u200e", "\u200f", "\u061c", "\u202a", "\u202b", "\u202c", "\u202d",
                           "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"})
    EXPECT_TRUE(Visible(bidi).starts_with("\\u{")) << Visible(bidi);
  EXPECT_EQ(Visible("a\u2028b\u2029c"), "a\\u{2028}b\\u{2029}c");
  EXPECT_EQ(Visible("a\u200bb\ufeff"), "a\\u{200b}b\\u{feff}");
  EXPECT_EQ(Visible("\xff\x9b\xe2\x80"), "\\xff\\x9b\\xe2\\x80");
}

TEST(Visible, KeepsWhatPeopleWrite) {
  for (const char* text : {"", "plain, \"quoted\" \\ back", "Grüße", "日本語", "שלום", "مرحبا",
                           "👩\u200d🔬", "می\u200cخواهم"})
    EXPECT_EQ(Visible(text), text);
  EXPECT_EQ(VisibleLines("a\tb\nc\x1b"), "a\tb\nc\\x1b");
}

// Whatever comes in, no byte that a terminal acts on goes out, and a second pass changes nothing.
TEST(Visible, RandomBytesNeverReachTheTerminal) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (size_t i = random() % 40; i > 0; --i) text += static_cast<char>(random());
    const std::string out = Visible(text);
    for (size_t i = 0; i < out.size(); ++i) {
      const auto byte = static_cast<unsigned char>(out[i]);
      EXPECT_GE(byte, 0x20);
      EXPECT_NE(byte, 0x7f);
      // C1 in UTF-8 is C2 80 to C2 9F.
      const auto next = i + 1 < out.size() ? static_cast<unsigned char>(out[i + 1]) : 0xff;
      EXPECT_FALSE(byte == 0xc2 && next < 0xa0);
    }
    EXPECT_EQ(Visible(out), out);
    EXPECT_LE(ColumnsOf(CutToColumns(out, 9)), 9u);
  }
}

TEST(Visible, WidthCountsColumns) {
  EXPECT_EQ(ColumnsOf("abc"), 3u);
  EXPECT_EQ(ColumnsOf("日本"), 4u);
  EXPECT_EQ(ColumnsOf("e\u0301"), 1u);
  EXPECT_EQ(CutToColumns("日本語", 5), "日本…");
  EXPECT_EQ(CutToColumns("日本語", 4), "日…");
  EXPECT_EQ(CutToColumns("abc", 3), "abc");
  std::string marks = "a";
  for (int i = 0; i < 10000; ++i) marks += "\u0301";
  EXPECT_LT(CutToColumns(marks, 5).size(), 400u);
}

TEST(Table, HeadsBoundsAndEscapes) {
  Table table({{"NAME", 6}, {"COUNT", 8, true}, {"TEXT", 10}});
  EXPECT_EQ(table.TextOr("nothing"), "nothing\n");
  table.Add({"ab", "7", "x\ny"});
  table.Add({"abcdefghij", "123", ""});
  table.Add({"日本語語", "1"});
  EXPECT_EQ(table.Text(),
            "NAME    COUNT  TEXT\n"
            "ab          7  x\\ny\n"
            "abcde…    123  -\n"
            "日本…       1  -\n");
}

}  // namespace
}  // namespace ferry::cli
