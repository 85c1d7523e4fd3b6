// Joins, duplicates and samples of random rows against their definitions.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

#include "pipeline/operator/operator.h"
#include "pipeline/operator/table_reader.h"

namespace ferry::operators {
namespace {

std::unique_ptr<Operator> MakeOne(const Json& spec, const Surroundings& around = {}) {
  auto made = MakeOperator(spec, around);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return std::move(*made);
}

struct SidedRow {
  Row row;
  bool second = false;
};

std::vector<SidedRow> RandomSides(std::mt19937& random) {
  std::vector<SidedRow> rows(40);
  for (size_t n = 0; n < rows.size(); ++n) {
    rows[n].second = random() % 2 == 0;
    rows[n].row.time_ms = static_cast<int64_t>(random() % 300);
    rows[n].row.fields["n"] = n;
    const int k = static_cast<int>(random() % 3);
    if (random() % 10 > 0)
      rows[n].row.fields["k"] = random() % 2 == 0 ? Json(k) : Json(static_cast<double>(k));
  }
  return rows;
}

TEST(Join, EqualsItsDefinitionInAnyOrderWithinTheLateness) {
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    const int64_t lower = static_cast<int64_t>(random() % 60) - 40;
    const int64_t upper = lower + static_cast<int64_t>(random() % 60);
    const int64_t lateness = static_cast<int64_t>(random() % 50);
    const Json spec = {{"op", "join"},
                       {"with", "right"},
                       {"as", "r"},
                       {"key", {"k"}},
                       {"lower_ms", lower},
                       {"upper_ms", upper},
                       {"allowed_lateness_ms", lateness}};
    std::vector<SidedRow> rows = RandomSides(random);
    std::vector<Json> naive, found;
    for (const SidedRow& l : rows)
      for (const SidedRow& r : rows) {
        if (l.second || !r.second || !l.row.fields.contains("k")) continue;
        if (!r.row.fields.contains("k") || l.row.fields["k"] != r.row.fields["k"]) continue;
        const int64_t apart = r.row.time_ms - l.row.time_ms;
        if (apart < lower || apart > upper) continue;
        Json pair = l.row.fields;
        pair["r"] = r.row.fields;
        pair["at"] = std::max(l.row.time_ms, r.row.time_ms);
        naive.push_back(std::move(pair));
      }
    std::vector<std::pair<int64_t, SidedRow>> order;
    for (SidedRow& one : rows) {
      const int64_t at = one.row.time_ms + static_cast<int64_t>(random() % (lateness + 1));
      order.emplace_back(at, std::move(one));
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    auto join = MakeOne(spec);
    EXPECT_EQ(join->second_source(), "right");
    std::vector<Row> out;
    int64_t seen = -1000;
    for (const auto& [at, one] : order) {
      ASSERT_TRUE((one.second ? join->PushSecond(one.row, &out) : join->Push(one.row, &out)).ok());
      seen = std::max(seen, one.row.time_ms);
      ASSERT_TRUE(join->Advance(seen - lateness, &out).ok());
    }
    for (Row& row : out) {
      row.fields["at"] = row.time_ms;
      found.push_back(std::move(row.fields));
    }
    std::sort(naive.begin(), naive.end());
    std::sort(found.begin(), found.end());
    ASSERT_EQ(Json(found), Json(naive)) << spec.dump();
    EXPECT_EQ(join->losses().late, 0);
  }
}

TEST(Join, RowsThatWaitAreBoundedAndLeave) {
  auto join = MakeOne(
      Json::parse(R"({"op":"join","with":"right","key":["k"],"lower_ms":0,"upper_ms":10})"));
  std::vector<Row> out;
  const Row row{5, {{"k", 1}}};
  for (size_t n = 0; n < kMaxHeldRows; ++n) ASSERT_TRUE(join->Push(row, &out).ok());
  EXPECT_EQ(join->Push(row, &out).code(), Code::kLimitExceeded);
  EXPECT_EQ(join->losses().refused, 1);
  ASSERT_TRUE(join->Advance(16, &out).ok());
  EXPECT_TRUE(join->Push({16, {{"k", 1}}}, &out).ok());
  EXPECT_TRUE(join->Push({15, {{"k", 1}}}, &out).ok());
  EXPECT_EQ(join->losses().late, 1);
  EXPECT_TRUE(out.empty());
}

TEST(Dedupe, NoTwoRowsOfAKeyPassWithinTheBoundAndNoneIsDroppedWithoutOne) {
  std::mt19937 random(6);
  for (int round = 0; round < 300; ++round) {
    auto dedupe = MakeOne({{"op", "dedupe"}, {"key", {"k"}}, {"within_ms", 50}});
    std::map<int, std::vector<int64_t>> passed;
    std::vector<Row> none;
    int64_t now = 1000, seen = 0;
    for (int n = 0; n < 100; ++n) {
      now += random() % 20;
      const int64_t time = now - static_cast<int64_t>(random() % 30);
      const int k = static_cast<int>(random() % 4);
      const auto passes = dedupe->Admit({time, {{"k", k}}});
      ASSERT_TRUE(passes.ok());
      const bool near = std::any_of(passed[k].begin(), passed[k].end(),
                                    [time](int64_t other) { return std::abs(time - other) < 50; });
      ASSERT_EQ(*passes, !near);
      if (*passes) passed[k].push_back(time);
      seen = std::max(seen, time);
      ASSERT_TRUE(dedupe->Advance(seen - 30, nullptr).ok());
    }
  }
}

TEST(Sample, TakesItsShareOfKeysAndAlwaysTheSame) {
  auto first = MakeOne(Json::parse(R"({"op":"sample","one_in":10,"key":["k"]})"));
  auto second = MakeOne(Json::parse(R"({"op":"sample","one_in":10,"key":["k"]})"));
  int taken = 0;
  for (int k = 0; k < 10'000; ++k) {
    const Row row{k, {{"k", "user " + std::to_string(k)}}};
    const auto passes = first->Admit(row);
    ASSERT_TRUE(passes.ok());
    taken += *passes ? 1 : 0;
    EXPECT_EQ(*second->Admit(row), *passes);
  }
  EXPECT_NEAR(taken, 1000, 120);
}

TEST(FlatMap, LimitIsExact) {
  auto flat = MakeOne(Json::parse(R"({"op":"flat_map","field":"x"})"));
  std::vector<Row> out;
  Json list = Json::array();
  for (size_t k = 0; k < kMaxListRows; ++k) list.push_back(k);
  EXPECT_TRUE(flat->Push({1, {{"x", list}}}, &out).ok());
  EXPECT_EQ(out.size(), kMaxListRows);
  list.push_back(0);
  EXPECT_EQ(flat->Push({1, {{"x", list}}}, &out).code(), Code::kLimitExceeded);
  EXPECT_EQ(flat->losses().refused, 1);
  EXPECT_EQ(flat->Push({1, {{"x", 3}}}, &out).code(), Code::kInvalidArgument);
}

class NoTables : public TableReader {
 public:
  Result<Json> Get(std::string_view table, const Json&) const override {
    return Status::Of(Code::kNotFound, "there is no table {}", table);
  }
};

TEST(Lookup, NamesWhatIsMissing) {
  const Json spec = Json::parse(R"({"op":"lookup","table":"items","key":["id"]})");
  std::vector<Row> out;
  EXPECT_EQ(MakeOne(spec)->Push({1, {{"id", 1}}}, &out).code(), Code::kUnavailable);
  const NoTables tables;
  const Status status = MakeOne(spec, {&tables})->Push({1, {{"id", 1}}}, &out);
  EXPECT_EQ(status.message(), "table items: there is no table items");
}

TEST(Operator, UnknownMembersNameTheOneThatIsNear) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"op":"filter","were":"1"})", "no member \"were\"; \"where\" is near"},
      {R"({"op":"dedupe","key":["k"],"within":5})", "no member \"within\"; \"within_ms\" is near"},
      {R"({"op":"window","size_ms":5,"lateness":1,"aggregates":[]})", "no member \"lateness\""},
      {R"({"op":"window","kind":"session","gap_ms":5,"size_ms":1,"aggregates":[]})",
       "no member \"size_ms\""},
      {R"({"op":"window","size_ms":5,"emit":"all","aggregates":[]})", "not final or updates"},
      {R"({"op":"window","size_ms":5,"aggregates":[{"op":"top_k","field":"a","as":"b","k":0}]})",
       "k 0 is not from 1 to 100"},
      {R"({"op":"window","size_ms":5,"aggregates":[{"op":"quantile","field":"a","as":"b","q":2}]})",
       "q 2 is not from 0 to 1"},
      {R"({"op":"window","size_ms":5,"aggregates":[{"op":"sum","field":"a","as":"b","q":1}]})",
       "no member \"q\""},
      {R"({"op":"window","kind":"page","enter":"x","exit":"x","aggregates":[]})", "both \"x\""},
      {R"({"op":"window","kind":"page","aggregates":[{"op":"count","as":"page"}]})",
       "the field page is there twice"},
      {R"({"op":"join","with":"x","lower_ms":2,"upper_ms":1})", "lower_ms 2 is above upper_ms 1"},
      {R"({"op":"sample","one_in":0})", "one_in 0"},
      {R"({"op":"lookup","table":"t"})", "key is empty"}};
  for (const auto& [text, part] : cases) {
    auto made = MakeOperator(Json::parse(text));
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_THAT(made.status().message(), testing::HasSubstr(part));
  }
}

}  // namespace
}  // namespace ferry::operators
