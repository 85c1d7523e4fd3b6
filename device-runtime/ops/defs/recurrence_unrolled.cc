#include "device-runtime/ops/defs/recurrence_unrolled.h"

#include <algorithm>
#include <array>

namespace ferry::ops {

using ir::kNoValue;
using ir::ValueId;

namespace {

using Plan = RecurrencePlan;
using Dims = std::vector<int64_t>;

// What is written out: few steps of f32, all sequences equally long, nothing clipped.
bool Unrolls(const NodeContext& c, const Plan& p) {
  if (c.HasInput(4) || p.steps == 0 || p.steps > kMaxUnrolledSteps / p.directions) return false;
  if (p.batch == 0 || p.hidden == 0 || p.input == 0) return false;
  for (int i = 0; i < c.input_count(); ++i) {
    if (c.HasInput(i) && c.Input(i).dtype != DType::kF32) return false;
  }
  return std::ranges::all_of(p.activations,
                             [](const Activation& a) { return a.clip == 0 && !a.op.empty(); });
}

// Direction `d` of a value whose first axis is the directions', under new extents.
ValueId Direction(ExpandContext& c, const Plan& p, ValueId x, int64_t d, const Dims& dims) {
  if (x == kNoValue) return x;
  return c.Reshape(p.directions == 1 ? x : Rows(c, x, d, d + 1), dims);
}

// The initial state of direction `d`.
ValueId Initial(ExpandContext& c, const Plan& p, int input, int64_t d) {
  const Dims dims = {p.batch, p.hidden};
  if (!c.HasInput(input)) {
    return c.Add("Expand", {c.Number(DType::kF32, 0), c.Ints(dims)});
  }
  const ValueId x = p.batch_first ? c.Transpose(c.In(input), {1, 0, 2}) : c.In(input);
  return Direction(c, p, x, d, dims);
}

UnrolledCell CellOf(ExpandContext& c, const Plan& p, const RecurrenceSpec& spec, int64_t d,
                    ValueId bias) {
  const int64_t rows = spec.gates * p.hidden;
  UnrolledCell cell;
  cell.hidden = p.hidden;
  cell.r = Direction(c, p, c.In(2), d, {rows, p.hidden});
  if (bias != kNoValue) cell.r_bias = Rows(c, bias, rows, 2 * rows);
  const ValueId peepholes = Direction(c, p, c.In(7), d, {3 * p.hidden});
  for (int64_t i = 0; peepholes != kNoValue && i < 3; ++i) {
    cell.peepholes.push_back(Rows(c, peepholes, i * p.hidden, (i + 1) * p.hidden));
  }
  const size_t each = p.activations.size() / static_cast<size_t>(p.directions);
  cell.activations = std::span(p.activations).subspan(static_cast<size_t>(d) * each, each);
  cell.h = Initial(c, p, 5, d);
  if (spec.has_cell) cell.c = Initial(c, p, 6, d);
  return cell;
}

ValueId Joined(ExpandContext& c, const std::vector<ValueId>& parts, int64_t axis) {
  return parts.size() == 1 ? parts[0] : c.Add("Concat", parts, {{"axis", axis}});
}

}  // namespace

ValueId Rows(ExpandContext& c, ValueId x, int64_t begin, int64_t end) {
  return c.Add("Slice", {x, c.Ints({begin}), c.Ints({end}), c.Ints({0})});
}

ValueId ByState(ExpandContext& c, ValueId x, ValueId r, ValueId addend) {
  return c.Add("Gemm", {x, r, addend}, {{"transB", int64_t{1}}});
}

std::vector<ValueId> Gates(ExpandContext& c, ValueId x, size_t count) {
  return c.AddMany("Split", std::array{x}, count,
                   {{"axis", int64_t{1}}, {"num_outputs", static_cast<int64_t>(count)}});
}

ValueId Activate(ExpandContext& c, const Activation& a, ValueId x) {
  return c.Add(a.op, {x},
               {{"alpha", static_cast<float>(a.alpha)}, {"beta", static_cast<float>(a.beta)}});
}

Status ExpandRecurrence(ExpandContext& c, const RecurrenceSpec& spec, UnrolledStep step,
                        int64_t flags) {
  FERRY_ASSIGN_OR_RETURN(const Plan p, PlanRecurrence(c, spec));
  if (!Unrolls(c, p)) {
    const std::vector<ValueId> outputs = c.AddSelf();
    for (size_t i = 0; i < outputs.size(); ++i) c.SetOutput(static_cast<int>(i), outputs[i]);
    return OkStatus();
  }
  const int64_t rows = spec.gates * p.hidden;
  const ValueId x = c.Reshape(p.batch_first ? c.Transpose(c.In(0), {1, 0, 2}) : c.In(0),
                              Dims{p.steps * p.batch, p.input});
  std::vector<ValueId> all, last_h, last_c;
  for (int64_t d = 0; d < p.directions; ++d) {
    const ValueId bias = Direction(c, p, c.In(3), d, {2 * rows});
    const ValueId w = Direction(c, p, c.In(1), d, {rows, p.input});
    const ValueId w_bias = bias == kNoValue ? bias : Rows(c, bias, 0, rows);
    const ValueId from_input = ByState(c, x, w, w_bias);
    UnrolledCell cell = CellOf(c, p, spec, d, bias);
    std::vector<ValueId> states(static_cast<size_t>(p.steps));
    const Dims one = {1, 1, p.batch, p.hidden};
    for (int64_t i = 0; i < p.steps; ++i) {
      const int64_t t = p.reverse || d == 1 ? p.steps - 1 - i : i;
      step(c, cell, p.steps == 1 ? from_input : Rows(c, from_input, t * p.batch, (t + 1) * p.batch),
           flags);
      states[static_cast<size_t>(t)] = c.Reshape(cell.h, one);
    }
    all.push_back(Joined(c, states, 0));
    const Dims state = {1, p.batch, p.hidden};
    last_h.push_back(c.Reshape(cell.h, state));
    if (spec.has_cell) last_c.push_back(c.Reshape(cell.c, state));
  }
  auto set = [&](int output, const std::vector<ValueId>& parts, int64_t axis, Dims batch_first) {
    if (!c.HasOutput(output)) return;
    const ValueId joined = Joined(c, parts, axis);
    c.SetOutput(output, p.batch_first ? c.Transpose(joined, std::move(batch_first)) : joined);
  };
  set(0, all, 1, {2, 0, 1, 3});
  set(1, last_h, 0, {1, 0, 2});
  if (spec.has_cell) set(2, last_c, 0, {1, 0, 2});
  return OkStatus();
}

}  // namespace ferry::ops
