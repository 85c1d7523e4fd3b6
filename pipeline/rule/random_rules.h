// Random rules and streams for tests: small, so that brute force can follow, and full of what
// rules can be.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "pipeline/event/event.h"
#include "pipeline/rule/rule.h"

namespace ferry::rule {

using Random = std::mt19937_64;

inline size_t Below(Random& random, size_t bound) {
  return static_cast<size_t>(random() % bound);
}
inline bool OneIn(Random& random, size_t n) {
  return Below(random, n) == 0;
}

inline std::string RandomWhere(Random& random, const std::vector<std::string>& earlier,
                               const std::string& own) {
  static const char* const kPlain[] = {"p > 1",      "p == 2",        "p <= 1 and q != \"x\"",
                                       "q == \"x\"", "not (p < 2)",   "p + 1 > 2 or q == \"y\"",
                                       "p >= 1",     "_page == \"m\""};
  if (earlier.empty() || OneIn(random, 2)) return kPlain[Below(random, std::size(kPlain))];
  std::string name = earlier[Below(random, earlier.size())];
  if (!own.empty() && OneIn(random, 3)) name = own;
  const std::string forms[] = {"p >= " + name + ".p",
                               "p == count(" + name + ")",
                               "p <= sum(" + name + ".p)",
                               "p > min(" + name + ".p) or p == max(" + name + ".p)",
                               "_time_ms - " + name + "._time_ms < 9",
                               "q == " + name + ".q"};
  return forms[Below(random, std::size(forms))];
}

inline Condition RandomCondition(Random& random, const std::vector<std::string>& earlier,
                                 const std::string& own) {
  Condition out;
  if (!OneIn(random, 10)) out.event = std::string(1, static_cast<char>('a' + Below(random, 3)));
  if (OneIn(random, 8)) out.page = OneIn(random, 2) ? "m" : "n";
  if (OneIn(random, 4)) out.where = RandomWhere(random, earlier, own);
  return out;
}

inline Step RandomStep(Random& random, size_t number, bool last, bool within,
                       std::vector<std::string>* earlier) {
  Step step;
  step.name = "s" + std::to_string(number);
  step.contiguity = static_cast<Contiguity>(OneIn(random, 2) ? 1 : Below(random, 3));
  if (number > 0 && OneIn(random, 6) && (!last || within)) {
    step.negated = true;
    step.fits = RandomCondition(random, *earlier, "");
    return step;
  }
  if (OneIn(random, 3)) {
    step.least = static_cast<uint32_t>(1 + Below(random, 2));
    step.most = step.least + static_cast<uint32_t>(Below(random, 3));
    step.inner = static_cast<Contiguity>(OneIn(random, 2) ? 1 : Below(random, 3));
    step.greedy = OneIn(random, 3);
  }
  step.optional = OneIn(random, 5);
  const std::string own = step.most > 1 ? step.name : "";
  step.fits = RandomCondition(random, *earlier, own);
  if (OneIn(random, 8)) {
    step.until = RandomCondition(random, *earlier, own);
    if (step.until->event.empty() && step.until->page.empty() && step.until->where.empty())
      step.until->event = "c";
  }
  earlier->push_back(step.name);
  return step;
}

// A rule of plain steps, for which the matcher has ways of its own.
inline Rule RandomPlainRule(Random& random) {
  Rule rule;
  rule.name = "r";
  if (OneIn(random, 3)) rule.per = {OneIn(random, 4) ? "q" : "u"};
  if (!OneIn(random, 3)) rule.within_ms = static_cast<int64_t>(1 + Below(random, 40));
  for (size_t k = 0, steps = 1 + Below(random, 4); k < steps; ++k) {
    Step& step = rule.steps.emplace_back();
    step.name = "s" + std::to_string(k);
    step.fits = RandomCondition(random, {}, "");
  }
  return rule;
}

inline Rule RandomRule(Random& random) {
  if (OneIn(random, 3)) return RandomPlainRule(random);
  Rule rule;
  rule.name = "r";
  if (OneIn(random, 3)) rule.per = {"u"};
  if (OneIn(random, 2)) rule.within_ms = static_cast<int64_t>(1 + Below(random, 40));
  const size_t steps = 1 + Below(random, 4);
  std::vector<std::string> earlier;
  for (size_t k = 0; k < steps; ++k)
    rule.steps.push_back(RandomStep(random, k, k + 1 == steps, rule.within_ms > 0, &earlier));
  rule.skip = static_cast<SkipKind>(Below(random, 5));
  if (rule.skip == SkipKind::kFirst || rule.skip == SkipKind::kLast)
    rule.skip_to = earlier[Below(random, earlier.size())];
  return rule;
}

inline std::vector<EventPtr> RandomStream(Random& random, size_t length) {
  std::vector<EventPtr> out;
  int64_t time_ms = 1000;
  for (size_t k = 0; k < length; ++k) {
    auto event = std::make_shared<event::Event>();
    event->id = std::string(1, static_cast<char>('a' + Below(random, 3)));
    if (OneIn(random, 2)) event->page = OneIn(random, 2) ? "m" : "n";
    time_ms += static_cast<int64_t>(Below(random, 10));
    event->time_ms = OneIn(random, 8) ? time_ms - static_cast<int64_t>(Below(random, 30)) : time_ms;
    event->number = 10 + 2 * k;
    if (!OneIn(random, 10)) event->data["p"] = Below(random, 4);
    if (!OneIn(random, 10)) event->data["q"] = OneIn(random, 2) ? "x" : "y";
    if (OneIn(random, 12)) event->data["p"] = "text";
    const size_t user = Below(random, 4);
    if (user == 1) event->data["u"] = 1;
    if (user == 2) event->data["u"] = 1.0;
    if (user == 3) event->data["u"] = "1";
    out.push_back(std::move(event));
  }
  return out;
}

// A match as text: key, events of each step by number, time.
inline std::string TextOf(const Match& match) {
  std::string out = match.key;
  for (size_t k = 0; k < match.steps(); ++k) {
    out += " [";
    for (const EventPtr& event : match.step(k)) out += std::to_string(event->number) + ",";
    out += "]";
  }
  return out + " @" + std::to_string(match.time_ms);
}

}  // namespace ferry::rule
