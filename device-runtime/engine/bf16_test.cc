// Where the plan multiplies in bfloat16, and what that does to results.
#include <random>

#include <gtest/gtest.h>
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/explain/report.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/ir/text.h"
#include "device-runtime/kernels/bf16/bf16.h"

namespace ferry::engine {
namespace {

constexpr int64_t kRows = 64, kDepth = 321, kColumns = 200;

Tensor Numbers(const Shape& shape, DType dtype, uint32_t seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> values(-1, 1);
  Tensor t = Tensor::Allocate(dtype, shape).value();
  for (int64_t i = 0; i < shape.elements(); ++i) t.SetNumber(i, values(engine));
  return t;
}

// `nodes` over input x [rows, depth] of dtype `in` and constant w [depth, columns] of dtype
// `weights`.
ir::Graph Network(const std::string& nodes, DType in, DType weights) {
  ir::Graph graph = ir::Parse(fmt::format("graph g\ninput x {} [{},{}]\n{}output y\n",
                                          tensor::DTypeName(in), kRows, kDepth, nodes))
                        .value();
  for (auto& value : graph.values) {
    if (value.name != "w") continue;
    value.constant = Numbers({kDepth, kColumns}, weights, 1);
    value.dtype = weights;
    value.dims.emplace();
    for (int64_t extent : value.constant->shape().dims()) value.dims->push_back({extent, ""});
  }
  return graph;
}

// The same with a constant c [8, depth] of f32 that holds bfloat16 numbers.
void AddConstant(ir::Graph& graph) {
  const Tensor halves = Numbers({8, kDepth}, DType::kBF16, 3);
  Tensor numbers = Tensor::Allocate(DType::kF32, halves.shape()).value();
  for (int64_t i = 0; i < halves.shape().elements(); ++i) numbers.SetNumber(i, halves.Number(i));
  for (auto& value : graph.values) {
    if (value.name != "c") continue;
    value.constant = numbers;
    value.dtype = DType::kF32;
    value.dims = {{8, ""}, {kDepth, ""}};
  }
}

struct Outcome {
  std::string choice;  // of the product
  double error;        // max |y - reference| / max |reference|
};

Outcome OutcomeOf(const ir::Graph& graph, DType in, kernels::Isa isa, double error_bound) {
  const std::vector<NamedTensor> inputs = {{"x", Numbers({kRows, kDepth}, in, 2)}};
  const auto expected = RunReference(graph, inputs).value();
  const auto model = Model::FromGraph(graph).value();
  const auto session =
      Session::Create(model, {.isa = kernels::IsaName(isa), .error_bound = error_bound}).value();
  const auto outputs = session->Run(inputs).value();
  Outcome outcome;
  for (const StepReport& step : session->Explain()) {
    if (step.primitive == "matmul") outcome.choice = step.choice;
  }
  const auto difference = tensor::Compare(outputs[0].tensor, expected[0].tensor).value();
  outcome.error = difference.max_abs / difference.max_reference;
  return outcome;
}

bool IsBf16(const std::string& choice) {
  return choice.starts_with("bf16");
}

TEST(Bf16Plan, Float32StaysFloat32InsideTheDefaultBound) {
  const ir::Graph graph = Network("node MatMul m (x, w) -> (y)\n", DType::kF32, DType::kF32);
  for (kernels::Isa isa : kernels::RunningIsas()) {
    SCOPED_TRACE(kernels::IsaName(isa));
    const Outcome outcome = OutcomeOf(graph, DType::kF32, isa, kDefaultErrorBound);
    EXPECT_FALSE(IsBf16(outcome.choice)) << outcome.choice;
    EXPECT_LE(outcome.error, kDefaultErrorBound);
  }
}

TEST(Bf16Plan, AWiderBoundAllowsRounding) {
  const ir::Graph graph = Network("node MatMul m (x, w) -> (y)\n", DType::kF32, DType::kF32);
  for (kernels::Isa isa : kernels::RunningIsas()) {
    SCOPED_TRACE(kernels::IsaName(isa));
    const double both = 2 * kernels::kBf16Error;
    EXPECT_FALSE(IsBf16(OutcomeOf(graph, DType::kF32, isa, both * 0.99).choice));
    const Outcome outcome = OutcomeOf(graph, DType::kF32, isa, both);
    EXPECT_EQ(IsBf16(outcome.choice), kernels::HasBf16(kernels::TableOf(isa))) << outcome.choice;
    EXPECT_LE(outcome.error, both);
  }
}

TEST(Bf16Plan, WeightsThatAreStoredSoNeedHalfTheBound) {
  const ir::Graph graph = Network("node Cast c (w) -> (v) to=i1\nnode MatMul m (x, v) -> (y)\n",
                                  DType::kF32, DType::kBF16);
  for (kernels::Isa isa : kernels::RunningIsas()) {
    SCOPED_TRACE(kernels::IsaName(isa));
    EXPECT_FALSE(IsBf16(OutcomeOf(graph, DType::kF32, isa, kDefaultErrorBound).choice));
    const Outcome outcome = OutcomeOf(graph, DType::kF32, isa, kernels::kBf16Error);
    EXPECT_EQ(IsBf16(outcome.choice), kernels::HasBf16(kernels::TableOf(isa))) << outcome.choice;
    EXPECT_LE(outcome.error, kernels::kBf16Error);
  }
}

TEST(Bf16Plan, NetworksOfBfloat16LoseNothing) {
  // Moved between: rasters keep what a number is.
  const ir::Graph graph = Network(
      "node Transpose a (x) -> (t) perm=I[1,0]\nnode Transpose b (t) -> (u) perm=I[1,0]\n"
      "node MatMul m (u, w) -> (y)\n",
      DType::kBF16, DType::kBF16);
  for (kernels::Isa isa : kernels::RunningIsas()) {
    SCOPED_TRACE(kernels::IsaName(isa));
    const Outcome outcome = OutcomeOf(graph, DType::kBF16, isa, 0);
    EXPECT_EQ(IsBf16(outcome.choice), kernels::HasBf16(kernels::TableOf(isa))) << outcome.choice;
    EXPECT_LE(outcome.error, 0x1p-8);  // the result's own last bit
  }
}

TEST(Bf16Plan, AConcatenationIsNotWhatOneOfItsPartsIs) {
  // Exp writes its part in place; what is left to copy holds bfloat16.
  ir::Graph graph = Network(
      "node Exp e (x) -> (g)\nnode Concat k (c, g) -> (h) axis=i0\n"
      "node Cast v (w) -> (u) to=i1\nnode MatMul m (h, u) -> (y)\n",
      DType::kF32, DType::kBF16);
  AddConstant(graph);
  for (kernels::Isa isa : kernels::RunningIsas()) {
    SCOPED_TRACE(kernels::IsaName(isa));
    const Outcome outcome = OutcomeOf(graph, DType::kF32, isa, kDefaultErrorBound);
    EXPECT_FALSE(IsBf16(outcome.choice)) << outcome.choice;
    EXPECT_LE(outcome.error, 1e-5);
  }
}

}  // namespace
}  // namespace ferry::engine
