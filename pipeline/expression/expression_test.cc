#include "pipeline/expression/expression.h"

#include <gmock/gmock.h>

#include <fstream>
#include <random>

namespace ferry::expression {
namespace {

using testing::HasSubstr;

std::string Trim(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

TEST(Expression, Cases) {
  std::ifstream in(FERRY_SOURCE_DIR "/pipeline/expression/cases/expressions.txt");
  int cases = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    SCOPED_TRACE(line);
    ++cases;
    const size_t first = line.find('|'), second = line.find('|', first + 1);
    ASSERT_NE(second, std::string::npos);
    const std::string expected = Trim(line.substr(second + 1));
    auto fields = ParseJson(Trim(line.substr(first + 1, second - first - 1)));
    ASSERT_TRUE(fields.ok());
    auto expression = Expression::Parse(Trim(line.substr(0, first)));
    Result<Json> got = expression.ok() ? expression->Evaluate(*fields) : expression.status();
    if (expected.rfind("error: ", 0) == 0) {
      ASSERT_FALSE(got.ok()) << WriteJson(*got);
      EXPECT_THAT(got.status().message(), HasSubstr(expected.substr(7)));
      continue;
    }
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    auto value = ParseJson(expected);
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(*got, *value) << WriteJson(*got);
  }
  EXPECT_GT(cases, 45);
}

TEST(Expression, Limits) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '(') + "1" +
           std::string(static_cast<size_t>(depth), ')');
  };
  EXPECT_TRUE(Expression::Parse(nested(kMaxExpressionDepth)).ok());
  EXPECT_EQ(Expression::Parse(nested(kMaxExpressionDepth + 1)).code(), Code::kLimitExceeded);
  std::string chain = "1";
  for (int k = 0; k < kMaxExpressionDepth; ++k) chain += "+1";
  EXPECT_TRUE(Expression::Parse(chain).ok());
  EXPECT_EQ(Expression::Parse(chain + "+1").code(), Code::kLimitExceeded);
  std::string longest(kMaxExpressionBytes, ' ');
  longest[0] = '1';
  EXPECT_TRUE(Expression::Parse(longest).ok());
  EXPECT_EQ(Expression::Parse(longest + " ").code(), Code::kLimitExceeded);
  auto doubled = Expression::Parse("s + s");
  ASSERT_TRUE(doubled.ok());
  EXPECT_TRUE(doubled->Evaluate({{"s", std::string(kMaxStringResult / 2, 'x')}}).ok());
  EXPECT_EQ(doubled->Evaluate({{"s", std::string(kMaxStringResult / 2 + 1, 'x')}}).code(),
            Code::kLimitExceeded);
}

TEST(Expression, MutatedTextGivesErrorsOnly) {
  const std::string base = R"(not a.b >= 0.5e2 and (min(x, -3) % 2 == "q\"r" or len(s) < 7))";
  const Json fields = {{"a", {{"b", 3}}}, {"x", 2.5}, {"s", "text"}};
  std::mt19937 random(5);
  for (int round = 0; round < 4000; ++round) {
    std::string text = base;
    for (uint32_t k = 1 + random() % 3; k > 0; --k) {
      const size_t at = random() % text.size();
      if (random() % 2 == 0)
        text.erase(at, 1);
      else
        text[at] =
            static_cast<char>(random() % 2 == 0 ? random() % 256 : base[random() % base.size()]);
    }
    auto expression = Expression::Parse(text);
    if (!expression.ok()) {
      EXPECT_FALSE(expression.status().message().empty());
      continue;
    }
    auto value = expression->Evaluate(fields);
    if (!value.ok()) {
      EXPECT_FALSE(value.status().message().empty());
    }
  }
}

}  // namespace
}  // namespace ferry::expression
