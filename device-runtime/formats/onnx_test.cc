// Broken and strange ONNX files: each is an error that names the place, never a crash.
#include "device-runtime/formats/onnx.h"

#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>
#include "common/base/memory.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/formats/onnx/wire.h"
#include "device-runtime/formats/testing/onnx_message.h"

namespace ferry::formats {
namespace {

Bytes Digits() {
  std::ifstream file(fmt::format("{}/tasks/digits/digits.onnx", FERRY_SOURCE_DIR),
                     std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

void ExpectError(const Bytes& file, Code code, std::string_view text) {
  auto graph = ImportOnnx(file);
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.code(), code) << graph.status().ToString();
  EXPECT_NE(graph.status().message().find(text), std::string::npos) << graph.status().ToString();
}

TEST(Onnx, SmallestModel) {
  auto graph = ImportOnnx(ModelOf(OneNode(Node("Relu", {"x"}, {"y"}))));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(graph->nodes.size(), 1u);
  EXPECT_EQ(graph->nodes[0].name, "the node");
}

TEST(Onnx, UnknownOperatorNamesOperatorDomainAndNode) {
  ExpectError(ModelOf(OneNode(Node("Frobnicate", {"x"}, {"y"}))), Code::kUnsupportedOperator,
              "no operator 'Frobnicate' (node 'the node', opset 17); `ferry ops` lists");
  Message node = Node("Relu", {"x"}, {"y"});
  node.Text(7, "com.example");
  ExpectError(ModelOf(OneNode(node)), Code::kUnsupportedOperator,
              "no operator 'com.example:Relu' (node 'the node')");
}

TEST(Onnx, BrokenGraphs) {
  ExpectError(ModelOf(OneNode(Node("Relu", {"z"}, {"y"}))), Code::kBadModel, "reads 'z'");
  ExpectError(ModelOf(OneNode(Node("Relu", {"x"}, {"z"}))), Code::kBadModel, "output 'y'");
  ExpectError(ModelOf(OneNode(Node("Relu", {"x"}, {"x"}))), Code::kBadModel,
              "two values are named 'x'");
  ExpectError(ModelOf(OneNode(Node("Conv", {"x"}, {"y"}))), Code::kBadModel,
              "has 1 inputs instead of 2");
  ExpectError(ModelOf(OneNode(Node("Relu", {"x"}, {"y"})), 0), Code::kUnsupported, "opset 0");
  ExpectError(ModelOf(OneNode(Node("Relu", {"x"}, {"y"})), 99), Code::kUnsupported, "opset 99");
  // A cycle.
  const Message cycle = Message()
                            .Sub(1, Node("Add", {"x", "b"}, {"a"}, "one"))
                            .Sub(1, Node("Relu", {"a"}, {"b"}, "two"))
                            .Sub(11, ValueInfo("x"))
                            .Sub(12, ValueInfo("b"));
  ExpectError(ModelOf(cycle), Code::kBadModel,
              "node 'one' (Add, opset 17): reads 'b', which node 'two' (Relu) makes after it");
  ExpectError({}, Code::kBadModel, "an empty file");
  ExpectError(ToBytes("PK not a model"), Code::kBadModel, "a text");
}

TEST(Onnx, InitializersMustHoldWhatTheyAnnounce) {
  const Message huge =
      Message().Number(1, uint64_t{1} << 39).Number(2, 1).Text(8, "w").Text(9, "abcd");
  ExpectError(ModelOf(OneNode(Node("Relu", {"x"}, {"y"})).Sub(5, huge)), Code::kBadModel,
              "tensor 'w'");
  const Message odd = Message().Number(1, 2).Number(2, 1).Text(8, "w").Text(9, "abcdefg");
  ExpectError(ModelOf(OneNode(Node("Relu", {"x"}, {"y"})).Sub(5, odd)), Code::kBadModel,
              "needs 8 bytes");
  const Message text = Message().Number(1, 1).Number(2, 8).Text(8, "w").Text(9, "a");
  ExpectError(ModelOf(OneNode(Node("Relu", {"x"}, {"y"})).Sub(5, text)), Code::kBadModel,
              "texts cannot be raw bytes");
  const Message complex = Message().Number(1, 1).Number(2, 14).Text(8, "w").Text(9, "abcdefgh");
  ExpectError(ModelOf(OneNode(Node("Relu", {"x"}, {"y"})).Sub(5, complex)), Code::kUnsupported,
              "ONNX type 14");
}

TEST(Onnx, EveryCutIsAnError) {
  const Bytes file = ModelOf(OneNode(Node("Relu", {"x"}, {"y"})));
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ImportOnnx(ByteView(file).first(size)).ok()) << size;
  }
}

TEST(Onnx, Mutations) {
  const Bytes original = Digits();
  ASSERT_GT(original.size(), 1000u);
  std::mt19937 random(7);
  int imported = 0;
  for (int round = 0; round < 2000; ++round) {
    Bytes file = original;
    for (int i = 0; i <= round % 4; ++i) {
      // Most structure is at the end of nodes and at the front; weights are dull.
      const size_t at =
          random() % 2 ? random() % std::min<size_t>(file.size(), 6000) : random() % file.size();
      file[at] = static_cast<uint8_t>(random());
    }
    auto graph = ImportOnnx(file);
    imported += graph.ok();
    if (!graph.ok()) {
      EXPECT_FALSE(graph.status().message().empty());
    }
  }
  EXPECT_GT(imported, 0);
}

// A model of everything that the reader knows: bodies, a function, sparse and packed tensors,
// texts, sequences.
Bytes Rich() {
  const Message dense = Message().Number(1, 2).Number(2, 1).Float(4, 1).Float(4, 2).Text(8, "s");
  const Message places = Message().Number(1, 2).Number(2, 7).Number(7, 0).Number(7, 3);
  const Message sparse = Message().Sub(1, dense).Sub(2, places).Number(3, 4);
  const Message packed = Message().Number(1, 3).Number(2, 21).Text(8, "p").Text(9, "ab");
  const Message texts = Message().Number(1, 1).Number(2, 8).Text(8, "t").Text(6, "text");
  const Message inner =
      Message().Sub(1, Node("Add", {"x", "s"}, {"i"}, "in")).Sub(12, ValueInfo("i"));
  const Message body = Message()
                           .Sub(1, Node("Relu", {"x"}, {"b"}).Sub(5, GraphAttribute("c", inner)))
                           .Sub(11, ValueInfo("e"))
                           .Sub(12, ValueInfo("b"));
  Message f = Message().Text(1, "f").Text(10, "d").Text(4, "a").Text(5, "o").Sub(9, Opset(17));
  f.Sub(11, IntAttribute("k", 1)).Sub(7, Node("Relu", {"a"}, {"m"}, "m"));
  f.Sub(7, Node("Neg", {"m"}, {"o"}, "n").Sub(5, RefAttribute("k", "k", 2)));
  Message graph = Message().Sub(1, Node("f", {"x"}, {"h"}, "call").Text(7, "d")).Sub(5, packed);
  graph.Sub(1, Node("Relu", {"h"}, {"y"}).Sub(5, GraphAttribute("b", body)));
  graph.Sub(11, ValueInfo("x")).Sub(12, ValueInfo("y")).Sub(15, sparse).Sub(5, texts);
  graph.Sub(11, ValueInfo("q", Message().Sub(4, Message().Sub(1, TensorType()))));
  graph.Sub(12, ValueInfo("p")).Sub(12, ValueInfo("t"));
  return Message().Sub(8, Opset(17)).Sub(8, Opset(1, "d")).Sub(7, graph).Sub(25, f).bytes;
}

TEST(Onnx, MutationsOfARichModel) {
  const Bytes original = Rich();
  ASSERT_TRUE(ImportOnnx(original).ok()) << ImportOnnx(original).status().ToString();
  for (size_t size = 0; size < original.size(); ++size) {
    (void)ImportOnnx(ByteView(original).first(size)).ok();
  }
  std::mt19937 random(17);
  int imported = 0, compiled = 0;
  for (int round = 0; round < 20'000; ++round) {
    Bytes file = original;
    for (int i = 0; i <= round % 3; ++i) {
      const size_t at = random() % file.size();
      file[at] = static_cast<uint8_t>(round % 2 ? random() : file[random() % file.size()]);
    }
    auto graph = ImportOnnx(file);
    if (!graph.ok()) {
      EXPECT_FALSE(graph.status().message().empty());
      continue;
    }
    ++imported;
    ASSERT_TRUE(ir::Verify(*graph).ok());
    auto model = engine::Compile(*std::move(graph), {});
    if (!model.ok()) continue;
    ++compiled;
    ASSERT_TRUE(engine::Model::FromBytes(*model).ok());
  }
  EXPECT_GT(imported, 100);
  EXPECT_GT(compiled, 100);
}

TEST(Onnx, FailingAllocations) {
  const Bytes file = Digits();
  for (int64_t nth = 1;; ++nth) {
    FailAllocations fail(nth);
    auto graph = ImportOnnx(file);
    if (graph.ok()) {
      EXPECT_FALSE(fail.fired());
      break;
    }
    EXPECT_EQ(graph.code(), Code::kOutOfMemory);
  }
}

TEST(Wire, LongNumbersAndUnknownTypes) {
  const Bytes longest = {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
  EXPECT_EQ(WireReader(longest).Next()->value, ~uint64_t{0});
  const Bytes too_long = {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  EXPECT_EQ(WireReader(too_long).Next().code(), Code::kBadModel);
  const Bytes group = {0x0b};
  EXPECT_EQ(WireReader(group).Next().code(), Code::kBadModel);
  const Bytes zero_field = {0x00, 0x00};
  EXPECT_EQ(WireReader(zero_field).Next().code(), Code::kBadModel);
}

}  // namespace
}  // namespace ferry::formats
