// Where in a row what cannot leave is. Internal to the room.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::privacy {

using Path = std::vector<std::string>;  // of names; empty: the whole row
using Marks = std::set<size_t>;         // of local fields, by number

// Longer paths are cut: a mark there covers all below it. A row of more paths is marked as a whole.
inline constexpr size_t kMaxPath = 6;
inline constexpr size_t kMaxPaths = 256;

// The marks of a row's fields. A mark at a path covers all that is below it.
class Taint {
 public:
  void Add(Path path, const Marks& marks);
  void Add(Path path, size_t mark) { Add(std::move(path), Marks{mark}); }
  // All of `other`, below `prefix`.
  void Add(const Taint& other, const Path& prefix = {});
  // The marks that a value at `path` may have in it: its own, those above it, those below it.
  Marks At(std::span<const std::string> path) const;
  // The value at `path` with its structure, as a row of its own.
  Taint Below(std::span<const std::string> path) const;
  void Erase(const std::string& field);
  bool empty() const { return at_.empty(); }
  const std::map<Path, Marks>& all() const { return at_; }
  bool operator==(const Taint&) const = default;

 private:
  std::map<Path, Marks> at_;
};

}  // namespace ferry::privacy
