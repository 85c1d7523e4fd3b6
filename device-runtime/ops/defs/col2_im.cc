// Col2Im (ONNX): the columns x [n, c * block, positions] of sliding blocks summed into images
// [n, c, image_shape...].
#include <algorithm>
#include <array>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/places/grid.h"
#include "device-runtime/ops/shared/places/window.h"

namespace ferry::ops {
namespace {

struct Col2ImPlan {
  Window window;
  Shape image;
};

Result<Col2ImPlan> Col2ImPlanOf(const NodeContext& c) {
  FERRY_ASSIGN_OR_RETURN(const IntList image, c.IntsInput(1, "image_shape"));
  FERRY_ASSIGN_OR_RETURN(const IntList block, c.IntsInput(2, "block_shape"));
  const Shape& x = c.InputShape(0);
  const DType dtype = c.Input(0).dtype;
  if (!IsWideFloat(dtype) && !tensor::IsInteger(dtype)) {
    return Status::Of(Code::kUnsupported, "sums of {}", tensor::DTypeName(dtype));
  }
  if (x.rank() != 3 || image.list.empty() || image.list.size() != block.list.size()) {
    return Status::Of(Code::kShapeMismatch, "{} columns, an image of {} axes, blocks of {}",
                      x.ToString(), image.list.size(), block.list.size());
  }
  int64_t taps = 1;
  for (int64_t extent : block.list) {
    if (extent < 1 || extent > kMaxWindow || taps > tensor::kMaxElements / kMaxWindow) {
      return Status::Of(Code::kLimitExceeded, "a block extent of {}", extent);
    }
    taps *= extent;
  }
  if (x[1] % taps != 0) {
    return Status::Of(Code::kShapeMismatch, "{} columns for blocks of {}", x[1], taps);
  }
  std::vector<int64_t> dims = {x[0], x[1] / taps};
  dims.insert(dims.end(), image.list.begin(), image.list.end());
  Col2ImPlan p;
  FERRY_ASSIGN_OR_RETURN(p.image, Shape::Make(dims));
  FERRY_ASSIGN_OR_RETURN(p.window, WindowOf(c, p.image, block.list));
  if (p.window.out_positions() != x[2]) {
    return Status::Of(Code::kShapeMismatch, "{} blocks for {} places", x[2],
                      p.window.out_positions());
  }
  return p;
}

Status InferCol2Im(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Col2ImPlan p, Col2ImPlanOf(c));
  c.SetOutput(0, c.Input(0).dtype, p.image);
  return OkStatus();
}

Status ReferenceCol2Im(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Col2ImPlan p, Col2ImPlanOf(c));
  const Window& w = p.window;
  FERRY_ASSIGN_OR_RETURN(Tensor sums, Tensor::Zeros(DType::kF64, p.image));
  double* sum = sums.mutable_data<double>().data();
  const int64_t taps = w.kernel_positions();
  const int64_t columns = w.out_positions();
  for (int64_t i = 0; i < p.image[0] * p.image[1] * columns; ++i) {
    const int64_t plane = i / columns;
    const Reach reach(w, PositionOf(w.out, w.axes, i % columns));
    ForTaps(w, reach, [&](int64_t position, int64_t tap) {
      sum[plane * w.in_positions() + position] +=
          c.In(0).Number((plane * taps + tap) * columns + i % columns);
    });
  }
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) c.Out(0).SetNumber(i, sum[i]);
  return OkStatus();
}

// The columns scattered into images with room for one element more, where what falls outside goes.
Status LowerCol2Im(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(Col2ImPlan p, Col2ImPlanOf(c));
  c.ComputeInFloat();
  const Window& w = p.window;
  const DType dtype = c.InType(0);
  const int64_t planes = p.image[0] * p.image[1], size = w.in_positions();
  const int64_t taps = w.kernel_positions(), columns = w.out_positions();
  FERRY_ASSIGN_OR_RETURN(Tensor list, Tensor::Allocate(DType::kI64, {taps, columns}));
  for (int64_t i = 0; i < list.elements(); ++i) list.SetInteger(i, size);
  for (int64_t column = 0; column < columns; ++column) {
    const Reach reach(w, PositionOf(w.out, w.axes, column));
    ForTaps(w, reach, [&](int64_t position, int64_t tap) {
      list.SetInteger(tap * columns + column, position);
    });
  }
  FERRY_ASSIGN_OR_RETURN(const Shape roomy, Shape::Make(std::array{planes, size + 1}));
  ir::IndexGrid grid;
  grid.rank = 2;
  grid.depth = 1;
  grid.size = {planes, taps * columns};
  grid.data_stride = {size + 1, 0};
  grid.index_stride = {0, 1};
  grid.extent = {size + 1};
  grid.extent_stride = {1};
  const bool narrow = tensor::IsInteger(dtype) && tensor::IntegerBits(dtype) < 8;
  const DType wide = narrow ? DType::kI32 : dtype;
  const BufferId zeros = c.Temporary(wide, roomy), sums = c.Temporary(wide, roomy);
  const BufferId x = c.Cast(c.In(0), wide, c.InputShape(0)), places = c.Constant(std::move(list));
  ir::RasterPrim fill;
  fill.fill = 0;
  c.Emit(std::move(fill), {}, zeros);
  c.Emit(ir::ScatterPrim{grid, ir::ScatterKind::kAdd}, {zeros, places, x}, sums);
  ir::Region region;
  region.rank = 2;
  region.size = {planes, size};
  region.from_stride = {size + 1, 1};
  region.to_stride = {size, 1};
  ir::RasterPrim cut;
  cut.copies.push_back({0, region});
  if (!narrow) {
    c.Emit(std::move(cut), {sums}, c.Out(0));
    return OkStatus();
  }
  const BufferId image = c.Moved(sums, wide, p.image, region);
  c.Alias(0, c.Cast(image, dtype, p.image));
  return OkStatus();
}

}  // namespace

extern const Op kCol2ImOp;
const Op kCol2ImOp = {"Col2Im", 3, 3, 1, 1, InferCol2Im, ReferenceCol2Im, LowerCol2Im};

}  // namespace ferry::ops
