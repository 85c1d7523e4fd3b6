// Plain rules of several steps with within_ms and one key, many at once: their runs as stacks, see
// run_stacks.h. An event that fits a first step is noted once for all rules that begin with it;
// beside that an event touches the rules that go on with it, and no others. What is too old is
// found no more, and forgotten some hours of the stream later. Internal to the room.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/rule/match/run_stacks.h"
#include "pipeline/rule/match/sequences.h"

namespace ferry::rule {

class StackedRules {
 public:
  static bool Takes(const CompiledRule& rule);

  explicit StackedRules(Letters* letters) : all_letters_(*letters) {}

  // `rule` is borrowed until Remove; it sees the events behind `seq`.
  void Add(uint32_t number, const CompiledRule& rule, uint64_t seq);
  void Remove(uint32_t number);
  bool has(uint32_t number) const { return number < rules_.size() && rules_[number] != nullptr; }

  // Call early what OnLetter and Move look at, which lies apart in memory: the letter, then its
  // lists.
  void Prefetch(Letter letter) const {
    if (letter >= of_letters_.size()) return;
    __builtin_prefetch(&of_letters_[letter]);
    __builtin_prefetch(&of_letters_[letter].starts);
  }
  void PrefetchLists(Letter letter) const {
    const OfLetter& of = of_letters_[letter];
    if (!of.seconds.empty()) __builtin_prefetch(of.seconds.data());
    if (!of.waiting.empty()) __builtin_prefetch(of.waiting.data());
    if (of.begins) of.starts.PrefetchEnd();
  }
  // The event, whose seq it is, fulfils the letter: takes up the rules that wait for it.
  void OnLetter(Letter letter, uint64_t seq);
  // After OnLetter for all of the event's letters: runs go on, and others begin. Appends the rules
  // that are complete with it, in no order.
  void Move(const Arrival& now, std::vector<CompleteRule>* complete);
  // The match of a rule that is complete at this event.
  void Deliver(const CompleteRule& complete, const Arrival& now, std::vector<Match>* out);

  uint64_t oldest(int64_t latest_ms);
  RuleStats stats(uint32_t number, int64_t latest_ms);

  // ---- stacked_state.cc

  // Before Load: the events up to `seq` are none that a rule has seen.
  void BeginBehind(uint64_t seq);
  // Calls with each rule that changed since the last call, and its state; empty: none.
  void SaveChanges(int64_t latest_ms,
                   const std::function<void(uint32_t number, const std::string& state)>& put);
  // kMalformed: it is no state. kFailedPrecondition: it does not fit what has come since from
  // other rules; such a rule's runs cannot be kept here.
  Status Load(uint32_t number, std::string_view state, const Resolver& resolver);
  bool stored(uint32_t number) const { return rules_[number]->stored; }

 private:
  struct alignas(64) One {
    One(uint32_t number, const CompiledRule& rule, uint64_t seq)
        : number(number), plain(rule), runs(rule.steps.size(), seq + 1) {}
    uint32_t number = 0;
    StepMask listed = 0;  // steps whose letter has the rule in its list of waiting ones
    bool dirty = false, stored = false;
    uint64_t matches = 0, dropped_runs = 0;
    PlainRule plain;
    RunStacks runs;
  };
  // A rule whose second step the letter is.
  struct Second {
    Letter first = 0;
    uint64_t since = 0;  // a start before waits no more
    One* rule = nullptr;
  };
  struct Waiting {
    One* rule = nullptr;
    uint32_t step = 0;
  };
  struct alignas(64) OfLetter {
    std::vector<Second> seconds;
    std::vector<Waiting> waiting;  // for it as a later step; some may wait no more
    uint32_t users = 0;            // steps that have the letter
    bool begins = false;           // rules begin with it
    bool dirty = false;            // it has starts that SaveChanges has not seen
    std::vector<One*> firsts;      // the rules that begin with it
    Starts starts;
    size_t trim_at = 0;  // starts
  };

  void GoOn(One& one, size_t step, const Arrival& now, std::vector<CompleteRule>* complete);
  void Begin(const Arrival& now);
  void Await(One& one, size_t step);
  // Starts that Load has read become the letter's; false: they do not fit those that are there.
  bool TakeStarts(One& one, std::vector<Starts::Start> starts);
  // Keeps what every rule's limits leave.
  void Trim(OfLetter& of, int64_t latest_ms);
  void TrimAll(int64_t latest_ms);
  void Settle(One& one, int64_t latest_ms);
  void MarkDirty(One& one);
  Starts& StartsOf(const One& one) { return of_letters_[one.plain.letters[0]].starts; }
  HeldEvent* Hold(const Arrival& now);

  Letters& all_letters_;
  std::vector<std::unique_ptr<One>> rules_;  // by the rule's number
  std::vector<OfLetter> of_letters_;         // by letter
  std::vector<uint64_t> last_start_;         // by letter: the seq of its last start
  HeldEvents held_;
  // Of the event.
  std::array<std::vector<One*>, kMaxSteps> moving_;  // by step
  StepMask moving_steps_ = 0;
  std::vector<Letter> started_;
  HeldEvent* held_now_ = nullptr;
  std::vector<EventPtr> found_;
  std::vector<One*> dirty_;
  std::vector<Letter> dirty_letters_;
  int64_t trimmed_ms_ = INT64_MIN;  // latest_ms when all was trimmed last
};

}  // namespace ferry::rule
