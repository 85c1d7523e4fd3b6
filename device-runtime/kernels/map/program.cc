// Facts about maps' codes and types, and the merging of axes.
#include <algorithm>
#include <string_view>

#include "common/base/check.h"
#include "device-runtime/kernels/map/map.h"

namespace ferry::kernels {
namespace {

using tensor::DType;

enum Kinds { F, I, FI };
struct Row {
  const char* name;
  int operands;
  Kinds kinds;
};
constexpr Row kRows[kMapCodeCount] = {
#define FERRY_MAP(name, operands, kinds, error) {#name, operands, kinds},
#include "device-runtime/kernels/map/codes.inc"
#undef FERRY_MAP
    {"Convert", 1, FI},
};
const Row& RowOf(MapCode code) {
  return kRows[static_cast<int>(code)];
}

}  // namespace

MapType MapTypeOf(DType dtype) {
  CHECK(dtype != DType::kString);
  if (dtype == DType::kF64) return MapType::kF64;
  if (tensor::IsFloat(dtype)) return MapType::kF32;
  if (dtype == DType::kU64) return MapType::kU64;
  return dtype == DType::kI64 || dtype == DType::kU32 ? MapType::kI64 : MapType::kI32;
}

const char* MapCodeName(MapCode code) {
  return RowOf(code).name;
}
int MapOperands(MapCode code) {
  return RowOf(code).operands;
}
bool MapHas(MapCode code, MapType type) {
  const bool is_float = type == MapType::kF32 || type == MapType::kF64;
  return RowOf(code).kinds == FI || (RowOf(code).kinds == F) == is_float;
}

int64_t MapProgram::elements() const {
  int64_t count = 1;
  for (int axis = 0; axis < rank; ++axis) count *= size[static_cast<size_t>(axis)];
  return count;
}

void Simplify(MapProgram& program) {
  int kept = 0;
  for (int axis = 0; axis < program.rank; ++axis) {
    const auto here = static_cast<size_t>(axis);
    const int64_t extent = program.size[here];
    if (extent == 1) continue;
    const auto last = static_cast<size_t>(kept - 1);
    const bool is_row = axis == program.rank - 1;
    const bool merges = kept > 0 && std::ranges::all_of(program.inputs, [&](const MapInput& in) {
                          if (!in.rows.empty()) return !is_row;
                          return in.strides[last] == in.strides[here] * extent;
                        });
    if (!merges) {
      program.size[static_cast<size_t>(kept)] = extent;
      for (MapInput& in : program.inputs) in.strides[static_cast<size_t>(kept)] = in.strides[here];
      ++kept;
      continue;
    }
    program.size[last] *= extent;
    for (MapInput& in : program.inputs) in.strides[last] = in.strides[here];
  }
  program.rank = kept;
}

}  // namespace ferry::kernels
