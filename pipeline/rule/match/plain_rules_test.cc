// Plain rules go ways of their own. Beside each stands the same rule with a condition that no event
// meets as `until`, which goes the way of any rule: both must find the same, count the same and
// need the same events of the log, over long streams, with limits of runs and keys, while rules
// come and go and the matcher is loaded from its state.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "pipeline/rule/matcher.h"
#include "pipeline/rule/random_rules.h"

namespace ferry::rule {
namespace {

size_t PlainRounds(size_t usual) {
  const char* told = std::getenv("FERRY_RULE_ROUNDS");
  return told == nullptr ? usual : static_cast<size_t>(std::strtoull(told, nullptr, 10)) / 10;
}

// A matcher and what it has written.
class Kept : public event::StateWriter {
 public:
  explicit Kept(bool general) : general_(general) {}

  void Put(std::string_view key, std::string_view value) override {
    pairs_[std::string(key)] = value;
  }
  void Delete(std::string_view key) override { pairs_.erase(std::string(key)); }
  size_t pairs() const { return pairs_.size(); }

  void Add(const Rule& rule) {
    rules_[rule.name] = rule;
    Number(rule);
  }
  void Remove(const std::string& name) {
    matcher_->Remove(numbers_[name]);
    rules_.erase(name);
    numbers_.erase(name);
  }
  std::map<std::string, Rule>& rules() { return rules_; }

  std::vector<std::string> OnEvent(const EventPtr& event) {
    std::vector<Match> got;
    matcher_->OnEvent(event, &got);
    std::vector<std::string> out;
    for (const Match& match : got)
      out.push_back(matcher_->rule(match.rule).name + " " + TextOf(match));
    return out;
  }

  void Save() { matcher_->SaveChanges(*this); }
  // Takes what the other has written as written by itself: a pair's key has, behind its tag, 16
  // bytes that tell the definition, which the pair of a rule's name has as its value.
  void TakeStateOf(const Kept& other) {
    std::map<std::string, std::string> mine, taken;
    for (const auto& [key, value] : other.pairs_)
      if (key[0] == 'N') mine[value] = pairs_.at(key);
    for (const auto& [key, value] : other.pairs_) {
      if (key[0] == 'N')
        taken[key] = mine.at(value);
      else if (key[0] == 'R')
        taken["R" + mine.at(key.substr(1, 16)) + key.substr(17)] = value;
      else
        taken[key] = value;
    }
    pairs_ = taken;
  }
  void Restart(const Resolver& resolver, bool rules_first) {
    matcher_ = std::make_unique<Matcher>();
    numbers_.clear();
    for (const auto& [name, rule] : rules_)
      if (rules_first) Number(rule);
    const std::vector<StatePair> pairs(pairs_.begin(), pairs_.end());
    ASSERT_TRUE(matcher_->Load(pairs, resolver).ok());
    for (const auto& [name, rule] : rules_)
      if (!rules_first) Number(rule);
  }

  std::string StatsText() const {
    std::string out;
    for (const auto& [name, number] : numbers_) {
      const RuleStats stats = matcher_->stats(number);
      // Without a limit of time one run of a key is all that a plain rule keeps.
      const uint64_t runs = rules_.at(name).within_ms > 0 ? stats.runs : stats.keys;
      out += fmt::format("{}: {} runs, {} keys, {} and {} dropped\n", name, runs, stats.keys,
                         stats.dropped_runs, stats.dropped_keys);
    }
    return out;
  }
  RuleStats stats(const std::string& name) const { return matcher_->stats(numbers_.at(name)); }
  uint64_t oldest() const { return matcher_->oldest(); }
  bool KeepsAllRuns() const {
    return std::all_of(rules_.begin(), rules_.end(),
                       [](const auto& rule) { return rule.second.within_ms > 0; });
  }

 private:
  void Number(Rule rule) {
    if (general_) rule.steps.back().until = Condition{"never", "", ""};
    auto number = matcher_->Add(rule);
    ASSERT_TRUE(number.ok()) << number.status().ToString();
    numbers_[rule.name] = *number;
  }

