#include "device-runtime/llm/arch/network.h"

#include "common/base/check.h"

namespace ferry::llm {

const kernels::WeightMatrix& Weights::Matrix(std::string_view name) const {
  const auto it = matrices.find(name);
  CHECK(it != matrices.end()) << name;
  return it->second;
}

const float* Weights::Vector(std::string_view name) const {
  const auto it = vectors.find(name);
  CHECK(it != vectors.end()) << name;
  return it->second;
}

Result<const Architecture*> FindArchitecture(std::string_view name) {
  const Architecture* const all[] = {
#define FERRY_ARCHITECTURE(name) &name##Architecture(),
#include "device-runtime/llm/arch/list.inc"
#undef FERRY_ARCHITECTURE
  };
  std::string supported;
  for (const Architecture* architecture : all) {
    if (architecture->name() == name) return architecture;
    supported +=
        supported.empty() ? architecture->name() : fmt::format(", {}", architecture->name());
  }
  return Status::Of(Code::kUnsupported, "architecture \"{}\" is not supported; supported: {}", name,
                    supported);
}

}  // namespace ferry::llm
