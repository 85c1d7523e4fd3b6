#include "device-runtime/kernels/recurrent/activate.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/kernels/map/kernels.h"

namespace ferry::kernels {
namespace {

void ByMap(const KernelTable& table, MapCode code, int64_t count, float* x) {
  constexpr auto kType = static_cast<size_t>(MapType::kF32);
  MapFunction f = table.map->code[static_cast<size_t>(code)][kType];
  if (f == nullptr) f = kMapReference.code[static_cast<size_t>(code)][kType];
  f(count, x, nullptr, nullptr, x);
}

template <typename F>
void Each(int64_t count, float* x, const F& f) {
  for (int64_t i = 0; i < count; ++i) x[i] = f(x[i]);
}

}  // namespace

void ActivateCell(const KernelTable& table, const CellActivation& activation, float clip,
                  int64_t count, float* x) {
  if (clip > 0) Each(count, x, [=](float v) { return std::clamp(v, -clip, clip); });
  const float a = activation.alpha, b = activation.beta;
  switch (activation.function) {
    case CellFunction::kAffine:
      return Each(count, x, [=](float v) { return a * v + b; });
    case CellFunction::kElu:
      return Each(count, x, [=](float v) { return v >= 0 ? v : a * std::expm1(v); });
    case CellFunction::kHardSigmoid:
      return Each(count, x, [=](float v) { return std::min(std::max(a * v + b, 0.0f), 1.0f); });
    case CellFunction::kLeakyRelu:
      return Each(count, x, [=](float v) { return v >= 0 ? v : a * v; });
    case CellFunction::kRelu:
      return Each(count, x, [](float v) { return std::max(v, 0.0f); });
    case CellFunction::kScaledTanh:
      Each(count, x, [=](float v) { return b * v; });
      ByMap(table, MapCode::kTanh, count, x);
      return Each(count, x, [=](float v) { return a * v; });
    case CellFunction::kSigmoid:
      return ByMap(table, MapCode::kSigmoid, count, x);
    case CellFunction::kSoftplus:
      return Each(count, x,
                  [](float v) { return std::max(0.0f, v) + std::log1p(std::exp(-std::abs(v))); });
    case CellFunction::kSoftsign:
      return Each(count, x, [](float v) { return v / (1 + std::abs(v)); });
    case CellFunction::kTanh:
      return ByMap(table, MapCode::kTanh, count, x);
    case CellFunction::kThresholdedRelu:
      return Each(count, x, [=](float v) { return v >= a ? v : 0; });
  }
}

}  // namespace ferry::kernels
