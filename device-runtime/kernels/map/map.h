// Maps: short programs of element-wise functions over tensors of one shape, run tile by tile so
// that what passes between two functions stays in the first-level cache. The idea of running a
// block of elements through each instruction in turn is vectorised interpretation (Boncz, Zukowski,
// Nes, "MonetDB/X100", CIDR 2005).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"
#include "device-runtime/tensor/dtype.h"
#include "device-runtime/tensor/shape.h"

namespace ferry::kernels {

// What a register holds. Narrower elements widen when they are loaded: f16, bf16 and smaller floats
// to kF32; i8, u8, i16, u16 and bool to kI32; u32 to kI64. Their own width returns when they are
// stored: integers keep their low bits, floats round to nearest even.
enum class MapType : uint8_t { kF32, kF64, kI32, kI64, kU64 };
inline constexpr int kMapTypeCount = 5;
// The register type of an element type (not kString).
MapType MapTypeOf(tensor::DType dtype);

enum class MapCode : uint8_t {
#define FERRY_MAP(name, ...) k##name,
#include "device-runtime/kernels/map/codes.inc"
#undef FERRY_MAP
  kConvert,  // from `from` to `type`: floats to integers toward zero, saturated, NaN to 0
};
inline constexpr int kMapCodeCount = static_cast<int>(MapCode::kConvert) + 1;
// Name, operands and whether a register type has it.
const char* MapCodeName(MapCode code);
int MapOperands(MapCode code);
bool MapHas(MapCode code, MapType type);

inline constexpr int kMapRegisters = 16;
inline constexpr int kMapTile = 256;  // elements

struct MapInstruction {
  MapCode code;
  MapType type;
  uint8_t to = 0, a = 0, b = 0, c = 0;  // registers; may be equal
  MapType from = MapType::kF32;         // kConvert only
};
struct MapInput {
  tensor::DType dtype;
  uint8_t to;               // register
  tensor::Strides strides;  // in elements, over the map's axes; 0 where repeated
  // Not empty: where each row of the last axis, of more than one element, begins, for rows in
  // order. The stride of the last axis is 1 and the others do not count.
  std::vector<int64_t> rows = {};
};
struct MapConstant {
  MapType type;
  uint8_t to;
  double number;    // of float types
  int64_t integer;  // of integer types
};
struct MapOutput {
  tensor::DType dtype;  // its MapTypeOf is the register's
  uint8_t from;
};

// Inputs, then constants, are in their registers before the code runs over a tile; a register that
// holds one must not be written. Outputs are dense.
struct MapProgram {
  int rank = 0;
  std::array<int64_t, tensor::kMaxRank> size{};
  std::vector<MapInput> inputs;
  std::vector<MapConstant> constants;
  std::vector<MapInstruction> code;
  std::vector<MapOutput> outputs;

  int64_t elements() const;
};

// Merges axes that lie behind each other in every input, rows that a table places apart; the result
// is the same.
void Simplify(MapProgram& program);

// Runs a program. The outputs may be inputs only where those are dense and of the same width. False
// when an integer was divided by zero (Div, Mod, Rem): the other elements are as they should be.
[[nodiscard]] bool Map(const KernelTable& table, sys::Parallel& parallel, const MapProgram& program,
                       const void* const* inputs, void* const* outputs);

}  // namespace ferry::kernels
