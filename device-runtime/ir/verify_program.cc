#include "device-runtime/ir/program.h"

namespace ferry::ir {
namespace {

// Sizes of primitives come from checked shapes; strides times sizes cannot overflow int64 while
// each extent is at most kMaxElements and ranks are small, but products are still done in 128 bits.
using Wide = __int128;

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

  // Input `index` is there and has at least `elements` f32 elements.
  Status In(size_t index, Wide elements, DType dtype = DType::kF32) const {
    if (index >= step_->inputs.size() || step_->inputs[index] < 0)
      return Bad("lacks input {}", index);
    const BufferId id = step_->inputs[index];
    if (program_.buffers[id].dtype != dtype) return Bad("input %{} has another dtype", id);
    if (Wide{Elements(id)} < elements) return Bad("reads behind the end of %{}", id);
    return OkStatus();
  }
  Status Optional(size_t index, Wide elements) const {
    if (index >= step_->inputs.size() || step_->inputs[index] < 0) return OkStatus();
    return In(index, elements);
  }
  Status Out(Wide elements, DType dtype = DType::kF32) const {
    const BufferId id = step_->outputs[0];
    if (program_.buffers[id].dtype != dtype) return Bad("output %{} has another dtype", id);
    if (Wide{Elements(id)} != elements) return Bad("output %{} has another size", id);
    return OkStatus();
  }

  Status Check(const ConvPrim& p) const {
    if (p.groups < 1 || p.in_c % p.groups != 0 || p.out_c % p.groups != 0) return Bad("bad groups");
    if (p.stride_h < 1 || p.stride_w < 1 || p.dilation_h < 1 || p.dilation_w < 1 ||
        p.kernel_h < 1 || p.kernel_w < 1 || p.pad_top < 0 || p.pad_left < 0) {
      return Bad("bad window");
    }
    FERRY_TRY(In(0, Wide{p.batch} * p.in_h * p.in_w * p.in_c));
    FERRY_TRY(In(1, Wide{p.out_c} * (p.in_c / p.groups) * p.kernel_h * p.kernel_w));
    FERRY_TRY(Optional(2, p.out_c));
    const Wide out = Wide{p.batch} * p.out_h * p.out_w * p.out_c;
    FERRY_TRY(Optional(3, out));
    return Out(out);
  }
  Status Check(const MatMulPrim& p) const {
    if (p.m < 0 || p.n < 0 || p.k < 0 || p.a_offsets.size() != p.b_offsets.size() || p.a_row < 0 ||
        p.a_column < 0 || p.b_row < 0 || p.b_column < 0) {
      return Bad("bad sizes");
    }
    const bool empty = p.m == 0 || p.n == 0 || p.k == 0;
    for (size_t i = 0; i < p.a_offsets.size() && !empty; ++i) {
      if (p.a_offsets[i] < 0 || p.b_offsets[i] < 0) return Bad("bad offsets");
      FERRY_TRY(In(0, p.a_offsets[i] + Wide{p.m - 1} * p.a_row + Wide{p.k - 1} * p.a_column + 1));
      FERRY_TRY(In(1, p.b_offsets[i] + Wide{p.k - 1} * p.b_row + Wide{p.n - 1} * p.b_column + 1));
    }
    const Wide out = Wide(p.a_offsets.size()) * p.m * p.n;
    FERRY_TRY(Optional(2, p.n));
    FERRY_TRY(Optional(3, out));
    return Out(out);
  }
  Status Check(const PoolPrim& p) const {
    if (p.stride_h < 1 || p.stride_w < 1 || p.dilation_h < 1 || p.dilation_w < 1 ||
        p.kernel_h < 1 || p.kernel_w < 1 || p.pad_top < 0 || p.pad_left < 0 || p.pad_bottom < 0 ||
        p.pad_right < 0) {
      return Bad("bad window");
    }
    FERRY_TRY(In(0, Wide{p.batch} * p.in_h * p.in_w * p.channels));
    return Out(Wide{p.batch} * p.out_h * p.out_w * p.channels);
  }
  Status Check(const UnaryPrim& p) const {
    FERRY_TRY(In(0, p.count));
    return Out(p.count);
  }
  Status Check(const BinaryPrim& p) const {
    Wide a = 1, b = 1, out = 1;
    if (p.rank < 0 || p.rank > tensor::kMaxRank) return Bad("bad rank");
    for (int i = 0; i < p.rank; ++i) {
      if (p.size[i] < 0 || p.a_stride[i] < 0 || p.b_stride[i] < 0) return Bad("bad strides");
      a += Wide{p.size[i] - 1} * p.a_stride[i];
      b += Wide{p.size[i] - 1} * p.b_stride[i];
      out *= p.size[i];
    }
    FERRY_TRY(In(0, out == 0 ? 0 : a));
    FERRY_TRY(In(1, out == 0 ? 0 : b));
    return Out(out);
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
        const bool converts = step.function == "Convert";
        if (v >= 0 && !converts && types[static_cast<size_t>(v)] != step.type) {
          return Bad("'{}' of another type", step.function);
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
  Status Check(const ReducePrim& p) const {
    FERRY_TRY(In(0, Wide{p.outer} * p.size * p.inner));
    return Out(Wide{p.outer} * p.inner);
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
  Status Check(const GatherPrim& p) const {
    const DType dtype = program_.buffers[step_->outputs[0]].dtype;
    FERRY_TRY(In(0, Wide{p.outer} * p.size * p.inner, dtype));
    FERRY_TRY(In(1, p.count, DType::kI64));
    return Out(Wide{p.outer} * p.count * p.inner, dtype);
  }
  Status Check(const CallPrim& p) const { return p.node ? OkStatus() : Bad("calls nothing"); }

  const Program& program_;
  std::vector<bool> made_;
  const Step* step_ = nullptr;
};

}  // namespace

Status Verify(const Program& program) {
  return ProgramVerifier(program).Run();
}

}  // namespace ferry::ir
