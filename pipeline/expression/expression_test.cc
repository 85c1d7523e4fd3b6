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

// Two lists, "a" with the data below and "b" with nothing.
class ListsOfTest : public Captures {
 public:
  size_t Count(size_t capture) const override { return capture == 0 ? data_.size() : 0; }
  Subject At(size_t, size_t index) const override {
    return {&data_[index], true, "view", "home", static_cast<int64_t>(index)};
  }

 private:
  std::vector<Json> data_ = {{{"p", 3}}, {{"q", 1}}, {{"p", 4.5}}};
};

TEST(Expression, Captures) {
  const std::string names[] = {"a", "b"};
  const Json fields = {{"p", 7}, {"a", {{"p", 100}}}};
  const std::pair<const char*, const char*> cases[] = {
      {"a.p", "4.5"},
      {"count(a)", "3"},
      {"sum(a.p)", "7.5"},
      {"min(a.p)", "3"},
      {"max( a.p )", "4.5"},
      {"max(a.p, p)", "7"},
      {"b.p", "null"},
      {"count(b) + sum(b.p)", "0"},
      {"min(b.p)", "null"},
      {"a._time_ms + _time_ms", "12"},
      {"a._event", "\"view\""},
      {"_page + _event", "\"detailbuy\""},
      {"min(p, 3)", "3"},
      {"a == b", "false"},
      {"sum(a._page)", "error: column 1: sum does not take string"},
      {"count(c)", "error: column 7: expected the name of an earlier step"},
      {"p < a._page", "error: column 3: < does not take number and string"}};
  for (const auto& [text, expected] : cases) {
    SCOPED_TRACE(text);
    auto expression = Expression::Parse(text, names);
    const ListsOfTest lists;
    const Subject subject{&fields, true, "buy", "detail", 10};
    Result<Json> got =
        expression.ok() ? expression->Evaluate(subject, &lists) : expression.status();
    if (std::string_view(expected).substr(0, 7) == "error: ") {
      ASSERT_FALSE(got.ok());
      EXPECT_THAT(got.status().message(), HasSubstr(expected + 7));
      continue;
    }
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ(WriteJson(*got), expected);
  }
  EXPECT_FALSE(Expression::Parse("count(a)").ok());
}

TEST(Expression, BoundsAndCanonicalForm) {
  bool complete = false;
  auto both = Expression::Parse("p >= 3 and \"x\" == k.l and 5 > p");
  ASSERT_TRUE(both.ok());
  const auto bounds = both->Bounds(&complete);
  ASSERT_EQ(bounds.size(), 3u);
  EXPECT_TRUE(complete);
  EXPECT_EQ(bounds[1].path, (std::vector<std::string>{"k", "l"}));
  EXPECT_EQ(bounds[2].ordering, Ordering::kLess);
  EXPECT_TRUE(Expression::Parse("p > 1 or p < 0")->Bounds(&complete).empty());
  EXPECT_FALSE(complete);
  EXPECT_EQ(Expression::Parse("not ( p>1 )")->Canonical(),
            Expression::Parse("not p > 1")->Canonical());
  size_t end = 0;
  const std::string text = "p > 10 times 3";
  auto prefix = Expression::ParsePrefix(text, {}, &end);
  ASSERT_TRUE(prefix.ok());
  EXPECT_EQ(prefix->text(), "p > 10");
  EXPECT_EQ(text.substr(end), "times 3");
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

// The digits are those of HMAC-SHA256 over the value's JSON text.
TEST(Expression, KeyedHashIsOfTheKeyAndTheValue) {
  const auto hash = [](const char* text, std::string_view key) {
    const Json fields = {{"name", "ann"}, {"one", 1}, {"also_one", 1.0}, {"list", {1, "a"}}};
    const auto expression = Expression::Parse(text);
    EXPECT_TRUE(expression.ok());
    return expression->Evaluate({.fields = &fields, .hash_key = key}).value_or(Json());
  };
  constexpr std::string_view kKey = "a key of the device";
  EXPECT_EQ(hash("keyed_hash(name)", kKey), "4f5351fada3407f9");
  EXPECT_EQ(hash("keyed_hash(one)", kKey), "97dfa5dc3093a1cf");
  EXPECT_EQ(hash("keyed_hash(also_one)", kKey), "97dfa5dc3093a1cf");
  EXPECT_EQ(hash("keyed_hash(list)", kKey).get<std::string>().size(), 16u);
  EXPECT_NE(hash("keyed_hash(name)", "another"), "4f5351fada3407f9");
  EXPECT_EQ(hash("keyed_hash(name) == keyed_hash(\"ann\")", kKey), true);
}

TEST(Expression, CarriedFieldsAreThoseThatTheValueTells) {
  const std::string names[] = {"a"};
  const auto carried = [&](const char* text) {
    std::vector<std::string> out;
    const auto expression = Expression::Parse(text, names);
    EXPECT_TRUE(expression.ok()) << text;
    for (const FieldUse& use : expression->Carried())
      out.push_back((use.capture == kNoCaptureUse ? "" : "$") +
                    fmt::format("{}", fmt::join(use.path, ".")));
    return out;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(carried("u.name"), Names{"u.name"});
  EXPECT_EQ(carried("len(u.name) > 3 and x"), (Names{"u.name", "x"}));
  EXPECT_EQ(carried("keyed_hash(u.name) + y"), Names{"y"});
  EXPECT_EQ(carried("bucket(u.age, 10) + bucket(z, 0.5)"), Names{});
  EXPECT_EQ(carried("bucket(u.age, size)"), (Names{"u.age", "size"}));
  EXPECT_EQ(carried("bucket(u.age, 0)"), Names{"u.age"});
  EXPECT_EQ(carried("bucket(u.age, -5)"), Names{"u.age"});
  EXPECT_EQ(carried("a.p + sum(a.q) + count(a)"), (Names{"$p", "$q"}));
  EXPECT_EQ(carried("_page"), Names{"_page"});
  EXPECT_TRUE(Expression::Parse("1 + len(keyed_hash(x))")->needs_key());
  EXPECT_FALSE(Expression::Parse("len(x)")->needs_key());
}

}  // namespace
}  // namespace ferry::expression
