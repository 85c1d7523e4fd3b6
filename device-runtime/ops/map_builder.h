// How an operator lowers to a map: functions called on inputs give values, values become outputs.
// Inputs are read in whichever layout suits the operator's inputs.
//
//   MapBuilder map(c, c.OutputShape(0));
//   const MapBuilder::Value x = map.Input(0);
//   map.Output(0, map.Call("Mul", x, map.Number(x, 0.5)));
#pragma once

#include <string_view>
#include <vector>

#include "device-runtime/ops/lower_context.h"

namespace ferry::ops {

class MapBuilder {
 public:
  struct Value {
    int number = -1;
    ir::MapType type = ir::MapType::kF32;
  };

  // Over elements of `shape`, to which all inputs must broadcast. The map runs channels-last when
  // an input lies so and all line up with the shape.
  MapBuilder(LowerContext& context, const Shape& shape);
  // The same in a layout of the caller's choice.
  MapBuilder(LowerContext& context, const Shape& shape, Layout layout);

  // Input `i` of the operator, broadcast; the same input twice gives the same value. One that is a
  // single known number becomes a constant.
  Value Input(int i);
  // The same seen as another shape of as many elements, when the map is not channels-last.
  Value Input(int i, const Shape& as);
  // A buffer of the program, in the map's layout: its own shape broadcasts, or the strides say how
  // it lies (in elements, over the map's axes).
  Value Buffer(BufferId id, DType dtype, const Shape& as);
  Value Buffer(BufferId id, DType dtype, const tensor::Strides& strides);
  bool is_channels_last() const { return layout_ == Layout::kChannelsLast; }
  // A constant of the type that `like` has, or of a type.
  Value Number(Value like, double number) { return Number(like.type, number); }
  Value Number(ir::MapType type, double number);
  // kU64: its bits.
  Value Integer(ir::MapType type, int64_t number);

  // A function (kernels/map/codes.inc) of values of one type.
  Value Call(std::string_view function, Value a);
  Value Call(std::string_view function, Value a, Value b);
  Value Call(std::string_view function, Value a, Value b, Value c);
  Value Convert(Value a, ir::MapType type);  // `a` itself when it has the type
  // A float as an element of `dtype`: integers toward zero and inside its range, NaN as 0.
  Value Narrow(Value a, DType dtype);
  // 1 where `a` is 0, else 0.
  Value Not(Value a) { return Call("Equal", a, Number(a, 0)); }

  // Makes `value` output `i`; its type is the one that the output's dtype widens to.
  void Output(int i, Value value);
  // Makes `value` the elements of a buffer of the map's shape.
  void OutputTo(BufferId buffer, Value value);
  // Emits a map with this one value as a new buffer of `dtype`.
  BufferId EmitNew(DType dtype, Value value);
  // Emits the step. Call once, last.
  void Emit();

 private:
  // Where a value of the builder comes from: the map numbers its inputs, constants and results only
  // when all are known.
  enum class Kind : uint8_t { kInput, kConstant, kResult };
  struct Source {
    Kind kind;
    int index;
  };
  void SetSize();
  Value Add(Kind kind, size_t index, ir::MapType type);

  LowerContext& context_;
  Shape shape_;
  Layout layout_ = Layout::kPlain;
  std::vector<Source> sources_;    // of each value of the builder
  std::vector<int> asked_;         // the operator's input behind each input of the map, or -1:
  std::vector<BufferId> buffers_;  // the buffer behind it
  std::vector<Value> inputs_;
  ir::MapPrim prim_;          // operands and results are the builder's values until Emit
  std::vector<int> outputs_;  // an output of the operator, or -1: a buffer
  std::vector<BufferId> targets_;
};

}  // namespace ferry::ops
