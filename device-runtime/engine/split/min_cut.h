// The cheapest way to divide nodes in two, by push-relabel (Goldberg and Tarjan, JACM 1988; highest
// label first, heights anew from time to time: Cherkassky and Goldberg, Algorithmica 1997).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ferry::engine {

// Costs are whole numbers of any unit. Nodes are 0 to count - 1.
class MinCut {
 public:
  // More than all costs together may be, less than what overflows.
  static constexpr int64_t kNever = int64_t{1} << 60;
  // So often heights are found anew, each time in the graph's size; then the division is the
  // cheapest known. Programs of
  // 20,000 steps take under 70.
  static constexpr int kMaxRounds = 256;

  int AddNode();
  int count() const { return static_cast<int>(out_.size()); }
  // What it costs when a node is taken, or is left.
  void IfTaken(int node, int64_t cost) { if_taken_[static_cast<size_t>(node)] += cost; }
  void IfLeft(int node, int64_t cost) { if_left_[static_cast<size_t>(node)] += cost; }
  // What it costs when `a` is taken and `b` is left.
  void IfParted(int a, int b, int64_t cost);

  // Which nodes to take. Of several cheapest ways the one that takes the fewest nodes.
  std::vector<bool> Solve();

 private:
  struct Arc {
    int to;
    int64_t capacity;
  };
  int NoHeight() const { return count() + 1; }  // of what does not lead to the sink
  void Start();
  void FindHeights();
  void Wake(int node);
  void Discharge(int node);
  bool Relabel(int node);

  std::vector<std::vector<int>> out_;  // arcs of a node; arc ^ 1 is the way back
  std::vector<Arc> arcs_;
  std::vector<int64_t> if_taken_, if_left_;  // what the sink still takes; what a node has too much
  std::vector<int> height_;                  // distance to the sink
  std::vector<size_t> at_;                   // the arc that a node looks at
  std::vector<int> on_height_;               // how many nodes
  std::vector<std::vector<int>> active_;     // by height
  int highest_ = 0;
  int64_t work_ = 0;
};

}  // namespace ferry::engine
