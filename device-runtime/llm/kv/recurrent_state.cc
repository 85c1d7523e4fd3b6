#include "device-runtime/llm/kv/recurrent_state.h"

#include <algorithm>
#include <cstring>

#include "common/base/check.h"

namespace ferry::llm {

Result<std::unique_ptr<RecurrentState>> RecurrentState::Create(std::span<const KvLayer> layers) {
  std::unique_ptr<RecurrentState> made(new RecurrentState);
  int64_t floats = 0;
  for (const KvLayer& layer : layers) {
    made->layers_.push_back({layer.state_floats, layer.input_floats, floats});
    floats += (1 + kSlots) * layer.state_floats + kKept * layer.input_floats;
  }
  FERRY_ASSIGN_OR_RETURN(made->memory_, tensor::Buffer::Allocate(floats * 4));
  std::memset(made->memory_.data(), 0, static_cast<size_t>(floats) * 4);
  return made;
}

float* RecurrentState::At(int64_t layer, int64_t offset) const {
  auto* floats = reinterpret_cast<float*>(const_cast<uint8_t*>(memory_.data()));
  return floats + layers_[static_cast<size_t>(layer)].begin + offset;
}

float* RecurrentState::saved(int64_t layer, int64_t multiple) {
  DCHECK(multiple % kStateReach == 0);
  const int64_t slot = multiple / kStateReach % kSlots;
  return At(layer, (1 + slot) * layers_[static_cast<size_t>(layer)].state_floats);
}

float* RecurrentState::input(int64_t layer, int64_t position) {
  const Layer& shape = layers_[static_cast<size_t>(layer)];
  return At(layer, (1 + kSlots) * shape.state_floats + position % kKept * shape.input_floats);
}

void RecurrentState::Advance(int64_t length) {
  for (int64_t at = position_ / kStateReach * kStateReach + kStateReach; at <= length;
       at += kStateReach) {
    saved_at_[at / kStateReach % kSlots] = at;
  }
  position_ = length;
  written_ = std::max(written_, length);
}

int64_t RecurrentState::Truncate(int64_t length) {
  if (length >= position_) return length;
  int64_t base = -1;
  if (written_ <= kKept) base = 0;  // every input is kept
  for (int64_t& at : saved_at_) {
    if (at > length) at = 0;
    if (at > 0) base = std::max(base, at);
  }
  if (base <= 0) {
    for (size_t l = 0; l < layers_.size(); ++l) {
      std::fill_n(state(static_cast<int64_t>(l)), layers_[l].state_floats, 0.0f);
    }
  } else {
    for (size_t l = 0; l < layers_.size(); ++l) {
      const auto layer = static_cast<int64_t>(l);
      std::copy_n(saved(layer, base), layers_[l].state_floats, state(layer));
    }
  }
  position_ = std::max<int64_t>(base, 0);
  if (base >= 0) return length;
  written_ = 0;
  return 0;
}

Result<std::unique_ptr<RecurrentState>> RecurrentState::Copy() const {
  std::unique_ptr<RecurrentState> copy(new RecurrentState);
  copy->layers_ = layers_;
  copy->position_ = position_;
  copy->written_ = written_;
  std::copy_n(saved_at_, kSlots, copy->saved_at_);
  FERRY_ASSIGN_OR_RETURN(copy->memory_, tensor::Buffer::Allocate(memory_.size()));
  std::memcpy(copy->memory_.data(), memory_.data(), static_cast<size_t>(memory_.size()));
  return copy;
}

}  // namespace ferry::llm
