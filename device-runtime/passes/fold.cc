#include "device-runtime/passes/fold.h"

namespace ferry::passes {
namespace {

thread_local const Folder* current = nullptr;

}  // namespace

FoldScope::FoldScope(const Folder* folder) : before_(current) {
  current = folder;
}

FoldScope::~FoldScope() {
  current = before_;
}

Result<std::vector<tensor::Tensor>> Fold(const ops::Op& op, const ir::Node& node,
                                         std::span<const tensor::Tensor* const> inputs) {
  return current != nullptr ? current->Run(op, node, inputs) : ops::RunReference(op, node, inputs);
}

}  // namespace ferry::passes
