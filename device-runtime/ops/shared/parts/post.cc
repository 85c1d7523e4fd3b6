#include "device-runtime/ops/shared/parts/post.h"

#include "device-runtime/ops/shared/parts/map_forms.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ferry::ops {

Result<ir::PostOp> PostOf(const NodeContext& c) {
  ir::PostOp post;
  FERRY_ASSIGN_OR_RETURN(const std::string name, c.Text("activation", ""));
  FERRY_ASSIGN_OR_RETURN(post.low, c.Float("low", post.low));
  FERRY_ASSIGN_OR_RETURN(post.high, c.Float("high", post.high));
  const auto known = ir::ActivationOf(name);
  if (!known) return Status::Of(Code::kBadModel, "unknown activation '{}'", name);
  post.activation = *known;
  return post;
}

double ApplyPost(const ir::PostOp& post, double x) {
  if (std::isnan(x)) return x;
  switch (post.activation) {
    case ir::Activation::kNone:
      return x;
    case ir::Activation::kClip:
      return std::min<double>(post.high, std::max<double>(post.low, x));
    case ir::Activation::kGelu:
      return x * (1 + std::erf(x / std::numbers::sqrt2)) / 2;
    case ir::Activation::kHardSigmoid:
      return std::max(0.0, std::min(1.0, post.low * x + post.high));
    case ir::Activation::kHardSwish:
      return x * std::max(0.0, std::min(1.0, x / 6 + 0.5));
    case ir::Activation::kLeakyRelu:
      return x < 0 ? post.low * x : x;
    case ir::Activation::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case ir::Activation::kSilu:
      return x / (1 + std::exp(-x));
    case ir::Activation::kTanh:
      return std::tanh(x);
  }
  return x;
}

Result<MapBuilder::Value> PostForm(MapBuilder& map, const ir::PostOp& post, MapBuilder::Value x) {
  if (post.activation == ir::Activation::kNone) return x;
  const auto low = static_cast<double>(post.low), high = static_cast<double>(post.high);
  if (post.activation == ir::Activation::kClip) {
    return map.Call("Min", map.Call("Max", x, map.Number(x, low)), map.Number(x, high));
  }
  const auto value = UnaryForm(map, ir::Name(post.activation), x, low, high);
  if (value) return *value;
  return Status::Of(Code::kInternal, "no '{}'", ir::Name(post.activation));
}

}  // namespace ferry::ops