  bool general_;
  std::unique_ptr<Matcher> matcher_ = std::make_unique<Matcher>();
  std::map<std::string, Rule> rules_;
  std::map<std::string, uint32_t> numbers_;
  std::map<std::string, std::string> pairs_;
};

struct Shape {
  bool late = false;      // times go back
  bool days = false;      // hours pass, and days
  bool max_runs = false;  // rules have small limits of runs
  bool max_keys = false;  // and of keys
  bool restarts = false;
};

Rule NextRule(Random& random, size_t number, const Shape& shape) {
  Rule rule = RandomPlainRule(random);
  rule.name = "r" + std::to_string(number);
  if (rule.per.empty() && rule.within_ms == 0) rule.within_ms = 7;
  if (shape.days && OneIn(random, 2))
    rule.within_ms *= static_cast<int64_t>(1 + Below(random, 3'600'000));
  if (shape.max_runs && rule.within_ms > 0)
    rule.max_runs = static_cast<uint32_t>(1 + Below(random, 6));
  if (shape.max_keys && rule.within_ms > 0 && OneIn(random, 2))
    rule.max_keys = static_cast<uint32_t>(1 + Below(random, 3));
  return rule;
}

EventPtr NextEvent(Random& random, uint64_t number, const Shape& shape, int64_t* time_ms) {
  auto event = std::make_shared<event::Event>(*RandomStream(random, 1)[0]);
  const int64_t unit = shape.days && OneIn(random, 4) ? 3'600'000 : 1;
  *time_ms += static_cast<int64_t>(Below(random, 10)) * unit;
  event->time_ms = *time_ms;
  if (shape.late && OneIn(random, 6))
    event->time_ms = std::max<int64_t>(1, *time_ms - int64_t(Below(random, 30)) * unit);
  event->number = number;
  return event;
}

void ExpectTheSame(uint64_t seed, const Shape& shape, size_t* matches) {
  SCOPED_TRACE(seed);
  Random random(seed);
  Kept plain(false), general(true);
  std::map<uint64_t, EventPtr> log;
  const auto resolve = [&log](uint64_t number) {
    const auto found = log.find(number);
    return found == log.end() ? nullptr : found->second;
  };
  int64_t time_ms = 500'000'000;
  size_t made = 0;
  for (uint64_t at = 1; at < 60 + Below(random, 200); ++at) {
    if (made < 3 || OneIn(random, 15)) {
      const Rule rule = NextRule(random, made++, shape);
      for (Kept* one : {&plain, &general}) one->Add(rule);
    }
    if (OneIn(random, 40)) {
      auto gone = plain.rules().begin();
      std::advance(gone, Below(random, plain.rules().size()));
      const std::string name = gone->first;
      for (Kept* one : {&plain, &general}) one->Remove(name);
      if (plain.rules().empty()) made = 0;
    }
    const bool row = OneIn(random, 5);  // the log does not have it
    const EventPtr event = NextEvent(random, row ? 0 : at, shape, &time_ms);
    if (!row) log[at] = event;
    const std::vector<std::string> expected = general.OnEvent(event);
    ASSERT_EQ(plain.OnEvent(event), expected) << "event " << at;
    *matches += expected.size();
    if (!shape.late || !shape.days) {
      ASSERT_EQ(plain.StatsText(), general.StatsText()) << "event " << at;
      // A first run may hold rows alone, where later ones hold events of the log.
      if (plain.KeepsAllRuns()) {
        ASSERT_EQ(plain.oldest(), general.oldest()) << "event " << at;
      } else if (plain.oldest() != 0) {
        ASSERT_GE(plain.oldest(), general.oldest()) << "event " << at;
      }
    }
    if (OneIn(random, 10)) {
      for (Kept* one : {&plain, &general}) one->Save();
      if (!shape.late || !shape.days) {
        ASSERT_EQ(plain.pairs(), general.pairs()) << "event " << at;
      }
    }
    if (!shape.restarts || !OneIn(random, 30)) continue;
    const bool rules_first = OneIn(random, 2);
    for (Kept* one : {&plain, &general}) one->Save();
    if (OneIn(random, 2)) plain.TakeStateOf(general);
    for (Kept* one : {&plain, &general}) one->Restart(resolve, rules_first);
  }
}

void ExpectTheSameManyTimes(uint64_t seed, const Shape& shape) {
  size_t matches = 0;
  for (uint64_t round = 0; round < PlainRounds(100); ++round) {
    ExpectTheSame(seed + round, shape, &matches);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(matches, 10 * PlainRounds(100));
}

TEST(PlainRules, AreAsAnyRule) {
  ExpectTheSameManyTimes(1'000'000, {});
}

TEST(PlainRules, AreAsAnyRuleWhenTimesGoBack) {
  ExpectTheSameManyTimes(2'000'000, {.late = true});
}

TEST(PlainRules, AreAsAnyRuleOverDays) {
  ExpectTheSameManyTimes(3'000'000, {.days = true});
}

TEST(PlainRules, AreAsAnyRuleWhenDaysGoBack) {
  ExpectTheSameManyTimes(4'000'000, {.late = true, .days = true, .restarts = true});
}

TEST(PlainRules, AreAsAnyRulePastMaxRuns) {
  ExpectTheSameManyTimes(5'000'000, {.late = true, .max_runs = true});
}

TEST(PlainRules, AreAsAnyRuleWithRestarts) {
  ExpectTheSameManyTimes(6'000'000, {.late = true, .max_runs = true, .restarts = true});
}

TEST(PlainRules, AreAsAnyRulePastMaxKeys) {
  ExpectTheSameManyTimes(7'000'000, {.late = true, .max_keys = true});
  ExpectTheSameManyTimes(8'000'000, {.days = true, .max_keys = true});
  ExpectTheSameManyTimes(9'000'000, {.max_runs = true, .max_keys = true, .restarts = true});
}

Rule RuleOf(const std::string& ids, std::vector<std::string> per, int64_t within_ms) {
  Rule rule;
  rule.name = ids;
  rule.per = std::move(per);
  rule.within_ms = within_ms;
  for (const char id : ids) {
    Step& step = rule.steps.emplace_back();
    step.fits.event = std::string(1, id);
    step.name = fmt::format("s{}", rule.steps.size());
  }
  return rule;
}

EventPtr EventOf(const std::string& id, uint64_t number, uint64_t user = 0) {
  auto made = std::make_shared<event::Event>();
  made->id = id;
  made->number = number;
  made->time_ms = 1000 + int64_t(number);
  made->data["u"] = user;
  return made;
}

// A rule without a limit of time: a run a key, and of the keys those that changed last.
class OneRunAKey {
 public:
  OneRunAKey(std::string ids, size_t max_keys) : ids_(std::move(ids)), max_keys_(max_keys) {}

  bool OnEvent(char id, uint64_t number, uint64_t user) {
    if (!runs_.contains(user) && id != ids_[0]) return false;
    Run& run = runs_[user];
    if (id == ids_[0]) run.changed = number;
    if (id != ids_[run.at]) return false;
    run = {run.at + 1, number};
    if (run.at == ids_.size()) return runs_.erase(user) > 0;
    if (runs_.size() <= max_keys_) return false;
    const auto earlier = [](const auto& a, const auto& b) {
      return a.second.changed < b.second.changed;
    };
    runs_.erase(std::min_element(runs_.begin(), runs_.end(), earlier));
    ++dropped_;
    return false;
  }
  size_t keys() const { return runs_.size(); }
  size_t dropped() const { return dropped_; }

 private:
  struct Run {
    size_t at = 0;
    uint64_t changed = 0;
  };
  std::string ids_;
  size_t max_keys_, dropped_ = 0;
  std::map<uint64_t, Run> runs_;
};

TEST(PlainRules, KeepTheKeysThatChangedLast) {
  size_t dropped = 0;
  for (uint64_t round = 0; round < PlainRounds(300); ++round) {
    Random random(round);
    Kept matcher(false);
    std::map<std::string, OneRunAKey> expected;
    for (const char* const ids : {"ab", "abc", "aab", "bab", "cabc", "ca"}) {
      Rule rule = RuleOf(ids, {"u"}, 0);
      rule.max_keys = static_cast<uint32_t>(1 + Below(random, 30));
      expected.emplace(ids, OneRunAKey(ids, rule.max_keys));
      matcher.Add(rule);
    }
    const size_t users = 1 + Below(random, 40);
    const bool restarts = OneIn(random, 2);
    std::vector<EventPtr> log(1);
    for (uint64_t number = 1; number < 400; ++number) {
      const auto id = static_cast<char>('a' + Below(random, 3));
      const uint64_t user = Below(random, users);
      log.push_back(EventOf(std::string(1, id), number, user));
      std::set<std::string> complete, all;
      for (auto& [ids, one] : expected)
        if (one.OnEvent(id, number, user)) complete.insert(ids);
      for (const std::string& match : matcher.OnEvent(log.back()))
        all.insert(match.substr(0, match.find(' ')));
      ASSERT_EQ(all, complete) << "round " << round << ", event " << number;
      if (number % 20 != 0) continue;
      for (const auto& [ids, one] : expected) {
        const RuleStats stats = matcher.stats(ids);
        ASSERT_EQ(stats.keys, one.keys()) << "round " << round << ", event " << number;
        if (!restarts) {
          ASSERT_EQ(stats.dropped_keys, one.dropped()) << "round " << round;
        }
        dropped += stats.dropped_keys;
      }
      if (!restarts) continue;
      matcher.Save();
      if (OneIn(random, 3))
        matcher.Restart([&log](uint64_t seen) { return log[seen]; }, OneIn(random, 2));
    }
  }
  EXPECT_GT(dropped, PlainRounds(300));
}

TEST(PlainRules, ManyHaveOneLastStep) {
  Kept matcher(false);
  for (char first = 'a'; first < 'z'; ++first)
    matcher.Add(RuleOf(std::string{first, 'z'}, {"u"}, first % 2 == 0 ? 100 : 0));
  EXPECT_THAT(matcher.OnEvent(EventOf("c", 1, 7)), testing::IsEmpty());
  for (const char* const id : {"y", "d", "e", "a"})
    EXPECT_THAT(matcher.OnEvent(EventOf(id, 2, 8)), testing::IsEmpty());
  EXPECT_THAT(matcher.OnEvent(EventOf("z", 3, 9)), testing::IsEmpty());
  EXPECT_THAT(matcher.OnEvent(EventOf("z", 4, 7)), testing::ElementsAre("cz [7] [1,] [4,] @1004"));
  EXPECT_THAT(matcher.OnEvent(EventOf("z", 4, 7)), testing::IsEmpty());
  EXPECT_EQ(matcher.OnEvent(EventOf("z", 5, 8)).size(), 4u);
}

// Its state is from before an event that it has not seen, and another rule has.
TEST(PlainRules, ComeBehindEventsWithTheirState) {
  Rule rule = RuleOf("ab", {}, 100);
  const auto event = [](const std::string& id, uint64_t number) { return EventOf(id, number); };
  Kept matcher(false);
  rule.name = "early";
  matcher.Add(rule);
  EXPECT_THAT(matcher.OnEvent(event("a", 1)), testing::IsEmpty());
  matcher.Save();
  matcher.rules().clear();
  matcher.Restart([&](uint64_t number) { return event("a", number); }, true);
  Rule other = rule;
  other.name = "other";
  matcher.Add(other);
  EXPECT_THAT(matcher.OnEvent(event("a", 2)), testing::IsEmpty());
  matcher.Add(rule);
  EXPECT_EQ(matcher.oldest(), 1u);
  EXPECT_THAT(matcher.OnEvent(event("b", 3)),
              testing::ElementsAre("other [] [2,] [3,] @1003", "early [] [1,] [3,] @1003"));
}

// The same by key; the rule comes with the other's state, or behind events.
TEST(PlainRules, ComeByKeyBehindEventsWithTheirState) {
  for (const bool with_state : {false, true}) {
    Rule rule = RuleOf("abc", {"u"}, 100);
    const auto resolve = [&](uint64_t number) { return EventOf(number == 1 ? "a" : "b", number); };
    Kept matcher(false);
    rule.name = "early";
    matcher.Add(rule);
    EXPECT_THAT(matcher.OnEvent(EventOf("a", 1)), testing::IsEmpty());
    matcher.Save();
    matcher.rules().clear();
    matcher.Restart(resolve, true);
    const Rule other = RuleOf("bc", {"u"}, 100);
    matcher.Add(other);
    EXPECT_THAT(matcher.OnEvent(EventOf("b", 2)), testing::IsEmpty());
    if (with_state) {
      matcher.Save();
      matcher.rules()["early"] = rule;
      matcher.Restart(resolve, true);
    } else {
      matcher.Add(rule);
    }
    EXPECT_EQ(matcher.oldest(), 1u);
    EXPECT_THAT(matcher.OnEvent(EventOf("b", 3)), testing::IsEmpty());
    EXPECT_THAT(
        matcher.OnEvent(EventOf("c", 4)),
        testing::UnorderedElementsAre("bc [0] [2,] [4,] @1004", "early [0] [1,] [3,] [4,] @1004"));
  }
}

}  // namespace
}  // namespace ferry::rule
