#include "pipeline/privacy/taint.h"

#include <algorithm>

namespace ferry::privacy {
namespace {

// Whether one of the two begins with the other.
bool Meet(std::span<const std::string> a, std::span<const std::string> b) {
  const size_t n = std::min(a.size(), b.size());
  return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin());
}

}  // namespace

void Taint::Add(Path path, const Marks& marks) {
  if (path.size() > kMaxPath) path.resize(kMaxPath);
  Marks fresh = marks;  // those that nothing above covers
  Path above;
  for (size_t n = 0; n < path.size() && !fresh.empty(); ++n) {
    if (const auto found = at_.find(above); found != at_.end())
      std::erase_if(fresh, [&found](size_t mark) { return found->second.contains(mark); });
    above.push_back(path[n]);
  }
  if (fresh.empty()) return;
  at_[std::move(path)].merge(fresh);
  if (at_.size() <= kMaxPaths) return;
  Marks all;
  for (const auto& [at, some] : at_) all.insert(some.begin(), some.end());
  at_.clear();
  at_[{}] = std::move(all);
}

void Taint::Add(const Taint& other, const Path& prefix) {
  for (const auto& [path, marks] : other.at_) {
    Path whole = prefix;
    whole.insert(whole.end(), path.begin(), path.end());
    Add(std::move(whole), marks);
  }
}

Marks Taint::At(std::span<const std::string> path) const {
  Marks out;
  for (const auto& [at, marks] : at_)
    if (Meet(at, path)) out.insert(marks.begin(), marks.end());
  return out;
}

Taint Taint::Below(std::span<const std::string> path) const {
  Taint out;
  for (const auto& [at, marks] : at_) {
    if (!Meet(at, path)) continue;
    const size_t cut = std::min(at.size(), path.size());
    out.Add(Path(at.begin() + static_cast<std::ptrdiff_t>(cut), at.end()), marks);
  }
  return out;
}

void Taint::Erase(const std::string& field) {
  std::erase_if(
      at_, [&field](const auto& one) { return !one.first.empty() && one.first.front() == field; });
}

}  // namespace ferry::privacy
