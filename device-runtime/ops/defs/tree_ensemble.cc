// TreeEnsemble (ONNX's ML domain): for each row of features, the leaves that its trees lead to,
// put together for each target.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

enum Mode : int { kLessOrEqual, kLess, kGreaterOrEqual, kGreater, kEqual, kNotEqual, kMember };
enum Aggregate { kAverage, kSum, kMin, kMax };
enum Transform { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };

struct Trees {
  std::vector<int64_t> roots, features, true_next, false_next, true_leaf, false_leaf, missing_true;
  std::vector<int64_t> leaf_targets;
  Tensor modes, splits, weights;
  std::vector<std::vector<double>> members;  // of each node
  int64_t targets = 0, aggregate = kSum, transform = kNone;
};

Result<std::vector<int64_t>> IntsOf(const NodeContext& c, const char* key) {
  FERRY_ASSIGN_OR_RETURN(IntList list, c.Ints(key));
  return list.list;
}
Result<Tensor> TensorOf(const NodeContext& c, const char* key) {
  FERRY_ASSIGN_OR_RETURN(const Tensor* tensor, c.TensorAttribute(key));
  if (tensor == nullptr || tensor->dtype() == DType::kString) {
    return Status::Of(Code::kBadModel, "attribute '{}' must be numbers", key);
  }
  return *tensor;
}

bool AllWithin(std::span<const int64_t> list, int64_t end) {
  return std::ranges::all_of(list, [&](int64_t v) { return v >= 0 && v < end; });
}

// Every index is checked here, so that walks need not.
Status Check(const Trees& t, int64_t features) {
  const size_t nodes = t.features.size();
  const auto count = static_cast<int64_t>(nodes);
  const auto leaves = static_cast<int64_t>(t.leaf_targets.size());
  if (t.true_next.size() != nodes || t.false_next.size() != nodes || t.true_leaf.size() != nodes ||
      t.false_leaf.size() != nodes || t.modes.elements() != count || t.splits.elements() != count ||
      (!t.missing_true.empty() && t.missing_true.size() != nodes) ||
      t.weights.elements() != leaves) {
    return Status(Code::kBadModel, "lists of nodes or leaves differ in length");
  }
  for (size_t i = 0; i < nodes; ++i) {
    const double mode = t.modes.Number(static_cast<int64_t>(i));
    const bool right = t.true_next[i] >= 0 && t.false_next[i] >= 0 &&
                       t.true_next[i] < (t.true_leaf[i] != 0 ? leaves : count) &&
                       t.false_next[i] < (t.false_leaf[i] != 0 ? leaves : count) && mode >= 0 &&
                       mode <= int{kMember};
    if (!right) return Status::Of(Code::kBadModel, "node {} leads nowhere", i);
  }
  if (!AllWithin(t.features, features) || !AllWithin(t.leaf_targets, t.targets) ||
      !AllWithin(t.roots, count)) {
    return Status(Code::kBadModel, "a feature, target or root is out of range");
  }
  return OkStatus();
}

// The sets of member nodes, each closed by a NaN.
Status ReadMembers(const NodeContext& c, Trees& t) {
  FERRY_ASSIGN_OR_RETURN(const Tensor* values, c.TensorAttribute("membership_values"));
  t.members.resize(t.features.size());
  int64_t next = 0;
  for (size_t i = 0; i < t.members.size(); ++i) {
    if (t.modes.Number(static_cast<int64_t>(i)) != int{kMember}) continue;
    if (values == nullptr || values->dtype() == DType::kString || next >= values->elements()) {
      return Status::Of(Code::kBadModel, "node {} has no membership_values", i);
    }
    for (; next < values->elements() && !std::isnan(values->Number(next)); ++next) {
      t.members[i].push_back(values->Number(next));
    }
    ++next;
  }
  return OkStatus();
}

Result<Trees> TreesOf(const NodeContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0}));
  if (c.InputShape(0).rank() != 2) {
    return Status::Of(Code::kShapeMismatch, "features {}", c.InputShape(0).ToString());
  }
  Trees t;
  FERRY_ASSIGN_OR_RETURN(t.roots, IntsOf(c, "tree_roots"));
  FERRY_ASSIGN_OR_RETURN(t.features, IntsOf(c, "nodes_featureids"));
  FERRY_ASSIGN_OR_RETURN(t.true_next, IntsOf(c, "nodes_truenodeids"));
  FERRY_ASSIGN_OR_RETURN(t.false_next, IntsOf(c, "nodes_falsenodeids"));
  FERRY_ASSIGN_OR_RETURN(t.true_leaf, IntsOf(c, "nodes_trueleafs"));
  FERRY_ASSIGN_OR_RETURN(t.false_leaf, IntsOf(c, "nodes_falseleafs"));
  FERRY_ASSIGN_OR_RETURN(t.missing_true, IntsOf(c, "nodes_missing_value_tracks_true"));
  FERRY_ASSIGN_OR_RETURN(t.leaf_targets, IntsOf(c, "leaf_targetids"));
  FERRY_ASSIGN_OR_RETURN(t.modes, TensorOf(c, "nodes_modes"));
  FERRY_ASSIGN_OR_RETURN(t.splits, TensorOf(c, "nodes_splits"));
  FERRY_ASSIGN_OR_RETURN(t.weights, TensorOf(c, "leaf_weights"));
  const int64_t highest = t.leaf_targets.empty() ? 0 : *std::ranges::max_element(t.leaf_targets);
  FERRY_ASSIGN_OR_RETURN(t.targets,
                         c.Int("n_targets", std::clamp<int64_t>(highest, 0, 1 << 20) + 1));
  FERRY_ASSIGN_OR_RETURN(t.aggregate, c.Int("aggregate_function", kSum));
  FERRY_ASSIGN_OR_RETURN(t.transform, c.Int("post_transform", kNone));
  if (t.targets < 1 || t.targets > kMaxAttribute || t.aggregate < 0 || t.aggregate > kMax ||
      t.transform < 0 || t.transform > kProbit) {
    return Status(Code::kBadModel, "n_targets, aggregate_function or post_transform is unknown");
  }
  FERRY_TRY(Check(t, c.InputShape(0)[1]));
  FERRY_TRY(ReadMembers(c, t));
  return t;
}

