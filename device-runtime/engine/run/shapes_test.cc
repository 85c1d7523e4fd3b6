// Shapes that change from run to run and from step to step: the naive path's results, and memory
// that stays what it was.
#include <random>

#include <gtest/gtest.h>
#include "common/base/memory.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/model/state.h"
#include "device-runtime/engine/plan.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/engine/run/kernel_folder.h"
#include "device-runtime/engine/value_testing.h"
#include "device-runtime/ir/text.h"

namespace ferry::engine {
namespace {

using tensor::MemoryBudget;

constexpr double kShapesTolerance = 1e-4;
constexpr int64_t kWidth = 16;

Tensor ShapesRamp(const Shape& shape, double step = 0.01) {
  Tensor t = Tensor::Allocate(DType::kF32, shape).value();
  for (int64_t i = 0; i < t.elements(); ++i) {
    t.SetNumber(i, step * static_cast<double>(i * 7 % 31 - 15));
  }
  return t;
}

// `text` with inputs that begin with "w" as constants.
ir::Graph WithWeights(std::string_view text) {
  ir::Graph graph = ir::Parse(text).value();
  for (ir::ValueId id : graph.inputs) {
    ir::Value& value = graph.values[static_cast<size_t>(id)];
    if (value.name.starts_with("w")) value.constant = ShapesRamp(*value.FixedShape());
  }
  std::erase_if(graph.inputs, [&](ir::ValueId id) { return graph.IsConstant(id); });
  EXPECT_TRUE(ir::Verify(graph).ok()) << ir::Verify(graph).ToString();
  return graph;
}

// Attention over rows whose number is free: one plan a number.
constexpr std::string_view kRows = R"(graph rows
input x f32 [n,16]
input wq f32 [16,16]
input wk f32 [16,16]
node MatMul a (x, wq) -> (q)
node MatMul b (x, wk) -> (k)
node Transpose c (k) -> (t) perm=I[1,0]
node MatMul d (q, t) -> (s)
node Softmax e (s) -> (p) axis=i-1
node MatMul f (p, x) -> (o)
node Add g (o, x) -> (y)
output y
)";

// The same for the rows that an input chooses: planned in parts.
constexpr std::string_view kChosen = R"(graph chosen
input all f32 [n,16]
input keep f32 [n]
input wq f32 [16,16]
const list i64 [1] = 0
node NonZero n1 (keep) -> (places)
node Squeeze n2 (places, list) -> (rows)
node Gather n3 (all, rows) -> (x) axis=i0
node MatMul a (x, wq) -> (q)
node Transpose c (x) -> (t) perm=I[1,0]
node MatMul d (q, t) -> (s)
node Softmax e (s) -> (p) axis=i-1
node MatMul f (p, x) -> (y)
output y
)";

std::vector<NamedTensor> RowsInputs(int64_t rows) {
  return {{"x", ShapesRamp({rows, kWidth})}};
}

std::vector<NamedTensor> ChosenInputs(int64_t rows) {
  constexpr int64_t kAll = 300;
  Tensor keep = Tensor::Zeros(DType::kF32, {kAll}).value();
  for (int64_t i = 0; i < rows; ++i) keep.SetNumber(i * kAll / rows, 1);
  return {{"all", ShapesRamp({kAll, kWidth})}, {"keep", keep}};
}

struct ChangingShapes {
  const char* name;
  std::string_view text;
  std::vector<NamedTensor> (*inputs)(int64_t rows);
};

class Shapes : public testing::TestWithParam<ChangingShapes> {
 protected:
  std::shared_ptr<const Model> MakeModel() const {
    return Model::FromGraph(WithWeights(GetParam().text)).value();
  }
};

std::vector<int64_t> RandomRows(size_t count, int64_t most) {
  std::mt19937 random(5);
  std::vector<int64_t> rows;
  for (size_t i = 0; i < count; ++i) rows.push_back(1 + static_cast<int64_t>(random() % most));
  return rows;
}

TEST_P(Shapes, AgreeWithTheNaivePath) {
  const ir::Graph graph = WithWeights(GetParam().text);
  const auto model = MakeModel();
  for (const std::string& isa : AvailableIsas()) {
    SCOPED_TRACE(isa);
    auto session = Session::Create(model, {.isa = isa}).value();
    for (const int64_t rows : RandomRows(60, 40)) {
      const auto inputs = GetParam().inputs(rows);
      const auto naive = RunReference(graph, inputs).value();
      const auto outputs = session->Run(inputs);
      ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
      ASSERT_EQ(TensorDifference((*outputs)[0].tensor, naive[0].tensor, kShapesTolerance), "")
          << rows;
    }
  }
}

