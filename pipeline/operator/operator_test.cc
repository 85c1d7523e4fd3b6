#include "pipeline/operator/operator.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

namespace ferry::operators {
namespace {

using testing::HasSubstr;

std::unique_ptr<Operator> Make(const std::string& text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json.ok());
  auto made = MakeOperator(*json);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return std::move(*made);
}

TEST(Operator, FilterAndMap) {
  auto filter = Make(R"({"op":"filter","where":"n > 1"})");
  auto map = Make(R"({"op":"map","fields":{"twice":"n * 2","text":"s"}})");
  std::vector<Row> out;
  ASSERT_TRUE(filter->Push({1, {{"n", 1}}}, &out).ok());
  EXPECT_TRUE(out.empty());
  ASSERT_TRUE(filter->Push({2, {{"n", 2}}}, &out).ok());
  ASSERT_EQ(out.size(), 1u);
  EXPECT_FALSE(filter->Push({3, {{"n", "x"}}}, &out).ok());
  std::vector<Row> mapped;
  ASSERT_TRUE(map->Push(out[0], &mapped).ok());
  EXPECT_EQ(mapped[0].time_ms, 2);
  EXPECT_EQ(mapped[0].fields, (Json{{"twice", 4}, {"text", nullptr}}));
  EXPECT_THAT(map->Push({3, {{"n", "x"}}}, &mapped).message(), HasSubstr("field twice"));
}

// All rows at once, grouped by window and key; the definition.
std::map<std::pair<int64_t, std::string>, Json> NaiveWindows(const std::vector<Row>& rows,
                                                             int64_t size_ms) {
  struct Group {
    int64_t count = 0, values = 0;
    double sum = 0, least = 1e300, most = -1e300;
  };
  std::map<std::pair<int64_t, std::string>, Group> groups;
  for (const Row& row : rows) {
    Group& group = groups[{row.time_ms / size_ms * size_ms, row.fields["k"].get<std::string>()}];
    ++group.count;
    if (!row.fields.contains("v")) continue;
    const auto v = row.fields["v"].get<double>();
    ++group.values;
    group.sum += v;
    group.least = std::min(group.least, v);
    group.most = std::max(group.most, v);
  }
  std::map<std::pair<int64_t, std::string>, Json> out;
  for (const auto& [key, g] : groups) {
    Json row = {{"k", key.second},
                {"count", g.count},
                {"window_start_ms", key.first},
                {"window_end_ms", key.first + size_ms}};
    // Clang before 16 lets no lambda take a structured binding along.
    const bool empty = g.values == 0;
    const auto put = [&](const char* name, double value) {
      row[name] = empty ? Json(nullptr) : Json(value);
    };
    put("mean", g.sum / static_cast<double>(std::max<int64_t>(g.values, 1)));
    put("sum", g.sum);
    put("min", g.least);
    put("max", g.most);
    out[key] = std::move(row);
  }
  return out;
}

constexpr char kWindow[] = R"({"op":"window","kind":"tumbling","size_ms":100,"key":["k"],
  "aggregates":[{"op":"count","as":"count"},{"op":"mean","field":"v","as":"mean"},
  {"op":"sum","field":"v","as":"sum"},{"op":"min","field":"v","as":"min"},
  {"op":"max","field":"v","as":"max"}],"allowed_lateness_ms":50})";

// Values are multiples of 1/8, so that sums are exact in every order.
TEST(Window, AnyOrderWithinTheLatenessGivesTheNaiveResult) {
  std::mt19937 random(17);
  for (int round = 0; round < 200; ++round) {
    std::vector<Row> rows;
    for (int k = 0; k < 120; ++k) {
      Row row;
      row.time_ms = random() % 1000;
      row.fields["k"] = std::string(1, static_cast<char>('a' + random() % 3));
      if (random() % 8 > 0) row.fields["v"] = static_cast<double>(random() % 4096) / 8;
      rows.push_back(std::move(row));
    }
    // Arrival order: by time plus a delay of less than the allowed lateness.
    std::vector<std::pair<int64_t, size_t>> order;
    for (size_t k = 0; k < rows.size(); ++k)
      order.emplace_back(rows[k].time_ms + static_cast<int64_t>(random() % 50), k);
    std::sort(order.begin(), order.end());
    auto window = Make(kWindow);
    std::vector<Row> out;
    int64_t seen = 0;
    for (const auto& [arrival, index] : order) {
      ASSERT_TRUE(window->Push(rows[index], &out).ok());
      seen = std::max(seen, rows[index].time_ms);
      ASSERT_TRUE(window->Advance(seen - window->allowed_lateness_ms(), &out).ok());
    }
    ASSERT_TRUE(window->Flush(&out).ok());
    EXPECT_EQ(window->losses().late, 0);
    const auto naive = NaiveWindows(rows, 100);
    ASSERT_EQ(out.size(), naive.size());
    auto expected = naive.begin();  // map order is the order of emission: window, then key
    for (const Row& row : out) {
      EXPECT_EQ(row.fields, expected->second);
      EXPECT_EQ(row.time_ms, expected->first.first + 99);
      ++expected;
    }
  }
}

