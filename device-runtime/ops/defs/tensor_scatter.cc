// TensorScatter (ONNX): writes an update into a cache along its sequence axis, for each entry of
// the batch from an index of its own on; mode "circular" goes on at the axis' begin.
#include "device-runtime/ops/defs/indices.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

struct Plan {
  int axis;
  bool circular;
};

Result<Plan> PlanOf(const NodeContext& c) {
  const Shape& cache = c.InputShape(0);
  const Shape& update = c.InputShape(1);
  Plan p{};
  FERRY_ASSIGN_OR_RETURN(p.axis, c.Axis(-2, cache.rank()));
  FERRY_ASSIGN_OR_RETURN(const std::string mode, c.Text("mode", "linear"));
  if (mode != "linear" && mode != "circular") return Status::Of(Code::kBadModel, "mode '{}'", mode);
  p.circular = mode == "circular";
  bool fits = p.axis > 0 && update.rank() == cache.rank() && c.Input(0).dtype == c.Input(1).dtype;
  for (int i = 0; fits && i < cache.rank(); ++i) {
    fits = i == p.axis ? update[i] <= cache[i] : update[i] == cache[i];
  }
  if (!fits) {
    return Status::Of(Code::kShapeMismatch, "{} does not go into {} along axis {}",
                      update.ToString(), cache.ToString(), p.axis);
  }
  if (!c.HasInput(2)) return p;
  FERRY_TRY(CheckIndices(c, 2));
  if (c.InputShape(2).elements() != cache[0]) {
    return Status::Of(Code::kShapeMismatch, "{} write indices for a batch of {}",
                      c.InputShape(2).elements(), cache[0]);
  }
  return p;
}

Status InferTensorScatter(InferContext& c) {
  FERRY_TRY(PlanOf(c));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceTensorScatter(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Plan p, PlanOf(c));
  const Shape& cache = c.InputShape(0);
  const Shape& update = c.InputShape(1);
  const auto axis = static_cast<size_t>(p.axis);
  CopyAll(c.In(0), c.Out(0));
  for (int64_t i = 0; i < update.elements(); ++i) {
    Index at = Unflatten(update, i);
    const int64_t begin = c.HasInput(2) ? c.In(2).Integer(at[0]) : 0;
    const int64_t last = p.circular ? tensor::kMaxElements : cache[p.axis] - update[p.axis];
    if (begin < 0 || begin > last) {
      return Status::Of(Code::kInvalidArgument, "a write index of {} for {} of {} entries", begin,
                        update[p.axis], cache[p.axis]);
    }
    at[axis] = (begin + at[axis]) % cache[p.axis];
    CopyElement(c.In(1), i, c.Out(0), Flatten(cache, at));
  }
  return OkStatus();
}

}  // namespace

extern const Op kTensorScatterOp;
const Op kTensorScatterOp = {"TensorScatter",       2, 3, 1, 1, InferTensorScatter,
                             ReferenceTensorScatter};

}  // namespace ferry::ops
