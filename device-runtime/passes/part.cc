#include "device-runtime/passes/part.h"

#include <algorithm>

#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/passes/fold.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

using ir::kNoValue;
using ir::ValueId;

// Room for so many nodes and values is made at once: most parts have fewer, and what a whole graph
// of thousands has must not be taken for each of its parts.
constexpr size_t kUsualNodes = 128;

void SetType(ir::Value& value, const ops::ValueInfo& info) {
  value.dtype = info.dtype;
  value.dims.emplace();
  for (int64_t extent : info.shape.dims()) value.dims->push_back({extent, ""});
}

class PartBuilder {
 public:
  PartBuilder(const ir::Graph& whole, const KnownValues& known, std::span<const GraphPass> passes)
      : whole_(whole),
        known_(known),
        passes_(passes),
        local_(whole.values.size(), kNoValue),
        allowance_(whole) {}

  Result<Part> Run(size_t begin) {
    part_.graph.name = whole_.name;
    part_.graph.values.reserve(std::min(kUsualNodes, whole_.values.size()));
    part_.graph.nodes.reserve(std::min(kUsualNodes, whole_.nodes.size() - begin));
    if (begin == 0) {
      for (ValueId id : whole_.inputs) {
        if (known_[id]) AddInput(id);
      }
    }
    part_.end = begin;
    for (; part_.end < whole_.nodes.size(); ++part_.end) {
      FERRY_ASSIGN_OR_RETURN(bool planned, OneNode(whole_.nodes[part_.end]));
      if (!planned) break;
    }
    if (part_.end > begin || whole_.nodes.empty()) FERRY_TRY(Finish(begin));
    return std::move(part_);
  }

 private:
  ops::ValueInfo Info(ValueId local) const { return InfoOf(part_.graph.values[local]); }

  void AddInput(ValueId id) {
    local_[id] = part_.graph.AddValue(whole_.values[id].name);
    SetType(part_.graph.values[local_[id]], *known_[id]);
    part_.graph.inputs.push_back(local_[id]);
    part_.inputs.push_back(id);
  }

  // The part's own id of a value; kNoValue when it is no tensor.
  ValueId Local(ValueId id) {
    if (local_[id] != kNoValue) return local_[id];
    const ir::Value& value = whole_.values[id];
    if (value.constant) {
      local_[id] = part_.graph.AddConstant(value.name, *value.constant);
    } else if (known_[id] && known_[id]->constant) {
      local_[id] = part_.graph.AddConstant(value.name, *known_[id]->constant);
    } else if (known_[id]) {
      AddInput(id);
    }
    return local_[id];
  }

  // Adds a node of the whole graph; false: the part ends before it.
  Result<bool> OneNode(const ir::Node& node) {
    const ops::Op* op = ops::FindOp(node.op);
    if (op == nullptr) return Status::Of(Code::kUnsupportedOperator, "{}", ir::NodeText(node));
    if (op->infer == nullptr && op->expand == nullptr) return false;
    ir::Node mine = node;
    for (ValueId& id : mine.inputs) {
      if (id == kNoValue) continue;
      const ValueId here = Local(id);
      if (here == kNoValue) return false;  // a sequence or optional
      id = here;
    }
    int needed = -1;
    Status added = AddTyped(*op, mine, node, needed);
    if (added.ok()) return true;
    if (needed < 0) return added;
    part_.needed = node.inputs[static_cast<size_t>(needed)];
    return false;
  }

  Status AddTyped(const ops::Op& op, ir::Node& mine, const ir::Node& node, int& needed) {
    std::vector<ops::ValueInfo> infos(mine.inputs.size());
    std::vector<const ops::ValueInfo*> pointers(mine.inputs.size(), nullptr);
    for (size_t i = 0; i < mine.inputs.size(); ++i) {
      if (mine.inputs[i] == kNoValue) continue;
      infos[i] = Info(mine.inputs[i]);
      pointers[i] = &infos[i];
    }
    if (op.expand != nullptr && op.lower == nullptr) {
      FERRY_ASSIGN_OR_RETURN(ir::Graph piece, ops::Expand(op, mine, pointers, &needed));
      return Splice(piece, mine, node);
    }
    ops::InferContext context(mine, pointers, mine.outputs.size());
    const Status inferred = ops::Infer(op, context);
    needed = context.needed();
    FERRY_TRY(inferred);
    for (size_t i = 0; i < mine.outputs.size(); ++i) {
      if (mine.outputs[i] == kNoValue) continue;
      mine.outputs[i] = part_.graph.AddValue(whole_.values[node.outputs[i]].name);
      SetType(part_.graph.values[mine.outputs[i]], context.outputs[i]);
      local_[node.outputs[i]] = mine.outputs[i];
    }
    return Keep(op, std::move(mine), context.outputs);
  }

