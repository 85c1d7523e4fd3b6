// Property: a flow that is committed, thrown away and made anew after any event tells what one that
// was never stopped tells. Definitions and events are random.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "pipeline/flow/flow_world.h"
#include "pipeline/rule/random_rules.h"

namespace ferry::flow {
namespace {

using rule::Below;
using rule::OneIn;
using rule::Random;

// `text` with %a, %b, .. given by `words`.
Json Template(std::string text, const std::vector<std::string>& words) {
  for (size_t k = 0; k < words.size(); ++k) {
    const std::string name = {'%', static_cast<char>('a' + k)};
    for (size_t at; (at = text.find(name)) != text.npos;) text.replace(at, 2, words[k]);
  }
  auto json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << text;
  return json.value_or(Json());
}

// Chains of operators over rows with p, q and u, which may be missing or of another type.
Json RandomChain(Random& random) {
  static const char* const kChains[] = {
      R"([])",
      R"([{"op":"filter","where":"p > 1"}])",
      R"([{"op":"dedupe","key":["u"],"within_ms":%a}])",
      R"([{"op":"sample","one_in":2}])",
      R"([{"op":"window","size_ms":%a,"key":["u"],"allowed_lateness_ms":%b,
          "aggregates":[{"op":"count","as":"n"},{"op":"sum","field":"p","as":"p"}]}])",
      R"([{"op":"window","kind":"sliding","size_ms":20,"step_ms":10,"allowed_lateness_ms":%b,
          "aggregates":[{"op":"count","as":"p"}]}])",
      R"([{"op":"window","kind":"session","gap_ms":%a,"key":["_page"],"allowed_lateness_ms":%b,
          "aggregates":[{"op":"last","field":"q","as":"q"},{"op":"count","as":"p"}]}])",
      R"([{"op":"window","kind":"count","size":3,"aggregates":[{"op":"max","field":"p","as":"p"}]},
          {"op":"filter","where":"p >= 1"}])",
      R"([{"op":"join","with":"c","key":["u"],"lower_ms":-10,"upper_ms":%a,"as":"r"}])",
      R"([{"op":"lookup","table":"t","key":["k"],"as":"found"}])",
  };
  return Template(kChains[Below(random, std::size(kChains))],
                  {std::to_string(1 + Below(random, 25)), std::to_string(Below(random, 12))});
}

Json RandomStreams(Random& random, const std::vector<std::string>& rules) {
  Json out = Json::array();
  const size_t count = 1 + Below(random, 4);
  for (size_t k = 0; k < count; ++k) {
    // Later streams may read earlier ones.
    std::vector<std::string> sources = {"a", "b", "c"};
    sources.insert(sources.end(), rules.begin(), rules.end());
    for (size_t n = 0; n < k; ++n) sources.push_back("stream" + std::to_string(n));
    Json stream = {{"name", "stream" + std::to_string(k)},
                   {"source", sources[Below(random, sources.size())]},
                   {"operators", RandomChain(random)}};
    if (OneIn(random, 3)) stream["to"] = "f";
    if (OneIn(random, 3)) stream["upload"] = true;
    out.push_back(std::move(stream));
  }
  out.push_back(
      {{"name", "fill"},
       {"source", "a"},
       {"operators", Json::array({{{"op", "map"}, {"fields", {{"k", "p"}, {"v", "_time_ms"}}}}})},
       {"into", "t"}});
  return out;
}

Json RandomTask(Random& random, size_t number) {
  Json task = {
      {"rules", Json::array()},
      {"tables",
       Json::array({{{"name", "t"}, {"key", {"k"}}, {"columns", {{"k", "int"}, {"v", "int"}}}}})}};
  std::vector<std::string> names;
  for (size_t k = 0, rules = 1 + Below(random, 4); k < rules; ++k) {
    rule::Rule rule = rule::RandomRule(random);
    rule.name = "rule" + std::to_string(k);
    rule.max_runs = 50;
    // Some see rows of streams.
    for (rule::Step& step : rule.steps)
      if (OneIn(random, 5)) step.fits.event = "stream" + std::to_string(Below(random, 3));
    if (!rule::CheckRule(rule).ok()) continue;
    Json json = rule::RuleToJson(rule);
    if (OneIn(random, 3)) json["to"] = "on_" + rule.name;
    names.push_back(rule.name);
    task["rules"].push_back(std::move(json));
  }
  task["streams"] = RandomStreams(random, names);
  if (OneIn(random, 2))
    task["trigger"] = {{"sequence", {{{"event", "a"}}, {{"event", "b"}}}},
                       {"within_ms", 1 + Below(random, 40)},
                       {"after_match", number % 2 == 0 ? "restart" : "keep"}};
  return task;
}

// What one event leads to, by turns with what the clock and functions do.
void Step(FlowWorld& world, const event::Event& event, size_t at) {
  world.OnEvent(event);
  if (at % 5 == 3) world.Emit("one", "a", event.time_ms, {{"p", at % 4}, {"u", 1}});
  if (at % 7 == 5) world.AdvanceEventTime(event.time_ms + 3);
}

