#include "pipeline/store/state.h"

namespace ferry::store {

void StateChanges::Set(std::string_view key, std::optional<std::string> value) {
  auto at = changes_.find(key);
  if (at == changes_.end()) {
    at = changes_.emplace(key, std::nullopt).first;
    bytes_ += key.size();
  }
  bytes_ -= at->second ? at->second->size() : 0;
  bytes_ += value ? value->size() : 0;
  at->second = std::move(value);
}

void StateChanges::Put(std::string_view key, std::string_view value) {
  Set(key, std::string(value));
}

void StateChanges::Delete(std::string_view key) {
  Set(key, std::nullopt);
}

void StateChanges::DeletePrefix(std::string_view prefix) {
  for (auto at = changes_.lower_bound(prefix);
       at != changes_.end() && at->first.starts_with(prefix); at = changes_.erase(at))
    bytes_ -= at->first.size() + (at->second ? at->second->size() : 0);
  prefixes_.emplace_back(prefix);
}

void StateChanges::Clear() {
  changes_.clear();
  prefixes_.clear();
  bytes_ = 0;
}

void PrefixedState::Put(std::string_view key, std::string_view value) {
  below_.Put(prefix_ + std::string(key), value);
}

void PrefixedState::Delete(std::string_view key) {
  below_.Delete(prefix_ + std::string(key));
}

}  // namespace ferry::store
