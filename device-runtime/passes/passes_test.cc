// Each pass on a small graph: what it changes, and what it must leave alone.
#include "device-runtime/passes/graph_pass.h"

#include <gtest/gtest.h>
#include "device-runtime/ir/text.h"

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

constexpr const char* kConv =
    "graph g\ninput x f32 [1,1,2,2]\ninput z f32 [1,1,2,2]\nconst w f32 [1,1,1,1] = 2\n"
    "const f f32 [1] = 3\nconst v f32 [1] = 0.99999\nnode Conv c (x, w) -> (h)\n";

TEST(FoldConstants, RunsWhatIsKnown) {
  Graph graph = Parsed(
      "graph g\ninput x f32 [1]\nconst a f32 [1] = 2\nconst b f32 [1] = 3\nnode Add n (a, b) -> "
      "(c)\n"
      "node Mul m (c, c) -> (d)\nnode Add k (x, d) -> (y)\noutput y\n");
  EXPECT_EQ(FoldConstants(graph).value(), 2);
  EXPECT_EQ(Ops(graph), "Add");
  EXPECT_EQ(graph.values[graph.nodes[0].inputs[1]].constant->Number(0), 25);
}

TEST(FoldConstants, ErrorsNameTheNode) {
  Graph graph = Parsed(
      "graph g\nconst a i64 [1] = 2\nconst b i64 [1] = 0\nnode Div halves (a, b) -> (c)\noutput "
      "c\n");
  EXPECT_NE(FoldConstants(graph).status().message().find("halves"), std::string::npos);
}

TEST(FoldConstants, DoesNotBlowUp) {
  Graph graph = Parsed(
      "graph g\nconst s i64 [2] = 65536 65536\nnode ConstantOfShape big (s) -> (y)\noutput y\n");
  EXPECT_EQ(FoldConstants(graph).value(), 0);
}

TEST(FoldConstants, DoesNotBlowUpByManySmallNodesEither) {
  std::string text = "graph g\nconst s i64 [1] = 4194304\n";  // 16 MiB each
  for (int i = 0; i < 9; ++i) {
    text += fmt::format("node ConstantOfShape n{0} (s) -> (y{0})\noutput y{0}\n", i);
  }
  Graph graph = Parsed(text);
  EXPECT_EQ(FoldConstants(graph).value(), 4);
  const Graph fixed = Specialize(Parsed(text), {}).value();
  EXPECT_EQ(fixed.nodes.size(), 5u);
}

TEST(RemoveIdentities, KeepsOutputNames) {
  Graph graph = Parsed(
      "graph g\ninput x f32 [1]\nnode Identity a (x) -> (b)\nnode Dropout c (b) -> (d)\n"
      "node Relu e (d) -> (f)\nnode Identity h (f) -> (y)\noutput y\n");
  EXPECT_EQ(RemoveIdentities(graph).value(), 2);
  EXPECT_EQ(Ops(graph), "Relu Identity");
  EXPECT_EQ(graph.values[graph.outputs[0]].name, "y");
}

TEST(FuseGates, SiluAndHardSwish) {
  Graph graph = Parsed(
      "graph g\ninput x f32 [1]\nnode Sigmoid a (x) -> (b)\nnode Mul c (b, x) -> (d)\n"
      "node HardSigmoid e (d) -> (f) alpha=f0.16666667\nnode Mul h (d, f) -> (y)\n"
      "node HardSigmoid i (x) -> (j) alpha=f0.2\nnode Mul k (x, j) -> (z)\noutput y\noutput z\n");
  EXPECT_EQ(FuseGates(graph).value(), 2);
  EXPECT_EQ(RemoveDead(graph).value(), 2);
  EXPECT_EQ(Ops(graph), "Silu HardSwish HardSigmoid Mul");
}

TEST(FuseBatchNormalization, GoesIntoTheWeights) {
  Graph graph =
      Parsed(std::string(kConv) + "node BatchNormalization n (h, f, f, f, v) -> (y)\noutput y\n");
  EXPECT_EQ(FuseBatchNormalization(graph).value(), 1);
  EXPECT_EQ(Ops(graph), "Conv");
  // s = 3 / sqrt(0.99999 + 1e-5) = 3: w' = 6, b' = (0 - 3) * 3 + 3 = -6
  EXPECT_NEAR(graph.values[graph.nodes[0].inputs[1]].constant->Number(0), 6, 1e-6);
  EXPECT_NEAR(graph.values[graph.nodes[0].inputs[2]].constant->Number(0), -6, 1e-6);
}

TEST(FuseBatchNormalization, LeavesSharedConvolutions) {
  Graph graph = Parsed(std::string(kConv) +
                       "node BatchNormalization n (h, f, f, f, v) -> (y)\noutput y\noutput h\n");
  EXPECT_EQ(FuseBatchNormalization(graph).value(), 0);
}

