// The cheapest cut of a small network: labels of two kinds under costs of pairs.
#pragma once

#include <limits>
#include <vector>

namespace ferry::passes {

// Nodes are numbers from 0; two of them are the ends. Source: Dinitz, "Algorithm for solution of a
// problem of maximum flow in networks with power estimation" (1970).
class MinCut {
 public:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  static constexpr int kSource = 0, kSink = 1;

  MinCut() : first_(2, -1) {}
  int AddNode();
  // Paid when `from` lies on the source's side and `to` on the sink's.
  void AddCost(int from, int to, double cost);
  // Which nodes lie on the source's side of the cheapest cut; of several the smallest side.
  std::vector<bool> SourceSide();

 private:
  struct Arc {
    int to, next;
    double left;
  };
  bool Levels();
  double Push(int node, double amount);

  std::vector<Arc> arcs_;  // each followed by its opposite
  std::vector<int> first_, at_, level_;
};

}  // namespace ferry::passes
