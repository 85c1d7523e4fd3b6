// One node at a time on values as they come, by the naive references: the truth that plans are
// compared with, and how a session runs what cannot be planned.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device-runtime/ops/evaluate.h"

namespace ferry::engine {

// Runs a node on its inputs (null where left out; captured ones included). Errors name the node.
Result<std::vector<tensor::Value>> RunNode(const ir::Node& node,
                                           std::span<const tensor::Value* const> inputs,
                                           ops::BodyRunner& bodies,
                                           const std::shared_ptr<tensor::MemoryBudget>& budget);

// Runs all nodes of a graph in order on one value an input; values go when nobody reads them any
// more.
Result<std::vector<tensor::Value>> RunEager(const ir::Graph& graph,
                                            std::vector<tensor::Value> inputs,
                                            ops::BodyRunner& bodies,
                                            const std::shared_ptr<tensor::MemoryBudget>& budget);

// Runs bodies eagerly too.
class EagerBodies : public ops::BodyRunner {
 public:
  explicit EagerBodies(std::shared_ptr<tensor::MemoryBudget> budget = nullptr)
      : budget_(std::move(budget)) {}
  Result<std::vector<tensor::Value>> RunBody(const ir::Graph& body,
                                             std::vector<tensor::Value> inputs) override {
    return RunEager(body, std::move(inputs), *this, budget_);
  }

 private:
  std::shared_ptr<tensor::MemoryBudget> budget_;
};

}  // namespace ferry::engine
