// State of rules and operators on its way into a commit, and back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/event/state.h"

namespace ferry::store {

using StatePair = std::pair<std::string, std::string>;  // key, value

// Collects what changed; the last change of a key counts. One thread at a time.
class StateChanges : public event::StateWriter {
 public:
  void Put(std::string_view key, std::string_view value) override;
  void Delete(std::string_view key) override;
  // Deletes all keys that begin so, and those put before with this beginning.
  void DeletePrefix(std::string_view prefix);
  void Clear();
  bool empty() const { return changes_.empty() && prefixes_.empty(); }
  size_t bytes() const { return bytes_; }  // of keys and values

  // Prefixes go first.
  const std::vector<std::string>& prefixes() const { return prefixes_; }
  const std::map<std::string, std::optional<std::string>, std::less<>>& changes() const {
    return changes_;
  }

 private:
  void Set(std::string_view key, std::optional<std::string> value);

  std::map<std::string, std::optional<std::string>, std::less<>> changes_;  // nullopt: deleted
  std::vector<std::string> prefixes_;
  size_t bytes_ = 0;
};

// Puts `prefix` before the keys of one part, so that parts share a commit. Borrowed.
class PrefixedState : public event::StateWriter {
 public:
  PrefixedState(event::StateWriter& below, std::string prefix)
      : below_(below), prefix_(std::move(prefix)) {}
  void Put(std::string_view key, std::string_view value) override;
  void Delete(std::string_view key) override;

 private:
  event::StateWriter& below_;
  const std::string prefix_;
};

}  // namespace ferry::store
