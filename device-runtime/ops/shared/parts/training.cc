#include "device-runtime/ops/shared/parts/training.h"

#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {

using ir::ValueId;

Status ExpandOptimizer(ExpandContext& c, size_t states, Optimizer optimizer) {
  const int groups = static_cast<int>(states) + 2;
  const int count = (c.input_count() - 2) / groups;
  const int outputs = static_cast<int>(c.node().outputs.size());
  if (count < 1 || c.input_count() != 2 + groups * count || outputs != (groups - 1) * count) {
    return Status::Of(Code::kBadModel, "{} inputs and {} outputs for groups of {}", c.input_count(),
                      outputs, groups);
  }
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.HasInput(i)) return Status::Of(Code::kBadModel, "input {} is missing", i);
    if (i < 2 && c.InputShape(i).elements() != 1) {
      return Status::Of(Code::kShapeMismatch, "input {} must be one number", i);
    }
  }
  FERRY_ASSIGN_OR_RETURN(const float norm, c.Float("norm_coefficient", 0));
  const std::vector<int64_t> scalar;
  for (int i = 0; i < count; ++i) {
    Parameter p;
    for (int group = 0; group < groups; ++group) {
      const int input = 2 + group * count + i;
      FERRY_TRY(CheckFloatInputs(c, {input}));
      FERRY_TRY(CheckInputShape(c, input, c.InputShape(2 + i).dims()));
      if (group > 1) p.states.push_back(c.In(input));
    }
    p.dtype = c.Input(2 + i).dtype;
    p.x = c.In(2 + i);
    p.rate = c.Cast(c.Reshape(c.In(0), scalar), p.dtype);
    p.updates = c.Cast(c.Reshape(c.In(1), scalar), p.dtype);
    p.gradient = c.Add("Add", {c.Add("Mul", {p.x, c.Number(p.dtype, norm)}), c.In(2 + count + i)});
    FERRY_TRY(optimizer(c, p));
    c.SetOutput(i, p.x);
    for (size_t state = 0; state < states; ++state) {
      c.SetOutput(static_cast<int>(state + 1) * count + i, p.states[state]);
    }
  }
  return OkStatus();
}

}  // namespace ferry::ops
