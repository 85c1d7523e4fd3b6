// Broken and strange ONNX files: each is an error that names the place, never a crash.
#include "device-runtime/formats/onnx.h"

#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>
#include "common/base/memory.h"
#include "device-runtime/formats/onnx/wire.h"

namespace ferry::formats {
namespace {

Bytes Digits() {
  std::ifstream file(std::string(FERRY_SOURCE_DIR) + "/tasks/digits/digits.onnx", std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

// Writes protobuf messages by hand.
struct Message {
  Bytes bytes;
  Message& Varint(uint64_t value) {
    for (; value >= 128; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 128));
    bytes.push_back(static_cast<uint8_t>(value));
    return *this;
  }
  Message& Number(uint32_t field, uint64_t value) { return Varint(field << 3).Varint(value); }
  Message& Text(uint32_t field, std::string_view text) { return Sub(field, {ToBytes(text)}); }
  Message& Sub(uint32_t field, const Message& message) {
    Varint(field << 3 | 2).Varint(message.bytes.size());
    bytes.insert(bytes.end(), message.bytes.begin(), message.bytes.end());
    return *this;
  }
};

Message ValueInfo(std::string_view name) {
  const Message dim = Message().Number(1, 2);
  const Message tensor = Message().Number(1, 1).Sub(2, Message().Sub(1, dim));
  return Message().Text(1, name).Sub(2, Message().Sub(1, tensor));
}

Message Node(std::string_view op, std::string_view in, std::string_view out) {
  return Message().Text(1, in).Text(2, out).Text(3, "the node").Text(4, op);
}

Bytes ModelOf(const Message& graph, uint64_t opset = 17) {
  return Message().Sub(8, Message().Number(2, opset)).Sub(7, graph).bytes;
}

Message OneNode(const Message& node) {
  return Message().Sub(1, node).Sub(11, ValueInfo("x")).Sub(12, ValueInfo("y"));
}

void ExpectError(const Bytes& file, Code code, std::string_view text) {
  auto graph = ImportOnnx(file);
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.code(), code) << graph.status().ToString();
  EXPECT_NE(graph.status().message().find(text), std::string::npos) << graph.status().ToString();
}

TEST(Onnx, SmallestModel) {
  auto graph = ImportOnnx(ModelOf(OneNode(Node("Relu", "x", "y"))));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(graph->nodes.size(), 1u);
  EXPECT_EQ(graph->nodes[0].name, "the node");
}

TEST(Onnx, UnknownOperatorNamesOperatorDomainAndNode) {
  ExpectError(ModelOf(OneNode(Node("Frobnicate", "x", "y"))), Code::kUnsupportedOperator,
              "'the node' (Frobnicate): no operator 'Frobnicate' in domain 'ai.onnx'");
  Message node = Node("Relu", "x", "y");
  node.Text(7, "com.example");
  ExpectError(ModelOf(OneNode(node)), Code::kUnsupportedOperator, "domain 'com.example'");
}

TEST(Onnx, BrokenGraphs) {
  ExpectError(ModelOf(OneNode(Node("Relu", "z", "y"))), Code::kBadModel, "reads 'z'");
  ExpectError(ModelOf(OneNode(Node("Relu", "x", "z"))), Code::kBadModel, "output 'y'");
  ExpectError(ModelOf(OneNode(Node("Relu", "x", "x"))), Code::kBadModel,
              "two values are named 'x'");
  ExpectError(ModelOf(OneNode(Node("Conv", "x", "y"))), Code::kBadModel,
              "has 1 inputs instead of 2");
  ExpectError(ModelOf(OneNode(Node("Relu", "x", "y")), 6), Code::kUnsupported, "opset 6");
  ExpectError(ModelOf(OneNode(Node("Relu", "x", "y")), 99), Code::kUnsupported, "opset 99");
  ExpectError({}, Code::kBadModel, "holds no graph");
  ExpectError(ToBytes("PK not a model"), Code::kBadModel, "byte");
}

TEST(Onnx, InitializersMustHoldWhatTheyAnnounce) {
  const Message huge =
      Message().Number(1, uint64_t{1} << 39).Number(2, 1).Text(8, "w").Text(9, "abcd");
  ExpectError(ModelOf(OneNode(Node("Relu", "x", "y")).Sub(5, huge)), Code::kBadModel, "tensor 'w'");
  const Message odd = Message().Number(1, 2).Number(2, 1).Text(8, "w").Text(9, "abcdefg");
  ExpectError(ModelOf(OneNode(Node("Relu", "x", "y")).Sub(5, odd)), Code::kBadModel,
              "needs 8 bytes");
  const Message text = Message().Number(1, 1).Number(2, 8).Text(8, "w").Text(9, "a");
  ExpectError(ModelOf(OneNode(Node("Relu", "x", "y")).Sub(5, text)), Code::kUnsupported,
              "ONNX type 8");
}

TEST(Onnx, EveryCutIsAnError) {
  const Bytes file = ModelOf(OneNode(Node("Relu", "x", "y")));
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
