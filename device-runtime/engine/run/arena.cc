#include "device-runtime/engine/run/arena.h"

#include <algorithm>

namespace ferry::engine {
namespace {

constexpr int64_t kGrowthPart = 4;       // of its size, beside what is asked
constexpr int64_t kForgottenPart = 32;   // of the recent need, each time
constexpr int64_t kShrinksAt = 4;        // times the recent need
constexpr int64_t kKeptBytes = 1 << 20;  // are never too much

}  // namespace

Status Arena::Hold(int64_t bytes) {
  recent_ = std::max(bytes, recent_ - recent_ / kForgottenPart);
  const bool too_large = size() > kKeptBytes && size() / kShrinksAt > recent_;
  if (bytes <= size() && !too_large) return OkStatus();
  const int64_t more = too_large || size() == 0 ? bytes : size() + size() / kGrowthPart;
  buffer_ = tensor::Buffer();  // goes first: two would need twice the memory
  if (more > bytes && Take(more).ok()) return OkStatus();
  return Take(bytes);
}

Status Arena::Take(int64_t bytes) {
  FERRY_ASSIGN_OR_RETURN(buffer_, tensor::Buffer::Allocate(bytes, budget_));
  return OkStatus();
}

}  // namespace ferry::engine
