#include "pipeline/rule/matcher.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <map>

#include "pipeline/rule/random_rules.h"

namespace ferry::rule {
namespace {

// FERRY_RULE_ROUNDS=100000 runs that many.
size_t Rounds(size_t usual) {
  const char* told = std::getenv("FERRY_RULE_ROUNDS");
  return told == nullptr ? usual : static_cast<size_t>(std::strtoull(told, nullptr, 10));
}

std::vector<std::string> Texts(const std::vector<Match>& matches, uint32_t rule = 0) {
  std::vector<std::string> out;
  for (const Match& match : matches)
    if (match.rule == rule) out.push_back(TextOf(match));
  return out;
}

std::string StreamText(const std::vector<EventPtr>& events) {
  std::string out;
  for (const EventPtr& event : events)
    out += std::to_string(event->number) + WriteJson(event::EventToJson(*event)) + "\n";
  return out;
}

TEST(MatcherProperty, EqualsTheBruteForce) {
  const size_t rounds = Rounds(3000);
  size_t matches = 0, with = 0;
  for (size_t round = 0; round < rounds; ++round) {
    Random random(round);
    std::vector<Rule> rules;
    Matcher matcher;
    for (size_t k = 0; k < 1 + Below(random, 3); ++k) {
      rules.push_back(RandomRule(random));
      rules.back().name = "r" + std::to_string(k);
      auto number = matcher.Add(rules.back());
      ASSERT_TRUE(number.ok()) << number.status().ToString();
    }
    const std::vector<EventPtr> events = RandomStream(random, 4 + Below(random, 7));
    std::vector<Match> got;
    for (const EventPtr& event : events) matcher.OnEvent(event, &got);
    for (uint32_t k = 0; k < rules.size(); ++k) {
      const auto expected = Texts(Enumerate(rules[k], events));
      matches += expected.size();
      with += expected.empty() ? 0 : 1;
      ASSERT_EQ(Texts(got, k), expected) << "round " << round << "\n"
                                         << WriteJson(RuleToJson(rules[k])) << "\n"
                                         << StreamText(events);
    }
  }
  EXPECT_GT(with, rounds / 5);
  std::printf("%zu rounds, %zu matches\n", rounds, matches);
}

// State as a store keeps it.
class Store : public event::StateWriter {
 public:
  void Put(std::string_view key, std::string_view value) override {
    pairs_[std::string(key)] = value;
  }
  void Delete(std::string_view key) override { pairs_.erase(std::string(key)); }
  std::vector<StatePair> pairs() const { return {pairs_.begin(), pairs_.end()}; }

 private:
  std::map<std::string, std::string> pairs_;
};

TEST(MatcherProperty, SavingAndLoadingAtEveryEventChangesNothing) {
  const size_t rounds = Rounds(1000) / 4;
  for (size_t round = 0; round < rounds; ++round) {
    Random random(round + 7'000'000);
    std::vector<Rule> rules;
    auto matcher = std::make_unique<Matcher>();
    for (size_t k = 0; k < 2; ++k) {
      rules.push_back(RandomRule(random));
      rules.back().name = "r" + std::to_string(k);
      ASSERT_TRUE(matcher->Add(rules.back()).ok());
    }
    std::vector<EventPtr> events = RandomStream(random, 4 + Below(random, 7));
    std::map<uint64_t, EventPtr> log;
    for (EventPtr& event : events) {
      if (OneIn(random, 4)) {  // a row: the log does not have it
        auto row = std::make_shared<event::Event>(*event);
        row->number = log.empty() || OneIn(random, 2) ? 0 : log.rbegin()->first;
        event = row;
      } else {
        log[event->number] = event;
      }
    }
    Store store;
    std::vector<Match> got;
    for (const EventPtr& event : events) {
      matcher->OnEvent(event, &got);
      matcher->SaveChanges(store);
      matcher = std::make_unique<Matcher>();
      const bool late = OneIn(random, 2);  // rules before or behind their state
      for (size_t k = 0; !late && k < 2; ++k) ASSERT_TRUE(matcher->Add(rules[k]).ok());
      const Status loaded = matcher->Load(store.pairs(), [&log](uint64_t number) {
        const auto found = log.find(number);
        return found == log.end() ? nullptr : found->second;
      });
      ASSERT_TRUE(loaded.ok()) << loaded.ToString();
      for (size_t k = 0; late && k < 2; ++k) ASSERT_TRUE(matcher->Add(rules[k]).ok());
      EXPECT_EQ(matcher->stats(0).dropped_runs, 0u);
    }
    for (uint32_t k = 0; k < 2; ++k)
      ASSERT_EQ(Texts(got, k), Texts(Enumerate(rules[k], events)))
          << "round " << round << "\n"
          << WriteJson(RuleToJson(rules[k])) << "\n"
          << StreamText(events);
  }
}

}  // namespace
}  // namespace ferry::rule
