#include "device-runtime/ir/map.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/check.h"

namespace ferry::ir {

using tensor::DType;

MapType MapTypeOf(DType dtype) {
  CHECK(dtype != DType::kString);
  if (dtype == DType::kF64) return MapType::kF64;
  if (tensor::IsFloat(dtype)) return MapType::kF32;
  if (dtype == DType::kU64) return MapType::kU64;
  return dtype == DType::kI64 || dtype == DType::kU32 ? MapType::kI64 : MapType::kI32;
}

int64_t MapPrim::elements() const {
  int64_t count = 1;
  for (int axis = 0; axis < rank; ++axis) count *= size[static_cast<size_t>(axis)];
  return count;
}

std::vector<int> AssignRegisters(const MapPrim& prim) {
  const size_t first = prim.strides.size() + prim.constants.size();
  std::vector<int> registers(first + prim.code.size());
  for (size_t v = 0; v < first; ++v) registers[v] = static_cast<int>(v);
  // The last instruction that reads each value; results of the map live to the end.
  std::vector<size_t> last(registers.size(), 0);
  for (size_t i = 0; i < prim.code.size(); ++i) {
    for (int v : prim.code[i].from) {
      if (v >= 0) last[static_cast<size_t>(v)] = i;
    }
  }
  for (int v : prim.results) last[static_cast<size_t>(v)] = prim.code.size();
  std::vector<int> free;
  int next = static_cast<int>(first);
  const auto take = [&](size_t i) {
    if (free.empty()) {
      registers[first + i] = next++;
    } else {
      registers[first + i] = free.back();
      free.pop_back();
    }
  };
  for (size_t i = 0; i < prim.code.size(); ++i) {
    // An operand that ends here gives its register to the result: functions run element by element.
    // Not where elements grow wider: a result would lie over operands that are still to come.
    const bool converts = prim.code[i].function == MapFunction::kConvert;
    if (converts) take(i);
    for (int v : prim.code[i].from) {
      const auto value = static_cast<size_t>(v);
      if (v < 0 || value < first || last[value] != i) continue;
      if (std::ranges::find(free, registers[value]) == free.end()) {
        free.push_back(registers[value]);
      }
    }
    if (!converts) take(i);
  }
  return registers;
}

std::string Text(const MapPrim& prim) {
  const int inputs = static_cast<int>(prim.strides.size());
  const int first = inputs + static_cast<int>(prim.constants.size());
  auto name = [&](int v) {
    if (v < inputs) return fmt::format("x{}", v);
    if (v >= first) return fmt::format("v{}", v);
    const MapPrim::Constant& c = prim.constants[static_cast<size_t>(v - inputs)];
    const bool is_float = c.type == MapType::kF32 || c.type == MapType::kF64;
    return is_float ? fmt::format("{}", c.number) : fmt::format("{}", c.integer);
  };
  std::string out;
  for (const MapPrim::Instruction& step : prim.code) {
    if (!out.empty()) out += ' ';
    out += std::string(Name(step.function)) + "(";
    for (size_t i = 0; i < step.from.size() && step.from[i] >= 0; ++i) {
      out += (i > 0 ? ", " : "") + name(step.from[i]);
    }
    out += ")";
  }
  return out;
}

}  // namespace ferry::ir
