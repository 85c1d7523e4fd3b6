#include "device-runtime/kernels/map/map.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>

#include "device-runtime/kernels/map/kernels.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/tensor/tensor.h"

namespace ferry::kernels {
namespace {

using tensor::DType;
using tensor::DTypeSize;

constexpr int64_t kRegisterBytes = kMapTile * 8;

struct alignas(64) Registers {
  uint8_t bytes[kMapRegisters + 1][kRegisterBytes];  // the last: elements before they widen
};

size_t RegisterWidth(MapType type) {
  return type == MapType::kF32 || type == MapType::kI32 ? 4 : 8;
}
bool IsDirect(DType dtype) {
  return DTypeSize(dtype) >= 4 && dtype != DType::kU32;
}

template <typename T>
void CopyRun(const uint8_t* from, int64_t stride, int64_t n, uint8_t* to) {
  const T* source = reinterpret_cast<const T*>(from);
  T* target = reinterpret_cast<T*>(to);
  for (int64_t i = 0; i < n; ++i) target[i] = source[i * stride];
}

void CopyStrided(size_t width, const uint8_t* from, int64_t stride, int64_t n, uint8_t* to) {
  if (stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(n) * width);
  } else if (width == 1) {
    CopyRun<uint8_t>(from, stride, n, to);
  } else if (width == 2) {
    CopyRun<uint16_t>(from, stride, n, to);
  } else if (width == 4) {
    CopyRun<uint32_t>(from, stride, n, to);
  } else {
    CopyRun<uint64_t>(from, stride, n, to);
  }
}

// Elements [begin, begin + n) of an input, in the order of the map, side by side in `to`.
void Collect(const MapProgram& p, const MapInput& in, const uint8_t* base, int64_t begin, int64_t n,
             uint8_t* to) {
  const size_t width = DTypeSize(in.dtype);
  tensor::Strides at{};
  int64_t offset = 0;
  for (int axis = p.rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    at[a] = begin % p.size[a];
    begin /= p.size[a];
    offset += at[a] * in.strides[a];
  }
  const auto last = static_cast<size_t>(p.rank - 1);
  while (n > 0) {
    const int64_t run = std::min(n, p.size[last] - at[last]);
    const int64_t byte = offset * static_cast<int64_t>(width);
    CopyStrided(width, base + byte, in.strides[last], run, to);
    to += static_cast<size_t>(run) * width;
    n -= run;
    at[last] += run;
    offset += run * in.strides[last];
    for (size_t a = last; a > 0 && at[a] == p.size[a]; --a) {
      offset += in.strides[a - 1] - at[a] * in.strides[a];
      at[a] = 0;
      ++at[a - 1];
    }
  }
}

// After how many elements an input repeats itself: 1 for a single element, the number of a row's
// elements for one that is added to each row; 0 when it does not repeat.
int64_t PeriodOf(const MapProgram& p, const MapInput& in) {
  int64_t period = 1;
  int axis = p.rank - 1;
  for (; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    if (in.strides[a] != period) break;
    period *= p.size[a];
  }
  const bool is_dense = axis < 0 && p.rank > 0;
  for (; axis >= 0; --axis) {
    if (in.strides[static_cast<size_t>(axis)] != 0) return 0;
  }
  return is_dense ? 0 : period;
}

// Elements of a tile: a multiple of the periods, where they are short, so that every tile sees the
// same part of the inputs that repeat.
int64_t TileOf(const MapProgram& p) {
  int64_t common = 1;
  for (const MapInput& in : p.inputs) {
    const int64_t period = PeriodOf(p, in);
    if (period > 1 && std::lcm(common, period) <= kMapTile) common = std::lcm(common, period);
  }
  return kMapTile / common * common;
}

bool DividesIntegers(const MapInstruction& step) {
  const bool divides =
      step.code == MapCode::kDiv || step.code == MapCode::kMod || step.code == MapCode::kRem;
  return divides && step.type != MapType::kF32 && step.type != MapType::kF64;
}

template <typename T>
bool AnyZero(int64_t n, const uint8_t* data) {
  bool any = false;
  for (int64_t i = 0; i < n; ++i) any |= reinterpret_cast<const T*>(data)[i] == 0;
  return any;
}
bool HasZero(MapType type, int64_t n, const uint8_t* data) {
  return type == MapType::kI32 ? AnyZero<int32_t>(n, data) : AnyZero<int64_t>(n, data);
}

class TileRunner {
 public:
  TileRunner(const MapKernels& kernels, const MapProgram& program, int64_t tile,
             const void* const* inputs, void* const* outputs)
      : kernels_(kernels), p_(program), tile_(tile), inputs_(inputs), outputs_(outputs) {
    for (int r = 0; r < kMapRegisters; ++r) at_[r] = registers_.bytes[r];
    for (const MapConstant& constant : p_.constants) Splat(constant);
    const int64_t most = std::min(tile_, p_.elements());
    for (size_t i = 0; i < p_.inputs.size(); ++i) {
      if (IsSame(p_.inputs[i])) Load(i, 0, most);
    }
  }

