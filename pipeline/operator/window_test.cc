// Windows of random specs over random rows against their definition, computed from all rows at
// once. FERRY_WINDOW_CASES says how many windows are compared (100000: about a minute).
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "pipeline/operator/operator.h"
#include "pipeline/operator/sum/exact_sum.h"
#include "pipeline/operator/window/window.h"

namespace ferry::operators {
namespace {

constexpr char kAll[] = R"([{"op":"count","as":"n"},{"op":"sum","field":"v","as":"sum"},
  {"op":"mean","field":"v","as":"mean"},{"op":"min","field":"v","as":"min"},
  {"op":"max","field":"v","as":"max"},{"op":"first","field":"s","as":"first"},
  {"op":"last","field":"v","as":"last"},{"op":"distinct","field":"s","as":"kinds"},
  {"op":"top_k","field":"s","as":"top","k":2},{"op":"quantile","field":"v","as":"q","q":0.75}])";

// ---- the definition

// Python's math.fsum: partial sums that do not overlap, rounded once.
double NaiveSum(const std::vector<double>& values) {
  std::vector<double> partials;
  for (double x : values) {
    size_t kept = 0;
    for (double y : partials) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) partials[kept++] = low;
      x = high;
    }
    partials.resize(kept);
    partials.push_back(x);
  }
  double high = 0, low = 0;
  while (!partials.empty()) {
    const double x = high, y = partials.back();
    partials.pop_back();
    high = x + y;
    low = y - (high - x);
    if (low != 0) break;
  }
  if (!partials.empty() && low != 0 && (low < 0) == (partials.back() < 0)) {
    const double twice = low * 2, x = high + twice;
    if (twice == x - high) high = x;
  }
  return high;
}

// 1 and 1.0 are one value.
Json Plain(const Json& value) {
  if (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()))
    return static_cast<int64_t>(value.get<double>());
  return value;
}

Json NaiveTop(const std::vector<Json>& values, size_t k) {
  if (values.empty()) return nullptr;
  std::map<std::string, int64_t> counts;
  for (const Json& value : values) ++counts[Plain(value).dump()];
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [text, count] : counts) order.emplace_back(-count, text);
  std::sort(order.begin(), order.end());
  Json out = Json::array();
  for (size_t n = 0; n < std::min(k, order.size()); ++n)
    out.push_back({{"value", Json::parse(order[n].second)}, {"count", -order[n].first}});
  return out;
}

// The value of the row that is first by (time or -time, text).
Json NaiveEnd(const std::vector<const Row*>& rows, const char* field, int64_t direction) {
  std::pair<int64_t, std::string> best;
  Json out;
  for (const Row* row : rows) {
    if (!row->fields.contains(field) || row->fields[field].is_null()) continue;
    const std::pair<int64_t, std::string> place = {row->time_ms * direction,
                                                   Plain(row->fields[field]).dump()};
    if (!out.is_null() && place >= best) continue;
    best = place;
    out = row->fields[field];
  }
  return Plain(out);
}

Json NaiveAggregates(const std::vector<const Row*>& rows) {
  std::vector<double> numbers;
  std::vector<Json> texts;
  std::set<std::string> kinds;
  bool whole = true;
  for (const Row* row : rows) {
    if (row->fields.contains("v") && !row->fields["v"].is_null()) {
      numbers.push_back(row->fields["v"].get<double>());
      whole = whole && row->fields["v"].is_number_integer();
    }
    if (!row->fields.contains("s") || row->fields["s"].is_null()) continue;
    texts.push_back(row->fields["s"]);
    kinds.insert(Plain(row->fields["s"]).dump());
  }
  Json out = {{"n", rows.size()}, {"kinds", kinds.size()}, {"top", NaiveTop(texts, 2)}};
  out["first"] = NaiveEnd(rows, "s", 1);
  out["last"] = NaiveEnd(rows, "v", -1);
  for (const char* name : {"sum", "mean", "min", "max", "q"}) out[name] = nullptr;
  if (numbers.empty()) return out;
  const double sum = NaiveSum(numbers);
  out["sum"] = whole ? Json(static_cast<int64_t>(sum)) : Json(sum);
  out["mean"] = sum / static_cast<double>(numbers.size());
  std::sort(numbers.begin(), numbers.end());
  out["min"] = numbers.front();
  out["max"] = numbers.back();
  out["q"] = numbers[static_cast<size_t>(0.75 * static_cast<double>(numbers.size() - 1))];
  return out;
}

