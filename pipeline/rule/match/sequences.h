// Plain rules, many at once: steps one after another with any events between, one key, no limit of
// time, past_last. For these the run that began first ends no later than any other and drops the
// others, so one run a rule is all there is to keep, and a rule waits for one letter at a time: an
// event touches the rules that wait for it and no others. Internal to the room.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/rule/match/compile.h"
#include "pipeline/rule/match/runs.h"

namespace ferry::rule {

class Sequences {
 public:
  // Whether a rule is one. A rule with a max_runs of its own is none: there runs are counted.
  static bool Takes(const CompiledRule& rule);

  explicit Sequences(Letters* letters) : all_letters_(*letters) {}

  // `rule` is borrowed until Remove.
  void Add(uint32_t number, const CompiledRule& rule);
  void Remove(uint32_t number);
  bool has(uint32_t number) const { return number < places_.size() && places_[number] != kNone; }

  bool Waits(Letter letter) const {
    return letter < lists_.size() &&
           (!lists_[letter].waiting.empty() || !lists_[letter].single.empty());
  }
  // A rule that is complete, in the order of the rules' numbers.
  struct Complete {
    uint32_t number = 0;
    uint32_t place = 0;  // kNone: a rule of one step
    bool operator<(const Complete& other) const { return number < other.number; }
  };
  // The event fulfils the letter: rules that wait for it go on. Appends those that are complete.
  void OnLetter(Letter letter, const Arrival& now, std::vector<Complete>* complete);
  // The match of a rule that OnLetter has found complete at this event.
  void Deliver(const Complete& complete, const Arrival& now, std::vector<Match>* out);

  uint64_t oldest() const;
  RuleStats stats(uint32_t number) const;

  // ---- sequences_state.cc

  // Calls with each rule that changed since the last call, and its state; empty: none.
  void SaveChanges(const std::function<void(uint32_t number, const std::string& state)>& put);
  Status Load(uint32_t number, std::string_view state, const Resolver& resolver);
  bool stored(uint32_t number) const { return sequences_[places_[number]].stored; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Position {
    EventPtr event;
    uint64_t seq = 0;
    bool by_value = false;
  };
  // What an event touches of a rule; kept small. Its letters stand at `begin` of letters_, the
  // events of all its steps but the last at `begin` of positions_.
  struct Sequence {
    uint32_t number = 0;
    uint32_t begin = 0;
    uint64_t moved_seq = 0;
    uint8_t steps = 0;
    uint8_t at = 0;  // steps that have their event
    bool dirty = false, stored = false;
  };
  // Who waits for a letter.
  struct Lists {
    std::vector<uint32_t> waiting;  // places of rules of several steps
    std::vector<Complete> single;   // rules of one step
  };
  Letter* LettersOf(const Sequence& one) { return letters_.data() + one.begin; }
  Position* PositionsOf(const Sequence& one) { return positions_.data() + one.begin; }
  void Wait(uint32_t place);
  void Unwait(uint32_t place);
  void MarkDirty(uint32_t place);

  Letters& all_letters_;
  std::vector<Sequence> sequences_;
  std::vector<Letter> letters_;
  std::vector<Position> positions_;
  std::vector<uint32_t> free_begins_[kMaxSteps + 1];  // of letters_, by steps
  std::vector<uint64_t> matches_;                     // by the rule's number
  std::vector<uint64_t> dropped_runs_;                // by place
  std::vector<const CompiledRule*> rules_;            // by place
  std::vector<uint32_t> free_, places_;               // places_: by the rule's number
  std::vector<Lists> lists_;                          // by letter
  std::vector<uint32_t> scratch_, dirty_;
};

}  // namespace ferry::rule