  void Run(int64_t begin, int64_t n) {
    for (size_t i = 0; i < p_.inputs.size(); ++i) {
      if (!IsSame(p_.inputs[i])) Load(i, begin, n);
    }
    for (size_t i = 0; i < p_.code.size(); ++i) {
      const MapInstruction& step = p_.code[i];
      uint8_t* to = registers_.bytes[step.to];
      if (i + 1 == p_.code.size()) {
        if (uint8_t* direct = DirectOutput(step, begin)) to = direct;
      }
      if (DividesIntegers(step)) divided_by_zero_ |= HasZero(step.type, n, at_[step.b]);
      FunctionOf(step)(n, at_[step.a], at_[step.b], at_[step.c], to);
      at_[step.to] = to;
    }
    for (size_t i = 0; i < p_.outputs.size(); ++i) Store(i, begin, n);
  }
  bool divided_by_zero() const { return divided_by_zero_; }

 private:
  // Whether every tile sees the same elements.
  bool IsSame(const MapInput& in) const {
    const int64_t period = PeriodOf(p_, in);
    return period > 0 && tile_ % period == 0;
  }
  bool IsOne(const MapInput& in) const {
    for (int axis = 0; axis < p_.rank; ++axis) {
      if (in.strides[static_cast<size_t>(axis)] != 0) return false;
    }
    return true;
  }
  bool IsDense(const MapInput& in) const {
    int64_t expected = 1;
    for (int axis = p_.rank - 1; axis >= 0; --axis) {
      const auto a = static_cast<size_t>(axis);
      if (in.strides[a] != expected) return false;
      expected *= p_.size[a];
    }
    return true;
  }

  MapFunction FunctionOf(const MapInstruction& step) const {
    const auto type = static_cast<size_t>(step.type);
    if (step.code == MapCode::kConvert) {
      const auto from = static_cast<size_t>(step.from);
      const MapFunction own = kernels_.convert[from][type];
      return own != nullptr ? own : kMapReference.convert[from][type];
    }
    const auto code = static_cast<size_t>(step.code);
    const MapFunction own = kernels_.code[code][type];
    return own != nullptr ? own : kMapReference.code[code][type];
  }

  void Splat(const MapConstant& constant) {
    uint8_t one[8];
    switch (constant.type) {
      case MapType::kF32: {
        const auto value = static_cast<float>(constant.number);
        std::memcpy(one, &value, 4);
        break;
      }
      case MapType::kF64:
        std::memcpy(one, &constant.number, 8);
        break;
      case MapType::kI32: {
        const auto value = static_cast<int32_t>(constant.integer);
        std::memcpy(one, &value, 4);
        break;
      }
      default:
        std::memcpy(one, &constant.integer, 8);
    }
    CopyStrided(RegisterWidth(constant.type), one, 0, kMapTile, registers_.bytes[constant.to]);
  }

  void Load(size_t index, int64_t begin, int64_t n) {
    const MapInput& in = p_.inputs[index];
    const auto* base = static_cast<const uint8_t*>(inputs_[index]);
    uint8_t* to = registers_.bytes[in.to];
    const size_t width = DTypeSize(in.dtype);
    if (IsOne(in)) {
      uint8_t* place = IsDirect(in.dtype) ? to : registers_.bytes[kMapRegisters];
      CopyStrided(width, base, 0, n, place);
      if (place != to) Widen(in.dtype, n, place, to);
      at_[in.to] = to;
      return;
    }
    const uint8_t* from = base + static_cast<size_t>(begin) * width;
    if (!IsDense(in)) {
      uint8_t* place = IsDirect(in.dtype) ? to : registers_.bytes[kMapRegisters];
      Collect(p_, in, base, begin, n, place);
      from = place;
    }
    if (!IsDirect(in.dtype)) {
      Widen(in.dtype, n, from, to);
      from = to;
    }
    at_[in.to] = from;
  }

