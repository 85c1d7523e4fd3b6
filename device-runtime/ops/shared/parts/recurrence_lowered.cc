// RNN, GRU and LSTM as primitives: the products of all steps with the input are one, the rest is
// done step by step.
#include <array>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/shared/parts/recurrence.h"

namespace ferry::ops {
namespace {

class Direction {
 public:
  Direction(LowerContext& c, const RecurrencePlan& p, int64_t gates, int64_t d)
      : c_(c), p_(p), d_(d), width_(gates * p.hidden) {}

  // w x + w_bias, and r_bias for the first `biased` gates: [steps, batch, gates * hidden].
  Result<BufferId> FromInput(BufferId x, int64_t biased) {
    const int64_t rows = p_.steps * p_.batch;
    FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::array{rows, width_}));
    ir::MatMulPrim prim{rows, width_, p_.input, p_.input, 1, 1, p_.input, {0}, {}, {}};
    prim.b_offsets = {d_ * width_ * p_.input};
    const BufferId w = c_.In(1);
    BufferId bias = -1;
    if (c_.HasInput(3)) {
      FERRY_ASSIGN_OR_RETURN(bias, Bias(biased));
    }
    const BufferId y = c_.Temporary(DType::kF32, shape);
    c_.Emit(std::move(prim), {x, w, bias}, y);
    return y;
  }

  // `count` neighbouring floats of input `i`, from `from` on in this direction's share of `each`.
  BufferId Share(int i, int64_t each, int64_t from, int64_t count) {
    const BufferId all = c_.In(i);
    if (p_.directions == 1 && from == 0 && count == each) return all;
    if (const auto& known = c_.Input(i).constant) {  // weights stay constants, and are packed once
      auto part = Tensor::Allocate(DType::kF32, {count});
      for (int64_t k = 0; part.ok() && k < count; ++k) {
        part->SetNumber(k, known->Number(d_ * each + from + k));
      }
      if (part.ok()) return c_.Constant(*std::move(part));
    }
    ir::Region region;
    region.rank = 1;
    region.size[0] = count;
    region.from_stride[0] = region.to_stride[0] = 1;
    region.from = d_ * each + from;
    return c_.Moved(all, DType::kF32, Shape({count}), region);
  }
  BufferId StateBias(int64_t gate) {
    return Share(3, 2 * width_, width_ + gate * p_.hidden, p_.hidden);
  }

  // The states of input `i` as [batch, hidden].
  BufferId State(int i) {
    if (!p_.batch_first || p_.directions == 1) {
      return Share(i, p_.batch * p_.hidden, 0, p_.batch * p_.hidden);
    }
    ir::Region region;
    region.rank = 2;
    region.size = {p_.batch, p_.hidden};
    region.from_stride = {p_.directions * p_.hidden, 1};
    region.to_stride = {p_.hidden, 1};
    region.from = d_ * p_.hidden;
    return c_.Moved(c_.In(i), DType::kF32, Shape({p_.batch, p_.hidden}), region);
  }

 private:
  Result<BufferId> Bias(int64_t biased) {
    const BufferId w = Share(3, 2 * width_, 0, width_);
    if (biased == 0) return w;
    const BufferId r = Share(3, 2 * width_, width_, biased * p_.hidden);
    // Gates that take no bias of the state here read zeros.
    ir::RasterPrim raster;
    raster.fill = 0;
    ir::Region region;
    region.rank = 1;
    region.size[0] = biased * p_.hidden;
    region.from_stride[0] = region.to_stride[0] = 1;
    raster.copies.push_back({0, region});
    const Shape shape({width_});
    const BufferId padded = c_.Temporary(DType::kF32, shape);
    c_.Emit(std::move(raster), {r}, padded);
    MapBuilder map(c_, shape, Layout::kPlain);
    return map.EmitNew(DType::kF32, map.Call("Add", map.Buffer(w, DType::kF32, shape),
                                             map.Buffer(padded, DType::kF32, shape)));
  }

  LowerContext& c_;
  const RecurrencePlan& p_;
  int64_t d_, width_;
};

// x with the steps first.
BufferId StepsFirst(LowerContext& c, const RecurrencePlan& p) {
  const BufferId x = c.In(0);
  if (!p.batch_first) return x;
  const int order[] = {1, 0, 2};
  return c.Moved(x, DType::kF32, Shape({p.steps, p.batch, p.input}),
                 Permuted(c.InputShape(0), order));
}

