#include "pipeline/rule/match/letters.h"

#include <algorithm>
#include <cmath>

namespace ferry::rule {
namespace {

using expression::Bound;
using expression::Ordering;

// Whole numbers below are doubles exactly, so that comparing as doubles is comparing.
constexpr double kExact = 9007199254740992;  // 2^53

std::optional<double> NumberOf(const Json& value) {
  if (const auto* u = value.get_ptr<const Json::number_unsigned_t*>())
    return static_cast<double>(*u);
  if (const auto* i = value.get_ptr<const Json::number_integer_t*>())
    return static_cast<double>(*i);
  if (const auto* d = value.get_ptr<const Json::number_float_t*>()) return *d;
  return std::nullopt;
}

}  // namespace

void WaitList::Grow() {
  capacity_ = std::max(2u, 2 * capacity_);
  auto more = std::make_unique<Sequence*[]>(capacity_);
  std::copy_n(pointers_.get(), size_, more.get());
  pointers_ = std::move(more);
}

void WaitList::Erase(const Sequence* sequence) {
  *std::find(pointers_.get(), pointers_.get() + size_, sequence) = pointers_[size_ - 1];
  --size_;
}

bool FieldIndex::IsUpper(Ordering ordering) {
  return ordering == Ordering::kLess || ordering == Ordering::kLessEqual;
}

bool FieldIndex::Takes(const Bound& bound) {
  const auto number = NumberOf(bound.value);
  return number ? std::fabs(*number) < kExact : bound.ordering == Ordering::kEqual;
}

bool FieldIndex::Keeps(const Bound& bound, const Json& value) {
  const auto constant = NumberOf(bound.value);
  if (!constant) return value == bound.value;  // a text or a bool
  const auto number = NumberOf(value);
  if (!number) return false;
  switch (bound.ordering) {
    case Ordering::kEqual:
      return *number == *constant;
    case Ordering::kLess:
      return *number < *constant;
    case Ordering::kLessEqual:
      return *number <= *constant;
    case Ordering::kGreater:
      return *number > *constant;
    case Ordering::kGreaterEqual:
      return *number >= *constant;
  }
  return false;
}

void FieldIndex::Add(const Bound& bound, Letter letter) {
  const auto number = NumberOf(bound.value);
  if (!number) {
    const auto* text = bound.value.get_ptr<const Json::string_t*>();
    (text != nullptr ? texts_[*text] : bools_[bound.value == true ? 1 : 0]).push_back(letter);
  } else if (bound.ordering == Ordering::kEqual) {
    const auto at = std::lower_bound(equal_.begin(), equal_.end(), *number);
    equal_letters_.insert(equal_letters_.begin() + (at - equal_.begin()), letter);
    equal_.insert(at, *number);
  } else {
    auto& list = IsUpper(bound.ordering) ? upper_ : lower_;
    const bool inclusive =
        bound.ordering == Ordering::kLessEqual || bound.ordering == Ordering::kGreaterEqual;
    const Range range{*number, inclusive, letter};
    list.insert(std::upper_bound(list.begin(), list.end(), range,
                                 [](const Range& a, const Range& b) { return a.bound < b.bound; }),
                range);
  }
}

void FieldIndex::Remove(const Bound& bound, Letter letter) {
  if (!bound.value.is_number()) {
    const auto* text = bound.value.get_ptr<const Json::string_t*>();
    std::erase(text != nullptr ? texts_[*text] : bools_[bound.value == true ? 1 : 0], letter);
  } else if (bound.ordering == Ordering::kEqual) {
    const auto at = std::find(equal_letters_.begin(), equal_letters_.end(), letter);
    equal_.erase(equal_.begin() + (at - equal_letters_.begin()));
    equal_letters_.erase(at);
  } else {
    std::erase_if(IsUpper(bound.ordering) ? upper_ : lower_,
                  [letter](const Range& range) { return range.letter == letter; });
  }
}

template <typename F>
void FieldIndex::FindNumber(double number, F take) const {
  constexpr size_t kFew = 32;  // are counted faster than searched
  size_t at = 0;
  if (equal_.size() <= kFew)
    for (const double one : equal_) at += one < number ? 1 : 0;
  else
    at = size_t(std::lower_bound(equal_.begin(), equal_.end(), number) - equal_.begin());
  for (; at < equal_.size() && equal_[at] == number; ++at) take(equal_letters_[at]);
  for (auto range = upper_.rbegin(); range != upper_.rend() && range->bound >= number; ++range)
    if (range->bound > number || range->inclusive) take(range->letter);
  for (const Range& range : lower_) {
    if (range.bound > number) break;
    if (range.bound < number || range.inclusive) take(range.letter);
  }
}

template <typename F>
void FieldIndex::Find(const Json& fields, F take) const {
  const Json* value = expression::FindField(fields, path_);
  if (value == nullptr) return;
  const std::vector<Letter>* equal = nullptr;
  if (const auto number = NumberOf(*value)) {
    FindNumber(*number, take);
  } else if (const auto* text = value->get_ptr<const Json::string_t*>()) {
    if (const auto found = texts_.find(*text); found != texts_.end()) equal = &found->second;
  } else if (const auto* truth = value->get_ptr<const Json::boolean_t*>()) {
    equal = &bools_[*truth ? 1 : 0];
  }
  if (equal != nullptr)
    for (const Letter letter : *equal) take(letter);
}

uint32_t Letters::NamesOf(const std::string& event, const std::string& page) {
  EventNames& of_event = event.empty() ? any_event_ : events_[event];
  uint32_t& names =
      page.empty() ? of_event.any_page : of_event.pages.try_emplace(page, UINT32_MAX).first->second;
  if (names == UINT32_MAX) {
    names = static_cast<uint32_t>(names_.size());
    names_.emplace_back();
  }
  return names;
}

Letter Letters::Add(const std::string& event, const std::string& page,
                    const expression::Expression* where) {
  const std::string key = event + '\n' + page + '\n' + (where == nullptr ? "" : where->Canonical());
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    ++letters_[found->second].users;
    return found->second;
  }
  Letter letter = static_cast<Letter>(letters_.size());
  if (free_.empty()) {
    letters_.emplace_back();
    hot_.emplace_back();
  } else {
    letter = free_.back();
    free_.pop_back();
  }
  One& one = letters_[letter];
  one = One();
  hot_[letter] = Hot();
  one.key = key;
  one.users = 1;
  one.names = NamesOf(event, page);
  by_key_[key] = letter;
  Names& names = names_[one.names];
  if (where == nullptr) {
    names.plain.push_back(letter | kAll);
    return letter;
  }
  one.where = *where;
  bool complete = false;
  std::vector<Bound> bounds = where->Bounds(&complete);
  one.bound_is_all = complete && bounds.size() == 1;
  complete =
      std::erase_if(bounds, [](const Bound& bound) { return !FieldIndex::Takes(bound); }) == 0 &&
      complete;
  auto best = std::find_if(bounds.begin(), bounds.end(),
                           [](const Bound& bound) { return bound.ordering == Ordering::kEqual; });
  if (best == bounds.end()) best = bounds.begin();
  if (best == bounds.end()) {
    names.computed.push_back(letter);
    return letter;
  }
  one.bound = *best;
  auto index = std::find_if(names.fields.begin(), names.fields.end(),
                            [&](const FieldIndex& field) { return field.path() == best->path; });
  if (index == names.fields.end()) index = names.fields.emplace(index, best->path);
  index->Add(*best, one.bound_is_all ? letter | kAll : letter);
  bounds.erase(best);
  if (complete) one.rest = std::move(bounds);
  return letter;
}

