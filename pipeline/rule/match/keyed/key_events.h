// The events of one key that plain rules may need, each once for all rules, and by letter the
// places of those that fulfil it. What a rule's runs are follows from them: a run's event of a step
// is the first that fulfils the step's letter behind its event of the step before. Beside them a
// rule has no more in a key than the place from which its starts count. Internal to the room.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/rule/match/keyed/place_table.h"
#include "pipeline/rule/match/runs.h"

namespace ferry::rule {

using Place = uint32_t;  // of an event among those of its key, in the order of arrival
using Local = uint32_t;  // a letter, numbered among those of rules with one `per`

struct KeyedEvent {
  EventPtr event;
  uint64_t seq = 0;
  int64_t time_ms = 0;
  bool by_value = false;
};

// The events that fulfil a letter.
struct LetterPlaces {
  Local letter = 0;
  bool counted = false;  // as a key in which rules that begin with the letter may have runs
  boost::container::small_vector<Place, 4> places;

  size_t size() const { return places.size(); }
  // The index of the first that is not below `place`.
  size_t IndexFrom(Place place) const;
};

// What a rule has of its own in a key.
struct RuleInKey {
  uint32_t rule = 0;  // its number; PlaceTable::kNone: it is gone
  Place from = 0;     // starts before it are none of the rule's
  uint64_t changed_seq = 0;
  bool stored = false, changed = false;  // SaveChanges has written it; and it is so no more
};

// Which places of which letters are needed.
class PlaceMarks {
 public:
  void Reset(std::span<const LetterPlaces> lists);
  void Mark(size_t list, size_t index) { marks_[begins_[list] + index] = true; }
  bool marked(size_t list, size_t index) const { return marks_[begins_[list] + index] != 0; }

 private:
  std::vector<size_t> begins_;
  std::vector<char> marks_;
};

class EventsOfKey {
 public:
  explicit EventsOfKey(std::string key) : key_(std::move(key)) {}

  const std::string& key() const { return key_; }
  bool empty() const { return events_.empty(); }
  Place end() const { return static_cast<Place>(events_.size()); }
  const KeyedEvent& at(Place place) const { return events_[place]; }
  std::span<const KeyedEvent> events() const { return events_; }
  // The place of the first with this seq or a larger one.
  Place PlaceOf(uint64_t seq) const;
  // Whether from this place on no time is below the one before it.
  bool InOrderFrom(Place place) const { return place >= disorder_; }

  std::span<LetterPlaces> lists() { return lists_; }
  // Null: none of the events fulfils it.
  LetterPlaces* Of(Local letter) {
    const uint32_t at = by_letter_.Find(letter);
    return at == PlaceTable::kNone ? nullptr : &lists_[at];
  }
  void Prefetch(Local letter) const { by_letter_.Prefetch(letter); }

  void Add(KeyedEvent event);
  // The event that was added last fulfils the letter.
  LetterPlaces& Fulfil(Local letter);
  // Lets go the events without a mark.
  void Keep(const PlaceMarks& marks);

  std::span<RuleInKey> rules() { return rules_; }
  // Null: the rule has nothing of its own.
  RuleInKey* Find(uint32_t rule) {
    const uint32_t at = by_rule_.Find(rule);
    return at == PlaceTable::kNone || rules_[at].rule != rule ? nullptr : &rules_[at];
  }
  RuleInKey& Make(uint32_t rule, Place from);

  size_t counted = 0;                     // of the lists
  size_t trim_at = 2;                     // events
  uint8_t rests = 0;                      // looks at all keys since the last event
  uint64_t saved_seq = 0;                 // of the last event that SaveChanges has seen
  uint32_t dirty_at = PlaceTable::kNone;  // in SaveChanges' list: it has changed

 private:
  std::string key_;
  std::vector<KeyedEvent> events_;
  Place disorder_ = 0;
  std::vector<LetterPlaces> lists_;
  PlaceTable by_letter_, by_rule_;
  std::vector<RuleInKey> rules_;
};

}  // namespace ferry::rule
