// TensorScatter (ONNX): writes an update into a cache along its sequence axis, for each entry of
// the batch from an index of its own on; mode "circular" goes on at the axis' begin.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/box.h"
#include "device-runtime/ops/shared/places/grid.h"
#include "device-runtime/ops/shared/places/indices.h"

namespace ferry::ops {
namespace {

struct TensorScatterPlan {
  int axis;
  bool circular;
};

Result<TensorScatterPlan> TensorScatterPlanOf(const NodeContext& c) {
  const Shape& cache = c.InputShape(0);
  const Shape& update = c.InputShape(1);
  TensorScatterPlan p{};
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
  FERRY_TRY(TensorScatterPlanOf(c));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceTensorScatter(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const TensorScatterPlan p, TensorScatterPlanOf(c));
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

// The update at the begin of the axis, the cache behind it.
Status LowerFromZero(LowerContext& c, const TensorScatterPlan& p) {
  const Shape& cache = c.InputShape(0);
  const Shape& update = c.InputShape(1);
  const auto axis = static_cast<size_t>(p.axis);
  Box rest(cache), head(update);
  rest.from_begin[axis] = rest.to_begin[axis] = update[p.axis];
  rest.size[axis] -= update[p.axis];
  ir::RasterPrim raster;
  raster.copies.push_back({0, RegionOf(cache, cache, rest, Layout::kPlain)});
  raster.copies.push_back({1, RegionOf(update, cache, head, Layout::kPlain)});
  const BufferId x = c.In(0), more = c.In(1);
  c.Emit(std::move(raster), {x, more}, c.Out(0));
  return OkStatus();
}

// Where each entry's elements go: [batch, entries]; outside the axis where the first one must not.
Result<BufferId> PlacesOf(LowerContext& c, const TensorScatterPlan& p) {
  const int64_t extent = c.InputShape(0)[p.axis], count = c.InputShape(1)[p.axis];
  const std::vector<int64_t> dims = {c.InputShape(0)[0], count};
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  FERRY_ASSIGN_OR_RETURN(const BufferId counting, Counting(c, count));
  MapBuilder map(c, shape, Layout::kPlain);
  const auto wide = ir::MapType::kI64;
  const auto begin =
      map.Convert(map.Buffer(c.In(2), c.Input(2).dtype, tensor::Strides{1, 0}), wide);
  auto place = map.Call("Add", begin, map.Buffer(counting, DType::kI64, tensor::Strides{0, 1}));
  const int64_t last = p.circular ? tensor::kMaxElements : extent - count;
  if (p.circular) place = map.Call("Mod", place, map.Integer(wide, std::max<int64_t>(extent, 1)));
  const auto bad = map.Call("Or", map.Call("Less", begin, map.Integer(wide, 0)),
                            map.Call("Less", map.Integer(wide, last), begin));
  return map.EmitNew(DType::kI64, map.Call("Select", bad, map.Integer(wide, extent), place));
}

Status LowerTensorScatter(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const TensorScatterPlan p, TensorScatterPlanOf(c));
  if (!c.HasInput(2)) return LowerFromZero(c, p);
  const Shape& cache = c.InputShape(0);
  const int64_t count = c.InputShape(1)[p.axis];
  FERRY_ASSIGN_OR_RETURN(const BufferId places, PlacesOf(c, p));
  ir::IndexGrid grid;
  grid.rank = 3;
  grid.depth = 1;
  grid.size = {cache[0], cache.Product(1, p.axis), count};
  grid.data_stride = {cache.Product(1, cache.rank()), cache.Product(p.axis, cache.rank()), 0};
  grid.index_stride = {count, 0, 1};
  grid.inner = cache.Product(p.axis + 1, cache.rank());
  grid.extent = {cache[p.axis]};
  grid.extent_stride = {grid.inner};
  const BufferId x = c.In(0), updates = c.In(1);
  c.Emit(ir::ScatterPrim{grid}, {x, places, updates}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kTensorScatterOp;
const Op kTensorScatterOp = {
    "TensorScatter", 2, 3, 1, 1, InferTensorScatter, ReferenceTensorScatter, LowerTensorScatter};

}  // namespace ferry::ops