using Groups = std::map<std::string, std::vector<const Row*>>;  // by key's canonical text

std::string KeyOf(const Row& row, const std::vector<std::string>& key) {
  Json values = Json::array();
  for (const std::string& name : key)
    values.push_back(row.fields.contains(name) ? Plain(row.fields[name]) : Json());
  return values.dump();
}

Json NaiveRow(const std::vector<const Row*>& rows, const std::vector<std::string>& key,
              int64_t start, int64_t end) {
  Json out = NaiveAggregates(rows);
  out["window_start_ms"] = start;
  out["window_end_ms"] = end;
  const Json values = Json::parse(KeyOf(*rows[0], key));
  for (size_t k = 0; k < key.size(); ++k) out[key[k]] = values[k];
  return out;
}

struct Case {
  std::string kind;
  std::vector<std::string> key;
  int64_t size = 0, step = 0, lateness = 0;
  bool updates = false;
};

std::vector<Json> NaiveWindows(const Case& c, const std::vector<Row>& rows) {
  Groups groups;
  for (const Row& row : rows) groups[KeyOf(row, c.key)].push_back(&row);
  std::vector<Json> out;
  for (auto& [text, list] : groups) {
    std::stable_sort(list.begin(), list.end(), [](const Row* a, const Row* b) {
      return std::make_pair(a->time_ms, a->fields.dump()) <
             std::make_pair(b->time_ms, b->fields.dump());
    });
    if (c.kind == "session") {
      for (size_t at = 0; at < list.size();) {
        size_t end = at + 1;
        while (end < list.size() && list[end]->time_ms - list[end - 1]->time_ms < c.size) ++end;
        out.push_back(
            NaiveRow({list.begin() + static_cast<long>(at), list.begin() + static_cast<long>(end)},
                     c.key, list[at]->time_ms, list[end - 1]->time_ms + c.size));
        at = end;
      }
    } else if (c.kind == "count") {
      for (size_t at = 0; at < list.size(); at += static_cast<size_t>(c.size)) {
        const size_t end = std::min(list.size(), at + static_cast<size_t>(c.size));
        out.push_back(
            NaiveRow({list.begin() + static_cast<long>(at), list.begin() + static_cast<long>(end)},
                     c.key, list[at]->time_ms, list[end - 1]->time_ms));
      }
    } else {
      for (int64_t start = -5000; start < 3000; ++start) {
        if (start % c.step != 0) continue;
        std::vector<const Row*> inside;
        for (const Row* row : list)
          if (row->time_ms >= start && row->time_ms < start + c.size) inside.push_back(row);
        if (!inside.empty()) out.push_back(NaiveRow(inside, c.key, start, start + c.size));
      }
    }
  }
  return out;
}

// ---- random cases

Case RandomCase(std::mt19937& random) {
  static const char* kKinds[] = {"tumbling", "sliding", "session", "count"};
  Case c;
  c.kind = kKinds[random() % 4];
  if (random() % 3 > 0) c.key.emplace_back("k");
  if (random() % 3 == 0) c.key.emplace_back("s");
  c.size = c.kind == "count" ? 1 + random() % 7 : 20 + random() % 200;
  c.step = c.kind == "sliding" ? 1 + random() % c.size : c.size;
  if (c.kind == "sliding" && random() % 2 == 0) {
    c.step = 10 + random() % 40;
    c.size = c.step * (1 + random() % 6);
  }
  c.lateness = 1 + random() % 100;
  c.updates = random() % 3 == 0;
  return c;
}

