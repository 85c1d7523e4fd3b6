// Branches that end in one sum: convolutions of the same value whose windows lie over each other
// are one, the kernel of the smaller laid into that of the larger. Batch normalisation of the value
// itself is such a convolution too, of one element (the blocks of RepVGG and MobileOne as they are
// trained).
#include <algorithm>
#include <cmath>

#include "device-runtime/passes/fuse/match.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

using ir::kNoValue;
using ir::ValueId;
using tensor::Tensor;

constexpr int64_t kMaxPad = 1 << 20;

struct Window {
  std::vector<int64_t> kernel, strides, dilations, before, behind;
  int64_t groups = 1;
};

std::vector<int64_t> Ints(const ir::Node& node, const char* key, size_t count, int64_t fallback) {
  const auto* list = node.Find<std::vector<int64_t>>(key);
  return list != nullptr && list->size() == count ? *list : std::vector<int64_t>(count, fallback);
}

// Of a convolution with constant weights and bias, and nothing fused into it.
std::optional<Window> WindowOf(const Graph& graph, const ir::Node& conv) {
  if (conv.op != "Conv" || conv.HasInput(3) || conv.attributes.contains("activation")) {
    return std::nullopt;
  }
  const std::string* automatic = conv.Find<std::string>("auto_pad");
  if (automatic != nullptr && *automatic != "NOTSET") return std::nullopt;
  const Tensor* w = ConstantF32(graph, conv.inputs[1]);
  if (w == nullptr || w->shape().rank() < 3 || w->elements() == 0) return std::nullopt;
  if (conv.HasInput(2)) {
    const Tensor* bias = ConstantF32(graph, conv.inputs[2]);
    if (bias == nullptr || bias->elements() != w->shape()[0]) return std::nullopt;
  }
  const auto axes = static_cast<size_t>(w->shape().rank() - 2);
  Window window;
  for (size_t i = 0; i < axes; ++i) window.kernel.push_back(w->shape()[static_cast<int>(i) + 2]);
  window.strides = Ints(conv, "strides", axes, 1);
  window.dilations = Ints(conv, "dilations", axes, 1);
  const auto pads = Ints(conv, "pads", 2 * axes, 0);
  window.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  window.behind.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
  const int64_t* groups = conv.Find<int64_t>("group");
  if (groups != nullptr) window.groups = *groups;
  const bool sound = std::ranges::all_of(pads, [](int64_t p) { return p >= 0 && p <= kMaxPad; });
  if (!sound || window.groups < 1 || window.groups > w->shape()[0]) return std::nullopt;
  return window;
}

// Where the kernel of `small` begins in that of `large`, if one sum of both is a convolution like
// `large`.
std::optional<std::vector<int64_t>> PlaceIn(const Window& large, const Window& small) {
  if (large.groups != small.groups || large.strides != small.strides ||
      large.kernel.size() != small.kernel.size()) {
    return std::nullopt;
  }
  std::vector<int64_t> place;
  for (size_t i = 0; i < large.kernel.size(); ++i) {
    if (large.dilations[i] != 1 || (small.dilations[i] != 1 && small.kernel[i] != 1)) {
      return std::nullopt;
    }
    const int64_t begin = large.before[i] - small.before[i];
    const int64_t behind = large.behind[i] - small.behind[i];
    // As many outputs, and each window inside the larger one's.
    if (begin < 0 || behind < 0 || small.kernel[i] > large.kernel[i] ||
        begin + behind != large.kernel[i] - small.kernel[i]) {
      return std::nullopt;
    }
    place.push_back(begin);
  }
  return place;
}

class Branches {
 public:
  explicit Branches(Graph& graph)
      : graph_(graph), match_(graph), names_(graph, "merged"), allowance_(graph) {}

