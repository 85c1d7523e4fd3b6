// Random tasks, run with values that can be told wherever they turn up: what turns up in an upload
// is what the analysis must have named.
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "common/base/json.h"
#include "pipeline/flow/flow.h"
#include "pipeline/privacy/privacy.h"

namespace ferry::privacy {
namespace {

using Random = std::mt19937_64;
using Leaks = std::set<std::pair<std::string, std::string>>;  // stream, local field

size_t Below(Random& random, size_t bound) {
  return static_cast<size_t>(random() % bound);
}

constexpr const char* kLocals[] = {"u.n", "v", "list.x"};

std::string Mark(std::string_view local) {
  return fmt::format("<{}>", local);
}

// Names that rows may have, the same in every task: some read nothing.
std::string RandomName(Random& random) {
  static constexpr const char* kNames[] = {"u",   "u.n",   "u.m", "v",   "w",   "list", "x",
                                           "key", "s.u.n", "t.v", "s.v", "f.n", "f",    "g",
                                           "j.v", "j.f",   "i.x", "i",   "s",   "t.f",  "n"};
  return kNames[Below(random, std::size(kNames))];
}

std::string RandomTop(Random& random) {
  static constexpr const char* kTops[] = {"u", "v", "w", "list", "x", "f", "g", "s", "key"};
  return kTops[Below(random, std::size(kTops))];
}

std::string RandomValue(Random& random) {
  const std::string name = RandomName(random);
  switch (Below(random, 6)) {
    case 0:
      return "\"-\" + " + name;
    case 1:
      return "keyed_hash(" + name + ")";
    case 2:
      return name + " == \"x\"";
    default:
      return name;
  }
}

Json RandomMap(Random& random) {
  Json fields = {{"key", "key"}};
  for (size_t k = 0, n = 1 + Below(random, 3); k < n; ++k)
    fields[RandomTop(random)] = RandomValue(random);
  return {{"op", "map"}, {"fields", std::move(fields)}};
}

Json RandomWindow(Random& random) {
  static constexpr const char* kOps[] = {"first", "last", "top_k", "count", "distinct", "first"};
  Json aggregates = Json::array();
  for (const char* as : {"f", "g"}) {
    const std::string op = kOps[Below(random, std::size(kOps))];
    Json one = {{"op", op}, {"as", as}};
    if (op != "count") one["field"] = RandomTop(random);
    if (op == "top_k") one["k"] = 3;
    aggregates.push_back(std::move(one));
  }
  Json out = {{"op", "window"},
              {"kind", "count"},
              {"size", 1 + Below(random, 3)},
              {"key", Json::array()},
              {"aggregates", std::move(aggregates)}};
  if (Below(random, 2) == 0) out["key"] = {"key"};
  if (Below(random, 3) == 0) out["key"].push_back("v");
  if (Below(random, 3) == 0) out["min_rows"] = 2;
  return out;
}

Json RandomOperator(Random& random, const std::vector<std::string>& sources) {
  switch (Below(random, 8)) {
    case 0:
      return {{"op", "filter"}, {"where", "w != \"nothing\""}};
    case 1:
      return {{"op", "flat_map"}, {"field", "list"}};
    case 2:
      return {{"op", "flat_map"}, {"field", "list"}, {"as", "i"}};
    case 3:
      return RandomWindow(random);
    case 4:
      return {{"op", "join"},      {"with", sources[Below(random, sources.size())]},
              {"as", "j"},         {"key", {"key"}},
              {"lower_ms", -9000}, {"upper_ms", 9000}};
    default:
      return RandomMap(random);
  }
}

Json RandomTask(Random& random) {
  Json fields = Json::object();
  for (const char* local : kLocals)
    if (Below(random, 3) > 0) fields[local] = {{"class", "local"}, {"k", 2 + Below(random, 2)}};
  std::vector<std::string> sources = {"a", "b"};
  Json streams = Json::array(), rules = Json::array();
  for (size_t k = 0, n = 1 + Below(random, 4); k < n; ++k) {
    const std::string name = fmt::format("s{}", k);
    if (Below(random, 3) == 0) {
      const std::string rule = fmt::format("r{}", k);
      rules.push_back({{"name", rule},
                       {"per", {"key"}},
                       {"skip", "none"},
                       {"steps",
                        {{{"name", "s"}, {"event", sources[Below(random, sources.size())]}},
                         {{"name", "t"}, {"event", sources[Below(random, sources.size())]}}}}});
      sources.push_back(rule);
    }
    Json operators = Json::array();
    for (size_t o = 0, many = Below(random, 4); o < many; ++o)
      operators.push_back(RandomOperator(random, sources));
    streams.push_back({{"name", name},
                       {"source", sources[Below(random, sources.size())]},
                       {"operators", std::move(operators)},
                       {"upload", Below(random, 3) > 0}});
    // A rule is no event of another: it is a source of streams only.
    std::erase_if(sources, [](const std::string& one) { return one[0] == 'r'; });
    sources.push_back(name);
    if (!rules.empty()) sources.push_back(rules.back()["name"]);
  }
  std::set<std::string> names;
  for (const Json& stream : streams) names.insert(stream["name"]);
  for (Json& rule : rules)
    for (Json& step : rule["steps"])
      if (step["event"].get<std::string>()[0] == 'r') step["event"] = "a";
  return {{"fields", std::move(fields)}, {"streams", std::move(streams)}, {"rules", rules}};
}

Leaks LeaksOf(const std::shared_ptr<const flow::Definition>& definition, const Json& fields) {
  flow::FlowOptions options;
  options.hash_key = "a key of the device";
  options.all_rows = true;
  flow::Flow flow(options);
  EXPECT_TRUE(flow.Use("task", definition).ok());
  Leaks out;
  const auto take = [&](flow::Effects& effects) {
    for (const flow::LeavingRow& row : effects.rows) {
      if (!row.output.upload) continue;
      const std::string text = WriteJson(row.output.row.fields);
      for (const auto& [local, value] : fields.items())
        if (text.find(Mark(local)) != text.npos) out.emplace(row.output.stream, local);
    }
    effects.Clear();
  };
  flow::Effects effects;
  for (int64_t k = 0; k < 12; ++k) {
    auto event = std::make_shared<event::Event>();
    event->id = k % 2 == 0 ? "a" : "b";
    event->time_ms = 1'000'000 + k * 10;
    event->data = {{"u", {{"n", Mark("u.n")}, {"m", "m"}}},
                   {"v", Mark("v")},
                   {"w", "w"},
                   {"key", "k"},
                   {"list", {{{"x", Mark("list.x")}, {"y", 1}}, {{"y", 2}}}}};
    flow.OnEvent(event, event->time_ms, k, &effects);
    take(effects);
  }
  flow.Flush(&effects);
  take(effects);
  return out;
}

TEST(PrivacyFollow, NamesAllThatARunLetsOut) {
  const char* rounds_text = std::getenv("FERRY_PRIVACY_ROUNDS");
  const int rounds = rounds_text == nullptr ? 500 : std::atoi(rounds_text);
  size_t named = 0, seen = 0, clean = 0;
  for (int round = 0; round < rounds; ++round) {
    Random random(static_cast<uint64_t>(round));
    const Json task = RandomTask(random);
    SCOPED_TRACE(WriteJson(task));
    auto read = flow::DefinitionFromJson(task);
    if (!read.ok()) continue;  // streams in a circle
    const auto definition = std::make_shared<const flow::Definition>(std::move(*read));
    const Report report = Follow(*definition, *FieldsFromJson(task));
    Leaks found;
    for (const Finding& one : report.findings) found.emplace(one.stream, one.local);
    const Leaks leaks = LeaksOf(definition, task["fields"]);
    for (const auto& leak : leaks)
      ASSERT_TRUE(found.contains(leak)) << leak.first << " " << leak.second;
    named += found.size();
    seen += leaks.size();
    clean += found.empty() ? 1 : 0;
  }
  // It does not name everything: most of what is named does get out, and many tasks are clean.
  fmt::print("named {}, seen {}, clean tasks {} of {}\n", named, seen, clean, rounds);
  EXPECT_GT(seen, static_cast<size_t>(rounds) / 2);
  EXPECT_GT(seen * 10, named * 7);
  EXPECT_GT(clean, static_cast<size_t>(rounds) / 20);
}

}  // namespace
}  // namespace ferry::privacy
