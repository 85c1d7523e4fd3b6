// All that comes before a choice of forms: folding, equalisation, calibration.
#pragma once

#include <span>

#include "device-runtime/quant/graph/build.h"

namespace ferry::quant {

// The float graph as it will be quantised: constants folded, batch normalisation inside
// convolutions. kInvalidArgument for a graph that is quantised already.
Result<ir::Graph> FoldedGraph(ir::Graph graph);

// Runs the graph on the samples, chooses the ranges of all values that its units read and make, and
// lets movers, and concatenations of like ranges, share them. Without samples: no ranges.
// kInvalidArgument for inputs that are not finite or fit no input; values that are not finite
// inside the model stay float, with a note.
Result<Prepared> Prepare(ir::Graph folded, std::span<const Sample> samples, const Options& options);

// Makes the ranges of the channels between two convolutions (with nothing, a Relu or a LeakyRelu
// between) equal: scales move from the weights of one to those of the other, the outputs stay.
// Returns how many pairs changed. Source: Nagel et al., Data-free quantization (ICCV 2019).
Result<int> Equalize(ir::Graph& graph);

// Low and high end by value id; none where a value cannot be quantised.
using ValueRanges = std::vector<std::optional<std::pair<double, double>>>;
// Cuts what only saturating activations (Sigmoid, HardSwish, Clip...) read to where they are not
// flat.
void SaturateRanges(const ir::Graph& graph, ValueRanges& ranges);
// Gives movers and their inputs, and concatenations of like ranges, one range.
void ShareRanges(const ir::Graph& graph, const std::vector<Unit>& units, ValueRanges& ranges);

}  // namespace ferry::quant
