#include "device-runtime/engine/split/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/sys/clock.h"
#include "common/sys/random.h"
#include "device-runtime/engine/split/min_cut.h"
#include "device-runtime/engine/split/neighbour_rule.h"

namespace ferry::engine {
namespace {

// Prices by the number of a step, which is its node's name; negative: does not run.
class Priced final : public Backend {
 public:
  std::vector<double> step_us;
  double copy_us = 0, byte_us = 0, part_us = 0;

  const char* name() const override { return "priced"; }
  bool Runs(const ir::Program&, const ir::Step& step) const override { return !(At(step) < 0); }
  double StepCost(const ir::Program&, const ir::Step& step) const override { return At(step); }
  double CopyCost(int64_t bytes) const override {
    return copy_us + byte_us * static_cast<double>(bytes);
  }
  double PartCost() const override { return part_us; }
  std::vector<std::string> Primitives() const override { return {}; }
  Result<std::unique_ptr<backends::DeviceMemory>> Allocate(int64_t,
                                                           const BackendSettings&) const override {
    return CostsOnly();
  }
  Status CopyIn(const uint8_t*, int64_t, backends::DeviceMemory&) const override {
    return CostsOnly();
  }
  Status CopyOut(const backends::DeviceMemory&, int64_t, uint8_t*) const override {
    return CostsOnly();
  }
  Result<std::unique_ptr<backends::BackendPart>> Prepare(ir::Program, backends::Uploads&,
                                                         const BackendSettings&) const override {
    return CostsOnly();
  }

