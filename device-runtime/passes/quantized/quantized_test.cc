// The passes over quantized graphs: what becomes integer sums, and what must stay.
#include <gtest/gtest.h>

#include "device-runtime/ir/text.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

Graph Parsed(std::string_view text) {
  Graph graph = ir::Parse(text).value();
  EXPECT_TRUE(ir::Verify(graph).ok()) << ir::Verify(graph).ToString();
  return graph;
}

std::string Ops(const Graph& graph) {
  EXPECT_TRUE(ir::Verify(graph).ok()) << ir::Verify(graph).ToString();
  std::string ops;
  for (const ir::Node& node : graph.nodes) ops += (ops.empty() ? "" : " ") + node.op;
  return ops;
}

std::string Specialized(std::string_view text, const ir::Shape& shape) {
  return Ops(Specialize(Parsed(text), std::vector<ir::Shape>{shape}).value());
}

// A quantized 1x1 convolution of u8 [1,2,2,2] up to `sum`, its scales and zero points.
constexpr const char* kConv =
    "graph g\ninput x u8 [1,2,2,2]\nconst xs f32 [] = 0.5\nconst xz u8 [] = 3\n"
    "const w i8 [2,2,1,1] = 1 2 3 4\nconst ws f32 [2] = 0.25 0.5\nconst wz i8 [2] = 0 0\n"
    "const b f32 [2] = 0.125 0.25\nconst ys f32 [] = 0.1\nconst yz u8 [] = 7\n"
    "node DequantizeLinear dx (x, xs, xz) -> (xf)\n"
    "node DequantizeLinear dw (w, ws, wz) -> (wf) axis=i0\n"
    "node Conv c (xf, wf, b) -> (sum)\n";

std::string AfterConv(std::string_view rest) {
  return fmt::format("{}{}", kConv, rest);
}

TEST(FuseSums, ConvolutionWithItsClip) {
  const std::string text = AfterConv(
      "node Relu r (sum) -> (t)\n"
      "node QuantizeLinear q (t, ys, yz) -> (y)\noutput y\n");
  const std::vector<ir::Shape> shapes = {{1, 2, 2, 2}};
  const Graph graph = Specialize(Parsed(text), shapes).value();
  ASSERT_EQ(Ops(graph), "QConv");
  const ir::Node& node = graph.nodes[0];
  EXPECT_EQ(*node.Find<int64_t>("x_zero"), 3);
  EXPECT_EQ(*node.Find<int64_t>("y_zero"), 7);
  EXPECT_EQ(*node.Find<float>("low"), 0);  // the clip, in steps from the zero point
  EXPECT_EQ(*node.Find<float>("high"), 248);
  EXPECT_FLOAT_EQ(graph.values[node.inputs[2]].constant->Number(0), 1.25f);  // 0.5 * 0.25 / 0.1
  // 0.125 / (0.5 * 0.25) and 0.25 / (0.5 * 0.5): whole, so part of the sum.
  EXPECT_EQ(graph.values[node.inputs[3]].constant->Integer(0), 1);
  EXPECT_EQ(graph.values[node.inputs[3]].constant->Integer(1), 1);
}

TEST(FuseSums, WithoutQuantizationTheResultIsFloat) {
  const std::string text = AfterConv("node Tanh t (sum) -> (y)\noutput y\n");
  EXPECT_EQ(Specialized(text, {1, 2, 2, 2}), "QConv Tanh");
}

TEST(FuseSums, OtherActivationsComeOut) {
  const std::string text = AfterConv(
      "node HardSwish h (sum) -> (t)\n"
      "node QuantizeLinear q (t, ys, yz) -> (y)\noutput y\n");
  Graph graph = Parsed(text);
  ASSERT_EQ(FuseActivation(graph).value(), 1);
  const std::vector<ir::Shape> shapes = {{1, 2, 2, 2}};
  EXPECT_EQ(Ops(Specialize(graph, shapes).value()), "QConv HardSwish QuantizeLinear");
}

TEST(FuseSums, AddendQuantizedOnTheWay) {
  const std::string text = AfterConv(
      "node QuantizeLinear q (sum, ys, yz) -> (p)\n"
      "node DequantizeLinear d (p, ys, yz) -> (pf)\n"
      "node Add a (pf, xf) -> (t)\n"
      "node QuantizeLinear e (t, ys, yz) -> (y)\noutput y\n");
  const std::vector<ir::Shape> shapes = {{1, 2, 2, 2}};
  const Graph graph = Specialize(Parsed(text), shapes).value();
  ASSERT_EQ(Ops(graph), "QConv");
  EXPECT_TRUE(graph.nodes[0].attributes.contains("first_factor"));
  EXPECT_TRUE(graph.nodes[0].HasInput(5));
}

