#include "device-runtime/passes/maps/fuse_maps.h"

#include <gtest/gtest.h>
#include "device-runtime/ir/text.h"
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/lower.h"

namespace ferry::passes {
namespace {

// The fused program of a graph whose inputs have fixed shapes.
ir::Program Fused(std::string_view text) {
  const ir::Graph graph = ir::Parse(text).value();
  std::vector<ir::Shape> shapes;
  for (ir::ValueId id : graph.inputs) shapes.push_back(*graph.values[id].FixedShape());
  ir::Program program = Lower(Specialize(graph, shapes).value()).value();
  FuseMaps(program);
  const Status verified = ir::Verify(program);
  EXPECT_TRUE(verified.ok()) << verified.ToString() << "\n" << ir::Print(program);
  return program;
}

TEST(FuseMaps, AChainIsOneStep) {
  const ir::Program program = Fused(R"(graph g
input x f32 [4,8]
input y f32 [4,8]
node Exp a (x) -> (e)
node Mul b (e, y) -> (m)
node Tanh c (m) -> (t)
node Add d (t, x) -> (z)
output z
)");
  EXPECT_EQ(program.steps.size(), 1u) << ir::Print(program);
  const auto& map = std::get<ir::MapPrim>(program.steps[0].primitive);
  EXPECT_EQ(map.strides.size(), 2u);  // x once, though two nodes read it
  EXPECT_EQ(ir::Text(map), "Exp(x0) Mul(v2, x1) Tanh(v3) Add(v4, x0)");
}

// Factors for each channel cut the elements into other axes than what follows.
TEST(FuseMaps, OtherAxesOverTheSameElements) {
  const ir::Program program = Fused(R"(graph g
input x f32 [3,4,4]
input s f32 [4]
const t i64 [2] = 3 16
node Mul a (x, s) -> (m)
node Reshape b (m, t) -> (r)
node Tanh c (r) -> (z)
output z
)");
  ASSERT_EQ(program.steps.size(), 1u) << ir::Print(program);
  const auto& map = std::get<ir::MapPrim>(program.steps[0].primitive);
  EXPECT_EQ(ir::Text(map), "Mul(x0, x1) Tanh(v2)");
  EXPECT_EQ(map.elements(), 48);
}

TEST(FuseMaps, AxesThatDoNotDivide) {
  EXPECT_EQ(Fused(R"(graph g
input x f32 [2,3]
input y f32 [3]
input z f32 [2]
const t i64 [2] = 3 2
node Mul a (x, y) -> (m)
node Reshape b (m, t) -> (r)
node Mul c (r, z) -> (w)
output w
)")
                .steps.size(),
            2u);
}

TEST(FuseMaps, WhatOthersReadStays) {
  EXPECT_EQ(Fused(R"(graph g
input x f32 [4]
node Exp a (x) -> (e)
node Tanh b (e) -> (t)
node Sin c (e) -> (s)
output t
output s
)")
                .steps.size(),
            3u);
  EXPECT_EQ(Fused(R"(graph g
input x f32 [4]
node Exp a (x) -> (e)
node Tanh b (e) -> (t)
output e
output t
)")
                .steps.size(),
            2u);
}

TEST(FuseMaps, RoundingOfNarrowTypesStays) {
  EXPECT_EQ(Fused(R"(graph g
input x f16 [4]
node Exp a (x) -> (e)
node Tanh b (e) -> (t)
output t
)")
                .steps.size(),
            2u);
}

TEST(FuseMaps, ARepeatedOperandStays) {
  EXPECT_EQ(Fused(R"(graph g
input x f32 [8]
input y f32 [4,8]
node Exp a (x) -> (e)
node Mul b (e, y) -> (m)
output m
)")
                .steps.size(),
            2u);
}

TEST(FuseMaps, AReshapeBetweenDoesNotHinder) {
  EXPECT_EQ(Fused(R"(graph g
input x f32 [2,2,8]
const s i64 [3] = 2 2 8
node Exp a (x) -> (e)
node Reshape r (e, s) -> (m)
node Tanh b (m) -> (t)
output t
)")
                .steps.size(),
            1u);
}

TEST(FuseMaps, InputsAndRegistersAreBounded) {
  std::string text = "graph g\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("input x{} f32 [16]\n", i);
  text += "node Exp n0 (x0) -> (v0)\n";
  for (int i = 1; i < 20; ++i)
    text += fmt::format("node Sub n{0} (v{1}, x{0}) -> (v{0})\n", i, i - 1);
  text += "output v19\n";
  const ir::Program program = Fused(text);
  EXPECT_GT(program.steps.size(), 1u);
  EXPECT_LT(program.steps.size(), 5u);
  for (const ir::Step& step : program.steps) EXPECT_LE(step.inputs.size(), kMaxMapInputs);
}

// However long a chain is, a register is free again once its value has been read.
TEST(AssignRegisters, LongChainsNeedFew) {
  ir::MapPrim map;
  map.strides.resize(1);
  for (int i = 0; i < 100; ++i)
    map.code.push_back({ir::MapFunction::kExp, ir::MapType::kF32, {i, -1, -1}});
  map.results = {100};
  for (int r : ir::AssignRegisters(map)) EXPECT_LE(r, 1);
}

}  // namespace
}  // namespace ferry::passes
