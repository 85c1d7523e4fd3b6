// NonMaxSuppression (ONNX): of each class the boxes with the best scores that overlap no better one
// too much. The output lists batch, class and box.
#include <algorithm>
#include <array>
#include <limits>

#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

struct Box {
  float y1, x1, y2, x2;  // y1 <= y2, x1 <= x2
  float Area() const { return (y2 - y1) * (x2 - x1); }
};

Box BoxAt(const float* b, bool is_center) {
  if (is_center) {  // x, y, width, height
    return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
  }
  return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

bool Overlap(const Box& a, const Box& b, float threshold) {
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (!(height > 0) || !(width > 0)) return false;
  const float common = height * width;
  const float all = a.Area() + b.Area() - common;
  if (!(common > 0) || !(a.Area() > 0) || !(b.Area() > 0) || !(all > 0)) return false;
  return common / all > threshold;
}

using Four = float __attribute__((vector_size(16)));
using Mask = int32_t __attribute__((vector_size(16)));

// Boxes that stay. Most lie nowhere near the next one: four at once are looked at for that.
class Kept {
 public:
  bool OverlapMore(const Box& box, float threshold) const {
    const Four y1 = Four{} + box.y1, x1 = Four{} + box.x1;
    const Four y2 = Four{} + box.y2, x2 = Four{} + box.x2;
    for (const Group& g : groups_) {
      const Four bottom = y2 < g.y2 ? y2 : g.y2, top = y1 > g.y1 ? y1 : g.y1;
      const Four right = x2 < g.x2 ? x2 : g.x2, left = x1 > g.x1 ? x1 : g.x1;
      const Mask meets = (bottom > top) & (right > left);
      if ((meets[0] | meets[1] | meets[2] | meets[3]) == 0) continue;
      for (int i = 0; i < 4; ++i) {
        const Box other = {g.y1[i], g.x1[i], g.y2[i], g.x2[i]};
        if (meets[i] != 0 && Overlap(box, other, threshold)) return true;
      }
    }
    return false;
  }
  void Add(const Box& box) {
    const size_t lane = count_++ % 4;
    if (lane == 0) groups_.push_back({});  // boxes of no size overlap nothing
    Group& g = groups_.back();
    g.y1[lane] = box.y1;
    g.x1[lane] = box.x1;
    g.y2[lane] = box.y2;
    g.x2[lane] = box.x2;
  }

 private:
  struct Group {
    Four y1{}, x1{}, y2{}, x2{};
  };
  std::vector<Group> groups_;
  size_t count_ = 0;
};

struct Limits {
  int64_t boxes = 0;
  float overlap = 0;
  float score = 0;
  bool has_score = false;
};

Result<float> OneFloat(const EvaluateContext& c, int i) {
  FERRY_ASSIGN_OR_RETURN(Tensor x, c.TensorIn(i));
  if (x.dtype() == DType::kF32 && x.elements() == 1) return x.data<float>()[0];
  return Status::Of(Code::kShapeMismatch, "input {} is {}, not one f32", i, x.TypeText());
}

Result<Limits> LimitsOf(const EvaluateContext& c) {
  Limits limits;
  if (c.HasValue(2)) {
    FERRY_ASSIGN_OR_RETURN(Tensor count, c.TensorIn(2));
    if (count.dtype() != DType::kI64 || count.elements() != 1) {
      return Status::Of(Code::kShapeMismatch, "the count is {}, not one i64", count.TypeText());
    }
    limits.boxes = std::max<int64_t>(count.Integer(0), 0);
  }
  if (c.HasValue(3)) {
    FERRY_ASSIGN_OR_RETURN(limits.overlap, OneFloat(c, 3));
  }
  limits.has_score = c.HasValue(4);
  if (limits.has_score) {
    FERRY_ASSIGN_OR_RETURN(limits.score, OneFloat(c, 4));
  }
  return limits;
}

// The boxes of one class that stay, best first.
std::vector<int64_t> Select(const std::vector<Box>& boxes, const float* scores,
                            const Limits& limits) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < static_cast<int64_t>(boxes.size()); ++i) {
    if (!limits.has_score || scores[i] > limits.score) order.push_back(i);
  }
  // NaN would break the order: it counts as the worst.
  const auto score = [&](int64_t i) {
    return scores[i] == scores[i] ? scores[i] : -std::numeric_limits<float>::infinity();
  };
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return score(a) > score(b); });
  std::vector<int64_t> kept;
  Kept better;
  for (int64_t candidate : order) {
    if (static_cast<int64_t>(kept.size()) >= limits.boxes) break;
    const Box& box = boxes[static_cast<size_t>(candidate)];
    if (better.OverlapMore(box, limits.overlap)) continue;
    better.Add(box);
    kept.push_back(candidate);
  }
  return kept;
}

Status EvaluateNonMaxSuppression(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor x, c.TensorIn(0));
  FERRY_ASSIGN_OR_RETURN(Tensor scores, c.TensorIn(1));
  FERRY_ASSIGN_OR_RETURN(Limits limits, LimitsOf(c));
  FERRY_ASSIGN_OR_RETURN(const int64_t is_center, c.Int("center_point_box", 0));
  const Shape& shape = x.shape();
  if (x.dtype() != DType::kF32 || scores.dtype() != DType::kF32 || shape.rank() != 3 ||
      shape[2] != 4 || scores.shape().rank() != 3 || scores.shape()[0] != shape[0] ||
      scores.shape()[2] != shape[1]) {
    return Status::Of(Code::kShapeMismatch, "boxes {} with scores {}", x.TypeText(),
                      scores.TypeText());
  }
  const int64_t classes = shape[1] > 0 && limits.boxes > 0 ? scores.shape()[1] : 0;
  std::vector<std::array<int64_t, 3>> rows;
  for (int64_t batch = 0; batch < (classes > 0 ? shape[0] : 0); ++batch) {
    std::vector<Box> boxes;
    for (int64_t i = 0; i < shape[1]; ++i) {
      boxes.push_back(BoxAt(x.data<float>().data() + (batch * shape[1] + i) * 4, is_center != 0));
    }
    for (int64_t k = 0; k < classes; ++k) {
      const float* mine = scores.data<float>().data() + (batch * classes + k) * shape[1];
      for (int64_t box : Select(boxes, mine, limits)) rows.push_back({batch, k, box});
    }
  }
  FERRY_ASSIGN_OR_RETURN(Tensor out,
                         c.Allocate(DType::kI64, {static_cast<int64_t>(rows.size()), 3}));
  for (size_t i = 0; i < rows.size() * 3; ++i) {
    out.SetInteger(static_cast<int64_t>(i), rows[i / 3][i % 3]);
  }
  c.SetOutput(0, std::move(out));
  return OkStatus();
}

}  // namespace

extern const Op kNonMaxSuppressionOp;
const Op kNonMaxSuppressionOp = {.name = "NonMaxSuppression",
                                 .min_inputs = 2,
                                 .max_inputs = 5,
                                 .min_outputs = 1,
                                 .max_outputs = 1,
                                 .evaluate = EvaluateNonMaxSuppression};

}  // namespace ferry::ops