TEST(FuseSums, AValueReadTwiceStays) {
  const std::string text =
      AfterConv("node QuantizeLinear q (sum, ys, yz) -> (y)\noutput y\noutput sum\n");
  EXPECT_EQ(Specialized(text, {1, 2, 2, 2}), "QConv QuantizeLinear");
}

TEST(FuseSums, WeightsThatDoNotFitStayFloat) {
  const std::string text =
      "graph g\ninput x u8 [1,2]\nconst s f32 [] = 0.5\nconst z u8 [] = 3\n"
      "const w u8 [2,2] = 0 255 3 4\n"  // less their zero point of 3: 252
      "node DequantizeLinear dx (x, s, z) -> (xf)\nnode DequantizeLinear dw (w, s, z) -> (wf)\n"
      "node MatMul m (xf, wf) -> (t)\nnode QuantizeLinear q (t, s, z) -> (y)\noutput y\n";
  EXPECT_EQ(Specialized(text, {1, 2}), "DequantizeLinear StoredMatMul QuantizeLinear");
}

TEST(MoveQuantization, MeetsThroughMovers) {
  const std::string text =
      "graph g\ninput x u8 [1,4]\nconst s f32 [] = 0.5\nconst z u8 [] = 3\nconst r f32 [] = 0.25\n"
      "const to i64 [2] = 2 2\n"
      "node DequantizeLinear d (x, s, z) -> (a)\nnode Reshape n (a, to) -> (b)\n"
      "node Transpose t (b) -> (c)\nnode QuantizeLinear q (c, s, z) -> (y)\n"
      "node QuantizeLinear p (c, r, z) -> (u)\nnode Concat k (y, u) -> (o) axis=i0\noutput o\n";
  EXPECT_EQ(Specialized(text, {1, 4}), "Reshape Transpose ByteTable Concat");
}

TEST(MoveQuantization, ConcatOfDifferentScales) {
  const std::string text =
      "graph g\ninput x u8 [1,4]\nconst s f32 [] = 0.5\nconst z u8 [] = 3\nconst r f32 [] = 0.25\n"
      "node DequantizeLinear d (x, s, z) -> (a)\nnode DequantizeLinear e (x, r, z) -> (b)\n"
      "node Concat k (a, b) -> (c) axis=i1\nnode QuantizeLinear q (c, s, z) -> (y)\noutput y\n";
  EXPECT_EQ(Specialized(text, {1, 4}), "ByteTable Concat");
}

TEST(FuseBinary, SqueezeAndExcitation) {
  const std::string text =
      "graph g\ninput x u8 [1,2,2,2]\ninput g u8 [1,2,1,1]\nconst s f32 [] = 0.5\n"
      "const z u8 [] = 3\nnode DequantizeLinear d (x, s, z) -> (a)\n"
      "node DequantizeLinear e (g, s, z) -> (b)\nnode Mul m (b, a) -> (c)\n"
      "node Relu r (c) -> (t)\nnode QuantizeLinear q (t, s, z) -> (y)\noutput y\n";
  const std::vector<ir::Shape> shapes = {{1, 2, 2, 2}, {1, 2, 1, 1}};
  const Graph graph = Specialize(Parsed(text), shapes).value();
  ASSERT_EQ(Ops(graph), "QBinary");
  EXPECT_EQ(graph.nodes[0].inputs[0], graph.inputs[0]);  // the larger first
  EXPECT_EQ(*graph.nodes[0].Find<float>("a_factor"), 0.5f);
  EXPECT_EQ(*graph.nodes[0].Find<float>("low"), 0);
}

TEST(FuseByteTables, AFunctionOfOneTensor) {
  const std::string text =
      "graph g\ninput x u8 [1,4]\nconst s f32 [] = 0.5\nconst z u8 [] = 128\n"
      "const two f32 [] = 2\n"
      "node DequantizeLinear d (x, s, z) -> (a)\nnode Mul m (a, two) -> (b)\n"
      "node Abs n (b) -> (c)\nnode QuantizeLinear q (c, s, z) -> (y)\noutput y\n";
  const std::vector<ir::Shape> shapes = {{1, 4}};
  const Graph graph = Specialize(Parsed(text), shapes).value();
  ASSERT_EQ(Ops(graph), "ByteTable");
  const tensor::Tensor& table = *graph.values[graph.nodes[0].inputs[1]].constant;
  EXPECT_EQ(table.Integer(128), 128);
  EXPECT_EQ(table.Integer(118), 148);  // |-5 * 2| = 10
  EXPECT_EQ(table.Integer(255), 255);
}

