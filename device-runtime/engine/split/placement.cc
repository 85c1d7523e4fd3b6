#include "device-runtime/engine/split/placement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/sys/random.h"

namespace ferry::engine {
namespace {

constexpr int kMaxImprovements = 4;  // of orders and labels by turns; most programs take one

int64_t Units(double us) {
  const double most = PlacementCosts::kMostUs;
  if (!(us < most)) return static_cast<int64_t>(most * PlacementCosts::kUnitsPerUs);
  return std::llround(std::max(us, 0.0) * PlacementCosts::kUnitsPerUs);
}

bool HasTexts(const ir::Program& program, const ir::Step& step) {
  const auto is_text = [&](ir::BufferId id) {
    return id >= 0 && program.buffers[static_cast<size_t>(id)].dtype == DType::kString;
  };
  return std::ranges::any_of(step.inputs, is_text) || std::ranges::any_of(step.outputs, is_text);
}

bool RunsOn(const Backend& backend, const ir::Program& program, const ir::Step& step) {
  const auto* random = std::get_if<ir::RandomPrim>(&step.primitive);
  const bool draws = random != nullptr && !random->key;  // from the session's source
  return !draws && !std::holds_alternative<ir::HostPrim>(step.primitive) &&
         !HasTexts(program, step) && backend.Runs(program, step);
}

// Labels, an order for them and what that costs.
struct Labelled {
  std::vector<int> labels, order;
  int64_t cost = 0;
};

class Search {
 public:
  Search(const Dataflow& flow, const PlacementCosts& costs) : flow_(flow), costs_(costs) {}

  Labelled Best() const {
    const size_t count = flow_.after.size();
    std::vector<int> on_cpu(count, 0), as_it_stands(count);
    std::iota(as_it_stands.begin(), as_it_stands.end(), 0);
    Labelled best = Made(on_cpu, as_it_stands);
    // Each backend alone: from the program's order, and from one that puts together all that it
    // runs.
    for (int label = 1; label < costs_.labels(); ++label) {
      std::vector<int> most = on_cpu;
      for (size_t i = 0; i < count; ++i) {
        if (costs_.step[static_cast<size_t>(label)][i] >= 0) most[i] = label;
      }
      const std::vector<int> together = GroupedOrder(flow_, most, costs_.labels());
      Labelled first = Alone(on_cpu, as_it_stands, label);
      if (together != as_it_stands && together != first.order) {
        Take(Alone(on_cpu, together, label), best);
      }
      Take(std::move(first), best);
    }
    // What others do better then, and what the CPU does.
    if (costs_.labels() > 2) Improve(best);
    return best;
  }

 private:
  Labelled Made(std::vector<int> labels, std::vector<int> order) const {
    Labelled made{std::move(labels), std::move(order), 0};
    made.cost = CostOf(flow_, costs_, made.labels, made.order);
    return made;
  }
  static bool Take(Labelled other, Labelled& best) {
    if (other.cost >= best.cost) return false;
    best = std::move(other);
    return true;
  }
  // The better of the given order and one for these labels.
  Labelled Grouped(std::vector<int> labels, const std::vector<int>& order) const {
    Labelled grouped = Made(labels, GroupedOrder(flow_, labels, costs_.labels()));
    Take(Made(std::move(labels), order), grouped);
    return grouped;
  }
  Labelled Alone(const std::vector<int>& on_cpu, const std::vector<int>& order, int label) const {
    Labelled best = Grouped(Expand(flow_, costs_, on_cpu, order, label), order);
    std::vector<int> tried = order;
    for (int i = 0; i < kMaxImprovements && best.order != tried; ++i) {
      tried = best.order;
      Take(Grouped(Expand(flow_, costs_, on_cpu, tried, label), tried), best);
    }
    return best;
  }
  void Improve(Labelled& best) const {
    for (int i = 0; i < kMaxImprovements; ++i) {
      bool is_better = false;
      for (int label = 0; label < costs_.labels(); ++label) {
        is_better |=
            Take(Grouped(Expand(flow_, costs_, best.labels, best.order, label), best.order), best);
      }
      if (!is_better) return;
    }
  }

