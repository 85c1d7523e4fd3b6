// What of a graph is quantised together: a layer or a cheap operator with the operators that run
// inside it (a bias, an activation).
#pragma once

#include <string>
#include <vector>

#include "device-runtime/ir/graph.h"
#include "device-runtime/quant/options.h"

namespace ferry::quant {

enum class Kind : uint8_t {
  kLayer,  // Conv, ConvTranspose, Gemm, MatMul: integer sums
  kTable,  // Gather of a constant: rows are stored small
  kCheap,  // between layers: Add, MaxPool, Reshape...; no sums worth their own choice
};

struct Unit {
  Kind kind = Kind::kCheap;
  int node = 0;
  std::vector<int> tail;             // nodes behind it whose inputs nobody else reads
  std::vector<ir::ValueId> inputs;   // activations that it computes with
  std::vector<int> constants;        // numbers of other inputs: f32 constants that it computes with
  ir::ValueId out = ir::kNoValue;    // of the last node
  std::vector<ir::ValueId> outputs;  // all of them: Split has several
  int weight = -1;                   // input number of a layer's or table's constant weights
  bool moves = false;                // kCheap: outputs hold values of the input, or between them
};

// How a layer or table is stored and computed.
enum class Form : uint8_t { kFloat, kWeight4, kWeight8, kDynamic, kInt8 };
std::string_view FormName(Form form);

// All units of a graph in the order of its nodes. Nodes of bodies have none.
std::vector<Unit> FindUnits(const ir::Graph& graph);

// Which axis of a unit's weights has a scale each (the output channels), and which is summed over
// (blocks lie along it). -1: none fits.
struct WeightAxes {
  int channel = -1;
  int summed = -1;
};
WeightAxes AxesOf(const ir::Graph& graph, const Unit& unit);

// The form of each layer and table by the options: type, skip lists, ends; kFloat for cheap units
// and for what the type leaves alone. kInvalidArgument names a pattern that fits no layer.
Result<std::vector<Form>> ChooseForms(const ir::Graph& graph, const std::vector<Unit>& units,
                                      const Options& options);

// Which values are integers and which units compute with them, for these forms. `possible` says, by
// value id, which values can be quantised: a unit whose inputs are not all so stays float.
struct Places {
  std::vector<bool> value;  // by value id: quantised
  std::vector<bool> unit;   // by unit: computes with integers
  std::vector<bool> made;   // by value id: made by such a unit, so that there is no float form
};
Places FindPlaces(const ir::Graph& graph, const std::vector<Unit>& units,
                  const std::vector<Form>& forms, const std::vector<bool>& possible);

}  // namespace ferry::quant