TEST(Window, LateRowsAreCountedAndDropped) {
  auto window = Make(kWindow);
  std::vector<Row> out;
  ASSERT_TRUE(window->Push({150, {{"k", "a"}}}, &out).ok());
  EXPECT_EQ(window->next_close_ms(), 200);
  ASSERT_TRUE(window->Advance(199, &out).ok());
  EXPECT_TRUE(out.empty());
  ASSERT_TRUE(window->Push({100, {{"k", "a"}}}, &out).ok());
  ASSERT_TRUE(window->Advance(200, &out).ok());
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].fields["count"], 2);
  ASSERT_TRUE(window->Push({199, {{"k", "a"}}}, &out).ok());
  ASSERT_TRUE(window->Advance(100, &out).ok());  // never back
  ASSERT_TRUE(window->Flush(&out).ok());
  EXPECT_EQ(out.size(), 1u);
  EXPECT_EQ(window->losses().late, 1);
}

TEST(Window, AnErrorLeavesThePaneAsItWas) {
  auto window = Make(kWindow);
  std::vector<Row> out;
  EXPECT_THAT(window->Push({1, {{"k", "a"}, {"v", "x"}}}, &out).message(),
              HasSubstr("mean of field v does not take string"));
  ASSERT_TRUE(window->Flush(&out).ok());
  EXPECT_TRUE(out.empty());
}

TEST(Window, LimitOfOpenPanesAndKeys) {
  auto window = Make(kWindow);
  std::vector<Row> out;
  for (size_t k = 0; k < kMaxOpenPanes; ++k) ASSERT_TRUE(window->Push({1, {{"k", k}}}, &out).ok());
  EXPECT_EQ(window->Push({1, {{"k", kMaxOpenPanes}}}, &out).code(), Code::kLimitExceeded);
  EXPECT_TRUE(window->Push({1, {{"k", 0}}}, &out).ok());
  EXPECT_EQ(window->Push({1, {{"k", std::string(kMaxKeyBytes, 'x')}}}, &out).code(),
            Code::kLimitExceeded);
  EXPECT_EQ(window->losses().refused, 2);
  ASSERT_TRUE(window->Advance(1000, &out).ok());
  EXPECT_EQ(out.size(), kMaxOpenPanes);
  EXPECT_TRUE(window->Push({1001, {{"k", kMaxOpenPanes}}}, &out).ok());
}

TEST(Operator, BadSpecs) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "an operator is a JSON object"},
      {"{}", "op"},
      {R"({"op":"sort"})",
       "there is no operator \"sort\"; known are: dedupe filter flat_map join "
       "lookup map sample window"},
      {R"({"op":"filter"})", "filter"},
      {R"({"op":"filter","where":"1 +"})", "where: column 4"},
      {R"({"op":"filter","where":"1","when":"2"})", "there is no member \"when\""},
      {R"({"op":"map","fields":{}})", "fields is empty"},
      {R"({"op":"map","fields":{"a":"("}})", "field a: column 2"},
      {R"({"op":"window","size_ms":0,"aggregates":[{"op":"count","as":"n"}]})", "size_ms 0"},
      {R"({"op":"window","size_ms":5,"kind":"hopping","aggregates":[]})", "no kind \"hopping\""},
      {R"({"op":"window","size_ms":5,"aggregates":[]})", "aggregates is empty"},
      {R"({"op":"window","size_ms":5,"aggregates":[{"op":"median","as":"m"}]})",
       "aggregate 1: there is no aggregate \"median\""},
      {R"({"op":"window","size_ms":5,"aggregates":[{"op":"mean","as":"m"}]})",
       "mean takes a field"},
      {R"({"op":"window","size_ms":5,"aggregates":[{"op":"count","field":"x","as":"m"}]})",
       "count takes no field"},
      {R"({"op":"window","size_ms":5,"key":["m"],"aggregates":[{"op":"count","as":"m"}]})",
       "the field m is there twice"},
      {R"({"op":"window","size_ms":5,"key":["m","m"],"aggregates":[{"op":"count","as":"n"}]})",
       "key names a field twice"}};
  for (const auto& [text, part] : cases) {
    auto json = ParseJson(text);
    ASSERT_TRUE(json.ok());
    auto made = MakeOperator(*json);
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_THAT(made.status().message(), HasSubstr(part));
  }
}

}  // namespace
}  // namespace ferry::operators
