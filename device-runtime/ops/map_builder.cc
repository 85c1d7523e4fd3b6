#include "device-runtime/ops/map_builder.h"

#include <algorithm>

namespace ferry::ops {
namespace {

// The strides of a plain operand over the axes of `out` in channels-last order.
tensor::Strides LastStrides(const Shape& operand, const Shape& out) {
  tensor::Strides strides = tensor::BroadcastStrides(operand, out);
  if (out.rank() >= 3) {
    std::rotate(strides.begin() + 1, strides.begin() + 2, strides.begin() + out.rank());
  }
  return strides;
}

// An operand can be read channels-last if its axes line up with the output's, so that it has such a
// form, or if its plain form is read in runs then (a number for each channel).
bool LinesUp(const Shape& operand, const Shape& out) {
  if (operand.rank() == out.rank() || operand.elements() == 1) return true;
  return out.rank() > 0 && LastStrides(operand, out)[static_cast<size_t>(out.rank() - 1)] <= 1;
}

}  // namespace

MapBuilder::MapBuilder(LowerContext& context, const Shape& shape)
    : context_(context), shape_(shape) {
  bool lines_up = true;
  bool any_last = false;
  for (int i = 0; i < context.input_count(); ++i) {
    if (!context.HasInput(i)) continue;
    const Shape& operand = context.InputShape(i);
    lines_up = lines_up && LinesUp(operand, shape);
    any_last = any_last || (context.IsChannelsLast(i) && operand.rank() == shape.rank());
  }
  if (lines_up && any_last) layout_ = Layout::kChannelsLast;
  SetSize();
}

MapBuilder::MapBuilder(LowerContext& context, const Shape& shape, Layout layout)
    : context_(context), shape_(shape), layout_(layout) {
  SetSize();
}

void MapBuilder::SetSize() {
  const Shape laid = layout_ == Layout::kPlain ? shape_ : ChannelsLast(shape_);
  prim_.rank = laid.rank();
  std::ranges::copy(laid.dims(), prim_.size.begin());
}

MapBuilder::Value MapBuilder::Add(Kind kind, size_t index, ir::MapType type) {
  sources_.push_back({kind, static_cast<int>(index)});
  return {static_cast<int>(sources_.size() - 1), type};
}

MapBuilder::Value MapBuilder::Input(int i) {
  return Input(i, context_.InputShape(i));
}

MapBuilder::Value MapBuilder::Input(int i, const Shape& operand) {
  const auto known = std::ranges::find(asked_, i);
  if (known != asked_.end()) return inputs_[static_cast<size_t>(known - asked_.begin())];
  const ValueInfo& info = context_.Input(i);
  if (info.constant && operand.elements() == 1) {
    const ir::MapType type = ir::MapTypeOf(info.dtype);
    if (tensor::IsFloat(info.dtype)) return Number(type, info.constant->Number(0));
    return Integer(type, info.constant->Integer(0));
  }
  const bool last = layout_ == Layout::kChannelsLast && operand.rank() == shape_.rank();
  prim_.strides.push_back(
      last ? tensor::BroadcastStrides(ChannelsLast(operand), ChannelsLast(shape_))
      : layout_ == Layout::kPlain ? tensor::BroadcastStrides(operand, shape_)
                                  : LastStrides(operand, shape_));
  asked_.push_back(i);
  buffers_.push_back(-1);
  inputs_.push_back(Add(Kind::kInput, asked_.size() - 1, ir::MapTypeOf(context_.Input(i).dtype)));
  return inputs_.back();
}

MapBuilder::Value MapBuilder::Buffer(BufferId id, DType dtype, const Shape& as) {
  const Shape laid = layout_ == Layout::kPlain ? shape_ : ChannelsLast(shape_);
  return Buffer(id, dtype, tensor::BroadcastStrides(as, laid));
}

MapBuilder::Value MapBuilder::Buffer(BufferId id, DType dtype, const tensor::Strides& strides) {
  prim_.strides.push_back(strides);
  asked_.push_back(-1);
  buffers_.push_back(id);
  inputs_.push_back(Add(Kind::kInput, asked_.size() - 1, ir::MapTypeOf(dtype)));
  return inputs_.back();
}

MapBuilder::Value MapBuilder::Number(ir::MapType type, double number) {
  // Who asks for an integer gives one; of the others only `number` counts.
  const bool fits = number >= -0x1p63 && number < 0x1p63;
  prim_.constants.push_back({type, number, fits ? static_cast<int64_t>(number) : 0});
  return Add(Kind::kConstant, prim_.constants.size() - 1, type);
}

MapBuilder::Value MapBuilder::Integer(ir::MapType type, int64_t number) {
  prim_.constants.push_back({type, static_cast<double>(number), number});
  return Add(Kind::kConstant, prim_.constants.size() - 1, type);
}

MapBuilder::Value MapBuilder::Call(std::string_view function, Value a) {
  return Call(function, a, {}, {});
}

MapBuilder::Value MapBuilder::Call(std::string_view function, Value a, Value b) {
  return Call(function, a, b, {});
}

MapBuilder::Value MapBuilder::Call(std::string_view function, Value a, Value b, Value c) {
  const auto known = ir::MapFunctionOf(function);
  CHECK(known.has_value()) << function;  // names stand in operators' own tables
  prim_.code.push_back({*known, a.type, {a.number, b.number, c.number}});
  return Add(Kind::kResult, prim_.code.size() - 1, a.type);
}

MapBuilder::Value MapBuilder::Convert(Value a, ir::MapType type) {
  if (a.type == type) return a;
  prim_.code.push_back({ir::MapFunction::kConvert, type, {a.number, -1, -1}});
  return Add(Kind::kResult, prim_.code.size() - 1, type);
}

MapBuilder::Value MapBuilder::Narrow(Value a, DType dtype) {
  const ir::MapType type = ir::MapTypeOf(dtype);
  const bool is_float = a.type == ir::MapType::kF32 || a.type == ir::MapType::kF64;
  Value x = Convert(a, type);
  if (!is_float || !tensor::IsInteger(dtype) || tensor::DTypeSize(dtype) == 8 ||
      dtype == DType::kI32) {
    return x;
  }
  // The register is wider than the elements: the result stops at the ends of these.
  const int bits = tensor::IntegerBits(dtype);
  const bool is_unsigned = tensor::IsUnsigned(dtype);
  const int64_t low = is_unsigned ? 0 : -(int64_t{1} << (bits - 1));
  const int64_t high = (int64_t{1} << (is_unsigned ? bits : bits - 1)) - 1;
  x = Call("Max", x, Integer(type, low));
  return Call("Min", x, Integer(type, high));
}

void MapBuilder::Output(int i, Value value) {
  outputs_.push_back(i);
  targets_.push_back(-1);
  prim_.results.push_back(value.number);
}

void MapBuilder::OutputTo(BufferId buffer, Value value) {
  outputs_.push_back(-1);
  targets_.push_back(buffer);
  prim_.results.push_back(value.number);
}

BufferId MapBuilder::EmitNew(DType dtype, Value value) {
  const BufferId id =
      context_.Temporary(dtype, layout_ == Layout::kPlain ? shape_ : ChannelsLast(shape_));
  OutputTo(id, value);
  Emit();
  return id;
}

void MapBuilder::Emit() {
  const auto constants = static_cast<int>(prim_.strides.size());
  const int results = constants + static_cast<int>(prim_.constants.size());
  auto renumber = [&](int& value) {
    if (value < 0) return;
    const Source& source = sources_[static_cast<size_t>(value)];
    value = source.index + (source.kind == Kind::kInput      ? 0
                            : source.kind == Kind::kConstant ? constants
                                                             : results);
  };
  for (ir::MapPrim::Instruction& step : prim_.code) {
    for (int& value : step.from) renumber(value);
  }
  for (int& value : prim_.results) renumber(value);
  std::vector<BufferId> in, out;
  for (size_t k = 0; k < asked_.size(); ++k) {
    const int i = asked_[k];
    if (i < 0) {
      in.push_back(buffers_[k]);
      continue;
    }
    const bool last =
        layout_ == Layout::kChannelsLast && context_.InputShape(i).rank() == shape_.rank();
    in.push_back(context_.In(i, last ? Layout::kChannelsLast : Layout::kPlain));
  }
  for (size_t k = 0; k < outputs_.size(); ++k) {
    out.push_back(outputs_[k] < 0 ? targets_[k] : context_.Out(outputs_[k], layout_));
  }
  context_.EmitMany(std::move(prim_), std::move(in), std::move(out));
}

}  // namespace ferry::ops