  Result<int> Run() {
    std::vector<bool> gone(graph_.nodes.size(), false);
    int merged = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].op != "Add" || graph_.nodes[i].inputs.size() != 2) continue;
      int makers[2];
      bool fits = true;
      for (size_t side = 0; side < 2; ++side) {
        const ValueId id = graph_.nodes[i].inputs[side];
        const auto moved = moved_.find(id);
        makers[side] = moved != moved_.end() ? moved->second : match_.MakerIndex(id);
        fits = fits && makers[side] >= 0 && !gone[static_cast<size_t>(makers[side])];
      }
      if (!fits || makers[0] == makers[1]) continue;
      FERRY_ASSIGN_OR_RETURN(const bool done, Merge(i, makers[0], makers[1], gone));
      if (done) ++merged;
    }
    KeepNodes(graph_, gone);
    return merged;
  }

 private:
  ir::Node& At(int i) { return graph_.nodes[static_cast<size_t>(i)]; }

  Result<bool> Merge(size_t add, int a, int b, std::vector<bool>& gone) {
    if (At(a).inputs[0] != At(b).inputs[0]) return false;
    for (const auto& [large, small] : {std::pair(a, b), std::pair(b, a)}) {
      const auto window = WindowOf(graph_, At(large));
      if (!window || !match_.IsReadOnce(At(large).outputs[0])) continue;
      FERRY_ASSIGN_OR_RETURN(const bool laid, LayInto(At(large), *window, At(small)));
      if (!laid) continue;
      At(large).outputs = graph_.nodes[add].outputs;
      moved_[At(large).outputs[0]] = large;
      gone[add] = true;  // and the small one, unless somebody else reads it, with the dead nodes
      return true;
    }
    return false;
  }

  // Adds what `small` does to the weights and bias of `large`; false when it is no such branch.
  Result<bool> LayInto(ir::Node& large, const Window& window, const ir::Node& small) {
    const Tensor old = *ConstantF32(graph_, large.inputs[1]);
    const int64_t channels = old.shape()[0];
    std::vector<double> weights(static_cast<size_t>(old.elements()));
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = old.Number(static_cast<int64_t>(i));
    std::vector<double> bias(static_cast<size_t>(channels), 0.0);
    for (int64_t c = 0; large.HasInput(2) && c < channels; ++c) {
      bias[static_cast<size_t>(c)] = ConstantF32(graph_, large.inputs[2])->Number(c);
    }
    const bool laid = small.op == "BatchNormalization"
                          ? LayScale(window, old, small, weights, bias)
                          : LayKernel(window, old, small, weights, bias);
    const int64_t bytes = (old.elements() + channels) * static_cast<int64_t>(sizeof(float));
    if (!laid || !allowance_.Take(bytes)) return false;
    FERRY_ASSIGN_OR_RETURN(Tensor w, Tensor::Allocate(ir::DType::kF32, old.shape()));
    FERRY_ASSIGN_OR_RETURN(Tensor b, Tensor::Allocate(ir::DType::kF32, {channels}));
    for (size_t i = 0; i < weights.size(); ++i) w.SetNumber(static_cast<int64_t>(i), weights[i]);
    for (size_t i = 0; i < bias.size(); ++i) b.SetNumber(static_cast<int64_t>(i), bias[i]);
    large.inputs.resize(3, kNoValue);
    large.inputs[1] = graph_.AddConstant(names_.Next(), std::move(w));
    large.inputs[2] = graph_.AddConstant(names_.Next(), std::move(b));
    return true;
  }

  bool LayKernel(const Window& window, const Tensor& large, const ir::Node& node,
                 std::vector<double>& weights, std::vector<double>& bias) const {
    const auto small = WindowOf(graph_, node);
    const auto place = small ? PlaceIn(window, *small) : std::nullopt;
    if (!place) return false;
    const Tensor& w = *ConstantF32(graph_, node.inputs[1]);
    if (w.shape()[0] != large.shape()[0] || w.shape()[1] != large.shape()[1]) return false;
    for (int64_t i = 0; i < w.elements(); ++i) {
      weights[static_cast<size_t>(Placed(window, *small, *place, i))] += w.Number(i);
    }
    for (size_t c = 0; node.HasInput(2) && c < bias.size(); ++c) {
      bias[c] += ConstantF32(graph_, node.inputs[2])->Number(static_cast<int64_t>(c));
    }
    return true;
  }

  // The element of the large kernel that lies under element `i` of the small one.
  static int64_t Placed(const Window& large, const Window& small, const std::vector<int64_t>& place,
                        int64_t i) {
    int64_t at = 0, step = 1;
    for (size_t axis = large.kernel.size(); axis-- > 0;) {
      at += (i % small.kernel[axis] + place[axis]) * step;
      i /= small.kernel[axis];
      step *= large.kernel[axis];
    }
    return at + i * step;
  }

  // y = x * s + shift for each channel: the element of the kernel that lies on x itself, of each
  // channel's own input.
  bool LayScale(const Window& window, const Tensor& large, const ir::Node& node,
                std::vector<double>& weights, std::vector<double>& bias) const {
    const int64_t* training = node.Find<int64_t>("training_mode");
    if (node.inputs.size() != 5 || node.outputs.size() != 1 ||
        (training != nullptr && *training != 0)) {
      return false;
    }
    const int64_t channels = large.shape()[0];
    Window point = window;
    point.kernel.assign(window.kernel.size(), 1);
    point.before.assign(window.kernel.size(), 0);
    point.behind = point.before;
    const auto place = PlaceIn(window, point);
    const bool steps = std::ranges::any_of(window.strides, [](int64_t s) { return s != 1; });
    if (!place || steps || large.shape()[1] * window.groups != channels) return false;
    const Tensor* factors[4];
    for (size_t i = 0; i < 4; ++i) {
      factors[i] = ConstantF32(graph_, node.inputs[i + 1]);
      if (factors[i] == nullptr || factors[i]->elements() != channels) return false;
    }
    const float* given = node.Find<float>("epsilon");
    const double epsilon = static_cast<double>(given == nullptr ? 1e-5f : *given);
    for (int64_t c = 0; c < channels; ++c) {
      const double s = factors[0]->Number(c) / std::sqrt(factors[3]->Number(c) + epsilon);
      const int64_t own = c * large.shape()[1] + c % large.shape()[1];
      weights[static_cast<size_t>(Placed(window, point, *place, own))] += s;
      bias[static_cast<size_t>(c)] += factors[1]->Number(c) - factors[2]->Number(c) * s;
    }
    return true;
  }

  Graph& graph_;
  const Matcher match_;
  FreshNames names_;
  FoldAllowance allowance_;
  std::map<ValueId, int> moved_;  // of values that an earlier node makes by now
};

}  // namespace

Result<int> MergeBranches(Graph& graph) {
  return Branches(graph).Run();
}

}  // namespace ferry::passes