// One output of all directions from one of each. Rows of `hidden`: `steps` (1 for last states) by
// `batch` of them in a direction's buffer.
void Join(LowerContext& c, const RecurrencePlan& p, int output, const std::vector<BufferId>& parts,
          int64_t steps) {
  if (!c.HasOutput(output)) return;
  if (p.directions == 1 && !(p.batch_first && steps > 1)) {
    ir::RasterPrim raster;
    ir::Region all;
    all.rank = 1;
    all.size[0] = steps * p.batch * p.hidden;
    all.from_stride[0] = all.to_stride[0] = 1;
    raster.copies.push_back({0, all});
    c.Emit(std::move(raster), {parts[0]}, c.Out(output));
    return;
  }
  ir::RasterPrim raster;
  for (size_t d = 0; d < parts.size(); ++d) {
    const auto at = static_cast<int64_t>(d);
    ir::Region region;
    region.rank = 3;
    region.size = {steps, p.batch, p.hidden};
    region.from_stride = {p.batch * p.hidden, p.hidden, 1};
    const int64_t row = p.directions * p.hidden;
    region.to_stride = p.batch_first ? decltype(region.to_stride){row, steps * row, 1}
                                     : decltype(region.to_stride){p.batch * row, p.hidden, 1};
    region.to = p.batch_first ? at * p.hidden : at * p.batch * p.hidden;
    raster.copies.push_back({static_cast<int>(d), region});
  }
  c.Emit(std::move(raster), parts, c.Out(output));
}

}  // namespace

Status LowerRecurrence(LowerContext& c, const RecurrenceSpec& spec, ir::CellKind kind, bool flag) {
  FERRY_ASSIGN_OR_RETURN(const RecurrencePlan p, PlanRecurrence(c, spec));
  c.ComputeInFloat(true);
  const int64_t gates = spec.gates;
  // The candidate's state product of kGru has its own bias when the reset gate acts on it.
  const bool own_bias = kind == ir::CellKind::kGru && flag;
  const BufferId x = StepsFirst(c, p);
  const size_t each = p.activations.size() / static_cast<size_t>(p.directions);
  std::array<std::vector<BufferId>, 3> parts;
  FERRY_ASSIGN_OR_RETURN(const Shape all, Shape::Make(std::array{p.steps, p.batch, p.hidden}));
  const Shape last({p.batch, p.hidden});
  for (int64_t d = 0; d < p.directions; ++d) {
    Direction direction(c, p, gates, d);
    ir::RecurrentPrim prim{kind, p.steps, p.batch, p.hidden, p.reverse || d == 1, flag, 0, {}};
    for (size_t i = 0; i < each; ++i) {
      const Activation& a = p.activations[static_cast<size_t>(d) * each + i];
      prim.clip = static_cast<float>(a.clip);
      const auto function = ir::CellFunctionOf(a.name);
      if (!function) return Status::Of(Code::kInternal, "no '{}'", a.name);
      prim.activations.push_back(
          {*function, static_cast<float>(a.alpha), static_cast<float>(a.beta)});
    }
    FERRY_ASSIGN_OR_RETURN(const BufferId from_input,
                           direction.FromInput(x, own_bias ? gates - 1 : gates));
    std::vector<BufferId> in = {
        from_input,
        direction.Share(2, gates * p.hidden * p.hidden, 0, gates * p.hidden * p.hidden),
        own_bias && c.HasInput(3) ? direction.StateBias(gates - 1) : -1,
        c.HasInput(4) ? c.Cast(c.In(4), DType::kI32, c.InputShape(4)) : -1,
        c.HasInput(5) ? direction.State(5) : -1,
        c.HasInput(6) ? direction.State(6) : -1,
        c.HasInput(7) ? direction.Share(7, 3 * p.hidden, 0, 3 * p.hidden) : -1};
    std::vector<BufferId> out = {c.Temporary(DType::kF32, all), c.Temporary(DType::kF32, last)};
    if (spec.has_cell) out.push_back(c.Temporary(DType::kF32, last));
    for (size_t i = 0; i < out.size(); ++i) parts[i].push_back(out[i]);
    c.EmitMany(std::move(prim), std::move(in), std::move(out));
  }
  Join(c, p, 0, parts[0], p.steps);
  Join(c, p, 1, parts[1], 1);
  if (spec.has_cell) Join(c, p, 2, parts[2], 1);
  return OkStatus();
}

}  // namespace ferry::ops
