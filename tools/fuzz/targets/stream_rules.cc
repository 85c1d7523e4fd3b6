#include "common/base/check.h"
#include "common/base/json.h"
#include "pipeline/event/event.h"
#include "pipeline/rule/matcher.h"
#include "pipeline/rule/text.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr size_t kWatchedRules = 16;

// A rule that was read is written in both forms and read as the same again.
void WriteAndRead(const rule::Rule& rule) {
  const std::string text = rule::RuleToText(rule);
  const auto of_text = rule::RulesFromText(text);
  CHECK(of_text.ok()) << text << ": " << of_text.status().ToString();
  CHECK(of_text->size() == 1 && (*of_text)[0] == rule) << text;
  const Json json = rule::RuleToJson(rule);
  const auto of_json = rule::RuleFromJson(json);
  CHECK(of_json.ok()) << of_json.status().ToString();
  CHECK(*of_json == rule) << WriteJson(json);
}

void RunStreamRules(ByteView bytes) {
  const auto rules = rule::ParseRules(AsText(bytes));
  if (!rules.ok()) return;
  rule::Matcher matcher;
  std::vector<std::string> events = {"view", "other"};
  for (const rule::Rule& rule : *rules) {
    WriteAndRead(rule);
    if (events.size() > kWatchedRules || !matcher.Add(rule).ok()) continue;
    events.push_back(rule.steps[0].fits.event);
  }
  std::vector<rule::Match> out;
  for (size_t k = 0; k < 40; ++k) {
    auto event = std::make_shared<event::Event>();
    event->id = events[k * 7 % events.size()];
    event->page = k % 3 == 0 ? "detail" : "";
    event->time_ms = static_cast<int64_t>(1000 * k);
    event->data = {{"price", k % 11}, {"user", k % 2 == 0 ? "ann" : "bob"}};
    event->number = k + 1;
    matcher.OnEvent(event, &out);
  }
}

std::vector<Bytes> StreamRulesSeeds() {
  std::vector<Bytes> seeds;
  for (const std::string_view rules :
       {R"(rule cart per user { seen: view on detail where price > 10 times 1..3; then strict add:
           add_to_cart where price == seen.price and count(seen) > 1; not gone: remove;
           within 10 min; skip first seen; max_runs 100; max_keys 50 }  # a comment)",
        R"(rule "a b" { any optional greedy x: * times 2 inner any until price > 3; y: view until
           {other on "p"}; skip next } rule r2 { not_first: view; skip none; within 90 s })",
        R"({"rules":[{"name":"j","per":["_page","a.b"],"steps":[{"name":"s","event":"view","times":
           [1,4],"greedy":true,"inner":"strict","until":"price < 2"},{"name":"n","event":"other",
           "not":true}],"within_ms":5000,"skip":"last:s","max_runs":9,"max_keys":8}]})"}) {
    seeds.push_back(ToBytes(AsBytes(rules)));
  }
  CHECK(rule::ParseRules(AsText(seeds[2])).ok());
  return seeds;
}

}  // namespace

const Target kStreamRulesTarget = {"stream_rules", RunStreamRules, StreamRulesSeeds};

}  // namespace ferry::fuzz
