// Narrow elements to registers and back. Included by vector.h alone.
#pragma once

#include <cstring>

namespace ferry::kernels {
namespace {

// move(from, to) turns one register's elements; the last, incomplete one goes through a copy.
template <typename From, typename To, class F>
void MoveAll(int64_t n, const void* from, void* to, const F& move) {
  using Wide = std::conditional_t<(sizeof(From) > sizeof(To)), From, To>;
  constexpr size_t kMost = 64;  // bytes of the longest register
  const size_t width = hn::Lanes(hn::ScalableTag<Wide>());
  const auto count = static_cast<size_t>(n);
  const auto* x = static_cast<const From*>(from);
  auto* y = static_cast<To*>(to);
  size_t i = 0;
  for (; i + width <= count; i += width) move(x + i, y + i);
  if (i == count) return;
  From last[kMost / sizeof(Wide)] = {};
  To moved[kMost / sizeof(Wide)];
  std::memcpy(last, x + i, (count - i) * sizeof(From));
  move(last, moved);
  std::memcpy(y + i, moved, (count - i) * sizeof(To));
}

void LoadF16(int64_t n, const void* from, void* to) {
  MoveAll<hwy::float16_t, float>(n, from, to, [](const hwy::float16_t* x, float* y) {
    const hn::ScalableTag<float> d;
    const hn::Rebind<hwy::float16_t, decltype(d)> half;
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(half, x)), d, y);
  });
}

void StoreF16(int64_t n, const void* from, void* to) {
  MoveAll<float, hwy::float16_t>(n, from, to, [](const float* x, hwy::float16_t* y) {
    const hn::ScalableTag<float> d;
    const hn::Rebind<hwy::float16_t, decltype(d)> half;
    hn::StoreU(hn::DemoteTo(half, hn::LoadU(d, x)), half, y);
  });
}

void LoadBF16(int64_t n, const void* from, void* to) {
  MoveAll<uint16_t, uint32_t>(n, from, to, [](const uint16_t* x, uint32_t* y) {
    const hn::ScalableTag<uint32_t> d;
    const hn::Rebind<uint16_t, decltype(d)> half;
    hn::StoreU(hn::ShiftLeft<16>(hn::PromoteTo(d, hn::LoadU(half, x))), d, y);
  });
}

// Rounds to nearest even; NaN stays NaN.
void StoreBF16(int64_t n, const void* from, void* to) {
  MoveAll<uint32_t, uint16_t>(n, from, to, [](const uint32_t* x, uint16_t* y) {
    const hn::ScalableTag<uint32_t> d;
    const hn::Rebind<uint16_t, decltype(d)> half;
    const auto bits = hn::LoadU(d, x);
    const auto top = hn::ShiftRight<16>(bits);
    const auto odd = hn::And(top, hn::Set(d, 1u));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, odd), hn::Set(d, 0x7fffu)));
    const auto size = hn::And(bits, hn::Set(d, 0x7fffffffu));
    const auto is_nan = hn::Gt(size, hn::Set(d, 0x7f800000u));
    const auto quiet = hn::Or(top, hn::Set(d, 0x40u));
    hn::StoreU(hn::TruncateTo(half, hn::IfThenElse(is_nan, quiet, rounded)), half, y);
  });
}

// Wide has twice the bits of Narrow or more, both signed or both unsigned.
template <typename Narrow, typename Wide>
void LoadInteger(int64_t n, const void* from, void* to) {
  MoveAll<Narrow, Wide>(n, from, to, [](const Narrow* x, Wide* y) {
    const hn::ScalableTag<Wide> d;
    const hn::Rebind<Narrow, decltype(d)> narrow;
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(narrow, x)), d, y);
  });
}

// The low bits.
template <typename Narrow, typename Wide>
void StoreInteger(int64_t n, const void* from, void* to) {
  MoveAll<Wide, Narrow>(n, from, to, [](const Wide* x, Narrow* y) {
    const hn::ScalableTag<Wide> d;
    const hn::Rebind<Narrow, decltype(d)> narrow;
    hn::StoreU(hn::TruncateTo(narrow, hn::LoadU(d, x)), narrow, y);
  });
}

// 1 for all but 0.
void StoreBool(int64_t n, const void* from, void* to) {
  MoveAll<uint32_t, uint8_t>(n, from, to, [](const uint32_t* x, uint8_t* y) {
    const hn::ScalableTag<uint32_t> d;
    const hn::Rebind<uint8_t, decltype(d)> narrow;
    const auto truth = hn::Min(hn::LoadU(d, x), hn::Set(d, 1u));
    hn::StoreU(hn::TruncateTo(narrow, truth), narrow, y);
  });
}

constexpr void SetMoves(MapKernels& k) {
  using enum tensor::DType;
  const auto set = [&](tensor::DType dtype, MapMove load, MapMove store) {
    k.load[static_cast<size_t>(dtype)] = load;
    k.store[static_cast<size_t>(dtype)] = store;
  };
  set(kF16, LoadF16, StoreF16);
  set(kBF16, LoadBF16, StoreBF16);
  set(kI8, LoadInteger<int8_t, int32_t>, StoreInteger<uint8_t, uint32_t>);
  set(kU8, LoadInteger<uint8_t, uint32_t>, StoreInteger<uint8_t, uint32_t>);
  set(kBool, LoadInteger<uint8_t, uint32_t>, StoreBool);
  set(kI16, LoadInteger<int16_t, int32_t>, StoreInteger<uint16_t, uint32_t>);
  set(kU16, LoadInteger<uint16_t, uint32_t>, StoreInteger<uint16_t, uint32_t>);
  set(kU32, LoadInteger<uint32_t, uint64_t>, StoreInteger<uint32_t, uint64_t>);
}

}  // namespace
}  // namespace ferry::kernels
