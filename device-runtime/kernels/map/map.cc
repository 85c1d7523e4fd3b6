#include "device-runtime/kernels/map/map.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "device-runtime/kernels/map/elements.h"
#include "device-runtime/kernels/map/kernels.h"
#include "device-runtime/kernels/map/tiles.h"
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
  TileRunner(const MapKernels& kernels, const MapProgram& program, const MapTiles& tiles,
             const void* const* inputs, void* const* outputs)
      : kernels_(kernels), p_(program), tiles_(tiles), inputs_(inputs), outputs_(outputs) {
    for (int r = 0; r < kMapRegisters; ++r) at_[r] = registers_.bytes[r];
    for (const MapConstant& constant : p_.constants) Splat(constant);
    const int64_t most = std::min(tiles_.size, tiles_.elements);
    for (size_t i = 0; i < p_.inputs.size(); ++i) {
      views_[i] = ViewOf(p_, p_.inputs[i], tiles_);
      repeated_[i] = nullptr;
      if (tiles_.row == 0 && views_[i] == MapView::kSame) LoadSame(i, most);
    }
  }

  void Run(int64_t begin, int64_t end) {
    if (tiles_.row > 0) return RunRows(begin, end);
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t first = tile * tiles_.size;
      const int64_t n = std::min(tiles_.size, tiles_.elements - first);
      for (size_t i = 0; i < p_.inputs.size(); ++i) {
        if (views_[i] != MapView::kSame) Load(i, first, n);
      }
      Compute(first, n);
    }
  }
  bool divided_by_zero() const { return divided_by_zero_; }

 private:
  void RunRows(int64_t begin, int64_t end) {
    const auto outer = static_cast<size_t>(p_.rank - 1);
    int64_t row = begin / tiles_.pieces;
    int64_t column = begin % tiles_.pieces * tiles_.size;
    tensor::Strides at{};
    int64_t offsets[kMapRegisters] = {};
    for (size_t a = outer; a-- > 0; row /= p_.size[a]) {
      at[a] = row % p_.size[a];
      for (size_t i = 0; i < p_.inputs.size(); ++i) offsets[i] += at[a] * p_.inputs[i].strides[a];
    }
    row = begin / tiles_.pieces;
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t n = std::min(tiles_.size, tiles_.row - column);
      for (size_t i = 0; i < p_.inputs.size(); ++i) {
        const std::vector<int64_t>& rows = p_.inputs[i].rows;
        LoadRow(i, rows.empty() ? offsets[i] : rows[static_cast<size_t>(row)], column, n);
      }
      Compute(row * tiles_.row + column, n);
      column += n;
      if (column < tiles_.row) continue;
      column = 0;
      ++row;
      for (size_t a = outer; a-- > 0;) {
        ++at[a];
        const int64_t back = at[a] == p_.size[a] ? p_.size[a] : 0;
        for (size_t i = 0; i < p_.inputs.size(); ++i) {
          offsets[i] += (1 - back) * p_.inputs[i].strides[a];
        }
        if (back == 0) break;
        at[a] = 0;
      }
    }
  }

  void Compute(int64_t begin, int64_t n) {
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

  // What every tile sees, up to `n` elements: one element, or those that
  // repeat.
  void LoadSame(size_t index, int64_t n) {
    const MapInput& in = p_.inputs[index];
    const auto* base = static_cast<const uint8_t*>(inputs_[index]);
    uint8_t* to = registers_.bytes[in.to];
    uint8_t* place = IsDirect(in.dtype) ? to : registers_.bytes[kMapRegisters];
    Collect(p_, in, base, 0, n, place);
    if (place != to) Widen(in.dtype, n, place, to);
    at_[in.to] = to;
  }

  void Load(size_t index, int64_t begin, int64_t n) {
    const MapInput& in = p_.inputs[index];
    const auto* base = static_cast<const uint8_t*>(inputs_[index]);
    uint8_t* to = registers_.bytes[in.to];
    const uint8_t* from = base + static_cast<size_t>(begin) * DTypeSize(in.dtype);
    if (views_[index] == MapView::kCollected) {
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

  // Elements [column, column + n) of the row that begins at `offset`: in place
  // where they can be.
  void LoadRow(size_t index, int64_t offset, int64_t column, int64_t n) {
    const MapInput& in = p_.inputs[index];
    const int64_t step = in.strides[static_cast<size_t>(p_.rank - 1)];
    const size_t width = DTypeSize(in.dtype);
    const uint8_t* from = static_cast<const uint8_t*>(inputs_[index]) +
                          static_cast<size_t>(offset + column * step) * width;
    uint8_t* to = registers_.bytes[in.to];
    if (step == 0) {
      if (repeated_[index] == from) return;
      repeated_[index] = from;
      n = tiles_.size;
    }
    if (step != 1) {
      uint8_t* place = IsDirect(in.dtype) ? to : registers_.bytes[kMapRegisters];
      CopyStrided(width, from, step, n, place);
      from = place;
    }
    if (!IsDirect(in.dtype)) {
      Widen(in.dtype, n, from, to);
      from = to;
    }
    at_[in.to] = from;
  }

  void Widen(DType dtype, int64_t n, const uint8_t* from, uint8_t* to) const {
    const auto at = static_cast<size_t>(dtype);
    const MapMove own = kernels_.load[at];
    const MapMove move = own != nullptr ? own : kMapReference.load[at];
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

  // The memory of the output that the last instruction makes, when it can be
  // written at once.
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
    const auto at = static_cast<size_t>(out.dtype);
    const MapMove own = kernels_.store[at];
    const MapMove move = own != nullptr ? own : kMapReference.store[at];
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
  const MapTiles tiles_;
  const void* const* inputs_;
  void* const* outputs_;
  bool divided_by_zero_ = false;
  MapView views_[kMapRegisters];            // of each input
  const uint8_t* repeated_[kMapRegisters];  // the element that fills an input's register
  const uint8_t* at_[kMapRegisters];        // where each register's elements are now
  Registers registers_;
};

}  // namespace

bool Map(const KernelTable& table, sys::Parallel& parallel, const MapProgram& program,
         const void* const* inputs, void* const* outputs) {
  const MapTiles tiles = TilesOf(program);
  const auto steps =
      static_cast<int64_t>(kMapTile / 4 * (program.code.size() + program.inputs.size() + 1));
  std::atomic<bool> good = true;
  ForPieces(parallel, tiles.count(), steps, [&](int64_t begin, int64_t end) {
    TileRunner runner(*table.map, program, tiles, inputs, outputs);
    runner.Run(begin, end);
    if (runner.divided_by_zero()) good = false;
  });
  return good;
}

}  // namespace ferry::kernels
