// Brute force: every way to give steps positions is tried, and each is held against every clause of
// the definition in rule.h. Shares nothing with the matcher but KeyText.
#include <algorithm>
#include <functional>
#include <map>

#include "pipeline/event/event.h"
#include "pipeline/expression/expression.h"
#include "pipeline/rule/rule.h"

namespace ferry::rule {
namespace {

using expression::Expression;
using expression::Subject;

Subject SubjectOf(const event::Event& event) {
  return {&event.data, true, event.id, event.page, event.time_ms};
}

// Positions of each step, in the order of one key's events.
using Assignment = std::vector<std::vector<size_t>>;

struct Leaving {
  Assignment steps;
  std::vector<size_t> flat;
  size_t at = 0;  // the event (of all keys) at which it leaves
  std::string key;
  int64_t time_ms = 0;
};

// The events of an assignment that are before a position, as an expression sees them.
class Before : public expression::Captures {
 public:
  Before(const std::vector<EventPtr>& events, const Assignment& steps, size_t position)
      : events_(events), steps_(steps), position_(position) {}
  size_t Count(size_t capture) const override {
    if (capture >= steps_.size()) return 0;
    const auto& list = steps_[capture];
    return static_cast<size_t>(
        std::count_if(list.begin(), list.end(), [this](size_t at) { return at < position_; }));
  }
  Subject At(size_t capture, size_t index) const override {
    return SubjectOf(*events_[steps_[capture][index]]);
  }

 private:
  const std::vector<EventPtr>& events_;
  const Assignment& steps_;
  size_t position_;
};

// One key's events and a rule's definition over them.
class Definition {
 public:
  Definition(const Rule& rule, const std::vector<EventPtr>& events) : rule_(rule), events_(events) {
    std::vector<std::string> names;
    for (const Step& step : rule.steps) names.push_back(step.name);
    for (const Step& step : rule.steps) {
      where_.push_back(Parse(step.fits.where, names));
      until_.push_back(step.until ? Parse(step.until->where, names) : std::nullopt);
    }
    while (trailing_ < rule.steps.size() && rule.steps[rule.steps.size() - 1 - trailing_].negated)
      ++trailing_;
  }

  // Calls `take` with every assignment that keeps all clauses.
  void All(const std::function<void(const Assignment&, const std::vector<size_t>&)>& take) {
    Assignment steps(rule_.steps.size());
    Choose(0, 0, &steps, take);
  }

  // Whether no event from after `last` to before `end` fits one of the last `not` steps.
  bool QuietAfter(const Assignment& steps, size_t last, size_t end) const {
    for (size_t k = rule_.steps.size() - trailing_; k < rule_.steps.size(); ++k)
      for (size_t at = last + 1; at < end; ++at)
        if (Fits(k, steps, at)) return false;
    return true;
  }
  bool waits() const { return trailing_ > 0; }

 private:
  static std::optional<Expression> Parse(const std::string& text,
                                         std::span<const std::string> names) {
    if (text.empty()) return std::nullopt;
    auto parsed = Expression::Parse(text, names);
    return parsed.ok() ? std::optional(*parsed) : std::nullopt;
  }

  bool Meets(const Condition& condition, const std::optional<Expression>& where,
             const Assignment& steps, size_t at) const {
    const event::Event& event = *events_[at];
    if (!condition.event.empty() && condition.event != event.id) return false;
    if (!condition.page.empty() && condition.page != event.page) return false;
    if (!where) return true;
    const Before captures(events_, steps, at);
    auto holds = where->Test(SubjectOf(event), &captures);
    return holds.ok() && *holds;
  }
  bool Fits(size_t step, const Assignment& steps, size_t at) const {
    return Meets(rule_.steps[step].fits, where_[step], steps, at);
  }

  void Choose(size_t step, size_t from, Assignment* steps,
              const std::function<void(const Assignment&, const std::vector<size_t>&)>& take) {
    if (step == rule_.steps.size()) {
      std::vector<size_t> flat;
      for (const auto& list : *steps) flat.insert(flat.end(), list.begin(), list.end());
      if (!flat.empty() && Holds(*steps, flat)) take(*steps, flat);
      return;
    }
    const Step& spec = rule_.steps[step];
    std::vector<size_t>& list = (*steps)[step];
    if (spec.negated || (spec.optional && list.empty())) Choose(step + 1, from, steps, take);
    if (spec.negated) return;
    if (list.size() >= spec.least) Choose(step + 1, from, steps, take);
    if (list.size() == spec.most) return;
    for (size_t at = from; at < events_.size(); ++at) {
      if (!Fits(step, *steps, at)) continue;
      list.push_back(at);
      Choose(step, at + 1, steps, take);
      list.pop_back();
    }
  }

  bool Holds(const Assignment& steps, const std::vector<size_t>& flat) const {
    const int64_t took = events_[flat.back()]->time_ms - events_[flat.front()]->time_ms;
    if (rule_.within_ms > 0 && took > rule_.within_ms) return false;
    std::optional<size_t> before;  // the step of the position before
    for (size_t k = 0; k < steps.size(); ++k) {
      for (size_t n = 0; n < steps[k].size(); ++n) {
        const size_t q = steps[k][n];
        if (n > 0 && !Neighbours(steps, k, steps[k][n - 1], q, rule_.steps[k].inner)) return false;
        if (n == 0 && before) {
          const size_t p = steps[*before].back();
          if (!Neighbours(steps, k, p, q, rule_.steps[k].contiguity)) return false;
          if (!QuietBetween(steps, *before, k, p, q)) return false;
          if (!GreedyTook(steps, *before, p, q)) return false;
        }
        before = k;
      }
      if (!UntilKept(steps, k)) return false;
    }
    return true;
  }