TEST(FuseActivation, OneOnly) {
  Graph graph =
      Parsed(std::string(kConv) + "node Relu a (h) -> (r)\nnode Tanh b (r) -> (y)\noutput y\n");
  EXPECT_EQ(FuseActivation(graph).value(), 1);
  EXPECT_EQ(Ops(graph), "Conv Tanh");
  EXPECT_EQ(*graph.nodes[0].Find<std::string>("activation"), "Clip");
  EXPECT_EQ(FuseActivation(graph).value(), 0);
}

TEST(FuseActivation, NotAcrossAGraphOutput) {
  Graph graph = Parsed(std::string(kConv) + "node Relu a (h) -> (y)\noutput y\noutput h\n");
  EXPECT_EQ(FuseActivation(graph).value(), 0);
}

TEST(FuseResidual, MovesTheConvolutionBehindItsAddend) {
  Graph graph =
      Parsed(std::string(kConv) + "node Relu r (z) -> (q)\nnode Add a (h, q) -> (y)\noutput y\n");
  const ir::Shape shapes[] = {{1, 1, 2, 2}, {1, 1, 2, 2}};
  auto fixed = Specialize(graph, shapes);
  ASSERT_TRUE(fixed.ok()) << fixed.status().ToString();
  EXPECT_EQ(Ops(*fixed), "Relu Conv");
  EXPECT_EQ(fixed->nodes[1].inputs.size(), 4u);
}

TEST(FuseResidual, NotWhenTheSumBroadcasts) {
  Graph graph = Parsed(std::string(kConv) + "node Add a (h, f) -> (y)\noutput y\n");
  const ir::Shape shapes[] = {{1, 1, 2, 2}, {1, 1, 2, 2}};
  auto fixed = Specialize(graph, shapes);
  ASSERT_TRUE(fixed.ok());
  EXPECT_EQ(Ops(*fixed), "Conv Add");
}

TEST(RemoveDead, KeepsInputs) {
  Graph graph = Parsed(
      "graph g\ninput x f32 [1]\ninput u f32 [1]\nnode Relu a (x) -> (y)\n"
      "node Relu b (u) -> (v)\noutput y\n");
  EXPECT_EQ(RemoveDead(graph).value(), 1);
  EXPECT_EQ(graph.inputs.size(), 2u);
  EXPECT_EQ(graph.values.size(), 3u);
}

TEST(Specialize, SymbolsHaveOneValue) {
  Graph graph =
      Parsed("graph g\ninput x f32 [n]\ninput z f32 [n]\nnode Add a (x, z) -> (y)\noutput y\n");
  const ir::Shape good[] = {{3}, {3}};
  EXPECT_EQ(Specialize(graph, good)->values[2].FixedShape(), (ir::Shape{3}));
  const ir::Shape bad[] = {{3}, {1}};
  auto result = Specialize(graph, bad);
  EXPECT_EQ(result.code(), Code::kShapeMismatch);
  EXPECT_NE(result.status().message().find("input 'z'"), std::string::npos);
}

constexpr const char* kBodies = R"x(graph g
input x f32 [1]
const w f32 [1] = 2
const w2 f32 [1] = 3
node Relu r (x) -> (h)
node Add dead (x, w) -> (unread)
node Mul m (w, w2) -> (p)
node Neg outer (x, h, p, x, h, w) -> (y) captured 5 a=g b=g
{
graph a captured 3
input i f32
input h f32
input p ?
input unused ?
node Identity id (h) -> (same)
node Add add (same, p) -> (s)
node Neg dead (h) -> (n)
node Relu inner (i, s, p) -> (o) captured 2 c=g
{
graph c captured 2
input s ?
input p ?
node Mul m (s, p) -> (q)
output q
}
output o
}
{
graph b captured 2
input h ?
input w ?
output w
}
output y
)x";

TEST(SimplifyBodies, ConstantsMoveInAndWhatNobodyReadsGoes) {
  Graph graph = Parsed(kBodies);
  ASSERT_TRUE(RunPasses(graph, CompilePasses()).ok());
  ASSERT_TRUE(ir::Verify(graph).ok()) << ir::Verify(graph).ToString();
  EXPECT_EQ(ir::Print(graph), R"x(graph g
input x f32 [1]
node Relu r (x) -> (h)
node Neg outer (x, h) -> (y) captured 1 a=g b=g
{
graph a captured 1
input i f32
input h f32
const p f32 [1] = 6
node Add add (h, p) -> (s)
node Relu inner (i, s) -> (o) captured 1 c=g
{
graph c captured 1
input s ?
const p f32 [1] = 6
node Mul m (s, p) -> (q)
output q
}
output o
}
{
graph b
const w f32 [1] = 2
output w f32 [1]
}
output y
)x");
  EXPECT_EQ(SimplifyBodies(graph).value(), 0);
}

}  // namespace
}  // namespace ferry::passes
