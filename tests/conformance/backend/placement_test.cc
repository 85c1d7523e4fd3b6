// What goes where: whatever a device lacks stays on the CPU.
#include <gtest/gtest.h>

#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/explain/report.h"
#include "device-runtime/ir/graph.h"
#include "device-runtime/ir/text.h"
#include "tests/conformance/backend/test_backend.h"

namespace ferry::test {
namespace {

using engine::Model;
using engine::NamedTensor;
using engine::Session;
using engine::SessionOptions;
using engine::StepReport;
using tensor::DType;
using tensor::Tensor;
using Backends = std::vector<const backends::Backend*>;

constexpr const char* kPlacementNetwork =
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

std::vector<NamedTensor> RunOn(const Backends& backends,
                               std::vector<StepReport>* reports = nullptr) {
  auto model = Model::FromGraph(ir::Parse(kPlacementNetwork).value());
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

TEST(BackendPlacement, WhateverABackendLacksTheResultsAreTheCpus) {
  const auto expected = RunOn({});
  const std::vector<std::set<std::string>> sets = {
      {"conv"},
      {"conv", "map"},
      {"softmax", "raster"},
      {"matmul", "reduce", "pool"},
      {"conv", "map", "softmax", "raster", "matmul", "reduce", "pool", "norm"}};
  for (const auto& primitives : sets) {
    TestBackend backend;
    backend.primitives = primitives;
    std::vector<StepReport> reports;
    ASSERT_NO_FATAL_FAILURE(ExpectSame(RunOn({&backend}, &reports), expected));
    EXPECT_GE(backend.counts().prepared, 1);
    EXPECT_EQ(backend.counts().runs, 2 * backend.counts().prepared);
    for (const StepReport& report : reports) {
      EXPECT_EQ(report.backend == "test", primitives.contains(report.primitive))
          << report.primitive;
    }
  }
}

TEST(BackendPlacement, DearCopiesKeepAllOnTheCpu) {
  TestBackend backend;
  backend.primitives = {"conv", "softmax"};
  backend.copy_us = 1e6;
  ExpectSame(RunOn({&backend}), RunOn({}));
  EXPECT_EQ(backend.counts().prepared, 0);
  backend.copy_us = 0;
  backend.part_us = 1e6;
  RunOn({&backend});
  EXPECT_EQ(backend.counts().prepared, 0);
}

// Parts that are planned as the model runs are placed, too.
TEST(BackendPlacement, ModelsWhoseShapesDependOnValues) {
  auto model = Model::FromGraph(ir::Parse(R"(graph dynamic
input x f32 [12]
node NonZero a (x) -> (i)
node Cast b (i) -> (f) to=i1
node Softmax c (f) -> (s) axis=i1
node Mul d (s, f) -> (m)
output m
)")
                                    .value())
                   .value();
  TestBackend backend;
  SessionOptions options;
  options.backends = {&backend};
  options.placement = {.is_random = true, .seed = 3};
  auto session = Session::Create(model, options).value();
  auto plain = Session::Create(model).value();
  for (int run = 0; run < 8; ++run) {
    Tensor x = Tensor::Zeros(DType::kF32, {12}).value();
    for (int64_t i = 0; i < x.elements(); ++i) x.SetNumber(i, static_cast<double>(i % (run + 1)));
    auto got = session->Run({{"x", x}});
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    ExpectSame(*got, plain->Run({{"x", x}}).value());
  }
  EXPECT_GE(backend.counts().prepared, 3);
  EXPECT_FALSE(session->plan().is_static);
}

// Concatenations are written in place, and a backend that takes nothing leaves it so.
TEST(BackendPlacement, ABackendThatTakesNothingLeavesThePlan) {
  const auto plan_of = [](const Backends& backends) {
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
  TestBackend dear;
  dear.primitives = {"conv", "raster"};
  dear.step_us = 1e6;
  TestBackend nothing;
  nothing.primitives = {"none"};
  const std::string plain = plan_of({});
  EXPECT_EQ(plan_of({&nothing}), plain);
  EXPECT_EQ(plan_of({&dear}), plain);
  EXPECT_EQ(dear.counts().prepared, 0);
}

}  // namespace
}  // namespace ferry::test
