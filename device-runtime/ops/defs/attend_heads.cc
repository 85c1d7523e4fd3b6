// AttendHeads (own): what attention of float32 is made of. y = softmax(scale * q k^T + bias +
// bias') v for q [...,queries,depth], k [...,keys,depth], v [...,keys,value depth] of the same
// leading axes; biases, each optional, broadcast to the scores [...,queries,keys]. With
// `transposed` k is [...,depth,keys].
#include <cmath>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

enum Input { kQ, kK, kV, kBias };
constexpr int kInputs = 5;

struct AttendHeadsPlan {
  bool transposed = false;
  int64_t batch = 1;
  ir::AttentionPrim prim;
  Shape scores, out;
};

Result<Shape> Shaped(const Shape& q, int64_t rows, int64_t columns) {
  std::vector<int64_t> dims(q.dims().begin(), q.dims().end());
  dims[dims.size() - 2] = rows;
  dims.back() = columns;
  return Shape::Make(dims);
}

Result<AttendHeadsPlan> AttendHeadsPlanOf(const NodeContext& c) {
  const Shape& q = c.InputShape(kQ);
  const Shape& k = c.InputShape(kK);
  const Shape& v = c.InputShape(kV);
  const int rank = q.rank();
  bool fits = rank >= 2 && k.rank() == rank && v.rank() == rank;
  for (int i = 0; i < c.input_count(); ++i) {
    fits = fits && (!c.HasInput(i) || c.Input(i).dtype == DType::kF32);
  }
  AttendHeadsPlan plan;
  FERRY_ASSIGN_OR_RETURN(const int64_t transposed, c.Int("transposed", 0));
  plan.transposed = transposed != 0;
  ir::AttentionPrim& p = plan.prim;
  FERRY_ASSIGN_OR_RETURN(p.scale, c.Float("scale", 1));
  p.rank = rank - 2;
  for (int axis = 0; fits && axis < p.rank; ++axis) {
    fits = k[axis] == q[axis] && v[axis] == q[axis];
    p.size[static_cast<size_t>(axis)] = q[axis];
    plan.batch *= q[axis];
  }
  if (fits) {
    p.queries = q[rank - 2];
    p.depth = q[rank - 1];
    p.keys = k[plan.transposed ? rank - 1 : rank - 2];
    p.value_depth = v[rank - 1];
    fits = k[plan.transposed ? rank - 2 : rank - 1] == p.depth && v[rank - 2] == p.keys &&
           p.depth <= ir::kMaxAttentionDepth;
  }
  if (!fits) {
    return Status::Of(Code::kShapeMismatch, "queries {}, keys {} and values {}", q.ToString(),
                      k.ToString(), v.ToString());
  }
  FERRY_ASSIGN_OR_RETURN(plan.scores, Shaped(q, p.queries, p.keys));
  FERRY_ASSIGN_OR_RETURN(plan.out, Shaped(q, p.queries, p.value_depth));
  for (int i = kBias; i < c.input_count(); ++i) {
    if (!c.HasInput(i)) continue;
    auto both = tensor::BroadcastShapes(c.InputShape(i), plan.scores);
    if (!both.ok() || *both != plan.scores) {
      return Status::Of(Code::kShapeMismatch, "a bias {} for scores {}", c.InputShape(i).ToString(),
                        plan.scores.ToString());
    }
  }
  return plan;
}

Status InferAttendHeads(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(const AttendHeadsPlan plan, AttendHeadsPlanOf(c));
  c.SetOutput(0, DType::kF32, plan.out);
  return OkStatus();
}

Status ReferenceAttendHeads(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const AttendHeadsPlan plan, AttendHeadsPlanOf(c));
  const ir::AttentionPrim& p = plan.prim;
  std::vector<double> scores(static_cast<size_t>(p.keys));
  for (int64_t row = 0; row < plan.batch * p.queries; ++row) {
    const int64_t entry = row / p.queries;
    double max = -HUGE_VAL;
    for (int64_t key = 0; key < p.keys; ++key) {
      double sum = 0;
      for (int64_t d = 0; d < p.depth; ++d) {
        const int64_t at = plan.transposed ? d * p.keys + key : key * p.depth + d;
        sum += c.In(kQ).Number(row * p.depth + d) * c.In(kK).Number(entry * p.keys * p.depth + at);
      }
      sum *= static_cast<double>(p.scale);
      for (int i = kBias; i < c.input_count(); ++i) {
        if (!c.HasInput(i)) continue;
        sum += c.In(i).Number(BroadcastIndex(c.InputShape(i), plan.scores)(row * p.keys + key));
      }
      scores[static_cast<size_t>(key)] = sum;
      max = sum > max ? sum : max;
    }
    double total = 0;
    for (double& score : scores) total += score = std::exp(score - max);
    for (int64_t d = 0; d < p.value_depth; ++d) {
      double sum = 0;
      for (int64_t key = 0; key < p.keys; ++key) {
        sum += scores[static_cast<size_t>(key)] *
               c.In(kV).Number((entry * p.keys + key) * p.value_depth + d);
      }
      c.Out(0).SetNumber(row * p.value_depth + d, sum / total);
    }
  }
  return OkStatus();
}

// Strides over the scores' axes, or a dense operand's, as a view.
ir::AttentionPrim::View ViewOf(const tensor::Strides& strides, int rank) {
  ir::AttentionPrim::View view;
  for (int i = 0; i < rank; ++i)
    view.batch[static_cast<size_t>(i)] = strides[static_cast<size_t>(i)];
  view.row = strides[static_cast<size_t>(rank)];
  view.column = strides[static_cast<size_t>(rank) + 1];
  return view;
}

Status LowerAttendHeads(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(AttendHeadsPlan plan, AttendHeadsPlanOf(c));
  ir::AttentionPrim& p = plan.prim;
  p.q = ViewOf(tensor::DenseStrides(c.InputShape(kQ)), p.rank);
  p.k = ViewOf(tensor::DenseStrides(c.InputShape(kK)), p.rank);
  if (plan.transposed) std::swap(p.k.row, p.k.column);
  p.v = ViewOf(tensor::DenseStrides(c.InputShape(kV)), p.rank);
  p.y = ViewOf(tensor::DenseStrides(plan.out), p.rank);
  p.y.column = 1;
  std::vector<BufferId> inputs;
  for (int i = 0; i < kInputs; ++i) inputs.push_back(c.HasInput(i) ? c.In(i) : -1);
  for (int i = kBias; i < kInputs; ++i) {
    if (!c.HasInput(i)) continue;
    const auto strides = tensor::BroadcastStrides(c.InputShape(i), plan.scores);
    p.biases[static_cast<size_t>(i - kBias)] = ViewOf(strides, p.rank);
  }
  c.Emit(p, std::move(inputs), c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kAttendHeadsOp;
const Op kAttendHeadsOp = {
    "AttendHeads", 3, kInputs, 1, 1, InferAttendHeads, ReferenceAttendHeads, LowerAttendHeads};

}  // namespace ferry::ops
