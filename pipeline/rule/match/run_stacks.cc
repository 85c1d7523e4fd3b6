#include "pipeline/rule/match/run_stacks.h"

#include "pipeline/event/event.h"

namespace ferry::rule {

namespace {

constexpr size_t kAhead = 8;  // held events lie apart in memory: the next ones are called early

// The place of the first of `list` from which on `holds` is true, and not before.
template <typename List, typename F>
size_t FirstOfLast(const List& list, F holds) {
  // Steps that grow, from the end, then by halves: what is asked for is seldom far from the end.
  size_t after = list.size(), step = 1;
  while (after >= step && holds(list[after - step])) {
    after -= step;
    step *= 2;
  }
  size_t before = after >= step ? after - step + 1 : 0;
  while (before < after) {
    const size_t middle = (before + after) / 2;
    if (holds(list[middle]))
      after = middle;
    else
      before = middle + 1;
  }
  return after;
}

}  // namespace

PlainRule::PlainRule(const CompiledRule& compiled)
    : rule(&compiled), within_ms(compiled.rule.within_ms), max_runs(compiled.rule.max_runs) {
  for (const CompiledStep& step : compiled.steps) letters.push_back(step.fits.letter);
}

// ---- Starts

void Starts::Add(HeldEvent* held) {
  ++held->users;
  const int64_t time_ms = held->event->time_ms;
  if (!list_.empty() && time_ms < list_.back().time_ms) disorder_seq_ = held->seq;
  list_.push_back({held->seq, time_ms, held});
}

size_t Starts::PlaceOf(uint64_t seq) const {
  return FirstOfLast(list_, [seq](const Start& one) { return one.seq >= seq; });
}

const Starts::Start* Starts::FirstSince(int64_t time_ms, uint64_t from, uint64_t to) const {
  const auto in_time = [=](const Start& one) { return one.seq >= from && one.time_ms >= time_ms; };
  size_t place = list_.size();
  if (from >= disorder_seq_) {
    place = FirstOfLast(list_, in_time);
  } else {
    place = PlaceOf(from);
    while (place < list_.size() && !in_time(list_[place]) && list_[place].seq < to) ++place;
  }
  return place < list_.size() && list_[place].seq < to ? &list_[place] : nullptr;
}

void Starts::DropBefore(uint64_t seq, HeldEvents* held) {
  const size_t count = PlaceOf(seq);
  for (size_t k = 0; k < count; ++k) {
    if (k + kAhead < count) __builtin_prefetch(list_[k + kAhead].held, 1);
    held->Drop(list_[k].held);
  }
  list_.erase(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(count));
}

void Starts::Prepend(std::vector<Start> older) {
  older.insert(older.end(), list_.begin(), list_.end());
  list_ = std::move(older);
  for (size_t k = 1; k < list_.size(); ++k)
    if (list_[k].time_ms < list_[k - 1].time_ms) disorder_seq_ = list_[k].seq;
}

// ---- Stack

void Stack::Push(HeldEvent* held) {
  entries_.push_back({held->seq, held});
  last_seq_ = held->seq;
}

void Stack::DropThrough(uint64_t seq, HeldEvents* held) {
  for (; head_ < entries_.size() && entries_[head_].seq <= seq; ++head_) {
    if (head_ + kAhead < entries_.size()) __builtin_prefetch(entries_[head_ + kAhead].held, 1);
    held->Drop(entries_[head_].held);
  }
  if (head_ == entries_.size()) last_seq_ = 0;
  if (2 * head_ < entries_.size()) return;
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
}

const Stack::Entry* Stack::FirstAfter(uint64_t seq) const {
  const auto list = entries();
  const size_t place = FirstOfLast(list, [seq](const Entry& one) { return one.seq > seq; });
  return place == list.size() ? nullptr : &list[place];
}

const Stack::Entry* Stack::LastBefore(uint64_t seq) const {
  const auto list = entries();
  const size_t place = FirstOfLast(list, [seq](const Entry& one) { return one.seq >= seq; });
  return place == 0 ? nullptr : &list[place - 1];
}

// ---- RunStacks

bool RunStacks::Complete(const PlainRule& rule, const Starts& starts, const Arrival& now,
                         HeldEvents* held, std::vector<EventPtr>* match) {
  uint64_t end = now.seq;  // runs that began before wait
  for (size_t k = stacks_.size(); k > 0; --k) {
    const Stack::Entry* const taken = stacks_[k - 1].LastBefore(end);
    if (taken == nullptr) return false;
    end = taken->seq;
  }
  int64_t since_ms = INT64_MIN;
  if (rule.within_ms > 0)
    since_ms = std::max(now.event->time_ms, now.latest_ms - kLateMs) - rule.within_ms;
  if (const Starts::Start* const first = starts.FirstSince(since_ms, from_, end)) {
    match->push_back(first->held->event);
    uint64_t seq = first->seq;
    for (const Stack& stack : stacks_) {
      const Stack::Entry& next = *stack.FirstAfter(seq);
      match->push_back(next.held->event);
      seq = next.seq;
    }
    Clear(now.seq + 1, held);
    return true;
  }
  from_ = std::max(from_, end);
  DropDead(starts.FirstFrom(from_), held);
  return false;
}

// Moves from_ and `place`, where it is, past the runs that are too many.
uint64_t RunStacks::Limit(const PlainRule& rule, const Starts& starts, size_t* place) {
  const auto& list = starts.list();
  uint64_t dropped = 0;
  for (; list.size() - *place > rule.max_runs; ++*place)
    if (!rule.IsTooOld(list[*place].time_ms, list[*place + rule.max_runs].time_ms)) ++dropped;
  return dropped;
}

uint64_t RunStacks::Settle(const PlainRule& rule, const Starts& starts, int64_t latest_ms,
                           HeldEvents* held) {
  const auto& list = starts.list();
  size_t place = starts.PlaceOf(from_);
  const uint64_t dropped = Limit(rule, starts, &place);
  while (place < list.size() && rule.IsTooOld(list[place].time_ms, latest_ms)) ++place;
  from_ = std::max(from_, place < list.size() ? list[place].seq : starts.last_seq() + 1);
  DropDead(place < list.size() ? list[place].seq : UINT64_MAX, held);
  return dropped;
}

void RunStacks::DropDead(uint64_t first, HeldEvents* held) {
  for (Stack& stack : stacks_) {
    stack.DropThrough(first, held);
    first = stack.empty() ? UINT64_MAX : stack.front().seq;
  }
}

void RunStacks::Clear(uint64_t from, HeldEvents* held) {
  from_ = from;
  for (Stack& stack : stacks_) stack.DropThrough(UINT64_MAX, held);
}

uint64_t RunStacks::Count(const PlainRule& rule, const Starts& starts, int64_t latest_ms) const {
  const auto& list = starts.list();
  const auto begin = list.begin() + static_cast<std::ptrdiff_t>(starts.PlaceOf(from_));
  return static_cast<uint64_t>(std::count_if(begin, list.end(), [&](const Starts::Start& one) {
    return !rule.IsTooOld(one.time_ms, latest_ms);
  }));
}

uint64_t RunStacks::oldest() const {
  uint64_t oldest = 0;
  for (const Stack& stack : stacks_)
    for (const Stack::Entry& one : stack.entries()) {
      if (one.held->by_value) continue;
      if (oldest == 0 || one.held->event->number < oldest) oldest = one.held->event->number;
      break;  // numbers of the log grow
    }
  return oldest;
}

size_t RunStacks::bytes() const {
  size_t bytes = sizeof(*this);
  for (const Stack& stack : stacks_) bytes += stack.entries().size() * sizeof(Stack::Entry);
  return bytes;
}

}  // namespace ferry::rule
