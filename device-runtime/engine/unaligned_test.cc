// Constants that lie where their type cannot be read, as ONNX files have them.
#include "device-runtime/tensor/alignment.h"

#include <gtest/gtest.h>
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/plan.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/engine/value_testing.h"
#include "device-runtime/ir/text.h"

namespace ferry::engine {
namespace {

constexpr const char* kUnalignedNetwork = R"(graph many
input x f32 [n,2,4,4]
const w f32 [2,2,2,2] = 1 2 3 4 5 6 7 8 9 -1 -2 -3 -4 -5 -6 -7
const s f32 [2] = 0.5 0.25
const v f32 [2,1,3,1,1] = 1 -2 3 -4 5 -6
const t f32 [2,2] = 0 3 1 2
const m f32 [2,3] = 1 0 1 0 1 1
const p f32 [3,3] = 1 2 3 3 2 1 -1 0 1
const q f32 [3] = 5 6 7
const d i64 [5] = 0 2 1 4 4
node Conv a (x, w, s) -> (h) pads=I[0,0,1,1]
node Reshape b (h, d) -> (r)
node Conv c (r, v) -> (g) pads=I[1,0,0,1,0,0] group=i2
node ReduceMean e (g) -> (k) axes=I[2,3,4] keepdims=i0
node MatMul f (k, t) -> (l)
node Gemm i (l, m, q) -> (o)
node MatMul j (o, p) -> (z)
node Add u (z, p) -> (y)
output y
)";

// The graph with each float constant `shift` bytes behind a place where it could be read.
Result<ir::Graph> Shifted(size_t shift) {
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, ir::Parse(kUnalignedNetwork));
  for (ir::Value& value : graph.values) {
    if (!value.constant || value.constant->dtype() != DType::kF32) continue;
    const Tensor& from = *value.constant;
    auto bytes = std::make_shared<std::vector<uint8_t>>(from.bytes().size() + shift);
    std::ranges::copy(from.bytes(), bytes->begin() + static_cast<std::ptrdiff_t>(shift));
    value.constant = Tensor::View(from.dtype(), from.shape(), bytes->data() + shift, bytes);
  }
  return graph;
}

Tensor UnalignedRamp(int64_t batch) {
  Tensor t = Tensor::Allocate(DType::kF32, {batch, 2, 4, 4}).value();
  for (int64_t i = 0; i < t.elements(); ++i) t.SetNumber(i, static_cast<double>(i % 7) - 3);
  return t;
}

int CountUnaligned(const ir::Graph& graph) {
  int count = 0;
  for (const ir::Value& value : graph.values) {
    count += value.constant && !tensor::IsAligned(*value.constant);
  }
  return count;
}

class Unaligned : public testing::TestWithParam<std::string> {
 protected:
  static std::vector<NamedTensor> RunOn(const std::shared_ptr<const Model>& model, int64_t batch) {
    auto session = Session::Create(model, {.isa = GetParam()});
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    auto outputs = (*session)->Run({{"x", UnalignedRamp(batch)}});
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    return *std::move(outputs);
  }
};

TEST_P(Unaligned, SameBitsAsAligned) {
  const auto aligned = Model::FromGraph(ir::Parse(kUnalignedNetwork).value()).value();
  for (size_t shift = 0; shift < 4; ++shift) {
    const auto model = Model::FromGraph(Shifted(shift).value()).value();
    for (int64_t batch : {1, 3}) {
      EXPECT_EQ(TensorDifference(RunOn(model, batch)[0].tensor, RunOn(aligned, batch)[0].tensor, 0),
                "")
          << shift;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, Unaligned, testing::ValuesIn(AvailableIsas()),
                         [](const auto& isa) { return isa.param; });

// What only packing reads is not copied, the rest is.
TEST(UnalignedModel, KeepsWhatIsPacked) {
  EXPECT_EQ(CountUnaligned(Shifted(1).value()), 7);
  const auto model = Model::FromGraph(Shifted(1).value()).value();
  EXPECT_EQ(CountUnaligned(model->graph()), 4);  // w, v, t and m; p is added, too
}

// A step that reads such weights in each run gets a copy, which the sessions of a model share.
TEST(UnalignedModel, StepsReadCopies) {
  const auto model = Model::FromGraph(Shifted(1).value()).value();
  ir::Program program;
  for (const ir::Value& value : model->graph().values) {
    if (value.name == "t") program.buffers.push_back({DType::kF32, {2, 2}, value.constant});
  }
  ASSERT_EQ(program.buffers.size(), 1u);
  ASSERT_FALSE(tensor::IsAligned(*program.buffers[0].constant));
  program.buffers.push_back({DType::kF32, {2, 2}});
  ir::RasterPrim transposed;
  transposed.copies.push_back({0, {}});
  auto& region = transposed.copies[0].region;
  region.rank = 2;
  region.size = {2, 2};
  region.from_stride = {1, 2};
  region.to_stride = {2, 1};
  program.steps.push_back({transposed, {0}, {1}, "move"});
  program.outputs = {1};

  const auto device = backends::CpuDevice::Create().value();
  const uint8_t* copy = nullptr;
  for (int session = 0; session < 2; ++session) {
    auto plan =
        MakePlan(program, model->state(), *device, std::make_shared<Arena>(nullptr), {}).value();
    tensor::StringPool strings;
    ASSERT_TRUE(RunPlan(*plan, {}, sys::SerialParallel(), strings).ok());
    EXPECT_EQ(PlanOutput(*plan, 0).Number(1), 1);
    EXPECT_EQ(PlanOutput(*plan, 0).Number(2), 3);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(plan->addresses[0]) % alignof(float), 0u);
    if (session > 0) {
      EXPECT_EQ(plan->addresses[0], copy);
    }
    copy = plan->addresses[0];
  }
}

TEST(UnalignedModel, ReferencePathReadsCopies) {
  const std::vector<NamedTensor> inputs = {{"x", UnalignedRamp(1)}};
  const auto expected = RunReference(ir::Parse(kUnalignedNetwork).value(), inputs).value();
  const auto outputs = RunReference(Shifted(2).value(), inputs).value();
  EXPECT_EQ(TensorDifference(outputs[0].tensor, expected[0].tensor, 0), "");
}

}  // namespace
}  // namespace ferry::engine
