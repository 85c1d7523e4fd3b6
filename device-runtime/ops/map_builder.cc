#include "device-runtime/ops/map_builder.h"

#include <algorithm>

namespace ferry::ops {
namespace {

// An operand can be read channels-last if its axes line up with the output's, or it is one number.
bool LinesUp(const Shape& operand, const Shape& out) {
  return operand.rank() == out.rank() || operand.elements() == 1;
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
  const Shape laid = layout_ == Layout::kPlain ? shape : ChannelsLast(shape);
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
  const Shape laid = layout_ == Layout::kPlain ? shape_ : ChannelsLast(shape_);
  prim_.strides.push_back(tensor::BroadcastStrides(last ? ChannelsLast(operand) : operand, laid));
  asked_.push_back(i);
  inputs_.push_back(Add(Kind::kInput, asked_.size() - 1, ir::MapTypeOf(context_.Input(i).dtype)));
  return inputs_.back();
}

MapBuilder::Value MapBuilder::Number(ir::MapType type, double number) {
  prim_.constants.push_back({type, number, static_cast<int64_t>(number)});
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
  prim_.code.push_back({std::string(function), a.type, {a.number, b.number, c.number}});
  return Add(Kind::kResult, prim_.code.size() - 1, a.type);
}

MapBuilder::Value MapBuilder::Convert(Value a, ir::MapType type) {
  if (a.type == type) return a;
  prim_.code.push_back({"Convert", type, {a.number, -1, -1}});
  return Add(Kind::kResult, prim_.code.size() - 1, type);
}

void MapBuilder::Output(int i, Value value) {
  outputs_.push_back(i);
  prim_.results.push_back(value.number);
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
  for (int i : asked_) {
    const bool last =
        layout_ == Layout::kChannelsLast && context_.InputShape(i).rank() == shape_.rank();
    in.push_back(context_.In(i, last ? Layout::kChannelsLast : Layout::kPlain));
  }
  for (int i : outputs_) out.push_back(context_.Out(i, layout_));
  context_.EmitMany(std::move(prim_), std::move(in), std::move(out));
}

}  // namespace ferry::ops
