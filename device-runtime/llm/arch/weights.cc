#include "common/base/check.h"
#include "device-runtime/llm/arch/network.h"

namespace ferry::llm {

const llm::Matrix& Weights::Matrix(std::string_view name) const {
  const auto it = matrices.find(name);
  CHECK(it != matrices.end()) << name;
  return it->second;
}

const float* Weights::Vector(std::string_view name) const {
  const auto it = vectors.find(name);
  CHECK(it != vectors.end()) << name;
  return it->second;
}

}  // namespace ferry::llm