Json SpecOf(const Case& c) {
  Json spec = {{"op", "window"},
               {"kind", c.kind},
               {"key", c.key},
               {"allowed_lateness_ms", c.lateness},
               {"aggregates", Json::parse(kAll)}};
  if (c.updates) spec["emit"] = "updates";
  spec[c.kind == "session" ? "gap_ms" : c.kind == "count" ? "size" : "size_ms"] = c.size;
  if (c.kind == "sliding") spec["step_ms"] = c.step;
  return spec;
}

std::vector<Row> RandomRows(std::mt19937& random) {
  std::vector<Row> rows(random() % 50);
  for (Row& row : rows) {
    row.time_ms = static_cast<int64_t>(random() % 1200) - 300;
    const int k = static_cast<int>(random() % 3);
    row.fields["k"] = random() % 2 == 0 ? Json(k) : Json(static_cast<double>(k));
    if (random() % 8 > 0)
      row.fields["v"] = random() % 3 == 0 ? Json(static_cast<int64_t>(random() % 1000) - 500)
                                          : Json((static_cast<double>(random()) - 2e9) / 997.0);
    if (random() % 8 > 0)
      row.fields["s"] = random() % 4 == 0 ? Json(1.0) : random() % 3 == 0 ? Json(1) : Json("x");
  }
  return rows;
}

// The rows by time plus a delay of at most the lateness.
std::vector<Row> Shuffled(std::vector<Row> rows, int64_t lateness, std::mt19937& random) {
  std::vector<std::pair<int64_t, Row>> order;
  for (Row& row : rows) {
    const int64_t at = row.time_ms + static_cast<int64_t>(random() % (lateness + 1));
    order.emplace_back(at, std::move(row));
  }
  std::shuffle(order.begin(), order.end(), random);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Row> out;
  for (auto& [at, row] : order) out.push_back(std::move(row));
  return out;
}

// What is left when each "-" has taken back a row that was given.
std::vector<Json> Settled(const std::vector<Row>& rows) {
  std::multiset<Json> left;
  for (const Row& row : rows) {
    Json fields = row.fields;
    const bool back = fields.contains("_op") && fields["_op"] == "-";
    fields.erase("_op");
    if (!back) {
      left.insert(std::move(fields));
      continue;
    }
    const auto found = left.find(fields);
    EXPECT_NE(found, left.end()) << fields.dump();
    if (found != left.end()) left.erase(found);
  }
  return {left.begin(), left.end()};
}

std::vector<Row> RunWindow(const Json& spec, const std::vector<Row>& rows) {
  auto made = MakeOperator(spec);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  std::vector<Row> out;
  int64_t seen = kLongAgo;
  for (const Row& row : rows) {
    EXPECT_TRUE((*made)->Push(row, &out).ok());
    seen = std::max(seen, row.time_ms);
    EXPECT_TRUE((*made)->Advance(seen - (*made)->allowed_lateness_ms(), &out).ok());
  }
  EXPECT_TRUE((*made)->Flush(&out).ok());
  EXPECT_EQ((*made)->losses().late, 0);
  EXPECT_EQ((*made)->losses().refused, 0);
  return out;
}

size_t WantedWindows() {
  const char* text = std::getenv("FERRY_WINDOW_CASES");
  return text == nullptr ? 3'000 : static_cast<size_t>(std::atoll(text));
}

TEST(Windows, EqualTheirDefinitionInAnyOrderWithinTheLateness) {
  size_t windows = 0;
  for (unsigned seed = 1; windows < WantedWindows(); ++seed) {
    std::mt19937 random(seed);
    const Case c = RandomCase(random);
    const Json spec = SpecOf(c);
    SCOPED_TRACE(fmt::format("seed {} {}", seed, spec.dump()));
    const std::vector<Row> rows = RandomRows(random);
    std::vector<Json> naive = NaiveWindows(c, rows);
    std::sort(naive.begin(), naive.end());
    for (int order = 0; order < 2; ++order) {
      const std::vector<Row> out = RunWindow(spec, Shuffled(rows, c.lateness, random));
      ASSERT_EQ(Json(Settled(out)), Json(naive));
      if (c.updates || c.kind == "count") continue;
      EXPECT_TRUE(std::is_sorted(out.begin(), out.end(),
                                 [](const Row& a, const Row& b) { return a.time_ms < b.time_ms; }));
    }
    windows += naive.size();
  }
  RecordProperty("windows", static_cast<int>(windows));
}