  bool Neighbours(const Assignment& steps, size_t step, size_t p, size_t q,
                  Contiguity contiguity) const {
    if (contiguity == Contiguity::kStrict) return q == p + 1;
    if (contiguity == Contiguity::kAny) return true;
    for (size_t at = p + 1; at < q; ++at)
      if (Fits(step, steps, at)) return false;
    return true;
  }

  bool QuietBetween(const Assignment& steps, size_t first, size_t second, size_t p,
                    size_t q) const {
    for (size_t k = first + 1; k < second; ++k)
      for (size_t at = p + 1; rule_.steps[k].negated && at < q; ++at)
        if (Fits(k, steps, at)) return false;
    return true;
  }

  bool GreedyTook(const Assignment& steps, size_t step, size_t p, size_t q) const {
    if (!rule_.steps[step].greedy || steps[step].size() == rule_.steps[step].most) return true;
    for (size_t at = p + 1; at < q; ++at)
      if (Fits(step, steps, at)) return false;
    return true;
  }

  bool UntilKept(const Assignment& steps, size_t step) const {
    if (!rule_.steps[step].until || steps[step].empty()) return true;
    for (size_t at = steps[step].front(); at <= steps[step].back(); ++at)
      if (Meets(*rule_.steps[step].until, until_[step], steps, at)) return false;
    return true;
  }

  const Rule& rule_;
  const std::vector<EventPtr>& events_;
  std::vector<std::optional<Expression>> where_, until_;
  size_t trailing_ = 0;  // `not` steps at the end
};

// One key's events and where they stand among all.
struct KeyEvents {
  std::vector<EventPtr> events;
  std::vector<size_t> places;
};

// Where a match of a rule that ends in `not` leaves: at the first event of all, after its last,
// with a time past the end; nothing when none comes or an event of the key fits before.
std::optional<size_t> LeavesAt(const Definition& definition, const Assignment& steps,
                               const KeyEvents& key, size_t last, int64_t end_ms,
                               std::span<const EventPtr> all) {
  for (size_t at = key.places[last] + 1; at < all.size(); ++at) {
    if (all[at]->time_ms <= end_ms) continue;
    const auto next = std::lower_bound(key.places.begin(), key.places.end(), at);
    const auto end = static_cast<size_t>(next - key.places.begin());
    if (definition.QuietAfter(steps, last, end)) return at;
    return std::nullopt;
  }
  return std::nullopt;
}

std::vector<Leaving> LeavingOf(const Rule& rule, const std::string& name, const KeyEvents& key,
                               std::span<const EventPtr> all) {
  std::vector<Leaving> out;
  Definition definition(rule, key.events);
  definition.All([&](const Assignment& steps, const std::vector<size_t>& flat) {
    Leaving one{steps, flat, key.places[flat.back()], name, key.events[flat.back()]->time_ms};
    if (definition.waits()) {
      one.time_ms = key.events[flat.front()]->time_ms + rule.within_ms;
      const auto at = LeavesAt(definition, steps, key, flat.back(), one.time_ms, all);
      if (!at) return;
      one.at = *at;
    }
    out.push_back(std::move(one));
  });
  std::sort(out.begin(), out.end(), [](const Leaving& a, const Leaving& b) {
    if (a.at != b.at) return a.at < b.at;
    return a.flat != b.flat ? a.flat < b.flat : a.steps < b.steps;
  });
  return out;
}

// Whether a match that left drops one that starts at `start`.
bool Drops(const Rule& rule, const Leaving& left, size_t start) {
  const auto list = [&]() -> const std::vector<size_t>& {
    for (size_t k = 0; k < rule.steps.size(); ++k)
      if (rule.steps[k].name == rule.skip_to) return left.steps[k];
    return left.steps[0];
  };
  switch (rule.skip) {
    case SkipKind::kNone:
      return false;
    case SkipKind::kNext:
      return start == left.flat.front();
    case SkipKind::kPastLast:
      return start <= left.flat.back();
    case SkipKind::kFirst:
      return !list().empty() && start < list().front();
    default:
      return !list().empty() && start < list().back();
  }
}

std::vector<Leaving> Skipped(const Rule& rule, std::vector<Leaving> all) {
  std::vector<Leaving> out;
  for (Leaving& one : all) {
    const bool dropped = std::any_of(out.begin(), out.end(), [&](const Leaving& left) {
      return Drops(rule, left, one.flat.front());
    });
    if (!dropped) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::vector<Match> Enumerate(const Rule& rule, std::span<const EventPtr> events) {
  if (!CheckRule(rule).ok()) return {};
  std::map<std::string, KeyEvents> keys;
  for (size_t k = 0; k < events.size(); ++k) {
    KeyEvents& key = keys[KeyText(rule.per, *events[k])];
    key.events.push_back(events[k]);
    key.places.push_back(k);
  }
  std::vector<Leaving> all;
  for (const auto& [name, key] : keys)
    for (Leaving& one : Skipped(rule, LeavingOf(rule, name, key, events)))
      all.push_back(std::move(one));
  std::stable_sort(all.begin(), all.end(),
                   [](const Leaving& a, const Leaving& b) { return a.at < b.at; });
  std::vector<Match> out;
  for (const Leaving& one : all) {
    Match match;
    match.key = one.key;
    match.time_ms = one.time_ms;
    for (const auto& list : one.steps) {
      for (const size_t at : list) match.events.push_back(keys[one.key].events[at]);
      match.ends.push_back(static_cast<uint32_t>(match.events.size()));
    }
    out.push_back(std::move(match));
  }
  return out;
}

}  // namespace ferry::rule
