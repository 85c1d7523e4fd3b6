#include "device-runtime/engine/prepare/bf16.h"

#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/bf16/bf16.h"
#include "device-runtime/tensor/alignment.h"

namespace ferry::engine {
namespace {

constexpr int kMostMoves = 8;  // that are followed from a product to where numbers are widened

const ir::Step* WriterOf(const ir::Program& program, ir::BufferId root) {
  for (const ir::Step& step : program.steps) {
    for (const ir::BufferId y : step.outputs) {
      if (y >= 0 && program.Root(y) == root) return &step;
    }
  }
  return nullptr;
}

// Whether steps beside its writer put parts into a buffer, or may: a concatenation in place.
bool HasParts(const Preparer& p, ir::BufferId root) {
  for (size_t id = 0; id < p.program().buffers.size(); ++id) {
    if (p.SliceOf(static_cast<ir::BufferId>(id)).whole == root) return true;
  }
  return false;
}

bool Holds(const Preparer& p, ir::BufferId id, int moves);

// A map whose result for `root` is one of its inputs as it is.
bool WidensBf16(const Preparer& p, const ir::MapPrim& map, const ir::Step& step, ir::BufferId root,
                int moves) {
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (p.program().Root(step.outputs[i]) != root) continue;
    const int value = map.results[i];
    return value >= 0 && value < static_cast<int>(step.inputs.size()) &&
           Holds(p, step.inputs[static_cast<size_t>(value)], moves);
  }
  return false;
}

// Whether all numbers of a constant are bfloat16, which may lie where floats cannot be read.
bool IsBf16(const tensor::Tensor& constant) {
  constexpr int64_t kBlock = 1024;
  const int64_t count = constant.shape().elements();
  if (tensor::IsAligned(constant)) {
    return kernels::IsBf16(reinterpret_cast<const float*>(constant.raw()), count);
  }
  float block[kBlock];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t some = std::min(kBlock, count - i);
    std::memcpy(block, constant.raw() + i * static_cast<int64_t>(sizeof(float)),
                static_cast<size_t>(some) * sizeof(float));
    if (!kernels::IsBf16(block, some)) return false;
  }
  return true;
}

bool Holds(const Preparer& p, ir::BufferId id, int moves) {
  const ir::Program& program = p.program();
  if (program.buffers[id].dtype == DType::kBF16) return true;
  if (program.buffers[id].dtype != DType::kF32) return false;
  if (const tensor::Tensor* constant = p.ConstantOf(id)) return IsBf16(*constant);
  if (moves == 0) return false;
  const ir::BufferId root = program.Root(id);
  const ir::Step* step = WriterOf(program, root);
  if (step == nullptr) {  // an input, or a slice that is read where it lies
    const passes::Slice slice = p.SliceOf(id);
    return slice && Holds(p, slice.whole, moves - 1);
  }
  if (const auto* map = std::get_if<ir::MapPrim>(&step->primitive)) {
    return WidensBf16(p, *map, *step, root, moves - 1);
  }
  if (const auto* raster = std::get_if<ir::RasterPrim>(&step->primitive)) {
    if (raster->fill.value_or(0) != 0 || HasParts(p, root)) return false;
    return std::ranges::all_of(step->inputs,
                               [&](ir::BufferId from) { return Holds(p, from, moves - 1); });
  }
  return false;
}

}  // namespace

bool HoldsBf16(const Preparer& p, ir::BufferId id) {
  return Holds(p, id, kMostMoves);
}

double Bf16ProductError(const Preparer& p, ir::BufferId a, ir::BufferId b) {
  if (!kernels::HasBf16(p.table()) || p.ConstantOf(b) == nullptr) return -1;
  const double right = HoldsBf16(p, b) ? 0 : kernels::kBf16Error;
  // Most networks are out here, before anything else is looked at.
  if (right > p.settings().error_bound && !p.settings().WantsAll()) return -1;
  return right + (HoldsBf16(p, a) ? 0 : kernels::kBf16Error);
}

}  // namespace ferry::engine
