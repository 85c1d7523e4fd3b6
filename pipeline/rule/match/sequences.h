// Plain rules, many at once: steps one after another with any events between, one key, no limit of
// time, past_last. For these the run that began first ends no later than any other and drops the
// others, so one run a rule is all there is to keep, and a rule waits for one letter at a time: an
// event touches the rules that wait for it and no others. Internal to the room.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/rule/match/compile.h"
#include "pipeline/rule/match/held_events.h"
#include "pipeline/rule/match/runs.h"

namespace ferry::rule {

// A plain rule with its run: all that an event touches of it, together in memory. The letters of
// its steps stand behind it, behind them the events of all its steps but the last.
struct Sequence {
  uint64_t matches = 0;
  uint32_t number = 0;  // the rule's
  uint8_t steps = 0;
  uint8_t at = 0;  // steps that have their event
  bool dirty = false, stored = false;

  Letter* letters() { return reinterpret_cast<Letter*>(this + 1); }
  HeldEvent** positions() { return reinterpret_cast<HeldEvent**>(letters() + (steps + 1) / 2 * 2); }

  static Sequence* Make(uint32_t number, size_t steps);
  struct Delete {
    void operator()(Sequence* sequence) const;
  };
  static size_t BytesOf(size_t steps);
};
using SequencePtr = std::unique_ptr<Sequence, Sequence::Delete>;

// Which of the evaluators for plain rules a rule belongs to.
enum class Way : uint8_t { kSequence, kStacked, kKeyed };

// A plain rule that is complete with an event, in the order of the rules' numbers.
struct CompleteRule {
  uint32_t number = 0;
  Way way = Way::kSequence;
  uint32_t place = 0;            // of its match there
  Sequence* sequence = nullptr;  // of Sequences; null: a rule of one step
  bool operator<(const CompleteRule& other) const { return number < other.number; }
};

class Sequences {
 public:
  // Whether a rule is one. A rule with a max_runs of its own is none: there runs are counted.
  static bool Takes(const CompiledRule& rule);

  explicit Sequences(Letters* letters) : all_letters_(*letters) {}

  // `rule` is borrowed until Remove.
  void Add(uint32_t number, const CompiledRule& rule);
  void Remove(uint32_t number);
  bool has(uint32_t number) const {
    return number < places_.size() && places_[number].sequence != nullptr;
  }

  // The event fulfils the letter: takes up the rules that wait for it. Appends those that are
  // complete with it.
  void OnLetter(Letter letter, std::vector<CompleteRule>* complete) {
    if (all_letters_.single(letter)) CompleteSingles(letter, complete);
    WaitList& waiting = all_letters_.waiting(letter);
    taken_.insert(taken_.end(), waiting.all().begin(), waiting.all().end());
    waiting.Clear();
  }
  // After OnLetter for all of the event's letters: those that were taken up go on, a step each.
  void Move(const Arrival& now, std::vector<CompleteRule>* complete);
  // The match of a rule that is complete at this event.
  void Deliver(const CompleteRule& complete, const Arrival& now, std::vector<Match>* out);

  uint64_t oldest() const;
  RuleStats stats(uint32_t number) const;

  // ---- sequences_state.cc

  // Calls with each rule that changed since the last call, and its state; empty: none.
  void SaveChanges(const std::function<void(uint32_t number, const std::string& state)>& put);
  Status Load(uint32_t number, std::string_view state, const Resolver& resolver);
  bool stored(uint32_t number) const { return places_[number].sequence->stored; }

 private:
  // What events do not touch.
  struct Place {
    SequencePtr sequence;
    const CompiledRule* rule = nullptr;
    uint64_t dropped_runs = 0;
    uint64_t fired_before = 0;  // of its letter, when a rule of one step came
  };
  // Rules of one step.
  struct Singles {
    std::vector<uint32_t> numbers;
    uint64_t fired = 0;
  };
  void CompleteSingles(Letter letter, std::vector<CompleteRule>* complete);
  // Lets go the events of its run.
  void Release(Sequence* one);
  void Wait(Sequence* one) { all_letters_.waiting(one->letters()[one->at]).Add(one); }
  void Unwait(Sequence* one);
  void MarkDirty(Sequence* one);

  Letters& all_letters_;
  std::vector<Place> places_;     // by the rule's number
  std::vector<Singles> singles_;  // by letter
  HeldEvents held_;
  std::vector<Sequence*> taken_, dirty_;
};

}  // namespace ferry::rule
