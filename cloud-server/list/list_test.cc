// Pages against what sorting and filtering the whole list gives, while rows come and go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "cloud-server/list/query.h"
#include "policy/text/rule_text.h"

namespace ferry::server::list {
namespace {

using testing::HasSubstr;

struct Thing : Row {
  std::string id, name, version;
  std::optional<int64_t> size;
  bool old = false;
  Value At(size_t column) const override {
    switch (column) {
      case 0:
        return Value::Of(std::string_view(id));
      case 1:
        return Value::Of(std::string_view(name));
      case 2:
        return Value::Of(std::string_view(version));
      case 3:
        return size ? Value::Of(*size) : Value();
      default:
        return Value::Of(int64_t{old});
    }
  }
};

const Spec& ThingSpec() {
  static const Spec* const spec = new Spec{new Vocabulary({{"id", ColumnKind::kText},
                                                           {"name", ColumnKind::kText},
                                                           {"version", ColumnKind::kVersion},
                                                           {"size", ColumnKind::kNumber},
                                                           {"old", ColumnKind::kFlag}}),
                                           "id",
                                           {}};
  return *spec;
}

std::vector<Thing> MakeThings(uint64_t seed, int count) {
  std::mt19937_64 draw(seed);
  std::vector<Thing> things(static_cast<size_t>(count));
  for (Thing& thing : things) {
    thing.id = fmt::format("{:05}", draw() % 100'000);
    thing.name = std::string(1, static_cast<char>('a' + draw() % 5));
    thing.version = fmt::format("1.{}.0", draw() % 12);
    if (draw() % 4 != 0) thing.size = static_cast<int64_t>(draw() % 6);
    thing.old = draw() % 2 == 0;
  }
  std::sort(things.begin(), things.end(),
            [](const Thing& a, const Thing& b) { return a.id < b.id; });
  things.erase(std::unique(things.begin(), things.end(),
                           [](const Thing& a, const Thing& b) { return a.id == b.id; }),
               things.end());
  return things;
}

Page SelectThings(const Query& query, const std::vector<Thing>& things, bool in_key_order) {
  Rows rows;
  rows.count = things.size();
  rows.row = [&](size_t i) -> const Row& { return things[i]; };
  rows.in_key_order = in_key_order;
  // Both ways to ask the filter.
  if (things.size() % 2 == 0 && query.filter)
    rows.passes = [&](size_t i) { return target::Matches(*query.filter, things[i], {}); };
  // And by numbers of what stands in the first column.
  std::map<std::pair<int, std::string>, uint32_t> codes;
  const auto code = [&](size_t i) {
    const Value value = things[i].At(query.sort[0].column);
    const std::pair<int, std::string> key{static_cast<int>(value.kind),
                                          value.kind == Value::Kind::kNumber
                                              ? std::to_string(value.number)
                                              : std::string(value.text)};
    return codes.emplace(key, static_cast<uint32_t>(codes.size())).first->second;
  };
  if (things.size() % 3 != 1) rows.first_code = code;
  return Select(query, ThingSpec(), rows);
}

// By sorting all of it.
std::vector<std::string> NaiveIds(const std::vector<Thing>& things, const Query& query) {
  std::vector<const Thing*> rows;
  for (const Thing& thing : things)
    if (!query.filter || target::Matches(*query.filter, thing, {})) rows.push_back(&thing);
  std::stable_sort(rows.begin(), rows.end(), [&](const Thing* a, const Thing* b) {
    for (const SortColumn& one : query.sort) {
      const auto order = Compare(a->At(one.column), b->At(one.column),
                                 ThingSpec().vocabulary->columns()[one.column].kind);
      if (order != 0) return one.descending ? order > 0 : order < 0;
    }
    return false;
  });
  std::vector<std::string> ids;
  for (const Thing* row : rows) ids.push_back(row->id);
  return ids;
}

std::string ErrorOf(const std::map<std::string, std::string>& query) {
  return ReadQuery(query, ThingSpec()).status().ToString();
}

TEST(List, PagesAreTheWholeList) {
  const std::vector<Thing> things = MakeThings(1, 300);
  for (const char* sort : {"", "id", "-id", "name", "-size,name", "version,-old", "old,size,-id"}) {
    for (const char* filter : {"", "size > 2", "not old == \"true\" and name in (\"a\", \"b\")"}) {
      for (const bool in_key_order : {false, true}) {
        std::map<std::string, std::string> asked = {
            {"limit", "7"}, {"sort", sort}, {"filter", filter}, {"total", "1"}};
        std::vector<std::string> found, all;
        for (int pages = 0; pages < 100; ++pages) {
          const Result<Query> query = ReadQuery(asked, ThingSpec());
          ASSERT_TRUE(query.ok()) << query.status().ToString();
          const Page page = SelectThings(*query, things, in_key_order);
          all = NaiveIds(things, *query);
          EXPECT_EQ(page.total, static_cast<int64_t>(all.size())) << sort << " " << filter;
          for (const size_t row : page.rows) found.push_back(things[row].id);
          if (!page.more) break;
          asked["cursor"] = CursorOf(*query, ThingSpec(), things[page.rows.back()]);
        }
        EXPECT_EQ(found, all) << sort << " | " << filter;
      }
    }
  }
}

// Who is there from the first page to the last comes once, in order, whoever comes and goes.
TEST(List, AWalkIsStableWhileRowsComeAndGo) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 draw(seed);
    std::vector<Thing> things = MakeThings(seed, 200);
    std::vector<std::string> stay;
    for (const Thing& thing : things) stay.push_back(thing.id);
    std::map<std::string, std::string> asked = {{"limit", "11"}, {"sort", "-name,size"}};
    std::vector<std::string> walked;
    while (true) {
      const Result<Query> query = ReadQuery(asked, ThingSpec());
      ASSERT_TRUE(query.ok());
      const Page page = SelectThings(*query, things, true);
      for (const size_t row : page.rows) walked.push_back(things[row].id);
      if (!page.more) break;
      asked["cursor"] = CursorOf(*query, ThingSpec(), things[page.rows.back()]);
      // The row that the cursor names may go too.
      for (int i = 0; i < 3 && !things.empty(); ++i) {
        const size_t gone = draw() % things.size();
        std::erase(stay, things[gone].id);
        things.erase(things.begin() + static_cast<std::ptrdiff_t>(gone));
      }
      std::vector<Thing> more = MakeThings(draw(), 5);
      for (Thing& thing : more) thing.id += "x";
      things.insert(things.end(), more.begin(), more.end());
      std::sort(things.begin(), things.end(),
                [](const Thing& a, const Thing& b) { return a.id < b.id; });
    }
    std::vector<std::string> once = walked;
    std::sort(once.begin(), once.end());
    EXPECT_EQ(std::unique(once.begin(), once.end()), once.end()) << "seed " << seed;
    const Result<Query> query = ReadQuery(asked, ThingSpec());
    std::vector<std::string> kept;
    for (const std::string& id : NaiveIds(things, *query))
      if (std::find(stay.begin(), stay.end(), id) != stay.end()) kept.push_back(id);
    std::erase_if(walked, [&](const std::string& id) {
      return std::find(kept.begin(), kept.end(), id) == kept.end();
    });
    EXPECT_EQ(walked, kept) << "seed " << seed;
  }
}

TEST(List, WhatIsWrongWithAQueryIsNamed) {
  EXPECT_THAT(ErrorOf({{"limit", "x"}}), HasSubstr("?limit=x: not a number from 0"));
  EXPECT_THAT(ErrorOf({{"sort", "siz"}}),
              HasSubstr("sort: there is no column \"siz\"; known are: id name version size old"));
  EXPECT_THAT(ErrorOf({{"sort", "name,size,old,version,-name"}}), HasSubstr("more than 4"));
  EXPECT_THAT(ErrorOf({{"filter", "size > \"2\""}}),
              HasSubstr("bad_rule: filter: line 1, column 1: size is a number"));
  EXPECT_THAT(ErrorOf({{"filter", "name == 2"}}), HasSubstr("name is text"));
  EXPECT_THAT(ErrorOf({{"filter", "old == \"yes\""}}), HasSubstr("old is yes or no"));
  EXPECT_THAT(ErrorOf({{"filter", "os == \"linux\""}}),
              HasSubstr("there is no attribute or function os; known are: id name version"));
  EXPECT_THAT(ErrorOf({{"filter", "size > 1.5"}}), HasSubstr("no whole number"));
  EXPECT_THAT(ErrorOf({{"cursor", "nonsense"}}), HasSubstr("cursor: "));
  EXPECT_THAT(ErrorOf({{"cursor", std::string(5000, 'a')}}), HasSubstr("too long"));
  const Query query = *ReadQuery({{"sort", "name"}}, ThingSpec());
  const std::string cursor = CursorOf(query, ThingSpec(), MakeThings(1, 3)[0]);
  EXPECT_TRUE(ReadQuery({{"sort", "name"}, {"cursor", cursor}}, ThingSpec()).ok());
  for (const auto& [key, value] : {std::pair{"sort", "size"}, std::pair{"filter", "size > 1"}})
    EXPECT_THAT(ErrorOf({{key, value}, {"cursor", cursor}}),
                HasSubstr("it belongs to another sort or filter"));
  EXPECT_EQ(ReadQuery({{"limit", "0"}}, ThingSpec())->limit, 1u);
  EXPECT_EQ(ReadQuery({{"limit", "5000"}}, ThingSpec())->limit, 1000u);
  EXPECT_EQ(ReadQuery({}, ThingSpec())->limit, 200u);
}

TEST(List, FiltersTestColumns) {
  Thing thing;
  thing.id = "7";
  thing.name = "Berlin";
  thing.version = "1.10.0";
  const auto matches = [&](const char* filter) {
    const auto rule = text::ParseRule(filter, ThingSpec().vocabulary->names());
    EXPECT_TRUE(rule.ok()) << filter << ": " << rule.status().ToString();
    return rule.ok() && target::Matches(*rule, thing, {});
  };
  EXPECT_TRUE(matches("text(\"berl\")"));
  EXPECT_FALSE(matches("text(\"bonn\")"));
  EXPECT_TRUE(matches("version > \"1.9.0\""));
  EXPECT_TRUE(matches("name != \"Bonn\" and old == \"false\""));
  // What is not known is neither.
  EXPECT_FALSE(matches("size > 0"));
  EXPECT_FALSE(matches("not size > 0"));
  thing.size = 5;
  EXPECT_TRUE(matches("size >= 5 and size < 1 KiB and size != 4"));
}

TEST(List, VersionsStandInTheirOrder) {
  const auto order = [](std::string_view a, std::string_view b) {
    const auto order = Compare(Value::Of(a), Value::Of(b), ColumnKind::kVersion);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  };
  EXPECT_LT(order("1.9.0", "1.10.0"), 0);
  EXPECT_LT(order("1.9.0", "1.9.1"), 0);
  EXPECT_GT(order("2", "1.99"), 0);
  EXPECT_LT(order("1.0", "1.0.1"), 0);
  EXPECT_EQ(order("1.02", "1.02"), 0);
  EXPECT_NE(order("1.02", "1.2"), 0);
  EXPECT_LT(order("", "0"), 0);
}

}  // namespace
}  // namespace ferry::server::list
