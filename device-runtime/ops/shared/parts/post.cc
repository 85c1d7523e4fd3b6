#include "device-runtime/ops/shared/parts/post.h"

#include "device-runtime/ops/shared/parts/map_forms.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ferry::ops {

Result<ir::PostOp> PostOf(const NodeContext& c) {
  ir::PostOp post;
  FERRY_ASSIGN_OR_RETURN(post.activation, c.Text("activation", ""));
  FERRY_ASSIGN_OR_RETURN(post.low, c.Float("low", post.low));
  FERRY_ASSIGN_OR_RETURN(post.high, c.Float("high", post.high));
  for (std::string_view known :
       {"", "Clip", "Gelu", "HardSigmoid", "HardSwish", "LeakyRelu", "Sigmoid", "Silu", "Tanh"}) {
    if (post.activation == known) return post;
  }
  return Status::Of(Code::kBadModel, "unknown activation '{}'", post.activation);
}

double ApplyPost(const ir::PostOp& post, double x) {
  const std::string& a = post.activation;
  if (a.empty() || std::isnan(x)) return x;
  if (a == "Clip") return std::min<double>(post.high, std::max<double>(post.low, x));
  if (a == "Gelu") return x * (1 + std::erf(x / std::numbers::sqrt2)) / 2;
  if (a == "HardSigmoid") return std::max(0.0, std::min(1.0, post.low * x + post.high));
  if (a == "HardSwish") return x * std::max(0.0, std::min(1.0, x / 6 + 0.5));
  if (a == "LeakyRelu") return x < 0 ? post.low * x : x;
  if (a == "Sigmoid") return 1 / (1 + std::exp(-x));
  if (a == "Silu") return x / (1 + std::exp(-x));
  return std::tanh(x);
}

Result<MapBuilder::Value> PostForm(MapBuilder& map, const ir::PostOp& post, MapBuilder::Value x) {
  if (post.activation.empty()) return x;
  const auto low = static_cast<double>(post.low), high = static_cast<double>(post.high);
  if (post.activation == "Clip") {
    return map.Call("Min", map.Call("Max", x, map.Number(x, low)), map.Number(x, high));
  }
  const auto value = UnaryForm(map, post.activation, x, low, high);
  if (value) return *value;
  return Status::Of(Code::kInternal, "no '{}'", post.activation);
}

}  // namespace ferry::ops
