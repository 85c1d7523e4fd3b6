#include "device-runtime/kernels/elementwise/elementwise.h"
#include "device-runtime/kernels/elementwise/kernels.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

UnaryFunction FunctionOf(const UnaryTable& table, UnaryOp op) {
  switch (op) {
#define FERRY_UNARY(name, error) \
  case UnaryOp::k##name:         \
    return table.name;
#include "device-runtime/kernels/elementwise/unary.inc"
#undef FERRY_UNARY
  }
  return nullptr;
}

constexpr int64_t kStepsOfOne = 1;  // functions with exp take about one step a float

}  // namespace

const char* UnaryName(UnaryOp op) {
  switch (op) {
#define FERRY_UNARY(name, error) \
  case UnaryOp::k##name:         \
    return #name;
#include "device-runtime/kernels/elementwise/unary.inc"
#undef FERRY_UNARY
  }
  return "?";
}

void Unary(const KernelTable& table, sys::Parallel& parallel, UnaryOp op, float alpha, float beta,
           int64_t count, const float* x, float* y) {
  const UnaryFunction function = FunctionOf(table.elementwise->unary, op);
  ForPieces(parallel, count, kStepsOfOne, [&](int64_t begin, int64_t end) {
    function(end - begin, alpha, beta, x + begin, y + begin);
  });
}

}  // namespace ferry::kernels
