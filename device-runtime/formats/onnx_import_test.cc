// What models mean: element types, bodies, functions, other files, other types than tensors.
#include "device-runtime/formats/onnx.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include "device-runtime/engine/engine.h"
#include "device-runtime/formats/testing/onnx_message.h"
#include "device-runtime/ir/text.h"

namespace ferry::formats {
namespace {

std::string Imported(const Bytes& file) {
  auto graph = ImportOnnx(file);
  if (!graph.ok()) return graph.status().ToString();
  return ir::Print(*graph);
}

// The text of tensor `w`, imported as an initializer that is the model's output.
std::string TensorText(const Message& tensor) {
  Message graph;
  graph.Sub(5, Message(tensor).Text(8, "w")).Sub(12, ValueInfo("w"));
  auto imported = ImportOnnx(ModelOf(graph));
  if (!imported.ok()) return imported.status().ToString();
  return ir::PrintTensor(*imported->values[imported->outputs[0]].constant);
}

Message Tensor(uint64_t type, std::initializer_list<uint64_t> dims) {
  Message tensor;
  for (uint64_t dim : dims) tensor.Number(1, dim);
  return tensor.Number(2, type);
}

Message Raw(uint64_t type, std::initializer_list<uint64_t> dims, const char* hex) {
  return Tensor(type, dims).Sub(9, {FromHex(hex).value()});
}

TEST(OnnxTensors, RawBytesOfEveryType) {
  EXPECT_EQ(TensorText(Raw(1, {1}, "0000c0bf")), "f32 [1] = -1.5");
  EXPECT_EQ(TensorText(Raw(2, {2}, "01ff")), "u8 [2] = 1 255");
  EXPECT_EQ(TensorText(Raw(3, {2}, "01ff")), "i8 [2] = 1 -1");
  EXPECT_EQ(TensorText(Raw(4, {1}, "ffff")), "u16 [1] = 65535");
  EXPECT_EQ(TensorText(Raw(5, {1}, "ffff")), "i16 [1] = -1");
  EXPECT_EQ(TensorText(Raw(6, {1}, "feffffff")), "i32 [1] = -2");
  EXPECT_EQ(TensorText(Raw(7, {1}, "feffffffffffffff")), "i64 [1] = -2");
  EXPECT_EQ(TensorText(Raw(9, {3}, "000105")), "bool [3] = 0 1 1");
  EXPECT_EQ(TensorText(Raw(10, {1}, "003e")), "f16 [1] = 1.5");
  EXPECT_EQ(TensorText(Raw(11, {1}, "000000000000f83f")), "f64 [1] = 1.5");
  EXPECT_EQ(TensorText(Raw(12, {1}, "ffffffff")), "u32 [1] = 4294967295");
  EXPECT_EQ(TensorText(Raw(13, {1}, "ffffffffffffffff")), "u64 [1] = 18446744073709551615");
  EXPECT_EQ(TensorText(Raw(16, {1}, "c03f")), "bf16 [1] = 1.5");
  EXPECT_EQ(TensorText(Raw(17, {1}, "3c")), "f8e4m3fn [1] = 1.5");
  EXPECT_EQ(TensorText(Raw(19, {1}, "3e")), "f8e5m2 [1] = 1.5");
  EXPECT_EQ(TensorText(Raw(21, {3}, "2f03")), "u4 [3] = 15 2 3");
  EXPECT_EQ(TensorText(Raw(22, {3}, "2f08")), "i4 [3] = -1 2 -8");
  EXPECT_EQ(TensorText(Raw(23, {2}, "91")), "f4e2m1 [2] = 0.5 -0.5");
  EXPECT_EQ(TensorText(Raw(25, {5}, "1b02")), "u2 [5] = 3 2 1 0 2");
  EXPECT_EQ(TensorText(Raw(26, {5}, "1b02")), "i2 [5] = -1 -2 1 0 -2");
}

TEST(OnnxTensors, TypedFields) {
  EXPECT_EQ(TensorText(Tensor(1, {2}).Float(4, 1).Float(4, -2)), "f32 [2] = 1 -2");
  EXPECT_EQ(TensorText(Tensor(11, {1}).Double(10, 0.1)), "f64 [1] = 0.1");
  EXPECT_EQ(TensorText(Tensor(10, {1}).Number(5, 0x3e00)), "f16 [1] = 1.5");
  EXPECT_EQ(TensorText(Tensor(16, {1}).Number(5, 0x3fc0)), "bf16 [1] = 1.5");
  EXPECT_EQ(TensorText(Tensor(17, {1}).Number(5, 0x3c)), "f8e4m3fn [1] = 1.5");
  EXPECT_EQ(TensorText(Tensor(3, {1}).Number(5, ~uint64_t{0})), "i8 [1] = -1");
  EXPECT_EQ(TensorText(Tensor(9, {2}).Number(5, 0).Number(5, 1)), "bool [2] = 0 1");
  EXPECT_EQ(TensorText(Tensor(21, {3}).Number(5, 0x2f).Number(5, 3)), "u4 [3] = 15 2 3");
  EXPECT_EQ(TensorText(Tensor(26, {2}).Number(5, 0x0b)), "i2 [2] = -1 -2");
  EXPECT_EQ(TensorText(Tensor(12, {1}).Number(11, 4294967295)), "u32 [1] = 4294967295");
  EXPECT_EQ(TensorText(Tensor(13, {1}).Number(11, ~uint64_t{0})), "u64 [1] = 18446744073709551615");
  EXPECT_EQ(TensorText(Tensor(7, {1}).Number(7, 5)), "i64 [1] = 5");
  EXPECT_EQ(TensorText(Tensor(8, {2, 1}).Text(6, "a b").Text(6, "")),
            "string [2,1] = \"a b\" \"\"");
  EXPECT_EQ(TensorText(Tensor(1, {0, 3})), "f32 [0,3] =");
  EXPECT_NE(TensorText(Tensor(21, {3}).Number(5, 1)).find("needs 2 numbers"), std::string::npos);
  EXPECT_NE(TensorText(Tensor(8, {2}).Text(6, "a")).find("needs 2 numbers or texts, 1"),
            std::string::npos);
  EXPECT_NE(TensorText(Tensor(1, {~uint64_t{0}})).find("bad_model"), std::string::npos);
  EXPECT_NE(TensorText(Tensor(1, {uint64_t{1} << 33, uint64_t{1} << 33})).find("bad_model"),
            std::string::npos);
}

TEST(OnnxTensors, SparseOnesBecomeDense) {
  auto sparse = [](const Message& indices, uint64_t extent) {
    return Message()
        .Sub(1, Tensor(1, {2}).Float(4, 5).Float(4, 6).Text(8, "w"))
        .Sub(2, indices)
        .Number(3, 2)
        .Number(3, extent);
  };
  auto text = [](const Message& tensor) {
    return Imported(ModelOf(Message().Sub(15, tensor).Sub(12, ValueInfo("w"))));
  };
  const Message places = Tensor(7, {2}).Number(7, 1).Number(7, 5);
  EXPECT_NE(text(sparse(places, 3)).find("= 0 5 0 0 0 6"), std::string::npos);
  const Message rows = Tensor(7, {2, 2}).Number(7, 0).Number(7, 1).Number(7, 1).Number(7, 2);
  EXPECT_NE(text(sparse(rows, 3)).find("= 0 5 0 0 0 6"), std::string::npos);
  EXPECT_NE(text(sparse(places, 2)).find("place 5 lies outside"), std::string::npos);
  EXPECT_NE(text(sparse(rows, 2)).find("index 2 lies outside"), std::string::npos);
  EXPECT_NE(text(sparse(places, uint64_t{1} << 36)).find("limit_exceeded"), std::string::npos);
  const Message constant =
      Node("Constant", {}, {"y"})
          .Sub(5, Message().Text(1, "sparse_value").Sub(22, sparse(places, 3)).Number(20, 11));
  EXPECT_NE(Imported(ModelOf(OneNode(constant))).find("= 0 5 0 0 0 6"), std::string::npos);
}

TEST(OnnxNodes, AttributesOfEveryKind) {
  const Message optional =
      Message().Sub(9, Message().Sub(1, Message().Sub(4, Message().Sub(1, TensorType()))));
  Message node = Node("Relu", {"x"}, {"y"});
  node.Sub(5, Message().Text(1, "f").Float(2, 1.5).Number(20, 1));
  node.Sub(5, IntAttribute("i", 3));
  node.Sub(5, Message().Text(1, "s").Text(4, "text"));  // an old writer: no type
  node.Sub(5, Message().Text(1, "empty").Number(20, 7));
  node.Sub(5, Message().Text(1, "texts").Text(9, "a").Text(9, "b").Number(20, 8));
  node.Sub(5, Message().Text(1, "type").Sub(14, optional).Number(20, 13));
  node.Sub(5, Message().Text(1, "t").Sub(5, Raw(2, {1}, "07")).Number(20, 4));
  EXPECT_EQ(
      Imported(ModelOf(OneNode(node))),
      "graph graph\ninput x f32 [2]\n"
      "node Relu@17 \"the node\" (x) -> (y) empty=I[] f=f1.5 i=i3 s=s\"text\" t=t{u8 [1] = 7} "
      "texts=S[\"a\",\"b\"] type=s\"optional(seq(f32))\"\noutput y f32 [2]\n");
}

TEST(OnnxNodes, ConstantsOfEveryKind) {
  auto text = [](const Message& attribute) {
    const std::string all =
        Imported(ModelOf(OneNode(Node("Constant", {}, {"y"}).Sub(5, attribute))));
    const size_t at = all.find("const y ");
    return at == std::string::npos ? all : all.substr(at + 8, all.find('\n', at) - at - 8);
  };
  EXPECT_EQ(text(Message().Text(1, "value_float").Float(2, 2)), "f32 [] = 2");
  EXPECT_EQ(text(IntAttribute("value_int", 2)), "i64 [] = 2");
  EXPECT_EQ(text(Message().Text(1, "value_string").Text(4, "t")), "string [] = \"t\"");
  EXPECT_EQ(text(Message().Text(1, "value_strings").Text(9, "t").Text(9, "u")),
            "string [2] = \"t\" \"u\"");
  EXPECT_EQ(text(Message().Text(1, "value_ints").Number(8, 4).Number(20, 7)), "i64 [1] = 4");
  EXPECT_EQ(text(Message().Text(1, "value_floats").Float(7, 4).Number(20, 6)), "f32 [1] = 4");
  EXPECT_NE(text(IntAttribute("other", 2)).find("without a value"), std::string::npos);
}

// Outputs without a name: they count for operators of any number of outputs, required ones must be
// there, others at the end go.
TEST(OnnxNodes, OutputsWithoutName) {
  EXPECT_NE(Imported(ModelOf(OneNode(Node("Split", {"x"}, {"y", ""})))).find("(x) -> (y, -)"),
            std::string::npos);
  EXPECT_NE(Imported(ModelOf(OneNode(Node("Dropout", {"x"}, {"y", ""})))).find("(x) -> (y)"),
            std::string::npos);
  EXPECT_NE(Imported(ModelOf(OneNode(Node("Dropout", {"x"}, {"", "y"})))).find("lacks output 0"),
            std::string::npos);
}

TEST(OnnxNodes, EverythingThatIsMissingIsNamedAtOnce) {
  const Message complex = Message().Text(1, "c").Sub(5, Tensor(14, {1})).Number(20, 4);
  const Message graph = Message()
                            .Sub(1, Node("Frob", {"x"}, {"a"}, "one"))
                            .Sub(1, Node("Relu", {"a"}, {"b"}, "two").Sub(5, complex))
                            .Sub(1, Node("Nicate", {"b"}, {"y"}, "three").Text(7, "com.example"))
                            .Sub(11, ValueInfo("x", TensorType(1, 14)))
                            .Sub(12, ValueInfo("y"));
  const Bytes file =
      Message().Sub(8, Opset(18)).Sub(8, Opset(3, "com.example")).Sub(7, graph).bytes;
  const std::string text = Imported(file);
  EXPECT_NE(text.find("input 'x': ONNX type 14"), std::string::npos) << text;
  EXPECT_NE(text.find("node 'two' (Relu, opset 18): attribute 'c'"), std::string::npos) << text;
  EXPECT_NE(text.find("no operator 'Frob' (node 'one', opset 18), no operator "
                      "'com.example:Nicate' (node 'three', opset 3); `ferry ops` lists"),
            std::string::npos)
      << text;
}

TEST(OnnxNodes, AnOperatorThatIsMissingIsNamedOnce) {
  Message graph;
  for (int i = 0; i < 11; ++i) {
    graph.Sub(1, Node("Relru", {i == 0 ? "x" : "v" + std::to_string(i)},
                      {i == 10 ? "y" : "v" + std::to_string(i + 1)}, "n" + std::to_string(i)));
  }
  graph.Sub(11, ValueInfo("x", TensorType(1, 1))).Sub(12, ValueInfo("y"));
  const Bytes file = Message().Sub(8, Opset(18)).Sub(7, graph).bytes;
  const std::string text = Imported(file);
  EXPECT_NE(text.find("no operator 'Relru' (11 nodes, the first 'n0', opset 18), perhaps 'Relu'; "
                      "`ferry ops` lists the operators"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("Relru"), text.rfind("Relru"));
  Status unknown;
  auto read = ImportOnnx(file, &unknown);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->nodes.size(), 11u);
  EXPECT_EQ(unknown.code(), Code::kUnsupportedOperator);
}

TEST(OnnxTypes, SequencesOptionalsAndInputsOfAnyRank) {
  const Message seq = Message().Sub(4, Message().Sub(1, TensorType(-1, 7)));
  const Message opt = Message().Sub(9, Message().Sub(1, TensorType()));
  const Message map = Message().Sub(5, Message());
  Message graph;
  graph.Sub(1, Node("Relu", {"x"}, {"y"}));
  graph.Sub(11, ValueInfo("x", TensorType(-1)));
  graph.Sub(11, ValueInfo("s", seq)).Sub(11, ValueInfo("o", opt)).Sub(12, ValueInfo("y"));
  EXPECT_EQ(Imported(ModelOf(graph, 5)),
            "graph graph\ninput x f32\ninput s seq(i64)\ninput o optional(f32)\n"
            "node Relu@5 \"the node\" (x) -> (y)\noutput y f32 [2]\n");
  EXPECT_NE(Imported(ModelOf(Message(graph).Sub(11, ValueInfo("m", map)))).find("a map"),
            std::string::npos);
}

TEST(OnnxTypes, InputsOfAnyRankRun) {
  Message graph = Message().Sub(1, Node("Relu", {"x"}, {"y"}));
  graph.Sub(11, ValueInfo("x", TensorType(-1))).Sub(12, ValueInfo("y", TensorType(-1)));
  auto model = engine::Model::FromGraph(ImportOnnx(ModelOf(graph)).value()).value();
  EXPECT_FALSE(model->inputs()[0].has_shape);
  auto session = engine::Session::Create(model).value();
  const float values[] = {-1, 2};
  for (const tensor::Shape& shape : {tensor::Shape({2}), tensor::Shape({1, 2, 1})}) {
    auto outputs = session->Run({{"x", tensor::Tensor::Of<float>(shape, values).value()}});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    EXPECT_EQ((*outputs)[0].tensor.shape(), shape);
    EXPECT_EQ((*outputs)[0].tensor.Number(1), 2);
  }
}

}  // namespace
}  // namespace ferry::formats
