#include "pipeline/rule/match/stacked.h"

#include <bit>

#include "pipeline/event/event.h"

namespace ferry::rule {
namespace {

constexpr int64_t kTrimMs = kLateMs / 8;
constexpr size_t kFewStarts = 64;

}  // namespace

bool StackedRules::Takes(const CompiledRule& rule) {
  const Rule& spec = rule.rule;
  return spec.per.empty() && spec.within_ms > 0 && spec.steps.size() > 1 && IsPlain(rule);
}

void StackedRules::Add(uint32_t number, const CompiledRule& rule, uint64_t seq) {
  rules_.resize(std::max<size_t>(rules_.size(), number + 1));
  rules_[number] = std::make_unique<One>(number, rule, seq);
  One* const one = rules_[number].get();
  const auto& letters = one->plain.letters;
  const Letter largest = *std::max_element(letters.begin(), letters.end());
  of_letters_.resize(std::max<size_t>(of_letters_.size(), largest + 1));
  last_start_.resize(of_letters_.size());
  for (const Letter letter : letters) {
    ++of_letters_[letter].users;
    all_letters_.SetStacked(letter, true);
  }
  OfLetter& first = of_letters_[letters[0]];
  first.firsts.push_back(one);
  first.begins = true;
  first.trim_at = std::max({first.trim_at, kFewStarts, first.firsts.size()});
  of_letters_[letters[1]].seconds.push_back({letters[0], seq + 1, one});
}

void StackedRules::Remove(uint32_t number) {
  One* const one = rules_[number].get();
  const auto& letters = one->plain.letters;
  OfLetter& first = of_letters_[letters[0]];
  std::erase(first.firsts, one);
  first.begins = !first.firsts.empty();
  if (!first.begins) {
    first.starts.DropBefore(UINT64_MAX, &held_);
    last_start_[letters[0]] = 0;
  }
  std::erase_if(of_letters_[letters[1]].seconds,
                [one](const Second& second) { return second.rule == one; });
  for (const Letter letter : letters) {
    std::erase_if(of_letters_[letter].waiting,
                  [one](const Waiting& waiting) { return waiting.rule == one; });
    if (--of_letters_[letter].users == 0) all_letters_.SetStacked(letter, false);
  }
  one->runs.Clear(0, &held_);
  std::erase(dirty_, one);
  rules_[number] = nullptr;
}

void StackedRules::MarkDirty(One& one) {
  if (one.dirty) return;
  one.dirty = true;
  dirty_.push_back(&one);
}

HeldEvent* StackedRules::Hold(const Arrival& now) {
  if (held_now_ == nullptr) held_now_ = held_.New(now.event, now.seq, now.by_value);
  return held_now_;
}

void StackedRules::OnLetter(Letter letter, uint64_t seq) {
  OfLetter& of = of_letters_[letter];
  if (of.begins) started_.push_back(letter);
  const auto move = [this](One* one, uint32_t step) {
    const char* const memory = reinterpret_cast<const char*>(one);  // rules lie apart in it
    for (size_t line = 0; line < sizeof(One); line += 64) __builtin_prefetch(memory + line, 1);
    moving_[step].push_back(one);
    moving_steps_ |= StepMask{1} << step;
  };
  for (Second& second : of.seconds) {
    if (last_start_[second.first] < second.since) continue;
    second.since = seq;
    move(second.rule, 1);
  }
  for (const Waiting& waiting : of.waiting) {
    waiting.rule->listed &= ~(StepMask{1} << waiting.step);
    move(waiting.rule, waiting.step);
  }
  of.waiting.clear();
}

void StackedRules::Await(One& one, size_t step) {
  const StepMask bit = StepMask{1} << step;
  if ((one.listed & bit) != 0) return;
  one.listed |= bit;
  of_letters_[one.plain.letters[step]].waiting.push_back({&one, static_cast<uint32_t>(step)});
}

void StackedRules::GoOn(One& one, size_t step, const Arrival& now,
                        std::vector<CompleteRule>* complete) {
  const Letter first = one.plain.letters[0];
  if (!one.runs.Waits(step, last_start_[first])) return;
  MarkDirty(one);
  if (step + 1 < one.plain.steps()) {
    one.runs.Take(step, Hold(now));
    Await(one, step + 1);
    return;
  }
  const Starts& starts = of_letters_[first].starts;
  if (starts.HasMoreThan(one.plain.max_runs, one.runs.from())) Settle(one, now.latest_ms);
  const auto place = static_cast<uint32_t>(found_.size());
  if (!one.runs.Complete(one.plain, starts, now, &held_, &found_)) return;
  ++one.matches;
  complete->push_back({.number = one.number, .way = Way::kStacked, .place = place});
}

void StackedRules::Move(const Arrival& now, std::vector<CompleteRule>* complete) {
  held_now_ = nullptr;
  found_.clear();
  // Later steps first: a run takes one step with an event.
  while (moving_steps_ != 0) {
    const auto step = static_cast<size_t>(std::bit_width(moving_steps_) - 1);
    moving_steps_ &= ~(StepMask{1} << step);
    for (One* const one : moving_[step]) GoOn(*one, step, now, complete);
    moving_[step].clear();
  }
  Begin(now);
  if (trimmed_ms_ == INT64_MIN) trimmed_ms_ = now.latest_ms;
  if (now.latest_ms - trimmed_ms_ >= kTrimMs) TrimAll(now.latest_ms);
}

void StackedRules::Begin(const Arrival& now) {
  for (const Letter letter : started_) {
    OfLetter& of = of_letters_[letter];
    of.starts.Add(Hold(now));
    last_start_[letter] = now.seq;
    if (!of.dirty) dirty_letters_.push_back(letter);
    of.dirty = true;
    if (of.starts.size() >= of.trim_at) Trim(of, now.latest_ms);
  }
  started_.clear();
}

void StackedRules::Settle(One& one, int64_t latest_ms) {
  const uint64_t from = one.runs.from();
  one.dropped_runs += one.runs.Settle(one.plain, StartsOf(one), latest_ms, &held_);
  if (one.stored && one.runs.from() != from) MarkDirty(one);
}

void StackedRules::Trim(OfLetter& of, int64_t latest_ms) {
  uint64_t from = UINT64_MAX;
  for (One* const one : of.firsts) {
    Settle(*one, latest_ms);
    from = std::min(from, one->runs.from());
  }
  of.starts.DropBefore(from, &held_);
  of.trim_at = std::max({kFewStarts, of.firsts.size(), 2 * of.starts.size()});
}

void StackedRules::TrimAll(int64_t latest_ms) {
  trimmed_ms_ = latest_ms;
  for (OfLetter& of : of_letters_)
    if (of.starts.size() > 0) Trim(of, latest_ms);
}

void StackedRules::Deliver(const CompleteRule& complete, const Arrival& now,
                           std::vector<Match>* out) {
  const size_t before = rules_[complete.number]->plain.steps() - 1;
  Match& match = out->emplace_back();
  match.rule = complete.number;
  match.time_ms = now.event->time_ms;
  for (uint32_t k = 0; k < before; ++k) {
    match.events.push_back(std::move(found_[complete.place + k]));
    match.ends.push_back(k + 1);
  }
  match.events.push_back(now.event);
  match.ends.push_back(static_cast<uint32_t>(before + 1));
}

uint64_t StackedRules::oldest(int64_t latest_ms) {
  TrimAll(latest_ms);
  uint64_t oldest = 0;
  const auto take = [&oldest](uint64_t number) {
    if (number != 0 && (oldest == 0 || number < oldest)) oldest = number;
  };
  for (const OfLetter& of : of_letters_)
    for (const Starts::Start& one : of.starts.list()) {
      if (one.held->by_value) continue;
      take(one.held->event->number);
      break;  // numbers of the log grow
    }
  for (const auto& one : rules_)
    if (one != nullptr) take(one->runs.oldest());
  return oldest;
}

RuleStats StackedRules::stats(uint32_t number, int64_t latest_ms) {
  One& one = *rules_[number];
  Settle(one, latest_ms);
  RuleStats out;
  out.matches = one.matches;
  out.dropped_runs = one.dropped_runs;
  out.runs = one.runs.Count(one.plain, StartsOf(one), latest_ms);
  out.keys = out.runs > 0 ? 1 : 0;
  out.bytes = sizeof(One) + one.runs.bytes();
  return out;
}

}  // namespace ferry::rule
