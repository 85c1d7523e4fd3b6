// Who computes what passes fold: the naive references, or whom the caller brings.
#pragma once

#include <span>
#include <vector>

#include "device-runtime/ops/op.h"

namespace ferry::passes {

// Computes nodes whose inputs are all constants. Any thread.
class Folder {
 public:
  virtual ~Folder() = default;
  // One tensor an output, as ops::RunReference gives them; `inputs` are null where left out.
  virtual Result<std::vector<tensor::Tensor>> Run(
      const ops::Op& op, const ir::Node& node,
      std::span<const tensor::Tensor* const> inputs) const = 0;
};

// Makes `folder` (null: the naive references) the calling thread's while it lives.
class FoldScope {
 public:
  explicit FoldScope(const Folder* folder);
  ~FoldScope();
  FoldScope(const FoldScope&) = delete;
  FoldScope& operator=(const FoldScope&) = delete;

 private:
  const Folder* before_;
};

// Runs a planned operator by the calling thread's folder.
Result<std::vector<tensor::Tensor>> Fold(const ops::Op& op, const ir::Node& node,
                                         std::span<const tensor::Tensor* const> inputs);

}  // namespace ferry::passes
