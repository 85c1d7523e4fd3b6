// Finds ONNX backend cases: folders with model.onnx and test_data_set_N/{input_i,output_i}.pb.
// Source: the layout of ONNX's backend test suite.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::conformance {

inline constexpr size_t kMaxCases = 100'000;
inline constexpr int kMaxFolderDepth = 16;

inline constexpr std::string_view kDataSetPrefix = "test_data_set_";

struct Case {
  std::string name;    // the folder below the one that was searched: "node/test_add"
  std::string folder;  // its path
};

// All cases in and below `directory` whose names match one of `patterns` (shell globs, "*" matches
// "/" too; none: all), sorted by name. kNotFound when `directory` is no folder, kLimitExceeded.
Result<std::vector<Case>> FindCases(const std::string& directory,
                                    std::span<const std::string> patterns = {});

}  // namespace ferry::conformance
