// The map primitive: a short program of element-wise functions over tensors of one shape. What
// functions there are, and what each means on which type: kernels/map/codes.inc.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "device-runtime/ir/kinds.h"
#include "device-runtime/tensor/dtype.h"
#include "device-runtime/tensor/shape.h"

namespace ferry::ir {

// What a value inside a map is; elements widen to it when they are read.
enum class MapType : uint8_t { kF32, kF64, kI32, kI64, kU64 };
// The type that elements of `dtype` (not kString) widen to: floats below f32 to kF32, integers
// below i32 and bool to kI32, u32 to kI64.
MapType MapTypeOf(tensor::DType dtype);

// y... = f(x...), element by element. Values are numbered: the step's inputs, the constants, the
// results of the instructions, in order; an instruction reads values before it.
struct MapPrim {
  struct Constant {
    MapType type;
    double number;    // of float types
    int64_t integer;  // of integer types (kU64: its bits)
  };
  struct Instruction {
    MapFunction function;                 // kConvert: from the operand's type to `type`
    MapType type;                         // of the result (and of the operands, kConvert apart)
    std::array<int, 3> from{-1, -1, -1};  // operands
  };
  int rank = 0;
  std::array<int64_t, tensor::kMaxRank> size{};
  std::vector<tensor::Strides> strides;  // of each input over the axes; 0 where it repeats
  std::vector<Constant> constants;
  std::vector<Instruction> code;
  std::vector<int> results;  // for each output (dense, of a dtype that widens to it) its value

  int value_count(size_t inputs) const {
    return static_cast<int>(inputs + constants.size() + code.size());
  }
  int64_t elements() const;
};

// Where values live while a map runs: inputs and constants keep a register, results take one that
// is free. `registers[v]` of value v; the count is one more than the largest.
std::vector<int> AssignRegisters(const MapPrim& prim);

// "Mul(x0, c1) Add(v2, x1)"
std::string Text(const MapPrim& prim);

}  // namespace ferry::ir
