// What `ferry run` shows of a model's outputs.
#pragma once

#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "device-runtime/engine/engine.h"

namespace ferry::cli {

// Tensors with more elements are summarised.
inline constexpr int64_t kMostShownElements = 32;

// Names of classes: a text of a line each, a JSON array, or a JSON object by number (whose values
// are names, or arrays that end with one). kMalformed names the file.
Result<std::vector<std::string>> ReadLabels(const std::string& file);

// "y f32 [1,4] = [[0,2,0,4]]"; of a large tensor shape, first elements, least, largest and mean. A
// line, with its end.
std::string ResultText(const std::string& name, const tensor::Value& value);

struct TopRow {
  int64_t index = 0;
  double value = 0;
  std::string label;  // "": none is known
};
// The `count` largest elements of each row along the last axis, the largest first, of equal ones
// the first. Empty for what has no numbers or no axis. kInvalidArgument where there are labels, and
// fewer than the row has elements.
Result<std::vector<std::vector<TopRow>>> TopRows(const engine::Tensor& tensor, size_t count,
                                                 const std::vector<std::string>& labels);
// A line for each, below the output's name; of many rows the first.
std::string TopText(const std::string& name, const std::vector<std::vector<TopRow>>& rows);
Json TopJson(const std::vector<std::vector<TopRow>>& rows);

}  // namespace ferry::cli
