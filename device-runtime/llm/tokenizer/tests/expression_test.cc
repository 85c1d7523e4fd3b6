// Expressions of pre-tokenizers: Oniguruma's meaning, and limits against hostile ones.
#include <gtest/gtest.h>

#include "device-runtime/llm/tokenizer/text/expression.h"
#include "device-runtime/llm/tokenizer/text/split.h"

namespace ferry::llm {
namespace {

// The pieces that `text` is cut into, joined by "|".
std::string Cut(const std::string& pattern, std::string_view text,
                SplitStep::Behavior behavior = SplitStep::kIsolated, bool invert = false,
                SplitStep::Kind kind = SplitStep::kExpression) {
  auto splitter = Splitter::Create({{kind, behavior, invert, pattern}});
  if (!splitter.ok()) return "refused: " + splitter.status().message();
  Splitter::Scratch scratch(text.size());
  std::string out;
  const Status status = splitter->Split(text, true, scratch, [&out](std::string_view piece) {
    if (!out.empty()) out += '|';
    out += piece;
  });
  return status.ok() ? out : status.ToString();
}

TEST(Expression, Behaviors) {
  EXPECT_EQ(Cut("-", "a-b--c"), "a|-|b|-|-|c");
  EXPECT_EQ(Cut("-", "a-b--c", SplitStep::kRemoved), "a|b|c");
  EXPECT_EQ(Cut("-", "a-b--c", SplitStep::kContiguous), "a|-|b|--|c");
  EXPECT_EQ(Cut("-", "a-b--c", SplitStep::kRemoved, true), "-|-|-");
  EXPECT_EQ(Cut("-+", "--a", SplitStep::kContiguous), "--|a");
  EXPECT_EQ(Cut("-", "-a-b--c-", SplitStep::kMergedWithPrevious), "-|a-|b-|-|c-");
  EXPECT_EQ(Cut("-", "-a-b--c-", SplitStep::kMergedWithNext), "-a|-b|-|-c|-");
  EXPECT_EQ(Cut("-", "a-b", SplitStep::kMergedWithPrevious, true), "a|-b");
  EXPECT_EQ(Cut(".", "a.b", SplitStep::kIsolated, false, SplitStep::kLiteral), "a|.|b");
  EXPECT_EQ(Cut("(?=b)", "abab"), "a|ba|b");  // matches of nothing cut too
  EXPECT_EQ(Cut("x*", "a\xc3\xa9"), "a|\xc3\xa9");
  EXPECT_EQ(Cut("-", ""), "");
}

TEST(Expression, Qwen2Cutting) {
  const std::string qwen2 =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
      R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
  EXPECT_EQ(Cut(qwen2, "I'M  here,\n\n 12 \xe6\x88\x91!  "),
            "I|'M| | here|,\n\n| |1|2| \xe6\x88\x91|!|  ");
}

TEST(Expression, DifferencesOfTheDialects) {
  // U+180E is no space to Oniguruma, U+0085 and U+3000 are.
  EXPECT_EQ(Cut(R"(\s)",
                "a\xe1\xa0\x8e"
                "b\xc2\x85"
                "c\xe3\x80\x80"),
            "a\xe1\xa0\x8e"
            "b|\xc2\x85|c|\xe3\x80\x80");
  EXPECT_EQ(Cut(R"([\S])", "\xe1\xa0\x8e "), "\xe1\xa0\x8e| ");
  EXPECT_EQ(Cut(R"([^\S])", "\xe1\xa0\x8e "), "\xe1\xa0\x8e| ");
  // A combining mark is of a word, a superscript two is not; a Thai digit is a digit.
  EXPECT_EQ(Cut(R"(\w+)", "e\xcc\x81\xc2\xb2"), "e\xcc\x81|\xc2\xb2");
  EXPECT_EQ(Cut(R"(\d)", "\xe0\xb9\x91\xc2\xb2"), "\xe0\xb9\x91|\xc2\xb2");
  EXPECT_EQ(Cut(R"(\u0041)", "xA"), "x|A");
  EXPECT_EQ(Cut(R"(^b)", "a\nb"), "a\n|b");  // lines, always
  EXPECT_EQ(Cut(R"((?i:\u00e9))", "\xc3\x89x"), "\xc3\x89|x");
}

TEST(Expression, RefusesWhatWouldMeanSomethingElse) {
  for (const std::string pattern :
       {R"(\h)",      R"(a\b)",    R"(\K)",      R"(\Q)",    R"([a[bc]])", R"([a&&b])",
        R"((?m:a))",  R"(a(?i)b)", R"(a{2}+)",   R"(a{2}?)", R"(a{,2})",   R"(\x80)",
        R"(\u12)",    R"(\pL)",    R"((*FAIL))", R"(\)",     R"([\W])",    R"((a)\1)",
        R"((?<n>a))", R"((?R))",   "(",          "[a",       "a**"}) {
    const auto expression = Expression::Compile(pattern, false);
    EXPECT_EQ(expression.code(), Code::kUnsupported) << pattern;
  }
  EXPECT_EQ(Expression::Compile(std::string(kMaxExpressionBytes + 1, 'a'), false).code(),
            Code::kLimitExceeded);
  std::string nested;
  for (int i = 0; i < 400; ++i) nested = "(" + nested + ")";
  EXPECT_FALSE(Expression::Compile(nested, false).ok());
}

TEST(Expression, HostileOnesEndInAnError) {
  for (const std::string pattern :
       {"(a+)+$", "(a|aa)+$", "(a*)*b", "(?:a?){40}a{40}", "(?:(?:a|b)*c|(?:a|b)*)*d"}) {
    const std::string result = Cut(pattern, std::string(60, 'a') + "!");
    EXPECT_TRUE(result.starts_with("limit_exceeded") || result.ends_with('!')) << result;
  }
  EXPECT_TRUE(Cut("(a+)+$", std::string(60, 'a') + "!").starts_with("limit_exceeded"));
  EXPECT_TRUE(Cut("(?:(a|b)*c)*d", std::string(100000, 'a')).size() > 0);
}

TEST(Expression, DeepBacktrackingNeedsNoStack) {
  // A group that remembers a place for each of its turns: on the heap, and not without end.
  EXPECT_EQ(Cut("(?:a|b)+c?", std::string(200000, 'a')).size(), 200000u);
  const std::string long_one(20'000'000, 'a');  // NOLINT(bugprone-string-constructor)
  EXPECT_TRUE(Cut("(?:a|b)+c?", long_one).starts_with("limit_exceeded"));
}

}  // namespace
}  // namespace ferry::llm
