// Runs of a plain rule in one key as active instance stacks. With steps one after another and any
// events between, a run at a step has one way on: the next event that fits the step behind. So all
// runs that wait for a step go on at the same event, and to know them all it is enough to keep,
// step by step, the events at which some went on: a run's event of a step is the first of the
// step's stack behind its event of the step before. Runs that began earlier are never behind those
// that began later, so what is alive are the starts from one on. Internal to the room.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <vector>

#include "pipeline/rule/match/compile.h"
#include "pipeline/rule/match/held_events.h"
#include "pipeline/rule/match/runs.h"

namespace ferry::rule {

// The events of one key that fit a rule's first step, in the order of arrival; rules that begin
// with the same letter share them.
class Starts {
 public:
  struct Start {
    uint64_t seq = 0;
    int64_t time_ms = 0;
    HeldEvent* held = nullptr;
  };

  void Add(HeldEvent* held);
  void PrefetchEnd() const { __builtin_prefetch(list_.data() + list_.size(), 1); }
  // 0: there is none.
  uint64_t last_seq() const { return list_.empty() ? 0 : list_.back().seq; }
  size_t size() const { return list_.size(); }
  const std::vector<Start>& list() const { return list_; }
  // Whether more than so many have this seq or a larger one.
  bool HasMoreThan(size_t count, uint64_t seq) const {
    return list_.size() > count && list_[list_.size() - count - 1].seq >= seq;
  }
  // The place of the first with this seq or a larger one.
  size_t PlaceOf(uint64_t seq) const;
  // The seq of the first with this seq or a larger one; UINT64_MAX: there is none.
  uint64_t FirstFrom(uint64_t seq) const {
    const size_t place = PlaceOf(seq);
    return place == list_.size() ? UINT64_MAX : list_[place].seq;
  }
  // The first of those with a seq from `from` to below `to` whose time is not below; or null.
  const Start* FirstSince(int64_t time_ms, uint64_t from, uint64_t to) const;
  // Lets go those with a smaller seq.
  void DropBefore(uint64_t seq, HeldEvents* held);
  // Takes up, in front, those of `older`, which all have smaller seqs.
  void Prepend(std::vector<Start> older);

 private:
  std::vector<Start> list_;
  uint64_t disorder_seq_ = 0;  // from here on no time is below the one before it
};

// The events at which runs took one step, in the order of arrival.
class Stack {
 public:
  struct Entry {
    uint64_t seq = 0;
    HeldEvent* held = nullptr;
  };

  uint64_t last_seq() const { return last_seq_; }  // 0: it is empty
  bool empty() const { return last_seq_ == 0; }
  // The first, which must be there.
  const Entry& front() const { return entries_[head_]; }
  void Push(HeldEvent* held);
  // Lets go those with this seq or a smaller one.
  void DropThrough(uint64_t seq, HeldEvents* held);
  // The first behind `seq`, the last before it; null: there is none.
  const Entry* FirstAfter(uint64_t seq) const;
  const Entry* LastBefore(uint64_t seq) const;
  std::span<const Entry> entries() const { return std::span<const Entry>(entries_).subspan(head_); }

 private:
  std::vector<Entry> entries_;
  size_t head_ = 0;  // those before have gone
  uint64_t last_seq_ = 0;
};

// What does not change of a rule.
struct PlainRule {
  explicit PlainRule(const CompiledRule& rule);
  // Whether a run that began at `first_ms` is gone, see kLateMs.
  bool IsTooOld(int64_t first_ms, int64_t latest_ms) const {
    return within_ms > 0 && latest_ms - first_ms > within_ms + kLateMs;
  }
  size_t steps() const { return letters.size(); }

  const CompiledRule* rule = nullptr;
  int64_t within_ms = 0;  // 0: no limit
  size_t max_runs = 0;
  boost::container::small_vector<Letter, 4> letters;  // of the steps
};

// How far the runs of a rule of two or more steps have come in one key, beside their starts.
class RunStacks {
 public:
  // Starts before `from` are none of the rule's.
  RunStacks(size_t steps, uint64_t from) : from_(from), stacks_(steps - 2) {}

  uint64_t from() const { return from_; }
  // Whether runs wait for the step; `last_start` is the seq of the last start.
  bool Waits(size_t step, uint64_t last_start) const {
    const uint64_t last =
        step > 1 ? stacks_[step - 2].last_seq() : (last_start >= from_ ? last_start : 0);
    const uint64_t taken = step - 1 < stacks_.size() ? stacks_[step - 1].last_seq() : 0;
    return last != 0 && last >= taken;
  }
  // Runs that wait for the step, which is not the last, take it.
  void Take(size_t step, HeldEvent* held) {
    ++held->users;
    stacks_[step - 1].Push(held);
  }
  // Runs that wait for the last step take it. The one that began first and is in time is the match,
  // whose events but the last are appended; it drops all others. Whether there is one.
  bool Complete(const PlainRule& rule, const Starts& starts, const Arrival& now, HeldEvents* held,
                std::vector<EventPtr>* match);
  // Lets go the runs past max_runs, which are counted, and those in front that are too old.
  uint64_t Settle(const PlainRule& rule, const Starts& starts, int64_t latest_ms, HeldEvents* held);
  void Clear(uint64_t from, HeldEvents* held);
  // The runs that are left when it was settled.
  uint64_t Count(const PlainRule& rule, const Starts& starts, int64_t latest_ms) const;
  // The smallest number of an event of the log that is held beside the starts; 0: none.
  uint64_t oldest() const;
  size_t bytes() const;

  // ---- run_stacks_state.cc

  // The runs one by one; without a limit of time the one that began first.
  void Save(const PlainRule& rule, const Starts& starts, KeyRuns* out) const;
  // Takes up runs that Save, or RuleRuns, has written, and gives their starts. False: they are no
  // runs of such a rule.
  bool Load(const KeyRuns& runs, HeldEvents* held, std::vector<Starts::Start>* starts);

 private:
  bool LoadRun(const Run& run, std::vector<uint64_t>* before, HeldEvents* held,
               std::vector<Starts::Start>* starts);
  uint64_t Limit(const PlainRule& rule, const Starts& starts, size_t* place);
  // Lets go what only runs have passed that began before `first`.
  void DropDead(uint64_t first, HeldEvents* held);

  uint64_t from_ = 0;                                // runs that began before are gone
  boost::container::small_vector<Stack, 2> stacks_;  // of the steps between the first and the last
};

}  // namespace ferry::rule
