// Models for benchmarks.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "device-runtime/engine/engine.h"

namespace ferry::bench {

// .onnx and .fm files, and those of folders. kInvalidArgument when there are none.
Result<std::vector<std::filesystem::path>> ModelFiles(const std::vector<std::string>& paths);
Result<std::shared_ptr<const engine::Model>> LoadModel(const std::filesystem::path& path);

}  // namespace ferry::bench
