#include "pipeline/trigger/trigger.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "pipeline/event/event.h"

namespace ferry::trigger {
namespace {

using testing::HasSubstr;

bool StepMatches(const Step& step, const event::Event& event) {
  return (step.event.empty() || step.event == event.id) &&
         (step.page.empty() || step.page == event.page);
}

// Keeps every event and looks back for the chain at each; the definition in trigger.h word by word.
class NaiveMatcher {
 public:
  explicit NaiveMatcher(Trigger trigger) : trigger_(std::move(trigger)) {}

  std::vector<EventPtr> OnEvent(const EventPtr& event) {
    seen_.push_back(event);
    std::vector<EventPtr> chain;
    size_t step = trigger_.steps.size();
    size_t at = seen_.size();
    if (!StepMatches(trigger_.steps[step - 1], *event)) return {};
    while (step > 0 && at > start_) {
      --at;
      if (!StepMatches(trigger_.steps[step - 1], *seen_[at])) continue;
      chain.insert(chain.begin(), seen_[at]);
      --step;
    }
    if (step > 0) return {};
    const int64_t took = event->time_ms - chain[0]->time_ms;
    if (trigger_.within_ms > 0 && took > trigger_.within_ms) return {};
    if (!trigger_.keep) start_ = seen_.size();
    return chain;
  }

 private:
  Trigger trigger_;
  std::vector<EventPtr> seen_;
  size_t start_ = 0;
};

TEST(Matcher, AgreesWithNaiveMatchers) {
  std::mt19937 random(11);
  const auto name = [&random](const char* prefix, uint32_t bound) {
    return prefix + std::to_string(random() % bound);
  };
  size_t fired = 0;
  for (int round = 0; round < 60; ++round) {
    Matcher matcher;
    std::vector<NaiveMatcher> naive;
    for (int k = 0; k < 20; ++k) {
      Trigger trigger;
      for (uint32_t steps = 1 + random() % 4; steps > 0; --steps) {
        const uint32_t form = random() % 3;
        trigger.steps.push_back({form == 1 ? "" : name("e", 4), form == 0 ? "" : name("p", 3)});
      }
      if (random() % 2 == 0) trigger.within_ms = 1 + random() % 40;
      trigger.keep = random() % 3 == 0;
      naive.emplace_back(trigger);
      ASSERT_TRUE(matcher.Add(trigger).ok());
    }
    int64_t time_ms = 1;
    for (int k = 0; k < 200; ++k) {
      time_ms += random() % 10;
      auto event = std::make_shared<event::Event>();
      event->id = name("e", 4);
      if (random() % 4 > 0) event->page = name("p", 3);
      event->time_ms = random() % 20 == 0 ? time_ms / 2 : time_ms;
      std::vector<Match> got;
      matcher.OnEvent(event, &got);
      size_t next = 0;
      for (size_t t = 0; t < naive.size(); ++t) {
        const std::vector<EventPtr> expected = naive[t].OnEvent(event);
        if (expected.empty()) continue;
        ++fired;
        ASSERT_LT(next, got.size());
        EXPECT_EQ(got[next].trigger, t);
        EXPECT_EQ(got[next].events, expected);
        ++next;
      }
      EXPECT_EQ(next, got.size());
    }
  }
  EXPECT_GT(fired, 10000u);
}

// Files under cases/: a line with the trigger's JSON, then one event a line "id page time"; a line
// that fires has "=> " and the places (from 1) of the captured events.
TEST(Matcher, Cases) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(FERRY_SOURCE_DIR "/pipeline/trigger/cases")) {
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    std::ifstream in(entry.path());
    Matcher matcher;
    std::vector<EventPtr> events;
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] == '#') continue;
      if (line[0] == '{') {
        auto json = ParseJson(line);
        ASSERT_TRUE(json.ok());
        auto trigger = TriggerFromJson(*json);
        ASSERT_TRUE(trigger.ok()) << trigger.status().ToString();
        ASSERT_TRUE(matcher.Add(*trigger).ok());
        continue;
      }
      const size_t arrow = line.find("=>");
      std::istringstream words(line.substr(0, arrow));
      auto event = std::make_shared<event::Event>();
      words >> event->id >> event->page >> event->time_ms;
      if (event->page == "-") event->page.clear();
      events.push_back(event);
      std::vector<EventPtr> expected;
      if (arrow != std::string::npos) {
        std::istringstream places(line.substr(arrow + 2));
        for (size_t place; places >> place;) expected.push_back(events.at(place - 1));
      }
      std::vector<Match> got;
      matcher.OnEvent(event, &got);
      ASSERT_EQ(got.size(), expected.empty() ? 0u : 1u) << line;
      if (!expected.empty()) {
        EXPECT_EQ(got[0].events, expected) << line;
      }
    }
    EXPECT_FALSE(events.empty());
  }
  EXPECT_GE(files, 4);
}

TEST(Matcher, IdleTriggersAreNotTouched) {
  Matcher matcher;
  for (int k = 0; k < 20000; ++k)
    ASSERT_TRUE(matcher.Add({{{"other" + std::to_string(k), ""}, {"x", "y"}}, 0, false}).ok());
  ASSERT_TRUE(matcher.Add({{{"a", ""}}, 0, false}).ok());
  auto event = std::make_shared<event::Event>();
  event->id = "a";
  std::vector<Match> got;
  for (int k = 0; k < 200000; ++k) {
    got.clear();
    matcher.OnEvent(event, &got);
    ASSERT_EQ(got.size(), 1u);
    ASSERT_EQ(got[0].trigger, 20000u);
  }
}

