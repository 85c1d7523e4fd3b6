#include "device-runtime/ir/step_access.h"

namespace ferry::ir {
namespace {

class ProgramVerifier {
 public:
  explicit ProgramVerifier(const Program& program)
      : program_(program), made_(program.buffers.size(), false) {}

  Status Run() {
    const auto count = static_cast<BufferId>(program_.buffers.size());
    for (BufferId id = 0; id < count; ++id) {
      const BufferInfo& buffer = program_.buffers[id];
      if (buffer.alias >= count || (buffer.alias >= id)) return Bad("buffer %{}: bad alias", id);
      if (buffer.alias >= 0 && Bytes(id) != Bytes(program_.Root(id))) {
        return Bad("buffer %{}: its alias has another size", id);
      }
      if (buffer.constant || buffer.input >= 0) made_[id] = true;
    }
    for (const Step& step : program_.steps) {
      FERRY_TRY(OneStep(step).Context("step of '{}'", step.node));
    }
    for (BufferId id : program_.outputs) {
      if (!Made(id)) return Bad("output %{} is never made", id);
    }
    return OkStatus();
  }

 private:
  template <typename... A>
  static Status Bad(fmt::format_string<A...> format, A&&... args) {
    return Status::Of(Code::kInternal, format, std::forward<A>(args)...);
  }
  Wide Bytes(BufferId id) const {
    const BufferInfo& b = program_.buffers[id];
    return Wide{b.shape.elements()} * static_cast<int64_t>(tensor::DTypeSize(b.dtype));
  }
  bool Made(BufferId id) const {
    return id >= 0 && static_cast<size_t>(id) < made_.size() && made_[program_.Root(id)];
  }
  int64_t Elements(BufferId id) const { return program_.buffers[id].shape.elements(); }

  Status OneStep(const Step& step) {
    step_ = &step;
    for (BufferId id : step.inputs) {
      if (id != -1 && !Made(id)) return Bad("reads %{} before it is made", id);
    }
    if (step.outputs.empty()) return Bad("has no output");
    for (BufferId id : step.outputs) {
      if (id < 0 || static_cast<size_t>(id) >= made_.size()) return Bad("writes no buffer");
      if (program_.buffers[id].alias >= 0 || made_[id]) return Bad("writes %{} again", id);
    }
    FERRY_TRY(std::visit([&](const auto& p) { return Check(p); }, step.primitive));
    for (BufferId id : step.outputs) made_[id] = true;
    return OkStatus();
  }

  Status In(size_t index, Wide elements, DType dtype = DType::kF32) const {
    return Access().In(index, elements, dtype);
  }
  Status Optional(size_t index, Wide elements, DType dtype = DType::kF32) const {
    return Access().Optional(index, elements, dtype);
  }
  // The same of u8 or i8.
  Status Bytes(size_t index, Wide elements) const {
    if (index >= step_->inputs.size() || step_->inputs[index] < 0) {
      return Bad("lacks input {}", index);
    }
    const DType dtype = program_.buffers[step_->inputs[index]].dtype;
    return In(index, elements, dtype == DType::kI8 ? DType::kI8 : DType::kU8);
  }
  DType OutType() const { return program_.buffers[step_->outputs[0]].dtype; }
  Status Out(Wide elements, DType dtype = DType::kF32) const {
    return Access().Out(elements, dtype);
  }
  StepAccess Access() const { return {program_, *step_}; }
  // The dtype of the first output, if it is one of `list`.
  Result<DType> TypeIn(std::initializer_list<DType> list) const {
    const DType dtype = Access().OutType();
    for (DType d : list) {
      if (d == dtype) return d;
    }
    return Bad("elements are {}", tensor::DTypeName(dtype));
  }