TEST_P(Shapes, MemoryStaysFlat) {
  const auto model = MakeModel();
  SessionOptions options;
  options.budget = std::make_shared<MemoryBudget>(int64_t{64} << 20);
  auto session = Session::Create(model, options).value();
  ASSERT_TRUE(session->Execute(GetParam().inputs(300)).ok());
  const auto rows = RandomRows(700, 300);
  int64_t used = 0, blocks = 0, packed = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    ASSERT_TRUE(session->Execute(GetParam().inputs(rows[i])).ok());
    if (i != rows.size() / 2) continue;
    used = options.budget->used();
    blocks = CurrentMemoryUse().blocks;
    packed = model->state().packed.bytes();
  }
  EXPECT_LE(options.budget->used(), used + used / 4);
  EXPECT_LE(CurrentMemoryUse().blocks, blocks + 8);  // outputs of the last run, an arena's parts
  EXPECT_EQ(model->state().packed.bytes(), packed);
  const int places = session->plan().is_static ? 1 : 4;
  EXPECT_LE(session->plan().plans, static_cast<int>(kMaxPlansPerPlace) * places);
  EXPECT_GE(session->plan().plans, static_cast<int>(kMaxPlansPerPlace));
  session.reset();
  EXPECT_EQ(options.budget->used(), 0);
}

// A shape that comes back is not planned again.
TEST_P(Shapes, PlansAreKeptForOtherShapes) {
  auto session = Session::Create(MakeModel()).value();
  for (int64_t rows = 1; rows <= 20; ++rows) {
    ASSERT_TRUE(session->Execute(GetParam().inputs(rows)).ok());
  }
  const int plans = session->plan().plans;
  for (int64_t rows = 1; rows <= 20; ++rows) {
    ASSERT_TRUE(session->Execute(GetParam().inputs(rows)).ok());
  }
  EXPECT_EQ(session->plan().plans, plans);
}

TEST_P(Shapes, SessionsLeaveNothing) {
  const auto model = MakeModel();
  const auto inputs = GetParam().inputs(3);
  ASSERT_TRUE(Session::Create(model).value()->Execute(inputs).ok());
  const int64_t blocks = CurrentMemoryUse().blocks;
  for (int i = 0; i < 10'000; ++i) {
    auto session = Session::Create(model);
    ASSERT_TRUE(session.ok());
    if (i % 50 != 0) continue;
    ASSERT_TRUE((*session)->Execute(inputs).ok());
  }
  EXPECT_EQ(CurrentMemoryUse().blocks, blocks);
}

INSTANTIATE_TEST_SUITE_P(Changing, Shapes,
                         testing::Values(ChangingShapes{"Rows", kRows, RowsInputs},
                                         ChangingShapes{"Chosen", kChosen, ChosenInputs}),
                         [](const auto& info) { return info.param.name; });

// Outputs in the caller's memory and in the session's own, while the plan in force changes.
TEST(ChangingShapes, BoundOutputs) {
  const ir::Graph graph = WithWeights(kRows);
  auto session = Session::Create(Model::FromGraph(graph).value()).value();
  std::vector<float> room(200 * kWidth);
  for (size_t i = 0; i < 60; ++i) {
    const int64_t rows = RandomRows(60, 6)[i] * (i % 7 == 0 ? 30 : 1);
    const auto inputs = RowsInputs(rows);
    const auto naive = RunReference(graph, inputs).value();
    const OutputMemory memory = {room.data(), rows * kWidth * 4};
    const bool is_bound = i % 3 == 0;
    const std::vector<Tensor> in = {inputs[0].tensor};
    ASSERT_TRUE(is_bound ? session->Execute(in, {&memory, 1}).ok() : session->Execute(inputs).ok());
    EXPECT_EQ(session->output(0).raw() == reinterpret_cast<uint8_t*>(room.data()), is_bound);
    ASSERT_EQ(TensorDifference(session->output(0), naive[0].tensor, kShapesTolerance), "") << i;
  }
}

// Constants that each length makes for itself count.
TEST(ChangingShapes, PlansOfManyBytesAreFewer) {
  ir::Graph graph = ir::Parse(R"(graph large
input x f32 [n,8]
const wide i64 [1] = 65536
const axis i64 [1] = 1
node Shape s (x) -> (size) end=i1
node Concat c (size, wide) -> (all) axis=i0
node ConstantOfShape f (all) -> (numbers) value=t{f32 [1] = 0.5}
node ReduceMax r (x, axis) -> (column)
node Add a (column, numbers) -> (y)
output y
)")
                        .value();
  auto session = Session::Create(Model::FromGraph(std::move(graph)).value()).value();
  for (int64_t rows = 1; rows <= 24; ++rows) {
    ASSERT_TRUE(session->Execute(std::vector<NamedTensor>{{"x", ShapesRamp({rows, 8})}}).ok());
  }
  EXPECT_LT(session->plan().plans, 24);
  EXPECT_GE(session->plan().plans, 1);
}