TEST(ExpandQuantized, OperatorsBecomeSums) {
  const std::string text =
      "graph g\ninput x u8 [1,2]\nconst s f32 [] = 0.5\nconst z u8 [] = 3\n"
      "const w i8 [2,2] = 1 2 3 4\nconst wz i8 [] = 0\n"
      "node QLinearMatMul m (x, s, z, w, s, wz, s, z) -> (y)\n"
      "node MatMulInteger k (y, w, z) -> (u)\noutput u\n";
  Graph graph = Parsed(text);
  ASSERT_TRUE(RunPasses(graph, CompilePasses()).ok());
  const std::vector<ir::Shape> shapes = {{1, 2}};
  EXPECT_EQ(Ops(Specialize(graph, shapes).value()), "QMatMul QMatMul");
}

TEST(FuseDynamicSums, ScaleOfTheRun) {
  const std::string text =
      "graph g\ninput x f32 [1,2]\nconst w i8 [2,2] = 1 2 3 4\nconst ws f32 [2] = 1 2\n"
      "node DynamicQuantizeLinear n (x) -> (q, s, z)\n"
      "node DequantizeLinear dx (q, s, z) -> (xf)\n"
      "node DequantizeLinear dw (w, ws) -> (wf) axis=i1\n"
      "node MatMul m (xf, wf) -> (y)\noutput y\n";
  const std::string ops = Specialized(text, {1, 2});
  EXPECT_NE(ops.find("QMatMul Mul Cast Mul"), std::string::npos) << ops;
}

TEST(TakeStored, ProductsKeepWeightsOfFewBits) {
  const std::string text =
      "graph g\ninput x f32 [3,4]\nconst w i8 [4,2] = 1 2 3 4 5 6 7 8\nconst ws f32 [2] = 1 2\n"
      "const wz i8 [2] = 1 0\nconst b f32 [2] = 1 2\n"
      "const v u4 [2,2] = 1 2 3 15\nconst vs f32 [2,1] = 1 2\n"
      "node DequantizeLinear dw (w, ws, wz) -> (wf) axis=i1\nnode MatMul m (x, wf) -> (a)\n"
      "node Add n (a, b) -> (c)\nnode Relu r (c) -> (h)\n"
      "node DequantizeLinear dv (v, vs) -> (vf) axis=i1 block_size=i2\n"
      "node Gemm g (h, vf) -> (d) transB=i1\nnode Add e (d, h) -> (y)\noutput y\n";
  const std::vector<ir::Shape> shapes = {{3, 4}};
  const Graph graph = Specialize(Parsed(text), shapes).value();
  ASSERT_EQ(Ops(graph), "StoredMatMul StoredMatMul");
  EXPECT_EQ(*graph.nodes[0].Find<std::string>("activation"), "Clip");
  EXPECT_TRUE(graph.nodes[0].HasInput(2));  // the bias
  EXPECT_TRUE(graph.nodes[1].HasInput(3));  // the addend
  const tensor::Tensor& zero = *graph.values[graph.nodes[0].inputs[5]].constant;
  EXPECT_EQ(zero.Number(0), 1);
  const tensor::Tensor& scale = *graph.values[graph.nodes[1].inputs[4]].constant;
  EXPECT_EQ(scale.shape().ToString(), "[1,2]");
  EXPECT_EQ(scale.Number(1), 2);
}

// Factors along rows without blocks, and three axes, are widened as before.
TEST(TakeStored, OthersAreWidened) {
  const std::string text =
      "graph g\ninput x f32 [1,2]\nconst w i8 [2,2] = 1 2 3 4\nconst ws f32 [2] = 1 2\n"
      "node DequantizeLinear dw (w, ws) -> (wf) axis=i0\nnode MatMul m (x, wf) -> (y)\noutput y\n";
  EXPECT_EQ(Specialized(text, {1, 2}), "MatMul");
}

TEST(FoldDequantized, StoredWeightsAreMadeOnceForAPlan) {
  const std::string text =
      "graph g\ninput x f32 [1,2]\nconst w i8 [2,2] = 1 2 3 4\nconst ws f32 [2] = 1 2\n"
      "node DequantizeLinear dw (w, ws) -> (wf) axis=i0\nnode MatMul m (x, wf) -> (y)\noutput y\n";
  Graph graph = Parsed(text);
  EXPECT_EQ(FoldConstants(graph).value(), 0);
  EXPECT_EQ(Specialized(text, {1, 2}), "MatMul");
}

}  // namespace
}  // namespace ferry::passes
