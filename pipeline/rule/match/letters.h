// Conditions without captures, each kept once however many steps have it, and which of them an
// event fulfils. Those that compare a field with a number, a text or a bool are found by index: an
// event reads the field once and meets only the conditions that it fulfils. Internal to the room.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/event/event.h"
#include "pipeline/expression/expression.h"
#include "pipeline/rule/rule.h"

namespace ferry::rule {

using Letter = uint32_t;
struct Sequence;  // see sequences.h

// Lets a map of texts be asked with a view.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <typename T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

// Pointers to rules that wait for a letter: a vector in half the room.
class WaitList {
 public:
  void Add(Sequence* sequence) {
    if (size_ == capacity_) Grow();
    pointers_[size_++] = sequence;
  }
  void Erase(const Sequence* sequence);
  void Clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::span<Sequence* const> all() const { return {pointers_.get(), size_}; }

 private:
  void Grow();
  std::unique_ptr<Sequence*[]> pointers_;
  uint32_t size_ = 0, capacity_ = 0;
};

// The conditions on one field with one event and page.
class FieldIndex {
 public:
  explicit FieldIndex(std::vector<std::string> path) : path_(std::move(path)) {}
  const std::vector<std::string>& path() const { return path_; }
  // Whether a bound's constant can be compared exactly.
  static bool Takes(const expression::Bound& bound);
  // Whether a field of this value keeps the bound, which Takes has taken.
  static bool Keeps(const expression::Bound& bound, const Json& value);
  void Add(const expression::Bound& bound, Letter letter);
  void Remove(const expression::Bound& bound, Letter letter);
  // Calls with every letter whose bound the field's value keeps, as it was added.
  template <typename F>
  void Find(const Json& fields, F take) const;

 private:
  struct Range {
    double bound;
    bool inclusive;
    Letter letter;
  };
  static bool IsUpper(expression::Ordering ordering);
  template <typename F>
  void FindNumber(double number, F take) const;

  std::vector<std::string> path_;
  // Sorted; read by every event that has the field, so each in one piece.
  std::vector<double> equal_;
  std::vector<Letter> equal_letters_;  // beside equal_
  std::vector<Range> upper_, lower_;   // value < bound, value > bound; by bound
  TextMap<std::vector<Letter>> texts_;
  std::array<std::vector<Letter>, 2> bools_;
};

class Letters {
 public:
  // The letter of a condition; `where` may be null, and uses no captures. Each Add needs a Remove.
  Letter Add(const std::string& event, const std::string& page,
             const expression::Expression* where);
  void Remove(Letter letter);

  // Says that a rule asks about the letter (1) or does no more (-1). Letters that nobody asks about
  // are passed over.
  void Watch(Letter letter, int change) { hot_[letter].rules += static_cast<uint32_t>(change); }
  bool has_rules(Letter letter) const { return hot_[letter].rules > 0; }
  // Whether plain rules of one step ask about it: theirs to set, kept here because it is looked at
  // together with the rest.
  bool single(Letter letter) const { return hot_[letter].single; }
  void SetSingle(Letter letter, bool asks) { hot_[letter].single = asks; }
  // Whether rules of StackedRules ask about it; likewise.
  bool stacked(Letter letter) const { return hot_[letter].stacked; }
  void SetStacked(Letter letter, bool ask) { hot_[letter].stacked = ask; }
  // Whether rules of KeyedRules do.
  bool keyed(Letter letter) const { return hot_[letter].keyed; }
  void SetKeyed(Letter letter, bool ask) { hot_[letter].keyed = ask; }
  // The plain rules of several steps that wait for it; likewise.
  WaitList& waiting(Letter letter) { return hot_[letter].waiting; }

  // From now on candidates and Holds are about this event; borrowed until the next.
  void Read(const event::Event& event);
  // Watched letters that may hold: all that hold are among them, each once.
  std::span<const Letter> candidates() const { return candidates_; }
  bool Holds(Letter letter) {
    Hot& hot = hot_[letter];
    if (hot.read != reads_) return false;
    return hot.known ? hot.holds : Compute(letter);
  }
  // One more than the largest letter ever given.
  size_t size() const { return letters_.size(); }

 private:
  struct One {
    std::string key;  // how it is found again
    uint32_t names = 0;
    std::optional<expression::Expression> where;
    std::optional<expression::Bound> bound;  // by which it is found
    bool bound_is_all = false;               // `where` says no more
    std::vector<expression::Bound> rest;     // with `bound` all that `where` says; else empty
    uint32_t users = 0;
  };
  // What an event looks at and changes, apart and in one piece so that it stays in the cache.
  struct alignas(32) Hot {
    uint64_t read = 0;  // the event that known and holds are about
    WaitList waiting;
    uint32_t rules = 0;
    bool single : 1 = false, stacked : 1 = false, keyed : 1 = false;
    bool known = false, holds = false;
  };
  // Of a letter in a list or an index: that it is there says all of it.
  static constexpr Letter kAll = Letter{1} << 31;
  // Conditions of one event and page.
  struct Names {
    std::vector<Letter> plain, computed;
    std::vector<FieldIndex> fields;
  };
  struct EventNames {
    uint32_t any_page = UINT32_MAX;
    TextMap<uint32_t> pages;
  };

  bool Compute(Letter letter);
  uint32_t NamesOf(const std::string& event, const std::string& page);
  void Collect(uint32_t names);
  void CollectEvent(const EventNames& names, std::string_view page);

  std::vector<One> letters_;
  std::vector<Hot> hot_;
  std::vector<Letter> free_;
  TextMap<Letter> by_key_;
  std::vector<Names> names_;
  TextMap<EventNames> events_;
  EventNames any_event_;
  std::vector<Letter> found_;  // by the event, kAll included; scratch
  std::vector<Letter> candidates_;
  const event::Event* event_ = nullptr;
  uint64_t reads_ = 0;
};

}  // namespace ferry::rule
