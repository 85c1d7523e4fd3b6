// The operators: one file each in defs/, one row each in defs/list.inc. An operator has a schema
// and one of three forms:
//   planned    a shape rule, a naive reference and, where there is a faster way, a lowering to
//              primitives;
//   expanded   written as other operators once the types of its inputs are known (expand.h);
//   evaluated  run on values as they come: shapes that depend on data, sequences, bodies
//              (evaluate.h).
#pragma once

#include <memory>
#include <string_view>

#include "device-runtime/ir/program.h"
#include "device-runtime/ops/node_context.h"

namespace ferry::ops {

// The shape rule: sets dtype and shape of every output from the inputs' types.
class InferContext : public NodeContext {
 public:
  InferContext(const Node& node, std::span<const ValueInfo* const> inputs, size_t output_count)
      : NodeContext(node, inputs), outputs(output_count) {}
  void SetOutput(size_t i, DType dtype, const Shape& shape) {
    if (i < outputs.size()) outputs[i] = {dtype, shape, std::nullopt};
  }
  std::vector<ValueInfo> outputs;
};

// The naive reference: fills outputs, which have the inferred types, from the inputs. Plain loops,
// sums in double; slow, and meant to be obviously right. Memory that grows with tensors comes from
// Tensor::Allocate, texts of string outputs from strings().
class ReferenceContext : public NodeContext {
 public:
  ReferenceContext(const Node& node, std::span<const ValueInfo* const> infos,
                   std::span<const Tensor* const> inputs, std::span<Tensor> outputs,
                   tensor::StringPool& strings)
      : NodeContext(node, infos), inputs_(inputs), outputs_(outputs), strings_(strings) {}
  const Tensor& In(int i) const { return *inputs_[static_cast<size_t>(i)]; }
  Tensor& Out(int i) { return outputs_[static_cast<size_t>(i)]; }
  int output_count() const { return static_cast<int>(outputs_.size()); }
  // Whether somebody reads output `i`.
  bool HasOutput(int i) const {
    return i < output_count() && node().outputs[static_cast<size_t>(i)] != ir::kNoValue;
  }
  tensor::StringPool& strings() { return strings_; }

 private:
  std::span<const Tensor* const> inputs_;
  std::span<Tensor> outputs_;
  tensor::StringPool& strings_;
};

class LowerContext;     // lower_context.h
class ExpandContext;    // expand.h
class EvaluateContext;  // evaluate.h

inline constexpr int kAnyCount = 1 << 20;

struct Op {
  std::string_view name;
  int min_inputs, max_inputs;
  int min_outputs, max_outputs;
  // Planned.
  Status (*infer)(InferContext&) = nullptr;
  Status (*reference)(ReferenceContext&) = nullptr;
  Status (*lower)(LowerContext&) = nullptr;  // null: runs as a call of the reference
  // Expanded. An operator may be planned too, when its reference is simpler than its expansion:
  // then it is expanded only if it has no lowering, and tests compare the two.
  Status (*expand)(ExpandContext&) = nullptr;
  // Evaluated. An operator may be planned too: then it is evaluated only where an input is no
  // tensor.
  Status (*evaluate)(EvaluateContext&) = nullptr;
  // The same inputs give the same outputs; false for random ones, which never fold.
  bool is_pure = true;
};

// By name ("Conv"), or null.
const Op* FindOp(std::string_view name);
// All, sorted by name.
std::span<const Op* const> AllOps();

// Whether node has an operator that is there and the right number of inputs and outputs.
// kUnsupportedOperator or kBadModel, naming the node.
Status CheckNode(const Node& node);
// The same for all nodes, bodies included; kUnsupportedOperator lists every node that has no
// operator.
Status CheckNodes(const ir::Graph& graph);

// Runs `op`'s shape rule on a node; errors name the node. Planned operators only.
Status Infer(const Op& op, InferContext& context);
// Makes outputs (counted on `budget` if any) and runs the naive reference. Planned operators only.
Result<std::vector<Tensor>> RunReference(const Op& op, const Node& node,
                                         std::span<const Tensor* const> inputs,
                                         std::shared_ptr<tensor::MemoryBudget> budget = nullptr);

}  // namespace ferry::ops
