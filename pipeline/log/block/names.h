// Strings that blocks name by number: those of the segment's head, then those that a block brings
// itself, so that a lost block costs no other. Internal to the room.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ferry::log {

inline constexpr size_t kMaxHeadNames = 512;
inline constexpr size_t kMaxHeadNameBytes = 16 << 10;  // of all of them
inline constexpr size_t kMaxLearnedNames = 4096;       // counted at a time

// The names of one head; never changes.
class HeadNames {
 public:
  HeadNames() = default;
  explicit HeadNames(std::vector<std::string> names);
  HeadNames(const HeadNames&) = delete;
  const std::vector<std::string>& all() const { return names_; }
  // Or -1.
  int64_t Find(std::string_view name) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, int64_t> by_name_;
};

// The names of a block that is being written.
class BlockNames {
 public:
  explicit BlockNames(const HeadNames& head) : head_(head) {}
  bool Knows(std::string_view name) const;
  // `name` must live as long as this.
  int64_t Ref(std::string_view name);
  const std::vector<std::string_view>& own() const { return own_; }
  const std::vector<std::string_view>& used() const { return used_; }  // each once

 private:
  const HeadNames& head_;
  std::vector<std::string_view> own_, used_;
  std::unordered_map<std::string_view, int64_t> refs_;
};

// Counts in how many blocks names were used; the next head gets the frequent ones.
class NameCounts {
 public:
  void Add(const std::vector<std::string_view>& used);
  void AddHead(const HeadNames& head);  // as if used twice
  std::vector<std::string> Best() const;

 private:
  std::unordered_map<std::string, uint64_t> blocks_;
};

}  // namespace ferry::log
