#include "pipeline/rule/explain.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "pipeline/rule/random_rules.h"
#include "pipeline/rule/text.h"

namespace ferry::rule {
namespace {

TEST(Explain, Cases) {
  std::ifstream in(FERRY_SOURCE_DIR "/pipeline/rule/cases/explain.txt");
  int cases = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    SCOPED_TRACE(line);
    ++cases;
    const size_t first = line.find('|'), second = line.find('|', first + 1);
    auto rules = ParseRules(line.substr(0, first));
    ASSERT_TRUE(rules.ok()) << rules.status().ToString();
    std::vector<EventPtr> events;
    std::istringstream words(line.substr(first + 1, second - first - 1));
    for (std::string word; words >> word;) {
      auto event = std::make_shared<event::Event>();
      event->id = word.substr(0, word.find(':'));
      event->time_ms = std::stoll(word.substr(word.find(':') + 1));
      event->number = events.size() + 1;
      events.push_back(event);
    }
    auto got = Explain(rules->at(0), events);
    auto expected = ParseJson(line.substr(second + 2));
    ASSERT_TRUE(got.ok() && expected.ok());
    EXPECT_EQ(*got, *expected) << WriteJson(*got);
  }
  EXPECT_GT(cases, 10);
}

TEST(Explain, FiresWhenTheBruteForceDoes) {
  for (size_t round = 0; round < 1000; ++round) {
    Random random(round + 31'000'000);
    const Rule rule = RandomRule(random);
    const auto events = RandomStream(random, 4 + Below(random, 7));
    auto got = Explain(rule, events);
    ASSERT_TRUE(got.ok());
    EXPECT_EQ((*got)["fired"], !Enumerate(rule, events).empty());
    EXPECT_EQ((*got)["waiting_for"].is_null(), (*got)["fired"] == true);
  }
}

}  // namespace
}  // namespace ferry::rule
