// Rules: 10,000 of one to four steps over 400 event ids, half of them with conditions on fields,
// over a stream whose ids follow Zipf's law, against a scan of all rules at each event that knows
// the ids as numbers; and what idle rules cost.
#include <cmath>
#include <random>

#include "common/base/json.h"
#include "pipeline/event/event.h"
#include "pipeline/expression/expression.h"
#include "pipeline/rule/matcher.h"
#include "tools/bench/pipeline/bench.h"

namespace ferry::bench {
namespace {

using rule::EventPtr;
using rule::Rule;

constexpr size_t kManyRules = 10'000, kFewRules = 100, kIds = 400;
constexpr size_t kEvents = 200'000, kNaiveEvents = 4'000, kWarmUp = 50'000;
constexpr int64_t kStepMs = 1'000;  // between events

std::string IdOf(size_t symbol) {
  return "event_" + std::to_string(symbol);
}

std::string RandomWhere(std::mt19937_64& random) {
  const int64_t value = static_cast<int64_t>(random() % 10) * 100;
  const int64_t kind = static_cast<int64_t>(random() % 20);
  switch (random() % 4) {
    case 0:
      return fmt::format("kind == {}", kind);
    case 1:
      return fmt::format("value < {}", value);
    case 2:
      return fmt::format("value >= {}", value);
    default:
      return fmt::format("kind == {} and value > {}", kind, value);
  }
}

std::vector<Rule> MakeRules(size_t count, const std::string& prefix, int64_t within_ms = 0) {
  std::mt19937_64 random(1);
  std::vector<Rule> out;
  for (size_t k = 0; k < count; ++k) {
    Rule rule;
    rule.name = prefix + std::to_string(k);
    rule.within_ms = within_ms;
    const bool with_where = random() % 2 == 0;
    for (size_t steps = 1 + random() % 4; steps > 0; --steps) {
      rule::Step step;
      step.name = "s" + std::to_string(steps);
      step.fits.event = prefix + IdOf(random() % kIds);
      if (with_where) step.fits.where = RandomWhere(random);
      rule.steps.push_back(std::move(step));
    }
    out.push_back(std::move(rule));
  }
  return out;
}

std::vector<EventPtr> MakeEvents(size_t count) {
  std::mt19937_64 random(2);
  std::vector<double> weights;
  for (size_t k = 0; k < kIds; ++k) weights.push_back(1.0 / static_cast<double>(k + 1));
  std::discrete_distribution<size_t> zipf(weights.begin(), weights.end());
  std::vector<EventPtr> out;
  for (size_t k = 0; k < count; ++k) {
    auto event = std::make_shared<event::Event>();
    event->id = IdOf(zipf(random));
    event->page = "page" + std::to_string(random() % 20);
    event->time_ms = 1 + static_cast<int64_t>(k) * kStepMs;
    event->number = k + 1;
    event->data = {{"kind", random() % 20}, {"value", random() % 1000}, {"user", "someone"}};
    out.push_back(std::move(event));
  }
  return out;
}

// Every rule is asked at every event. One run a rule is enough: with past_last and no limit of
// time the run that began first is the one that matches.
class NaiveScan {
 public:
  explicit NaiveScan(const std::vector<Rule>& rules) {
    for (const Rule& rule : rules) {
      One one;
      for (const rule::Step& step : rule.steps) {
        one.symbols.push_back(std::stoul(step.fits.event.substr(6)));
        one.wheres.emplace_back();
        if (!step.fits.where.empty())
          one.wheres.back() = expression::Expression::Parse(step.fits.where).value();
      }
      rules_.push_back(std::move(one));
    }
  }

  size_t OnEvent(const EventPtr& event, size_t symbol) {
    size_t matches = 0;
    const expression::Subject subject{&event->data, true, event->id, event->page, event->time_ms};
    for (One& one : rules_) {
      const size_t at = one.events.size();
      if (one.symbols[at] != symbol) continue;
      if (one.wheres[at] && one.wheres[at]->Decide(subject) != expression::Answer::kTrue) continue;
      one.events.push_back(event);
      if (one.events.size() < one.symbols.size()) continue;
      ++matches;
      one.events.clear();
    }
    return matches;
  }

