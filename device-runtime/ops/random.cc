#include "device-runtime/ops/random.h"

namespace ferry::ops {
namespace {

thread_local sys::Random* current = nullptr;

}  // namespace

sys::Random& CurrentRandom() {
  return current != nullptr ? *current : sys::SystemRandom();
}

RandomScope::RandomScope(sys::Random* random) : before_(current) {
  if (random != nullptr) current = random;
}

RandomScope::~RandomScope() {
  current = before_;
}

}  // namespace ferry::ops
