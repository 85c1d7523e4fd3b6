// Float weights to the packed layout of few bits (kernels/packed), a tile of 16 rows at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "common/base/status.h"
#include "common/sys/executor.h"
#include "device-runtime/kernels/packed/layout.h"

namespace ferry::llm {

// kRtn: rounds to the nearest code; of a few scales (and shifts) a group it takes those of least
// squared error, then the least-squares fit to their codes. kHqq: half-quadratic quantisation, for
// the least sum of |error|^0.75, which large weights bend less. kAwq: rtn of weights
// whose columns were scaled before (awq.h).
enum class QuantizeMethod : uint8_t { kRtn, kHqq, kAwq };

std::string_view QuantizeMethodName(QuantizeMethod method);
// kInvalidArgument for an unknown name; says which are known.
Result<QuantizeMethod> QuantizeMethodFromName(std::string_view name);

// Writes rows [row, row + count) in float32; called from several threads at once.
using ReadRows = std::function<Status(int64_t row, int64_t count, float* out)>;

// Sums over all weights, in float64.
struct QuantizeReport {
  double squared_error = 0;
  double squared_norm = 0;
};

// The largest number of half precision.
inline constexpr float kMaxQuantizedWeight = 65504;

// Fills `out`, PackedBytes(form, rows, columns) bytes. The same bytes whatever the threads. Memory
// beside: 16 rows of float32 and of codes a thread. kInvalidArgument for a form that is none;
// kBadModel for a weight that is NaN or beyond kMaxQuantizedWeight; says which.
Result<QuantizeReport> QuantizeMatrix(sys::Parallel& parallel, QuantizeMethod method,
                                      const kernels::PackedForm& form, int64_t rows,
                                      int64_t columns, const ReadRows& read,
                                      std::span<uint8_t> out);

}  // namespace ferry::llm
