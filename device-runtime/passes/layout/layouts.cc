#include "device-runtime/passes/layout/layouts.h"

#include <algorithm>
#include <map>

#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/layout/min_cut.h"

namespace ferry::passes {
namespace {

using ir::Layout;
using ir::ValueId;

int RankOf(const ir::Graph& graph, ValueId id) {
  const ir::Value& value = graph.values[static_cast<size_t>(id)];
  return value.dims ? static_cast<int>(value.dims->size()) : 0;
}

// A node in one layout: what it costs, and in which layout each output then is there.
struct Trial {
  double us = 0;
  std::vector<bool> is_last;
};

class Chooser {
 public:
  Chooser(const ir::Graph& graph, const LowerNode& lower, const StepCost& cost)
      : graph_(graph), lower_(lower), cost_(cost) {}

  Result<Layouts> Run() {
    const size_t count = graph_.nodes.size();
    std::vector<Trial> plain(count), last(count);
    bool any_last = false;
    for (size_t n = 0; n < count; ++n) {
      FERRY_ASSIGN_OR_RETURN(plain[n], Try(n, Layout::kPlain));
      for (const bool is_last : plain[n].is_last) any_last = any_last || is_last;
    }
    Layouts chosen(count);
    if (!any_last) return chosen;
    makers_.assign(graph_.values.size(), MinCut::kSink);  // inputs are plain
    std::vector<int> places(count, -1);
    for (size_t n = 0; n < count; ++n) {
      FERRY_ASSIGN_OR_RETURN(last[n], Try(n, Layout::kChannelsLast));
      places[n] = AddNode(graph_.nodes[n], plain[n], last[n]);
    }
    for (ValueId id : graph_.outputs) readers_[id].push_back(MinCut::kSink);
    for (const auto& [id, readers] : readers_) AddChange(id, readers);
    const std::vector<bool> is_last = cut_.SourceSide();
    for (size_t n = 0; n < count; ++n) {
      if (places[n] < 0) continue;
      chosen[n] = is_last[Index(places[n])] ? Layout::kChannelsLast : Layout::kPlain;
    }
    return chosen;
  }

 private:
  static size_t Index(int id) { return static_cast<size_t>(id); }

  // The node's place in the network; -1: it has one way to run.
  int AddNode(const ir::Node& node, const Trial& plain, const Trial& last) {
    bool takes = false, turns = false;
    for (size_t i = 0; i < node.inputs.size(); ++i) takes = takes || TakesLayout(graph_, node, i);
    // Transpositions between the two make one layout of the other.
    for (size_t k = 0; k < plain.is_last.size(); ++k) {
      turns = turns || (plain.is_last[k] && !last.is_last[k]);
    }
    const int place = takes && !turns ? cut_.AddNode() : -1;
    if (place >= 0) {
      // Of equal costs the cut takes plain.
      const double common = std::min(plain.us, last.us);
      cut_.AddCost(place, MinCut::kSink, last.us - common);
      cut_.AddCost(MinCut::kSource, place, plain.us - common);
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == ir::kNoValue || graph_.values[Index(id)].constant) continue;
      const bool follows = place >= 0 && TakesLayout(graph_, node, i);
      readers_[id].push_back(follows ? place : MinCut::kSink);
    }
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      if (node.outputs[k] == ir::kNoValue) continue;
      makers_[Index(node.outputs[k])] = plain.is_last[k]                ? MinCut::kSource
                                        : place >= 0 && last.is_last[k] ? place
                                                                        : MinCut::kSink;
    }
    return place;
  }

  Result<Trial> Try(size_t n, Layout layout) {
    const ir::Node& node = graph_.nodes[n];
    ir::Program program;
    std::vector<ops::Forms> inputs(node.inputs.size()), outputs(node.outputs.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == ir::kNoValue) continue;
      const ops::ValueInfo info = InfoOf(graph_.values[Index(node.inputs[i])]);
      const bool last = layout == Layout::kChannelsLast && TakesLayout(graph_, node, i);
      inputs[i][last ? layout : Layout::kPlain] = static_cast<ir::BufferId>(program.buffers.size());
      program.buffers.push_back({info.dtype, last ? ops::ChannelsLast(info.shape) : info.shape});
      if (graph_.values[Index(node.inputs[i])].constant) {
        program.buffers.back().constant = graph_.values[Index(node.inputs[i])].constant;
      }
    }
    FERRY_TRY(lower_(n, program, inputs, outputs));
    Trial trial;
    for (const ir::Step& step : program.steps) trial.us += cost_(program, step);
    for (const ops::Forms& forms : outputs) {
      trial.is_last.push_back(forms[Layout::kChannelsLast] >= 0 && forms[Layout::kPlain] < 0);
    }
    return trial;
  }

  // One change of a value's layout serves all readers in the other one.
  void AddChange(ValueId id, const std::vector<int>& readers) {
    const double us = ChangeUs(id);
    if (us == 0) return;
    const int maker = makers_[Index(id)];
    const int to_plain = cut_.AddNode(), to_last = cut_.AddNode();
    cut_.AddCost(maker, to_plain, us);
    cut_.AddCost(to_last, maker, us);
    for (int reader : readers) {
      cut_.AddCost(to_plain, reader, MinCut::kInfinite);
      cut_.AddCost(reader, to_last, MinCut::kInfinite);
    }
  }

  double ChangeUs(ValueId id) const {
    const ops::ValueInfo info = InfoOf(graph_.values[Index(id)]);
    ir::Program program;
    program.buffers.push_back({info.dtype, info.shape});
    ops::Convert(program, 0, info.dtype, info.shape, Layout::kChannelsLast, "");
    return program.steps.empty() ? 0 : cost_(program, program.steps[0]);
  }

  const ir::Graph& graph_;
  const LowerNode& lower_;
  const StepCost& cost_;
  MinCut cut_;                                   // the source's side is channels-last
  std::vector<int> makers_;                      // by value: on whose side it is made
  std::map<ValueId, std::vector<int>> readers_;  // on whose side it is read
};

}  // namespace

bool TakesLayout(const ir::Graph& graph, const ir::Node& node, size_t i) {
  if (node.inputs[i] == ir::kNoValue) return false;
  int rank = 0;
  for (ValueId id : node.inputs) {
    if (id != ir::kNoValue) rank = std::max(rank, RankOf(graph, id));
  }
  return rank >= 3 && RankOf(graph, node.inputs[i]) == rank &&
         !graph.values[static_cast<size_t>(node.inputs[i])].constant;
}

Result<Layouts> ChooseLayouts(const ir::Graph& graph, const LowerNode& lower,
                              const StepCost& cost) {
  if (graph.nodes.size() > kMaxLayoutNodes) return Layouts(graph.nodes.size());
  return Chooser(graph, lower, cost).Run();
}

}  // namespace ferry::passes