 private:
  static Status CostsOnly() { return Status(Code::kUnsupported, "costs only"); }
  double At(const ir::Step& step) const { return step_us[std::stoul(step.node)]; }
};

ir::BufferId AddBuffer(ir::Program& program, int64_t floats, int input = -1) {
  const Shape shape = Shape::Make(std::vector<int64_t>{floats}).value();
  program.buffers.push_back({DType::kF32, shape, std::nullopt, -1, input});
  return static_cast<ir::BufferId>(program.buffers.size() - 1);
}

void AddStep(ir::Program& program, std::vector<ir::BufferId> inputs, ir::BufferId output) {
  program.steps.push_back(
      {ir::MapPrim(), std::move(inputs), {output}, std::to_string(program.steps.size())});
}

ir::Program Chain(int steps) {
  ir::Program program;
  ir::BufferId last = AddBuffer(program, 1, 0);
  for (int i = 0; i < steps; ++i) {
    const ir::BufferId next = AddBuffer(program, 1);
    AddStep(program, {last}, next);
    last = next;
  }
  program.outputs = {last};
  return program;
}

// Steps read what up to `reach` steps before made.
ir::Program RandomProgram(sys::Random& random, int steps, uint64_t reach) {
  ir::Program program;
  std::vector<ir::BufferId> made;
  for (int i = 0; i < 2; ++i) made.push_back(AddBuffer(program, 1 + 1000 * i, i));
  for (int i = 0; i < steps; ++i) {
    std::vector<ir::BufferId> inputs;
    for (uint64_t k = 0, count = 1 + random.Below(3); k < count; ++k) {
      const uint64_t back = std::min<uint64_t>(made.size(), reach);
      inputs.push_back(made[made.size() - 1 - random.Below(back)]);
    }
    made.push_back(AddBuffer(program, 1 + static_cast<int64_t>(random.Below(1000))));
    AddStep(program, inputs, made.back());
    if (random.Below(10) == 0) program.outputs.push_back(made.back());
  }
  program.outputs.push_back(made.back());
  return program;
}

std::vector<double> RandomPrices(sys::Random& random, int steps, double most, bool some) {
  std::vector<double> prices;
  for (int i = 0; i < steps; ++i) {
    prices.push_back(some && random.Below(3) == 0 ? -1 : random.NextDouble() * most);
  }
  return prices;
}

Priced RandomBackend(sys::Random& random, int steps) {
  Priced backend;
  backend.step_us = RandomPrices(random, steps, 1 + static_cast<double>(random.Below(10)), true);
  backend.copy_us = random.NextDouble() * static_cast<double>(random.Below(10));
  backend.byte_us = random.NextDouble() * 1e-3;
  backend.part_us = random.NextDouble() * static_cast<double>(random.Below(10));
  return backend;
}

// Every step once, behind those that make what it reads; parts are of one backend that runs them.
void ExpectValid(const ir::Program& program, const Placement& placement) {
  if (placement.order.empty()) {
    EXPECT_TRUE(placement.spans.empty());
    return;
  }
  ASSERT_EQ(placement.order.size(), program.steps.size());
  std::vector<bool> made(program.buffers.size(), false);
  for (const int number : placement.order) {
    const ir::Step& step = program.steps[static_cast<size_t>(number)];
    for (const ir::BufferId id : step.inputs) {
      const auto root = static_cast<size_t>(program.Root(id));
      ASSERT_TRUE(made[root] || program.buffers[root].input >= 0) << number;
    }
    ASSERT_FALSE(made[static_cast<size_t>(step.outputs[0])]);
    made[static_cast<size_t>(step.outputs[0])] = true;
  }
  size_t end = 0;
  for (const BackendSpan& span : placement.spans) {
    ASSERT_GE(span.begin, end);
    ASSERT_GT(span.end, span.begin);
    end = span.end;
    for (size_t i = span.begin; i < span.end; ++i) {
      ASSERT_TRUE(
          span.backend->Runs(program, program.steps[static_cast<size_t>(placement.order[i])]));
    }
  }
  ASSERT_LE(end, placement.order.size());
}

// The best of all ways to label the steps.
double Exhaustive(const ir::Program& program, std::span<const double> cpu,
                  std::span<const Backend* const> backends) {
  const Dataflow flow(program);
  const PlacementCosts costs = CostsOf(program, flow, cpu, backends);
  int64_t best = std::numeric_limits<int64_t>::max();
  std::vector<int> labels(program.steps.size());
  for (uint32_t all = 0; all < 1u << labels.size(); ++all) {
    bool runs = true;
    for (size_t i = 0; i < labels.size(); ++i) {
      labels[i] = static_cast<int>(all >> i & 1);
      runs = runs && costs.step[static_cast<size_t>(labels[i])][i] >= 0;
    }
    if (runs) best = std::min(best, CostOf(flow, costs, labels, GroupedOrder(flow, labels, 2)));
  }
  return static_cast<double>(best) / PlacementCosts::kUnitsPerUs;
}

double Rounding(const ir::Program& program) {  // of prices to units
  return static_cast<double>(5 * program.steps.size()) / PlacementCosts::kUnitsPerUs;
}

TEST(MinCut, IsTheCheapestOfAllWays) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    sys::SeededRandom random(seed);
    const int count = 1 + static_cast<int>(random.Below(9));
    std::vector<int64_t> taken, left;
    struct Pair {
      int a, b;
      int64_t cost;
    };
    std::vector<Pair> pairs;
    MinCut cut;
    for (int i = 0; i < count; ++i) {
      taken.push_back(static_cast<int64_t>(random.Below(20)));
      left.push_back(static_cast<int64_t>(random.Below(20)));
      cut.IfTaken(cut.AddNode(), taken.back());
      cut.IfLeft(i, left.back());
    }
    for (uint64_t i = 0, arcs = random.Below(30); i < arcs; ++i) {
      const auto node = [&] {
        return static_cast<int>(random.Below(static_cast<uint64_t>(count)));
      };
      pairs.push_back({node(), node(), static_cast<int64_t>(random.Below(15))});
      if (random.Below(20) == 0) pairs.back().cost = MinCut::kNever;
      cut.IfParted(pairs.back().a, pairs.back().b, pairs.back().cost);
    }
    const auto price = [&](const auto& is_taken) {
      double sum = 0;
      for (int i = 0; i < count; ++i) {
        sum += static_cast<double>((is_taken(i) ? taken : left)[static_cast<size_t>(i)]);
      }
      for (const Pair& pair : pairs) {
        if (is_taken(pair.a) && !is_taken(pair.b)) sum += static_cast<double>(pair.cost);
      }
      return sum;
    };
    double best = 1e30;
    for (uint32_t all = 0; all < 1u << count; ++all) {
      best = std::min(best, price([&](int i) { return (all >> i & 1) != 0; }));
    }
    const std::vector<bool> found = cut.Solve();
    ASSERT_EQ(price([&](int i) { return found[static_cast<size_t>(i)]; }), best);
  }
}

