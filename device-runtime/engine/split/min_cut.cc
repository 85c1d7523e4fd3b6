#include "device-runtime/engine/split/min_cut.h"

#include <algorithm>

namespace ferry::engine {

int MinCut::AddNode() {
  out_.emplace_back();
  if_taken_.push_back(0);
  if_left_.push_back(0);
  return count() - 1;
}

void MinCut::IfParted(int a, int b, int64_t cost) {
  if (a == b || cost <= 0) return;
  out_[static_cast<size_t>(a)].push_back(static_cast<int>(arcs_.size()));
  arcs_.push_back({b, cost});
  out_[static_cast<size_t>(b)].push_back(static_cast<int>(arcs_.size()));
  arcs_.push_back({a, 0});
}

// A node that costs something when it is left has that much to send away; a cut is full arcs.
void MinCut::Start() {
  for (size_t i = 0; i < out_.size(); ++i) {
    const int64_t both = std::min(if_taken_[i], if_left_[i]);
    if_taken_[i] -= both;
    if_left_[i] -= both;
  }
}

void MinCut::FindHeights() {
  const int none = NoHeight();
  height_.assign(out_.size(), none);
  on_height_.assign(out_.size() + 1, 0);
  at_.assign(out_.size(), 0);
  for (auto& nodes : active_) nodes.clear();
  active_.resize(out_.size() + 1);
  highest_ = 0;
  std::vector<int> found;
  for (int i = 0; i < count(); ++i) {
    if (if_taken_[static_cast<size_t>(i)] == 0) continue;
    height_[static_cast<size_t>(i)] = 1;
    found.push_back(i);
  }
  for (size_t next = 0; next < found.size(); ++next) {
    const int node = found[next];
    for (const int arc : out_[static_cast<size_t>(node)]) {
      const int from = arcs_[static_cast<size_t>(arc)].to;
      int& height = height_[static_cast<size_t>(from)];
      if (height < none || arcs_[static_cast<size_t>(arc ^ 1)].capacity == 0) continue;
      height = height_[static_cast<size_t>(node)] + 1;
      found.push_back(from);
    }
  }
  for (const int node : found) {
    ++on_height_[static_cast<size_t>(height_[static_cast<size_t>(node)])];
    if (if_left_[static_cast<size_t>(node)] > 0) Wake(node);
  }
  work_ = 0;
}

void MinCut::Wake(int node) {
  const int height = height_[static_cast<size_t>(node)];
  if (height >= NoHeight()) return;
  active_[static_cast<size_t>(height)].push_back(node);
  highest_ = std::max(highest_, height);
}

// False: nothing leads to the sink any more.
bool MinCut::Relabel(int node) {
  const auto n = static_cast<size_t>(node);
  const int old = height_[n];
  int lowest = NoHeight();
  for (size_t i = 0; i < out_[n].size(); ++i) {
    const Arc& arc = arcs_[static_cast<size_t>(out_[n][i])];
    const int height = height_[static_cast<size_t>(arc.to)] + 1;
    if (arc.capacity == 0 || height >= lowest) continue;
    lowest = height;
    at_[n] = i;
  }
  work_ += static_cast<int64_t>(out_[n].size()) + 1;
  // Nobody is left on a height: what lies above has no way down.
  if (--on_height_[static_cast<size_t>(old)] == 0) lowest = NoHeight();
  height_[n] = lowest;
  if (lowest >= NoHeight()) return false;
  ++on_height_[static_cast<size_t>(lowest)];
  return true;
}

void MinCut::Discharge(int node) {
  const auto n = static_cast<size_t>(node);
  const int64_t last = std::min(if_left_[n], if_taken_[n]);
  if_left_[n] -= last;
  if_taken_[n] -= last;
  while (if_left_[n] > 0) {
    for (; at_[n] < out_[n].size() && if_left_[n] > 0; ++at_[n]) {
      const auto arc = static_cast<size_t>(out_[n][at_[n]]);
      const auto to = static_cast<size_t>(arcs_[arc].to);
      if (arcs_[arc].capacity == 0 || height_[n] != height_[to] + 1) continue;
      const int64_t sent = std::min(if_left_[n], arcs_[arc].capacity);
      arcs_[arc].capacity -= sent;
      arcs_[arc ^ 1].capacity += sent;
      if_left_[n] -= sent;
      const bool was_idle = if_left_[to] == 0;
      if_left_[to] += sent;
      if (was_idle) Wake(arcs_[arc].to);
      if (if_left_[n] == 0) return;
    }
    if (if_left_[n] == 0 || !Relabel(node)) return;
  }
}

std::vector<bool> MinCut::Solve() {
  Start();
  const auto enough = static_cast<int64_t>(6 * out_.size() + arcs_.size());
  for (int round = 0; round < kMaxRounds; ++round) {
    FindHeights();
    bool is_idle = true;
    while (highest_ > 0 && work_ < enough) {
      auto& nodes = active_[static_cast<size_t>(highest_)];
      if (nodes.empty()) {
        --highest_;
        continue;
      }
      const int node = nodes.back();
      nodes.pop_back();
      if (height_[static_cast<size_t>(node)] != highest_) continue;
      is_idle = false;
      Discharge(node);
    }
    if (is_idle) break;
  }
  FindHeights();
  // What reaches the sink stays; of the rest take what has something left to send, and what that
  // reaches: the others are as cheap either way.
  std::vector<bool> taken(out_.size(), false);
  std::vector<int> found;
  for (int i = 0; i < count(); ++i) {
    if (if_left_[static_cast<size_t>(i)] == 0 || height_[static_cast<size_t>(i)] < NoHeight())
      continue;
    taken[static_cast<size_t>(i)] = true;
    found.push_back(i);
  }
  for (size_t next = 0; next < found.size(); ++next) {
    for (const int arc : out_[static_cast<size_t>(found[next])]) {
      const auto to = static_cast<size_t>(arcs_[static_cast<size_t>(arc)].to);
      if (arcs_[static_cast<size_t>(arc)].capacity == 0 || taken[to]) continue;
      taken[to] = true;
      found.push_back(static_cast<int>(to));
    }
  }
  return taken;
}

}  // namespace ferry::engine
