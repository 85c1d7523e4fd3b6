// What a map file of one instruction set provides.
#pragma once

#include "device-runtime/kernels/map/map.h"

namespace ferry::kernels {

// One instruction over n elements of dense operands; operands that it does not take are not read.
// `to` may be an operand.
using MapFunction = void (*)(int64_t n, const void* a, const void* b, const void* c, void* to);
// n elements of memory to a register, and back.
using MapMove = void (*)(int64_t n, const void* from, void* to);

inline constexpr size_t kMapDTypeCount = static_cast<size_t>(tensor::kLastDType) + 1;

// Null: this set has nothing better than the reference.
struct MapKernels {
  MapFunction code[kMapCodeCount][kMapTypeCount];
  MapFunction convert[kMapTypeCount][kMapTypeCount];  // [from][to]
  // [dtype]; null in the reference: element by element, or the register holds what memory does.
  MapMove load[kMapDTypeCount], store[kMapDTypeCount];
};

#define FERRY_MAP_ISA(isa) extern const MapKernels kMap##isa;
#include "device-runtime/kernels/map/list.inc"
#undef FERRY_MAP_ISA

}  // namespace ferry::kernels
