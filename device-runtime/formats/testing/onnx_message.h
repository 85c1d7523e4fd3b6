// Writes protobuf messages by hand, for tests.
#pragma once

#include <bit>
#include <string_view>

#include "common/base/bytes.h"

namespace ferry::formats {

struct Message {
  Bytes bytes;
  Message& Varint(uint64_t value) {
    for (; value >= 128; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 128));
    bytes.push_back(static_cast<uint8_t>(value));
    return *this;
  }
  Message& Number(uint32_t field, uint64_t value) { return Varint(field << 3).Varint(value); }
  Message& Float(uint32_t field, float value) {
    Varint(field << 3 | 5);
    bytes.resize(bytes.size() + 4);
    PutU32(bytes.data() + bytes.size() - 4, std::bit_cast<uint32_t>(value));
    return *this;
  }
  Message& Double(uint32_t field, double value) {
    Varint(field << 3 | 1);
    bytes.resize(bytes.size() + 8);
    PutU64(bytes.data() + bytes.size() - 8, std::bit_cast<uint64_t>(value));
    return *this;
  }
  Message& Text(uint32_t field, std::string_view text) { return Sub(field, {ToBytes(text)}); }
  Message& Sub(uint32_t field, const Message& message) {
    Varint(field << 3 | 2).Varint(message.bytes.size());
    bytes.insert(bytes.end(), message.bytes.begin(), message.bytes.end());
    return *this;
  }
};

// TypeProto of a tensor; a negative dimension: free, and rank < 0: no shape at all.
inline Message TensorType(int rank = 1, uint64_t element = 1, int64_t extent = 2) {
  Message tensor = Message().Number(1, element);
  Message shape;
  for (int i = 0; i < rank; ++i) {
    shape.Sub(1, extent < 0 ? Message().Text(2, "n")
                            : Message().Number(1, static_cast<uint64_t>(extent)));
  }
  if (rank >= 0) tensor.Sub(2, shape);
  return Message().Sub(1, tensor);
}

inline Message ValueInfo(std::string_view name, const Message& type = TensorType()) {
  return Message().Text(1, name).Sub(2, type);
}

inline Message Node(std::string_view op, std::initializer_list<std::string_view> in,
                    std::initializer_list<std::string_view> out,
                    std::string_view name = "the node") {
  Message node;
  for (std::string_view input : in) node.Text(1, input);
  for (std::string_view output : out) node.Text(2, output);
  return node.Text(3, name).Text(4, op);
}

inline Message Opset(uint64_t version, std::string_view domain = "") {
  return Message().Text(1, domain).Number(2, version);
}

inline Bytes ModelOf(const Message& graph, uint64_t opset = 17) {
  return Message().Sub(8, Opset(opset)).Sub(7, graph).bytes;
}

// Attributes.
inline Message IntAttribute(std::string_view name, uint64_t value) {
  return Message().Text(1, name).Number(3, value).Number(20, 2);
}
inline Message GraphAttribute(std::string_view name, const Message& graph) {
  return Message().Text(1, name).Sub(6, graph).Number(20, 5);
}
inline Message RefAttribute(std::string_view name, std::string_view of, uint64_t type) {
  return Message().Text(1, name).Text(21, of).Number(20, type);
}

// A graph of x to y with one node.
inline Message OneNode(const Message& node) {
  return Message().Sub(1, node).Sub(11, ValueInfo("x")).Sub(12, ValueInfo("y"));
}

}  // namespace ferry::formats
