#include "device-runtime/passes/layout/min_cut.h"

#include <algorithm>

namespace ferry::passes {
namespace {

constexpr double kLeast = 1e-9;  // what is left of a full arc by rounding

}  // namespace

int MinCut::AddNode() {
  first_.push_back(-1);
  return static_cast<int>(first_.size() - 1);
}

void MinCut::AddCost(int from, int to, double cost) {
  if (from == to || cost <= 0) return;
  for (const auto& [a, b, left] : {Arc{from, to, cost}, Arc{to, from, 0}}) {
    arcs_.push_back({b, first_[static_cast<size_t>(a)], left});
    first_[static_cast<size_t>(a)] = static_cast<int>(arcs_.size() - 1);
  }
}

// Distances from the source over arcs that are not full; whether the sink has one.
bool MinCut::Levels() {
  level_.assign(first_.size(), -1);
  level_[kSource] = 0;
  std::vector<int> queue = {kSource};
  for (size_t i = 0; i < queue.size(); ++i) {
    for (int a = first_[static_cast<size_t>(queue[i])]; a >= 0;
         a = arcs_[static_cast<size_t>(a)].next) {
      const Arc& arc = arcs_[static_cast<size_t>(a)];
      if (arc.left <= kLeast || level_[static_cast<size_t>(arc.to)] >= 0) continue;
      level_[static_cast<size_t>(arc.to)] = level_[static_cast<size_t>(queue[i])] + 1;
      queue.push_back(arc.to);
    }
  }
  return level_[kSink] >= 0;
}

// Sends up to `amount` from a node to the sink along one path; what went.
double MinCut::Push(int node, double amount) {
  std::vector<int> path;  // arcs
  for (int here = node; here != kSink;) {
    int& a = at_[static_cast<size_t>(here)];
    for (; a >= 0; a = arcs_[static_cast<size_t>(a)].next) {
      const Arc& arc = arcs_[static_cast<size_t>(a)];
      if (arc.left > kLeast &&
          level_[static_cast<size_t>(arc.to)] == level_[static_cast<size_t>(here)] + 1) {
        break;
      }
    }
    if (a >= 0) {
      path.push_back(a);
      here = arcs_[static_cast<size_t>(a)].to;
      continue;
    }
    if (path.empty()) return 0;
    // A dead end: back one arc, which is used up.
    const int last = path.back();
    path.pop_back();
    here = arcs_[static_cast<size_t>(last ^ 1)].to;
    at_[static_cast<size_t>(here)] = arcs_[static_cast<size_t>(last)].next;
  }
  for (int a : path) amount = std::min(amount, arcs_[static_cast<size_t>(a)].left);
  for (int a : path) {
    arcs_[static_cast<size_t>(a)].left -= amount;
    arcs_[static_cast<size_t>(a ^ 1)].left += amount;
  }
  return amount;
}

std::vector<bool> MinCut::SourceSide() {
  while (Levels()) {
    at_ = first_;
    while (Push(kSource, kInfinite) > 0) {
    }
  }
  std::vector<bool> side(first_.size());
  for (size_t i = 0; i < side.size(); ++i) side[i] = level_[i] >= 0;
  return side;
}

}  // namespace ferry::passes