bool GoesTrue(const Trees& t, size_t node, double x) {
  if (std::isnan(x) && !t.missing_true.empty() && t.missing_true[node] != 0) return true;
  const double split = t.splits.Number(static_cast<int64_t>(node));
  switch (static_cast<Mode>(t.modes.Number(static_cast<int64_t>(node)))) {
    case kLessOrEqual:
      return x <= split;
    case kLess:
      return x < split;
    case kGreaterOrEqual:
      return x >= split;
    case kGreater:
      return x > split;
    case kEqual:
      return x == split;
    case kNotEqual:
      return x != split;
    case kMember:
      break;
  }
  return std::ranges::find(t.members[node], x) != t.members[node].end();
}

// The leaf that `row` of x comes to.
Result<int64_t> LeafOf(const Trees& t, int64_t root, const Tensor& x, int64_t row) {
  auto node = static_cast<size_t>(root);
  for (size_t steps = 0; steps < t.features.size(); ++steps) {
    const bool is_true = GoesTrue(t, node, x.Number(row * x.shape()[1] + t.features[node]));
    const int64_t next = (is_true ? t.true_next : t.false_next)[node];
    if ((is_true ? t.true_leaf : t.false_leaf)[node] != 0) return next;
    node = static_cast<size_t>(next);
  }
  return Status::Of(Code::kBadModel, "the tree at node {} has a cycle", root);
}

// The x with erf(x) = y, by Newton's method from a rational start.
double InverseErf(double y) {
  if (!(std::abs(y) < 1)) return y * std::numeric_limits<double>::infinity();
  const double log = std::log(1 - y * y);
  const double a = 2 / (M_PI * 0.147) + log / 2;
  double x = std::copysign(std::sqrt(std::sqrt(a * a - log / 0.147) - a), y);
  for (int i = 0; i < 4; ++i) {
    x -= (std::erf(x) - y) / (2 / std::sqrt(M_PI) * std::exp(-x * x));
  }
  return x;
}

void Softmax(std::span<double> scores, bool keep_zeros) {
  const double highest = *std::ranges::max_element(scores);
  double sum = 0;
  for (double& score : scores) {
    if (keep_zeros && std::abs(score) < 1e-7) continue;
    score = std::exp(score - highest);
    sum += score;
  }
  for (double& score : scores) score = sum == 0 ? score : score / sum;
}

void Apply(int64_t transform, std::span<double> scores) {
  if (transform == kSoftmax || transform == kSoftmaxZero) {
    Softmax(scores, transform == kSoftmaxZero);
  }
  for (double& score : scores) {
    if (transform == kLogistic) score = 1 / (1 + std::exp(-score));
    if (transform == kProbit) score = std::sqrt(2.0) * InverseErf(2 * score - 1);
  }
}

Status InferTreeEnsemble(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Trees t, TreesOf(c));
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::array{c.InputShape(0)[0], t.targets}));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

Status ReferenceTreeEnsemble(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Trees t, TreesOf(c));
  const double infinity = std::numeric_limits<double>::infinity();
  const double start = t.aggregate == kMin ? infinity : t.aggregate == kMax ? -infinity : 0;
  FERRY_ASSIGN_OR_RETURN(Tensor sums, Tensor::Allocate(DType::kF64, {t.targets}));
  const std::span<double> scores = sums.mutable_data<double>();
  for (int64_t row = 0; row < c.InputShape(0)[0]; ++row) {
    std::ranges::fill(scores, start);
    for (int64_t root : t.roots) {
      FERRY_ASSIGN_OR_RETURN(const int64_t leaf, LeafOf(t, root, c.In(0), row));
      double& score = scores[static_cast<size_t>(t.leaf_targets[static_cast<size_t>(leaf)])];
      const double weight = t.weights.Number(leaf);
      score = t.aggregate == kMin   ? std::min(score, weight)
              : t.aggregate == kMax ? std::max(score, weight)
                                    : score + weight;
    }
    if (t.aggregate == kAverage) {
      for (double& score : scores) score /= static_cast<double>(t.roots.size());
    }
    Apply(t.transform, scores);
    for (int64_t i = 0; i < t.targets; ++i) {
      c.Out(0).SetNumber(row * t.targets + i, scores[static_cast<size_t>(i)]);
    }
  }
  return OkStatus();
}

}  // namespace

extern const Op kTreeEnsembleOp;
const Op kTreeEnsembleOp = {"ai.onnx.ml:TreeEnsemble", 1, 1, 1, 1, InferTreeEnsemble,
                            ReferenceTreeEnsemble};

}  // namespace ferry::ops