  // Adds a node whose values have their types, or its results when they can be computed now.
  Status Keep(const ops::Op& op, ir::Node node, std::span<const ops::ValueInfo> outputs) {
    bool known = true;
    int64_t bytes = 0;
    for (const ops::ValueInfo& info : outputs) {
      known = known && info.constant.has_value();
      bytes += info.shape.elements() * static_cast<int64_t>(tensor::DTypeSize(info.dtype));
    }
    std::vector<const tensor::Tensor*> constants;
    bool foldable = true;
    for (ValueId id : node.inputs) {
      foldable = foldable && (id == kNoValue || part_.graph.IsConstant(id));
      constants.push_back(id == kNoValue || !foldable ? nullptr
                                                      : &*part_.graph.values[id].constant);
    }
    std::vector<tensor::Tensor> results;
    if (!known && foldable && op.is_pure && !WidensWeights(part_.graph, node, bytes) &&
        allowance_.Take(bytes)) {
      FERRY_ASSIGN_OR_RETURN(results, Fold(op, node, constants));
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      ir::Value& value = part_.graph.values[node.outputs[i]];
      if (known) value.constant = outputs[i].constant;
      if (!results.empty()) value.constant = results[i];
    }
    if (!known && results.empty()) part_.graph.nodes.push_back(std::move(node));
    return OkStatus();
  }

  // Adds the nodes that `mine` expanded to.
  Status Splice(const ir::Graph& piece, const ir::Node& mine, const ir::Node& node) {
    std::vector<ValueId> renamed(piece.values.size(), kNoValue);
    size_t next = 0;
    for (ValueId id : mine.inputs) {
      if (id != kNoValue) renamed[piece.inputs[next++]] = id;
    }
    for (size_t id = 0; id < piece.values.size(); ++id) {
      if (renamed[id] != kNoValue) continue;
      const ir::Value& value = piece.values[id];
      const std::string name = fmt::format("{}~{}", node.name, part_.graph.values.size());
      renamed[id] = part_.graph.AddValue(name);
      part_.graph.values[renamed[id]].dtype = value.dtype;
      part_.graph.values[renamed[id]].dims = value.dims;
      part_.graph.values[renamed[id]].constant = value.constant;
    }
    auto rename = [&](std::vector<ValueId>& ids) {
      for (ValueId& id : ids) {
        if (id != kNoValue) id = renamed[id];
      }
    };
    for (ir::Node inner : piece.nodes) {
      rename(inner.inputs);
      rename(inner.outputs);
      std::vector<ops::ValueInfo> outputs;
      for (ValueId id : inner.outputs) {
        outputs.push_back(id == kNoValue ? ops::ValueInfo() : Info(id));
        outputs.back().constant.reset();
      }
      const ops::Op* op = ops::FindOp(inner.op);
      FERRY_TRY(Keep(*op, std::move(inner), outputs));
    }
    std::vector<ValueId> outputs = piece.outputs;
    rename(outputs);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoValue) local_[node.outputs[i]] = outputs[i];
    }
    return OkStatus();
  }

  // Outputs: what later nodes or the graph's outputs read.
  Status Finish(size_t begin) {
    std::vector<bool> is_read(whole_.values.size(), false);
    for (size_t i = part_.end; i < whole_.nodes.size(); ++i) {
      for (ValueId id : whole_.nodes[i].inputs) {
        if (id != kNoValue) is_read[id] = true;
      }
    }
    for (ValueId id : whole_.outputs) is_read[id] = true;
    if (begin == 0 && part_.end == whole_.nodes.size()) return FinishWhole();
    for (size_t i = begin; i < part_.end; ++i) {
      for (ValueId id : whole_.nodes[i].outputs) {
        if (id == kNoValue || !is_read[id]) continue;
        part_.outputs.push_back(id);
        part_.graph.outputs.push_back(local_[id]);
      }
    }
    return RunPasses(part_.graph, passes_);
  }

  // The part is all of the graph: it has the graph's outputs, in order.
  Status FinishWhole() {
    for (ValueId id : whole_.outputs) {
      part_.outputs.push_back(id);
      part_.graph.outputs.push_back(Local(id));
      if (part_.graph.outputs.back() == kNoValue) {
        return Status::Of(Code::kInternal, "output '{}' was not made", whole_.values[id].name);
      }
    }
    return RunPasses(part_.graph, passes_);
  }

  const ir::Graph& whole_;
  const KnownValues& known_;
  const std::span<const GraphPass> passes_;
  Part part_;
  std::vector<ValueId> local_;  // by id of the whole graph
  FoldAllowance allowance_;
};

}  // namespace

Result<Part> SpecializePart(const ir::Graph& graph, size_t begin, const KnownValues& known,
                            std::span<const GraphPass> passes) {
  return PartBuilder(graph, known, passes).Run(begin);
}

}  // namespace ferry::passes
