#include "device-runtime/ops/lower_context.h"

#include <algorithm>
#include <numeric>

namespace ferry::ops {

Shape ChannelsLast(const Shape& shape) {
  if (shape.rank() < 3) return shape;
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  return Shape::Make(dims).value();
}

ir::Region Permuted(const Shape& shape, std::span<const int> axes) {
  const tensor::Strides strides = tensor::DenseStrides(shape);
  ir::Region region;
  region.rank = shape.rank();
  int64_t step = 1;
  for (int i = region.rank - 1; i >= 0; --i) {
    const auto axis = static_cast<size_t>(axes[static_cast<size_t>(i)]);
    const auto at = static_cast<size_t>(i);
    region.size[at] = shape[static_cast<int>(axis)];
    region.from_stride[at] = strides[axis];
    region.to_stride[at] = step;
    step *= std::max<int64_t>(region.size[at], 1);
  }
  return region;
}

namespace {

ir::MapPrim CastMap(DType from, DType to, const Shape& shape) {
  ir::MapPrim map;
  map.rank = 1;
  map.size[0] = shape.elements();
  map.strides.push_back({1});
  if (ir::MapTypeOf(from) != ir::MapTypeOf(to)) {
    map.code.push_back({ir::MapFunction::kConvert, ir::MapTypeOf(to), {0, -1, -1}});
  }
  map.results = {static_cast<int>(map.code.size())};
  return map;
}

}  // namespace

BufferId Convert(ir::Program& program, BufferId from, DType dtype, const Shape& plain_shape,
                 Layout to, const std::string& node) {
  const int rank = plain_shape.rank();
  const Shape last = ChannelsLast(plain_shape);
  const Shape& target = to == Layout::kPlain ? plain_shape : last;
  const auto id = static_cast<BufferId>(program.buffers.size());
  program.buffers.push_back({dtype, target});
  // One channel, or one position: the order of bytes is the same.
  if (rank < 3 || plain_shape[1] == 1 || plain_shape.Product(2, rank) == 1) {
    program.buffers.back().alias = program.Root(from);
    return id;
  }
  std::vector<int> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  if (to == Layout::kPlain) {
    std::rotate(axes.begin() + 1, axes.end() - 1, axes.end());
  } else {
    std::rotate(axes.begin() + 1, axes.begin() + 2, axes.end());
  }
  ir::RasterPrim raster;
  raster.copies.push_back({0, Permuted(to == Layout::kPlain ? last : plain_shape, axes)});
  program.steps.push_back({std::move(raster), {from}, {id}, node});
  return id;
}

BufferId LowerContext::In(int i, Layout layout) {
  Forms& forms = *inputs_[static_cast<size_t>(i)];
  const DType dtype = Input(i).dtype;
  if (forms[layout] < 0) {
    const Layout other = layout == Layout::kPlain ? Layout::kChannelsLast : Layout::kPlain;
    forms[layout] = Convert(program_, forms[other], dtype, InputShape(i), layout, node().name);
  }
  if (Computed(dtype) == dtype) return forms[layout];
  std::vector<BufferId>& widened = widened_[static_cast<size_t>(layout)];
  widened.resize(static_cast<size_t>(input_count()), -1);
  BufferId& wide = widened[static_cast<size_t>(i)];
  if (wide < 0) {
    const Shape& shape = InputShape(i);
    wide = Widened(forms[layout], layout == Layout::kPlain ? shape : ChannelsLast(shape));
  }
  return wide;
}

bool LowerContext::IsChannelsLast(int i) const {
  const Forms& forms = *inputs_[static_cast<size_t>(i)];
  return forms[Layout::kChannelsLast] >= 0 && forms[Layout::kPlain] < 0;
}

BufferId LowerContext::OwnOut(int i, Layout layout) {
  const ValueInfo& info = OutputInfo(i);
  const BufferId id =
      Temporary(info.dtype, layout == Layout::kPlain ? info.shape : ChannelsLast(info.shape));
  if (HasOutput(i)) (*outputs_[static_cast<size_t>(i)])[layout] = id;
  return id;
}

BufferId LowerContext::Out(int i, Layout layout) {
  if (OutType(i) == OutputInfo(i).dtype) return OwnOut(i, layout);
  const Shape& shape = OutputShape(i);
  const BufferId id = Temporary(OutType(i), layout == Layout::kPlain ? shape : ChannelsLast(shape));
  if (HasOutput(i)) pending_.push_back({i, layout, id});
  return id;
}

void LowerContext::ComputeInFloat(bool doubles) {
  in_float_ = true;
  doubles_ = doubles;
}

DType LowerContext::Computed(DType dtype) const {
  const bool converts = in_float_ && tensor::IsFloat(dtype) && (dtype != DType::kF64 || doubles_);
  return converts ? DType::kF32 : dtype;
}

void LowerContext::Finish() {
  in_float_ = false;
  for (const Pending& p : pending_) {
    const Shape& shape = OutputShape(p.output);
    const Shape laid = p.layout == Layout::kPlain ? shape : ChannelsLast(shape);
    Emit(CastMap(DType::kF32, OutputInfo(p.output).dtype, laid), {p.made},
         OwnOut(p.output, p.layout));
  }
  pending_.clear();
}

// Constants are converted once.
BufferId LowerContext::Widened(BufferId from, const Shape& shape) {
  const auto& known = program_.buffers[program_.Root(from)].constant;
  if (known) {
    auto wide = Tensor::Allocate(DType::kF32, shape);
    if (wide.ok()) {
      for (int64_t i = 0; i < shape.elements(); ++i) wide->SetNumber(i, known->Number(i));
      return Constant(*std::move(wide));
    }
  }
  return Cast(from, DType::kF32, shape);
}

BufferId LowerContext::Cast(BufferId from, DType to, const Shape& shape) {
  const DType dtype = program_.buffers[from].dtype;
  if (dtype == to) return from;
  const BufferId id = Temporary(to, shape);
  Emit(CastMap(dtype, to, shape), {from}, id);
  return id;
}

BufferId LowerContext::Moved(BufferId from, DType dtype, const Shape& shape,
                             const ir::Region& region) {
  const BufferId id = Temporary(dtype, shape);
  ir::RasterPrim raster;
  raster.copies.push_back({0, region});
  Emit(std::move(raster), {from}, id);
  return id;
}

void LowerContext::Alias(int i, BufferId source, Layout layout) {
  const BufferId id = Out(i, layout);
  program_.buffers[id].alias = program_.Root(source);  // no chains: long ones are slow to follow
}

BufferId LowerContext::View(BufferId source, DType dtype, const Shape& shape) {
  const BufferId id = Temporary(dtype, shape);
  program_.buffers[id].alias = program_.Root(source);
  return id;
}

BufferId LowerContext::Temporary(DType dtype, const Shape& shape) {
  program_.buffers.push_back({dtype, shape});
  return static_cast<BufferId>(program_.buffers.size() - 1);
}

BufferId LowerContext::Constant(Tensor tensor) {
  const BufferId id = Temporary(tensor.dtype(), tensor.shape());
  program_.buffers[id].constant = std::move(tensor);
  return id;
}

void LowerContext::Emit(ir::Primitive primitive, std::vector<BufferId> inputs, BufferId output) {
  EmitMany(std::move(primitive), std::move(inputs), {output});
}

void LowerContext::EmitMany(ir::Primitive primitive, std::vector<BufferId> inputs,
                            std::vector<BufferId> outputs) {
  program_.steps.push_back(
      {std::move(primitive), std::move(inputs), std::move(outputs), node().name});
}

void LowerContext::EmitHost() {
  std::vector<BufferId> inputs;
  for (int i = 0; i < input_count(); ++i) inputs.push_back(HasInput(i) ? In(i) : -1);
  std::vector<BufferId> outputs;
  for (int i = 0; i < output_count(); ++i) outputs.push_back(Out(i));
  EmitMany(ir::HostPrim{std::make_shared<Node>(node())}, std::move(inputs), std::move(outputs));
}

}  // namespace ferry::ops
