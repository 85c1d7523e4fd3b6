#include "pipeline/rule/match/letters.h"

#include <algorithm>

namespace ferry::rule {
namespace {

// Names hold no line break.
void NamesKey(std::string_view event, std::string_view page, std::string* out) {
  out->assign(event);
  out->push_back('\n');
  out->append(page);
}

}  // namespace

Letter Letters::Add(const std::string& event, const std::string& page,
                    const expression::Expression* where) {
  std::string names;
  NamesKey(event, page, &names);
  const std::string key = names + '\n' + (where == nullptr ? "" : where->Canonical());
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    ++letters_[found->second].users;
    return found->second;
  }
  Letter letter = static_cast<Letter>(letters_.size());
  if (free_.empty()) {
    letters_.emplace_back();
  } else {
    letter = free_.back();
    free_.pop_back();
  }
  One& one = letters_[letter];
  one = One();
  one.key = key;
  one.names = names;
  one.users = 1;
  if (where != nullptr) one.where = *where;
  by_key_[key] = letter;
  by_names_[names].push_back(letter);
  return letter;
}

void Letters::Remove(Letter letter) {
  One& one = letters_[letter];
  if (--one.users > 0) return;
  by_key_.erase(one.key);
  auto& list = by_names_[one.names];
  list.erase(std::find(list.begin(), list.end(), letter));
  if (list.empty()) by_names_.erase(one.names);
  free_.push_back(letter);
}

void Letters::Collect(std::string_view event, std::string_view page) {
  NamesKey(event, page, &scratch_);
  const auto found = by_names_.find(scratch_);
  if (found == by_names_.end()) return;
  for (const Letter letter : found->second) {
    One& one = letters_[letter];
    one.read = reads_;
    one.candidate = true;
    one.known = !one.where.has_value();
    one.holds = one.known;
    candidates_.push_back(letter);
  }
}

void Letters::Read(const event::Event& event) {
  ++reads_;
  event_ = &event;
  candidates_.clear();
  Collect(event.id, event.page);
  Collect(event.id, "");
  if (!event.page.empty()) {
    Collect("", event.page);
    Collect("", "");
  } else {
    Collect("", "");
  }
}

bool Letters::Holds(Letter letter) {
  One& one = letters_[letter];
  if (one.read != reads_) return false;
  if (!one.known) {
    const expression::Subject subject{&event_->data, true, event_->id, event_->page,
                                      event_->time_ms};
    one.holds = one.where->Decide(subject) == expression::Answer::kTrue;
    one.known = true;
  }
  return one.holds;
}

}  // namespace ferry::rule
