#include "device-runtime/llm/arch/residency.h"

#include <algorithm>

#include "common/sys/pages.h"
#include "device-runtime/llm/arch/network.h"

namespace ferry::llm {
namespace {

// The bytes of a matrix, one range for packed ones, else numbers and scales.
void AddRanges(const Matrix& matrix, std::vector<ByteView>* ranges) {
  const auto add = [&](const void* data, int64_t bytes) {
    ranges->emplace_back(static_cast<const uint8_t*>(data), static_cast<size_t>(bytes));
  };
  if (matrix.is_packed()) return add(matrix.packed.data, matrix.bytes());
  const kernels::WeightMatrix& plain = matrix.plain;
  add(plain.data, plain.rows * plain.columns * kernels::WeightBytes(plain.type));
  if (plain.scales != nullptr) add(plain.scales, plain.rows * 4);
}

int64_t BytesOf(const std::vector<ByteView>& ranges) {
  int64_t bytes = 0;
  for (ByteView range : ranges) bytes += static_cast<int64_t>(range.size());
  return bytes;
}

}  // namespace

Result<Residency> Residency::Plan(const std::vector<TensorSpec>& specs, const Weights& weights,
                                  int64_t layers, int64_t budget) {
  std::vector<std::vector<ByteView>> ranges(static_cast<size_t>(layers));
  std::vector<ByteView> whole;
  for (const TensorSpec& spec : specs) {
    const auto found = weights.matrices.find(spec.name);
    if (found == weights.matrices.end()) continue;
    AddRanges(found->second, spec.layer < 0 ? &whole : &ranges[static_cast<size_t>(spec.layer)]);
  }
  int64_t all = BytesOf(whole);
  int64_t largest = std::min(all, kStreamedPieceBytes);
  for (const auto& layer : ranges) {
    all += BytesOf(layer);
    largest = std::max(largest, BytesOf(layer));
  }
  Residency plan;
  if (all <= budget) return plan;
  if (largest > budget) {
    return Status::Of(Code::kOutOfMemory,
                      "{} bytes are left for weights; the largest layer alone has {}",
                      std::max<int64_t>(budget, 0), largest);
  }
  int64_t room = budget - largest;
  plan.layers_.resize(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    const int64_t bytes = BytesOf(ranges[i]);
    if (bytes <= room) {
      room -= bytes;
    } else {
      plan.streamed_bytes_ += bytes;
      plan.layers_[i] = std::move(ranges[i]);
    }
  }
  if (BytesOf(whole) > room) {
    plan.streamed_bytes_ += BytesOf(whole);
    plan.whole_ = std::move(whole);
  }
  return plan;
}

void Residency::Enter(int64_t layer) const {
  if (layers_.empty()) return;
  for (size_t next = static_cast<size_t>(layer) + 1; next < layers_.size(); ++next) {
    if (layers_[next].empty()) continue;
    for (ByteView range : layers_[next]) sys::FetchMapped(range);
    return;
  }
  for (ByteView range : whole_) sys::FetchMapped(range);
}

void Residency::Leave(int64_t layer) const {
  if (layers_.empty()) return;
  for (ByteView range : layers_[static_cast<size_t>(layer)]) sys::ReleaseMapped(range);
}

void Residency::LeaveWhole() const {
  for (ByteView range : whole_) sys::ReleaseMapped(range);
}

}  // namespace ferry::llm