std::string Join(const std::deque<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

void ExpectSameWithRestarts(uint64_t seed) {
  SCOPED_TRACE(seed);
  Random random(seed);
  const Json one = RandomTask(random, seed), two = RandomTask(random, seed + 1);
  const auto events = rule::RandomStream(random, 10 + Below(random, 30));
  FlowWorld whole, stopped;
  for (FlowWorld* world : {&whole, &stopped}) {
    const Status first = world->Use("one", one), second = world->Use("two", two);
    ASSERT_TRUE(first.ok() && second.ok())
        << first.ToString() << second.ToString() << one.dump() << two.dump();
  }
  const bool every = OneIn(random, 2);
  for (size_t k = 0; k < events.size(); ++k) {
    for (FlowWorld* world : {&whole, &stopped}) Step(*world, *events[k], k);
    ASSERT_EQ(Join(whole.told()), Join(stopped.told())) << "after event " << k + 1 << "\n"
                                                        << one.dump() << "\n"
                                                        << two.dump();
    // Both commit, so that tables are the same.
    if (!every && !OneIn(random, 3)) continue;
    whole.Commit();
    stopped.Commit();
    stopped.Restart();
  }
  for (FlowWorld* world : {&whole, &stopped}) world->Flush();
  EXPECT_EQ(Join(whole.told()), Join(stopped.told())) << one.dump() << "\n" << two.dump();
}

TEST(FlowState, RestartsChangeNothing) {
  const char* cases = std::getenv("FERRY_FLOW_CASES");
  const uint64_t count = cases == nullptr ? 60 : std::strtoull(cases, nullptr, 10);
  for (uint64_t seed = 0; seed < count && !testing::Test::HasFailure(); ++seed)
    ExpectSameWithRestarts(seed);
}

TEST(FlowState, ACommitWithoutEventsWritesNothing) {
  Random random(7);
  FlowWorld world;
  ASSERT_TRUE(world.Use("one", RandomTask(random, 0)).ok());
  for (const auto& event : rule::RandomStream(random, 20)) world.OnEvent(*event);
  world.Commit();
  store::StateChanges changes;
  world.flow().SaveChanges(changes);
  EXPECT_TRUE(changes.empty());
}

TEST(FlowState, NothingStaysOfWhatIsRemoved) {
  Random random(9);
  FlowWorld world;
  ASSERT_TRUE(world.Use("one", RandomTask(random, 0)).ok());
  ASSERT_TRUE(world.Use("two", RandomTask(random, 1)).ok());
  for (const auto& event : rule::RandomStream(random, 30)) world.OnEvent(*event);
  world.Commit();
  EXPECT_GT(world.pairs().size(), 2u);
  world.Remove("one");
  world.Commit();
  for (const auto& [key, value] : world.pairs()) EXPECT_EQ(key.find("one"), key.npos) << key;
  // Of a task that does not come back after a restart neither.
  FlowWorld& again = world;
  again.Remove("two");
  again.Commit();
  for (const auto& [key, value] : again.pairs())
    EXPECT_TRUE(key.starts_with("r/M") || key.starts_with("s/M")) << key;
}

TEST(FlowState, DamagedStateIsDroppedAndTheRestGoesOn) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::map<std::string, std::string> pairs;
    auto definition = DefinitionFromJson(RandomTask(random, seed));
    ASSERT_TRUE(definition.ok());
    auto outbox = std::move(*store::OpenOutbox(":memory:", sys::SystemRandom()));
    FlowOptions options;
    options.tables = &outbox->tables();
    options.stored = [&pairs](std::string_view prefix) {
      std::vector<rule::StatePair> out;
      for (const auto& pair : pairs)
        if (pair.first.starts_with(prefix)) out.push_back(pair);
      return out;
    };
    options.resolver = [](uint64_t) { return nullptr; };
    const auto shared = std::make_shared<const Definition>(std::move(*definition));
    const auto events = rule::RandomStream(random, 30);
    Effects effects;
    {
      Flow flow(options);
      ASSERT_TRUE(flow.Use("one", shared).ok());
      for (const auto& event : events) flow.OnEvent(event, event->time_ms, 0, &effects);
      store::StateChanges changes;
      flow.SaveChanges(changes);
      for (const auto& [key, value] : changes.changes())
        if (value) pairs[key] = *value;
    }
    for (auto& [key, value] : pairs)
      if (!value.empty() && OneIn(random, 2))
        value[Below(random, value.size())] ^= static_cast<char>(1 + Below(random, 255));
    Flow flow(options);
    ASSERT_TRUE(flow.Use("one", shared).ok());
    flow.DropUnclaimed();
    for (const auto& event : events) {
      auto again = std::make_shared<event::Event>(*event);
      again->number += 1000;
      flow.OnEvent(again, again->time_ms, 0, &effects);
    }
    store::StateChanges changes;
    flow.SaveChanges(changes);
  }
}

}  // namespace
}  // namespace ferry::flow
