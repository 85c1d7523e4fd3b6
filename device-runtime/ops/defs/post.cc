#include "device-runtime/ops/defs/post.h"

#include <algorithm>
#include <cmath>

namespace ferry::ops {

Result<ir::PostOp> PostOf(const NodeContext& c) {
  ir::PostOp post;
  FERRY_ASSIGN_OR_RETURN(post.activation, c.Text("activation", ""));
  FERRY_ASSIGN_OR_RETURN(post.low, c.Float("low", post.low));
  FERRY_ASSIGN_OR_RETURN(post.high, c.Float("high", post.high));
  for (std::string_view known :
       {"", "Clip", "HardSigmoid", "HardSwish", "LeakyRelu", "Sigmoid", "Silu", "Tanh"}) {
    if (post.activation == known) return post;
  }
  return Status::Of(Code::kBadModel, "unknown activation '{}'", post.activation);
}

double ApplyPost(const ir::PostOp& post, double x) {
  const std::string& a = post.activation;
  if (a.empty() || std::isnan(x)) return x;
  if (a == "Clip") return std::min<double>(post.high, std::max<double>(post.low, x));
  if (a == "HardSigmoid") return std::max(0.0, std::min(1.0, post.low * x + post.high));
  if (a == "HardSwish") return x * std::max(0.0, std::min(1.0, x / 6 + 0.5));
  if (a == "LeakyRelu") return x < 0 ? post.low * x : x;
  if (a == "Sigmoid") return 1 / (1 + std::exp(-x));
  if (a == "Silu") return x / (1 + std::exp(-x));
  return std::tanh(x);
}

}  // namespace ferry::ops
