#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "device-runtime/backend/backend.h"
#include "device-runtime/engine/explain/report.h"
#include "device-runtime/engine/plan.h"
#include "device-runtime/ir/text.h"

namespace ferry::engine {
namespace {

using backends::BackendPart;

// Runs some primitives only, in memory of its own: the CPU's kernels stand for a device's.
class LimitedBackend final : public Backend {
 public:
  std::set<std::string> primitives;
  double step_us = 0.001;
  double copy_us = 0.001;
  double part_us = 0;
  mutable int prepared = 0, runs = 0;

  const char* name() const override { return "limited"; }
  bool Runs(const ir::Program&, const ir::Step& step) const override {
    return primitives.contains(ir::PrimitiveName(step.primitive));
  }
  double StepCost(const ir::Program&, const ir::Step&) const override { return step_us; }
  double CopyCost(int64_t) const override { return copy_us; }
  double PartCost() const override { return part_us; }
  Result<std::unique_ptr<BackendPart>> Prepare(ir::Program part) const override {
    FERRY_TRY(ir::Verify(part));
    ++prepared;
    auto made = std::make_unique<Part>(*this);
    for (const ir::BufferInfo& buffer : part.buffers) {
      if (buffer.input < 0) continue;
      FERRY_ASSIGN_OR_RETURN(Tensor copy, Tensor::Zeros(buffer.dtype, buffer.shape));
      made->inputs.push_back(std::move(copy));
    }
    FERRY_ASSIGN_OR_RETURN(made->plan, MakePlan(std::move(part), made->model, *made->device,
                                                std::make_shared<Arena>(nullptr), PlanSettings{}));
    return made;
  }

 private:
  struct Part final : BackendPart {
    explicit Part(const LimitedBackend& owner) : owner(owner) {}
    Status Run(std::span<const uint8_t* const> from, std::span<uint8_t* const> to) override {
      ++owner.runs;
      std::vector<const Tensor*> bound;
      for (size_t i = 0; i < inputs.size(); ++i) {
        std::memcpy(inputs[i].mutable_raw(), from[i], inputs[i].bytes().size());
        bound.push_back(&inputs[i]);
      }
      FERRY_TRY(RunPlan(*plan, bound, sys::SerialParallel(), strings));
      for (size_t i = 0; i < to.size(); ++i) {
        const Tensor output = PlanOutput(*plan, i);
        std::memcpy(to[i], output.raw(), output.bytes().size());
      }
      return OkStatus();
    }
    const LimitedBackend& owner;
    Model::State model;
    std::unique_ptr<backends::CpuDevice> device = backends::CpuDevice::Create().value();
    std::vector<Tensor> inputs;
    std::unique_ptr<Plan> plan;
    tensor::StringPool strings;
  };
};

constexpr const char* kPartitionNetwork =
    R"(graph small
input x f32 [2,3,12,12]
const w f32 [3,3,3,3] = )"
    "1 2 3 4 5 6 7 8 9 -1 -2 -3 -4 -5 -6 -7 -8 -9 1 2 3 4 5 6 7 8 9 "
    "1 2 3 4 5 6 7 8 9 -1 -2 -3 -4 -5 -6 -7 -8 -9 1 2 3 4 5 6 7 8 9 "
    "1 2 3 4 5 6 7 8 9 -1 -2 -3 -4 -5 -6 -7 -8 -9 1 2 3 4 5 6 7 8 9"
    R"(
const m f32 [3,2] = 1 0 1 0 1 1
node Conv a (x, w) -> (h) pads=I[1,1,1,1]
node Sigmoid s (h) -> (t)
node Conv c (t, w) -> (u) pads=I[1,1,1,1]
node Softmax o (u) -> (v) axis=i1
node Add d (v, t) -> (q)
node GlobalAveragePool e (q) -> (g)
node Flatten f (g) -> (k)
node MatMul i (k, m) -> (y)
output y
output v
)";

