// Einsum (ONNX): operands are multiplied from left to right; a label that nobody needs any more is
// summed at once, so that a step is one batched product, or an element-wise one if it sums nothing.
#include <algorithm>

#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/parts/einsum_equation.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

struct Operand {
  ValueId value;
  Labels labels;
};

bool Has(const Labels& labels, char label) {
  return std::ranges::find(labels, label) != labels.end();
}

std::vector<int64_t> DimsOf(const ExpandContext& c, ValueId id) {
  const auto dims = c.ShapeOf(id).dims();
  return {dims.begin(), dims.end()};
}

// The operand with its axes in the order of `labels`, which are its own.
void Arrange(ExpandContext& c, Operand& o, const Labels& labels) {
  if (o.labels == labels) return;
  std::vector<int64_t> order;
  for (char label : labels) {
    order.push_back(std::ranges::find(o.labels, label) - o.labels.begin());
  }
  o.value = c.Transpose(o.value, order);
  o.labels = labels;
}

// A label that stands twice: the diagonal of its two axes.
void TakeDiagonals(ExpandContext& c, Operand& o) {
  for (size_t i = 0; i < o.labels.size(); ++i) {
    const auto again =
        std::find(o.labels.begin() + static_cast<int64_t>(i) + 1, o.labels.end(), o.labels[i]);
    if (again == o.labels.end()) continue;
    const auto j = static_cast<size_t>(again - o.labels.begin());
    std::vector<int64_t> dims = DimsOf(c, o.value);
    if (dims.size() != o.labels.size()) return;  // an error sticks
    std::vector<int64_t> order = {static_cast<int64_t>(i), static_cast<int64_t>(j)};
    std::vector<int64_t> rest;
    Labels labels = {o.labels[i]};
    for (size_t k = 0; k < dims.size(); ++k) {
      if (k == i || k == j) continue;
      order.push_back(static_cast<int64_t>(k));
      rest.push_back(dims[k]);
      labels.push_back(o.labels[k]);
    }
    const int64_t extent = dims[i];
    if (dims[j] != extent) {
      c.Fail(Status::Of(Code::kShapeMismatch, "a diagonal of {} and {}", extent, dims[j]));
      return;
    }
    std::vector<int64_t> flat = {extent * extent};
    flat.insert(flat.end(), rest.begin(), rest.end());
    o.value = c.Reshape(c.Transpose(o.value, order), flat);
    o.value = c.Add("Slice", {o.value, c.Ints({0}), c.Ints({extent * extent}), c.Ints({0}),
                              c.Ints({extent + 1})});
    o.labels = labels;
    i = static_cast<size_t>(-1);  // from the start
  }
}

// An axis of 1 that another operand has longer counts for nothing.
void DropBroadcast(ExpandContext& c, Operand& o, const EinsumEquation& e) {
  const std::vector<int64_t> dims = DimsOf(c, o.value);
  if (dims.size() != o.labels.size()) return;
  std::vector<int64_t> kept;
  Labels labels;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1 && e.extents.at(o.labels[i]) != 1) continue;
    kept.push_back(dims[i]);
    labels.push_back(o.labels[i]);
  }
  if (kept.size() == dims.size()) return;
  o.value = c.Reshape(o.value, kept);
  o.labels = labels;
}

// Sums the labels that are not needed.
void SumUnneeded(ExpandContext& c, Operand& o, const Labels& needed) {
  std::vector<int64_t> axes;
  Labels labels;
  for (size_t i = 0; i < o.labels.size(); ++i) {
    if (Has(needed, o.labels[i])) {
      labels.push_back(o.labels[i]);
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  if (axes.empty()) return;
  o.value = c.Add("ReduceSum", {o.value, c.Ints(axes)}, {{"keepdims", int64_t{0}}});
  o.labels = labels;
}

// The product of two operands, summed over the labels of both that are not needed.
Operand Multiply(ExpandContext& c, Operand a, Operand b, const Labels& needed,
                 const EinsumEquation& e) {
  Labels both, summed, left, right;
  for (char label : a.labels) {
    (!Has(b.labels, label) ? left : Has(needed, label) ? both : summed).push_back(label);
  }
  for (char label : b.labels) {
    if (!Has(a.labels, label)) right.push_back(label);
  }
  auto extent = [&](const Labels& labels) {
    int64_t product = 1;
    for (char label : labels) product *= e.extents.at(label);
    return product;
  };
  auto order = [&](std::initializer_list<const Labels*> groups) {
    Labels all;
    for (const Labels* group : groups) all.insert(all.end(), group->begin(), group->end());
    return all;
  };
  Arrange(c, a, order({&both, &left, &summed}));
  Arrange(c, b, order({&both, &summed, &right}));
  const int64_t batch = extent(both), m = extent(left), k = extent(summed), n = extent(right);
  const ValueId lhs = c.Reshape(a.value, std::vector<int64_t>{batch, m, k});
  const ValueId rhs = c.Reshape(b.value, std::vector<int64_t>{batch, k, n});
  const ValueId y = c.Add(summed.empty() ? "Mul" : "MatMul", {lhs, rhs});
  Operand product{ir::kNoValue, order({&both, &left, &right})};
  std::vector<int64_t> dims;
  for (char label : product.labels) dims.push_back(e.extents.at(label));
  product.value = c.Reshape(y, dims);
  return product;
}

Status ExpandEinsum(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(const EinsumEquation e, ParseEinsum(c));
  const DType dtype = c.Input(0).dtype;
  const bool narrow = tensor::IsInteger(dtype) && !IsWideInteger(dtype);
  if (!IsWideFloat(dtype) && !tensor::IsInteger(dtype)) {
    return Status::Of(Code::kUnsupported, "a product of {}", tensor::DTypeName(dtype));
  }
  Operand result{};
  for (size_t i = 0; i < e.operands.size(); ++i) {
    if (c.Input(static_cast<int>(i)).dtype != dtype) {
      return Status(Code::kShapeMismatch, "inputs of different dtypes");
    }
    Labels later = e.output;
    for (size_t k = i + 1; k < e.operands.size(); ++k) {
      later.insert(later.end(), e.operands[k].begin(), e.operands[k].end());
    }
    Operand o{c.In(static_cast<int>(i)), e.operands[i]};
    if (narrow) o.value = c.Cast(o.value, DType::kI32);
    TakeDiagonals(c, o);
    DropBroadcast(c, o, e);
    if (i == 0) {
      SumUnneeded(c, o, later);
      result = std::move(o);
      continue;
    }
    Labels here = later;
    here.insert(here.end(), result.labels.begin(), result.labels.end());
    SumUnneeded(c, o, here);
    result = Multiply(c, std::move(result), std::move(o), later, e);
    SumUnneeded(c, result, later);
  }
  Arrange(c, result, e.output);
  c.SetOutput(0, narrow ? c.Cast(result.value, dtype) : result.value);
  return OkStatus();
}

}  // namespace

extern const Op kEinsumOp;
const Op kEinsumOp = {
    .name = "Einsum",
    .min_inputs = 1,
    .max_inputs = kAnyCount,
    .min_outputs = 1,
    .max_outputs = 1,
    .expand = ExpandEinsum,
};

}  // namespace ferry::ops
