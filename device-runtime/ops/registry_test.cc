#include <set>

#include <gtest/gtest.h>
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/window.h"

namespace ferry::ops {
namespace {

TEST(Registry, SortedAndComplete) {
  std::set<std::string_view> names;
  for (const Op* op : AllOps()) {
    EXPECT_TRUE(names.insert(op->name).second) << op->name;
    EXPECT_EQ(FindOp(op->name), op);
    const bool planned = op->infer != nullptr && op->reference != nullptr;
    EXPECT_TRUE(planned || op->expand != nullptr || op->evaluate != nullptr) << op->name;
    EXPECT_LE(op->min_inputs, op->max_inputs);
  }
  EXPECT_GT(names.size(), 80u);
  EXPECT_EQ(FindOp("conv"), nullptr);
}

TEST(Registry, CheckNode) {
  EXPECT_EQ(CheckNode({"Nope", "n", {0}, {1}, {}}).code(), Code::kUnsupportedOperator);
  EXPECT_EQ(CheckNode({"Relu", "n", {}, {1}, {}}).code(), Code::kBadModel);
  EXPECT_EQ(CheckNode({"Relu", "n", {ir::kNoValue}, {1}, {}}).code(), Code::kBadModel);
  EXPECT_EQ(CheckNode({"Relu", "n", {0}, {1, 2}, {}}).code(), Code::kBadModel);
  EXPECT_TRUE(CheckNode({"Relu", "n", {0}, {1}, {}}).ok());
}

Result<std::vector<Tensor>> RunOn(const Node& node, const Shape& shape) {
  Tensor x = Tensor::Zeros(DType::kF32, shape).value();
  const Tensor* inputs[] = {&x};
  return RunReference(*FindOp(node.op), node, inputs);
}

// Attributes come from outside: huge and odd ones are errors that name the node.
TEST(Attributes, Limits) {
  Node pool{"MaxPool", "p", {0}, {1}, {{"kernel_shape", std::vector<int64_t>{kMaxWindow, 1}}}};
  EXPECT_TRUE(RunOn(pool, {1, 1, kMaxWindow, 4}).ok());
  EXPECT_EQ(RunOn(pool, {1, 1, 4, 4}).code(), Code::kShapeMismatch);
  pool.attributes["kernel_shape"] = std::vector<int64_t>{kMaxWindow + 1, 1};
  EXPECT_EQ(RunOn(pool, {1, 1, kMaxWindow + 1, 4}).code(), Code::kLimitExceeded);
  pool.attributes["kernel_shape"] = std::vector<int64_t>{2, 2};
  EXPECT_TRUE(RunOn(pool, {1, 1, 4, 4}).ok());
  pool.attributes["strides"] = std::vector<int64_t>{0, 1};
  auto result = RunOn(pool, {1, 1, 4, 4});
  EXPECT_EQ(result.code(), Code::kBadModel);
  EXPECT_EQ(result.status().message(),
            "node 'p' (MaxPool): attribute 'strides' holds 0, outside 1 to 2147483648");
  pool.attributes["strides"] = int64_t{1};
  EXPECT_EQ(RunOn(pool, {1, 1, 4, 4}).code(), Code::kBadModel);
}

}  // namespace
}  // namespace ferry::ops
