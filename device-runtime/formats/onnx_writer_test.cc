#include "device-runtime/formats/onnx_writer.h"

#include <gtest/gtest.h>
#include "common/sys/sim/filesystem.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/formats/onnx.h"
#include "device-runtime/ir/text.h"

namespace ferry::formats {
namespace {

ir::Graph Parsed(const std::string& text) {
  auto graph = ir::Parse(text);
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  return *std::move(graph);
}

std::string Again(const ir::Graph& graph) {
  const auto bytes = WriteOnnx(graph);
  if (!bytes.ok()) return bytes.status().ToString();
  const auto imported = ImportOnnx(*bytes);
  return imported.ok() ? ir::Print(*imported) : imported.status().ToString();
}

TEST(OnnxWriter, EveryKindOfThing) {
  const char* texts[] = {
      // Attributes, left-out inputs and outputs, names, types, free dimensions.
      "graph g\ninput x f32 [n,?,4]\ninput \"odd name\" i64 []\nconst w f32 [2] = 1 -2.5\n"
      "node Clip@14 c (x, -, w) -> (y)\nnode LSTM@14 l (x, w, w) -> (-, h) alpha=f0.5 "
      "activations=S[\"a\",\"b\"] scales=F[1,2.5] hidden_size=i3 axes=I[-1,2] mode=s\"x\"\n"
      "output y\noutput h f32 [?,n]\n",
      // Element types.
      "graph g\nconst a i4 [3] = -8 7 1\nconst b u4 [1] = 15\nconst c f16 [2] = 1.5 -0\n"
      "const d bf16 [1] = 2\nconst e bool [2] = 1 0\nconst f string [2] = \"a\" \"\"\n"
      "const h f8e4m3fn [1] = 1.5\nconst i u2 [5] = 3 2 1 0 2\nconst j f64 [0] =\n"
      "const k i64 [] = -7\noutput a\noutput b\noutput c\noutput d\noutput e\noutput f\n"
      "output h\noutput i\noutput j\noutput k\n",
      // Bodies that capture, and a constant that a body shares.
      "graph g\ninput c bool []\ninput x f32 [2]\n"
      "node If@13 i (c, x, x) -> (y) captured 2 else_branch=g then_branch=g\n"
      "{\ngraph e captured 1\ninput x f32\nnode Neg@13 a (x) -> (o)\noutput o\n}\n"
      "{\ngraph t captured 1\ninput x f32\nconst k f32 [] = 3\nnode Mul@13 a (x, k) -> (p)\n"
      "output p\n}\noutput y\n",
      // Sequences, other domains.
      "graph g\ninput s seq(f32)\ninput q optional(seq(i64))\nconst at i64 [] = 0\n"
      "node SequenceAt@13 n (s, at) -> (y)\n"
      "node com.microsoft:QLinearAdd@1 z (y, y, y, y, y, y, y, y) -> (r)\noutput y\noutput r\n",
  };
  for (const char* text : texts) {
    const ir::Graph graph = Parsed(text);
    EXPECT_EQ(Again(graph), ir::Print(graph));
  }
}

TEST(OnnxWriter, RefusesWhatOnlyFerryKnows) {
  for (const char* node :
       {"node Silu n (x) -> (y)", "node RowNorm n (x, x) -> (y)",
        "node MatMul@13 n (x, x, x) -> (y)", "node Conv@13 n (x, x) -> (y) activation=s\"Relu\""}) {
    const auto bytes =
        WriteOnnx(Parsed(std::string("graph g\ninput x f32 [1,1,1,1]\n") + node + "\noutput y\n"));
    EXPECT_EQ(bytes.status().code(), Code::kUnsupported);
    EXPECT_NE(bytes.status().message().find("node 'n'"), std::string::npos);
  }
  const ir::Graph graph = Parsed("graph g\ninput x f32 [2]\nnode Relu@14 n (x) -> (y)\noutput y\n");
  EXPECT_EQ(WriteOnnx(graph, {.opset = 13}).status().code(), Code::kUnsupported);
  EXPECT_EQ(WriteOnnx(graph, {.single_file_limit = 10}).status().code(), Code::kLimitExceeded);
}

TEST(OnnxWriter, LargeTensorsGoToAnotherFile) {
  std::string text = "graph g\nconst w f32 [600] =";
  for (int i = 0; i < 600; ++i) text += fmt::format(" {}", i);
  const ir::Graph graph =
      Parsed(text + "\nconst k f32 [1] = 5\nnode Add@13 a (w, k) -> (y)\noutput y\n");
  sys::SimFileSystem fs;
  ASSERT_TRUE(fs.MakeDirectories("m").ok());
  ASSERT_TRUE(WriteOnnxFile(fs, "m/a.onnx", graph, {.single_file_limit = 1000}).ok());
  EXPECT_EQ(fs.Stat("m/a.onnx.data")->size, 2400u);
  EXPECT_LT(fs.Stat("m/a.onnx")->size, 1000u);
  const auto again = ImportOnnxFile(fs, "m/a.onnx");
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(ir::Print(*again), ir::Print(graph));
  EXPECT_EQ(WriteOnnxFile(fs, "m/b.onnx", graph, {.single_file_limit = 10}).code(),
            Code::kLimitExceeded);
}

// A node of an older opset does the same in its newer form.
void ExpectSame(const std::string& text, const char* input) {
  const ir::Graph old = Parsed("graph g\n" + text);
  ir::Graph graph = old;
  const Status status = UpgradeOpset(graph, 21);
  ASSERT_TRUE(status.ok()) << status.ToString();
  for (const ir::Node& node : graph.nodes) EXPECT_EQ(node.version, 21);
  ASSERT_TRUE(ir::Verify(graph).ok()) << ir::Print(graph);
  const std::vector<tensor::NamedTensor> inputs = {{"x", ir::ParseTensor(input).value()}};
  const auto want = engine::RunReference(old, inputs);
  const auto got = engine::RunReference(graph, inputs);
  ASSERT_TRUE(want.ok()) << want.status().ToString();
  ASSERT_TRUE(got.ok()) << got.status().ToString() << ir::Print(graph);
  ASSERT_EQ(want->size(), got->size());
  for (size_t i = 0; i < want->size(); ++i) {
    EXPECT_EQ(ir::PrintTensor((*want)[i].tensor), ir::PrintTensor((*got)[i].tensor)) << text;
  }
}

TEST(UpgradeOpset, SaysTheSame) {
  const char* x = "f32 [2,3,2] = 1 -2 3 4 5 -6 7 8 9 10 11 12";
  const char* nodes[] = {
      "node Clip@6 n (x) -> (y) min=f-1 max=f5",
      "node Clip@10 n (x) -> (y) max=f5",
      "node Slice@1 n (x) -> (y) starts=I[1,0] ends=I[3,1] axes=I[1,2]",
      "node Pad@2 n (x) -> (y) pads=I[0,1,0,0,0,2] value=f0.5",
      "node Squeeze@11 a (x) -> (y)",
      "node Unsqueeze@11 n (x) -> (y) axes=I[0,2]",
      "node ReduceSum@11 n (x) -> (y) axes=I[1] keepdims=i0",
      "node ReduceMean@13 n (x) -> (y) axes=I[0,2]",
      "node ReduceMax@12 n (x) -> (y)",
      "node Softmax@11 n (x) -> (y) axis=i1 flatten=i1",
      "node Softmax@11 n (x) -> (y) axis=i2 flatten=i1",
      "node LogSoftmax@9 n (x) -> (y) axis=i0 flatten=i1",
      "node TopK@9 n (x) -> (y, i) k=i1",
      "node Dropout@7 n (x) -> (y) ratio=f0.5",
      "node Reshape@1 n (x) -> (y) shape=I[3,-1]",
      "node Concat@1 n (x, x) -> (y)",
      "node Upsample@7 n (x) -> (y) scales=F[1,2,1.5]",
      "node Add@6 n (x, x) -> (y)",
      "node BatchNormalization@7 n (x, k, k, k, k) -> (y)",
  };
  for (const char* node : nodes) {
    ExpectSame(fmt::format("input x f32 [2,3,2]\nconst k f32 [3] = 1 2 3\n{}\noutput y\n", node),
               x);
  }
  ExpectSame(
      "input x f32 [2,3,2]\nnode Split@2 n (x) -> (y, z) axis=i1 split=I[1,2]\noutput y\noutput "
      "z\n",
      x);
  ExpectSame("input x f32 [2,3,2]\nnode Split@13 n (x) -> (y, z) axis=i0\noutput y\noutput z\n", x);
  ExpectSame(
      "input x f32 [2,3,2]\nconst s f32 [3] = 1 1 2\nnode Upsample@9 n (x, s) -> (y)\noutput y\n",
      x);
}

TEST(UpgradeOpset, RefusesWhatHasNoNewerForm) {
  ir::Graph graph = Parsed(
      "graph g\ninput x f32 [2,3]\nconst k f32 [3] = 1 2 3\n"
      "node Add@6 n (x, k) -> (y) broadcast=i1 axis=i1\noutput y\n");
  const Status status = UpgradeOpset(graph, 21);
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_NE(status.message().find("node 'n'"), std::string::npos);
}

}  // namespace
}  // namespace ferry::formats
