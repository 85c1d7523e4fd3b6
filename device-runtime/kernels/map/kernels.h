// What a map file of one instruction set provides.
#pragma once

#include "device-runtime/kernels/map/map.h"

namespace ferry::kernels {

// One instruction over n elements of dense operands; operands that it does not take are not read.
// `to` may be an operand.
using MapFunction = void (*)(int64_t n, const void* a, const void* b, const void* c, void* to);
// n elements of memory to a register, and back.
using MapMove = void (*)(int64_t n, const void* from, void* to);

// Null: this set has nothing better than the reference.
struct MapKernels {
  MapFunction code[kMapCodeCount][kMapTypeCount];
  MapFunction convert[kMapTypeCount][kMapTypeCount];  // [from][to]
  MapMove load_f16, load_bf16, load_i8, load_u8;
  MapMove store_f16, store_bf16, store_i8, store_u8;
};

#define FERRY_MAP_ISA(isa) extern const MapKernels kMap##isa;
#include "device-runtime/kernels/map/list.inc"
#undef FERRY_MAP_ISA

}  // namespace ferry::kernels