  template <typename Prim>
  Status Check(const Prim& p) const {
    return CheckStep(Access(), p);
  }
  Status CheckWindow(const ConvPrim& p) const {
    if (p.groups < 1 || p.in_c % p.groups != 0 || p.out_c % p.groups != 0) return Bad("bad groups");
    if (p.stride_h < 1 || p.stride_w < 1 || p.dilation_h < 1 || p.dilation_w < 1 ||
        p.kernel_h < 1 || p.kernel_w < 1 || p.pad_top < 0 || p.pad_left < 0) {
      return Bad("bad window");
    }
    return OkStatus();
  }
  Status Check(const ConvPrim& p) const {
    FERRY_TRY(CheckWindow(p));
    FERRY_ASSIGN_OR_RETURN(const DType d, TypeIn({DType::kF32, DType::kF64, DType::kI32}));
    FERRY_TRY(In(0, Wide{p.batch} * p.in_h * p.in_w * p.in_c, d));
    FERRY_TRY(In(1, Wide{p.out_c} * (p.in_c / p.groups) * p.kernel_h * p.kernel_w, d));
    FERRY_TRY(Optional(2, p.out_c, d));
    const Wide out = Wide{p.batch} * p.out_h * p.out_w * p.out_c;
    FERRY_TRY(Optional(3, out, d));
    return Out(out, d);
  }
  // A product with a matrix of 8 or 4 bits.
  Status CheckStored(const MatMulPrim& p) const {
    const ir::Shape& scale = program_.buffers[step_->inputs[4]].shape;
    if (OutType() != DType::kF32 || p.a_offsets.size() != 1 || p.a_column != 1) {
      return Bad("bad stored product");
    }
    if (scale.rank() != 2 || scale[0] < 1 || scale[1] != p.n || p.k % scale[0] != 0) {
      return Bad("bad scales");
    }
    const DType b = Access().Has(1) ? Access().InType(1) : DType::kF32;
    if (b != DType::kI8 && b != DType::kU8 && b != DType::kI4 && b != DType::kU4) {
      return Bad("stored elements are {}", tensor::DTypeName(b));
    }
    FERRY_TRY(In(4, scale.elements()));
    return Optional(5, scale.elements());
  }
  Status Check(const MatMulPrim& p) const {
    if (p.m < 0 || p.n < 0 || p.k < 0 || p.a_offsets.size() != p.b_offsets.size() || p.a_row < 0 ||
        p.a_column < 0 || p.b_row < 0 || p.b_column < 0) {
      return Bad("bad sizes");
    }
    FERRY_ASSIGN_OR_RETURN(const DType d, TypeIn({DType::kF32, DType::kF64, DType::kI32,
                                                  DType::kU32, DType::kI64, DType::kU64}));
    const bool empty = p.m == 0 || p.n == 0 || p.k == 0;
    const bool is_stored = Access().Has(4);
    if (is_stored) FERRY_TRY(CheckStored(p));
    const DType right = is_stored && Access().Has(1) ? Access().InType(1) : d;
    for (size_t i = 0; i < p.a_offsets.size() && !empty; ++i) {
      if (p.a_offsets[i] < 0 || p.b_offsets[i] < 0) return Bad("bad offsets");
      FERRY_TRY(
          In(0, p.a_offsets[i] + Wide{p.m - 1} * p.a_row + Wide{p.k - 1} * p.a_column + 1, d));
      FERRY_TRY(
          In(1, p.b_offsets[i] + Wide{p.k - 1} * p.b_row + Wide{p.n - 1} * p.b_column + 1, right));
    }
    const Wide out = Wide(p.a_offsets.size()) * p.m * p.n;
    FERRY_TRY(Optional(2, p.n, d));
    FERRY_TRY(Optional(3, out, d));
    return Out(out, d);
  }
  Status CheckWindow(const PoolPrim& p) const {
    if (p.stride_h < 1 || p.stride_w < 1 || p.dilation_h < 1 || p.dilation_w < 1 ||
        p.kernel_h < 1 || p.kernel_w < 1 || p.pad_top < 0 || p.pad_left < 0 || p.pad_bottom < 0 ||
        p.pad_right < 0) {
      return Bad("bad window");
    }
    return OkStatus();
  }
  Status Check(const PoolPrim& p) const {
    FERRY_TRY(CheckWindow(p));
    const DType dtype =
        p.kind == PoolKind::kMax && tensor::DTypeSize(OutType()) == 1 ? OutType() : DType::kF32;
    FERRY_TRY(In(0, Wide{p.batch} * p.in_h * p.in_w * p.channels, dtype));
    return Out(Wide{p.batch} * p.out_h * p.out_w * p.channels, dtype);
  }
  // The type of what a quantized sum becomes.
  Status QuantOut(Wide elements, bool has_factor) const {
    const DType dtype = OutType();
    if (dtype == DType::kI32) return Out(elements, dtype);
    if (!has_factor) return Bad("lacks factors");
    if (dtype != DType::kU8 && dtype != DType::kI8) return Out(elements);
    return Out(elements, dtype);
  }
  Status Check(const QuantConvPrim& p) const {
    const ConvPrim& c = p.conv;
    FERRY_TRY(CheckWindow(c));
    FERRY_TRY(Bytes(0, Wide{c.batch} * c.in_h * c.in_w * c.in_c));
    FERRY_TRY(In(1, Wide{c.out_c} * (c.in_c / c.groups) * c.kernel_h * c.kernel_w, DType::kI8));
    FERRY_TRY(Optional(2, c.out_c));
    FERRY_TRY(Optional(3, c.out_c, DType::kI32));
    FERRY_TRY(Optional(4, c.out_c));
    const Wide out = Wide{c.batch} * c.out_h * c.out_w * c.out_c;
    auto has = [&](size_t i) { return i < step_->inputs.size() && step_->inputs[i] >= 0; };
    if (has(5)) FERRY_TRY(Bytes(5, out));
    if (has(6)) FERRY_TRY(In(6, 1, program_.buffers[step_->inputs[0]].dtype));
    return QuantOut(out, has(2));
  }
  Status Check(const QuantPoolPrim& p) const {
    FERRY_TRY(CheckWindow(p.pool));
    FERRY_TRY(Bytes(0, Wide{p.pool.batch} * p.pool.in_h * p.pool.in_w * p.pool.channels));
    return QuantOut(Wide{p.pool.batch} * p.pool.out_h * p.pool.out_w * p.pool.channels, true);
  }
  Status Check(const BytesPrim& p) const {
    if (p.outer < 0 || p.repeat < 0 || p.inner < 0) return Bad("bad sizes");
    const Wide count = Wide{p.outer} * p.repeat * p.inner;
    if (p.kind == BytesKind::kQuantize) {
      if (p.repeat > 4) return Bad("too many channels");
      FERRY_TRY(In(0, count));
    } else {
      FERRY_TRY(Bytes(0, count));
      FERRY_TRY(Bytes(1, p.kind == BytesKind::kTable ? Wide{256} : Wide{p.outer} * p.inner));
    }
    return Out(count, OutType() == DType::kI8 ? DType::kI8 : DType::kU8);
  }
  Status Check(const MapPrim& p) const {
    if (p.rank < 0 || p.rank > tensor::kMaxRank || p.strides.size() != step_->inputs.size() ||
        p.results.size() != step_->outputs.size()) {
      return Bad("bad counts");
    }
    Wide out = 1;
    for (int axis = 0; axis < p.rank; ++axis) {
      if (p.size[static_cast<size_t>(axis)] < 0) return Bad("bad size");
      out *= p.size[static_cast<size_t>(axis)];
    }
    for (size_t i = 0; i < p.strides.size(); ++i) {
      Wide last = 0;
      for (int axis = 0; axis < p.rank; ++axis) {
        const auto a = static_cast<size_t>(axis);
        if (p.strides[i][a] < 0) return Bad("bad strides");
        last += Wide{p.size[a] - 1} * p.strides[i][a];
      }
      if (step_->inputs[i] < 0) return Bad("lacks input {}", i);
      const DType dtype = program_.buffers[step_->inputs[i]].dtype;
      if (dtype == DType::kString) return Bad("reads strings");
      FERRY_TRY(In(i, out == 0 ? Wide{0} : last + 1, dtype));
    }
    return CheckValues(p, out);
  }
  // Operands come before their instruction, and types are those that functions see.
  Status CheckValues(const MapPrim& p, Wide elements) const {
    std::vector<MapType> types;
    for (BufferId id : step_->inputs) types.push_back(MapTypeOf(program_.buffers[id].dtype));
    for (const MapPrim::Constant& constant : p.constants) types.push_back(constant.type);
    for (const MapPrim::Instruction& step : p.code) {
      for (int v : step.from) {
        if (v < -1 || v >= static_cast<int>(types.size())) return Bad("reads a later value");
        const bool converts = step.function == MapFunction::kConvert;
        if (v >= 0 && !converts && types[static_cast<size_t>(v)] != step.type) {
          return Bad("'{}' of another type", Name(step.function));
        }
      }
      types.push_back(step.type);
    }
    for (size_t i = 0; i < p.results.size(); ++i) {
      const BufferInfo& y = program_.buffers[step_->outputs[i]];
      const int v = p.results[i];
      if (v < 0 || v >= static_cast<int>(types.size())) return Bad("gives no value");
      if (y.dtype == DType::kString || types[static_cast<size_t>(v)] != MapTypeOf(y.dtype)) {
        return Bad("output %{} has another type", step_->outputs[i]);
      }
      if (Wide{y.shape.elements()} != elements) {
        return Bad("output %{} has another size", step_->outputs[i]);
      }
    }
    return OkStatus();
  }
  Status Check(const SoftmaxPrim& p) const {
    FERRY_TRY(In(0, Wide{p.outer} * p.size * p.inner));
    return Out(Wide{p.outer} * p.size * p.inner);
  }
  Status Check(const RasterPrim& p) const {
    const DType dtype = program_.buffers[step_->outputs[0]].dtype;
    for (const RasterPrim::Copy& copy : p.copies) {
      const Region& r = copy.region;
      if (r.rank < 0 || r.rank > tensor::kMaxRank || copy.input < 0) return Bad("bad region");
      FERRY_TRY(In(static_cast<size_t>(copy.input), 0, dtype));
      Wide from_low = r.from, from_high = r.from, to_low = r.to, to_high = r.to;
      bool empty = false;
      for (int i = 0; i < r.rank; ++i) {
        if (r.size[i] < 0) return Bad("bad region");
        empty = empty || r.size[i] == 0;
        const Wide from = Wide{r.size[i] - 1} * r.from_stride[i];
        const Wide to = Wide{r.size[i] - 1} * r.to_stride[i];
        (from < 0 ? from_low : from_high) += from;
        (to < 0 ? to_low : to_high) += to;
      }
      if (empty) continue;
      const BufferId source = step_->inputs[static_cast<size_t>(copy.input)];
      if (from_low < 0 || from_high >= Elements(source)) return Bad("reads outside %{}", source);
      if (to_low < 0 || to_high >= Elements(step_->outputs[0])) return Bad("writes outside");
    }
    return OkStatus();
  }
  Status Check(const HostPrim& p) const {
    return p.node && IsHostFunction(p.node->op) ? OkStatus() : Bad("calls nothing");
  }
  Status Check(const NormPrim& p) const {
    if (p.outer < 0 || p.size < 0) return Bad("bad sizes");
    FERRY_TRY(In(0, Wide{p.outer} * p.size));
    FERRY_TRY(Optional(1, p.size));
    FERRY_TRY(Optional(2, p.size));
    return Out(Wide{p.outer} * p.size);
  }
  // The index behind the last element of a view of rows x columns; -1: one lies before the first.
  static Wide EndOf(const AttentionPrim& p, const AttentionPrim::View& view, int64_t rows,
                    int64_t columns) {
    if (rows == 0 || columns == 0) return 0;
    Wide last = view.offset + Wide{rows - 1} * view.row + Wide{columns - 1} * view.column;
    bool fits = view.offset >= 0 && view.row >= 0 && view.column >= 0;
    for (int i = 0; i < p.rank; ++i) {
      const auto a = static_cast<size_t>(i);
      if (p.size[a] == 0) return 0;
      fits = fits && view.batch[a] >= 0;
      last += Wide{p.size[a] - 1} * view.batch[a];
    }
    return fits ? last + 1 : -1;
  }
  Status InView(size_t index, Wide end) const {
    return end < 0 ? Bad("bad strides of input {}", index) : In(index, end);
  }
  Status Check(const AttentionPrim& p) const {
    if (p.rank < 0 || p.rank > tensor::kMaxRank || p.queries < 0 || p.keys < 0 || p.depth < 0 ||
        p.value_depth < 0 || p.depth > kMaxAttentionDepth || p.y.column != 1) {
      return Bad("bad sizes");
    }
    Wide out = Wide{p.queries} * p.value_depth;
    for (int i = 0; i < p.rank; ++i) {
      if (p.size[static_cast<size_t>(i)] < 0) return Bad("bad sizes");
      out *= p.size[static_cast<size_t>(i)];
    }
    FERRY_TRY(InView(0, EndOf(p, p.q, p.queries, p.depth)));
    FERRY_TRY(InView(1, EndOf(p, p.k, p.keys, p.depth)));
    FERRY_TRY(InView(2, EndOf(p, p.v, p.keys, p.value_depth)));
    for (size_t i = 0; i < p.biases.size(); ++i) {
      if (3 + i >= step_->inputs.size() || step_->inputs[3 + i] < 0) continue;
      FERRY_TRY(InView(3 + i, EndOf(p, p.biases[i], p.queries, p.keys)));
    }
    const Wide end = EndOf(p, p.y, p.queries, p.value_depth);
    if (end < 0 || end > Elements(step_->outputs[0])) return Bad("writes outside");
    return Out(out);
  }

  const Program& program_;
  std::vector<bool> made_;
  const Step* step_ = nullptr;
};

}  // namespace

Status Verify(const Program& program) {
  return ProgramVerifier(program).Run();
}

}  // namespace ferry::ir
