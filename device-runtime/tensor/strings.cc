#include "device-runtime/tensor/strings.h"

namespace ferry::tensor {

StringRef StringPool::Add(std::string_view text) {
  if (text.empty()) return nullptr;
  bytes_ += text.size() + sizeof(std::string);
  return &texts_.emplace_back(text);
}

}  // namespace ferry::tensor
