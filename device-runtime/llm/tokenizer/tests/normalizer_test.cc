// Normalizers and pre-tokenizers of tokenizer.json, as text cases: what a text becomes, and into
// which pieces it is cut.
#include "device-runtime/llm/tokenizer/text/normalizer.h"

#include <gtest/gtest.h>

#include "device-runtime/llm/tokenizer/json/parts_json.h"

namespace ferry::llm {
namespace {

std::string Normalized(const std::string& json, std::string_view text, bool first = true) {
  const auto steps = NormalStepsFromJson(*ParseJson(json));
  if (!steps.ok()) return steps.status().ToString();
  const auto normalizer = Normalizer::Create(*steps);
  if (!normalizer.ok()) return normalizer.status().ToString();
  Normalizer::Scratch scratch(text.size());
  TextArena arena;
  const auto out = normalizer->Apply(text, first, 1 << 20, scratch, arena);
  return out.ok() ? std::string(*out) : out.status().ToString();
}

struct NormalCase {
  const char* json;
  const char* text;
  const char* normal;
};

TEST(Normalizer, TextCases) {
  const NormalCase cases[] = {
      {R"({"type":"NFC"})", "e\u0301", "\u00e9"},
      {R"({"type":"NFD"})", "x\u00e9y\u1e69", "xe\u0301ys\u0323\u0307"},
      {R"({"type":"NFKC"})", "\ufb01 \uff21 \u2460 e\u0301 \u3000", "fi A 1 \u00e9  "},
      {R"({"type":"NFKD"})", "\ufb01\u00e9", "fie\u0301"},
      {R"({"type":"NFKD"})", "plain", "plain"},
      {R"({"type":"Lowercase"})", "ABC \u00c9 \u0130 \u03a3", "abc \u00e9 i\u0307 \u03c3"},
      {R"({"type":"StripAccents"})", "e\u0301a\u0323\u0301", "ea"},
      {R"({"type":"Strip"})", " \t a b \u3000", "a b"},
      {R"({"type":"Strip","strip_left":false})", " a ", " a"},
      {R"({"type":"Strip"})", " ", ""},
      {R"({"type":"Replace","pattern":{"String":" "},"content":"\u2581"})", " a b",
       "\u2581a\u2581b"},
      {R"({"type":"Replace","pattern":{"Regex":"\\s+"},"content":" "})", "a \n\t b", "a b"},
      {R"({"type":"Replace","pattern":{"Regex":" {2,}"},"content":"$1"})", "a  b", "a$1b"},
      {R"({"type":"Prepend","prepend":"\u2581"})", "a",
       "\u2581"
       "a"},
      {R"({"type":"Prepend","prepend":"\u2581"})", "", ""},
      {R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Lowercase"}]})", "E\u0301",
       "\u00e9"},
      {R"({"type":"BertNormalizer"})", "H\u00c9llo\x01 a\u4e2dx\ty\ufffd", "hello a \u4e2d x y"},
      {R"({"type":"BertNormalizer","lowercase":false})", "\u00c9", "\u00c9"},
      {R"({"type":"BertNormalizer","lowercase":false,"strip_accents":true})", "\u00c9", "E"},
      {R"({"type":"BertNormalizer","handle_chinese_chars":false})", "a\u4e2d", "a\u4e2d"},
  };
  for (const NormalCase& one : cases) {
    const std::string_view text = one.text;
    EXPECT_EQ(Normalized(one.json, text), one.normal) << one.json << " " << text;
  }
}

// A double array made by hand: "a" -> "b", "ab" -> "", "\u00c0" -> "A".
TEST(Normalizer, CharsmapTakesTheLongestKey) {
  // Units: label in the low byte, bit 8 a leaf below, the offset from bit 10 on.
  std::vector<uint32_t> units(1024, uint32_t{1} << 31 | 0xff);
  const auto unit = [](uint32_t label, uint32_t offset, bool leaf) {
    return offset << 10 | (leaf ? 1u << 8 : 0) | label;
  };
  const auto value = [](uint32_t at) { return uint32_t{1} << 31 | at; };
  units[0] = unit(0, 256, false);
  units[256 ^ 'a'] = unit('a', 512 ^ 256 ^ 'a', true);  // its children lie from 512 on
  units[512] = value(0);
  units[512 ^ 'b'] = unit('b', 768 ^ 512 ^ 'b', true);
  units[768] = value(1);
  units[256 ^ 0xc3] = unit(0xc3, 960 ^ 256 ^ 0xc3, false);
  units[960 ^ 0x80] = unit(0x80, 896 ^ 960 ^ 0x80, true);
  units[896] = value(2);
  std::string blob(4, '\0');
  PutU32(reinterpret_cast<uint8_t*>(blob.data()), static_cast<uint32_t>(4 * units.size()));
  for (const uint32_t one : units) {
    char bytes[4];
    PutU32(reinterpret_cast<uint8_t*>(bytes), one);
    blob.append(bytes, 4);
  }
  blob += std::string("b\0", 2) + std::string("A\0", 2);
  const auto map = Charsmap::Create(blob);
  ASSERT_TRUE(map.ok()) << map.status().ToString();
  const auto mapped = [&](std::string_view text) {
    std::string out;
    return map->Append(text, out) ? out : std::string(text);
  };
  EXPECT_EQ(mapped("a"), "b");
  EXPECT_EQ(mapped("xaabz"), "xbz");
  EXPECT_EQ(mapped("\xc3\x80\xc3\x81"), "A\xc3\x81");
  EXPECT_EQ(mapped("nothing"), "nothing");
  for (size_t size = 0; size < blob.size(); size += 7) {
    const auto cut = Charsmap::Create(blob.substr(0, size));
    if (!cut.ok()) continue;
    std::string out;
    (void)cut->Append("aab\xc3\x80", out);
  }
  EXPECT_EQ(Charsmap::Create("").code(), Code::kMalformed);
  EXPECT_EQ(Charsmap::Create(std::string("\xff\xff\xff\x7f", 4)).code(), Code::kMalformed);
  EXPECT_EQ(Charsmap::Create(std::string(kMaxCharsmapBytes + 1, 'a')).code(), Code::kLimitExceeded);
}

TEST(Normalizer, SqueezesAndMarksTheFirstTextOnly) {
  NormalStep squeeze;
  squeeze.kind = NormalStep::kSqueeze;
  NormalStep prepend;
  prepend.kind = NormalStep::kPrepend;
  prepend.flags = 1;
  prepend.content = "_";
  const auto normalizer = Normalizer::Create({squeeze, prepend});
  ASSERT_TRUE(normalizer.ok());
  Normalizer::Scratch scratch(100);
  TextArena arena;
  EXPECT_EQ(*normalizer->Apply("  a  b ", true, 100, scratch, arena), "_a b");
  EXPECT_EQ(*normalizer->Apply("  a  b ", false, 100, scratch, arena), "a b");
  EXPECT_EQ(*normalizer->Apply("   ", true, 100, scratch, arena), "");
  EXPECT_EQ(normalizer->Apply("abc", true, 3, scratch, arena).code(), Code::kLimitExceeded);
}

std::string CutBy(const std::string& json, std::string_view text, bool first = true) {
  const auto steps = SplitStepsFromJson(*ParseJson(json), false);
  if (!steps.ok()) return steps.status().ToString();
  const auto splitter = Splitter::Create(*steps);
  if (!splitter.ok()) return splitter.status().ToString();
  Splitter::Scratch scratch(text.size());
  std::string out;
  const Status status = splitter->Split(text, first, scratch, [&out](std::string_view piece) {
    if (!out.empty()) out += '|';
    out += piece;
  });
  return status.ok() ? out : status.ToString();
}

TEST(PreTokenizer, TextCases) {
  const NormalCase cases[] = {
      {R"({"type":"WhitespaceSplit"})", " a  b\u3000c\n", "a|b|c"},
      {R"({"type":"Whitespace"})", "Hi, a_b c'd!?", "Hi|,|a_b|c|'|d|!?"},
      {R"({"type":"BertPreTokenizer"})", "can't  stop$ \u00bfno", "can|'|t|stop|$|\u00bf|no"},
      {R"({"type":"Metaspace"})", "a b  c",
       "\u2581"
       "a|\u2581"
       "b|\u2581|\u2581"
       "c"},
      {R"({"type":"Metaspace"})", " a",
       "\u2581"
       "a"},
      {R"({"type":"Metaspace","prepend_scheme":"never"})", "a b",
       "a|\u2581"
       "b"},
      {R"({"type":"Metaspace","prepend_scheme":"first","split":false})", "a b",
       "\u2581"
       "a\u2581"
       "b"},
      {R"({"type":"Metaspace","add_prefix_space":false})", "a", "a"},
      {R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace"}]})",
       " a  b",
       "\u2581"
       "a|\u2581"
       "b"},
      {R"({"type":"Split","pattern":{"String":" "},"behavior":"MergedWithPrevious"})", "a b c",
       "a |b |c"},
  };
  for (const NormalCase& one : cases) {
    EXPECT_EQ(CutBy(one.json, one.text), one.normal) << one.json << " " << one.text;
  }
  EXPECT_EQ(CutBy(R"({"type":"Metaspace","prepend_scheme":"first"})", "a b", false),
            "a|\u2581"
            "b");
  EXPECT_NE(CutBy(R"({"type":"Metaspace","replacement":"_"})", "a").find("unsupported"),
            std::string::npos);
  EXPECT_NE(CutBy(R"({"type":"ByteLevel"})", "a").find("ByteLevel"), std::string::npos);
}

}  // namespace
}  // namespace ferry::llm