// ---- pages

Row PageRow(int64_t time, const char* event, const std::string& page,
            Json fields = Json::object()) {
  return {time, std::move(fields),
          std::make_shared<const event::Origin>(event::Origin{event, page})};
}

// Visits made as brackets, one inside the other, on a few pages; every time is there once.
void RandomVisits(std::mt19937& random, int depth, int64_t* time, std::vector<Row>* rows,
                  std::vector<Json>* naive) {
  const std::string page(1, 'a' + random() % 3);
  const int64_t start = (*time)++;
  rows->push_back(PageRow(start, "page_enter", page));
  int64_t clicks = 0, sum = 0;
  for (uint32_t n = random() % 5; n > 0; --n) {
    if (depth < 3 && random() % 3 == 0) {
      RandomVisits(random, depth + 1, time, rows, naive);
      continue;
    }
    ++clicks;
    const int64_t v = random() % 100;
    sum += v;
    rows->push_back(PageRow((*time)++, "click", page, {{"v", v}}));
  }
  rows->push_back(PageRow(*time, "page_exit", page));
  naive->push_back({{"page", page},
                    {"exit", "event"},
                    {"window_start_ms", start},
                    {"window_end_ms", (*time)++},
                    {"n", clicks},
                    {"sum", clicks > 0 ? Json(sum) : Json()}});
}

TEST(Windows, PageVisitsPairInAnyOrderWithinTheLateness) {
  Json spec = {{"op", "window"},
               {"kind", "page"},
               {"allowed_lateness_ms", 10},
               {"aggregates", Json::parse(R"([{"op":"count","as":"n"},
                 {"op":"sum","field":"v","as":"sum"}])")}};
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    SCOPED_TRACE(seed);
    spec["emit"] = seed % 3 == 0 ? "updates" : "final";
    std::vector<Row> rows;
    std::vector<Json> naive;
    int64_t time = 1;
    for (int k = 0; k < 5; ++k) RandomVisits(random, 0, &time, &rows, &naive);
    std::sort(naive.begin(), naive.end());
    ASSERT_EQ(Json(Settled(RunWindow(spec, Shuffled(rows, 10, random)))), Json(naive));
    spec["allowed_lateness_ms"] = 0;
    ASSERT_EQ(Json(Settled(RunWindow(spec, rows))), Json(naive));
    spec["allowed_lateness_ms"] = 10;
  }
}

TEST(Windows, OneMillisecondOfAPageInAnyOrder) {
  const Json spec = Json::parse(R"({"op":"window","kind":"page","allowed_lateness_ms":5,
    "aggregates":[{"op":"count","as":"n"}]})");
  // The first visit ends when the second begins; the second lasts no time.
  std::vector<Row> rows = {PageRow(1, "page_enter", "a"), PageRow(4, "click", "a"),
                           PageRow(4, "page_exit", "a"),  PageRow(4, "page_enter", "a"),
                           PageRow(4, "page_exit", "a"),  PageRow(9, "tick", "b")};
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    const std::vector<Row> out = RunWindow(spec, rows);
    ASSERT_EQ(out.size(), 2u);
    EXPECT_EQ(out[0].fields, Json::parse(R"({"page":"a","exit":"event","n":1,
      "window_start_ms":1,"window_end_ms":4})"));
    EXPECT_EQ(out[1].fields["window_start_ms"], 4);
    std::shuffle(rows.begin(), rows.end() - 1, random);
  }
}

