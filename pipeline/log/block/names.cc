#include "pipeline/log/block/names.h"

#include <algorithm>

namespace ferry::log {

HeadNames::HeadNames(std::vector<std::string> names) : names_(std::move(names)) {
  for (size_t k = 0; k < names_.size(); ++k) by_name_.emplace(names_[k], static_cast<int64_t>(k));
}

int64_t HeadNames::Find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? -1 : at->second;
}

bool BlockNames::Knows(std::string_view name) const {
  return refs_.contains(name) || head_.Find(name) >= 0;
}

int64_t BlockNames::Ref(std::string_view name) {
  if (const auto at = refs_.find(name); at != refs_.end()) return at->second;
  int64_t ref = head_.Find(name);
  if (ref < 0) {
    ref = static_cast<int64_t>(head_.all().size() + own_.size());
    own_.push_back(name);
  }
  used_.push_back(name);
  refs_.emplace(name, ref);
  return ref;
}

void NameCounts::Add(const std::vector<std::string_view>& used) {
  for (const std::string_view name : used)
    if (name.size() <= kMaxHeadNameBytes / 16) ++blocks_[std::string(name)];
  if (blocks_.size() <= kMaxLearnedNames) return;
  std::erase_if(blocks_, [](const auto& one) { return one.second == 1; });
  if (blocks_.size() > kMaxLearnedNames) blocks_.clear();
}

void NameCounts::AddHead(const HeadNames& head) {
  for (const std::string& name : head.all()) blocks_[name] += 2;
}

std::vector<std::string> NameCounts::Best() const {
  std::vector<std::pair<uint64_t, std::string_view>> order;
  for (const auto& [name, blocks] : blocks_)
    if (blocks > 1) order.emplace_back(blocks, name);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::string> best;
  size_t bytes = 0;
  for (const auto& [blocks, name] : order) {
    bytes += name.size();
    if (best.size() == kMaxHeadNames || bytes > kMaxHeadNameBytes) break;
    best.emplace_back(name);
  }
  return best;
}

}  // namespace ferry::log