 private:
  struct One {
    std::vector<size_t> symbols;
    std::vector<std::optional<expression::Expression>> wheres;
    std::vector<EventPtr> events;
  };
  std::vector<One> rules_;
};

struct Rate {
  double events_per_s = 0;
  double matches_per_event = 0;
  std::vector<size_t> first_counts;  // matches of the first events
};

Result<Rate> MatcherRate(const std::vector<Rule>& rules, const std::vector<EventPtr>& events,
                         int rounds) {
  Rate out;
  std::vector<double> rates;
  size_t matches = 0, delivered_events = 0;
  for (int round = 0; round < rounds; ++round) {
    rule::Matcher matcher;
    for (const Rule& rule : rules) FERRY_TRY(matcher.Add(rule));
    std::vector<rule::Match> got;
    size_t k = 0;
    for (; k < kWarmUp; ++k) {
      got.clear();
      matcher.OnEvent(events[k], &got);
      if (round == 0 && k < kNaiveEvents) out.first_counts.push_back(got.size());
    }
    const double start = ProcessorSeconds();
    for (; k < events.size(); ++k) {
      got.clear();
      matcher.OnEvent(events[k], &got);
      matches += got.size();
    }
    const auto count = static_cast<double>(events.size() - kWarmUp);
    rates.push_back(count / (ProcessorSeconds() - start));
    delivered_events += events.size() - kWarmUp;
  }
  out.events_per_s = MedianOf(rates);
  out.matches_per_event = static_cast<double>(matches) / static_cast<double>(delivered_events);
  return out;
}

Result<double> NaiveRate(const std::vector<Rule>& rules, const std::vector<EventPtr>& events,
                         const std::vector<size_t>& expected, int rounds) {
  std::vector<double> rates;
  std::vector<size_t> symbols;
  for (size_t k = 0; k < kNaiveEvents; ++k) symbols.push_back(std::stoul(events[k]->id.substr(6)));
  for (int round = 0; round < rounds; ++round) {
    NaiveScan scan(rules);
    std::vector<size_t> counts;
    const double start = ProcessorSeconds();
    for (size_t k = 0; k < kNaiveEvents; ++k) counts.push_back(scan.OnEvent(events[k], symbols[k]));
    rates.push_back(static_cast<double>(kNaiveEvents) / (ProcessorSeconds() - start));
    if (counts != expected) return Status(Code::kInternal, "the scan finds other matches");
  }
  return MedianOf(rates);
}

}  // namespace

Status MeasureRules(const Options& options, std::vector<Figure>* out) {
  const std::vector<EventPtr> events = MakeEvents(kEvents);
  const std::vector<Rule> rules = MakeRules(kManyRules, "");
  FERRY_ASSIGN_OR_RETURN(const Rate many, MatcherRate(rules, events, options.rounds));
  FERRY_ASSIGN_OR_RETURN(const double naive,
                         NaiveRate(rules, events, many.first_counts, options.rounds));
  FERRY_ASSIGN_OR_RETURN(const Rate idle_many,
                         MatcherRate(MakeRules(kManyRules, "idle_"), events, options.rounds));
  FERRY_ASSIGN_OR_RETURN(const Rate idle_few,
                         MatcherRate(MakeRules(kFewRules, "idle_"), events, options.rounds));
  FERRY_ASSIGN_OR_RETURN(const Rate timed,
                         MatcherRate(MakeRules(kFewRules, "", 600'000), events, 1));
  const double mega = 1e6;
  out->push_back(
      {"rules: 10,000 on a Zipf stream", many.events_per_s / mega, "M events/s", 1.0, false, 2.0});
  out->push_back({"rules: matches an event", many.matches_per_event, ""});
  out->push_back({"rules: naive scan", naive / mega, "M events/s"});
  out->push_back({"rules: against the naive scan", many.events_per_s / naive, "times", 15.0});
  out->push_back({"rules: 10,000 idle against 100 idle",
                  idle_few.events_per_s / idle_many.events_per_s, "times", 1.5, true});
  out->push_back({"rules: 10,000 idle", idle_many.events_per_s / mega, "M events/s"});
  out->push_back({"rules: 100 within 10 min", timed.events_per_s / mega, "M events/s"});
  return OkStatus();
}

}  // namespace ferry::bench