TEST(Placement, CostsAreWeighedExactly) {
  const ir::Program program = Chain(5);
  Priced backend;
  backend.step_us = {1, -1, 1, -1, 1};
  backend.copy_us = 1;
  const Backend* backends[] = {&backend};
  const std::vector<double> cpu(5, 4.0);
  // Each Exp: 1 + 2 copies = 3 instead of 4, three times.
  Placement p = CheapestPlacement(program, cpu, backends);
  EXPECT_EQ(p.spans.size(), 3u);
  EXPECT_DOUBLE_EQ(p.cost_us, 3 * 3 + 2 * 4);
  backend.copy_us = 2;  // 5 instead of 4
  EXPECT_TRUE(CheapestPlacement(program, cpu, backends).spans.empty());
  backend.step_us.assign(5, 1);  // 5 steps and 2 copies in one part
  p = CheapestPlacement(program, cpu, backends);
  ASSERT_EQ(p.spans.size(), 1u);
  EXPECT_EQ(p.spans[0].begin, 0u);
  EXPECT_EQ(p.spans[0].end, 5u);
  EXPECT_DOUBLE_EQ(p.cost_us, 5 + 2 * 2);
}

// Two chains whose steps stand by turns: each is one part, whatever stands between its steps.
TEST(Placement, PartsFollowDependencies) {
  ir::Program program;
  ir::BufferId a = AddBuffer(program, 1, 0), b = AddBuffer(program, 1, 1);
  Priced backend;
  for (int i = 0; i < 10; ++i) {
    const ir::BufferId next = AddBuffer(program, 1);
    ir::BufferId& last = i % 2 == 0 ? a : b;
    AddStep(program, {last}, next);
    last = next;
    backend.step_us.push_back(i % 2 == 0 ? 1 : -1);
  }
  program.outputs = {a, b};
  backend.part_us = 10;
  const Backend* backends[] = {&backend};
  const Placement p = CheapestPlacement(program, std::vector<double>(10, 4), backends);
  ExpectValid(program, p);
  ASSERT_EQ(p.spans.size(), 1u);
  EXPECT_DOUBLE_EQ(p.cost_us, 10 + 5 * 1 + 5 * 4);
}

TEST(Placement, OneBackendIsNeverDearerThanRunsOfNeighbours) {
  double sum = 0, neighbours = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    sys::SeededRandom random(seed);
    const int steps = 1 + static_cast<int>(random.Below(60));
    const ir::Program program = RandomProgram(random, steps, 1 + random.Below(8));
    const Priced backend = RandomBackend(random, steps);
    const std::vector<double> cpu = RandomPrices(random, steps, 10, false);
    const Backend* backends[] = {&backend};
    const Placement p = CheapestPlacement(program, cpu, backends);
    ASSERT_NO_FATAL_FAILURE(ExpectValid(program, p));
    const double rule = NeighbourRuleCost(program, cpu, backends);
    ASSERT_LE(p.cost_us, rule + Rounding(program));
    sum += p.cost_us;
    neighbours += rule;
  }
  EXPECT_LT(sum, 0.98 * neighbours);
}

TEST(Placement, SmallProgramsAreMostlyPlacedAsCheaplyAsCanBe) {
  int as_cheap = 0;
  double sum = 0, best = 0;
  constexpr int kPrograms = 300;
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    sys::SeededRandom random(seed);
    const int steps = 1 + static_cast<int>(random.Below(9));
    const ir::Program program = RandomProgram(random, steps, 1 + random.Below(8));
    const Priced backend = RandomBackend(random, steps);
    const std::vector<double> cpu = RandomPrices(random, steps, 10, false);
    const Backend* backends[] = {&backend};
    const double found = CheapestPlacement(program, cpu, backends).cost_us;
    const double exact = Exhaustive(program, cpu, backends);
    ASSERT_GE(found, exact);
    ASSERT_LE(found, 1.25 * exact);
    as_cheap += found == exact ? 1 : 0;
    sum += found;
    best += exact;
  }
  EXPECT_GE(as_cheap, kPrograms * 95 / 100);
  EXPECT_LE(sum, 1.01 * best);
}

