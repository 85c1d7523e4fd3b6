#include "device-runtime/passes/memory/strided_steps.h"

#include "device-runtime/passes/raster/read_in_place.h"
#include "device-runtime/passes/raster/regions.h"

namespace ferry::passes {
namespace {

using ir::BufferId;
using ir::ConvPrim;
using ir::MatMulPrim;
using ir::PoolPrim;
using ir::RasterPrim;
using ir::Region;

// What would bring the slice, seen from its first element, to memory of its own.
Region Gathered(int64_t rows, const Slice& slice) {
  Region region;
  region.rank = 2;
  region.size = {rows, slice.row};
  region.from_stride = {slice.stride, 1};
  region.to_stride = {slice.row, 1};
  return region;
}

bool IsFloat(const ir::Program& program, BufferId id) {
  return program.buffers[static_cast<size_t>(id)].dtype == ir::DType::kF32;
}

int64_t RowsOf(const ir::Program& program, BufferId id, const Slice& slice) {
  return program.buffers[static_cast<size_t>(id)].shape.elements() / slice.row;
}

bool RasterReads(RasterPrim& raster, size_t input, const Region& gathered) {
  RasterPrim changed = raster;
  for (RasterPrim::Copy& copy : changed.copies) {
    if (static_cast<size_t>(copy.input) != input || IsEmpty(copy.region)) continue;
    const auto region = Composed(gathered, copy.region);
    if (!region) return false;
    copy.region = *region;
  }
  raster = std::move(changed);
  return true;
}

bool RasterWrites(RasterPrim& raster, const Region& gathered) {
  if (raster.fill) return false;
  RasterPrim changed = raster;
  for (RasterPrim::Copy& copy : changed.copies) {
    if (IsEmpty(copy.region)) continue;
    const auto region = Composed(gathered, Inverse(copy.region));
    if (!region) return false;
    copy.region = Inverse(*region);
  }
  raster = std::move(changed);
  return true;
}

bool HasAddend(const ir::Step& step) {
  return step.inputs.size() > 3 && step.inputs[3] >= 0;
}

}  // namespace

bool ReadSlice(const ir::Program& program, ir::Step& step, size_t input, const Slice& slice) {
  const BufferId id = step.inputs[input];
  const int64_t rows = RowsOf(program, id, slice);
  if (rows == 1 || slice.is_dense()) return true;
  if (const auto* conv = std::get_if<ConvPrim>(&step.primitive)) {
    return input == 0 && IsFloat(program, id) && conv->in_c == slice.row;
  }
  if (const auto* pool = std::get_if<PoolPrim>(&step.primitive)) {
    return IsFloat(program, id) && pool->channels == slice.row;
  }
  const Region gathered = Gathered(rows, slice);
  if (auto* raster = std::get_if<RasterPrim>(&step.primitive)) {
    return RasterReads(*raster, input, gathered);
  }
  return ReadInPlace(step, input, gathered);
}

bool WriteSlice(const ir::Program& program, ir::Step& step, size_t output, const Slice& slice) {
  const BufferId id = step.outputs[output];
  const int64_t rows = RowsOf(program, id, slice);
  if (rows == 1 || slice.is_dense()) return true;
  if (auto* raster = std::get_if<RasterPrim>(&step.primitive)) {
    return RasterWrites(*raster, Gathered(rows, slice));
  }
  if (!IsFloat(program, id) || output != 0 || HasAddend(step)) return false;
  if (const auto* conv = std::get_if<ConvPrim>(&step.primitive)) return conv->out_c == slice.row;
  if (const auto* pool = std::get_if<PoolPrim>(&step.primitive)) {
    return pool->channels == slice.row;
  }
  const auto* product = std::get_if<MatMulPrim>(&step.primitive);
  return product != nullptr && product->n == slice.row;
}

}  // namespace ferry::passes
