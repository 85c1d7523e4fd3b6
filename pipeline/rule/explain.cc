#include "pipeline/rule/explain.h"

#include <map>

#include "common/base/json.h"
#include "pipeline/event/event.h"
#include "pipeline/rule/match/runs.h"

namespace ferry::rule {
namespace {

// Keeps the run that came furthest and what ended it.
class Furthest : public RunWatcher {
 public:
  void Reached(const Run& run) override {
    size_t positions = 0;
    for (const Link* at = run.last.get(); at != nullptr; at = at->before.get()) ++positions;
    const std::pair<uint32_t, size_t> far{run.last->step, positions};
    if (best_.last != nullptr && far < far_) return;
    far_ = far;
    best_ = run;
    ended_seq_ = UINT64_MAX;
    why_.clear();
  }
  void Ended(const Run& run, const Arrival& now, const std::string& why) override {
    if (run.last != best_.last) return;
    ended_seq_ = now.seq;
    why_ = why;
  }

  const Run& run() const { return best_; }
  uint64_t ended_seq() const { return ended_seq_; }
  const std::string& why() const { return why_; }

 private:
  Run best_;
  std::pair<uint32_t, size_t> far_;
  uint64_t ended_seq_ = UINT64_MAX;
  std::string why_;
};

// What a run waits for: the first step that may come next, its own only when it needs more.
Json WaitingFor(const CompiledRule& rule, const Run& run) {
  const auto name = [&rule](size_t step) { return Json(rule.rule.steps[step].name); };
  if (run.last == nullptr) return name(0);
  if (run.waits) return name(rule.steps.size() - 1);
  for (size_t t = run.last->step + 1; t < rule.steps.size(); ++t)
    if ((run.alive & (StepMask{1} << t)) != 0) return name(t);
  return name(run.last->step);
}

Json StepsOf(const CompiledRule& rule, const Run& run) {
  std::map<std::string, std::vector<uint64_t>> steps;
  for (const Link* at = run.last.get(); at != nullptr; at = at->before.get()) {
    auto& list = steps[rule.rule.steps[at->step].name];
    list.insert(list.begin(), at->event->number);
  }
  return Json(steps);
}

Json StepsOf(const CompiledRule& rule, const Match& match) {
  Json out = Json::object();
  for (size_t k = 0; k < match.steps(); ++k)
    for (const EventPtr& event : match.step(k))
      out[rule.rule.steps[k].name].push_back(event->number);
  return out;
}

// The text for a run without match. Time that passed before something else did ended it.
Json EndedBy(const CompiledRule& rule, const Furthest& furthest, std::span<const EventPtr> events) {
  const Run& run = furthest.run();
  if (run.last == nullptr) return nullptr;
  const std::vector<std::string>& per = rule.rule.per;
  const std::string key = KeyText(per, *run.last->event);
  const int64_t within_ms = rule.rule.within_ms;
  for (size_t k = run.last->seq; k < events.size() && k < furthest.ended_seq(); ++k) {
    const bool passed = within_ms > 0 && events[k]->time_ms - run.first_ms > within_ms;
    if (passed && !run.waits && KeyText(per, *events[k]) == key)
      return fmt::format("within_ms passed at event {}", events[k]->number);
  }
  return furthest.why().empty() ? Json(nullptr) : Json(furthest.why());
}

}  // namespace

std::string RuleRuns::WhyEnded(const Run& run, StepMask fits, const Arrival& now) {
  const size_t at = run.last->step;
  const CompiledStep& spec = rule_.steps[at];
  const uint64_t number = now.event->number;
  const auto bit = [](size_t step) { return StepMask{1} << step; };
  const StepMask nots = (run.waits ? rule_.trailing : 0) | spec.nots;
  for (size_t n = at + 1; n < rule_.steps.size(); ++n)
    if ((nots & bit(n)) != 0 && Fits(rule_.steps[n].fits, run.last.get(), now))
      return fmt::format("`not {}` by event {}", rule_.rule.steps[n].name, number);
  if (FitsUntil(at, run.last.get(), now))
    return fmt::format("until of {} by event {}", rule_.rule.steps[at].name, number);
  for (size_t t = at; t < rule_.steps.size(); ++t) {
    if ((run.alive & bit(t)) == 0) continue;
    const std::string& name = rule_.rule.steps[t].name;
    if ((fits & bit(t)) != 0) {
      if (t != at && FitsUntil(t, run.last.get(), now))
        return fmt::format("until of {} by event {}", name, number);
      continue;
    }
    const Contiguity contiguity = t == at ? spec.inner : rule_.steps[t].contiguity;
    if (contiguity == Contiguity::kStrict)
      return fmt::format("strict: event {} does not fit {}", number, name);
  }
  if (spec.greedy && fits == 0)
    return fmt::format("greedy: event {} fits {}", number, rule_.rule.steps[at].name);
  return "";
}

Result<Json> Explain(const Rule& rule, std::span<const EventPtr> events,
                     const std::string& wanted) {
  FERRY_TRY(CheckRule(rule));
  Letters letters;
  FERRY_ASSIGN_OR_RETURN(const CompiledRule compiled, CompileRule(rule, "", &letters));
  for (const Letter letter : LettersOf(compiled)) letters.Watch(letter, 1);
  RuleRuns runs(compiled, &letters);
  Furthest furthest;
  runs.watcher = &furthest;
  std::map<std::string, KeyRuns*> due;
  runs.on_due = [&due](KeyRuns& key, int64_t) {
    if (key.due_ms == INT64_MAX)
      due.erase(key.key);
    else
      due[key.key] = &key;
  };
  std::vector<Match> matches;
  Arrival now;
  for (const EventPtr& event : events) {
    now.event = event;
    ++now.seq;
    now.latest_ms = std::max(now.latest_ms, event->time_ms);
    for (const auto& [name, key] : std::map(due))
      if (key->due_ms < event->time_ms) runs.OnTime(*key, event->time_ms, now, 0, &matches);
    const std::string key = KeyText(rule.per, *event);
    if (!wanted.empty() && key != wanted) continue;
    letters.Read(*event);
    runs.OnEvent(key, now, 0, &matches);
  }
  if (!matches.empty())
    return Json{{"fired", true},
                {"steps", StepsOf(compiled, matches.back())},
                {"waiting_for", nullptr},
                {"ended_by", nullptr}};
  return Json{{"fired", false},
              {"steps", StepsOf(compiled, furthest.run())},
              {"waiting_for", WaitingFor(compiled, furthest.run())},
              {"ended_by", EndedBy(compiled, furthest, events)}};
}

}  // namespace ferry::rule
