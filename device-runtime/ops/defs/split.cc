// Split (ONNX) along `axis`: given lengths, or equal parts (the last one smaller).
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/box.h"

namespace ferry::ops {
namespace {

struct SplitPlan {
  int axis;
  std::vector<int64_t> lengths;
};

Result<SplitPlan> SplitPlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const auto parts = static_cast<int64_t>(c.node().outputs.size());
  SplitPlan plan;
  FERRY_ASSIGN_OR_RETURN(plan.axis, c.Axis(0, x.rank()));
  FERRY_ASSIGN_OR_RETURN(auto given, c.IntsInput(1, "split"));
  FERRY_ASSIGN_OR_RETURN(const int64_t declared, c.Int("num_outputs", parts));
  if (declared != parts) {
    return Status::Of(Code::kBadModel, "num_outputs {} for {} outputs", declared, parts);
  }
  const int64_t size = x[plan.axis];
  if (given) {
    plan.lengths = *given;
  } else {
    const int64_t each = (size + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i) {
      plan.lengths.push_back(std::max<int64_t>(0, std::min(each, size - i * each)));
    }
  }
  int64_t sum = 0;
  bool fits = static_cast<int64_t>(plan.lengths.size()) == parts;
  for (int64_t length : plan.lengths) {
    fits = fits && length >= 0 && length <= size - sum;
    if (fits) sum += length;
  }
  if (!fits || sum != size) {
    return Status::Of(Code::kShapeMismatch, "the lengths do not split axis {} of {} into {} parts",
                      plan.axis, x.ToString(), parts);
  }
  return plan;
}

Status InferSplit(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(SplitPlan plan, SplitPlanOf(c));
  std::vector<int64_t> dims(c.InputShape(0).dims().begin(), c.InputShape(0).dims().end());
  for (size_t i = 0; i < plan.lengths.size(); ++i) {
    dims[static_cast<size_t>(plan.axis)] = plan.lengths[i];
    FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    c.SetOutput(i, c.Input(0).dtype, shape);
  }
  return OkStatus();
}

Status ReferenceSplit(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(SplitPlan plan, SplitPlanOf(c));
  int64_t at = 0;
  for (int i = 0; i < c.output_count(); ++i) {
    Box box(c.Out(i).shape());
    box.from_begin[static_cast<size_t>(plan.axis)] = at;
    CopyBox(c.In(0), box, c.Out(i));
    at += plan.lengths[static_cast<size_t>(i)];
  }
  return OkStatus();
}

Status LowerSplit(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(SplitPlan plan, SplitPlanOf(c));
  const Layout layout = c.IsChannelsLast(0) ? Layout::kChannelsLast : Layout::kPlain;
  const BufferId x = c.In(0, layout);
  int64_t at = 0;
  for (int i = 0; i < c.output_count(); ++i) {
    const int64_t begin = at;
    at += plan.lengths[static_cast<size_t>(i)];
    if (!c.HasOutput(i)) continue;  // a left-out output has no shape either
    Box box(c.OutputShape(i));
    box.from_begin[static_cast<size_t>(plan.axis)] = begin;
    ir::RasterPrim raster;
    raster.copies.push_back({0, RegionOf(c.InputShape(0), c.OutputShape(i), box, layout)});
    c.Emit(std::move(raster), {x}, c.Out(i, layout));
  }
  return OkStatus();
}

}  // namespace

extern const Op kSplitOp;
const Op kSplitOp = {"Split", 1, 2, 1, kAnyCount, InferSplit, ReferenceSplit, LowerSplit};

}  // namespace ferry::ops
