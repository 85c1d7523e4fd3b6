// Which backend runs which steps of a program, and in which order. The aim is Walle's (OSDI 2022):
// the cheapest backend, and the CPU for what it lacks.
#pragma once

#include <span>
#include <vector>

#include "device-runtime/backend/backend.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/split/dataflow.h"

namespace ferry::engine {

// Steps [begin, end) of the order on one backend: a part.
struct BackendSpan {
  size_t begin = 0, end = 0;
  const Backend* backend = nullptr;
};

struct Placement {
  std::vector<int> order;          // the program's steps; empty: as they stand
  std::vector<BackendSpan> spans;  // in order; all other steps run on the CPU
  double cost_us = 0;              // of all steps, with copies and parts
};

// What running costs, in units of 1/1024 us. Label 0 is the CPU, label b + 1 is backend b.
struct PlacementCosts {
  static constexpr double kUnitsPerUs = 1024;
  static constexpr double kMostUs = 1e9;  // more is as much, and so is what is no number
  static constexpr int64_t kCannot = -1;

  std::vector<std::vector<int64_t>> step;  // [label][step]; kCannot: does not run there
  std::vector<std::vector<int64_t>> copy;  // [label][value], one way
  std::vector<int64_t> part;               // [label]

  int labels() const { return static_cast<int>(part.size()); }
};
// `cpu_us` has the CPU's cost of each step. Texts lie on the host: their steps run there.
PlacementCosts CostsOf(const ir::Program& program, const Dataflow& flow,
                       std::span<const double> cpu_us, std::span<const Backend* const> backends);

// What labels cost: steps; copies, of each value once to each backend that reads it elsewhere made
// and once back if anybody else reads it; and for each run of neighbours in `order` what a part
// costs.
int64_t CostOf(const Dataflow& flow, const PlacementCosts& costs, std::span<const int> labels,
               std::span<const int> order);

// Gives `label` to the steps for which that is best, all at once, while the others keep theirs:
// exact for CostOf (an expansion move: Boykov, Veksler, Zabih, PAMI 2001, by a cut).
std::vector<int> Expand(const Dataflow& flow, const PlacementCosts& costs,
                        std::span<const int> labels, std::span<const int> order, int label);

// The cheapest that is found. With one backend it costs at most what the best way to give it runs
// of neighbouring steps costs (those of the program's order, each part with copies of its own), and
// mostly what the best way at all does; with several, at most what the best of them alone does.
// Equal costs stay on the CPU. About linear in the program's size.
Placement CheapestPlacement(const ir::Program& program, std::span<const double> cpu_us,
                            std::span<const Backend* const> backends);
// Each step anywhere where it runs, by chance: for tests of backends.
Placement RandomPlacement(const ir::Program& program, std::span<const Backend* const> backends,
                          uint64_t seed);

}  // namespace ferry::engine
