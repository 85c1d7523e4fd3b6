// Rules: 10,000 of one to four steps over 400 event ids, half of them with conditions on fields,
// over a stream whose ids follow Zipf's law, against a scan of all rules at each event that knows
// the ids as numbers; the same with a limit of time, and for each of many keys; and what idle rules
// cost.
#include <cmath>
#include <random>
#include <unordered_map>

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
constexpr size_t kAtOnce = 200;     // events that are made, then given: as fresh as from a parser
constexpr int64_t kStepMs = 1'000;  // between events
constexpr int64_t kWithinMs = 600'000, kShortMs = 1'000;
constexpr size_t kUsers = 1'000;

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

std::vector<Rule> MakeRules(size_t count, const std::string& prefix, int64_t within_ms = 0,
                            std::vector<std::string> per = {}) {
  std::mt19937_64 random(1);
  std::vector<Rule> out;
  for (size_t k = 0; k < count; ++k) {
    Rule rule;
    rule.name = prefix + std::to_string(k);
    rule.within_ms = within_ms;
    rule.per = per;
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

// The stream, the same each time, a few events at a time.
class RuleEvents {
 public:
  RuleEvents() {
    std::vector<double> weights;
    for (size_t k = 0; k < kIds; ++k) weights.push_back(1.0 / static_cast<double>(k + 1));
    zipf_ = std::discrete_distribution<size_t>(weights.begin(), weights.end());
  }

  // The next ones, until the call after; symbols() has the numbers of their ids, users() those of
  // their users.
  const std::vector<EventPtr>& Next() {
    events_.clear();
    symbols_.clear();
    users_.clear();
    while (events_.size() < kAtOnce) {
      symbols_.push_back(zipf_(random_));
      auto event = std::make_shared<event::Event>();
      event->id = IdOf(symbols_.back());
      event->page = "page" + std::to_string(random_() % 20);
      event->number = ++made_;
      event->time_ms = static_cast<int64_t>(made_) * kStepMs;
      users_.push_back(random_users_() % kUsers);
      event->data = {{"kind", random_() % 20},
                     {"value", random_() % 1000},
                     {"user", "user_" + std::to_string(users_.back())}};
      kept_.push_back(event);
      events_.push_back(std::move(event));
    }
    return events_;
  }
  const std::vector<size_t>& symbols() const { return symbols_; }
  const std::vector<size_t>& users() const { return users_; }

 private:
  std::mt19937_64 random_{2}, random_users_{3};
  std::discrete_distribution<size_t> zipf_;
  std::vector<EventPtr> events_;
  std::vector<EventPtr> kept_;  // that rules let an event go last is not to be measured
  std::vector<size_t> symbols_, users_;
  uint64_t made_ = 0;
};

// Every rule is asked at every event. Without a limit of time one run of a rule and key is enough:
// with past_last the run that began first is the one that matches.
class NaiveScan {
 public:
  explicit NaiveScan(const std::vector<Rule>& rules) {
    for (const Rule& rule : rules) {
      One one;
      one.within_ms = rule.within_ms;
      one.per_user = !rule.per.empty();
      for (const rule::Step& step : rule.steps) {
        one.symbols.push_back(std::stoul(step.fits.event.substr(6)));
        one.wheres.emplace_back();
        if (!step.fits.where.empty())
          one.wheres.back() = expression::Expression::Parse(step.fits.where).value();
      }
      rules_.push_back(std::move(one));
    }
  }

  size_t OnEvent(const EventPtr& event, size_t symbol, size_t user) {
    size_t matches = 0;
    for (One& one : rules_) {
      if (one.within_ms == 0 && !one.per_user)
        matches += GoOn(one, event, symbol, &one.only) ? 1 : 0;
      else if (std::find(one.symbols.begin(), one.symbols.end(), symbol) != one.symbols.end())
        matches += GoOnAll(one, event, symbol, &one.runs[one.per_user ? user : 0]) ? 1 : 0;
    }
    return matches;
  }

 private:
  using Run = std::vector<EventPtr>;
  struct One {
    std::vector<size_t> symbols;
    std::vector<std::optional<expression::Expression>> wheres;
    int64_t within_ms = 0;
    bool per_user = false;
    Run only;
    std::unordered_map<size_t, std::vector<Run>> runs;  // by user, those that began first in front
  };

  // A run goes on with the event when it can. Whether it is complete then; it is empty again.
  static bool GoOn(const One& one, const EventPtr& event, size_t symbol, Run* run) {
    const expression::Subject subject{&event->data, true, event->id, event->page, event->time_ms};
    const size_t at = run->size();
    if (one.symbols[at] != symbol) return false;
    if (one.wheres[at] && one.wheres[at]->Decide(subject) != expression::Answer::kTrue)
      return false;
    run->push_back(event);
    if (run->size() < one.symbols.size()) return false;
    run->clear();
    return true;
  }

  static bool GoOnAll(const One& one, const EventPtr& event, size_t symbol,
                      std::vector<Run>* runs) {
    if (one.within_ms > 0)
      std::erase_if(
          *runs, [&](const Run& run) { return event->time_ms - run[0]->time_ms > one.within_ms; });
    if (one.within_ms > 0 || runs->empty()) runs->emplace_back();
    for (Run& run : *runs)
      if (GoOn(one, event, symbol, &run)) {
        runs->clear();
        return true;
      }
    if (runs->back().empty()) runs->pop_back();
    return false;
  }

  std::vector<One> rules_;
};

// One set of rules in the matcher, or in the scan; its rates, round by round.
struct Case {
  std::vector<Rule> rules;
  std::vector<double> events_per_s = {};
  double matches_per_event = 0;
  std::vector<size_t> first_counts = {};  // matches of the first events
};

Status MatcherRound(Case& one) {
  rule::Matcher matcher;
  for (const Rule& rule : one.rules) FERRY_TRY(matcher.Add(rule));
  std::vector<rule::Match> got;
  one.first_counts.clear();
  RuleEvents source;
  size_t k = 0, matches = 0;
  for (; k < kWarmUp; k += kAtOnce)
    for (const EventPtr& event : source.Next()) {
      got.clear();
      matcher.OnEvent(event, &got);
      if (one.first_counts.size() < kNaiveEvents) one.first_counts.push_back(got.size());
    }
  double seconds = 0;
  for (; k < kEvents; k += kAtOnce) {
    const std::vector<EventPtr>& events = source.Next();
    const double start = ProcessorSeconds();
    for (const EventPtr& event : events) {
      got.clear();
      matcher.OnEvent(event, &got);
      matches += got.size();
    }
    seconds += ProcessorSeconds() - start;
  }
  const auto count = static_cast<double>(kEvents - kWarmUp);
  one.events_per_s.push_back(count / seconds);
  one.matches_per_event = static_cast<double>(matches) / count;
  return OkStatus();
}

Status NaiveRound(Case& one) {
  NaiveScan scan(one.rules);
  one.first_counts.clear();
  RuleEvents source;
  double seconds = 0;
  while (one.first_counts.size() < kNaiveEvents) {
    const std::vector<EventPtr>& events = source.Next();
    const double start = ProcessorSeconds();
    for (size_t k = 0; k < events.size(); ++k)
      one.first_counts.push_back(scan.OnEvent(events[k], source.symbols()[k], source.users()[k]));
    seconds += ProcessorSeconds() - start;
  }
  one.events_per_s.push_back(static_cast<double>(kNaiveEvents) / seconds);
  return OkStatus();
}

// The median of the ratios of the rounds: what slows a round slows both sides of it.
double RatioOf(const Case& a, const Case& b) {
  std::vector<double> ratios;
  for (size_t k = 0; k < a.events_per_s.size(); ++k)
    ratios.push_back(a.events_per_s[k] / b.events_per_s[k]);
  return MedianOf(ratios);
}

}  // namespace

Status MeasureRules(const Options& options, std::vector<Figure>* out) {
  Case many{MakeRules(kManyRules, "")}, naive{many.rules};
  Case idle_many{MakeRules(kManyRules, "idle_")}, idle_few{MakeRules(kFewRules, "idle_")};
  struct Variant {
    std::string name;
    double floor;  // against the naive scan
    Case fast, naive;
  };
  std::vector<Variant> variants;
  const auto vary = [&](const std::string& name, double floor, int64_t within_ms,
                        std::vector<std::string> per) {
    const std::vector<Rule> rules = MakeRules(kManyRules, "", within_ms, std::move(per));
    variants.push_back({name, floor, {rules}, {rules}});
  };
  vary("within 10 min", 10, kWithinMs, {});
  vary("within 1 s", 10, kShortMs, {});
  vary("per 1,000 users", 10, 0, {"user"});
  vary("per 1,000 users within 10 min", 10, kWithinMs, {"user"});
  for (int round = 0; round < options.rounds; ++round) {
    for (Case* one : {&many, &idle_many, &idle_few}) FERRY_TRY(MatcherRound(*one));
    FERRY_TRY(NaiveRound(naive));
    for (Variant& one : variants) {
      FERRY_TRY(MatcherRound(one.fast));
      FERRY_TRY(NaiveRound(one.naive));
      if (one.naive.first_counts != one.fast.first_counts)
        return Status::Of(Code::kInternal, "the scan finds other matches {}", one.name);
    }
    if (naive.first_counts != many.first_counts)
      return Status(Code::kInternal, "the scan finds other matches");
  }
  const auto mega = [](const Case& one) { return MedianOf(one.events_per_s) / 1e6; };
  constexpr char kMega[] = "M events/s";
  out->push_back({"rules: 10,000 on a Zipf stream", mega(many), kMega, 1.0, false, 2.0});
  out->push_back({"rules: matches an event", many.matches_per_event, ""});
  out->push_back({"rules: naive scan", mega(naive), kMega});
  out->push_back({"rules: against the naive scan", RatioOf(many, naive), "times", 15.0});
  out->push_back(
      {"rules: 100 idle against 10,000 idle", RatioOf(idle_few, idle_many), "times", 1.5, true});
  out->push_back({"rules: 10,000 idle", mega(idle_many), kMega});
  for (const Variant& one : variants) {
    out->push_back({"rules: 10,000 " + one.name, mega(one.fast), kMega});
    out->push_back({"  matches an event", one.fast.matches_per_event, ""});
    out->push_back({"  against a naive scan", RatioOf(one.fast, one.naive), "times", one.floor});
  }
  return OkStatus();
}

}  // namespace ferry::bench
