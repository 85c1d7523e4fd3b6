// Unique (ONNX): the different elements, or slices of an axis, sorted or as they come first; with
// the index of each one's first occurrence, the place of each input slice among them, and counts.
#include <algorithm>
#include <numeric>

#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/order.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

// Slices of a tensor along one axis.
struct Slices {
  const Tensor& x;
  int64_t outer, extent, inner;
  int64_t At(int64_t slice, int64_t i) const {
    return (i / inner * extent + slice) * inner + i % inner;
  }
  int Compare(int64_t a, int64_t b) const {
    for (int64_t i = 0; i < outer * inner; ++i) {
      const int order = Order(x, At(a, i), x, At(b, i));
      if (order != 0) return order;
    }
    return 0;
  }
};

struct Groups {
  std::vector<int64_t> first, counts;  // of each group
  std::vector<int64_t> group;          // of each slice
};

Groups GroupsOf(const Slices& slices, bool sorted) {
  std::vector<int64_t> order(static_cast<size_t>(slices.extent));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return slices.Compare(a, b) < 0; });
  Groups g;
  g.group.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || slices.Compare(order[i - 1], order[i]) != 0) {
      g.first.push_back(order[i]);
      g.counts.push_back(0);
    }
    ++g.counts.back();
    g.group[static_cast<size_t>(order[i])] = static_cast<int64_t>(g.first.size()) - 1;
  }
  if (sorted) return g;
  std::vector<size_t> by_first(g.first.size());
  std::iota(by_first.begin(), by_first.end(), size_t{0});
  std::ranges::sort(by_first, {}, [&](size_t i) { return g.first[i]; });
  Groups out;
  std::vector<int64_t> renamed(by_first.size());
  for (size_t i : by_first) {
    renamed[i] = static_cast<int64_t>(out.first.size());
    out.first.push_back(g.first[i]);
    out.counts.push_back(g.counts[i]);
  }
  for (int64_t group : g.group) out.group.push_back(renamed[static_cast<size_t>(group)]);
  return out;
}

Status EvaluateUnique(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor x, c.TensorIn(0));
  FERRY_ASSIGN_OR_RETURN(const int64_t sorted, c.Int("sorted", 1));
  if (!c.Has("axis")) {
    FERRY_ASSIGN_OR_RETURN(x, x.Reshaped({x.elements()}));
  }
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(0, x.shape().rank()));
  const int rank = x.shape().rank();
  const Slices slices{x, x.shape().Product(0, axis), x.shape()[axis],
                      x.shape().Product(axis + 1, rank)};
  const Groups groups = GroupsOf(slices, sorted != 0);
  std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
  const auto count = static_cast<int64_t>(groups.first.size());
  dims[static_cast<size_t>(axis)] = count;
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  FERRY_ASSIGN_OR_RETURN(Tensor y, c.Allocate(x.dtype(), shape));
  const Slices made{y, slices.outer, count, slices.inner};
  for (int64_t slice = 0; slice < count; ++slice) {
    for (int64_t i = 0; i < slices.outer * slices.inner; ++i) {
      CopyElement(x, slices.At(groups.first[static_cast<size_t>(slice)], i), y, made.At(slice, i));
    }
  }
  FERRY_ASSIGN_OR_RETURN(y, y.Clone(c.budget()));  // texts of its own
  c.SetOutput(0, std::move(y));
  int output = 1;
  for (const auto* list : {&groups.first, &groups.group, &groups.counts}) {
    FERRY_ASSIGN_OR_RETURN(Tensor numbers,
                           Tensor::Of<int64_t>({static_cast<int64_t>(list->size())}, *list));
    c.SetOutput(output++, std::move(numbers));
  }
  return OkStatus();
}

}  // namespace

extern const Op kUniqueOp;
const Op kUniqueOp = {.name = "Unique",
                      .min_inputs = 1,
                      .max_inputs = 1,
                      .min_outputs = 1,
                      .max_outputs = 4,
                      .evaluate = EvaluateUnique};

}  // namespace ferry::ops