  const Dataflow& flow_;
  const PlacementCosts& costs_;
};

Placement PlacementOf(Labelled found, std::span<const Backend* const> backends) {
  Placement out;
  out.cost_us = static_cast<double>(found.cost) / PlacementCosts::kUnitsPerUs;
  for (size_t i = 0; i < found.order.size(); ++i) {
    const int label = found.labels[static_cast<size_t>(found.order[i])];
    if (label == 0) continue;
    const Backend* backend = backends[static_cast<size_t>(label - 1)];
    if (!out.spans.empty() && out.spans.back().end == i && out.spans.back().backend == backend) {
      ++out.spans.back().end;
    } else {
      out.spans.push_back({i, i + 1, backend});
    }
  }
  if (!out.spans.empty()) out.order = std::move(found.order);
  return out;
}

}  // namespace

PlacementCosts CostsOf(const ir::Program& program, const Dataflow& flow,
                       std::span<const double> cpu_us, std::span<const Backend* const> backends) {
  PlacementCosts costs;
  costs.part.push_back(0);
  costs.copy.emplace_back(flow.values.size(), 0);
  costs.step.emplace_back();
  for (const double us : cpu_us) costs.step[0].push_back(Units(us));
  for (const Backend* backend : backends) {
    costs.part.push_back(Units(backend->PartCost()));
    std::vector<int64_t>& copies = costs.copy.emplace_back();
    for (const auto& value : flow.values) copies.push_back(Units(backend->CopyCost(value.bytes)));
    std::vector<int64_t>& steps = costs.step.emplace_back();
    for (const ir::Step& step : program.steps) {
      steps.push_back(RunsOn(*backend, program, step) ? Units(backend->StepCost(program, step))
                                                      : PlacementCosts::kCannot);
    }
  }
  return costs;
}

int64_t CostOf(const Dataflow& flow, const PlacementCosts& costs, std::span<const int> labels,
               std::span<const int> order) {
  int64_t sum = 0;
  int before = 0;
  for (const int step : order) {
    const auto label = static_cast<size_t>(labels[static_cast<size_t>(step)]);
    sum += costs.step[label][static_cast<size_t>(step)];
    if (static_cast<int>(label) != before) sum += costs.part[label];
    before = static_cast<int>(label);
  }
  std::vector<bool> reads(static_cast<size_t>(costs.labels()));
  for (size_t i = 0; i < flow.values.size(); ++i) {
    const Dataflow::Value& value = flow.values[i];
    const auto made =
        static_cast<size_t>(value.producer < 0 ? 0 : labels[static_cast<size_t>(value.producer)]);
    std::fill(reads.begin(), reads.end(), false);
    for (const int reader : value.readers)
      reads[static_cast<size_t>(labels[static_cast<size_t>(reader)])] = true;
    if (value.is_output) reads[0] = true;
    bool leaves = false;
    for (size_t label = 0; label < reads.size(); ++label) {
      if (!reads[label] || label == made) continue;
      sum += costs.copy[label][i];
      leaves = true;
    }
    if (leaves) sum += costs.copy[made][i];
  }
  return sum;
}

Placement CheapestPlacement(const ir::Program& program, std::span<const double> cpu_us,
                            std::span<const Backend* const> backends) {
  const Dataflow flow(program);
  const PlacementCosts costs = CostsOf(program, flow, cpu_us, backends);
  return PlacementOf(Search(flow, costs).Best(), backends);
}

Placement RandomPlacement(const ir::Program& program, std::span<const Backend* const> backends,
                          uint64_t seed) {
  const Dataflow flow(program);
  const std::vector<double> nothing(program.steps.size(), 0);
  const PlacementCosts costs = CostsOf(program, flow, nothing, backends);
  sys::SeededRandom random(seed);
  Labelled found;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const auto label = random.Below(static_cast<uint64_t>(costs.labels()));
    found.labels.push_back(costs.step[label][i] < 0 ? 0 : static_cast<int>(label));
  }
  found.order = GroupedOrder(flow, found.labels, costs.labels());
  found.cost = CostOf(flow, costs, found.labels, found.order);
  return PlacementOf(std::move(found), backends);
}

}  // namespace ferry::engine