// Rows without end: the limit's error names it, and the session goes on.
TEST(ChangingShapes, GrowWithoutEnd) {
  const ir::Graph graph = WithWeights(kRows);
  SessionOptions options;
  options.budget = std::make_shared<MemoryBudget>(1 << 20);
  auto session = Session::Create(Model::FromGraph(graph).value(), options).value();
  Status status;
  int64_t rows = 1;
  for (; status.ok() && rows < 1'000'000; rows *= 2) status = session->Execute(RowsInputs(rows));
  EXPECT_EQ(status.code(), Code::kOutOfMemory) << status.ToString();
  for (const int64_t few : {3, 100, 3}) {
    const auto outputs = session->Run(RowsInputs(few));
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    const auto naive = RunReference(graph, RowsInputs(few)).value();
    EXPECT_EQ(TensorDifference((*outputs)[0].tensor, naive[0].tensor, kShapesTolerance), "");
  }
}

TEST(Arena, GrowsAndGivesBack) {
  auto budget = std::make_shared<MemoryBudget>(100 << 20);
  Arena arena(budget);
  ASSERT_TRUE(arena.Hold(1000).ok());
  EXPECT_EQ(arena.size(), 1000);
  ASSERT_TRUE(arena.Hold(1100).ok());
  EXPECT_EQ(arena.size(), 1250);  // a quarter more
  ASSERT_TRUE(arena.Hold(64 << 20).ok());
  EXPECT_EQ(arena.size(), 64 << 20);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(arena.Hold(1000).ok());
  EXPECT_EQ(arena.size(), 64 << 20);  // a few small runs between large ones
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(arena.Hold(1000).ok());
  EXPECT_LT(arena.size(), 2 << 20);
  EXPECT_EQ(arena.Hold(int64_t{1} << 30).code(), Code::kOutOfMemory);
  EXPECT_EQ(arena.size(), 0);
  EXPECT_EQ(budget->used(), 0);
  ASSERT_TRUE(arena.Hold(1000).ok());
  // Where there is no room for a quarter more, what is asked has to do.
  ASSERT_TRUE(arena.Hold(90 << 20).ok());
  ASSERT_TRUE(arena.Hold(95 << 20).ok());
  EXPECT_EQ(arena.size(), 95 << 20);
}

// Products of constants are made by kernels, and are what the references say.
TEST(KernelFolder, FoldsAsTheReference) {
  const auto device = backends::CpuDevice::Create().value();
  const KernelFolder folder(*device);
  const auto check = [&](std::string_view op, std::vector<Tensor> inputs) {
    ir::Node node;
    node.op = op;
    std::vector<const Tensor*> pointers;
    for (size_t i = 0; i < inputs.size(); ++i) {
      node.inputs.push_back(static_cast<ir::ValueId>(i));
      pointers.push_back(&inputs[i]);
    }
    node.outputs = {static_cast<ir::ValueId>(inputs.size())};
    const ops::Op& found = *ops::FindOp(op);
    const auto naive = ops::RunReference(found, node, pointers).value();
    const auto folded = folder.Run(found, node, pointers);
    ASSERT_TRUE(folded.ok()) << folded.status().ToString();
    EXPECT_EQ(TensorDifference((*folded)[0], naive[0], 1e-6), "") << op;
    EXPECT_TRUE((*folded)[0].is_owned());
  };
  check("MatMul", {ShapesRamp({60, 90}), ShapesRamp({90, 50})});
  check("Conv", {ShapesRamp({1, 16, 20, 20}), ShapesRamp({8, 16, 3, 3})});
  check("Add", {ShapesRamp({3, 2}), ShapesRamp({3, 2})});
  const std::vector<int64_t> shape = {50, -1};
  check("Reshape", {ShapesRamp({100, 100}), Tensor::Of<int64_t>(Shape({2}), shape).value()});
  check("Add", {ShapesRamp({100, 100}), ShapesRamp({1})});
}

TEST(KernelFolder, ErrorsAreTheReferences) {
  const auto device = backends::CpuDevice::Create().value();
  const KernelFolder folder(*device);
  ir::Node node;
  node.op = "MatMul";
  node.name = "odd";
  node.inputs = {0, 1};
  node.outputs = {2};
  const Tensor a = ShapesRamp({60, 90}), b = ShapesRamp({80, 50});
  const std::vector<const Tensor*> inputs = {&a, &b};
  const auto folded = folder.Run(*ops::FindOp("MatMul"), node, inputs);
  EXPECT_EQ(folded.code(), Code::kShapeMismatch);
  EXPECT_NE(folded.status().message().find("odd"), std::string::npos);
}

}  // namespace
}  // namespace ferry::engine