TEST(Windows, MissingExitsAndEntersFollowTheRule) {
  auto made = MakeOperator(Json::parse(R"({"op":"window","kind":"page","timeout_ms":1000,
    "aggregates":[{"op":"count","as":"n"}]})"));
  ASSERT_TRUE(made.ok());
  Operator& page = **made;
  std::vector<Row> out;
  ASSERT_TRUE(page.Push(PageRow(1, "page_exit", "a"), &out).ok());
  EXPECT_EQ(page.losses().missing_enters, 1);
  ASSERT_TRUE(page.Push(PageRow(100, "page_enter", "a"), &out).ok());
  ASSERT_TRUE(page.Push(PageRow(700, "click", "a"), &out).ok());
  EXPECT_EQ(page.next_close_ms(), 1100);
  ASSERT_TRUE(page.Advance(1099, &out).ok());
  EXPECT_TRUE(out.empty());
  ASSERT_TRUE(page.Advance(1100, &out).ok());
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].fields, Json::parse(R"({"page":"a","exit":"missing","n":1,
    "window_start_ms":100,"window_end_ms":700})"));
  EXPECT_EQ(page.losses().missing_exits, 1);
  // Beyond the limit the oldest visit goes.
  out.clear();
  for (int64_t k = 0; k <= 1024; ++k)
    ASSERT_TRUE(page.Push(PageRow(2000 + k, "page_enter", "p" + std::to_string(k)), &out).ok());
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].fields["page"], "p0");
  EXPECT_EQ(page.losses().missing_exits, 2);
}

// ---- limits

TEST(Windows, LimitsAreExact) {
  const auto code = [](const std::string& text) { return MakeOperator(Json::parse(text)).code(); };
  const std::string rest = R"(,"aggregates":[{"op":"count","as":"n"}]})";
  EXPECT_EQ(code(R"({"op":"window","kind":"sliding","size_ms":4096,"step_ms":1)" + rest),
            Code::kOk);
  EXPECT_EQ(code(R"({"op":"window","kind":"sliding","size_ms":4097,"step_ms":1)" + rest),
            Code::kLimitExceeded);
  EXPECT_EQ(code(R"({"op":"window","kind":"sliding","size_ms":10,"step_ms":11)" + rest),
            Code::kMalformed);
  EXPECT_EQ(code(R"({"op":"window","kind":"count","size":1000000)" + rest), Code::kOk);
  EXPECT_EQ(code(R"({"op":"window","kind":"count","size":1000001)" + rest), Code::kMalformed);
  const std::string most = std::to_string(kMaxWindowMs), more = std::to_string(kMaxWindowMs + 1);
  EXPECT_EQ(code(R"({"op":"window","kind":"session","gap_ms":)" + most + rest), Code::kOk);
  EXPECT_EQ(code(R"({"op":"window","kind":"session","gap_ms":)" + more + rest), Code::kMalformed);
}

TEST(Windows, RowsThatWaitAreBounded) {
  auto made = MakeOperator(Json::parse(R"({"op":"window","kind":"count","size":3,
    "allowed_lateness_ms":1000000,"aggregates":[{"op":"count","as":"n"}]})"));
  ASSERT_TRUE(made.ok());
  std::vector<Row> out;
  for (size_t k = 0; k < kMaxHeldRows; ++k)
    ASSERT_TRUE((*made)->Push({static_cast<int64_t>(k)}, &out).ok());
  EXPECT_EQ((*made)->Push({5}, &out).code(), Code::kLimitExceeded);
  EXPECT_EQ((*made)->losses().refused, 1);
}

TEST(Windows, ValuesThatAPaneKeepsAreBounded) {
  auto made = MakeOperator(Json::parse(R"({"op":"window","size_ms":3,
    "aggregates":[{"op":"first","field":"s","as":"s"}]})"));
  ASSERT_TRUE(made.ok());
  std::vector<Row> out;
  EXPECT_TRUE((*made)->Push({1, {{"s", std::string(kMaxValueBytes, 'x')}}}, &out).ok());
  EXPECT_EQ((*made)->Push({1, {{"s", std::string(kMaxValueBytes + 1, 'x')}}}, &out).code(),
            Code::kLimitExceeded);
}

