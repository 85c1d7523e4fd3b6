// Conditions without captures, each kept once however many steps have it, and which of them an
// event fulfils. Internal to the room.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/event/event.h"
#include "pipeline/expression/expression.h"
#include "pipeline/rule/rule.h"

namespace ferry::rule {

using Letter = uint32_t;

class Letters {
 public:
  // The letter of a condition; `where` may be null, and uses no captures. Each Add needs a Remove.
  Letter Add(const std::string& event, const std::string& page,
             const expression::Expression* where);
  void Remove(Letter letter);

  // From now on candidates and Holds are about this event; borrowed until the next.
  void Read(const event::Event& event);
  // Letters that may hold: all that hold are among them, each once.
  std::span<const Letter> candidates() const { return candidates_; }
  bool Holds(Letter letter);
  // One more than the largest letter ever given.
  size_t size() const { return letters_.size(); }

 private:
  struct One {
    std::string key;  // how it is found again
    std::string names;
    std::optional<expression::Expression> where;
    uint32_t users = 0;
    uint64_t read = 0;  // the event that `holds` is about
    bool candidate = false, known = false, holds = false;
  };
  void Collect(std::string_view event, std::string_view page);

  std::deque<One> letters_;
  std::vector<Letter> free_;
  std::unordered_map<std::string, Letter> by_key_;
  std::unordered_map<std::string, std::vector<Letter>> by_names_;
  std::vector<Letter> candidates_;
  const event::Event* event_ = nullptr;
  uint64_t reads_ = 0;
  std::string scratch_;
};

}  // namespace ferry::rule