std::vector<NamedTensor> RunOn(const std::vector<const Backend*>& backends,
                               std::vector<StepReport>* reports = nullptr) {
  auto model = Model::FromGraph(ir::Parse(kPartitionNetwork).value());
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  SessionOptions options;
  options.backends = backends;
  auto session = Session::Create(*model, options);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  Tensor x = Tensor::Allocate(DType::kF32, {2, 3, 12, 12}).value();
  for (int64_t i = 0; i < x.elements(); ++i) x.SetNumber(i, static_cast<double>(i % 7) / 50);
  for (int i = 0; i < 2; ++i) {  // the second run meets what the first one left
    auto outputs = (*session)->Run({{"x", x}});
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    if (reports != nullptr) *reports = (*session)->Explain();
    if (i == 1) return *outputs;
  }
  return {};
}

void ExpectSame(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const auto difference = tensor::Compare(a[i].tensor, b[i].tensor);
    ASSERT_TRUE(difference.ok());
    EXPECT_EQ(difference->max_abs, 0) << a[i].name;
  }
}

TEST(Parts, WhateverABackendLacksTheResultsAreTheCpus) {
  const auto expected = RunOn({});
  const std::vector<std::set<std::string>> sets = {
      {"conv"},
      {"conv", "map"},
      {"softmax", "raster"},
      {"matmul", "reduce", "pool"},
      {"conv", "map", "softmax", "raster", "matmul", "reduce", "pool", "norm"}};
  for (const auto& primitives : sets) {
    LimitedBackend backend;
    backend.primitives = primitives;
    std::vector<StepReport> reports;
    ASSERT_NO_FATAL_FAILURE(ExpectSame(RunOn({&backend}, &reports), expected));
    EXPECT_GE(backend.prepared, 1);
    EXPECT_EQ(backend.runs, 2 * backend.prepared);
    for (const StepReport& report : reports) {
      EXPECT_EQ(report.backend == "limited", primitives.contains(report.primitive))
          << report.primitive;
    }
  }
}

TEST(Parts, DearCopiesKeepAllOnTheCpu) {
  LimitedBackend backend;
  backend.primitives = {"conv", "softmax"};
  backend.copy_us = 1e6;
  ExpectSame(RunOn({&backend}), RunOn({}));
  EXPECT_EQ(backend.prepared, 0);
  backend.copy_us = 0;
  backend.part_us = 1e6;
  RunOn({&backend});
  EXPECT_EQ(backend.prepared, 0);
}

// Concatenations are written in place, and a backend that takes nothing leaves it so.
TEST(Parts, ABackendThatTakesNothingLeavesThePlan) {
  const auto plan_of = [](const std::vector<const Backend*>& backends) {
    auto model = Model::FromGraph(ir::Parse(R"(graph dense
input x f32 [1,4,8,8]
const w f32 [4,4,1,1] = 1 2 3 4 5 6 7 8 8 7 6 5 4 3 2 1
const v f32 [4,8,1,1] = 1 2 3 4 5 6 7 8 8 7 6 5 4 3 2 1 1 2 3 4 5 6 7 8 8 7 6 5 4 3 2 1
node Conv a (x, w) -> (h)
node Concat b (x, h) -> (c) axis=i1
node Conv d (c, v) -> (g)
node Concat e (c, g) -> (y) axis=i1
output y
)")
                                      .value())
                     .value();
    SessionOptions options;
    options.backends = backends;
    return Session::Create(model, options).value()->plan().text;
  };
  LimitedBackend dear;
  dear.primitives = {"conv", "raster"};
  dear.step_us = 1e6;
  const LimitedBackend nothing;
  const std::string plain = plan_of({});
  EXPECT_EQ(plan_of({&nothing}), plain);
  EXPECT_EQ(plan_of({&dear}), plain);
  EXPECT_EQ(dear.prepared, 0);
}

}  // namespace
}  // namespace ferry::engine