TEST(Windows, OneKeyForEqualNumbers) {
  auto made = MakeOperator(Json::parse(R"({"op":"window","size_ms":10,"key":["k"],
    "aggregates":[{"op":"count","as":"n"}]})"));
  ASSERT_TRUE(made.ok());
  std::vector<Row> out;
  for (const Json& k :
       {Json(1), Json(1.0), Json(-0.0), Json(0u), Json("1"), Json({1.0}), Json({1})})
    ASSERT_TRUE((*made)->Push({1, {{"k", k}}}, &out).ok());
  ASSERT_TRUE((*made)->Flush(&out).ok());
  std::vector<std::string> texts;
  for (const Row& row : out) texts.push_back(row.fields["k"].dump() + row.fields["n"].dump());
  EXPECT_THAT(texts, testing::ElementsAre("\"1\"1", "02", "12", "[1]2"));
}

// Of every kind: min_rows keeps back the windows of fewer rows and no other, and counts them.
TEST(Windows, MinRowsKeepsSmallWindowsBack) {
  const Json kinds[] = {{{"kind", "tumbling"}, {"size_ms", 20}},
                        {{"kind", "sliding"}, {"size_ms", 30}, {"step_ms", 10}},
                        {{"kind", "session"}, {"gap_ms", 4}, {"allowed_lateness_ms", 50}},
                        {{"kind", "count"}, {"size", 4}},
                        {{"kind", "page"}}};
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<Row> rows;
    int64_t time_ms = 0;
    for (int n = 0; n < 60; ++n) {
      Row row{time_ms += static_cast<int64_t>(random() % 6), {{"k", random() % 3}}};
      static constexpr const char* kEvents[] = {"page_enter", "page_exit", "click", "click"};
      row.origin = std::make_shared<const event::Origin>(event::Origin{kEvents[random() % 4], "p"});
      rows.push_back(std::move(row));
    }
    Json spec = kinds[static_cast<size_t>(round) % std::size(kinds)];
    spec.update(
        {{"op", "window"}, {"key", {"k"}}, {"aggregates", {{{"op", "count"}, {"as", "n"}}}}});
    const int64_t least = 1 + static_cast<int64_t>(random() % 4);
    const auto run = [&rows](const Json& with, int64_t* small) {
      auto made = MakeOperator(with);
      EXPECT_TRUE(made.ok()) << made.status().ToString();
      std::vector<Row> out;
      for (const Row& row : rows) {
        EXPECT_TRUE((*made)->Push(row, &out).ok());
        EXPECT_TRUE((*made)->Advance(row.time_ms - 50, &out).ok());
      }
      EXPECT_TRUE((*made)->Flush(&out).ok());
      *small = (*made)->losses().small;
      std::vector<Json> fields;
      for (const Row& row : out) fields.push_back(row.fields);
      return fields;
    };
    int64_t small = 0, none = 0;
    const std::vector<Json> all = run(spec, &none);
    spec["min_rows"] = least;
    const std::vector<Json> kept = run(spec, &small);
    std::vector<Json> wanted;
    for (const Json& row : all)
      if (row["n"].get<int64_t>() >= least) wanted.push_back(row);
    ASSERT_EQ(kept, wanted) << WriteJson(spec);
    EXPECT_EQ(none, 0);
    EXPECT_EQ(small, static_cast<int64_t>(all.size() - wanted.size()));
  }
  EXPECT_FALSE(MakeOperator({{"op", "window"},
                             {"size_ms", 5},
                             {"min_rows", -1},
                             {"aggregates", {{{"op", "count"}, {"as", "n"}}}}})
                   .ok());
  EXPECT_FALSE(MakeOperator({{"op", "window"},
                             {"size_ms", 5},
                             {"min_rows", 2},
                             {"emit", "updates"},
                             {"aggregates", {{{"op", "count"}, {"as", "n"}}}}})
                   .ok());
}

}  // namespace
}  // namespace ferry::operators
