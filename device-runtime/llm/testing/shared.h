// Models beside the project, for tests; absent ones skip the test loudly.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/sys/filesystem.h"
#include "device-runtime/formats/safetensors.h"

namespace ferry::llm::testing {

// FERRY_SHARED, or ../shared beside the sources.
inline std::string SharedPath(const std::string& name) {
  const char* set = std::getenv("FERRY_SHARED");
  const std::string base = set != nullptr ? set : std::string(FERRY_SOURCE_DIR) + "/../shared";
  return sys::JoinPath(base, name);
}

#define FERRY_NEEDS_SHARED(name)                                                          \
  if (!ferry::sys::Exists(ferry::sys::SystemFileSystem(),                                 \
                          ferry::llm::testing::SharedPath(name))) {                       \
    GTEST_SKIP() << "SKIPPED: " << ferry::llm::testing::SharedPath(name) << " is absent"; \
  }                                                                                       \
  static_assert(true)

// Reference outputs in a safetensors file.
class Golden {
 public:
  explicit Golden(const std::string& path) {
    auto file = sys::SystemFileSystem().Map(path);
    EXPECT_TRUE(file.ok()) << file.status().ToString();
    file_ = std::move(*file);
    auto tensors = formats::Safetensors::Read(file_->bytes(), path);
    EXPECT_TRUE(tensors.ok()) << tensors.status().ToString();
    tensors_ = std::move(*tensors);
  }
  // Empty when there is none of the name. T has the size of the stored numbers.
  template <typename T>
  std::vector<T> Get(const std::string& name) const {
    const auto* tensor = tensors_.Find(name);
    if (tensor == nullptr) return {};
    std::vector<T> result(tensor->bytes.size() / sizeof(T));
    std::memcpy(result.data(), tensor->bytes.data(), result.size() * sizeof(T));
    return result;
  }
  const formats::SafetensorsTensor* Find(const std::string& name) const {
    return tensors_.Find(name);
  }

 private:
  std::unique_ptr<sys::MappedFile> file_;
  formats::Safetensors tensors_;
};

}  // namespace ferry::llm::testing
