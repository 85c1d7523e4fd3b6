#include "device-runtime/passes/memory/verify_placed.h"

namespace ferry::passes {
namespace {

using ir::BufferId;

// Elements from the slice's first to the end of its whole; -1 when it reaches over that.
int64_t RoomOf(const ir::Program& program, const Slice& slice, int64_t elements) {
  const int64_t whole =
      program.buffers[static_cast<size_t>(slice.whole)].shape.elements() - slice.offset;
  if (slice.offset < 0 || slice.row < 1 || slice.stride < slice.row || elements % slice.row != 0) {
    return -1;
  }
  const int64_t rows = elements / slice.row;
  return (rows - 1) * slice.stride + slice.row <= whole ? whole : -1;
}

}  // namespace

bool VerifyPlaced(const PlacedProgram& placed, const ir::Step& step) {
  ir::Program alone;
  ir::Step copy = step;
  const bool is_raster = std::holds_alternative<ir::RasterPrim>(step.primitive);
  auto add = [&](BufferId& id, bool is_output) {
    ir::BufferInfo info = placed.program.buffers[static_cast<size_t>(id)];
    info.alias = -1;
    info.constant.reset();
    info.input = is_output ? -1 : 0;
    if (const Slice slice = placed.SliceOf(id)) {
      const int64_t room = RoomOf(placed.program, slice, info.shape.elements());
      if (room < 0) return false;
      // The size of other results is what their primitives say; their strides are the slice's.
      if (!is_output || is_raster) info.shape = ir::Shape({room});
    }
    id = static_cast<BufferId>(alone.buffers.size());
    alone.buffers.push_back(std::move(info));
    return true;
  };
  for (BufferId& id : copy.inputs) {
    if (id >= 0 && !add(id, false)) return false;
  }
  for (BufferId& id : copy.outputs) {
    if (!add(id, true)) return false;
  }
  alone.steps.push_back(std::move(copy));
  return ir::Verify(alone).ok();
}

}  // namespace ferry::passes
