// Runs a graph and shows values inside it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device-runtime/engine/engine.h"
#include "device-runtime/ir/graph.h"
#include "device-runtime/quant/options.h"

namespace ferry::quant {

class Probe {
 public:
  // `watched` are names of values of `graph`. Errors of Model::FromGraph.
  static Result<Probe> Create(ir::Graph graph, const std::vector<std::string>& watched,
                              sys::Parallel* parallel);
  // The values in the order of `watched`; none for what is no float32 tensor. Errors of
  // Session::Run.
  Result<std::vector<std::optional<Tensor>>> Run(const Sample& sample);

 private:
  std::unique_ptr<engine::Session> session_;
  std::vector<size_t> output_;  // by watched value: which output of the session
};

// How far numbers are from what they should be.
struct Distance {
  double dot = 0, wanted = 0, got = 0, error = 0;  // sums of products and squares

  // Adds b, which should be a. Tensors of other sizes count as nothing but error.
  void Add(const Tensor& a, const Tensor& b);
  double Cosine() const;    // 1: the same direction
  double SnrDb() const;     // 20 log10(|a| / |a - b|), at most kMostSnr
  double Relative() const;  // |a - b| / |a|; 1 at least where a is zero and b is not
};
inline constexpr double kMostSnr = 200;

}  // namespace ferry::quant