void Letters::Remove(Letter letter) {
  One& one = letters_[letter];
  if (--one.users > 0) return;
  Names& names = names_[one.names];
  std::erase(names.plain, letter | kAll);
  std::erase(names.computed, letter);
  if (one.bound)
    for (FieldIndex& field : names.fields)
      if (field.path() == one.bound->path)
        field.Remove(*one.bound, one.bound_is_all ? letter | kAll : letter);
  by_key_.erase(by_key_.find(one.key));
  free_.push_back(letter);
}

void Letters::Collect(uint32_t number) {
  const Names& names = names_[number];
  const auto find = [this](Letter letter) {
    __builtin_prefetch(&hot_[letter & ~kAll], 1);  // letters lie apart in memory
    found_.push_back(letter);
  };
  for (const Letter letter : names.plain) find(letter);
  for (const Letter letter : names.computed) find(letter);
  for (const FieldIndex& field : names.fields) field.Find(event_->data, find);
}

void Letters::CollectEvent(const EventNames& names, std::string_view page) {
  if (names.any_page != UINT32_MAX) Collect(names.any_page);
  if (names.pages.empty() || page.empty()) return;
  if (const auto found = names.pages.find(page); found != names.pages.end()) Collect(found->second);
}

void Letters::Read(const event::Event& event) {
  ++reads_;
  event_ = &event;
  found_.clear();
  candidates_.clear();
  if (const auto found = events_.find(std::string_view(event.id)); found != events_.end())
    CollectEvent(found->second, event.page);
  CollectEvent(any_event_, event.page);
  for (const Letter found : found_) {
    const Letter letter = found & ~kAll;
    Hot& hot = hot_[letter];
    if (hot.rules == 0 && hot.waiting.empty() && !hot.single && !hot.stacked && !hot.keyed)
      continue;
    hot.read = reads_;
    hot.known = hot.holds = (found & kAll) != 0;
    candidates_.push_back(letter);
  }
}

bool Letters::Compute(Letter letter) {
  const One& one = letters_[letter];
  Hot& hot = hot_[letter];
  hot.known = true;
  if (!one.rest.empty()) {
    hot.holds = std::all_of(one.rest.begin(), one.rest.end(), [this](const Bound& bound) {
      const Json* value = expression::FindField(event_->data, bound.path);
      return value != nullptr && FieldIndex::Keeps(bound, *value);
    });
    return hot.holds;
  }
  const expression::Subject subject{&event_->data, true, event_->id, event_->page, event_->time_ms};
  hot.holds = one.where->Decide(subject) == expression::Answer::kTrue;
  return hot.holds;
}

}  // namespace ferry::rule