TEST(Matcher, ResetForgets) {
  Matcher matcher;
  ASSERT_TRUE(matcher.Add({{{"a", ""}, {"b", ""}}, 0, false}).ok());
  auto a = std::make_shared<event::Event>(), b = std::make_shared<event::Event>();
  a->id = "a";
  b->id = "b";
  std::vector<Match> got;
  matcher.OnEvent(a, &got);
  matcher.Reset();
  matcher.OnEvent(b, &got);
  EXPECT_TRUE(got.empty());
}

EventPtr Named(const std::string& id) {
  auto event = std::make_shared<event::Event>();
  event->id = id;
  return event;
}

// The index that is left is given again, to a trigger that has seen nothing; others go on.
TEST(Matcher, RemovedTriggersGiveTheirPlaceBack) {
  Matcher matcher;
  const Trigger twice{{{"a", ""}, {"a", ""}, {"b", ""}}, 0, false};
  ASSERT_EQ(matcher.Add(twice).value(), 0u);
  ASSERT_EQ(matcher.Add(twice).value(), 1u);
  std::vector<Match> got;
  matcher.OnEvent(Named("a"), &got);
  matcher.OnEvent(Named("a"), &got);
  matcher.Remove(0);
  ASSERT_EQ(matcher.Add({{{"a", ""}, {"b", ""}}, 0, false}).value(), 0u);
  matcher.OnEvent(Named("b"), &got);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].trigger, 1u);
  matcher.Remove(1);
  got.clear();
  for (const char* id : {"a", "a", "b"}) matcher.OnEvent(Named(id), &got);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].trigger, 0u);
  EXPECT_EQ(got[0].events.size(), 2u);
}

// A blind trigger keeps what it saw before, and is asked once though two of its steps match.
TEST(Matcher, BlindTriggersDoNotSeeTheEvent) {
  Matcher matcher;
  ASSERT_TRUE(matcher.Add({{{"a", ""}, {"a", ""}}, 0, false}).ok());
  ASSERT_TRUE(matcher.Add({{{"a", ""}}, 0, false}).ok());
  ASSERT_TRUE(matcher.Add({{{"b", ""}}, 0, false}).ok());
  std::vector<Match> got;
  const EventPtr first = Named("a"), second = Named("a"), third = Named("a");
  matcher.OnEvent(first, &got);
  got.clear();
  std::vector<size_t> asked;
  matcher.OnEvent(second, &got, [&asked](size_t trigger) {
    asked.push_back(trigger);
    return trigger == 0;
  });
  EXPECT_EQ(asked, (std::vector<size_t>{0, 1}));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].trigger, 1u);
  got.clear();
  matcher.OnEvent(third, &got);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].events, (std::vector<EventPtr>{first, third}));
}

TEST(Trigger, JsonAndLimits) {
  auto json = ParseJson(R"({"sequence":[{"event":"page_enter","page":"scan"},{"event":"image"}],
    "within_ms":60000,"after_match":"keep"})");
  ASSERT_TRUE(json.ok());
  auto trigger = TriggerFromJson(*json);
  ASSERT_TRUE(trigger.ok());
  EXPECT_EQ(TriggerToJson(*trigger), *json);
  const std::pair<const char*, const char*> bad[] = {
      {"[]", "JSON object"},
      {"{}", "sequence"},
      {R"({"sequence":[]})", "no step"},
      {R"({"sequence":[{"event":"a"},{}]})", "step 2 names neither"},
      {R"({"sequence":[{"event":"a b"}]})", "step 1"},
      {R"({"sequence":[3]})", "step 1 is no object"},
      {R"({"sequence":[{"event":3}]})", "step 1"},
      {R"({"sequence":[{"event":"a"}],"within_ms":-1})", "within_ms"},
      {R"({"sequence":[{"event":"a"}],"within":9})", "\"within\"; did you mean \"within_ms\"?"},
      {R"({"sequence":[{"event":"a"}],"after":"keep"})", "did you mean \"after_match\"?"},
      {R"({"sequence":[{"event":"a","pgae":"x"}]})", "step 1: there is no member \"pgae\"; did"},
      {R"({"sequence":[{"event":"a"}],"after_match":"skip"})", "after_match \"skip\""}};
  for (const auto& [text, part] : bad) {
    auto value = ParseJson(text);
    ASSERT_TRUE(value.ok());
    auto got = TriggerFromJson(*value);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_THAT(got.status().message(), HasSubstr(part));
  }
  Json sequence = Json::array();
  for (size_t k = 0; k < kMaxSteps; ++k) sequence.push_back({{"event", "a"}});
  EXPECT_TRUE(TriggerFromJson({{"sequence", sequence}}).ok());
  sequence.push_back({{"event", "a"}});
  EXPECT_EQ(TriggerFromJson({{"sequence", sequence}}).code(), Code::kLimitExceeded);
  Matcher matcher;
  EXPECT_EQ(matcher.Add({}).code(), Code::kInvalidArgument);
  EXPECT_EQ(matcher.Add({{{"", ""}}, 0, false}).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ferry::trigger