TEST(Placement, SeveralBackendsAreAsCheapAsTheBestOfThem) {
  double sum = 0, neighbours = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    sys::SeededRandom random(seed);
    const int steps = 1 + static_cast<int>(random.Below(40));
    const ir::Program program = RandomProgram(random, steps, 1 + random.Below(8));
    const Priced first = RandomBackend(random, steps), second = RandomBackend(random, steps);
    const std::vector<double> cpu = RandomPrices(random, steps, 10, false);
    const Backend* all[] = {&first, &second};
    const Placement p = CheapestPlacement(program, cpu, all);
    ASSERT_NO_FATAL_FAILURE(ExpectValid(program, p));
    for (const Backend* one : all) {
      ASSERT_LE(p.cost_us, CheapestPlacement(program, cpu, {&one, 1}).cost_us);
    }
    sum += p.cost_us;
    neighbours += NeighbourRuleCost(program, cpu, all);
  }
  EXPECT_LT(sum, neighbours);
}

TEST(Placement, PricesThatAreNoneTakeNothing) {
  const ir::Program program = Chain(4);
  Priced backend;
  const double nan = std::nan("");
  backend.step_us = {nan, nan, INFINITY, 1e300};
  const Backend* backends[] = {&backend};
  EXPECT_TRUE(CheapestPlacement(program, std::vector<double>(4, 1), backends).spans.empty());
  backend.step_us.assign(4, 1);
  backend.copy_us = nan;
  EXPECT_TRUE(CheapestPlacement(program, std::vector<double>(4, 1), backends).spans.empty());
  backend.copy_us = -1e300;  // as much as nothing
  EXPECT_EQ(CheapestPlacement(program, std::vector<double>(4, 2), backends).cost_us, 4);
}

TEST(Placement, ManySteps) {
  constexpr int kSteps = 20'000;
  for (const uint64_t reach : {1, 5, 200}) {
    sys::SeededRandom random(reach);
    const ir::Program program = reach == 1 ? Chain(kSteps) : RandomProgram(random, kSteps, reach);
    Priced backend;
    backend.step_us = RandomPrices(random, kSteps, 5, reach == 5);
    backend.copy_us = reach == 1 ? 1000 : 3;  // as much as many steps
    backend.part_us = 10;
    const std::vector<double> cpu = RandomPrices(random, kSteps, 10, false);
    const Backend* backends[] = {&backend};
    const int64_t start = sys::SystemClock().MonotonicNs();
    const Placement p = CheapestPlacement(program, cpu, backends);
    RecordProperty("ms_reach_" + std::to_string(reach),
                   std::to_string((sys::SystemClock().MonotonicNs() - start) / 1'000'000));
    ASSERT_NO_FATAL_FAILURE(ExpectValid(program, p));
    EXPECT_FALSE(p.spans.empty());
  }
}

TEST(Placement, RandomOnesAreValidAndRepeat) {
  sys::SeededRandom random(7);
  const ir::Program program = RandomProgram(random, 60, 5);
  const Priced first = RandomBackend(random, 60), second = RandomBackend(random, 60);
  const Backend* all[] = {&first, &second};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Placement p = RandomPlacement(program, all, seed);
    ASSERT_NO_FATAL_FAILURE(ExpectValid(program, p));
    EXPECT_EQ(p.order, RandomPlacement(program, all, seed).order);
  }
  EXPECT_NE(RandomPlacement(program, all, 1).order, RandomPlacement(program, all, 2).order);
}

TEST(Extract, PartsStandAlone) {
  ir::Program program = Chain(5);
  for (ir::Step& step : program.steps) {
    ir::MapPrim map;
    map.rank = 1;
    map.size[0] = 1;
    map.strides.push_back({1});
    map.code.push_back({ir::MapFunction::kExp, ir::MapType::kF32, {0, -1, -1}});
    map.results = {1};
    step.primitive = map;
  }
  const ExtractedPart part = Extract(program, LastReads(program), 1, 4);
  EXPECT_TRUE(ir::Verify(part.program).ok()) << ir::Verify(part.program).ToString();
  EXPECT_EQ(part.program.steps.size(), 3u);
  EXPECT_EQ(part.inputs, std::vector<ir::BufferId>{1});
  EXPECT_EQ(part.outputs, std::vector<ir::BufferId>{4});
}

}  // namespace
}  // namespace ferry::engine
