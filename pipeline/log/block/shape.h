// An event's data taken apart: its shape (names and types, in order) and the values at the leaves;
// and put together again. Events of one shape share columns. Internal to the room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace ferry::log {

inline constexpr int kMaxShapeDepth = 8;       // objects below are kept as JSON text
inline constexpr size_t kMaxShapeLeaves = 64;  // data with more is kept as JSON text

// The bytes of a shape: '{', the number of members, and each one's name and shape; or one leaf's
// type.
enum Leaf : char {
  kNull = 'n',
  kBool = 'b',
  kInt = 'i',       // from -2^63 to 2^63 - 1
  kUnsigned = 'u',  // above
  kDouble = 'd',
  kText = 's',
  kJsonText = 'j',  // arrays, and what is too deep or too wide
};
inline bool IsNumber(char leaf) {
  return leaf == kBool || leaf == kInt || leaf == kUnsigned;
}
inline bool IsText(char leaf) {
  return leaf == kText || leaf == kJsonText;
}

// One value at a leaf; which member counts is the leaf's type.
struct LeafValue {
  int64_t number = 0;
  double real = 0;
  std::string text;
};

struct Flat {
  std::string shape;
  std::vector<LeafValue> leaves;
  size_t bytes = 0;  // what it is charged
};

Flat Flatten(const Json& data);

// A shape that was read, checked.
struct Shape {
  std::string_view text;
  std::string leaves;      // types, in order
  size_t other_bytes = 0;  // what all but the leaves is charged
};
// kMalformed.
Result<Shape> ParseShape(std::string_view text);
// kMalformed when a JSON text does not parse. `leaves` are as many as the shape's.
Result<Json> Assemble(const Shape& shape, const std::vector<LeafValue>& leaves);

// What an event is counted as while it waits and when it is read: bytes of its texts and some for
// each value.
inline constexpr size_t kEventCharge = 32;
inline constexpr size_t kLeafCharge = 8;

}  // namespace ferry::log