  void Widen(DType dtype, int64_t n, const uint8_t* from, uint8_t* to) const {
    const MapMove move = dtype == DType::kF16                           ? kernels_.load_f16
                         : dtype == DType::kBF16                        ? kernels_.load_bf16
                         : dtype == DType::kI8                          ? kernels_.load_i8
                         : dtype == DType::kU8 || dtype == DType::kBool ? kernels_.load_u8
                                                                        : nullptr;
    if (move != nullptr) return move(n, from, to);
    const auto view = tensor::Tensor::View(dtype, {n}, from);
    const MapType type = MapTypeOf(dtype);
    for (int64_t i = 0; i < n; ++i) {
      if (type == MapType::kF32) {
        reinterpret_cast<float*>(to)[i] = static_cast<float>(view.Number(i));
      } else if (type == MapType::kI32) {
        reinterpret_cast<int32_t*>(to)[i] = static_cast<int32_t>(view.Integer(i));
      } else {
        reinterpret_cast<int64_t*>(to)[i] = view.Integer(i);
      }
    }
  }

  // The memory of the output that the last instruction makes, when it can be written at once.
  uint8_t* DirectOutput(const MapInstruction& step, int64_t begin) const {
    for (size_t i = 0; i < p_.outputs.size(); ++i) {
      const MapOutput& out = p_.outputs[i];
      if (out.from != step.to || !IsDirect(out.dtype)) continue;
      return static_cast<uint8_t*>(outputs_[i]) + static_cast<size_t>(begin) * DTypeSize(out.dtype);
    }
    return nullptr;
  }

  void Store(size_t index, int64_t begin, int64_t n) const {
    const MapOutput& out = p_.outputs[index];
    auto* to =
        static_cast<uint8_t*>(outputs_[index]) + static_cast<size_t>(begin) * DTypeSize(out.dtype);
    const uint8_t* from = at_[out.from];
    if (from == to) return;
    if (IsDirect(out.dtype)) {
      std::memmove(to, from, static_cast<size_t>(n) * DTypeSize(out.dtype));
      return;
    }
    const MapMove move = out.dtype == DType::kF16    ? kernels_.store_f16
                         : out.dtype == DType::kBF16 ? kernels_.store_bf16
                         : out.dtype == DType::kI8   ? kernels_.store_i8
                         : out.dtype == DType::kU8   ? kernels_.store_u8
                                                     : nullptr;
    if (move != nullptr) return move(n, from, to);
    auto view = tensor::Tensor::View(out.dtype, {n}, to);
    const MapType type = MapTypeOf(out.dtype);
    for (int64_t i = 0; i < n; ++i) {
      if (type == MapType::kF32) {
        view.SetNumber(i, static_cast<double>(reinterpret_cast<const float*>(from)[i]));
      } else if (type == MapType::kI32) {
        view.SetInteger(i, reinterpret_cast<const int32_t*>(from)[i]);
      } else {
        view.SetInteger(i, reinterpret_cast<const int64_t*>(from)[i]);
      }
    }
  }

  const MapKernels& kernels_;
  const MapProgram& p_;
  const int64_t tile_;
  const void* const* inputs_;
  void* const* outputs_;
  bool divided_by_zero_ = false;
  const uint8_t* at_[kMapRegisters];  // where each register's elements are now
  Registers registers_;
};

}  // namespace

bool Map(const KernelTable& table, sys::Parallel& parallel, const MapProgram& program,
         const void* const* inputs, void* const* outputs) {
  const int64_t elements = program.elements();
  const int64_t size = TileOf(program);
  const int64_t tiles = (elements + size - 1) / size;
  const auto steps =
      static_cast<int64_t>(kMapTile / 4 * (program.code.size() + program.inputs.size() + 1));
  std::atomic<bool> good = true;
  ForPieces(parallel, tiles, steps, [&](int64_t begin, int64_t end) {
    TileRunner runner(*table.map, program, size, inputs, outputs);
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t first = tile * size;
      runner.Run(first, std::min<int64_t>(size, elements - first));
    }
    if (runner.divided_by_zero()) good = false;
  });
  return good;
}

}  // namespace ferry::kernels
